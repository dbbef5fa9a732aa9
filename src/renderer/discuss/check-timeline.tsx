import './discuss.css'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { checkSubject } from '#shared/core/attention/event.ts'
import { type Check, isLate } from '#shared/core/checks/check.ts'
import type { Flip } from '#shared/core/checks/history.ts'
import type { Outage } from '#shared/core/checks/past.ts'
import type { Ping } from '#shared/core/checks/ping.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { discussedAt } from '#shared/core/outages/discuss.ts'
import { type TimelineLine, timelineMarkdown, timelineOf } from '#shared/core/views/timeline.ts'
import { dayMs, hourMs } from '#shared/core/wall-clock.ts'
import { timelineAsked } from '../board/row-keys.ts'
import { PingBody } from '../board/run-output.tsx'
import { call } from '../bridge.ts'
import { dayOf, dayTitle, timeOfDay } from '../chat/chat-time.ts'
import { useConversation } from '../chat/conversation-frame.tsx'
import { IconButton, LinkButton, Segments } from '../parts/button.tsx'
import { FoldSummary } from '../parts/fold.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { Timestamp } from '../parts/time-ago.tsx'
import { type Asked, useRun } from '../run.ts'
import { toastResult } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  readonly flips: Asked<readonly Flip[]>
  readonly pings: Asked<readonly Ping[]>
  /** Newest first; null until they are known. */
  readonly outages: readonly Outage[] | null
}

/** The part of a check's page that lists all that happened to it; opened by hand or when asked for. */
export function CheckTimeline(props: Props) {
  const { check } = props
  const [open, setOpen] = useState(false)
  const fold = useRef<HTMLDetailsElement>(null)
  const isAsked = timelineAsked.value === check.id
  useLayoutEffect(() => {
    if (!isAsked) return
    if (!open) return setOpen(true)
    timelineAsked.value = null
    fold.current?.querySelector('summary')?.focus({ preventScroll: true })
    fold.current?.scrollIntoView()
  }, [isAsked, open])
  return (
    <details
      class="timeline-fold"
      ref={fold}
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <FoldSummary>Timeline</FoldSummary>
      {open && <Events {...props} />}
    </details>
  )
}

type Range = 'outage' | 'day' | 'week'
const ranges: readonly (readonly [Range, string])[] = [
  ['outage', 'This outage'],
  ['day', '24 h'],
  ['week', '7 d'],
]
/** How long before an outage its timeline begins. */
const beforeMs = hourMs / 2

/** Everything that happened to a check, and what was done about it, in order of time. */
function Events(props: Props) {
  const { account, check } = props
  const [range, setRange] = useState<Range>(isInTrouble(check) ? 'outage' : 'day')
  const { linesIn, lines, isReading, failure } = useLines(props, range)
  const copy = () => {
    const text = timelineMarkdown(check, account.label, linesIn('UTC'))
    toastResult(call.copyText({ text }), 'Timeline copied as Markdown.')
  }
  return (
    <section class="timeline" aria-label="Events">
      <div class="row timeline-bar">
        <Segments label="How far back" options={ranges} value={range} onChange={setRange} />
        {lines.length > 0 && <IconButton icon="copy" label="Copy as Markdown" onClick={copy} />}
      </div>
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
    </section>
  )
}

function isInTrouble({ status }: Check): boolean {
  return status === 'down' || isLate(status)
}

/** The lines; `failure`: why some of them are missing, null if none are. */
function useLines({ account, check, flips, pings, outages }: Props, range: Range) {
  const { silences, notices } = appState.value
  const { id: accountId } = account
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
