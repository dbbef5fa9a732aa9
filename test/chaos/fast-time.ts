import { readdirSync, readFileSync } from 'node:fs'

let hurried: FastTime | null = null

/**
 * Ms of hurried time so far, without those in which the threads that unpack and write in the background
 * waited for a processor: they are not hurried, and time here would go on ten times as fast as they do.
 */
export function scheduledMs(): number {
  return hurried === null ? performance.now() : hurried.now - hurried.waited
}

/**
 * Time of this process runs up to `speed` times as fast, for the app, the pretend servers and the
 * proxies alike: every wait, deadline and interval keeps its proportion to all others, and a minute
 * of back-off costs seconds. Sockets and computing stay as slow as they are. Where the computer is
 * busy with other things, time here waits for this process: it goes on by a small step each turn of
 * the event loop and never jumps, so that a deadline is never met by somebody else's work. To be
 * called before anything starts a timer.
 */
export function hurry(speed: number): void {
  const time = new FastTime(speed)
  hurried = time
  const { clearTimeout: clear } = globalThis
  const clearAny = (timer: unknown) => {
    if (timer instanceof FastTimer) time.cancel(timer)
    // Made before the hurry, or nothing at all: Node takes both.
    else clear(timer as undefined)
  }
  Object.assign(globalThis, {
    setTimeout: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
      time.add(() => run(...given), ms, false),
    setInterval: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
      time.add(() => run(...given), ms, true),
    clearTimeout: clearAny,
    clearInterval: clearAny,
  })
  const wallAtStart = Date.now()
  const monotonicAtStart = performance.now()
  Date.now = () => Math.round(wallAtStart + time.now)
  performance.now = () => monotonicAtStart + time.now
}

/** Real ms between two turns, and the most that one turn counts for. */
const turnMs = 2
const longestTurnMs = 4

/** Real ms after which it is asked anew how long threads waited, and the most of them that counts. */
const lookEveryMs = 100
const mostWaited = 0.75

class FastTime {
  /** Ms of hurried time since the start. */
  now = 0
  /** Those of them in which a thread in the background waited for a processor. */
  waited = 0
  readonly #speed: number
  readonly #wait = globalThis.setTimeout
  /** Ascending by time. */
  readonly #timers: FastTimer[] = []
  #lastTurn = process.hrtime.bigint()
  #turnTimer: NodeJS.Timeout | null = null
  #looked = { at: this.#lastTurn, now: 0, waitedMs: waitedByThread() }

  constructor(speed: number) {
    this.#speed = speed
    this.#next()
  }

  add(run: () => void, ms: number | undefined, isRepeated: boolean): FastTimer {
    const timer = new FastTimer(this, run, Math.max(1, Number(ms) || 1), isRepeated)
    this.start(timer)
    return timer
  }

  start(timer: FastTimer): void {
    this.cancel(timer)
    this.#turnTimer?.ref()
    timer.at = this.now + timer.ms
    timer.isActive = true
    let low = 0
    for (let high = this.#timers.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((this.#timers[middle]?.at ?? 0) <= timer.at) low = middle + 1
      else high = middle
    }
    this.#timers.splice(low, 0, timer)
  }

  cancel(timer: FastTimer): void {
    timer.isActive = false
    const at = this.#timers.indexOf(timer)
    if (at >= 0) this.#timers.splice(at, 1)
  }

  #next(): void {
    this.#turnTimer = this.#wait(() => this.#turn(), turnMs)
    if (!this.#timers.some(({ isNeeded }) => isNeeded)) this.#turnTimer.unref()
  }

  #turn(): void {
    const at = process.hrtime.bigint()
    const passed = Number(at - this.#lastTurn) / 1e6
    this.#lastTurn = at
    this.now += Math.min(passed, longestTurnMs) * this.#speed
    if (Number(at - this.#looked.at) / 1e6 > lookEveryMs) this.#look(at)
    for (
      let [timer] = this.#timers;
      timer !== undefined && timer.at <= this.now;
      [timer] = this.#timers
    )
      this.#ring(timer)
    this.#next()
  }

  #look(at: bigint): void {
    const before = this.#looked
    const waitedMs = waitedByThread()
    const most = Math.max(
      0,
      ...[...waitedMs].map(([thread, ms]) => ms - (before.waitedMs.get(thread) ?? ms)),
    )
    const share = Math.min(mostWaited, most / (Number(at - before.at) / 1e6))
    this.waited += (this.now - before.now) * share
    this.#looked = { at, now: this.now, waitedMs }
  }

  /** In a turn of its own, as Node's timers are: promises settle before the next one rings. */
  #ring(timer: FastTimer): void {
    const { isRepeated, round } = timer
    if (isRepeated) this.start(timer)
    else this.cancel(timer)
    timer.isActive = true
    setImmediate(() => {
      const isStill = timer.isActive && timer.round === round
      if (isStill) timer.run()
    })
  }
}

/** How long each thread but the main one was ready to run and did not (proc(5), `schedstat`), ms; Linux only. */
function waitedByThread(): ReadonlyMap<string, number> {
  if (process.platform !== 'linux') return new Map()
  const threads = readdirSync('/proc/self/task').filter((id) => id !== `${process.pid}`)
  return new Map(
    threads.flatMap((id) => {
      try {
        const [, waitedNs] = readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ')
        return [[id, Number(waitedNs) / 1e6] as const]
      } catch {
        // It has ended since it was listed.
        return []
      }
    }),
  )
}

/** What `setTimeout` gives, as far as libraries use it. */
class FastTimer {
  at = 0
  isActive = false
  isNeeded = true
  /** Grows with each new start, so that a ring of before is not heard. */
  round = 0
  readonly run: () => void
  readonly ms: number
  readonly isRepeated: boolean
  readonly #time: FastTime

  constructor(time: FastTime, run: () => void, ms: number, isRepeated: boolean) {
    this.#time = time
    this.run = run
    this.ms = ms
    this.isRepeated = isRepeated
  }

  refresh(): this {
    this.round += 1
    this.#time.start(this)
    return this
  }

  ref(): this {
    this.isNeeded = true
    return this
  }

  unref(): this {
    this.isNeeded = false
    return this
  }

  hasRef(): boolean {
    return this.isNeeded
  }
}

export interface StallWatch {
  /** The longest the thread was busy with one thing, in real ms. */
  readonly longestMs: () => number
  reset(): void
  stop(): void
}

/**
 * How long one turn of the event loop kept the thread computing. A late timer alone proves nothing
 * on a computer that others use too, so that the thread's own CPU time is the judge.
 */
export function watchStalls(): StallWatch {
  const everyMs = 20
  let longest = 0
  let last = { at: process.hrtime.bigint(), cpu: cpuMs() }
  const look = (): void => {
    const now = { at: process.hrtime.bigint(), cpu: cpuMs() }
    const late = Number(now.at - last.at) / 1e6 - everyMs
    longest = Math.max(longest, Math.min(late, now.cpu - last.cpu))
    last = now
  }
  // Real time: made before `hurry`, or it would hurry as well.
  const timer = setInterval(look, everyMs)
  timer.unref()
  return {
    longestMs: () => {
      // The turn that asks, or the one before it, may be the longest.
      look()
      return longest
    },
    reset: () => {
      longest = 0
      last = { at: process.hrtime.bigint(), cpu: cpuMs() }
    },
    stop: () => clearInterval(timer),
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
