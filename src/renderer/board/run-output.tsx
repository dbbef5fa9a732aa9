import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { AccountId, MonitoringAccount } from '#shared/core/account.ts'
import type { Check, CheckId } from '#shared/core/checks/check.ts'
import {
  compareOutputs,
  exitStatusIn,
  isCutOff,
  mostCompared,
  plainLines,
} from '#shared/core/checks/output.ts'
import type { Ping } from '#shared/core/checks/ping.ts'
import {
  isRun,
  outputOf,
  type Run,
  runAt,
  runSummary,
  runWords,
  type UsualDuration,
  usualWords,
} from '#shared/core/checks/runs.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { clockWords } from '#shared/core/time.ts'
import { counted, folded, numberWords } from '#shared/core/wording.ts'
import { CopyButton } from '../parts/button.tsx'
import { Select } from '../parts/field.tsx'
import { InParts } from '../parts/in-parts.tsx'
import { ScrollRegion } from '../parts/page-bar.tsx'
import { type Asked, run as ask, isNotFound, useRun } from '../run.ts'

interface PanelProps {
  readonly account: MonitoringAccount
  readonly check: Check
  readonly run: Run
  readonly runs: readonly Run[]
  readonly usual: UsualDuration | null
  /** The text to highlight in the output. */
  readonly find: string
  readonly serverNow: number
}

/** What is known about a run: signals, output and, on request, a comparison with another run. */
export function RunPanel({ account, check, run, runs, usual, find, serverNow }: PanelProps) {
  const [otherKey, setOtherKey] = useState('')
  const n = outputOf(run)?.n ?? null
  const output = useBody(account.id, check.id, n)
  const others = runs.filter((one) => one !== run && outputOf(one) !== null)
  const other = others.find(({ key }) => key === otherKey) ?? null
  const status = output.value === null ? null : exitStatusIn(output.value)
  const wanted = folded(find.trim())
  return (
    <div class="stack run-panel">
      <p class="run-facts">
        {factWords(run, usual, serverNow)}
        {status !== null && ` Exit status ${status}, according to its output.`}
      </p>
      {n === null && <p class="note">It sent no output.</p>}
      {n !== null && others.length > 0 && (
        <Select
          aria-label="Compare with"
          value={otherKey}
          onChange={setOtherKey}
          options={[
            ['', 'Compare with another run…'],
            ...others.map(
              (one) =>
                [one.key, `${clockWords(runAt(one), serverNow)} · ${runSummary(one)}`] as const,
            ),
          ]}
        />
      )}
      {output.failure !== null && <p class="note">{missingWords(output.failure)}</p>}
      {output.loading && <p class="note">Loading…</p>}
      {output.value !== null && other !== null ? (
        <Comparison
          key={other.key}
          {...{ account, check, run, other, serverNow }}
          output={output.value}
        />
      ) : (
        output.value !== null && (
          <BodyText
            label={`Output of ping ${n}`}
            text={output.value}
            isMarked={wanted === '' ? undefined : (line) => folded(line).includes(wanted)}
            markedBy={wanted}
          />
        )
      )}
    </div>
  )
}

function factWords(run: Run, usual: UsualDuration | null, serverNow: number): string {
  const { start, end, logs, durationSeconds: time } = run
  const signals = [end, start].flatMap((ping) => (ping === null ? [] : sourceWords(ping)))
  return [
    start !== null && `Started ${clockWords(start.at, serverNow)}.`,
    isRun(run) && start === null && 'No start signal.',
    end !== null && isRun(run) && `Ended ${clockWords(end.at, serverNow)}.`,
    time !== null && `Took ${runWords(time)}${usual === null ? '' : ` (${usualWords(usual)})`}.`,
    logs.length > 0 && `${counted(logs.length, 'log entry', 'log entries')} in between.`,
    `${[...new Set(signals)].join(', ')}.`,
  ]
    .filter((part) => part !== false)
    .join(' ')
}

interface ComparisonProps extends Pick<PanelProps, 'account' | 'check' | 'run' | 'serverNow'> {
  readonly output: string
  readonly other: Run
}

const signs = { both: ' ', earlier: '−', later: '+' } as const

/** Two runs side by side: what each took, and the lines that only one of them sent. */
function Comparison({ account, check, run, output, other, serverNow }: ComparisonProps) {
  const compared = useBody(account.id, check.id, outputOf(other)?.n ?? null)
  if (compared.failure !== null) return <p class="note">{missingWords(compared.failure)}</p>
  if (compared.value === null) return <p class="note">Loading…</p>
  const name = (one: Run) => `${clockWords(runAt(one), serverNow)} (${runSummary(one)})`
  const both = [
    { name: name(other), text: compared.value, at: runAt(other) },
    { name: name(run), text: output, at: runAt(run) },
  ].sort((one, another) => one.at - another.at)
  return <ComparedOutputs earlier={both[0] ?? nothing} later={both[1] ?? nothing} />
}

const nothing = { name: '', text: '' }

interface NamedOutput {
  readonly name: string
  readonly text: string
}

/** Two outputs in one: which lines only one of them has. */
export function ComparedOutputs(props: { earlier: NamedOutput; later: NamedOutput }) {
  const { earlier, later } = props
  const lines = compareOutputs(earlier.text, later.text)
  const differing = lines.filter(({ side }) => side !== 'both').length
  return (
    <>
      <p class="note">
        − only {earlier.name}, + only {later.name}.{' '}
        {differing === 0
          ? 'The outputs are identical except for digits.'
          : `${counted(differing, 'line differs', 'lines differ')}; digits don’t count.`}
        {lines.length >= mostCompared &&
          ` Only the first ${numberWords(mostCompared)} lines of each are compared.`}
      </p>
      <div class="ping-body">
        <ScrollRegion label="Comparison">
          <pre>
            {lines.map(({ side, line }, at) => (
              <span key={at} class={`compared-${side}`}>{`${signs[side]} ${line}\n`}</span>
            ))}
          </pre>
        </ScrollRegion>
      </div>
    </>
  )
}

function sourceWords({ scheme, method, remoteAddress, userAgent }: Ping): string {
  return [`${method} ${scheme}`.trim(), remoteAddress ?? '', userAgent]
    .filter((part) => part !== '')
    .join(' · ')
}

/** The body of a ping, as plain text whatever it looks like. */
export function PingBody(props: { accountId: AccountId; checkId: CheckId; n: number }) {
  const body = useBody(props.accountId, props.checkId, props.n)
  if (body.failure !== null) return <p class="note">{missingWords(body.failure)}</p>
  if (body.value === null) return <p class="note">Loading…</p>
  return <BodyText label={`Output of ping ${props.n}`} text={body.value} />
}

/** The body of ping `n`, never that of the one before; asks for nothing if it is null. */
export function useBody(accountId: AccountId, checkId: CheckId, n: number | null): Asked<string> {
  const { value, failure, loading } = useRun(
    n === null ? null : `${accountId} ${checkId} ${n}`,
    () => ask(accountId, 'getPingBody', { uuid: checkId, n: n ?? 0 }),
    (text) => ({ n, text }),
  )
  if (n === null) return { value: null, failure: null, loading: false }
  return { value: value?.n === n ? value.text : null, failure: loading ? null : failure, loading }
}

interface BodyTextProps {
  readonly label: string
  readonly text: string
  /** Tells which lines to highlight; the first one is scrolled to. */
  readonly isMarked?: ((line: string) => boolean) | undefined
  /** What `isMarked` depends on. */
  readonly markedBy?: string
}

export function BodyText({ label, text, isMarked, markedBy = '' }: BodyTextProps) {
  const box = useRef<HTMLElement>(null)
  return (
    <div class="ping-body">
      <ScrollRegion label={label} box={box}>
        <InParts
          class="ping-lines"
          inputs={[text, isMarked === undefined, markedBy]}
          draw={(room) => <Lines text={room.plain(text)} isMarked={isMarked} box={box} />}
        />
      </ScrollRegion>
      <footer>
        <span class="raw">
          {isCutOff(text) && 'Cut off by the service, which keeps 10,000 bytes of an output'}
        </span>
        <CopyButton text={() => plainLines(text).join('\n')} />
      </footer>
    </div>
  )
}

interface LinesProps extends Pick<BodyTextProps, 'text' | 'isMarked'> {
  /** Scrolled to the first marked line. */
  readonly box: RefObject<HTMLElement | null>
}

function Lines({ text, isMarked, box }: LinesProps) {
  const lines = plainLines(text)
  const isFound = isMarked !== undefined && lines.some(isMarked)
  useLayoutEffect(() => {
    const mark = box.current?.querySelector('mark')
    if (mark != null && box.current !== null) box.current.scrollTop = mark.offsetTop - 8
  }, [isFound])
  return (
    <pre dir="auto">
      {isMarked === undefined
        ? lines.join('\n')
        : lines.map((line, at) =>
            isMarked(line) ? <mark key={at}>{`${line}\n`}</mark> : `${line}\n`,
          )}
    </pre>
  )
}

/** Monitoring API: 404 for a body that was not stored, is not stored yet, or was pruned. */
export function missingWords(failure: Failure): string {
  return isNotFound(failure) ? 'The service no longer has this body.' : failureSentence(failure)
}
