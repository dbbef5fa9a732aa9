import {
  type AttentionSettings,
  anyRule,
  defaultAttention,
} from '../../src/shared/core/attention/rules.ts'
import type { Seeded } from '../support/seeded.ts'
import { type BadgeFault, makeBadgeFaults } from './badge.ts'
import { type Fault, faultKinds, type LifeProject, uuidOf } from './life.ts'
import { startsOf } from './runs.ts'
import { makePlan, nextAfter, type Plan } from './schedules.ts'
import { type Deed, newCheck, type ServiceCheck } from './service.ts'

/** A project that a person watches, and the incidents of its jobs. */
interface WatchedProject extends LifeProject {
  readonly label: string
}

export type Said = 'direct' | 'mention' | 'plain'

/** What a person silences; a check is chosen when it happens. */
type Aim = 'down check' | 'any check' | 'tag' | 'project' | 'everything'

/** What happens to the app or its computer, or what its user does. */
export type Happening =
  | {
      readonly do: 'silence'
      readonly how: 'snooze' | 'acknowledge' | 'mute' | 'maintenance'
      readonly aim: Aim
      readonly minutes: number | 'change' | 'ever'
      readonly through: 'window' | 'tray' | 'popUp'
    }
  | {
      readonly do: 'plan'
      readonly aim: 'any check' | 'tag' | 'project'
      /** Epoch ms, to the minute. */
      readonly from: number
      readonly until: number
      /** Every week, by the clocks of this zone; null: once. */
      readonly zone: string | null
    }
  | { readonly do: 'unplan' | 'independ' }
  | { readonly do: 'depend'; readonly aim: 'any check' | 'tag' | 'project' }
  | { readonly do: 'eyes'; readonly from: string; readonly on: boolean }
  | { readonly do: 'rules'; readonly attention: AttentionSettings }
  | { readonly do: 'endSilence' | 'undo' }
  | { readonly do: 'systemQuiet' | 'daemon'; readonly on: boolean }
  | { readonly do: 'poll'; readonly seconds: number }
  | { readonly do: 'clock'; readonly byMs: number }
  | { readonly do: 'zone'; readonly zone: string }
  | { readonly do: 'sleep'; readonly forMs: number; readonly told: boolean }
  | {
      readonly do: 'off'
      readonly forMs: number
      readonly by: Ending
      /** The project of which the next start finds a second account, from an older version. */
      readonly twin?: number
    }
  | {
      readonly do: 'removeAccount' | 'addAccount' | 'replaceKey' | 'otherKey'
      readonly project: number
    }
  | { readonly do: 'open' | 'clearNotices' | 'refresh' }
  | { readonly do: 'say'; readonly what: Said; readonly from: string; readonly place: string }
  | { readonly do: 'loseQueue' | 'chatFails' | 'chatWorks' }

/**
 * How the app ends: `quit` writes everything; `kill` at any moment; `popUp` right after the next
 * pop-up, before the disk has it; `disk` right after the next document is on disk.
 */
export type Ending = 'quit' | 'kill' | 'popUp' | 'disk'

interface Planned {
  readonly at: number
  readonly what: Happening
}

/** Some hours of a computer, its user, its app and the services. Epoch ms. */
export interface Plans {
  readonly seed: number
  readonly from: number
  /** From here on nothing happens any more, so that everything outstanding can come. */
  readonly calmFrom: number
  readonly to: number
  readonly zone: string
  readonly pollSeconds: number
  readonly attention: AttentionSettings
  readonly projects: readonly WatchedProject[]
  readonly hasChat: boolean
  readonly faults: readonly Fault[]
  /** Of each project, the minutes between two lists if its counts are asked for; null: they aren't. */
  readonly wholeMinutes: readonly (number | null)[]
  readonly badgeFaults: readonly BadgeFault[]
  readonly planned: readonly Planned[]
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const calmMs = 2 * hour
const never = Number.MAX_SAFE_INTEGER

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Sydney']
/** Days on which a clock changes in one of the zones. */
const clockChanges = [
  ...[Date.UTC(2026, 2, 28, 22), Date.UTC(2026, 9, 24, 22), Date.UTC(2026, 2, 8, 3)],
  ...[Date.UTC(2026, 9, 31, 22), Date.UTC(2026, 3, 4, 10)],
] as const

export function makePlans(chance: Seeded, seed: number, hours: number): Plans {
  const from = chance.chance(0.3)
    ? chance.pick(clockChanges)
    : Date.UTC(2026, chance.whole(0, 11), chance.whole(1, 28), chance.whole(0, 23))
  const to = from + hours * hour
  const calmFrom = to - calmMs
  const span = { from, to, calmFrom }
  const many = chance.pick([1, 2, 2, 3])
  const projects = Array.from({ length: many }, (_, at) =>
    makeProject(chance.part(`project ${at}`), at, span),
  )
  const zone = chance.pick(['UTC', ...zones])
  const hasChat = chance.chance(0.4)
  const chat = hasChat ? makeTalk(chance.part('talk'), span) : []
  const happenings = makeHappenings(chance.part('happenings'), span, many)
  const twins = makeTwin(chance.part('twin'), span, many)
  const changes = makeChanges(chance.part('changes'), span, { zone, hasChat, projects: many })
  const work = makeWork(chance.part('work'), span)
  const depends = makeDepends(chance.part('depends'), span)
  const counts = chance.part('counts')
  return {
    ...{ seed, from, to, calmFrom, projects, zone },
    pollSeconds: chance.pick([15, 30, 60, 60, 120, 300]),
    attention: makeAttention(chance.part('attention'), zone, span),
    faults: chance.chance(0.5) ? makeFaults(chance.part('faults'), span, many) : [],
    wholeMinutes: projects.map(() => (counts.chance(0.5) ? counts.pick([2, 5, 10, 10, 30]) : null)),
    badgeFaults: makeBadgeFaults(counts, { from, to: calmFrom }, many),
    hasChat,
    planned: [...happenings, ...chat, ...changes, ...twins, ...work, ...depends].sort(
      (one, other) => one.at - other.at,
    ),
  }
}

interface Span {
  readonly from: number
  readonly to: number
  readonly calmFrom: number
}

function makeProject(chance: Seeded, place: number, span: Span): WatchedProject {
  const checks: ServiceCheck[] = []
  const deeds: Deed[] = []
  const many = chance.pick([2, 4, 6, 9])
  const storms = chance.chance(0.5)
    ? Array.from({ length: chance.whole(1, 2) }, () => momentIn(chance, span))
    : []
  for (let at = 0; at < many; at += 1) {
    const part = chance.part(`check ${at}`)
    const plan = makePlan(part, span.from - 8 * day, span.to + 8 * day)
    const grace = part.pick([60, 300, 900]) * second
    const check = newCheck(uuidOf(part), `job-${place}-${at}`, plan, grace)
    check.tags = part.pick(['', 'db', 'web', 'db prod'])
    checks.push(check)
    const stormy = storms.filter(() => part.chance(0.7))
    deeds.push(...signalsOf(part.part('signals'), at, plan, { grace, stormy, ...span }))
    deeds.push(...startsOf(part.part('starts'), at, { deeds, plan, grace }))
    deeds.push(...peopleOf(part.part('people'), at, check, span))
  }
  return {
    ...{ checks, deeds, label: `Project ${place}`, isWritable: chance.chance(0.7) },
    skew: chance.chance(0.6) ? 0 : chance.whole(-90, 90) * second,
  }
}

function momentIn(chance: Seeded, { from, calmFrom }: Span): number {
  return chance.whole((from + 10 * minute) / second, (calmFrom - minute) / second) * second
}

interface Incident {
  readonly from: number
  readonly to: number
  /** Says that it failed, or nothing at all. */
  readonly how: 'fails' | 'silent'
}

/** Regular signals, except during incidents. */
function signalsOf(
  chance: Seeded,
  check: number,
  plan: Plan,
  span: Span & { readonly grace: number; readonly stormy: readonly number[] },
): Deed[] {
  const incidents = [
    ...span.stormy.map((at) => ({ at: at + chance.whole(0, 20) * second, isStorm: true })),
    ...Array.from({ length: chance.pick([0, 1, 1, 2, 4]) }, () => ({
      at: momentIn(chance, span),
      isStorm: false,
    })),
  ].flatMap(({ at, isStorm }) => incidentsAt(chance, at, isStorm, span.calmFrom))
  const deeds: Deed[] = incidents.flatMap(({ from, to, how }) => [
    ...(how === 'fails' ? [{ at: from, check, what: 'fail' } as const] : []),
    ...(to === never ? [] : [{ at: to, check, what: 'success' } as const]),
  ])
  const isQuietAt = (at: number): boolean =>
    incidents.some((one) => at >= one.from - second && at <= one.to + second)
  for (let run = nextAfter(plan, span.from - 7 * day); run < span.to; run = nextAfter(plan, run))
    if (run > span.from - day && !isQuietAt(run))
      deeds.push({ at: run + chance.whole(0, 2_000), check, what: 'success' })
  // Up at the start, in nearly all cases.
  if (chance.chance(0.9)) deeds.push({ at: span.from - minute, check, what: 'success' })
  return deeds
}

function incidentsAt(
  chance: Seeded,
  at: number,
  isStorm: boolean,
  calmFrom: number,
): readonly Incident[] {
  const how = chance.pick(['fails', 'fails', 'fails', 'silent'] as const)
  const lasts = (): number =>
    chance.pick([
      chance.whole(1, 50) * second,
      chance.whole(1, 10) * minute,
      chance.whole(10, 150) * minute,
    ])
  const limited = (from: number, to: number): Incident => ({
    ...{ from, how },
    // Some stay down for good.
    to: chance.chance(0.06) ? never : Math.min(to, calmFrom),
  })
  if (isStorm || chance.chance(0.65)) return [limited(at, at + lasts())]
  const made: Incident[] = []
  let begun = at
  for (let left = chance.whole(2, 8); left > 0 && begun < calmFrom; left -= 1) {
    const to = begun + chance.whole(2, 150) * second
    made.push({ from: begun, to, how: 'fails' })
    begun = to + chance.whole(2, 150) * second
  }
  return made
}

/** What other people do to a check in the service. */
function peopleOf(chance: Seeded, check: number, { name }: ServiceCheck, span: Span): Deed[] {
  const at = (): number => momentIn(chance, span)
  const deeds: Deed[] = []
  if (chance.chance(0.1)) {
    const paused = at()
    deeds.push({ at: paused, check, what: 'pause' })
    if (chance.chance(0.6))
      deeds.push({ at: paused + chance.whole(5, 3_000) * second, check, what: 'resume' })
  }
  if (chance.chance(0.12)) deeds.push({ at: at(), check, what: 'edit', name: `${name} new` })
  if (chance.chance(0.12))
    deeds.push({ at: at(), check, what: 'edit', tags: chance.pick(['', 'db', 'prod']) })
  const fate = chance.random()
  if (fate < 0.06) deeds.push({ at: at(), check, what: 'delete' })
  else if (fate < 0.12)
    deeds.push(
      { at: span.from - 2 * day, check, what: 'delete' },
      { at: at(), check, what: 'create' },
    )
  return deeds
}

function makeAttention(chance: Seeded, zone: string, span: Span): AttentionSettings {
  const way = () => chance.pick(['sound', 'sound', 'banner', 'banner', 'tray', 'nothing'] as const)
  const isPlain = chance.chance(0.5)
  const noStart = chance.part('runs').pick(['banner', 'tray'] as const)
  const ways = { ...defaultAttention.ways, noStart }
  // Over before the calm, so that it holds back nothing that is judged.
  const begun = momentIn(chance, span)
  const ended = Math.min(span.calmFrom, begun + chance.whole(10, 200) * minute)
  const its = chance.pick(['UTC', null])
  const clock = (at: number): string =>
    new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: its ?? zone }).format(at)
  return {
    ...defaultAttention,
    ways: isPlain ? ways : { ...ways, down: way(), missed: way(), recovered: way(), late: way() },
    afterMinutes: chance.pick([0, 0, 0, 2, 5]),
    rules: chance.chance(0.25)
      ? [{ ...anyRule, id: 'again', kinds: ['down'], repeatMinutes: chance.pick([5, 15, 30]) }]
      : [],
    quietHours: {
      ...defaultAttention.quietHours,
      ...{ enabled: chance.chance(0.3), zone: its },
      windows: [{ days: [0, 1, 2, 3, 4, 5, 6], from: clock(begun), to: clock(ended) }],
    },
  }
}

function makeFaults(chance: Seeded, { from, calmFrom }: Span, projects: number): Fault[] {
  return Array.from({ length: chance.whole(1, 4) }, () => {
    const at = chance.whole(from + 10 * minute, calmFrom - 20 * minute)
    const lasts = chance.pick([chance.whole(2, 45), chance.whole(45, 900)]) * second
    const kind = faultKinds[chance.whole(0, faultKinds.length - 1)] ?? 'dropped'
    return { kind, project: chance.whole(0, projects - 1), from: at, to: at + lasts }
  })
}

/** How often each thing happens in a life, on average, if that life has it at all. */
function makeHappenings(chance: Seeded, span: Span, projects: number): Planned[] {
  const planned: Planned[] = []
  const add = (share: number, most: number, make: () => readonly Happening[]): void => {
    if (!chance.chance(share)) return
    for (let left = chance.whole(1, most); left > 0; left -= 1)
      for (const what of make()) planned.push({ at: momentIn(chance, span), what })
  }
  add(0.5, 6, () => [
    {
      do: 'silence',
      how: chance.pick(['snooze', 'acknowledge', 'mute', 'maintenance']),
      aim: chance.pick(['down check', 'down check', 'any check', 'tag', 'project', 'everything']),
      minutes: chance.pick([5, 20, 60, 'change']),
      through: chance.pick(['window', 'window', 'tray', 'popUp']),
    },
  ])
  add(0.25, 2, () => [{ do: 'endSilence' }])
  add(0.15, 2, () => [{ do: 'undo' }])
  if (chance.chance(0.2)) {
    const at = momentIn(chance, span)
    planned.push({ at, what: { do: 'systemQuiet', on: true } })
    const until = Math.min(span.calmFrom, at + chance.whole(1, 90) * minute)
    planned.push({ at: until, what: { do: 'systemQuiet', on: false } })
  }
  add(0.15, 2, () => [{ do: 'poll', seconds: chance.pick([15, 60, 300, 900]) }])
  add(0.3, 2, () => [{ do: 'sleep', forMs: lastsMs(chance), told: chance.chance(0.7) }])
  add(0.5, 3, () => [
    {
      do: 'off',
      forMs: lastsMs(chance),
      by: chance.pick(['quit', 'quit', 'kill', 'popUp', 'disk']),
    },
  ])
  add(0.2, 2, () => [{ do: 'open' }])
  add(0.1, 2, () => [{ do: 'clearNotices' }])
  add(0.2, 2, () => [{ do: 'refresh' }])
  if (chance.chance(0.12)) {
    const project = chance.whole(0, projects - 1)
    const at = momentIn(chance, span)
    planned.push({ at, what: { do: 'removeAccount', project } })
    const until = Math.min(span.calmFrom, at + chance.whole(1, 60) * minute)
    planned.push({ at: until, what: { do: 'addAccount', project } })
  }
  add(0.1, 1, () => [{ do: 'replaceKey', project: chance.whole(0, projects - 1) }])
  add(0.1, 1, () => [{ do: 'zone', zone: zones[chance.whole(0, zones.length - 1)] ?? 'UTC' }])
  const steps = chance.chance(0.25) ? chance.pick([1, 1, 2, 3]) : 0
  for (let left = steps; left > 0; left -= 1) {
    const lengthMs = chance.pick([30 * second, 5 * minute, hour, day]) + chance.whole(1, 999)
    const what = { do: 'clock', byMs: chance.pick([-1, 1]) * lengthMs } as const
    planned.push({ at: momentIn(chance, span), what })
  }
  return planned
}

/** Rules that change in the middle of what waits, a desktop without pop-ups, 👀 on a bot’s message. */
function makeChanges(
  chance: Seeded,
  span: Span,
  it: { readonly zone: string; readonly hasChat: boolean; readonly projects: number },
): Planned[] {
  const { zone, hasChat, projects } = it
  const planned: Planned[] = []
  const times = chance.chance(0.25) ? chance.whole(1, 3) : 0
  for (let left = times; left > 0; left -= 1) {
    const attention = makeAttention(chance.part(`rules ${left}`), zone, span)
    planned.push({ at: momentIn(chance, span), what: { do: 'rules', attention } })
  }
  if (chance.chance(0.15)) {
    const project = chance.whole(0, projects - 1)
    planned.push({ at: momentIn(chance, span), what: { do: 'otherKey', project } })
  }
  if (chance.chance(0.2)) {
    const at = momentIn(chance, span)
    planned.push({ at, what: { do: 'daemon', on: false } })
    const until = Math.min(span.calmFrom, at + chance.whole(1, 90) * minute)
    planned.push({ at: until, what: { do: 'daemon', on: true } })
  }
  const looks = hasChat && chance.chance(0.6) ? chance.whole(1, 5) : 0
  for (let left = looks; left > 0; left -= 1) {
    const at = momentIn(chance, span)
    const from = chance.pick(['Ana', 'Boris', 'Dana'])
    planned.push({ at, what: { do: 'eyes', from, on: true } })
    const until = Math.min(span.calmFrom, at + chance.whole(1, 60) * minute)
    if (chance.chance(0.4)) planned.push({ at: until, what: { do: 'eyes', from, on: false } })
  }
  return planned
}

/** Planned maintenance; some of it is removed from the plan, or ended early. */
function makeWork(chance: Seeded, span: Span): Planned[] {
  const planned: Planned[] = []
  for (let left = chance.chance(0.4) ? chance.whole(1, 3) : 0; left > 0; left -= 1) {
    const from = Math.floor(momentIn(chance, span) / minute) * minute
    const until = from + chance.whole(5, 150) * minute
    const at = Math.max(span.from + minute, from - chance.whole(1, 150) * minute)
    if (at >= from || until > span.calmFrom) continue
    const aim = chance.pick(['any check', 'tag', 'project'] as const)
    const zone = chance.chance(0.5) ? chance.pick(['UTC', ...zones]) : null
    planned.push({ at, what: { do: 'plan', aim, from, until, zone } })
    if (chance.chance(0.15))
      planned.push({ at: chance.whole(at + second, from), what: { do: 'unplan' } })
    if (chance.chance(0.25))
      planned.push({ at: chance.whole(from, until), what: { do: 'endSilence' } })
    // It begins late.
    if (chance.chance(0.25)) {
      const off = { do: 'off', forMs: chance.whole(1, 20) * minute, by: 'quit' } as const
      planned.push({ at: from - chance.whole(1, 5) * minute, what: off })
    }
  }
  return planned
}

/** Checks that depend on others, most of them from the start; some only for a while. */
function makeDepends(chance: Seeded, span: Span): Planned[] {
  const planned: Planned[] = []
  for (let left = chance.chance(0.4) ? chance.whole(1, 4) : 0; left > 0; left -= 1) {
    const soon = span.from + chance.whole(1, 10) * minute
    const at = chance.chance(0.7) ? soon : momentIn(chance, span)
    const aim = chance.pick(['any check', 'tag', 'project', 'project'] as const)
    planned.push({ at, what: { do: 'depend', aim } })
    if (chance.chance(0.2)) planned.push({ at: momentIn(chance, span), what: { do: 'independ' } })
  }
  return planned
}

/** Two accounts of one project, which the next start joins. */
function makeTwin(chance: Seeded, span: Span, projects: number): Planned[] {
  if (!chance.chance(0.2)) return []
  const by = chance.pick(['quit', 'quit', 'kill', 'popUp', 'disk'] as const)
  const forMs = chance.pick([1, 30, 600]) * second
  const twin = chance.whole(0, projects - 1)
  return [{ at: momentIn(chance, span), what: { do: 'off', forMs, by, twin } }]
}

/** What people write, mostly a few lines in a row, and what happens to the chat's server. */
function makeTalk(chance: Seeded, span: Span): Planned[] {
  const planned: Planned[] = []
  for (let left = chance.whole(2, 12); left > 0; left -= 1) {
    const from = chance.pick(['Ana', 'Boris', 'Chidi'])
    const place = chance.pick(['ops > deploys', 'ops > db-primary'])
    let at = momentIn(chance, span)
    for (let lines = chance.pick([1, 1, 2, 5]); lines > 0; lines -= 1) {
      const what = chance.pick<Said>(['direct', 'direct', 'mention', 'plain'])
      planned.push({ at, what: { do: 'say', what, from, place } })
      at += chance.pick([200, 2_000, 30_000])
    }
  }
  for (let left = chance.pick([0, 0, 1, 2]); left > 0; left -= 1)
    planned.push({ at: momentIn(chance, span), what: { do: 'loseQueue' } })
  if (chance.chance(0.3)) {
    const at = momentIn(chance, span)
    const until = Math.min(span.calmFrom, at + chance.whole(1, 900) * second)
    planned.push({ at, what: { do: 'chatFails' } }, { at: until, what: { do: 'chatWorks' } })
  }
  return planned
}

function lastsMs(chance: Seeded): number {
  return chance.pick([
    chance.whole(1, 60) * second,
    chance.whole(1, 20) * minute,
    chance.whole(20, 180) * minute,
  ])
}
