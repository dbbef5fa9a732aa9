import { type Cause, causeWords } from '../checks/cause.ts'
import { type Check, type CheckId, type CheckStatus, checkName } from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { linesToShare } from '../checks/output.ts'
import type { Ping } from '../checks/ping.ts'
import { scheduleWords } from '../checks/schedule-words.ts'
import { nameInMarkdown } from '../markdown.ts'
import { withoutSecrets } from '../secrets.ts'
import { codePointLength } from '../text-length.ts'
import { durationWords, periodWords } from '../time.ts'

/** The last line of a report, as other people's Belfry reads it. */
interface OutageMark {
  /** The first characters of the check's id. */
  readonly key: string
  /** As in `statusWord`. */
  readonly word: string
}

const keyLength = 8

function markKey(checkId: CheckId): string {
  return checkId.replace(/[^\w-]/g, '').slice(0, keyLength)
}

/** "outage 3f2a91bc · down since 2026-03-17 12:03 UTC": read by people and by their Belfry. */
export function outageMark(checkId: CheckId, status: CheckStatus, since: number): string {
  const at = new Date(since).toISOString().slice(0, 16).replace('T', ' ')
  return `\`outage ${markKey(checkId)} · ${statusWord(status)} since ${at} UTC\``
}

const markLine = /^`?outage ([\w-]{1,8}) · (\w+) since \d{4}-\d\d-\d\d \d\d:\d\d UTC`?$/

/** The mark in the last line of a message, as typed or rendered to plain text. */
export function readMark(text: string): OutageMark | null {
  const line = markLine.exec(text.trimEnd().split('\n').at(-1)?.trim() ?? '')
  return line?.[1] === undefined || line[2] === undefined ? null : { key: line[1], word: line[2] }
}

/** Whether the text reports this status of this check. */
export function reportsOutage(text: string, checkId: CheckId, status: CheckStatus): boolean {
  const mark = readMark(text)
  return mark !== null && mark.key === markKey(checkId) && mark.word === statusWord(status)
}

/** The text with the mark as its last line, even if its author changed or deleted it. */
export function withMark(text: string, mark: string): string {
  const had = readMark(text)
  const plain = had === null ? text : text.trimEnd().split('\n').slice(0, -1).join('\n')
  return `${plain.trimEnd()}\n\n${mark}`
}

interface ReportFacts {
  readonly check: Check
  /** Null if the check is neither down nor late. */
  readonly cause: Cause | null
  /** The account's label. */
  readonly project: string
  /** The check's page on the service's web site, without its uuid. */
  readonly webUrl: string
  /** Our clock plus the board's offset. */
  readonly serverNow: number
  /** Newest first. */
  readonly pings: readonly Ping[]
  /** The output of the failed job; null if unknown. */
  readonly output: string | null
  /** The chat server's limit, in code points. */
  readonly limit: number
}

const mostLines = 20
const longestLine = 300
const mostPings = 3

/** The report, ready to be sent: what, since when, why, schedule, link, last pings, last output. */
export function reportText(facts: ReportFacts): string {
  const { check, serverNow } = facts
  const since = check.since ?? serverNow
  const head = [headLine(facts), causeLine(facts), scheduleLine(facts)]
    .filter((line) => line !== null)
    .join('\n')
  const mark = outageMark(check.id, check.status, since)
  const parts = (output: string | null) =>
    withoutSecrets(
      [head, pingLines(facts), output].filter((part) => part !== null && part !== '').join('\n\n'),
    )
  const lines = linesToShare(facts.output ?? '')
  for (let kept = Math.min(mostLines, lines.length); kept > 0; kept -= 1) {
    const text = `${parts(outputBlock(lines, kept))}\n\n${mark}`
    if (codePointLength(text) <= facts.limit) return text
  }
  return `${parts(null)}\n\n${mark}`
}

function headLine({ check, project, serverNow }: ReportFacts): string {
  const name = nameInMarkdown(checkName(check))
  const word = statusWord(check.status)
  const since =
    check.since === null
      ? ''
      : ` since ${chatTime(check.since)} (${durationWords(serverNow - check.since)})`
  return `${name} of ${nameInMarkdown(project)} is **${word}**${since}.`
}

function causeLine({ cause, serverNow }: ReportFacts): string | null {
  if (cause === null) return null
  const said = cause.kind === 'failed' && cause.line !== null
  const shown = said ? { ...cause, line: nameInMarkdown(cause.line ?? '') } : cause
  return `${causeWords(shown, serverNow, 0, chatTime)}${said ? '' : '.'}`
}

function scheduleLine({ check, webUrl }: ReportFacts): string {
  const schedule = nameInMarkdown(scheduleWords(check.schedule))
  return `Expected ${schedule} with ${periodWords(check.graceSeconds)} grace. [Open the check](${webUrl})`
}

/** Each reader sees it in their own zone (chat help, "Global times"). */
export function chatTime(at: number): string {
  return `<time:${new Date(at).toISOString().slice(0, 19)}Z>`
}

const pingWords: Readonly<Record<Ping['kind'], string>> = {
  success: 'success',
  start: 'start',
  fail: 'failed',
  log: 'log',
  ignored: 'ignored',
  unknown: 'signal',
}

function pingLines({ pings }: ReportFacts): string {
  if (pings.length === 0) return ''
  const lines = pings.slice(0, mostPings).map(({ kind, at, durationSeconds }) => {
    const took = durationSeconds === null ? '' : ` after ${durationWords(durationSeconds * 1000)}`
    return `* ${chatTime(at)}: ${pingWords[kind]}${took}`
  })
  return `Last pings:\n${lines.join('\n')}`
}

/** The last lines as code, in which nothing is a mention, and which no run of backticks ends. */
function outputBlock(lines: readonly string[], kept: number): string {
  const shown = lines.slice(-kept).map((line) => cutLine(line))
  const runs = shown.join('\n').match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)))
  const cut = kept < lines.length ? `, the last ${kept} of ${lines.length} lines` : ''
  return `Last output${cut}:\n${fence}text\n${shown.join('\n')}\n${fence}`
}

function cutLine(line: string): string {
  const signs = [...line]
  return signs.length <= longestLine ? line : `${signs.slice(0, longestLine).join('')}…`
}

/** The text about a later change, for the same topic. */
export function updateText(check: Check, outageSince: number, serverNow: number): string {
  const since = check.since ?? serverNow
  const name = nameInMarkdown(checkName(check))
  const again =
    check.status === 'up'
      ? `up again after ${durationWords(since - outageSince)}`
      : `${statusWord(check.status)} since ${chatTime(since)}`
  return `${name} is **${again}**.\n\n${outageMark(check.id, check.status, since)}`
}
