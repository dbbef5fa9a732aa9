import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { AccountId, MonitoringAccount } from '#shared/core/account.ts'
import { runWords, usualSeconds } from '#shared/core/checks/cause.ts'
import type { Check, CheckId } from '#shared/core/checks/check.ts'
import type { Ping } from '#shared/core/checks/ping.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence, failureWords } from '#shared/core/failure-words.ts'
import { clockWords } from '#shared/core/time.ts'
import { numberWords } from '#shared/core/wording.ts'
import { Button, CopyButton, LinkButton } from '../parts/button.tsx'
import { Timestamp } from '../parts/time-ago.tsx'
import { type Asked, isNotFound, run, useRun } from '../run.ts'
import { readsPings } from './use-details.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  readonly pings: Asked<readonly Ping[]>
  readonly serverNow: number
}

/** Shown at first, then all: the service sends up to 1,000. */
const firstShown = 20

/** The signals as the service logged them, newest first, with how long each run took. */
export function PingList({ account, check, pings, serverNow }: Props) {
  const [all, setAll] = useState(false)
  const logged = pings.value ?? []
  const shown = all ? logged : logged.slice(0, firstShown)
  const usual = usualSeconds(logged)
  const note = !readsPings(account, check)
    ? 'A read-only key can’t read the pings.'
    : pings.value === null
      ? (pings.failure && failureWords(pings.failure).what) || 'Loading pings…'
      : logged.length === 0 && 'No pings are logged.'
  const longest = Math.max(...shown.map(({ durationSeconds }) => durationSeconds ?? 0))
  return (
    <section class="pings" aria-label="Pings">
      <header class="section-head">
        <h3>Pings</h3>
        {usual !== null && <span class="raw">usually takes {runWords(usual)}</span>}
      </header>
      {note !== false && <p class="note">{note}</p>}
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
      {shown.length < logged.length && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show all {logged.length}
        </Button>
      )}
    </section>
  )
}

interface LineProps {
  readonly accountId: string
  readonly checkId: CheckId
  readonly ping: Ping
  /** Seconds of the longest run shown, which has the full bar. */
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
        <Timestamp at={ping.at}>{clockWords(ping.at, serverNow)}</Timestamp>
        <span class={`ping-kind ping-${kind}`} title={sourceWords(ping)}>
          {kind === 'unknown' ? rawKind : kind === 'fail' ? 'failure' : kind}
        </span>
        <span class="ping-bar" aria-hidden="true">
          {durationSeconds !== null && longest > 0 && (
            <span style={{ width: `${Math.max(2, (durationSeconds / longest) * 100)}%` }} />
          )}
        </span>
        <span class="ping-duration">
          {durationSeconds === null ? '' : runWords(durationSeconds)}
        </span>
        {hasBody && n !== null ? (
          <LinkButton
            aria-expanded={open}
            aria-label={`Body of ping ${n}`}
            onClick={() => setOpen(!open)}
          >
            body
          </LinkButton>
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

/** Characters drawn of a body, which may be of any length; "Copy" copies all of it. */
const mostDrawn = 20_000

/** What the job sent along, as plain text whatever it looks like. */
export function PingBody(props: { accountId: AccountId; checkId: CheckId; n: number }) {
  const { accountId, checkId, n } = props
  const body = useRun(
    `${accountId} ${checkId} ${n}`,
    () => run(accountId, 'getPingBody', { uuid: checkId, n }),
    (text) => text,
  )
  if (body.failure !== null) return <p class="note">{missingWords(body.failure)}</p>
  if (body.value === null) return <p class="note">Loading…</p>
  return <BodyText label={`Body of ping ${n}`} text={body.value} />
}

interface BodyTextProps {
  readonly label: string
  readonly text: string
  /** Lines that are drawn as marked; the first one is scrolled to. */
  readonly isMarked?: ((line: string) => boolean) | undefined
}

export function BodyText({ label, text, isMarked }: BodyTextProps) {
  const { length } = text
  const box = useRef<HTMLElement>(null)
  const drawn = text.slice(0, mostDrawn)
  useLayoutEffect(() => {
    const mark = box.current?.querySelector('mark')
    if (mark != null && box.current !== null) box.current.scrollTop = mark.offsetTop - 8
  }, [text, isMarked === undefined])
  return (
    <div class="ping-body">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable. */}
      <section tabIndex={0} aria-label={label} ref={box}>
        <pre dir="auto">
          {isMarked === undefined
            ? drawn
            : drawn
                .split('\n')
                .map((line, at) =>
                  isMarked(line) ? <mark key={at}>{`${line}\n`}</mark> : `${line}\n`,
                )}
        </pre>
      </section>
      <footer>
        <span class="raw">
          {length > mostDrawn &&
            `The first ${numberWords(mostDrawn)} of ${numberWords(length)} characters`}
        </span>
        <CopyButton text={text} />
      </footer>
    </div>
  )
}

/** Monitoring API: 404 for a body that was not stored, is not stored yet, or was pruned. */
export function missingWords(failure: Failure): string {
  return isNotFound(failure) ? 'The service no longer has this body.' : failureSentence(failure)
}
