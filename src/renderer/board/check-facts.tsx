import type { ComponentChildren } from 'preact'
import type { Check } from '#shared/core/check.ts'
import { goesDownAt, missedAt, runningSince, scheduleWords } from '#shared/core/check-words.ts'
import { clockWords } from '#shared/core/clock-words.ts'
import { exactTime } from '#shared/core/exact-time.ts'
import { type Integration, integrationName } from '#shared/core/integration.ts'
import { durationWords, periodWords, relativeWords } from '#shared/core/time-words.ts'

interface Props {
  readonly check: Check
  readonly serverNow: number
  /** Null until they are read, and with a read-only key. */
  readonly integrations: readonly Integration[] | null
}

/** All that is known of a check, in words. */
export function CheckFacts({ check, serverNow, integrations }: Props) {
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
      <Fact name="Integrations">{integrationWords(check, integrations)}</Fact>
      <RuleFacts check={check} />
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

function integrationWords(check: Check, integrations: Props['integrations']): string {
  if (check.integrationIds === null) return 'not told to a read-only key'
  if (check.integrationIds.length === 0) return 'none'
  if (integrations === null) return `${check.integrationIds.length}`
  return integrations.map(integrationName).join(', ') || `${check.integrationIds.length}`
}

const filterWords: Readonly<Record<Check['filters'][number], string>> = {
  subject: 'e-mail subject',
  body: 'e-mail body',
  httpBody: 'HTTP body',
  defaultFail: 'anything else is a failure',
}

/** What is only said when it is not the usual. */
function RuleFacts({ check }: Pick<Props, 'check'>) {
  const { methods, manualResume, filters, keywords, slug } = check
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
