import { useState } from 'preact/hooks'
import type { AccountId, MonitoringAccount } from '#shared/core/account.ts'
import type { Check, CheckId } from '#shared/core/checks/check.ts'
import type { Ping, PingKind } from '#shared/core/checks/ping.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence, failureWords } from '#shared/core/failure-words.ts'
import { clockWords, durationWords, exactTime } from '#shared/core/time.ts'
import { Button, CopyButton } from '../parts/button.tsx'
import { type Asked, run, useRun } from '../run.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  readonly pings: Asked<readonly Ping[]>
  readonly serverNow: number
}

/** First so many, then all: the service sends up to 1,000. */
const firstShown = 20

/** The signals as the service logged them, newest first, with how long each run took. */
export function PingList({ account, check, pings, serverNow }: Props) {
  const [all, setAll] = useState(false)
  if (account.keyKind === 'readOnly' || !check.writable)
    return <PingNote text="The log of pings is not told to a read-only key." />
  if (pings.value === null)
    return (
      <PingNote
        text={pings.failure === null ? 'Reading the pings' : failureWords(pings.failure).what}
      />
    )
  if (pings.value.length === 0) return <PingNote text="No pings are logged." />
  const shown = all ? pings.value : pings.value.slice(0, firstShown)
  const usual = usualSeconds(pings.value)
  const longest = Math.max(...shown.map(({ durationSeconds }) => durationSeconds ?? 0))
  return (
    <section class="pings" aria-label="Pings">
      <header class="section-head">
        <h3>Pings</h3>
        {usual !== null && <span class="raw">usually takes {secondsWords(usual)}</span>}
      </header>
      <ul>
        {shown.map((ping, index) => (
          <PingLine
            key={ping.n ?? `${ping.at}/${index}`}
            accountId={account.id}
            checkId={check.id}
            ping={ping}
            longest={longest}
            serverNow={serverNow}
          />
        ))}
      </ul>
      {shown.length < pings.value.length && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show all {pings.value.length}
        </Button>
      )}
    </section>
  )
}

function PingNote({ text }: { readonly text: string }) {
  return (
    <section class="pings" aria-label="Pings">
      <header class="section-head">
        <h3>Pings</h3>
      </header>
      <p class="note">{text}</p>
    </section>
  )
}

const kindWords: Readonly<Record<Exclude<PingKind, 'unknown'>, string>> = {
  success: 'success',
  start: 'start',
  fail: 'failure',
  log: 'log',
  ignored: 'ignored',
}

interface LineProps {
  readonly accountId: string
  readonly checkId: CheckId
  readonly ping: Ping
  /** Seconds of the longest run in sight: the full bar. */
  readonly longest: number
  readonly serverNow: number
}

function PingLine({ accountId, checkId, ping, longest, serverNow }: LineProps) {
  const [open, setOpen] = useState(false)
  const { n, kind, rawKind, durationSeconds, hasBody } = ping
  return (
    <li>
      <div class="ping">
        <span class="ping-number">{n === null ? '' : `#${n}`}</span>
        <time dateTime={new Date(ping.at).toISOString()} title={exactTime(ping.at)}>
          {clockWords(ping.at, serverNow)}
        </time>
        <span class={`ping-kind ping-${kind}`} title={sourceWords(ping)}>
          {kind === 'unknown' ? rawKind : kindWords[kind]}
        </span>
        <span class="ping-bar" aria-hidden="true">
          {durationSeconds !== null && longest > 0 && (
            <span style={{ width: `${Math.max(2, (durationSeconds / longest) * 100)}%` }} />
          )}
        </span>
        <span class="ping-duration">
          {durationSeconds === null ? '' : secondsWords(durationSeconds)}
        </span>
        {hasBody && n !== null ? (
          <button
            type="button"
            class="link"
            aria-expanded={open}
            aria-label={`Body of ping ${n}`}
            onClick={() => setOpen(!open)}
          >
            body
          </button>
        ) : (
          <span />
        )}
      </div>
      {open && n !== null && <PingBody accountId={accountId} checkId={checkId} n={n} />}
    </li>
  )
}

function sourceWords({ scheme, method, remoteAddress, userAgent }: Ping): string {
  return [`${method} ${scheme}`.trim(), remoteAddress ?? '', userAgent]
    .filter((part) => part !== '')
    .join('\n')
}

/** Runs of less than a minute with their fraction, since that is where it matters. */
function secondsWords(seconds: number): string {
  if (seconds >= 60) return durationWords(seconds * 1000)
  return `${seconds < 10 ? Number(seconds.toFixed(2)) : Math.round(seconds)} s`
}

/** The middle of the measured runs; null when fewer than three were. */
function usualSeconds(pings: readonly Ping[]): number | null {
  const durations = pings
    .flatMap(({ durationSeconds }) => (durationSeconds === null ? [] : [durationSeconds]))
    .sort((a, b) => a - b)
  if (durations.length < 3) return null
  return durations[durations.length >> 1] ?? null
}

interface PingBodyProps {
  readonly accountId: AccountId
  readonly checkId: CheckId
  readonly n: number
}

/** A server may keep bodies of any length; this much is drawn, and all of what came is copied. */
const mostDrawn = 20_000

/** What the job sent along: text and never more than text, whatever it looks like. */
export function PingBody({ accountId, checkId, n }: PingBodyProps) {
  const body = useRun(
    `${accountId} ${checkId} ${n}`,
    () => run(accountId, 'getPingBody', { uuid: checkId, n }),
    (text) => text,
  )
  if (body.failure !== null) return <p class="note">{missingWords(body.failure)}</p>
  if (body.value === null) return <p class="note">Reading the body</p>
  const cut = body.value.length > mostDrawn
  return (
    <div class="ping-body">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable. */}
      <section tabIndex={0} aria-label={`Body of ping ${n}`}>
        <pre dir="auto">{body.value.slice(0, mostDrawn)}</pre>
      </section>
      <footer>
        <span class="raw">
          {cut
            ? `The first ${mostDrawn.toLocaleString('en')} of ${body.value.length.toLocaleString('en')} characters`
            : ''}
        </span>
        <CopyButton text={body.value} />
      </footer>
    </div>
  )
}

/** Monitoring API: 404 for a body that is not stored, pruned, or still on its way to the store. */
function missingWords(failure: Failure): string {
  return failure.kind === 'refused' && failure.httpStatus === 404
    ? 'The service does not keep this body any more.'
    : failureSentence(failure)
}
