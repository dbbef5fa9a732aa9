import { type Asked, countsOf, isSameCounts } from './badge.ts'
import { type Holds, isAbout } from './holds.ts'
import type { Plans } from './plan.ts'
import type { Read } from './proxy.ts'
import type { Act, Seen } from './seen.ts'

const second = 1_000
const graceMs = 10 * second
/** How long a life waits for an app that was quit; whoever quits it trusts its icon no more. */
const quitMs = 5 * second

/** Rule 9: seconds of green while it is unknown or untrue that all is well. */
export function falselyGreen(
  plans: Plans,
  seen: readonly Seen[],
  holds: Holds,
): { readonly green: readonly string[]; readonly greenSeconds: number } {
  const sleeps = seen.flatMap((one) =>
    one.what === 'slept' ? [{ from: one.since, to: one.at + graceMs }] : [],
  )
  const doubts = plans.projects.flatMap((_, project) => doubtsOf(plans, project, seen, holds))
  const found: string[] = []
  let all = 0
  for (const { from, to } of greenSpans(plans, seen))
    for (const doubt of doubts) {
      let at = Math.max(from, doubt.from)
      const until = Math.min(to, doubt.to)
      // Nobody sees the icon of a sleeping computer.
      for (const asleep of sleeps) if (at >= asleep.from && at < asleep.to) at = asleep.to
      const seconds = Math.floor((until - at) / second)
      if (seconds <= 0) continue
      all += seconds
      const when = new Date(at).toISOString().slice(11, 23)
      found.push(`seed ${plans.seed} at ${when}: green for ${seconds} s, ${doubt.why}`)
    }
  return { green: found, greenSeconds: all }
}

interface Stretch {
  readonly from: number
  readonly to: number
}

function greenSpans(plans: Plans, seen: readonly Seen[]): Stretch[] {
  const spans: Stretch[] = []
  let from: number | null = null
  for (const one of seen) {
    const isOver = one.what === 'ended' || (one.what === 'icon' && one.shape !== 'good')
    const isQuit = one.what === 'ended' && one.by === 'quit'
    if (isOver && from !== null) spans.push({ from, to: isQuit ? one.at - quitMs : one.at })
    if (isOver) from = null
    if (one.what === 'icon' && one.shape === 'good') from ??= one.at
  }
  if (from !== null) spans.push({ from, to: plans.to })
  return spans
}

/** When one project's data doesn't justify green. */
function doubtsOf(
  plans: Plans,
  project: number,
  seen: readonly Seen[],
  holds: Holds,
): readonly Doubt[] {
  const doubts = new Doubts(plans, project, holds)
  for (const one of seen) doubts.take(one)
  doubts.close(plans.to)
  return doubts.all
}

type Doubt = Stretch & { readonly why: string }

class Doubts {
  readonly all: Doubt[] = []
  readonly #plans: Plans
  readonly #project: number
  readonly #holds: Holds
  #open: { readonly from: number; readonly why: string }[] = []
  #failedAt: number | null = null
  #isHere = false
  /** Null: nothing was read since the start, or the last read failed. */
  #listed: Read['listed'] | null = null
  readonly #staleWhy: string
  /** Seconds. */
  #poll: number

  constructor(plans: Plans, project: number, holds: Holds) {
    this.#plans = plans
    this.#project = project
    this.#holds = holds
    this.#poll = plans.pollSeconds
    this.#staleWhy = `p${project} was not read for long`
  }

  close(at: number): void {
    for (const { from, why } of this.#open) if (at > from) this.all.push({ from, to: at, why })
    this.#open = []
  }

  take(one: Seen): void {
    if (one.what === 'act') this.#act(one.at, one.act)
    if (one.what === 'ended') {
      this.close(one.at)
      this.#listed = null
      this.#failedAt = null
    }
    if (!this.#isHere) return
    if (one.what === 'began') this.#unread(one.at)
    if (one.what === 'read' && one.read.project === this.#project) this.#read(one.read)
    if (one.what === 'counts' && one.asked.project === this.#project) this.#asked(one.asked)
  }

  #act(at: number, act: Act): void {
    // What is due sooner by a shorter interval is judged by the longer one.
    if (act.did === 'poll') this.#poll = Math.max(this.#poll, act.seconds)
    if ((act.did !== 'added' && act.did !== 'removed') || act.project !== this.#project) return
    this.#isHere = act.did === 'added'
    if (act.did === 'removed') this.close(at)
    // Later ones were read before the user was told that they are there.
    else if (at === this.#plans.from) this.#unread(at)
  }

  #unread(at: number): void {
    this.close(at)
    this.#open = [{ from: at + second, why: `p${this.#project} was not read` }]
  }

  /** Counts that are those of the newest list are as good as a read of it. */
  #asked({ at, counts }: Asked): void {
    if (this.#listed === null || this.#failedAt !== null) return
    if (!isSameCounts(countsOf(this.#listed), counts)) return
    const stale = this.#open.find(({ why }) => why === this.#staleWhy)
    if (stale === undefined) return
    if (at > stale.from) this.all.push({ ...stale, to: at })
    const from = Math.max(stale.from, at + this.#poll * second + graceMs)
    this.#open = this.#open.map((one) => (one === stale ? { ...one, from } : one))
  }

  #read(read: Read): void {
    this.close(read.at)
    this.#listed = read.outcome === 'good' ? read.listed : null
    if (read.outcome !== 'good') {
      this.#failedAt ??= read.at
      const why = `p${this.#project} failed: ${read.fault?.kind ?? 'key'}`
      this.#open = [{ from: this.#failedAt + graceMs, why }]
      return
    }
    this.#failedAt = null
    const stale = read.at + this.#poll * second + graceMs
    this.#open = [
      { from: stale, why: this.#staleWhy },
      ...read.listed
        .filter(({ status }) => status === 'down')
        .map(({ uuid, name, tags }) => {
          const quiet = this.#holds.silences.filter(
            (one) =>
              // What a check depends on excuses no green.
              one.how !== 'dependency' &&
              isAbout(one, this.#project, uuid, tags) &&
              one.from <= read.at + second &&
              one.to > read.at,
          )
          const from = Math.max(read.at + 3 * second, ...quiet.map(({ to }) => to))
          return { from, why: `${name} is down` }
        }),
    ]
  }
}
