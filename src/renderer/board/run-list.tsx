import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AccountId, MonitoringAccount } from '#shared/core/account.ts'
import type { Check, CheckId } from '#shared/core/checks/check.ts'
import type { Ping } from '#shared/core/checks/ping.ts'
import {
  isRun,
  outcomeWords,
  outputOf,
  type Run,
  runAt,
  runsOf,
  runWords,
  type UsualDuration,
  usualDuration,
  usualWords,
} from '#shared/core/checks/runs.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence, failureWords } from '#shared/core/failure-words.ts'
import { clockWords, durationWords } from '#shared/core/time.ts'
import { counted, folded, numberWords } from '#shared/core/wording.ts'
import { LinkButton } from '../parts/button.tsx'
import { keyOf, stepInList, useSingleKeys } from '../parts/page-actions.ts'
import { Timestamp } from '../parts/time-ago.tsx'
import { type Asked, run as ask, isNotFound } from '../run.ts'
import { RunPanel } from './run-output.tsx'
import { readsPings } from './use-details.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  readonly pings: Asked<readonly Ping[]>
  readonly serverNow: number
}

/** How many runs are shown before “Show all”: the service sends up to 1,000 pings. */
const firstShown = 20

/** The runs of the job, newest first: how long each took and how it ended, and what it sent. */
export function RunList({ account, check, pings, serverNow }: Props) {
  const [all, setAll] = useState(false)
  const [open, setOpen] = useState<string | null>(null)
  const [text, setText] = useState('')
  const [box, wide] = useWide()
  const runs = useMemo(() => runsOf(pings.value ?? [], check.started), [pings.value, check.started])
  const usual = useMemo(() => usualDuration(runs), [runs])
  const search = useSearch(account.id, check.id, runs, text)
  const found = search.found ?? runs
  const shown = all ? found : found.slice(0, firstShown)
  const selected = runs.find(({ key }) => key === open) ?? null
  const choose = (run: Run | undefined): void => {
    setOpen(run?.key ?? null)
    const row =
      run && box.current?.querySelector<HTMLElement>(`[data-run="${CSS.escape(run.key)}"]`)
    row?.focus()
  }
  const withOutput = runs.find((run) => outputOf(run) !== null)
  useSingleKeys(
    withOutput === undefined
      ? []
      : [{ key: 'b', title: 'Show the output of the last run', act: () => choose(withOutput) }],
  )
  const note = !readsPings(account, check)
    ? 'A read-only key can’t read the pings, so Belfry can’t show runs.'
    : pings.value === null
      ? (pings.failure && failureWords(pings.failure).what) || 'Loading runs…'
      : runs.length === 0
        ? 'No pings are logged.'
        : search.note
  const panel = selected && (
    <RunPanel
      key={selected.key}
      {...{ account, check, runs, usual, serverNow }}
      run={selected}
      find={search.found === null ? '' : text}
    />
  )
  return (
    <section class={`runs ${wide ? 'is-wide' : ''}`} aria-label="Runs" ref={box}>
      <header class="section-head">
        <h2>Runs</h2>
        {usual !== null && <span class="raw">{usualWords(usual)}</span>}
        {withOutput !== undefined && (
          <input
            type="search"
            class="runs-find"
            aria-label="Find in the output"
            placeholder="Find in the output"
            value={text}
            onInput={(input) => setText(input.currentTarget.value)}
          />
        )}
      </header>
      {note !== null && (
        <p class="note" role="status">
          {note}
        </p>
      )}
      <Durations runs={found} usual={usual} open={open} onChoose={choose} />
      <div class="runs-split">
        <ul
          class="runs-list"
          onKeyDown={(key) => {
            const at = shown.findIndex((one) => one.key === focusedRun())
            const to = stepInList(keyOf(key), at, shown.length)
            if (to === null || at < 0) return
            key.preventDefault()
            if (open === null) box.current?.querySelectorAll<HTMLElement>('.run')[to]?.focus()
            else choose(shown[to])
          }}
        >
          {shown.map((run, index) => (
            <li key={run.key}>
              <RunLine
                run={run}
                usual={usual}
                open={run.key === open}
                // Tab stops once in the list; the arrow keys lead to the other runs.
                reached={
                  open === null || !shown.some(({ key }) => key === open)
                    ? index === 0
                    : run.key === open
                }
                serverNow={serverNow}
                onOpen={() => setOpen(run.key === open ? null : run.key)}
              />
              {!wide && run.key === open && panel}
            </li>
          ))}
        </ul>
        {wide && panel}
      </div>
      {shown.length < found.length && (
        <LinkButton onClick={() => setAll(true)}>Show all {numberWords(found.length)}</LinkButton>
      )}
    </section>
  )
}

function focusedRun(): string | undefined {
  const { activeElement } = document
  return activeElement instanceof HTMLElement ? activeElement.dataset['run'] : undefined
}

/** The width in px from which the output stands beside the list. */
const wideEnough = 640

/** Returns a ref for a box, and whether the box is wide enough for two columns. */
function useWide() {
  const box = useRef<HTMLElement>(null)
  const [wide, setWide] = useState(false)
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) =>
      setWide((entry?.contentRect.width ?? 0) >= wideEnough),
    )
    if (box.current !== null) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return [box, wide] as const
}

/** How many outputs a search reads: each is a request, and the service allows 100 a minute. */
const mostRead = 30

/**
 * Finds the runs whose output contains the text, reading one missing output after another. `found`
 * is null if there is no text to look for.
 */
function useSearch(accountId: AccountId, checkId: CheckId, runs: readonly Run[], text: string) {
  const [outputs, setOutputs] = useState<ReadonlyMap<number, string>>(new Map())
  const [failure, setFailure] = useState<Failure | null>(null)
  const wanted = folded(text.trim())
  const having = runs.flatMap((run) => outputOf(run)?.n ?? []).slice(0, mostRead)
  const next = wanted === '' || failure !== null ? undefined : having.find((n) => !outputs.has(n))
  useEffect(() => setFailure(null), [wanted])
  useEffect(() => {
    if (next === undefined) return
    let current = true
    void ask(accountId, 'getPingBody', { uuid: checkId, n: next }).then((result) => {
      if (!current) return
      if (!result.ok && !isNotFound(result.failure)) return setFailure(result.failure)
      setOutputs((before) => new Map(before).set(next, result.ok ? result.value : ''))
    })
    return () => {
      current = false
    }
  }, [next, accountId, checkId])
  if (wanted === '') return { found: null, note: null }
  const found = runs.filter((run) =>
    folded(outputs.get(outputOf(run)?.n ?? -1) ?? '').includes(wanted),
  )
  const read = having.filter((n) => outputs.has(n)).length
  const words = `In ${numberWords(found.length)} of the newest ${counted(having.length, 'output')}.`
  const note =
    failure !== null
      ? `${failureSentence(failure)} Searched ${read} of ${counted(having.length, 'output')}.`
      : next === undefined
        ? words
        : `Searching: ${read} of ${counted(having.length, 'output')}…`
  return { found, note }
}

/** How many runs the picture shows. */
const mostDrawnRuns = 60
const barHeight = 40

interface DurationsProps {
  readonly runs: readonly Run[]
  readonly usual: UsualDuration | null
  readonly open: string | null
  readonly onChoose: (run: Run | undefined) => void
}

/**
 * How long the runs took, oldest first, over a band that holds eight of ten. The list below says
 * the same in words.
 */
function Durations({ runs, usual, open, onChoose }: DurationsProps) {
  const drawn = runs.filter(isRun).slice(0, mostDrawnRuns).reverse()
  const times = drawn.flatMap(({ durationSeconds: time }) => time ?? [])
  if (times.length < 2) return null
  // A run that took a hundred times as long must not flatten the others.
  const top =
    Math.min(Math.max(...times), usual === null ? Number.POSITIVE_INFINITY : usual.to * 4) || 1
  const heightOf = (seconds: number): number => Math.max(2, Math.min(1, seconds / top) * barHeight)
  const label = `Durations of ${counted(drawn.length, 'run')}, from ${runWords(Math.min(...times))} to ${runWords(Math.max(...times))}`
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list below does the same by keyboard.
    <svg
      class="durations"
      viewBox={`0 0 ${drawn.length * 10} ${barHeight}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={usual === null ? label : `${label}; ${usualWords(usual)}`}
      onClick={(click) => {
        const { left, width } = click.currentTarget.getBoundingClientRect()
        onChoose(drawn[Math.floor(((click.clientX - left) / width) * drawn.length)])
      }}
    >
      {usual !== null && (
        <rect
          class="durations-usual"
          width={drawn.length * 10}
          y={barHeight - heightOf(usual.to)}
          height={Math.max(2, heightOf(usual.to) - heightOf(usual.from))}
        />
      )}
      {drawn.map((run, at) => {
        const time = run.durationSeconds
        const height = time === null ? 2 : heightOf(time)
        return (
          <rect
            key={run.key}
            class={`duration-${run.outcome} ${run.key === open ? 'is-open' : ''}`}
            x={at * 10 + 1}
            width={8}
            y={barHeight - height}
            height={height}
          />
        )
      })}
    </svg>
  )
}

interface LineProps {
  readonly run: Run
  readonly usual: UsualDuration | null
  readonly open: boolean
  readonly reached: boolean
  readonly serverNow: number
  readonly onOpen: () => void
}

function RunLine({ run, usual, open, reached, serverNow, onOpen }: LineProps) {
  const { outcome, durationSeconds: time, start } = run
  const isLong = usual !== null && time !== null && time > usual.to * 1.5
  return (
    <button
      type="button"
      class="run"
      data-run={run.key}
      aria-expanded={open}
      tabIndex={reached ? 0 : -1}
      onClick={onOpen}
    >
      <Timestamp at={runAt(run)}>{clockWords(runAt(run), serverNow)}</Timestamp>
      <span class={`run-outcome run-${outcome}`}>{outcomeWords(run)}</span>
      <span class={`run-duration ${isLong ? 'is-long' : ''}`}>
        {outcome === 'running' && start !== null
          ? `${durationWords(serverNow - start.at)} so far`
          : time === null
            ? ''
            : runWords(time)}
      </span>
      <span class="run-has">{outputOf(run) === null ? '' : 'output'}</span>
    </button>
  )
}
