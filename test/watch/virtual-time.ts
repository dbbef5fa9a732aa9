/**
 * A clock that jumps from timer to timer: a day of an app that mostly waits takes a second. It
 * replaces the process's timers, `Date.now` and `performance.now`, so install it before anything
 * starts a timer.
 */
export class VirtualTime {
  #now = 0
  /** How far the computer's own clock is ahead of `real`, ms. */
  #ahead = 0
  #monotonic = 0
  #order = 0
  /** A binary heap by time, then by order. */
  readonly #timers: VirtualTimer[] = []
  readonly #realImmediate = globalThis.setImmediate

  /** Epoch ms by the computer's clock. */
  get now(): number {
    return this.#now + this.#ahead
  }

  /** Epoch ms whatever the computer's clock says; all times of timers and of a life. */
  get real(): number {
    return this.#now
  }

  /** Sets the computer's clock, as people and time servers do. */
  setClock(ahead: number): void {
    this.#ahead = ahead
  }

  install(): void {
    const clear = (timer: unknown): void => {
      if (timer instanceof VirtualTimer) timer.isActive = false
    }
    Object.assign(globalThis, {
      setTimeout: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
        this.#add(() => run(...given), ms),
      setInterval: (run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
        const timer = this.#add(() => {
          timer.again(ms ?? 0)
          run(...given)
        }, ms)
        return timer
      },
      clearTimeout: clear,
      clearInterval: clear,
    })
    Date.now = () => Math.round(this.now)
    performance.now = () => this.#monotonic
  }

  /** Runs every timer that is due by `until`, in order, and lets its effects settle in between. */
  async run(until: number): Promise<void> {
    await this.#settle()
    for (let timer = this.#timers[0]; timer !== undefined; timer = this.#timers[0]) {
      if (timer.isActive && timer.at > until) break
      this.#removeFirst()
      if (!timer.isActive) continue
      // A timer that was due while the computer slept runs late.
      this.sleep(timer.at)
      timer.isActive = false
      timer.run()
      await this.#settle()
    }
    this.sleep(until)
  }

  /** Lets time pass without running anything. */
  sleep(until: number): void {
    this.#monotonic += Math.max(0, until - this.#now)
    this.#now = Math.max(this.#now, until)
  }

  /** Removes all timers, like the end of a process. */
  clear(): void {
    for (const timer of this.#timers) timer.isActive = false
    this.#timers.length = 0
  }

  /** Sets the time for another life; no timer may be left. */
  moveTo(now: number): void {
    this.#now = now
    this.#ahead = 0
  }

  /** Lets promises settle, and what waits for the next turn of the event loop. */
  async #settle(): Promise<void> {
    for (let turns = 0; turns < 2; turns += 1)
      await new Promise((resolve) => this.#realImmediate(resolve))
  }

  #add(run: () => void, ms: number | undefined): VirtualTimer {
    const delay = Math.max(1, Number(ms) || 1)
    const timer = new VirtualTimer(this, run, delay, this.#now + delay, this.#order)
    this.#order += 1
    this.push(timer)
    return timer
  }

  push(timer: VirtualTimer): void {
    const timers = this.#timers
    let place = timers.length
    timers.push(timer)
    for (; place > 0; ) {
      const above = (place - 1) >> 1
      const other = timers[above]
      if (other === undefined || !comesBefore(timer, other)) break
      timers[place] = other
      place = above
    }
    timers[place] = timer
  }

  #removeFirst(): void {
    const timers = this.#timers
    const last = timers.pop()
    if (last === undefined || timers.length === 0) return
    let place = 0
    for (;;) {
      const left = timers[2 * place + 1]
      const right = timers[2 * place + 2]
      const isRight = right !== undefined && left !== undefined && comesBefore(right, left)
      const below = isRight ? right : left
      if (below === undefined || !comesBefore(below, last)) break
      timers[place] = below
      place = 2 * place + (isRight ? 2 : 1)
    }
    timers[place] = last
  }
}

function comesBefore(one: VirtualTimer, other: VirtualTimer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}

/** What `setTimeout` returns, as far as the app uses it. */
class VirtualTimer {
  isActive = true
  readonly run: () => void
  at: number
  readonly order: number
  readonly #time: VirtualTime
  readonly #ms: number

  constructor(time: VirtualTime, run: () => void, ms: number, at: number, order: number) {
    this.#time = time
    this.run = run
    this.#ms = ms
    this.at = at
    this.order = order
  }

  refresh(): VirtualTimer {
    this.isActive = false
    const next = new VirtualTimer(
      this.#time,
      this.run,
      this.#ms,
      this.#time.real + this.#ms,
      this.order,
    )
    this.#time.push(next)
    return next
  }

  /** Schedules the next round of an interval. */
  again(ms: number): void {
    this.at += Math.max(1, ms)
    this.isActive = true
    this.#time.push(this)
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}
