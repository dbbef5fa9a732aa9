import { scheduleWords } from '../checks/check-words.ts'
import { durationWords, relativeWords } from '../time.ts'
import type { CheckEvent, CheckFacts } from './event.ts'
import { joined } from './notice.ts'

/** What a notice of this event says below its title. */
export function checkEventBody({ kind, project, tags, body }: CheckEvent): string {
  if (typeof body === 'string') return body
  return joined([
    project,
    kind === 'recovered' ? downForWords(body) : sinceWords(kind, body),
    lastPing(body),
    tags.length === 0 ? null : tags.map((tag) => `#${tag}`).join(' '),
  ])
}

function downForWords({ since, serverNow }: CheckFacts): string | null {
  return since === null ? null : `was down for ${durationWords(serverNow - since)}`
}

function sinceWords(kind: CheckEvent['kind'], { since, serverNow }: CheckFacts): string | null {
  if (since === null || serverNow - since < 60_000) return null
  return `${kind} for ${durationWords(serverNow - since)}`
}

function lastPing({ lastPingAt, wasPinged, schedule, serverNow }: CheckFacts): string {
  // After a resume the time is gone, although there were pings.
  if (lastPingAt === null) return wasPinged ? '' : 'never pinged'
  return `last ping ${relativeWords(lastPingAt, serverNow)}, expected ${scheduleWords(schedule)}`
}
