import type { ComponentChildren } from 'preact'
import { useId, useMemo, useState } from 'preact/hooks'
import { readIntegrations } from '#shared/api/monitoring/read-history.ts'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { missedAt } from '#shared/core/checks/cause.ts'
import { type Check, type CheckDetails, integrationName } from '#shared/core/checks/check.ts'
import { goesDownAt, runningSince } from '#shared/core/checks/check-words.ts'
import { type Flip, shareASecond } from '#shared/core/checks/history.ts'
import { scheduleWords } from '#shared/core/checks/schedule-words.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { clockWords, durationWords, periodWords, relativeWords } from '#shared/core/time.ts'
import {
  flipStrip,
  type StripPart,
  type StripRange,
  type StripState,
  stripStateWords,
  stripWords,
} from '#shared/core/views/flip-strip.ts'
import { counted, numberWords } from '#shared/core/wording.ts'
import { Segments } from '../parts/button.tsx'
import { Timestamp } from '../parts/time-ago.tsx'
import { type Asked, run, useRun } from '../run.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  /** Null until they are there. */
  readonly details: CheckDetails | null
  readonly serverNow: number
}

export function CheckFacts({ account, check, details, serverNow }: Props) {
  return (
    <dl class="facts">
      <ScheduleFacts check={check} />
      <TimeFacts check={check} serverNow={serverNow} />
      <Fact name="Tags">
        {check.tags.length === 0 ? (
          'none'
        ) : (
          <span class="fact-tags">
            {check.tags.map((tag) => (
              <bdi key={tag}>#{tag}</bdi>
            ))}
          </span>
        )}
      </Fact>
      <Fact name="Integrations">
        {details !== null && <Integrations account={account} details={details} />}
      </Fact>
      {details !== null && <RuleFacts details={details} />}
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function ScheduleFacts({ check: { schedule, graceSeconds } }: Pick<Props, 'check'>) {
  const words = scheduleWords(schedule)
  return (
    <>
      {schedule.kind === 'period' ? (
        <Fact name="Period">
          {words} <span class="raw">{schedule.periodSeconds} s</span>
        </Fact>
      ) : (
        <>
          <Fact name={schedule.kind === 'cron' ? 'Cron schedule' : 'Calendar schedule'}>
            {!words.includes(schedule.expression) && `${words} `}
            <code>{schedule.expression}</code>
          </Fact>
          <Fact name="Time zone">{schedule.zone}</Fact>
        </>
      )}
      <Fact name="Grace">
        {periodWords(graceSeconds)} <span class="raw">{graceSeconds} s</span>
      </Fact>
    </>
  )
}

function TimeFacts({ check, serverNow }: Pick<Props, 'check' | 'serverNow'>) {
  const { lastPingAt, nextPingAt, status, started, lastDurationSeconds, pingCount } = check
  const expected = status === 'down' ? missedAt(check, serverNow) : nextPingAt
  const deadline = goesDownAt(check)
  const since = runningSince(check, serverNow)
  return (
    <>
      <Fact name="Last ping">
        {lastPingAt === null ? (
          pingCount > 0 ? (
            'none since resumed'
          ) : (
            'never'
          )
        ) : (
          <Moment at={lastPingAt} serverNow={serverNow} />
        )}
      </Fact>
      <Fact name="Next expected">
        {expected === null ? (
          nothingWords(check)
        ) : (
          <>
            <Moment at={expected} serverNow={serverNow} />
            {status === 'down' && ', overdue'}
          </>
        )}
      </Fact>
      {deadline !== null && (
        <Fact name="Goes down">
          <Moment at={deadline} serverNow={serverNow} />
        </Fact>
      )}
      {started && (
        <Fact name="Running">
          {since === null ? 'yes' : <Moment at={since} serverNow={serverNow} />}
        </Fact>
      )}
      <Fact name="Last run took">
        {lastDurationSeconds === null ? 'not measured' : durationWords(lastDurationSeconds * 1000)}
      </Fact>
      <Fact name="Pings">{numberWords(pingCount)}</Fact>
    </>
  )
}

/** Why no ping is expected. */
function nothingWords({ status, manualResume }: Check): string {
  if (status === 'paused' && manualResume) return 'nothing until it is resumed'
  return status === 'up' || status === 'unknown' ? 'nothing' : 'nothing until it is pinged'
}

function Moment({ at, serverNow }: { readonly at: number; readonly serverNow: number }) {
  return (
    <Timestamp at={at}>
      {clockWords(at, serverNow)} <span class="raw">{relativeWords(at, serverNow)}</span>
    </Timestamp>
  )
}

/** By name once the names are read: the check itself has only ids. */
function Integrations(props: { account: MonitoringAccount; details: CheckDetails }) {
  const { id } = props.account
  const { integrationIds } = props.details
  const wanted = integrationIds ?? []
  const { value: named } = useRun(
    wanted.length > 0 ? wanted.join(' ') : null,
    () => run(id, 'listIntegrations', {}),
    (reply) => readIntegrations(reply).items.filter((one) => wanted.includes(one.id)),
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

/** Rules, where they differ from the defaults. */
function RuleFacts({ details }: { readonly details: CheckDetails }) {
  const { methods, manualResume, filters, keywords, slug } = details
  return (
    <>
      {slug !== '' && <Fact name="Slug">{slug}</Fact>}
      {methods === 'POST' && <Fact name="Accepts">POST only</Fact>}
      {manualResume && <Fact name="After a pause">resumed by hand only</Fact>}
      {filters.length > 0 && (
        <Fact name="Keywords in">{filters.map((filter) => filterWords[filter]).join(', ')}</Fact>
      )}
      {keywords.start !== '' && <Fact name="Start keywords">{keywords.start}</Fact>}
      {keywords.success !== '' && <Fact name="Success keywords">{keywords.success}</Fact>}
      {keywords.failure !== '' && <Fact name="Failure keywords">{keywords.failure}</Fact>}
    </>
  )
}

const hour = 3_600_000
const spans = [
  { label: '24 h', ms: 24 * hour, ticks: ['24 h ago', '12 h', 'now'] },
  { label: '7 d', ms: 7 * 24 * hour, ticks: ['7 d ago', '3½ d', 'now'] },
  { label: '90 d', ms: 90 * 24 * hour, ticks: ['90 d ago', '45 d', 'now'] },
] as const

interface CheckStripProps {
  readonly check: Check
  readonly flips: Asked<readonly Flip[]>
  /** What Belfry saw itself, by the server's clock. */
  readonly seen: StripRange['seen']
  readonly serverNow: number
  /** When the check was last read, by the server's clock, if that is too long ago to go by. */
  readonly staleSince: number | null
}

/** The check's past as a strip, in words, and as a table of changes. */
export function CheckStrip({ check, flips, seen, serverNow, staleSince }: CheckStripProps) {
  const [span, setSpan] = useState<(typeof spans)[number]>(spans[0])
  const known = flips.value
  // The strip spans hours and need not be updated each second.
  const parts = useMemo(() => {
    const range = { now: serverNow, spanMs: span.ms, knownUntil: staleSince ?? serverNow, seen }
    return known === null ? null : flipStrip(check, known, range)
  }, [check, known, seen?.length, span, staleSince, Math.floor(serverNow / 10_000)])
  return (
    <section class="strip" aria-label="History">
      <header class="section-head">
        <h3>History</h3>
        <Segments
          label="How far back"
          options={spans.map((one) => [one, one.label] as const)}
          value={span}
          onChange={setSpan}
        />
      </header>
      {parts === null ? (
        <>
          <div class={`strip-blank ${flips.loading ? 'skeleton' : ''}`} />
          <p class="strip-words">
            {flips.failure === null ? 'Loading history…' : failureWords(flips.failure).what}
          </p>
        </>
      ) : (
        <>
          <StripPicture parts={parts} label={`Last ${span.label}: ${stripWords(parts)}`} />
          <div class="strip-ticks" aria-hidden="true">
            {span.ticks.map((tick) => (
              <span key={tick}>{tick}</span>
            ))}
          </div>
          <p class="strip-words">{stripWords(parts)}</p>
          {parts.length > 1 && <Changes parts={parts} flips={known ?? []} serverNow={serverNow} />}
        </>
      )}
    </section>
  )
}

const width = 1_000
const height = 24

/** States differ by height as well as colour: full for up, lower for others, a line for unknown. */
const bars: Readonly<Record<StripState, { readonly y: number; readonly height: number }>> = {
  up: { y: 0, height: 24 },
  down: { y: 8, height: 16 },
  notUp: { y: 8, height: 16 },
  paused: { y: 15, height: 9 },
  new: { y: 15, height: 9 },
  unknown: { y: 21, height: 3 },
}

function StripPicture({ parts, label }: { parts: readonly StripPart[]; label: string }) {
  const hatch = useId()
  const from = parts[0]?.from ?? 0
  const span = (parts.at(-1)?.to ?? 1) - from
  // "Up" is drawn first: a short outage is drawn wider than it is, and must not be covered.
  const layers = parts.toSorted((one, other) => +(other.state === 'up') - +(one.state === 'up'))
  return (
    <svg
      class="strip-picture"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {/* Stripes across the bar, since the picture is stretched along it. */}
      <pattern id={hatch} patternUnits="userSpaceOnUse" width={width} height={4}>
        <rect class="strip-stripe-ground" width={width} height={4} />
        <rect class="strip-stripe" width={width} height={2} />
      </pattern>
      {layers.map((part) => {
        const x = ((part.from - from) / span) * width
        // A short outage must be visible among 90 days.
        const wide = Math.max(4, ((part.to - part.from) / span) * width)
        return (
          <rect
            key={part.from}
            {...(part.state === 'notUp'
              ? { fill: `url(#${hatch})` }
              : { class: `strip-${part.state}` })}
            x={Math.min(x, width - wide)}
            width={wide}
            {...bars[part.state]}
          />
        )
      })}
    </svg>
  )
}

const mostChanges = 100

interface ChangesProps {
  readonly parts: readonly StripPart[]
  readonly flips: readonly Flip[]
  readonly serverNow: number
}

function Changes({ parts, flips, serverNow }: ChangesProps) {
  const newest = parts.toReversed().slice(0, mostChanges)
  const from = parts[0]?.from ?? 0
  const isFast = shareASecond(flips.map(({ at }) => at).filter((at) => at >= from))
  return (
    <details class="changes">
      <summary>{isFast ? 'Several changes' : counted(parts.length - 1, 'change')}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Since</th>
            <th scope="col">Was</th>
            <th scope="col">For</th>
          </tr>
        </thead>
        <tbody>
          {newest.map((part) => (
            <tr key={part.from}>
              <td>{clockWords(part.from, serverNow)}</td>
              <td>{stripStateWords(part.state)}</td>
              <td>{durationWords(part.to - part.from)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
