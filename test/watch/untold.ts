import type { AttentionSettings } from '../../src/shared/core/attention/rules.ts'
import { overlaps } from './holds.ts'
import { listings } from './list-oracle.ts'
import { type Outage, type Record, statusIn, type Watched } from './record.ts'
import { uniqueKey } from './service.ts'

const second = 1_000
const minute = 60 * second
/** Five minutes for a storm, five for flapping, and some for reads. */
const promptMs = 12 * minute

/** What the user should have heard by the end of a life, and didn't. */
export function untold(record: Record): readonly string[] {
  return record.checks.flatMap((check) =>
    check.outages.flatMap((outage) =>
      [
        neverListed(record, check, outage),
        outage.isSaid || outage.isStill
          ? null
          : (neverTold(record, check, outage) ?? toldLate(record, check, outage)),
        stillUntoldUp(record, check, outage),
      ].filter((one) => one !== null),
    ),
  )
}

/** Rule 1: an outage that the rules ask for, and of which nobody heard. */
function neverTold(record: Record, check: Watched, outage: Outage): string | null {
  if (
    outage.told.length > 0 ||
    outage.isCounted ||
    outage.isSaid ||
    !mustTell(record, check, outage)
  )
    return null
  const read = outage.seenAt === null ? '' : ', and read'
  return record.say(
    outage.from,
    `${check.label}: down${read}, until ${record.clock(outage.to)}: never told`,
  )
}

/** Rule 1: one for the icon, or for nothing, is in the list, which shows all. */
function neverListed(record: Record, check: Watched, outage: Outage): string | null {
  const rules = rulesFor(record, check, outage)
  if (outage.seenAt === null || rules.some(({ ways }) => pops(ways.down))) return null
  if (!isWanted(record, check, outage)) return null
  const from = outage.from
  const times = listings(record, check.project, uniqueKey(check.uuid))
  const heardAt = record.readAfter(check, Math.min(outage.to, record.plans.to)) ?? outage.to
  if (times.some((at) => at >= from && at <= freeAt(record, heardAt) + promptMs)) return null
  return record.say(from, `${check.label}: down, and read, and never in the list`)
}

function mustTell(record: Record, check: Watched, outage: Outage): boolean {
  const isLong = outage.to - outage.from > 2 * minute
  const isAsked = rulesFor(record, check, outage).every(({ ways }) =>
    outage.seenAt === null
      ? pops(ways.missed)
      : pops(ways.down) && (pops(ways.missed) || (isLong && record.isTakenIn(check, outage))),
  )
  return isAsked && isWanted(record, check, outage)
}

/** Those that were in force until it should have been told, which takes a list that was read. */
function rulesFor(
  record: Record,
  check: Watched,
  { from, to }: Outage,
): readonly AttentionSettings[] {
  const end = Math.min(to, record.plans.to)
  const until = freeAt(record, record.readAfter(check, end) ?? end)
  const longest = longestWait(record.attentions(from, until))
  return record.attentions(from, until + promptMs + longest * minute)
}

function longestWait(rules: readonly AttentionSettings[]): number {
  return Math.max(...rules.map(({ afterMinutes }) => afterMinutes))
}

/** Between a list and the flips that show what it doesn't. */
const lookMs = 10_000

/** Whether nothing but the chosen kinds of notice may keep it from the user. */
function isWanted(record: Record, check: Watched, outage: Outage): boolean {
  const { calmFrom } = record.plans
  const afterMinutes = longestWait(rulesFor(record, check, outage))
  const end = Math.min(outage.to, record.plans.to)
  // Too short for the rules, or perhaps.
  const isLong = afterMinutes === 0 || outage.to - outage.from > (afterMinutes + 1) * minute
  if (!isLong || outage.from > calmFrom) return false
  if (afterMinutes > 0 && outage.seenAt === null) return false
  // It began and ended before any list showed that there is such a check.
  if (outage.seenAt === null && !record.isKnown(check, outage.from)) return false
  if (!record.isHere(check, outage.from)) return false
  if (outage.from < record.baseline(check, outage.from) + 3 * second) return false
  const heardAt = record.readAfter(check, end)
  if (heardAt === null) return false
  if (outage.seenAt === null) {
    // Only its flips show it: they are read some time after the list, and not once it is deleted.
    const looked = record.readAndRan(check, end, promptMs)
    if (looked === null || check.breaks.some((at) => at >= end && at <= looked)) return false
  }
  const free = freeAt(record, outage.seenAt === null ? heardAt + lookMs : heardAt)
  const longMs = promptMs + record.mayAwaitMs(check)
  const waitMs = longMs + (afterMinutes + 1) * minute
  const around = { from: outage.from - minute, to: ranFor(record, free, waitMs) }
  if (check.breaks.some((at) => at >= around.from - 10 * minute && at <= around.to)) return false
  if (record.silences(check).some((one) => overlaps(one, around.from, around.to))) return false
  return !record.isAccountLost(check, outage.from, around.to)
}

/** When the app has run for so long in one go since then: what it holds back at its end waits again. */
function ranFor(record: Record, from: number, ms: number): number {
  const ended = record.holds.runs.find((run) => run.to > from && run.to < from + ms)
  return ended === undefined ? from + ms : ranFor(record, freeAt(record, ended.to), ms)
}

/** When what is held back by quiet, or as the app is off, is shown at the earliest. */
function freeAt(record: Record, from: number): number {
  const { quiet, runs } = record.holds
  const held = quiet.find((one) => one.from <= from && one.to > from)
  const isOff = runs.every((one) => one.from > from || one.to <= from)
  const at = held?.to ?? (isOff ? runs.find((one) => one.from > from)?.from : null) ?? from
  return at === from ? at : freeAt(record, at)
}

/** A count of changes may have told of it. */
function isTold({ isCounted, told }: Outage, at: number): boolean {
  return isCounted || told.some((one) => one.at <= at)
}

/** Rule 2. */
function toldLate(record: Record, check: Watched, outage: Outage): string | null {
  const rules = record.attentions(outage.from, Math.min(outage.to, record.plans.to))
  if (!rules.every(({ ways }) => pops(ways.down))) return null
  if (outage.from < record.baseline(check, outage.to) || outage.seenAt === null) return null
  const wait = promptMs + longestWait(rules) * minute + record.mayAwaitMs(check)
  const reads = (record.reads[check.project] ?? []).filter(
    (read) => read.at >= outage.from && read.at < outage.to,
  )
  const holds = [...record.holds.quiet, ...record.silences(check)]
  let heardFrom: number | null = null
  for (const read of reads) {
    const isDown = read.outcome === 'good' && statusIn(read, check.uuid) === 'down'
    const run = record.holds.runs.find((one) => read.at >= one.from && read.at <= one.to)
    const isHeld = holds.some((one) => overlaps(one, heardFrom ?? read.at, read.at))
    if (!isDown || run === undefined || isHeld) {
      heardFrom = null
      continue
    }
    if (heardFrom === null || heardFrom < run.from) heardFrom = read.at
    if (read.at - heardFrom <= wait) continue
    if (isTold(outage, read.at)) return null
    if (check.breaks.some((at) => at >= (heardFrom ?? 0) - minute && at <= read.at)) return null
    if (record.isAccountLost(check, heardFrom, read.at)) return null
    return record.say(
      read.at,
      `${check.label}: read as down since ${record.clock(heardFrom)} with nothing to hold it back, and not told`,
    )
  }
  return null
}

/** Rule 3. */
function stillUntoldUp(record: Record, check: Watched, outage: Outage): string | null {
  const [told] = outage.told
  const rules = record.attentions(outage.from, Math.min(outage.to + 4 * promptMs, record.plans.to))
  if (!rules.every(({ ways }) => pops(ways.recovered))) return null
  if (told === undefined || told.at >= outage.to || outage.to > record.plans.calmFrom) return null
  const next = check.outages[check.outages.indexOf(outage) + 1]
  const until = Math.min(next?.from ?? record.plans.to, outage.to + 3 * promptMs)
  if (until - outage.to < promptMs) return null
  // A crash just after the pop-up costs the memory of it.
  if (record.isAfterCrash(told.at, until)) return null
  if (outage.ups.length > 0 || check.breaks.some((at) => at > outage.from && at < until))
    return null
  if (record.silences(check).some((one) => overlaps(one, outage.from, until))) return null
  if (record.holds.quiet.some((one) => overlaps(one, outage.to - minute, until))) return null
  if (record.isAccountLost(check, outage.from, until)) return null
  const readAt = record.readAndRan(check, outage.to, promptMs)
  if (readAt === null || readAt >= until - promptMs) return null
  return record.say(outage.to, `${check.label}: told as down, never that it is up again`)
}

function pops(way: string): boolean {
  return way === 'sound' || way === 'banner'
}
