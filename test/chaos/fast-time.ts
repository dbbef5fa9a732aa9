import { readdirSync, readFileSync } from 'node:fs'

let hurried: FastTime | null = null

/**
 * Accelerated time so far, in ms, without the time for which background threads, which unpack and
 * write, waited for a processor: they aren't accelerated, so time here would outrun them tenfold.
 */
export function scheduledMs(): number {
  return hurried === null ? performance.now() : hurried.now - hurried.waited
}

/**
 * Makes this process's time run up to `speed` times as fast, for the app, the fake servers and the
 * proxies alike: every wait, deadline and interval keeps its proportion to the others, and a minute
 * of back-off takes seconds. Sockets and computing keep their real speed. On a busy computer, time
 * waits for this process: it advances by a small step in each turn of the event loop and never
 * jumps, so no deadline passes because of other processes' work. Call it before any timer starts.
 */
export function hurry(speed: number): void {
  const time = new FastTime(speed)
  hurried = time
  const { clearTimeout: clear } = globalThis
  const clearAny = (timer: unknown) => {
    if (timer instanceof FastTimer) time.cancel(timer)
    // A timer from before `hurry`, or undefined: Node accepts both.
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

/** Real ms between two turns, and the most that one turn may count. */
const turnMs = 2
const longestTurnMs = 4

/** Real ms between two looks at how long threads waited, and the largest share that counts. */
const lookEveryMs = 100
const mostWaited = 0.75

class FastTime {
  /** Accelerated ms since the start. */
  now = 0
  /** The part of `now` for which a background thread waited for a processor. */
  waited = 0
  readonly #speed: number
  readonly #wait = globalThis.setTimeout
  /** In ascending order of time. */
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

  /** Runs in a turn of its own, as in Node, so that promises settle before the next timer. */
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

/** How long each background thread waited to run, ms (proc(5), `schedstat`; Linux only). */
function waitedByThread(): ReadonlyMap<string, number> {
  if (process.platform !== 'linux') return new Map()
  const threads = readdirSync('/proc/self/task').filter((id) => id !== `${process.pid}`)
  return new Map(
    threads.flatMap((id) => {
      try {
        const [, waitedNs] = readFileSync(`/proc/self/task/${id}/schedstat`, 'utf8').split(' ')
        return [[id, Number(waitedNs) / 1e6] as const]
      } catch {
        // The thread has ended since it was listed.
        return []
      }
    }),
  )
}

/** What `setTimeout` returns, as far as libraries use it. */
class FastTimer {
  at = 0
  isActive = false
  isNeeded = true
  /** Incremented by each restart, so that an earlier ring is ignored. */
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
 * Measures how long one turn of the event loop kept the thread computing. A late timer alone proves
 * nothing on a shared computer, so this also looks at the thread's own CPU time.
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
  // Real time, since this is created before `hurry`.
  const timer = setInterval(look, everyMs)
  timer.unref()
  return {
    longestMs: () => {
      // The current turn, or the one before it, may be the longest.
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
