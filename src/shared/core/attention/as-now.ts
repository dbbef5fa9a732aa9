import { atClockWords, clockWords, durationWords } from '../time.ts'
import { dayMs, hourMs, minuteMs } from '../wall-clock.ts'
import { type AttentionEvent, type CheckEvent, isChange, stateAfter } from './event.ts'
import type { Waiting } from './memory.ts'
import { oddRunAsNow } from './runs/odd-runs.ts'

/**
 * The event as a notice words it now: by what the user was told last and what the check is at
 * present, whatever was so when it was held back.
 */
export function asNow(
  { event, wasDown, changes }: Pick<Waiting, 'event' | 'wasDown' | 'changes'>,
  now: number,
): AttentionEvent {
  if (!isChange(event)) return pastAsNow(event, now)
  const { name, kind } = event
  if (event.isReminder === true || event.again !== undefined) return lastingUntil(event, now)
  const state = stateAfter[kind]
  if (state === 'up' && !wasDown) return pastOutages(event, Math.max(1, Math.floor(changes / 2)))
  if (state !== 'down') return event
  if (wasDown) return { ...lastingUntil(event, now), title: againTitle(name, event.upForMs) }
  const lasting = lastingUntil(event, now)
  return event.upForMs === undefined ? lasting : { ...lasting, title: `${name} is down` }
}

/** A recovery of a check that is paused or deleted by now, so that it can't be said to be up. */
export function inThePast(event: AttentionEvent): AttentionEvent {
  return isChange(event) ? { ...event, title: cameBack(event) } : event
}

export function isInThePast(event: CheckEvent): boolean {
  return event.title === cameBack(event)
}

function cameBack({ name }: CheckEvent): string {
  return `${name} came back`
}

/**
 * Times as this computer shows them now: it may have moved, and it may be another day. What the check
 * was when the outage was found may no longer be so.
 */
function pastAsNow(event: AttentionEvent, now: number): AttentionEvent {
  if (event.of !== 'check') return event
  if (event.last === undefined || event.endedAt === undefined) return oddRunAsNow(event, now)
  const { name, last, endedAt, at } = event
  const title = pastTitle(name, { last, endedAt }, now)
  return { ...event, title, body: at === now ? event.body : last.place }
}

interface Ended {
  readonly last: Pick<NonNullable<CheckEvent['last']>, 'what' | 'from'>
  readonly endedAt: number
}

/** "db was down from 11:02 to 11:04", or "for 20 s at 11:02" within a minute. */
export function pastTitle(
  name: string,
  { last: { what, from }, endedAt }: Ended,
  now: number,
): string {
  const [began, ended] = [clockWords(from, now), clockWords(endedAt, now)]
  const when =
    began === ended
      ? `for ${durationWords(endedAt - from)} ${atClockWords(from, now)}`
      : `from ${began} to ${ended}`
  return `${name} ${what} ${when}`
}

/** Updates how long the check has been down, as time has passed since the event. */
function lastingUntil(event: CheckEvent, now: number): CheckEvent {
  const { kind, body, at } = event
  if (kind !== 'down' || typeof body === 'string' || at === now) return event
  return { ...event, body: { ...body, serverNow: body.serverNow + now - at } }
}

/** `upForMs`: for how long it was up at most; undefined: unknown. */
export function againTitle(name: string, upForMs: number | undefined): string {
  if (upForMs === undefined) return `${name} is down again`
  // The service dates flips to whole seconds, and some only when it notices them.
  const unit = upForMs < dayMs ? minuteMs : hourMs
  const most = Math.max(1, Math.ceil(upForMs / unit)) * unit
  return `${name} is down again (was up for at most ${durationWords(most)})`
}

/** A check that went down and came back while nothing was said about it. */
function pastOutages(event: CheckEvent, times: number): CheckEvent {
  const { name, body } = event
  const often = times === 1 ? '' : ` ${times} times`
  return {
    ...event,
    kind: 'missed',
    title: `${name} went down and came back${often}`,
    // The last of several outages is not how long they took.
    body: typeof body === 'string' || times === 1 ? body : { ...body, since: null },
  }
}
