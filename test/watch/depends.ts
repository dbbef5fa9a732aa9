import type { Plans } from './plan.ts'
import type { Read } from './proxy.ts'
import type { Act, Covers, Seen } from './seen.ts'

const second = 1_000
const minute = 60 * second
/** Children of a check that could not be read for so long are loud. */
const unreadMs = minute

type OneCheck = Extract<Covers, { of: 'check' }>

/** “These checks depend on that one”, for as long as that was so. */
export interface Dependency {
  readonly covers: Covers
  readonly on: OneCheck
  readonly from: number
  readonly to: number
}

/** A time in which a check may have kept those that depend on it quiet, and surely did until `sureTo`. */
export interface Outing {
  readonly from: number
  readonly sureTo: number
  /** When it was over by a read, or because it could not be read. */
  readonly to: number
}

export function dependenciesOf(plans: Plans, seen: readonly Seen[]): readonly Dependency[] {
  const acts = seen.flatMap((one) => (one.what === 'act' ? [{ at: one.at, act: one.act }] : []))
  return acts.flatMap(({ at, act }): Dependency[] => {
    if (act.did !== 'depend') return []
    const { covers, on } = act
    const ended = acts.find((one) => one.at >= at && endsIt(one.act, act))
    return [{ covers, on, from: at, to: ended?.at ?? plans.to }]
  })
}

function endsIt(act: Act, { id, covers, on }: Extract<Act, { did: 'depend' }>): boolean {
  if (act.did === 'independ') return act.id === id
  if (act.did !== 'removed') return false
  return act.project === on.project || ('project' in covers && covers.project === act.project)
}

/** When the check kept others quiet: from a list that has it as down to one that has it as up. */
export function outings(
  dependency: Dependency,
  seen: readonly Seen[],
  end: number,
): readonly Outing[] {
  const { from, to } = dependency
  const found = new Outings(dependency.on)
  const before = seen.findLast(
    (one) => one.at < from && isReadOf(one, dependency.on) && one.read.outcome === 'good',
  )
  if (before?.what === 'read') found.begin(from, before.read)
  for (const one of seen) if (one.at >= from && one.at <= to) found.take(one)
  return found.end(Math.min(to, end))
}

function isReadOf(one: Seen, on: OneCheck): one is Seen & { readonly what: 'read' } {
  return one.what === 'read' && one.read.project === on.project
}

class Outings {
  readonly #found: Outing[] = []
  readonly #on: OneCheck
  #isOut = false
  #open: { readonly from: number; readonly isSure: boolean } | null = null
  #failedAt: number | null = null

  constructor(on: OneCheck) {
    this.#on = on
  }

  begin(at: number, read: Read): void {
    if (statusOf(read, this.#on) === 'down') this.#good(at, 'down')
  }

  take(one: Seen): void {
    this.#unread(one.at)
    if (one.what === 'ended' || one.what === 'clock') this.#doubt(one.at)
    if (one.what === 'ended') this.#failedAt = null
    if (isReadOf(one, this.#on)) this.#read(one.at, one.read)
  }

  end(at: number): readonly Outing[] {
    this.#unread(at)
    this.#close(at)
    return this.#found
  }

  #read(at: number, read: Read): void {
    const status = statusOf(read, this.#on)
    if (read.outcome === 'good') {
      this.#good(at, status)
      return
    }
    this.#doubt(at)
    if (read.outcome !== 'doubtful') this.#failedAt ??= at
    else if (status === 'down') this.#open ??= { from: at, isSure: false }
  }

  #good(at: number, status: string | undefined): void {
    this.#failedAt = null
    if (status === 'down') this.#isOut = true
    else if (status !== 'paused' && status !== 'new') this.#isOut = false
    if (this.#isOut && this.#open?.isSure === true) return
    this.#close(at)
    if (this.#isOut) this.#open = { from: at, isSure: true }
  }

  /** It goes on, though it may have ended. */
  #doubt(at: number): void {
    if (this.#open === null) return
    this.#close(at)
    this.#open = { from: at, isSure: false }
  }

  #unread(at: number): void {
    if (this.#failedAt === null || at <= this.#failedAt + unreadMs) return
    this.#close(this.#failedAt + unreadMs)
    this.#failedAt = null
  }

  #close(at: number): void {
    if (this.#open === null) return
    const { from, isSure } = this.#open
    this.#found.push({ from, sureTo: isSure ? at : from, to: at })
    this.#open = null
  }
}

function statusOf({ listed }: Read, { uuid }: OneCheck): string | undefined {
  return listed.find((one) => one.uuid === uuid)?.status
}
