import {
  type AttentionSettings,
  defaultAttention,
  type Way,
} from '../../src/shared/core/attention/rules.ts'
import type { Seeded } from '../support/seeded.ts'
import { makePlan, nextAfter, type Plan } from './schedules.ts'
import { type Deed, newCheck, type ServiceCheck, type Signal } from './service.ts'

/** What affects the connection between the app and a service for a while. */
export const faultKinds = [
  ...['dropped', 'silent', 'error500', 'proxy502', 'proxy401', 'missing404', 'nonsense400'],
  ...['emptyObject', 'notJson', 'rateLimited', 'cached', 'emptyOnce', 'partialOnce'],
] as const
export type FaultKind = (typeof faultKinds)[number]

export interface Fault {
  readonly kind: FaultKind
  readonly project: number
  readonly from: number
  /** Ends with the response if it affects a single one. */
  readonly to: number
}

/** An interruption of the computer or of the app. */
export type Interruption =
  | { readonly kind: 'sleep'; readonly from: number; readonly to: number; readonly told: boolean }
  | { readonly kind: 'off'; readonly from: number; readonly to: number; readonly killed: boolean }

export interface LifeProject {
  readonly isWritable: boolean
  readonly checks: readonly ServiceCheck[]
  readonly deeds: readonly Deed[]
  /** How far its clock is ahead of the computer's, ms. */
  readonly skew: number
}

/** A check that the user has silenced before the first read. */
export interface Silenced {
  readonly project: number
  readonly uuid: string
  /** Epoch ms; the end of the life means for ever. */
  readonly to: number
}

/** Some days of a computer, its app and the services. Epoch ms by the computer's clock. */
export interface Life {
  readonly seed: number
  readonly from: number
  readonly to: number
  /** The longest interval: twice the setting if the computer runs on battery and is to spare it. */
  readonly pollSeconds: number
  readonly sparesBattery: boolean
  /** Ways and quiet hours, which must never cost a notice its place in the list. */
  readonly attention: AttentionSettings
  readonly projects: readonly LifeProject[]
  readonly faults: readonly Fault[]
  readonly interruptions: readonly Interruption[]
  readonly silences: readonly Silenced[]
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** The quiet end of a life, with jobs on time only, so that every outstanding notice can come. */
const calmShare = 3 * hour

export function makeLife(chance: Seeded, days: number): Life {
  const from = Date.UTC(2026, chance.whole(0, 11), chance.whole(1, 25), chance.whole(0, 23))
  const to = from + days * day
  const calmFrom = to - calmShare
  const projects = Array.from({ length: chance.whole(1, 2) }, (_, at) =>
    makeProject(chance.part(`project ${at}`), { from, to, calmFrom }),
  )
  const interruptions = makeInterruptions(chance.part('interruptions'), from + hour, calmFrom)
  // Logarithmic, so that short intervals are as likely as long ones.
  const pollSeconds = Math.round(15 * 240 ** chance.random())
  return {
    seed: chance.seed,
    ...{ from, to, projects, interruptions, pollSeconds },
    sparesBattery: pollSeconds >= 30 && pollSeconds % 2 === 0 && chance.part('battery').chance(0.7),
    attention: makeRules(chance.part('rules')),
    faults: makeFaults(chance.part('faults'), from + 10 * minute, calmFrom, projects.length),
    silences: makeSilences(chance.part('silences'), projects, from, to),
  }
}

interface Span {
  readonly from: number
  readonly to: number
  readonly calmFrom: number
}

function makeProject(chance: Seeded, span: Span): LifeProject {
  const skew = chance.chance(0.5) ? 0 : chance.whole(-120_000, 120_000)
  const checks: ServiceCheck[] = []
  const deeds: Deed[] = []
  const many = chance.whole(2, 10)
  for (let at = 0; at < many; at += 1) {
    const part = chance.part(`check ${at}`)
    const plan = makePlan(part, span.from - 8 * day, span.to)
    const grace = part.pick([60, 60, 300, 900, 3_600]) * second
    const uuid = uuidOf(part)
    checks.push(newCheck(uuid, `job-${at}`, plan, grace))
    deeds.push(...jobDeeds(part, at, plan, grace, span))
    deeds.push(...peopleDeeds(part, at, span))
  }
  return { isWritable: chance.chance(0.7), checks, deeds, skew }
}

export function uuidOf(chance: Seeded): string {
  const hex = (length: number): string =>
    Array.from({ length }, () => chance.whole(0, 15).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`
}

/** The signals of one job: mostly on time, except for bad runs. */
function jobDeeds(chance: Seeded, check: number, plan: Plan, grace: number, span: Span): Deed[] {
  const deeds: Deed[] = []
  const signal = (at: number, what: Signal): void => {
    deeds.push({ at, check, what })
  }
  const isMeasured = chance.chance(0.4)
  const goodShare = chance.pick([0.7, 0.9, 0.97])
  // Goes up and down many times, more often than the service's whole seconds show.
  const isHasty = chance.chance(0.05)
  // One run before the start, so that most checks are up at first.
  let run = chance.chance(0.9) ? span.from - chance.whole(0, 600) * second : span.from + hour
  let isFirst = true
  while (run < span.to) {
    const took = Math.round(Math.min(grace * 0.5, 20 * minute) * chance.random() ** 3)
    const isGood = isFirst || run >= span.calmFrom || chance.chance(goodShare)
    const ended = run + took
    if (isGood) {
      if (isMeasured) signal(run, 'start')
      signal(ended, 'success')
    } else badRun(chance, { run, ended, grace, isMeasured, isHasty }, signal)
    isFirst = false
    const next = nextAfter(plan, Math.max(run, ...deeds.slice(-1).map(({ at }) => at)))
    // Periods have some slack; a cron daemon starts its jobs in the first seconds.
    const early = plan.kind === 'period' ? plan.seconds * 100 * chance.random() : -2_000
    run = Math.round(next - early)
  }
  return deeds.filter(({ at }) => at < span.to)
}

function badRun(
  chance: Seeded,
  {
    run,
    ended,
    grace,
    isMeasured,
    isHasty,
  }: { run: number; ended: number; grace: number; isMeasured: boolean; isHasty: boolean },
  signal: (at: number, what: Signal) => void,
): void {
  const how = chance.pick(['skipped', 'late', 'failed', 'retried', 'flapping', 'hung'] as const)
  if (how === 'skipped') return
  if (how === 'late') {
    signal(run + grace + chance.whole(1, 600) * second, 'success')
    return
  }
  if (isMeasured || how === 'hung') signal(run, 'start')
  if (how === 'hung') return
  signal(ended, 'fail')
  if (how === 'failed') return
  let at = ended
  const wait = (): number =>
    isHasty
      ? chance.whole(60, 1_500)
      : chance.pick([chance.whole(200, 3_000), chance.whole(3_000, 90_000)])
  const most = isHasty ? 25 : 5
  for (let times = how === 'retried' ? 1 : chance.whole(2, most); times > 0; times -= 1) {
    at += wait()
    signal(at, 'success')
    if (times === 1) break
    at += wait()
    signal(at, 'fail')
  }
}

/** Someone pauses a check now and then, and resumes it. */
function peopleDeeds(chance: Seeded, check: number, { from, calmFrom }: Span): Deed[] {
  if (!chance.chance(0.1)) return []
  const at = chance.whole(from + hour, calmFrom - hour)
  const until = at + chance.whole(5, 3_000) * second
  return [
    { at, check, what: 'pause' },
    ...(chance.chance(0.5) ? [{ at: until, check, what: 'resume' } as const] : []),
  ]
}

function makeFaults(chance: Seeded, from: number, to: number, projects: number): Fault[] {
  return Array.from({ length: chance.whole(0, 10) }, () => {
    const at = chance.whole(from, to - hour)
    const lasts = chance.pick([
      chance.whole(2, 45) * second,
      chance.whole(45, 600) * second,
      chance.whole(600, 7_200) * second,
    ])
    const kind = faultKinds[chance.whole(0, faultKinds.length - 1)] ?? 'dropped'
    return { kind, project: chance.whole(0, projects - 1), from: at, to: Math.min(to, at + lasts) }
  })
}

function makeSilences(
  chance: Seeded,
  projects: readonly LifeProject[],
  from: number,
  to: number,
): Silenced[] {
  return projects.flatMap(({ checks }, project) =>
    checks
      .filter(() => chance.chance(0.15))
      .map(({ uuid }) => ({ project, uuid, to: chance.pick([to, chance.whole(from, to)]) })),
  )
}

function makeRules(chance: Seeded): AttentionSettings {
  const way = (): Way => chance.pick(['sound', 'banner', 'tray', 'nothing'])
  const window = { days: [0, 1, 2, 3, 4, 5, 6], from: '22:00', to: chance.pick(['06:30', '22:00']) }
  return {
    ...defaultAttention,
    ways: { ...defaultAttention.ways, down: way(), missed: way(), recovered: way() },
    afterMinutes: chance.pick([0, 0, 5]),
    quietHours: { ...defaultAttention.quietHours, enabled: chance.chance(0.5), windows: [window] },
  }
}

function makeInterruptions(chance: Seeded, from: number, to: number): Interruption[] {
  const made: Interruption[] = []
  let at = from
  for (let left = chance.whole(0, 5); left > 0; left -= 1) {
    at += chance.whole(1, 600) * minute
    const until = at + chance.pick([chance.whole(1, 60) * second, chance.whole(1, 480) * minute])
    if (until >= to) break
    made.push(
      chance.chance(0.5)
        ? { kind: 'sleep', from: at, to: until, told: chance.chance(0.7) }
        : { kind: 'off', from: at, to: until, killed: chance.chance(0.5) },
    )
    at = until
  }
  return made
}
