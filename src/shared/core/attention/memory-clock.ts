import type { AttentionMemory, Lane, WaitingEvent } from './memory.ts'

/** No notice is held back for longer. */
const longestHoldMs = 5 * 60_000

/**
 * The memory after this computer's clock was set back: moments to come were now, or what is held
 * would be held, and alarms would have no sound, until the clock is there again.
 */
export function withoutFuture(memory: AttentionMemory, now: number): AttentionMemory {
  const { lanes, soundAt, once, checks, waiting, quiet, lastDigest } = memory
  const past = (at: number): number => Math.min(at, now)
  return {
    ...memory,
    lanes: { checks: laneBy(lanes.checks, now), others: laneBy(lanes.others, now) },
    soundAt: soundAt > now ? 0 : soundAt,
    once: once.map((one) => ({ ...one, at: past(one.at) })),
    checks: [...checks.values()].some(({ shownAt }) => shownAt.some((at) => at > now))
      ? new Map(
          [...checks].map(([subject, told]) => [
            subject,
            { ...told, shownAt: told.shownAt.map(past) },
          ]),
        )
      : checks,
    waiting: [...waiting.values()].some(({ event }) => event.at > now)
      ? new Map([...waiting].map(([subject, one]) => [subject, waitingBy(one, now)]))
      : waiting,
    quiet: quiet === null ? null : { ...quiet, from: past(quiet.from) },
    lastDigest: lastDigest !== null && lastDigest.at > now ? null : lastDigest,
  }
}

function laneBy(lane: Lane, now: number): Lane {
  return {
    ...lane,
    popUps: lane.popUps.map((at) => Math.min(at, now)),
    until: lane.until === null ? null : Math.min(lane.until, now + longestHoldMs),
  }
}

function waitingBy(waiting: WaitingEvent, now: number): WaitingEvent {
  const { event, dueAt } = waiting
  if (event.at <= now) return waiting
  return { ...waiting, event: { ...event, at: now }, dueAt: now + (dueAt - event.at) }
}
