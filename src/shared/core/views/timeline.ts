import { outcomeLabels } from '../attention/notice.ts'
import { howWords } from '../attention/silence.ts'
import type { Message } from '../chat/message.ts'
import {
  type Check,
  type CheckStatus,
  checkName,
  isLate,
  isWell,
  statusOrder,
} from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import type { Flip, HistoryEntry } from '../checks/history.ts'
import { type Ping, signalLabels } from '../checks/ping.ts'
import { wordsInMarkdown } from '../markdown.ts'
import { fieldsOf } from '../schemas.ts'
import { clockWords, durationWords } from '../time.ts'
import { lowerFirst } from '../wording.ts'

/** One entry of an outage's timeline. */
export interface TimelineLine {
  /** In this order for entries of the same second: a ping precedes the flip it causes. */
  readonly kind: 'ping' | 'flip' | 'notice' | 'act' | 'message'
  readonly key: string
  /** Epoch ms, our clock. */
  readonly at: number
  readonly text: string
  /** Details, such as a message's text or the reasons for a decision. */
  readonly detail: string | null
  /** For a flip: the new status. */
  readonly status: CheckStatus | null
  /** The number of a ping whose body was kept; else null. */
  readonly bodyOf: number | null
  readonly messageId: number | null
}

export interface TimelineFacts {
  readonly check: Check
  /** Null if they couldn't be read: what Belfry saw itself is used instead. */
  readonly flips: readonly Flip[] | null
  readonly pings: readonly Ping[]
  readonly entries: readonly HistoryEntry[]
  /** From the conversation linked to the check. */
  readonly messages: readonly Message[]
  /** The monitoring server's clock minus ours, ms. */
  readonly offsetMs: number
  /** Epoch ms, our clock. */
  readonly from: number
  readonly to: number
}

const bare = { detail: null, status: null, bodyOf: null, messageId: null } as const
const ranks = ['ping', 'flip', 'notice', 'act', 'message'] as const

/**
 * Everything known about a check between two moments, in order of time. Deterministic: the same
 * facts give the same lines. `zone`: the time zone of times in texts, by default this computer's.
 */
export function timelineOf(facts: TimelineFacts, zone?: string): readonly TimelineLine[] {
  return byTime([
    ...flipLines(facts),
    ...pingLines(facts),
    ...facts.entries.flatMap((entry, index) => entryLine(entry, index, zone) ?? []),
    ...facts.messages.map((message) => messageLine(message)),
  ]).filter(({ at }) => at >= facts.from && at <= facts.to)
}

function byTime(lines: readonly TimelineLine[]): TimelineLine[] {
  return [...lines].sort(
    (one, other) =>
      one.at - other.at ||
      ranks.indexOf(one.kind) - ranks.indexOf(other.kind) ||
      (one.key < other.key ? -1 : 1),
  )
}

export interface SeenStatus {
  readonly at: number
  readonly to: CheckStatus
}

function flipLines(facts: TimelineFacts): TimelineLine[] {
  const seen = facts.entries.flatMap((entry) => statusIn(entry) ?? [])
  if (facts.flips === null) return seen.map(statusLine)
  const flips = notifiedFlips(facts.check, facts.flips, facts.offsetMs, seen)
  const lines = flips.map(({ at, status, forMs }, index) => ({
    ...bare,
    kind: 'flip' as const,
    key: `flip ${at} ${index}`,
    at,
    text: flipWords(status, forMs),
    status,
  }))
  // Flips only tell up from not up; only Belfry saw that it was late.
  return [...lines, ...seen.filter(({ to }) => isLate(to)).map(statusLine)]
}

/**
 * Flips by our clock, ascending: the status that a check left "up" for (`unknown` if nothing shows
 * whether down, paused or new), and for a flip to up, how long it was not up, if known.
 */
function notifiedFlips(
  check: Check,
  flips: readonly Flip[],
  offsetMs: number,
  seen: readonly SeenStatus[],
): readonly { at: number; status: CheckStatus; forMs: number | null }[] {
  // One that is dated before the flip that preceded it came just after that.
  let last = Number.NEGATIVE_INFINITY
  const ordered = flips.toReversed().map((flip) => {
    last = Math.max(last, flip.at)
    return { ...flip, at: last }
  })
  return ordered.map((flip, index) => {
    const at = flip.at - offsetMs
    const before = ordered[index - 1]
    if (flip.up)
      return { at, status: 'up', forMs: before?.up === false ? flip.at - before.at : null }
    const next = ordered[index + 1]
    const until = next === undefined ? Number.POSITIVE_INFINITY : next.at - offsetMs
    const was = seen.find((one) => one.at >= at && one.at < until && !isWell(one.to))
    return { at, status: was?.to ?? (next === undefined ? notUp(check) : 'unknown'), forMs: null }
  })
}

function notUp({ status }: Check): CheckStatus {
  return isWell(status) ? 'unknown' : status
}

function flipWords(status: CheckStatus, forMs: number | null): string {
  if (status === 'unknown') return 'not up'
  return forMs === null ? statusWord(status) : `${statusWord(status)} after ${durationWords(forMs)}`
}

function statusLine({ at, to }: SeenStatus, index: number): TimelineLine {
  const key = `status ${at} ${index}`
  return { ...bare, kind: 'flip', key, at, text: statusWord(to), status: to }
}

const statuses: ReadonlySet<unknown> = new Set(statusOrder)

export function statusIn({ kind, at, data }: HistoryEntry): SeenStatus | null {
  const { to } = fieldsOf(data)
  // The cast is safe: `statuses` contains the value.
  return kind === 'status' && statuses.has(to) ? { at, to: to as CheckStatus } : null
}

/** Who acknowledged the check, "you" being the user; null for anything else. */
export function acknowledgerIn({ kind, data }: HistoryEntry): string | null {
  const { act, how, by } = fieldsOf(data)
  if (kind !== 'act' || act !== 'silence' || how !== 'acknowledge') return null
  return typeof by === 'string' ? by : 'you'
}

const pingWords: Readonly<Record<Ping['kind'], string>> = {
  success: 'success signal',
  start: 'start signal',
  fail: 'failure signal',
  log: 'log entry',
  ignored: 'ignored signal',
  unknown: 'signal',
}

function pingLines({ pings, offsetMs }: TimelineFacts): TimelineLine[] {
  return pings.map(({ n, at, kind, durationSeconds, hasBody }) => ({
    ...bare,
    kind: 'ping',
    key: `ping ${n ?? at}`,
    at: at - offsetMs,
    text: `${pingWords[kind]}${durationSeconds === null ? '' : ` after ${durationWords(durationSeconds * 1000)}`}`,
    bodyOf: hasBody ? n : null,
  }))
}

const outcomeWords: ReadonlyMap<unknown, string> = new Map(Object.entries(outcomeLabels))

function entryLine(entry: HistoryEntry, index: number, zone?: string): TimelineLine | null {
  const { at, kind, data } = entry
  const fields = fieldsOf(data)
  const key = `${kind} ${at} ${index}`
  if (kind === 'act') return { ...bare, kind: 'act', key, at, text: actWords(fields, at, zone) }
  if (kind !== 'notice') return null
  const outcome = outcomeWords.get(fields['outcome']) ?? 'Notice'
  const reasons = Array.isArray(fields['reasons']) ? fields['reasons'] : []
  const why = reasons
    .map((reason) => fieldsOf(reason)['text'])
    .filter((text) => typeof text === 'string')
    .join(' ')
  const text = `${outcome}: ${textOf(fields['title'])}`
  return { ...bare, kind: 'notice', key, at, text, detail: why === '' ? null : why }
}

const operationWords: ReadonlyMap<unknown, string> = new Map([
  ['createCheck', 'You created it'],
  ['pauseCheck', 'You paused it'],
  ['resumeCheck', 'You resumed it'],
  ['updateCheck', 'You edited it'],
  ['deleteCheck', 'You deleted it'],
  ['joinReport', 'You joined the conversation about it'],
])

const signalWords: ReadonlyMap<unknown, string> = new Map(
  Object.entries(signalLabels).map(([signal, label]) => [signal, `: ${lowerFirst(label)}`]),
)

const silenceWords: ReadonlyMap<unknown, string> = new Map(Object.entries(howWords))

const endedWords: ReadonlyMap<unknown, string> = new Map([
  ['snooze', 'The snooze'],
  ['acknowledge', 'The acknowledgement'],
  ['mute', 'The mute'],
  ['maintenance', 'The maintenance'],
])

function actWords(
  fields: Readonly<Record<string, unknown>>,
  actedAt: number,
  zone?: string,
): string {
  const { act } = fields
  if (act === 'silence') {
    const by = fields['by']
    const who = typeof by === 'string' ? by : 'You'
    const how = silenceWords.get(fields['how']) ?? 'silenced'
    const what = fields['how'] === 'maintenance' ? `put it ${how}` : `${how} it`
    return `${who} ${what}${untilWords(fields['until'], actedAt, zone)}`
  }
  if (act === 'endSilence') return `${endedWords.get(fields['how']) ?? 'The silence'} ended`
  if (act === 'ping') return `You sent a ping${signalWords.get(fields['signal']) ?? ''}`
  if (act === 'report')
    return `You posted ${fields['status'] === 'up' ? 'that it is up again' : 'about it'}`
  return operationWords.get(act) ?? 'You did something that this version of Belfry doesn’t know'
}

/** Worded as on the day when it was chosen. */
function untilWords(until: unknown, chosenAt: number, zone?: string): string {
  const { kind, at } = fieldsOf(until)
  if (kind === 'time' && typeof at === 'number') return ` until ${clockWords(at, chosenAt, zone)}`
  return kind === 'change' ? ' until it changes' : kind === 'answer' ? ' until someone answers' : ''
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '?'
}

function messageLine({ id, sentAt, senderName, text }: Message): TimelineLine {
  return {
    ...bare,
    kind: 'message',
    key: `message ${String(id).padStart(16, '0')}`,
    at: sentAt,
    text: senderName,
    detail: text,
    messageId: id,
  }
}

/**
 * Interleaves messages with flips. A flip precedes a message of the same second, since people and
 * bots write about it afterwards.
 */
export function woven<M extends { readonly sentAt: number }, F extends { readonly at: number }>(
  messages: readonly M[],
  flips: readonly F[],
): readonly ({ readonly message: M } | { readonly flip: F })[] {
  const waiting = [...flips].sort((one, other) => one.at - other.at)
  const all: ({ message: M } | { flip: F })[] = []
  for (const message of messages) {
    while (waiting[0] !== undefined && waiting[0].at <= message.sentAt) {
      const flip = waiting.shift()
      if (flip !== undefined) all.push({ flip })
    }
    all.push({ message })
  }
  return [...all, ...waiting.map((flip) => ({ flip }))]
}

/**
 * A timeline as Markdown for a post-mortem, in UTC, as its readers are in many time zones. Text by
 * others is escaped, so it can't form headings, links or mentions. Masks secrets.
 */
export function timelineMarkdown(
  check: Check,
  project: string,
  lines: readonly TimelineLine[],
): string {
  const shown = newest(lines)
  const out = [
    `# Timeline of ${wordsInMarkdown(checkName(check))}`,
    '',
    `${wordsInMarkdown(project)}, times in UTC.`,
  ]
  if (shown.length < lines.length)
    out.push('', `${lines.length - shown.length} earlier lines are left out.`)
  let day = ''
  for (const line of shown) {
    const at = new Date(line.at).toISOString()
    if (at.slice(0, 10) !== day) {
      day = at.slice(0, 10)
      out.push('', `## ${day}`, '')
    }
    out.push(...linesOf(line))
  }
  return `${out.join('\n')}\n`
}

/** The clipboard command accepts 100,000 characters; the newest lines matter most. */
const longest = 90_000

function newest(lines: readonly TimelineLine[]): readonly TimelineLine[] {
  let length = 0
  const from = lines.findLastIndex((line) => {
    length += linesOf(line).join('\n').length + 1
    return length > longest
  })
  return lines.slice(from + 1)
}

function linesOf(line: TimelineLine): string[] {
  const time = new Date(line.at).toISOString().slice(11, 19)
  const quoted = line.detail === null ? [] : quote(line.detail)
  return [`- ${time} ${mark(line, wordsInMarkdown(line.text))}`, ...quoted]
}

function mark({ kind }: TimelineLine, words: string): string {
  if (kind === 'flip') return `**${words}**`
  return kind === 'message' ? `**${words}** wrote:` : words
}

/** The rest of a longer message is in the chat. */
const longestQuote = 2_000

function quote(text: string): string[] {
  const signs = [...text]
  const shown = signs.length > longestQuote ? `${signs.slice(0, longestQuote).join('')}…` : text
  return shown.split('\n').map((line) => `  > ${wordsInMarkdown(line)}`)
}
