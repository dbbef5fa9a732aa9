import type { Seeded } from './seeded.ts'

/*
 * A monitoring service with one check, in whole seconds: its status by schedule and grace, its
 * pings, pauses and flips. Written from the service's documentation only, for tests that compare
 * the app with it: it shares nothing with the app's code.
 */

export type Plan =
  | { readonly kind: 'period'; readonly seconds: number }
  /** Every so many seconds from a time of day on, UTC. */
  | { readonly kind: 'cron' | 'onCalendar'; readonly every: number; readonly from: number }

export interface ServiceFlip {
  readonly at: number
  readonly to: 'up' | 'down' | 'paused' | 'new'
}

interface ServicePing {
  readonly at: number
  readonly type: 'success' | 'fail' | 'start' | 'log' | 'ign'
}

const iso = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString().replace('.000Z', '+00:00')

export class FlipService {
  readonly flips: ServiceFlip[] = []
  readonly pings: ServicePing[] = []
  plan: Plan
  grace: number
  stored: 'up' | 'down' | 'paused' | 'new' = 'new'
  lastPing: number | null = null
  start: number | null = null
  startRun: string | null = null
  duration: number | null = null
  count = 0
  isEdited = false

  readonly uuid: string
  readonly manualResume: boolean

  constructor(uuid: string, plan: Plan, grace: number, manualResume: boolean) {
    this.uuid = uuid
    this.manualResume = manualResume
    this.plan = plan
    this.grace = grace
  }

  /** When the next ping is expected after the last one. */
  expected(): number | null {
    if (this.stored !== 'up' || this.lastPing === null) return null
    if (this.plan.kind === 'period') return this.lastPing + this.plan.seconds
    const { every, from } = this.plan
    return from + (Math.floor((this.lastPing - from) / every) + 1) * every
  }

  nextPing(): number | null {
    const start = this.stored === 'down' ? null : this.start
    const expected = this.expected()
    if (start === null || expected === null) return start ?? expected
    return Math.min(start, expected)
  }

  shown(now: number): string {
    if (this.start !== null && now >= this.start + this.grace) return 'down'
    const expected = this.expected()
    if (expected === null || now < expected) return this.stored
    return now >= expected + this.grace ? 'down' : 'grace'
  }

  flip(to: ServiceFlip['to'], at: number): void {
    if (this.stored === to) return
    this.flips.push({ at, to })
    this.stored = to
  }

  /** What its background loop does every other second. */
  sendAlerts(now: number): void {
    const next = this.nextPing()
    if (next !== null && next + this.grace <= now) this.flip('down', next + this.grace)
  }

  ping(type: 'success' | 'fail' | 'start' | 'log', at: number, run: string | null = null): void {
    const isIgnored = this.stored === 'paused' && this.manualResume
    this.count += 1
    this.pings.push({ at, type: isIgnored ? 'ign' : type })
    if (isIgnored || type === 'log') return
    if (type === 'start') {
      this.start = at
      this.startRun = run
      return
    }
    this.lastPing = at
    this.duration = null
    if (this.start !== null) {
      if (this.startRun === run) {
        this.duration = at - this.start
        this.start = null
      } else if (type === 'fail' || run === null) this.start = null
    }
    this.flip(type === 'fail' ? 'down' : 'up', at)
  }

  pause(at: number): void {
    this.flip('paused', at)
    this.start = null
  }

  resume(at: number): void {
    if (this.stored !== 'paused') return
    this.flip('new', at)
    this.lastPing = null
    this.start = null
  }

  /** At most once: two edits between two looks can't be detected. */
  edit(grace: number): void {
    if (this.isEdited) return
    this.isEdited = true
    this.grace = grace
  }

  /** The check as the list returns it. */
  record(now: number, isWritable: boolean): Record<string, unknown> {
    const { plan } = this
    const when =
      plan.kind === 'period'
        ? { timeout: plan.seconds }
        : { schedule: scheduleText(plan), tz: 'UTC' }
    return {
      name: 'job',
      slug: 'job',
      tags: '',
      desc: '',
      grace: this.grace,
      n_pings: this.count,
      status: this.shown(now),
      started: this.start !== null,
      last_ping: iso(this.lastPing),
      next_ping: iso(this.nextPing()),
      manual_resume: this.manualResume,
      ...when,
      ...(this.duration === null ? {} : { last_duration: this.duration }),
      ...(isWritable ? { uuid: this.uuid } : { unique_key: this.uuid.replaceAll('-', '') }),
    }
  }

  /** In reverse order of insertion, from a given second on. */
  flipsSince(start: number): { flips: unknown[] } {
    const flips = this.flips
      .filter(({ at }) => at >= start)
      .map(({ at, to }) => ({ timestamp: iso(at), up: to === 'up' ? 1 : 0 }))
    return { flips: flips.toReversed() }
  }

  log(): { pings: unknown[] } {
    const pings = this.pings.slice(-100).map(({ at, type }) => ({ type, date: iso(at) }))
    return { pings: pings.toReversed() }
  }
}

/** For the day that begins at midnight UTC. */
function scheduleText({ kind, every, from }: Exclude<Plan, { kind: 'period' }>): string {
  const minute = Math.floor(from / 60) % 60
  const hour = Math.floor(from / 3600) % 24
  const two = (n: number): string => String(n).padStart(2, '0')
  if (every === 86_400)
    return kind === 'cron'
      ? `${minute} ${hour} * * *`
      : `*-*-* ${two(hour)}:${two(minute)}:${two(from % 60)}`
  if (every === 3_600)
    return kind === 'cron' ? `${minute} * * * *` : `*-*-* *:${two(minute)}:${two(from % 60)}`
  const step = every / 60
  return kind === 'cron' ? `*/${step} * * * *` : `*-*-* *:0/${step}:${two(from % 60)}`
}

type Act = (it: FlipService) => void

/** What happens at which second, in order; several may share one. */
export type Life = readonly { readonly at: number; readonly act: Act }[]

/** One run of a job: what it reports, and when. */
interface Run {
  readonly seed: Seeded
  readonly it: FlipService
  readonly every: number
  /** When it ends, and the run id of its pings. */
  readonly done: number
  readonly run: string | null
  readonly isMeasured: boolean
  readonly add: (at: number, act: Act) => void
}

const signal =
  (type: 'success' | 'fail' | 'start' | 'log') =>
  ({ add }: Pick<Run, 'add'>, at: number, run: string | null = null): void =>
    add(at, (one) => one.ping(type, at, run))
const success = signal('success')
const fail = signal('fail')
const start = signal('start')
const log = signal('log')

/** Everything that can go wrong with a run. */
const mishaps: readonly ((run: Run) => void)[] = [
  (it) => fail(it, it.done, it.run),
  (it) => {
    const { seed, done, run, isMeasured } = it
    fail(it, done, run)
    const again = done + seed.whole(0, 40)
    if (seed.chance(0.5) && isMeasured) start(it, again, run)
    success(it, again + seed.whole(0, 20), run)
  },
  // It does not run.
  () => undefined,
  (it) => success(it, it.done + it.every + it.it.grace + it.seed.whole(1, 300)),
  (it) => {
    const { seed, done } = it
    for (let n = seed.whole(2, 20); n > 0; n -= 1)
      (seed.chance(0.5) ? fail : success)(it, done + seed.whole(0, 4))
    success(it, done + 5)
  },
  (it) => {
    const { seed, done, every, add } = it
    add(done, (one) => one.pause(done))
    const back = done + seed.whole(1, 2 * every)
    if (seed.chance(0.5)) add(back, (one) => one.resume(back))
    if (seed.chance(0.3)) fail(it, back + seed.whole(0, 20))
    success(it, back + seed.whole(1, 30))
  },
  (it) => {
    const { seed, done } = it
    success(it, done, 'another')
    fail(it, done + seed.whole(1, 100))
    success(it, done + seed.whole(101, 400))
  },
  (it) => {
    const { seed, done, add } = it
    fail(it, done)
    const paused = done + seed.whole(1, 60)
    add(paused, (one) => one.pause(paused))
    success(it, paused + seed.whole(1, 200))
  },
  (it) => {
    const { seed, done, run } = it
    success(it, done, run)
    start(it, done + 1)
    success(it, done + 1 + it.it.grace + seed.whole(0, 90))
  },
  (it) => {
    const { seed, done, add } = it
    log(it, done)
    const grace = seed.pick([60, 120, 600])
    add(done, (one) => one.edit(grace))
    success(it, done + seed.whole(1, 300))
  },
]

/** A job that runs as planned, with some mishaps. */
export function randomLife(it: FlipService, seed: Seeded, begin: number, end: number): Life {
  const acts: { at: number; act: Act }[] = []
  const add = (at: number, act: Act): void => {
    if (at >= begin && at < end) acts.push({ at, act })
  }
  const isMeasured = seed.chance(0.4)
  const every = it.plan.kind === 'period' ? it.plan.seconds : it.plan.every
  const first = it.plan.kind === 'period' ? begin + seed.whole(0, every) : it.plan.from
  const trouble = seed.pick([0.02, 0.1, 0.4])
  success({ add }, begin)
  let due = first + Math.max(0, Math.floor((begin - first) / every)) * every
  for (; due < end; due += every) {
    const at = due + seed.whole(0, Math.min(10, every - 1))
    const length = seed.whole(0, seed.chance(0.1) ? it.grace + 120 : Math.min(50, every - 1))
    const run = seed.chance(0.2) ? `run-${due}` : null
    if (isMeasured) start({ add }, at, run)
    const done = isMeasured ? at + length : at
    const one = { seed, it, every, done, run, isMeasured, add }
    if (seed.chance(trouble)) mishaps[seed.whole(0, mishaps.length - 1)]?.(one)
    else success(one, done, run)
  }
  return acts.sort((one, other) => one.at - other.at)
}
