import { causeWords } from '../checks/cause.ts'
import { outageCountWords } from '../checks/past.ts'
import { wordsInMarkdown } from '../markdown.ts'
import type { ListedOutage, OutageGap } from '../outages/outage-list.ts'
import { withoutSecrets } from '../secrets.ts'
import { durationWords } from '../time.ts'
import { type Days, dayAt, readDays } from '../typed-day.ts'
import { counted, dateWords, listWords, numberWords } from '../wording.ts'
import { type CheckFilter, matchesFilter, parseCheckFilter } from './check-filter.ts'
import { type Copied, csvRecord, csvText, fitting } from './copied.ts'

export const outageKinds = ['down', 'possible', 'unknown'] as const
export type OutageKind = (typeof outageKinds)[number]

export const kindWords: Readonly<Record<OutageKind, string>> = {
  down: 'Down',
  possible: 'Possibly down',
  unknown: 'Not known',
}

export interface OutageFilter {
  readonly checks: CheckFilter
  /** The same as text: all but the day. */
  readonly words: string
  /** Null: any. */
  readonly days: Days | null
}

/** The most words that name a day: "the day before yesterday". */
const mostDayWords = 4

/**
 * Parses the words of the board's filter and, among them, a day as people type it: "backup tuesday",
 * "#db last week". Of several days the last one counts; in quotes, a word is text.
 */
export function parseOutageFilter(
  text: string,
  tags: readonly string[],
  now: number,
): OutageFilter {
  const words = text.match(/(?:"[^"]*"?|[^\s"])+/g) ?? []
  let days: Days | null = null
  const rest: string[] = []
  for (let at = 0; at < words.length; ) {
    const found = daysAt(words, at, now)
    if (found === null) rest.push(words[at] ?? '')
    else ({ days } = found)
    at += found?.words ?? 1
  }
  const left = rest.join(' ')
  return { checks: parseCheckFilter(left, tags), words: left, days }
}

/** The text with this day in place of any that it names; null: with none. */
export function withDay(text: string, day: number | null, now: number): string {
  const { words } = parseOutageFilter(text, [], now)
  if (day === null) return words
  const date = new Date(day)
  const isThisYear = date.getFullYear() === new Date(now).getFullYear()
  const named = `${date.getDate()} ${monthNames[date.getMonth()]}`
  return `${words} ${named}${isThisYear ? '' : ` ${date.getFullYear()}`}`.trim()
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

function daysAt(words: readonly string[], at: number, now: number) {
  for (let count = Math.min(mostDayWords, words.length - at); count > 0; count -= 1) {
    const days = readDays(words.slice(at, at + count).join(' '), now)
    if (days !== null) return { days, words: count }
  }
  return null
}

/** Whether an outage lasted at some time of these days. */
export function touches({ from, to }: Pick<ListedOutage, 'from' | 'to'>, days: Days): boolean {
  return from < days.to && to >= days.from
}

/** Whether the words of the filter match the outage; its days are looked at by `touches`. */
export function matchesOutage(filter: CheckFilter, outage: ListedOutage): boolean {
  const { name, tags, project, kind, from, to } = outage
  const status = kind === 'down' ? ('down' as const) : ('unknown' as const)
  // Its reason is found like a slug; "down:>1h" is about how long it lasted.
  const check = { name, tags, status, since: from, slug: plainReason(outage) }
  const rest = { started: false, nextPingAt: null, graceSeconds: 0 }
  return matchesFilter(filter, { ...check, ...rest }, project, to)
}

/** "Failed at 11:06: disk full"; empty if it isn't known. Its times are by the server's clock. */
export function reasonWords({ cause, from }: Pick<ListedOutage, 'cause' | 'from'>): string {
  return cause === null || cause.kind === 'unknown' ? '' : causeWords(cause, from, 0)
}

export function gapWords({ why, checks }: OutageGap): string {
  switch (why) {
    case 'unread':
      return `Before Belfry watched it: the history of ${counted(checks, 'check')} is not read`
    case 'owed':
      return `${counted(checks, 'check')} may have been down unseen: their history is being read`
    case 'stale':
      return 'The project was not updated'
    case 'many':
      return 'More was recorded than is listed here'
  }
}

/** For each day, oldest first, its hours: how many outages lasted at some time of each. */
export function hoursOfDays(
  outages: readonly ListedOutage[],
  days: readonly Days[],
): readonly (readonly HourCount[])[] {
  return days.map(({ from, to }) => {
    const own = outages.filter((one) => touches(one, { from, to }))
    const date = new Date(from)
    const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()]
    return Array.from({ length: 24 }, (_, hour) => {
      const begin = new Date(year, month, day, hour).getTime()
      const end = new Date(year, month, day, hour + 1).getTime()
      const there = own.filter((one) => one.from < end && one.to >= begin)
      const down = there.filter(({ kind }) => kind === 'down').length
      return { from: begin, to: end, down, possible: there.length - down }
    })
  })
}

/** An hour of the clock, epoch ms: empty, or two hours long, where clocks change. */
export interface HourCount extends Days {
  readonly down: number
  readonly possible: number
}

/** "Tue 24 Nov". */
export function dayWords(at: number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  const year = isThisYear ? {} : { year: 'numeric' as const }
  return dateWords(at, { weekday: 'short', day: 'numeric', month: 'short', ...year })
}

/** "Tue 24 Nov", or "16 Nov to 22 Nov" for several days. */
export function daysWords({ from, to }: Days, now: number): string {
  const last = dayAt(to - 1).from
  return last <= from ? dayWords(from, now) : `${dayWords(from, now)} to ${dayWords(last, now)}`
}

/** "2 outages, 1 possible; down 2 h 5 min": of a day or a week. */
export function summaryWords(outages: readonly ListedOutage[], { from, to }: Days): string {
  if (outages.length === 0) return 'no outages'
  const ms = outages
    .filter(({ kind }) => kind === 'down')
    .reduce((sum, one) => sum + Math.min(one.to, to) - Math.max(one.from, from), 0)
  return `${outageCountWords(outages)}${ms > 0 ? `; down ${durationWords(ms)}` : ''}`
}

/** As Markdown for a chat or a ticket, by day, in UTC, as its readers are in many time zones. */
export function outagesMarkdown(
  outages: readonly ListedOutage[],
  gaps: readonly OutageGap[],
  title: string,
): Copied {
  const lines = fitting(outages, markdownLine)
  const count = lines.length
  let day = ''
  const out = [`# ${wordsInMarkdown(title)}`, '', 'Times in UTC, newest first.']
  for (const [at, line] of lines.entries()) {
    const iso = new Date(outages[at]?.from ?? 0).toISOString().slice(0, 10)
    if (iso !== day) out.push('', `## ${iso}`, '')
    day = iso
    out.push(line)
  }
  if (outages.length === 0) out.push('', 'No outages.')
  if (count < outages.length)
    out.push('', `${numberWords(outages.length - count)} older ones are left out.`)
  if (gaps.length > 0) out.push('', '## Not known', '', ...gaps.map(gapMarkdown))
  return { text: `${out.join('\n')}\n`, count }
}

function gapMarkdown(gap: OutageGap): string {
  const time = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ')
  const when = `${time(gap.from)} to ${time(gap.to)}`
  return `- ${wordsInMarkdown(gap.project)}, ${when}: ${gapWords(gap)}`
}

function markdownLine(outage: ListedOutage): string {
  const { name, project, from, to, isOver, kind, by } = outage
  const time = (at: number) => new Date(at).toISOString().slice(11, 16)
  const when = isOver ? `${time(from)} to ${time(to)}` : `since ${time(from)}`
  const why = plainReason(outage)
  const what = [
    `${when} (${durationWords(to - from)}${isOver ? '' : ' so far'})`,
    ...(kind === 'possible' ? ['possibly down'] : []),
    ...(why === '' ? [] : [wordsInMarkdown(why)]),
    ...(by.length > 0 ? [`acknowledged by ${wordsInMarkdown(listWords(by))}`] : []),
  ]
  return `- **${wordsInMarkdown(name)}** (${wordsInMarkdown(project)}): ${what.join(', ')}`
}

/** Without its times, which would be this computer's. */
function plainReason({ cause }: Pick<ListedOutage, 'cause'>): string {
  if (cause === null || cause.kind === 'unknown') return ''
  const line = cause.kind === 'failed' && cause.line !== null ? `: ${cause.line}` : ''
  return `${causeKinds[cause.kind]}${line}`
}

const causeKinds = { failed: 'failed', missed: 'no ping', overran: 'ran too long' } as const

const columns = [
  'check',
  'project',
  'tags',
  'kind',
  'from',
  'to',
  'seconds',
  'reason',
  'acknowledged by',
]

/** As comma-separated values, times in UTC; what is not known comes first. */
export function outagesCsv(outages: readonly ListedOutage[], gaps: readonly OutageGap[]): Copied {
  const recordOf = ({ check, project, tags, kind, from, to, seconds, reason, by }: Fields) => {
    const about = [check ?? '', project, tags.join(' '), kind, from, to ?? '', String(seconds)]
    return csvRecord([...about, reason, by.join(', ')])
  }
  const lines = fitting(outages, (one) => recordOf(fieldsOf(one)))
  const unknown = gaps.map((gap) => recordOf(gapFields(gap)))
  return { text: csvText(columns, [...unknown, ...lines]), count: lines.length }
}

/** As a JSON array, with the same records. */
export function outagesJson(outages: readonly ListedOutage[], gaps: readonly OutageGap[]): Copied {
  const lines = fitting(outages, (one) => JSON.stringify(fieldsOf(one)))
  const unknown = gaps.map((gap) => JSON.stringify(gapFields(gap)))
  return { text: `[\n${[...unknown, ...lines].join(',\n')}\n]\n`, count: lines.length }
}

type Fields = ReturnType<typeof fieldsOf>

function fieldsOf({ from, to, isOver, ...one }: ListedOutage) {
  return {
    check: withoutSecrets(one.name) as string | null,
    project: one.project,
    tags: one.tags,
    kind: kindWords[one.kind].toLowerCase(),
    from: new Date(from).toISOString(),
    /** Null: not over. */
    to: isOver ? new Date(to).toISOString() : null,
    seconds: Math.round((to - from) / 1_000),
    reason: withoutSecrets(plainReason(one)),
    by: one.by,
  }
}

function gapFields(gap: OutageGap): Fields {
  return {
    check: null,
    project: gap.project,
    tags: [],
    kind: 'not known',
    from: new Date(gap.from).toISOString(),
    to: new Date(gap.to).toISOString(),
    seconds: Math.round((gap.to - gap.from) / 1_000),
    reason: gapWords(gap),
    by: [],
  }
}
