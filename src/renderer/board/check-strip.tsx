import { useId, useMemo, useState } from 'preact/hooks'
import type { Check } from '#shared/core/checks/check.ts'
import type { Flip } from '#shared/core/checks/flip.ts'
import { clockWords } from '#shared/core/clock-words.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { durationWords } from '#shared/core/time.ts'
import {
  flipStrip,
  type StripPart,
  type StripState,
  stripStateWords,
  stripWords,
} from '#shared/core/views/flip-strip.ts'
import type { Asked } from '../run.ts'

const hour = 3_600_000
const spans = [
  { label: '24 h', ms: 24 * hour, ticks: ['24 h ago', '12 h', 'now'] },
  { label: '7 d', ms: 7 * 24 * hour, ticks: ['7 d ago', '3½ d', 'now'] },
  { label: '90 d', ms: 90 * 24 * hour, ticks: ['90 d ago', '45 d', 'now'] },
] as const

interface Props {
  readonly check: Check
  readonly flips: Asked<readonly Flip[]>
  readonly serverNow: number
  /** When the check was last read, by the server's clock, if that is too long ago to go by. */
  readonly staleSince: number | null
}

/** The check's past as a strip, in words under it, and as a table for those who want each change. */
export function CheckStrip({ check, flips, serverNow, staleSince }: Props) {
  const [span, setSpan] = useState<(typeof spans)[number]>(spans[0])
  const known = flips.value
  // The strip is a picture of hours, and need not be drawn each second.
  const parts = useMemo(() => {
    const range = { now: serverNow, spanMs: span.ms, knownUntil: staleSince ?? serverNow }
    return known === null ? null : flipStrip(check, known, range)
  }, [check, known, span, staleSince, Math.floor(serverNow / 10_000)])
  return (
    <section class="strip" aria-label="History">
      <header class="section-head">
        <h3>History</h3>
        <fieldset class="segments" aria-label="How far back">
          {spans.map((one) => (
            <button
              key={one.label}
              type="button"
              aria-pressed={one === span}
              onClick={() => setSpan(one)}
            >
              {one.label}
            </button>
          ))}
        </fieldset>
      </header>
      {parts === null ? (
        <StripWait flips={flips} />
      ) : (
        <>
          <StripPicture parts={parts} label={`Last ${span.label}: ${stripWords(parts)}`} />
          <div class="strip-ticks" aria-hidden="true">
            {span.ticks.map((tick) => (
              <span key={tick}>{tick}</span>
            ))}
          </div>
          <p class="strip-words">{stripWords(parts)}</p>
          {parts.length > 1 && <Changes parts={parts} serverNow={serverNow} />}
        </>
      )}
    </section>
  )
}

function StripWait({ flips }: Pick<Props, 'flips'>) {
  return (
    <>
      <div class={`strip-blank ${flips.loading ? 'skeleton' : ''}`} />
      <p class="strip-words">
        {flips.failure === null ? 'Reading the history' : failureWords(flips.failure).what}
      </p>
    </>
  )
}

const width = 1_000
const height = 24

/** States differ by height as well as colour: full is up, low is not, a line is nothing known. */
const bars: Readonly<Record<StripState, { readonly y: number; readonly height: number }>> = {
  up: { y: 0, height: 24 },
  down: { y: 8, height: 16 },
  notUp: { y: 8, height: 16 },
  paused: { y: 15, height: 9 },
  new: { y: 15, height: 9 },
  unknown: { y: 21, height: 3 },
}

function StripPicture({
  parts,
  label,
}: {
  readonly parts: readonly StripPart[]
  readonly label: string
}) {
  const hatch = useId()
  const from = parts[0]?.from ?? 0
  const span = (parts.at(-1)?.to ?? 1) - from
  // "Up" lies under all else, or it would cover an outage that is thinner than it is drawn.
  const layers = [
    ...parts.filter(({ state }) => state === 'up'),
    ...parts.filter(({ state }) => state !== 'up'),
  ]
  return (
    <svg
      class="strip-picture"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {/* Stripes across the bar, since the picture is stretched along it. */}
      <pattern id={hatch} patternUnits="userSpaceOnUse" width={width} height={4}>
        <rect class="strip-stripe-ground" width={width} height={4} />
        <rect class="strip-stripe" width={width} height={2} />
      </pattern>
      {layers.map((part) => {
        const x = ((part.from - from) / span) * width
        // A short outage must still be seen in 90 days.
        const wide = Math.max(4, ((part.to - part.from) / span) * width)
        return (
          <rect
            key={part.from}
            {...(part.state === 'notUp'
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

/** More than this is a list for the web page. */
const mostChanges = 100

function Changes({
  parts,
  serverNow,
}: {
  readonly parts: readonly StripPart[]
  readonly serverNow: number
}) {
  const newest = [...parts].reverse().slice(0, mostChanges)
  return (
    <details class="changes">
      <summary>
        {parts.length - 1} {parts.length === 2 ? 'change' : 'changes'}
      </summary>
      <table>
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
              <td>{clockWords(part.from, serverNow)}</td>
              <td>{stripStateWords(part.state)}</td>
              <td>{durationWords(part.to - part.from)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
