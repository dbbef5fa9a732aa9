import { outcomeLabels } from '../attention/notice.ts'
import { howWords } from '../attention/silence.ts'
import type { Message } from '../chat/message.ts'
import { type Check, type CheckStatus, checkName, isLate } from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { type Flip, type HistoryEntry, type SeenStatus, statusIn } from '../checks/history.ts'
import { pastOf } from '../checks/past.ts'
import { outagesOf, pastWord } from '../checks/past-parts.ts'
import { type Ping, signalLabels } from '../checks/ping.ts'
import { wordsInMarkdown } from '../markdown.ts'
import { fieldsOf } from '../schemas.ts'
import { withoutSecrets } from '../secrets.ts'
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

function flipLines(facts: TimelineFacts): TimelineLine[] {
  // Only Belfry saw that it was late.
  const late = facts.entries
    .flatMap((entry) => statusIn(entry) ?? [])
    .filter(({ to }) => isLate(to))
  const parts = pastOf({ ...facts, ...everything })
  const outages = outagesOf(parts)
  const lines = parts.flatMap(({ from: at, state }, index) => {
    const before = parts[index - 1]
    if (before === undefined || state === 'unknown') return []
    const ended = outages.find(({ to }) => to === at) ?? before
    const forMs = state === 'up' && ended.state !== 'unknown' ? ended.to - ended.from : null
    const status: CheckStatus = state === 'unsure' ? 'unknown' : state
    const text = `${pastWord(state)}${forMs === null ? '' : ` after ${durationWords(forMs)}`}`
    return { ...bare, kind: 'flip' as const, key: `flip ${at} ${index}`, at, text, status }
  })
  return [...lines, ...late.map(statusLine)]
}

/** Lines before and after the wanted range are left out later. */
const everything = {
  from: 0,
  now: Number.MAX_SAFE_INTEGER,
  knownUntil: Number.MAX_SAFE_INTEGER,
  watchedFrom: 0,
}

function statusLine({ at, to }: SeenStatus, index: number): TimelineLine {
  const key = `status ${at} ${index}`
  return { ...bare, kind: 'flip', key, at, text: statusWord(to), status: to }
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
  const outcome = outcomeWords.get(fields['outcome']) ?? 'Notification'
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
    return `You shared ${fields['status'] === 'up' ? 'that it is up again' : 'it'} in the chat`
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

/** Masked before it is cut, and whole, as a private key has many lines. */
function quote(text: string): string[] {
  const masked = withoutSecrets(text)
  const signs = [...masked]
  const shown = signs.length > longestQuote ? `${signs.slice(0, longestQuote).join('')}…` : masked
  return shown.split('\n').map((line) => `  > ${wordsInMarkdown(line)}`)
}
