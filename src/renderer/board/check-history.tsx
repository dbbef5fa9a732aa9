import { useId, useMemo, useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { causeWords } from '#shared/core/checks/cause.ts'
import type { Check } from '#shared/core/checks/check.ts'
import { type Flip, shareASecond } from '#shared/core/checks/history.ts'
import { lineThatMatters } from '#shared/core/checks/line-that-matters.ts'
import { type Outage, outageCountWords } from '#shared/core/checks/past.ts'
import {
  type PastPart,
  type PastState,
  partsBetween,
  pastWord,
} from '#shared/core/checks/past-parts.ts'
import type { Ping } from '#shared/core/checks/ping.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { clockWords, durationWords } from '#shared/core/time.ts'
import {
  shareWords,
  stripWords,
  type Uptime,
  type UptimeUnit,
  uptimeBy,
} from '#shared/core/views/flip-strip.ts'
import { dayMs, hourMs } from '#shared/core/wall-clock.ts'
import { counted, dateWords, numberWords } from '#shared/core/wording.ts'
import { IconButton, LinkButton, Segments } from '../parts/button.tsx'
import { FoldSummary } from '../parts/fold.tsx'
import { useSingleKeys } from '../parts/page-actions.ts'
import type { Asked } from '../run.ts'
import { appState, now } from '../window-state.ts'
import { useBody } from './run-output.tsx'

const spans = [
  { label: '24 h', ms: dayMs },
  { label: '7 d', ms: 7 * dayMs },
  { label: '90 d', ms: 90 * dayMs },
  { label: 'All', ms: Number.POSITIVE_INFINITY },
] as const

/** Flips are recorded in whole seconds: zooming in further would show nothing new. */
const leastSpanMs = 10 * 60_000

/** The part that is drawn: `ms` long, up to `to` (epoch ms), or up to now if that is null. */
interface View {
  readonly ms: number
  readonly to: number | null
}

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  readonly flips: Asked<readonly Flip[]>
  readonly pings: Asked<readonly Ping[]>
  /** Null until they are known; by our clock. */
  readonly past: readonly PastPart[] | null
  readonly outages: readonly Outage[] | null
}

/** The check's history, as far back as the service keeps it: a strip, words, outages and uptime. */
export function CheckHistory({ account, check, flips, pings, past: all, outages }: Props) {
  const [view, setView] = useState<View>({ ms: spans[0].ms, to: null })
  const [outage, setOutage] = useState(-1)
  const present = now.value
  const [begin, end] = [all?.[0]?.from ?? 0, all?.at(-1)?.to ?? 0]
  const to = view.to ?? end
  const from = Math.max(begin, to - view.ms)
  /** Moves and zooms, but not beyond the known history. */
  const show = (wantedFrom: number, ms: number): void => {
    const span = Math.min(end - begin, Math.max(leastSpanMs, ms))
    const until = Math.min(end, Math.max(begin + span, wantedFrom + span))
    setView({ ms: span, to: until === end ? null : until })
    setOutage(-1)
  }
  const zoom = (factor: number, at = (from + to) / 2): void => {
    const ms = Math.max(leastSpanMs, (to - from) * factor)
    show(at - ms / 2, ms)
  }
  const choose = (place: number): void => {
    const one = outages?.[place]
    if (one === undefined) return
    const around = Math.max(hourMs, (one.to - one.from) / 2)
    show(one.from - around, one.to - one.from + 2 * around)
    setOutage(place)
  }
  const parts = all === null ? null : partsBetween(all, from, to)
  return (
    <section class="strip" aria-label="History">
      <header class="section-head">
        <h2>History</h2>
        {parts !== null && (
          <ZoomButtons {...{ from, to, begin, end, zoom }} onMove={(at) => show(at, to - from)} />
        )}
        <Segments
          label="How far back"
          options={spans.map((one) => [one.ms, one.label] as const)}
          value={view.to === null ? view.ms : -1}
          onChange={(ms) => {
            setView({ ms, to: null })
            setOutage(-1)
          }}
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
          <StripPicture
            parts={parts}
            label={`${rangeWords(from, to, view, present)}: ${stripWords(parts)}`}
            onChoose={(at) => zoom(1 / 4, at)}
          />
          <div class="raw strip-ticks" aria-hidden="true">
            <span>{clockWords(from, present)}</span>
            <span>{clockWords((from + to) / 2, present)}</span>
            <span>{to === end ? 'now' : clockWords(to, present)}</span>
          </div>
          <p class="strip-words">{stripWords(parts)}</p>
          <Outages {...{ account, check, pings, outages }} at={outage} onChoose={choose} />
          {parts.length > 1 && (
            <Changes parts={parts} flips={flips.value ?? []} present={present} />
          )}
          <UptimeTable
            parts={all ?? []}
            outages={outages ?? []}
            present={present}
            onChoose={(period) => show(period.from, period.to - period.from)}
          />
        </>
      )}
    </section>
  )
}

interface ZoomProps {
  /** Epoch ms. `from` and `to` bound what is drawn, `begin` and `end` the whole history. */
  readonly from: number
  readonly to: number
  readonly begin: number
  readonly end: number
  readonly zoom: (factor: number) => void
  readonly onMove: (from: number) => void
}

function ZoomButtons({ from, to, begin, end, zoom, onMove }: ZoomProps) {
  const half = (to - from) / 2
  const buttons = [
    ['back', 'Earlier', from <= begin, () => onMove(from - half)],
    ['fold', 'Later', to >= end, () => onMove(from + half)],
    ['remove', 'Zoom out', to - from >= end - begin, () => zoom(4)],
    ['add', 'Zoom in', to - from <= leastSpanMs, () => zoom(1 / 4)],
  ] as const
  return (
    <span class="strip-zoom">
      {buttons.map(([icon, label, isOff, act]) => (
        // Not `disabled`, which would take the focus from whoever got there with this button.
        <IconButton
          key={label}
          {...{ icon, label }}
          aria-disabled={isOff}
          onClick={() => !isOff && act()}
        />
      ))}
    </span>
  )
}

interface OutagesProps extends Pick<Props, 'account' | 'check' | 'pings' | 'outages'> {
  /** The index of the one that is shown; -1 for none. */
  readonly at: number
  readonly onChoose: (at: number) => void
}

/** The outage that is shown, its cause, and a link to the previous one. */
function Outages({ account, check, pings, outages, at, onChoose }: OutagesProps) {
  const all = outages ?? []
  const older = Math.min(at + 1, all.length - 1)
  const chosen = all[at]
  const act = () => onChoose(older)
  useSingleKeys(all.length === 0 ? [] : [{ key: 'o', title: 'Show the previous outage', act }])
  if (all.length === 0) return null
  return (
    <p role="status">
      {chosen === undefined
        ? `${outageCountWords(all)} in the history the service keeps. `
        : `${outageWords(chosen, at, all.length)} `}
      {chosen !== undefined && <OutageReason {...{ account, check, pings }} outage={chosen} />}
      {older !== at && (
        <LinkButton title="Key: o" onClick={act}>
          {chosen === undefined ? 'Show the latest one' : 'Show the previous one'}
        </LinkButton>
      )}
    </p>
  )
}

/** "Last 24 h", or the times at which the range begins and ends. */
function rangeWords(from: number, to: number, { ms, to: until }: View, present: number): string {
  const span = until === null && spans.find((one) => one.ms === ms && Number.isFinite(ms))
  return span ? `Last ${span.label}` : `${clockWords(from, present)} to ${clockWords(to, present)}`
}

function outageWords({ from, to, kind, isOver }: Outage, at: number, count: number) {
  const what = kind === 'down' ? 'Down' : 'Possibly down'
  const since = clockWords(from, now.value)
  const time = durationWords(to - from)
  const when = isOver
    ? `from ${since} until ${clockWords(to, now.value)}, for ${time}`
    : `since ${since}, for ${time} so far`
  return `${what} ${when} (outage ${numberWords(at + 1)} of ${numberWords(count)}, newest first).`
}

interface ReasonProps extends Pick<Props, 'account' | 'check' | 'pings'> {
  readonly outage: Outage
}

/** Why it went down, with what the job sent if its log still has it. */
function OutageReason({ account, check, pings, outage: { cause } }: ReasonProps) {
  const failedAt = cause?.kind === 'failed' ? cause.at : null
  const failure = pings.value?.find(({ kind, at }) => kind === 'fail' && at === failedAt)
  const body = useBody(account.id, check.id, failure?.hasBody === true ? failure.n : null)
  if (cause === null || cause.kind === 'unknown') return null
  const line = body.value === null || body.loading ? null : lineThatMatters(body.value)
  const told = cause.kind === 'failed' ? { ...cause, line: line ?? cause.line } : cause
  const offsetMs = appState.value.boards.get(account.id)?.serverOffsetMs ?? 0
  return <b dir="auto">{causeWords(told, now.value + offsetMs, offsetMs)}. </b>
}

const units: readonly (readonly [UptimeUnit, string])[] = [
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
]

/** How many periods are shown before “Show all”. */
const firstPeriods = 7

interface UptimeProps {
  readonly parts: readonly PastPart[]
  readonly outages: readonly Outage[]
  readonly present: number
  readonly onChoose: (period: Uptime) => void
}

/** The uptime of each day, week or month. A click shows that period in the strip. */
function UptimeTable({ parts, outages, present, onChoose }: UptimeProps) {
  const [unit, setUnit] = useState<UptimeUnit>('month')
  const [all, setAll] = useState(false)
  const periods = useMemo(() => uptimeBy(unit, parts, outages), [unit, parts, outages])
  if (periods.length === 0) return null
  const shown = all ? periods : periods.slice(0, firstPeriods)
  return (
    <section class="uptime" aria-label="Uptime">
      <header class="section-head">
        <h3>Uptime</h3>
        <Segments label="Uptime by" options={units} value={unit} onChange={setUnit} />
      </header>
      <ul>
        {shown.map((period) => (
          <li key={period.from}>
            <button type="button" class="uptime-line" onClick={() => onChoose(period)}>
              <span>{periodName(unit, period.from, present)}</span>
              <StripPicture parts={period.parts} label={null} />
              <span class="uptime-share">{shareWords(period)}</span>
              <span class="note uptime-rest">{restWords(period)}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length < periods.length && (
        <LinkButton onClick={() => setAll(true)}>Show all {numberWords(periods.length)}</LinkButton>
      )}
    </section>
  )
}

function periodName(unit: UptimeUnit, from: number, now: number): string {
  if (unit === 'month') return dateWords(from, { month: 'long', year: 'numeric' })
  const year =
    new Date(from).getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' as const }
  const shape = { day: 'numeric', month: 'short', ...year } as const
  return unit === 'day'
    ? dateWords(from, { weekday: 'short', ...shape })
    : `From ${dateWords(from, shape)}`
}

/** "1 outage · down 1 h · 2 h unknown". */
function restWords({ outages, downMs, unknownMs }: Uptime): string {
  return [
    outages.length > 0 && outageCountWords(outages),
    downMs > 0 && `down ${durationWords(downMs)}`,
    unknownMs > 0 && `${durationWords(unknownMs)} unknown`,
  ]
    .filter((part) => part !== false)
    .join(' · ')
}

const width = 1_000
const height = 24

/** States differ by height as well as colour: full for up, lower for others, a line for unknown. */
const bars: Readonly<Record<PastState, { readonly y: number; readonly height: number }>> = {
  up: { y: 0, height: 24 },
  down: { y: 8, height: 16 },
  unsure: { y: 15, height: 9 },
  paused: { y: 15, height: 9 },
  new: { y: 15, height: 9 },
  unknown: { y: 21, height: 3 },
}

interface PictureProps {
  readonly parts: readonly PastPart[]
  /** Null if the same words stand beside it. */
  readonly label: string | null
  /** Called with the moment that was clicked on. */
  readonly onChoose?: (at: number) => void
}

function StripPicture({ parts, label, onChoose }: PictureProps) {
  const hatch = useId()
  const from = parts[0]?.from ?? 0
  const span = (parts.at(-1)?.to ?? 1) - from
  // "Up" is drawn first: a short outage is drawn wider than it is, and must not be covered.
  const layers = parts.toSorted((one, other) => +(other.state === 'up') - +(one.state === 'up'))
  return (
    <svg
      class="strip-picture"
      onClick={(click) => {
        const box = click.currentTarget.getBoundingClientRect()
        onChoose?.(from + ((click.clientX - box.left) / box.width) * span)
      }}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label ?? ''}
      aria-hidden={label === null}
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
            {...(part.state === 'unsure'
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
  readonly parts: readonly PastPart[]
  readonly flips: readonly Flip[]
  readonly present: number
}

function Changes({ parts, flips, present }: ChangesProps) {
  const newest = parts.toReversed().slice(0, mostChanges)
  const from = parts[0]?.from ?? 0
  const isFast = shareASecond(flips.map(({ at }) => at).filter((at) => at >= from))
  return (
    <details class="changes">
      <FoldSummary>{isFast ? 'Several changes' : counted(parts.length - 1, 'change')}</FoldSummary>
      <table class="facts-table">
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
              <td>{clockWords(part.from, present)}</td>
              <td>{pastWord(part.state)}</td>
              <td>{durationWords(part.to - part.from)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
