import './discuss.css'
import { useMemo, useState } from 'preact/hooks'
import { accountById, type MonitoringAccount } from '#shared/core/account.ts'
import { checkSubject } from '#shared/core/attention/event.ts'
import { type Check, type CheckId, checkName, isLate } from '#shared/core/checks/check.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { discussedAt } from '#shared/core/outages/discuss.ts'
import { type TimelineLine, timelineMarkdown, timelineOf } from '#shared/core/views/timeline.ts'
import { dayMs, hourMs } from '#shared/core/wall-clock.ts'
import { PingBody } from '../board/run-output.tsx'
import { useHistory } from '../board/use-details.ts'
import { call } from '../bridge.ts'
import { dayOf, dayTitle, timeOfDay } from '../chat/chat-time.ts'
import { useConversation } from '../chat/conversation-frame.tsx'
import { IconButton, LinkButton, Segments } from '../parts/button.tsx'
import { EmptyPage, PageBar, ScrollRegion, usePageFocus } from '../parts/page-bar.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { Timestamp } from '../parts/time-ago.tsx'
import { useRun } from '../run.ts'
import { toastResult } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

/** Everything that happened to a check, and what was done about it, in order of time. */
export function TimelinePage({ accountId, checkId }: { accountId: string; checkId: CheckId }) {
  const account = accountById(appState.value, accountId)
  const check = appState.value.boards.get(accountId)?.checks.get(checkId)
  if (account?.kind !== 'monitoring' || check === undefined)
    return <EmptyPage title="Timeline" why="This check no longer exists" />
  return <Timeline key={`${accountId}/${checkId}`} account={account} check={check} />
}

type Range = 'outage' | 'day' | 'week'
const ranges: readonly (readonly [Range, string])[] = [
  ['outage', 'This outage'],
  ['day', '24 h'],
  ['week', '7 d'],
]
/** How long before an outage its timeline begins. */
const beforeMs = hourMs / 2

function Timeline({ account, check }: { account: MonitoringAccount; check: Check }) {
  const [range, setRange] = useState<Range>(isInTrouble(check) ? 'outage' : 'day')
  const { linesIn, lines, isReading, failure } = useLines(account, check, range)
  const events = usePageFocus()
  const copy = () => {
    const text = timelineMarkdown(check, account.label, linesIn('UTC'))
    toastResult(call.copyText({ text }), 'Timeline copied as Markdown.')
  }
  return (
    <section class="page" aria-label={`Timeline of ${checkName(check)}`}>
      <PageBar title={`Timeline of ${checkName(check)}`}>
        {lines.length > 0 && <IconButton icon="copy" label="Copy as Markdown" onClick={copy} />}
      </PageBar>
      <div class="bar timeline-bar">
        <Segments label="How far back" options={ranges} value={range} onChange={setRange} />
      </div>
      <ScrollRegion class="page-scroll timeline" label="Events" box={events}>
        {failure !== null && (
          <p class="note" role="status">
            {failureWords(failure).what} Some of this timeline is missing.
          </p>
        )}
        {failure === null && lines.length === 0 && (
          <p class="note">
            {isReading ? 'Loading timeline…' : 'Nothing is known about this period.'}
          </p>
        )}
        <ol>
          {lines.map((line, index) => (
            <Line
              key={line.key}
              line={line}
              newDay={index === 0 || dayOf(lines[index - 1]?.at ?? 0) !== dayOf(line.at)}
              account={account}
              check={check}
            />
          ))}
        </ol>
      </ScrollRegion>
    </section>
  )
}

function isInTrouble({ status }: Check): boolean {
  return status === 'down' || isLate(status)
}

/** The lines; `failure`: why some of them are missing, null if none are. */
function useLines(account: MonitoringAccount, check: Check, range: Range) {
  const { silences, notices } = appState.value
  const { id: accountId } = account
  const { flips, pings, outages } = useHistory(account, check)
  const subject = checkSubject(accountId, check.id)
  const entries = useRun(
    `${check.status} ${check.pingCount} ${silences.length} ${notices[0]?.id}`,
    () => call.history({ accountId, subject, from: now.peek() - 7 * dayMs }),
  )
  const { messages } = useConversation(discussedAt(appState.value, account.id, check))
  const offsetMs = appState.value.boards.get(account.id)?.serverOffsetMs ?? 0
  const minute = Math.floor(now.value / 60_000)
  const linesIn = useMemo(() => {
    const began = outages?.[0]?.from ?? null
    const from = {
      outage: began === null ? now.peek() - dayMs : began - beforeMs,
      day: now.peek() - dayMs,
      week: now.peek() - 7 * dayMs,
    }[range]
    const facts = {
      check,
      // Until they are read, nothing is said in their place.
      flips: flips.value ?? (flips.failure === null ? [] : null),
      pings: pings.value ?? [],
      entries: entries.value ?? [],
      messages,
      offsetMs,
      from,
      to: Number.POSITIVE_INFINITY,
    }
    return (zone?: string) => timelineOf(facts, zone)
  }, [check, flips.value, outages, pings.value, entries.value, messages, offsetMs, range, minute])
  const lines = useMemo(() => linesIn(), [linesIn])
  return {
    linesIn,
    lines,
    isReading: flips.loading || pings.loading || entries.loading,
    failure: flips.failure ?? pings.failure ?? entries.failure,
  }
}

interface LineProps {
  readonly line: TimelineLine
  readonly newDay: boolean
  readonly account: MonitoringAccount
  readonly check: Check
}

function Line({ line, newDay, account, check }: LineProps) {
  const [open, setOpen] = useState(false)
  const { at, kind, text, detail, status, bodyOf, messageId } = line
  const place = discussedAt(appState.value, account.id, check)
  return (
    <>
      {newDay && <li class="timeline-day group-label">{dayTitle(at, now.peek())}</li>}
      <li class={`timeline-line timeline-${kind}`}>
        <Timestamp class="note" at={at}>
          {timeOfDay(at)}
        </Timestamp>
        <span class="timeline-mark">
          {status !== null && <StatusShape shape={status} size={12} />}
        </span>
        <div class="timeline-what">
          {messageId === null || place === null ? (
            <span dir="auto">{text}</span>
          ) : (
            <LinkButton
              dir="auto"
              onClick={() => go({ view: 'conversation', ...place, messageId })}
            >
              {text}
            </LinkButton>
          )}
          {bodyOf !== null && (
            <LinkButton
              aria-expanded={open}
              aria-label={`Output of ping ${bodyOf}`}
              onClick={() => setOpen(!open)}
            >
              output
            </LinkButton>
          )}
          {detail !== null && (
            <p class="timeline-detail" dir="auto">
              {detail}
            </p>
          )}
          {open && bodyOf !== null && (
            <PingBody accountId={account.id} checkId={check.id} n={bodyOf} />
          )}
        </div>
      </li>
    </>
  )
}
