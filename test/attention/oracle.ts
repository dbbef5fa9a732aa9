import type { CheckEvent, MessageEvent } from '../../src/shared/core/attention/event.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import type { Target } from '../../src/shared/core/target.ts'
import {
  type Day,
  dayStart,
  exceptPerson,
  exceptTag,
  hour,
  minute,
  type Outage,
  quietFrom,
  quietTo,
} from './day.ts'
import type { Told } from './drive.ts'

/** What is wrong with a day, in words; each list is empty if all is well. */
export interface Faults {
  /** Decided never, twice or without a reason. */
  readonly undecided: readonly string[]
  readonly missed: readonly string[]
  readonly doubled: readonly string[]
  /** Pop-ups in the worst ten seconds, and sounds. */
  readonly stormMax: number
  readonly soundMax: number
}

/** Everything due must be notified within this time: the longest storm holds for five minutes. */
const bound = 11 * minute
/** How much earlier than our poll a bot's message may be. */
const botEarlier = 2 * minute
/** The most lines a notice keeps: if it has more, its title counts. */
const mostLines = 50

/**
 * Checks a day against what was promised, without the engine's own code: from the generated
 * outages, the quiet hours and the notifications that came.
 */
export function faultsOf(day: Day, told: Told): Faults {
  const spots = spotsOf(told)
  return {
    undecided: undecided(day, told),
    missed: [...missedOutages(day, spots), ...missedMessages(day, spots)],
    doubled: doubled(day, told),
    stormMax: mostIn(told.popUps.map(({ at }) => at)),
    soundMax: mostIn(told.popUps.filter(({ notice }) => notice.sound).map(({ at }) => at)),
  }
}

function undecided({ events }: Day, { decisions }: Told): string[] {
  const counts = new Map(events.map(({ id }) => [id, 0]))
  const faults: string[] = []
  for (const { event, reasons } of decisions) {
    counts.set(event.id, (counts.get(event.id) ?? 99) + 1)
    if (reasons.length === 0) faults.push(`${event.id}: no reason`)
  }
  for (const [id, count] of counts) if (count !== 1) faults.push(`${id}: decided ${count} times`)
  return faults
}

/** The times of notifications, by what they are about. */
type Spots = ReadonlyMap<string, readonly number[]>

function spotsOf({ popUps }: Told): Spots {
  const spots = new Map<string, number[]>()
  const add = (key: string, at: number): void => {
    const list = spots.get(key) ?? []
    list.push(at)
    spots.set(key, list)
  }
  for (const { at, notice } of popUps) {
    for (const key of new Set(targetsOf(notice).map(placeOf))) add(key, at)
    // Has more than it can list, so it stands for all of the projects that it names.
    if (notice.lines.length === mostLines)
      for (const id of new Set(notice.lines.map(({ target }) => accountOf(target))))
        add(`many of ${id}`, at)
  }
  return spots
}

function targetsOf({ lines, target }: Notice): readonly Target[] {
  return lines.length > 0 ? lines.map((line) => line.target) : [target]
}

function placeOf(target: Target): string {
  if (target.view === 'check') return `${target.accountId}/${target.checkId}`
  return target.view === 'conversation'
    ? `${target.accountId}/${JSON.stringify(target.conversation)}`
    : target.view
}

function accountOf(target: Target): string {
  return 'accountId' in target ? (target.accountId ?? '') : ''
}

function isTold(
  spots: Spots,
  { target, accountId }: CheckEvent | MessageEvent,
  from: number,
  to: number,
): boolean {
  return [placeOf(target), `many of ${accountId}`].some((key) =>
    (spots.get(key) ?? []).some((at) => at >= from && at <= to),
  )
}

function missedOutages(day: Day, spots: Spots): string[] {
  const faults: string[] = []
  const ids = new Map(day.events.map((event) => [event.id, event]))
  for (const outage of day.outages) {
    const { check, from, to, botMessage } = outage
    if (check.policy === 'nothing' || check.policy === 'icon') continue
    const event = ids.get(`${check.accountId}/check/${check.checkId}/down@${from}`)
    if (event === undefined) throw new Error('an outage without its event')
    const due = from + (check.policy === 'after10' ? 10 * minute : 0)
    const deadline = deadlineOf(day, due, check.tags.includes(exceptTag))
    if ((to !== null && to <= deadline) || isSilenced(day, outage, deadline)) continue
    const byBot = botMessage !== null && isTold(spots, botMessage, from - botEarlier, deadline)
    if (!byBot && !isTold(spots, event, from - botEarlier, deadline))
      faults.push(`${check.name} down at ${clock(from)} not notified by ${clock(deadline)}`)
  }
  return faults
}

function missedMessages(day: Day, spots: Spots): string[] {
  return day.events.flatMap((event) => {
    if (event.of !== 'message' || (event.kind !== 'direct' && event.kind !== 'mention')) return []
    const deadline = deadlineOf(day, event.at, event.senderId === exceptPerson)
    return isTold(spots, event, event.at, deadline)
      ? []
      : [`${event.id} at ${clock(event.at)} not notified by ${clock(deadline)}`]
  })
}

/** The time by which something must be notified; it starts again after each quiet time. */
function deadlineOf(day: Day, due: number, isExcepted: boolean): number {
  let deadline = due + bound
  for (let i = 0; i < 4; i += 1) {
    const end = quietEnd(day, deadline, isExcepted)
    if (end === null) return deadline
    deadline = end + bound
  }
  return deadline
}

/** The end of a quiet time at `at` or shortly before it. */
function quietEnd({ sleep, disturb }: Day, at: number, isExcepted: boolean): number | null {
  const nights = [-1, 0, 1].map((day) => ({
    from: dayStart + day * 24 * hour + quietFrom,
    to: dayStart + (day + 1) * 24 * hour + quietTo,
  }))
  const spans = [{ ...sleep, to: sleep.to + minute }, ...(isExcepted ? [] : [disturb, ...nights])]
  const last = spans.filter(({ from, to }) => at >= from && at < to + bound && at - bound < to)
  const end = Math.max(...last.map(({ to }) => to))
  return last.length === 0 || end + bound <= at ? null : end
}

function isSilenced({ silences }: Day, { check, from }: Outage, until: number): boolean {
  return silences.some(({ scope, since, until: end }) => {
    const covers =
      (scope.of === 'check' &&
        scope.accountId === check.accountId &&
        scope.checkId === check.checkId) ||
      (scope.of === 'tag' && check.tags.includes(scope.tag))
    return covers && since <= until && (end.kind !== 'time' || end.at >= from)
  })
}

/** The same event in two notifications, or a flip and the bot's message about it in one each. */
function doubled(day: Day, told: Told): string[] {
  return [...toldTwice(told), ...toldByBot(day, told)]
}

function toldTwice({ popUps }: Told): string[] {
  const faults: string[] = []
  const seen = new Set<string>()
  const once = (key: string): void => {
    if (seen.has(key)) faults.push(`notified twice: ${key}`)
    seen.add(key)
  }
  for (const { notice } of popUps) {
    once(notice.id)
    // A digest shows the last state of each, which may have been notified before the quiet time.
    if (notice.kind === 'digest') continue
    const told = notice.lines.length > 0 ? notice.lines : [notice]
    for (const { at, target } of told) once(JSON.stringify({ at, target }))
  }
  return faults
}

function toldByBot(day: Day, { popUps }: Told): string[] {
  const down = popUps.filter(({ notice: { kind } }) => kind !== 'digest' && kind !== 'recovered')
  const isTarget = (notice: Notice, target: Target): boolean =>
    targetsOf(notice).some((other) => JSON.stringify(other) === JSON.stringify(target))
  return day.outages.flatMap((outage) => {
    const { check, from, botMessage } = outage
    // What is delayed by ten minutes is notified when the bot's message is old news.
    if (botMessage === null || check.policy !== 'usual') return []
    const since = Math.min(from, botMessage.at)
    const until = Math.max(from, botMessage.at) + bound
    if (isSilenced(day, outage, until)) return []
    const near = down.filter(({ at }) => at >= since && at <= until)
    const { accountId, checkId } = check
    const toldOf = (target: Target) => near.find(({ notice }) => isTarget(notice, target))
    const alarm = toldOf({ view: 'check', accountId, checkId })
    const said = toldOf(botMessage.target)
    if (alarm === undefined || said === undefined) return []
    // A message without a sound can't stand in for an alarm.
    const isLouder = said.at <= alarm.at && !said.notice.sound
    return !isLouder
      ? [`${check.name} at ${clock(from)} notified, and the bot's message about it, too`]
      : []
  })
}

/** The most in any ten seconds. */
function mostIn(times: readonly number[]): number {
  let most = 0
  let first = 0
  for (const [i, at] of times.entries()) {
    while (at - (times[first] ?? at) >= 10_000) first += 1
    most = Math.max(most, i - first + 1)
  }
  return most
}

function clock(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}
