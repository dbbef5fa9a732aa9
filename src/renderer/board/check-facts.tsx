import type { ComponentChildren } from 'preact'
import { readIntegrations } from '#shared/api/monitoring/read-history.ts'
import type { MonitoringAccount } from '#shared/core/account.ts'
import type { Check, CheckDetails } from '#shared/core/checks/check.ts'
import {
  goesDownAt,
  missedAt,
  runningSince,
  scheduleWords,
} from '#shared/core/checks/check-words.ts'
import { integrationName } from '#shared/core/checks/integration.ts'
import { clockWords } from '#shared/core/clock-words.ts'
import { exactTime } from '#shared/core/exact-time.ts'
import { durationWords, periodWords, relativeWords } from '#shared/core/time.ts'
import { run, useRun } from '../run.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  /** Null until they are there. */
  readonly details: CheckDetails | null
  readonly serverNow: number
}

/** All that is known of a check, in words. */
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
  return (
    <>
      {schedule.kind === 'period' ? (
        <Fact name="Period">
          {scheduleWords(schedule)} <span class="raw">{schedule.periodSeconds} s</span>
        </Fact>
      ) : (
        <>
          <Fact name={schedule.kind === 'cron' ? 'Cron schedule' : 'Calendar schedule'}>
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
      <Fact name="Pings">{pingCount.toLocaleString('en')}</Fact>
    </>
  )
}

/** Why nothing is expected at a certain time, which is what it takes to change that. */
function nothingWords({ status, manualResume }: Check): string {
  if (status === 'paused' && manualResume) return 'nothing until it is resumed'
  return status === 'up' || status === 'unknown' ? 'nothing' : 'nothing until it is pinged'
}

function Moment({ at, serverNow }: { readonly at: number; readonly serverNow: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {clockWords(at, serverNow)} <span class="raw">{relativeWords(at, serverNow)}</span>
    </time>
  )
}

interface DetailsProps {
  readonly details: CheckDetails
}

/** By their names once those are read: the check itself only tells ids. */
function Integrations({ account: { id }, details }: DetailsProps & Pick<Props, 'account'>) {
  const { integrationIds } = details
  const wanted = integrationIds ?? []
  const { value: named } = useRun(
    wanted.length > 0 ? wanted.join(' ') : null,
    () => run(id, 'listIntegrations', {}),
    (reply) => readIntegrations(reply).items.filter((one) => wanted.includes(one.id)),
  )
  if (integrationIds === null) return 'not told to a read-only key'
  if (integrationIds.length === 0) return 'none'
  return named?.map(integrationName).join(', ') || `${integrationIds.length}`
}

const filterWords: Readonly<Record<CheckDetails['filters'][number], string>> = {
  subject: 'e-mail subject',
  body: 'e-mail body',
  httpBody: 'HTTP body',
  defaultFail: 'anything else is a failure',
}

/** What is only said when it is not the usual. */
function RuleFacts({ details }: DetailsProps) {
  const { methods, manualResume, filters, keywords, slug } = details
  return (
    <>
      {slug !== '' && <Fact name="Slug">{slug}</Fact>}
      {methods === 'POST' && <Fact name="Accepts">POST only</Fact>}
      {manualResume && <Fact name="After a pause">resumed by hand only</Fact>}
      {filters.length > 0 && (
        <Fact name="Keywords in">{filters.map((filter) => filterWords[filter]).join(', ')}</Fact>
      )}
      {keywords.start !== '' && <Fact name="Start words">{keywords.start}</Fact>}
      {keywords.success !== '' && <Fact name="Success words">{keywords.success}</Fact>}
      {keywords.failure !== '' && <Fact name="Failure words">{keywords.failure}</Fact>}
    </>
  )
}
