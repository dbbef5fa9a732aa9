import type { Notice } from '../../../shared/core/attention/notice.ts'
import type { NotifiedBy } from '../../ports.ts'
import type { Notifier } from './notifier.ts'

/** A program that shows nothing in this time is ended: its daemon hangs. */
export const programDeadlineMs = 5_000
const programsAtOnce = 3
/** Waiting for a program; what comes on top is only in the app's own list. */
const queueLimit = 50

/** `missing`: this computer has no such program. */
export type ProgramOutcome = 'shown' | 'failed' | 'hung' | 'missing'

/** A program at work on one notification. `ended` never rejects. */
export interface ProgramRun {
  readonly ended: Promise<ProgramOutcome>
  /** Ends it, and what it started. */
  kill(): void
}

/**
 * Notifications by starting a program for each, three at once at most. Nothing comes back: no click,
 * no reply, no way to withdraw. When one hangs, what waits is given up with it, since the next ones
 * would hang as well.
 */
export function createProgramNotifier(options: {
  readonly name: string
  /** Does not throw. */
  readonly start: (notice: Notice) => ProgramRun
  /** Takes over when the program is missing. */
  readonly instead?: Notifier
}): Notifier {
  const { name, instead } = options
  const running = new Set<ProgramRun>()
  let waiting: Notice[] = []
  let delivery = (): NotifiedBy => ({ by: name, capabilities: [] })
  let stopped = false
  let settled = Promise.withResolvers<void>()
  settled.resolve()

  const run = (notice: Notice): void => {
    const program = options.start(notice)
    running.add(program)
    void program.ended.then((outcome) => {
      running.delete(program)
      if (outcome === 'hung') waiting = []
      if (outcome === 'missing' && instead !== undefined && !stopped) {
        instead.notify(notice)
        delivery = instead.delivery
      } else {
        const by = outcome === 'shown' ? name : 'nobody'
        delivery = () => ({ by, capabilities: [] })
      }
      next()
    })
  }

  const next = (): void => {
    const notice = running.size < programsAtOnce ? waiting.shift() : undefined
    if (notice !== undefined) run(notice)
    else if (running.size === 0) settled.resolve()
  }

  return {
    notify: (notice) => {
      if (stopped || waiting.length >= queueLimit) return
      if (running.size === 0) settled = Promise.withResolvers<void>()
      waiting.push(notice)
      next()
    },
    withdraw: () => undefined,
    delivery: () => delivery(),
    settled: async () => {
      await settled.promise
      await instead?.settled()
    },
    stop: () => {
      stopped = true
      waiting = []
      for (const program of running) program.kill()
      instead?.stop()
    },
  }
}
