import type { AttentionContext, Decision } from '../../src/shared/core/attention/decision.ts'
import { type Happened, step } from '../../src/shared/core/attention/engine.ts'
import { type AttentionMemory, emptyMemory } from '../../src/shared/core/attention/memory.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import { type Day, dayStart, hour } from './day.ts'

/** The result of a day. `at`: when it popped up, epoch ms. */
export interface Told {
  readonly popUps: readonly { readonly at: number; readonly notice: Notice }[]
  readonly decisions: readonly Decision[]
}

/** Runs an engine through the day like the app: a step at each event, and whenever it asks. */
export function drive(day: Day, engine: typeof step = step): Told {
  const popUps: { at: number; notice: Notice }[] = []
  const decisions: Decision[] = []
  const down: Record<string, number> = {}
  let memory: AttentionMemory = emptyMemory
  let wakeAt: number | null = null
  const take = (now: number, happened: Happened): void => {
    const taken = engine(memory, happened, contextAt(day, now, down), now)
    memory = taken.memory
    wakeAt = taken.wakeAt
    decisions.push(...taken.decisions)
    popUps.push(...taken.popUps.map((notice) => ({ at: now, notice })))
  }
  const sleepUntil = (until: number): void => {
    while (wakeAt !== null && wakeAt < until) {
      // A timer that was due while the computer slept fires when it wakes.
      const { from, to } = day.sleep
      const at: number = wakeAt > from && wakeAt < to ? to : wakeAt
      if (at >= until) return
      take(at, { events: [], over: [] })
    }
  }
  // As in the app, silences and the sleep cause steps of their own.
  const moments = new Set([
    ...day.events.map(({ at }) => at),
    ...day.silences.flatMap(({ since, until }) =>
      until.kind === 'time' ? [since, until.at] : [since],
    ),
    day.sleep.to,
    day.sleep.to + 60_000,
  ])
  const byTime = Map.groupBy(day.events, ({ at }) => at)
  for (const at of [...moments].sort((one, other) => one - other)) {
    sleepUntil(at)
    const events = byTime.get(at) ?? []
    const over: string[] = []
    for (const event of events) {
      if (event.of !== 'check') continue
      down[event.accountId] = (down[event.accountId] ?? 0) + (event.kind === 'down' ? 1 : -1)
      if (event.kind === 'recovered') over.push(event.subject)
    }
    take(at, { events, over })
  }
  sleepUntil(dayStart + 34 * hour)
  return { popUps, decisions }
}

function contextAt(
  day: Day,
  now: number,
  down: Readonly<Record<string, number>>,
): AttentionContext {
  return {
    settings: day.settings,
    sounds: true,
    silences: day.silences.filter(
      ({ since, until }) => since <= now && (until.kind !== 'time' || until.at > now),
    ),
    systemQuiet: false,
    // The first minute after a sleep is spent reading what happened meanwhile.
    away: now >= day.sleep.to && now < day.sleep.to + 60_000 ? day.sleep : null,
    unread: [],
    down: { ...down },
  }
}
