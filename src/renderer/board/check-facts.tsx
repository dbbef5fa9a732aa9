import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import type { Board } from '#shared/core/checks/board.ts'
import {
  causeOf,
  causeWords,
  evidenceIn,
  hasCause,
  lastFailure,
  missedAt,
  nextExpectedAt,
} from '#shared/core/checks/cause.ts'
import { type Check, type CheckDetails, integrationName } from '#shared/core/checks/check.ts'
import { goesDownAt, runningSince } from '#shared/core/checks/check-words.ts'
import { lineThatMatters } from '#shared/core/checks/line-that-matters.ts'
import { isNewTo } from '#shared/core/checks/output.ts'
import type { Ping } from '#shared/core/checks/ping.ts'
import { runWords } from '#shared/core/checks/runs.ts'
import { scheduleWords, skippedMonths } from '#shared/core/checks/schedule-words.ts'
import { atClockWords, clockWords, periodWords, relativeWords } from '#shared/core/time.ts'
import { counted, numberWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { messageLink } from '../chat/message-link.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { FoldSummary } from '../parts/fold.tsx'
import { namesAnotherHost } from '../parts/named-sites.ts'
import { Timestamp } from '../parts/time-ago.tsx'
import { type Asked, integrationsOf, useRun } from '../run.ts'
import { toastIfFailed } from '../toast.ts'
import { BodyText, ComparedOutputs, missingWords, useBody } from './run-output.tsx'
import { readsPings } from './use-details.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  /** Null until they have loaded. */
  readonly details: CheckDetails | null
  readonly serverNow: number
}

/** The facts that differ from what a new check begins with, and the others when they are asked for. */
export function CheckFacts(props: Props) {
  const all = [...scheduleFacts(props), ...timeFacts(props), ...ruleFacts(props)]
  const usual = all.filter(({ isUsual }) => isUsual)
  return (
    <section aria-label="Facts">
      <Facts facts={all.filter(({ isUsual }) => !isUsual)} />
      {usual.length > 0 && (
        <details class="facts-more">
          <FoldSummary>{counted(usual.length, 'more fact')}, as usual</FoldSummary>
          <Facts facts={usual} />
        </details>
      )}
    </section>
  )
}

interface Fact {
  readonly name: string
  readonly value: ComponentChildren
  /** It says what is so of most checks. */
  readonly isUsual?: boolean
}

function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, value }) => (
        <div key={name} class="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What the service gives a check of which nothing is said. */
const usual = { graceSeconds: 3_600, zone: 'UTC' }

function scheduleFacts({ check: { schedule, graceSeconds } }: Props): readonly Fact[] {
  const words = scheduleWords(schedule)
  const skips = schedule.kind === 'period' ? null : skippedMonths(schedule)
  const isInWords = (expression: string) =>
    expression.split('\n').every((line) => words.includes(line.trim()))
  const grace: Fact = {
    name: 'Grace',
    isUsual: graceSeconds === usual.graceSeconds,
    value: (
      <>
        {periodWords(graceSeconds)} <span class="raw fact-raw">{graceSeconds} s</span>
      </>
    ),
  }
  if (schedule.kind === 'period') {
    const period = (
      <>
        {words} <span class="raw fact-raw">{schedule.periodSeconds} s</span>
      </>
    )
    return [{ name: 'Period', value: period }, grace]
  }
  const { expression, zone } = schedule
  const plan = (
    <>
      {!isInWords(expression) && `${words} `}
      <code>{expression}</code>
      {skips !== null && ` ${skips}`}
    </>
  )
  return [
    { name: schedule.kind === 'cron' ? 'Cron schedule' : 'Calendar schedule', value: plan },
    { name: 'Time zone', value: zone, isUsual: zone === usual.zone },
    grace,
  ]
}

function timeFacts({ check, serverNow }: Props): readonly Fact[] {
  const { lastPingAt, status, started, lastDurationSeconds: took, pingCount } = check
  const expected = status === 'down' ? missedAt(check, serverNow) : nextExpectedAt(check)
  const deadline = goesDownAt(check)
  const since = runningSince(check, serverNow)
  const moment = (at: number) => <Moment at={at} serverNow={serverNow} />
  const noPing = pingCount > 0 ? 'no success or failure since it was created or resumed' : 'never'
  return [
    { name: 'Last ping', value: lastPingAt === null ? noPing : moment(lastPingAt) },
    {
      name: expected !== null && expected < serverNow ? 'Was expected' : 'Next expected',
      value: expected === null ? nothingWords(check) : moment(expected),
    },
    ...(deadline === null ? [] : [{ name: 'Goes down', value: moment(deadline) }]),
    ...(started ? [{ name: 'Running', value: since === null ? 'yes' : moment(since) }] : []),
    {
      name: 'Last run took',
      value: took === null ? 'not measured' : runWords(took),
      isUsual: took === null,
    },
    { name: 'Pings', value: numberWords(pingCount), isUsual: true },
  ]
}

/** Why no ping is expected. */
function nothingWords({ status, manualResume, started }: Check): string {
  if (started) return 'nothing until this run ends'
  if (status === 'paused' && manualResume) return 'nothing until it is resumed'
  return status === 'up' || status === 'unknown' ? 'nothing' : 'nothing until it is pinged'
}

function Moment({ at, serverNow }: { readonly at: number; readonly serverNow: number }) {
  return (
    <Timestamp at={at}>
      {clockWords(at, serverNow)} <span class="raw fact-raw">{relativeWords(at, serverNow)}</span>
    </Timestamp>
  )
}

/** The names once they are read, until then a count: the check itself has only ids. */
function Integrations(props: { account: MonitoringAccount; details: CheckDetails }) {
  const { integrationIds } = props.details
  const wanted = integrationIds ?? []
  const { value: named } = useRun(
    wanted.length > 0 ? wanted.join(' ') : null,
    () => integrationsOf(props.account.id),
    (all) => all.filter((one) => wanted.includes(one.id)),
  )
  if (integrationIds === null) return 'not visible with a read-only key'
  if (integrationIds.length === 0) return 'none'
  return named?.map(integrationName).join(', ') || `${integrationIds.length}`
}

const filterWords: Readonly<Record<CheckDetails['filters'][number], string>> = {
  subject: 'e-mail subject',
  body: 'e-mail body',
  httpBody: 'HTTP body',
  defaultFail: 'anything else is a failure',
}

function ruleFacts({ account, check, details }: Props): readonly Fact[] {
  const tags = (
    <span class="fact-tags">
      {check.tags.map((tag) => (
        <bdi key={tag}>#{tag}</bdi>
      ))}
    </span>
  )
  const isTagged = check.tags.length > 0
  const tagFact = { name: 'Tags', value: isTagged ? tags : 'none', isUsual: !isTagged }
  if (details === null) return [tagFact]
  const { methods, manualResume, filters, keywords, slug, integrationIds } = details
  const rules: readonly (readonly [name: string, value: string])[] = [
    ['Slug', slug],
    ['Accepts', methods === 'POST' ? 'POST only' : ''],
    ['After a pause', manualResume ? 'resumed by hand only' : ''],
    ['Keywords in', filters.map((filter) => filterWords[filter]).join(', ')],
    ['Start keywords', keywords.start],
    ['Success keywords', keywords.success],
    ['Failure keywords', keywords.failure],
  ]
  return [
    tagFact,
    {
      name: 'Integrations',
      value: <Integrations account={account} details={details} />,
      // Nobody is told: that must be seen.
      isUsual: integrationIds !== null && integrationIds.length > 0,
    },
    ...rules.flatMap(([name, value]) => (value === '' ? [] : [{ name, value }])),
  ]
}

interface CauseProps {
  readonly account: MonitoringAccount
  readonly board: Board
  readonly check: Check
  readonly pings: Asked<readonly Ping[]>
  readonly serverNow: number
}

/** Why a check is down or late, in words, and what its job sent. */
export function useCause({ account, board, check, pings, serverNow }: CauseProps) {
  const log = hasCause(check) ? pings.value : null
  const failure = log === null ? null : lastFailure(log)
  const good = log?.find(({ kind }) => kind === 'success') ?? null
  const output = useBody(account.id, check.id, bodyNumber(failure))
  const earlier = useBody(account.id, check.id, bodyNumber(failure && good))
  const read = board.logs.get(check.id) ?? null
  const line = output.value === null ? null : lineThatMatters(output.value)
  const known = read?.failure?.n === failure?.n ? (read?.failure?.line ?? null) : null
  const evidence = log === null ? read : evidenceIn(check, log, line ?? known)
  const cause = causeOf(check, evidence, serverNow)
  const words = cause && causeWords(cause, serverNow, board.serverOffsetMs)
  return { words, failure, good, output, earlier }
}

function bodyNumber(ping: Ping | null): number | null {
  return ping?.hasBody === true ? ping.n : null
}

type Shown = Omit<ReturnType<typeof useCause>, 'words'>

/** What the failed run sent, and which of its lines are new since the last good one. */
export function CauseEvidence(props: Shown & Pick<CauseProps, 'account' | 'check' | 'serverNow'>) {
  const { account, check, failure, good, output, earlier, serverNow } = props
  const [compares, setCompares] = useState(false)
  if (!hasCause(check)) return null
  if (!readsPings(account, check))
    return (
      <p class="note cause-note">
        It is expected {scheduleWords(check.schedule)}, with {periodWords(check.graceSeconds)}{' '}
        grace. A read-only key can’t read pings, so Belfry can’t show what the job sent.
      </p>
    )
  if (failure === null) return null
  const isEmpty = !failure.hasBody || output.value?.trim() === ''
  const isNew = earlier.value === null ? undefined : isNewTo(earlier.value)
  const both =
    good === null || earlier.value === null || output.value === null || isEmpty
      ? null
      : {
          earlier: {
            name: `the good run of ${clockWords(good.at, serverNow)}`,
            text: earlier.value,
          },
          later: {
            name: `the failure of ${clockWords(failure.at, serverNow)}`,
            text: output.value,
          },
        }
  return (
    <section class="cause" aria-label="What it sent">
      {both !== null && (
        <div class="button-row">
          <Button kind="quiet" onClick={() => setCompares(!compares)}>
            {compares ? 'Show the output alone' : 'Compare with last good'}
          </Button>
        </div>
      )}
      {both !== null && compares ? (
        <ComparedOutputs {...both} />
      ) : (
        output.value !== null &&
        !isEmpty && (
          <BodyText
            label={`Output of ping ${failure.n}, the last failed run`}
            text={output.value}
            isMarked={isNew}
            markedBy={earlier.value ?? ''}
          />
        )
      )}
      {output.failure !== null && <p class="note">{missingWords(output.failure)}</p>}
      {isEmpty && <p class="note">The job sent no output with this failure.</p>}
      <p class="note">
        {good === null
          ? 'None of the logged runs succeeded.'
          : `The last good run ended ${atClockWords(good.at, serverNow)}${tookWords(failure, good)}.`}
        {isNew !== undefined && !isEmpty && !compares && ' Highlighted lines are new since then.'}
      </p>
    </section>
  )
}

function tookWords(failed: Ping, good: Ping): string {
  const [now, then] = [failed.durationSeconds, good.durationSeconds]
  if (then === null) return now === null ? '' : `; this one took ${runWords(now)}`
  return ` and took ${runWords(then)}${now === null ? '' : `; this one took ${runWords(now)}`}`
}

interface Block {
  readonly kind: 'text' | 'heading' | 'bullets' | 'numbers' | 'quote' | 'code'
  readonly lines: string[]
}

const starts: readonly (readonly [Block['kind'], RegExp])[] = [
  ['heading', /^ {0,3}#{1,6}\s+/],
  ['bullets', /^\s*[-*+]\s+/],
  ['numbers', /^\s*\d{1,9}[.)]\s+/],
  ['quote', /^ {0,3}> ?/],
]

function blocksOf(all: readonly string[]): readonly Block[] {
  const blocks: Block[] = []
  let open = null as Block | null
  for (const line of all) {
    const isFence = /^ {0,3}(?:```|~~~)/.test(line)
    if (open?.kind === 'code') {
      if (isFence) open = null
      else open.lines.push(line)
      continue
    }
    const [kind, mark] = starts.find(([, start]) => start.test(line)) ?? ['text', null]
    if (line.trim() === '') {
      open = null
      continue
    }
    if (isFence || open?.kind !== kind || kind === 'heading') {
      open = { kind: isFence ? 'code' : kind, lines: [] }
      blocks.push(open)
    }
    if (!isFence) open.lines.push(mark === null ? line : line.replace(mark, ''))
  }
  return blocks
}

/** What is drawn of a description before "Show more", and by each press of it. */
const part = { lines: 100, characters: 5_000 }

/** The description of a check, in basic Markdown. HTML is shown as text, and nothing is loaded. */
export function Description({ text }: { readonly text: string }) {
  const [parts, setParts] = useState(1)
  const lines = text.slice(0, parts * part.characters).split(/\r\n|\r|\n/)
  const isWhole = text.length <= parts * part.characters && lines.length <= parts * part.lines
  return (
    <div class="detail-description" dir="auto">
      {blocksOf(lines.slice(0, parts * part.lines)).map(({ kind, lines }, at) => {
        const key = `${kind} ${at}`
        const items = lines.map((line, n) => <li key={`${n} ${line}`}>{inline(line)}</li>)
        if (kind === 'code') return <pre key={key}>{lines.join('\n')}</pre>
        if (kind === 'bullets') return <ul key={key}>{items}</ul>
        if (kind === 'numbers') return <ol key={key}>{items}</ol>
        const rows = lines.flatMap((line, n) => [
          ...(n > 0 ? [<br key={`br ${n} ${line}`} />] : []),
          ...inline(line),
        ])
        if (kind === 'quote') return <blockquote key={key}>{rows}</blockquote>
        return <p key={key}>{kind === 'heading' ? <strong>{rows}</strong> : rows}</p>
      })}
      {!isWhole && (
        <Button kind="quiet" onClick={() => setParts(parts + 1)}>
          Show more
        </Button>
      )}
    </div>
  )
}

/** Longer lines are not prose, and matching `signs` in them could take long. */
const longestLine = 2_000

const signs =
  /`([^`]+)`|\[([^[\]]+)\]\(\s*<?([^\s<>()]+(?:\([^\s<>()]*\)[^\s<>()]*)*)>?\s*\)|<?(https?:\/\/[^\s<>"`]+)>?|\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])|(?<!\w)_([^_\s][^_]*)_(?!\w)/g

function inline(line: string): ComponentChildren[] {
  if (line.length > longestLine) return [line]
  const parts: ComponentChildren[] = []
  let done = 0
  for (const match of line.matchAll(signs)) {
    const [whole, code, words, to, address, strong, starred, scored] = match
    // Punctuation that ends the sentence is not part of an address.
    const bare = address?.replace(/[.,;:!?'*_]+$|\)(?<!\([^()]*\))$/, '')
    const length = bare === undefined ? whole.length : whole.indexOf(bare) + bare.length
    parts.push(line.slice(done, match.index))
    if (code !== undefined) parts.push(<code>{code}</code>)
    else if (to !== undefined) parts.push(<Link text={words ?? to} to={to} />)
    else if (bare !== undefined) parts.push(<Link text={bare} to={bare} />)
    else if (strong !== undefined) parts.push(<strong>{inline(strong)}</strong>)
    else parts.push(<em>{inline(starred ?? scored ?? '')}</em>)
    done = match.index + (whole.startsWith('<') && whole.endsWith('>') ? whole.length : length)
  }
  return [...parts, line.slice(done)]
}

/** Opening such an address would send a ping. */
const pingAddress = /(?:hc-ping\.com|\/ping)\/\S*[\w-]/i

/** Opens in the user's own browser. If the text names another site, links the address instead. */
function Link({ text, to }: { readonly text: string; readonly to: string }) {
  const isSafe = /^(?:https?:|mailto:)/i.test(to) && !pingAddress.test(to)
  const link = isSafe ? messageLink(to, 'https://none.invalid') : null
  if (link === null) return <>{text}</>
  const isHonest = !namesAnotherHost(text, link)
  return (
    <>
      {!isHonest && `${text} `}
      <LinkButton title={link.url} onClick={() => toastIfFailed(call.openLink({ url: link.url }))}>
        {isHonest ? text : link.url}
      </LinkButton>
    </>
  )
}
