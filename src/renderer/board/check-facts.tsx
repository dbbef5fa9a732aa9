import type { ComponentChildren } from 'preact'
import { readIntegrations } from '#shared/api/monitoring/read-history.ts'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { missedAt } from '#shared/core/checks/cause.ts'
import { type Check, type CheckDetails, integrationName } from '#shared/core/checks/check.ts'
import { goesDownAt, runningSince } from '#shared/core/checks/check-words.ts'
import { scheduleWords } from '#shared/core/checks/schedule-words.ts'
import { clockWords, durationWords, periodWords, relativeWords } from '#shared/core/time.ts'
import { numberWords } from '#shared/core/wording.ts'
import { Timestamp } from '../parts/time-ago.tsx'
import { run, useRun } from '../run.ts'

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
