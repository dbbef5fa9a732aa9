import { clockWords } from '../clock-words.ts'
import type { AttentionEvent } from './event.ts'
import type { QuietSpan } from './memory.ts'
import { joined, type Notice, type NoticeLine, namesInFold } from './notice.ts'
import { countWords, noticeOf } from './notices.ts'

const dayMs = 24 * 60 * 60_000
/** Lines of a digest; more are counted. */
const lineLimit = 50

/**
 * What came while it was quiet or nobody was there, in one: for each check and conversation its last
 * news, checks that are still down first, each line a click from what it is about.
 */
export function digestNotice(
  events: readonly AttentionEvent[],
  span: QuietSpan,
  now: number,
  sound: boolean,
): Notice {
  const last = events.at(-1) as AttentionEvent // called with two at least
  const bySubject = new Map<string, AttentionEvent[]>()
  for (const event of events) {
    const list = bySubject.get(event.subject) ?? []
    list.push(event)
    bySubject.set(event.subject, list)
  }
  const lines = [...bySubject.values()]
    .map((list) => ({ list, last: list.at(-1) as AttentionEvent })) // no list is empty
    .sort((one, other) => rank(one.last) - rank(other.last) || other.last.at - one.last.at)
    .map(({ list, last: newest }) => lineOf(list, newest))
  return {
    ...noticeOf(last, sound),
    id: `digest@${span.from}-${now}`,
    kind: 'digest',
    subject: 'digest',
    title: titleOf(span),
    body: joined([countWords(newestOfChecks(events)), downWords(events)]),
    at: now,
    target: { view: 'notices' },
    canReply: false,
    actions: [],
    lines: lines.slice(0, lineLimit),
  }
}

function titleOf({ from, to, why }: QuietSpan): string {
  if (why === 'quiet' || to === null) return 'While you were away'
  const short = to - from < dayMs
  const span = short
    ? `${clockWords(from, from)}–${clockWords(to, to)}`
    : `${clockWords(from, to)} – ${clockWords(to, to)}`
  return `While this computer slept (${span})`
}

/** What went down and came back meanwhile is back: only its last state counts. */
function newestOfChecks(events: readonly AttentionEvent[]): AttentionEvent[] {
  const last = new Map(events.map((event) => [event.subject, event]))
  return events.filter((event) => event.of !== 'check' || last.get(event.subject) === event)
}

function downWords(events: readonly AttentionEvent[]): string | null {
  const names = newestOfChecks(events).flatMap((event) =>
    event.of === 'check' && event.kind === 'down' ? [event.name] : [],
  )
  if (names.length === 0) return null
  const rest = names.length - namesInFold
  return `down: ${names.slice(0, namesInFold).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

const ranks = [
  'down',
  'trouble',
  'mention',
  'direct',
  'alertWord',
  'late',
  'missed',
  'message',
  'recovered',
]

function rank({ kind }: AttentionEvent): number {
  return ranks.indexOf(kind)
}

function lineOf(events: readonly AttentionEvent[], newest: AttentionEvent): NoticeLine {
  const times =
    events.length === 1
      ? ''
      : newest.of === 'message'
        ? ` · ${events.length} messages`
        : ` · ${events.length} changes`
  return { text: `${newest.title}${times}`, at: newest.at, target: newest.target }
}
