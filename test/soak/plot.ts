import type { Sample } from './samples.ts'

const width = 800
const bandHeight = 104
const margin = { left: 64, right: 24, top: 72, bottom: 44 } as const
/** Above a band's curve, for its title. */
const titleHeight = 34
/** Minutes between two marks of the time axis. */
const tickMinutes = 5

interface Band {
  readonly of: keyof Sample
  readonly title: string
  readonly unit: string
}

const bands: readonly Band[] = [
  { of: 'rss', title: 'Memory of the process', unit: 'MiB' },
  { of: 'rssBefore', title: 'The same before each garbage collection', unit: 'MiB' },
  { of: 'young', title: 'Of it V8’s space for young objects', unit: 'MiB' },
  { of: 'heap', title: 'Heap in use', unit: 'MiB' },
  { of: 'database', title: 'History on disk', unit: 'MiB' },
  { of: 'handles', title: 'Open handles', unit: '' },
  { of: 'timers', title: 'Timers', unit: '' },
  { of: 'listeners', title: 'Listeners', unit: '' },
  { of: 'stall', title: 'Longest time busy with one thing', unit: 'ms' },
]

/** Follows the reader's colour scheme, so that it isn't a white block on a dark page. */
const style = `
  svg { color-scheme: light dark; font: 12px system-ui, sans-serif; }
  .ground { fill: #ffffff; } .heading { fill: #1b1f24; font-size: 16px; font-weight: 600; }
  text { fill: #3d444d; } .quiet { fill: #656d76; } .axis { stroke: #d1d9e0; }
  .curve { fill: none; stroke: #1f5f99; stroke-width: 1.5; stroke-linejoin: round; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #16181d; } .heading { fill: #f0f3f6; }
    text { fill: #c9d1d9; } .quiet { fill: #9198a1; } .axis { stroke: #3d444d; }
    .curve { stroke: #6cb0f0; }
  }`

/** A curve for each measure over time, starting at zero, so that a rise isn't exaggerated. */
export function plot(samples: readonly Sample[]): string {
  const height = margin.top + bands.length * bandHeight + margin.bottom
  const end = samples.at(-1)?.at ?? 0
  const minutes = Math.round(end / 60)
  const last = Math.max(1, end, minutes * 60)
  const heading = `${minutes} minutes of the demo world at 20 times its pace`
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${heading}: memory, handles, timers and listeners over time</title>`,
    `<style>${style}\n</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    text(margin.left, 30, heading, 'start', 'heading'),
    text(margin.left, 50, 'The app in plain Node on real sockets and files', 'start', 'quiet'),
    ...bands.map((band, index) => drawn(band, samples, last, margin.top + index * bandHeight)),
    ...timeAxis(last, height - margin.bottom + 20),
    '</svg>',
  ].join('\n')}\n`
}

function drawn(
  { of, title, unit }: Band,
  samples: readonly Sample[],
  last: number,
  top: number,
): string {
  const most = Math.max(1, ...samples.map((sample) => sample[of]))
  const bottom = top + bandHeight - 6
  const high = bandHeight - titleHeight - 6
  const points = samples.map(
    (sample) => `${x(sample.at, last)},${(bottom - (sample[of] / most) * high).toFixed(1)}`,
  )
  const named = unit === '' ? title : `${title} (${unit})`
  return [
    text(margin.left, top + 20, named, 'start'),
    text(margin.left - 8, bottom - high + 4, most.toFixed(0), 'end', 'quiet'),
    text(margin.left - 8, bottom + 4, '0', 'end', 'quiet'),
    `<path class="axis" d="M${margin.left} ${bottom}H${width - margin.right}"/>`,
    `<polyline class="curve" points="${points.join(' ')}"/>`,
  ].join('\n')
}

function timeAxis(last: number, y: number): string[] {
  const marks = Array.from(
    { length: Math.floor(last / 60 / tickMinutes) + 1 },
    (_none, index) => index * tickMinutes,
  )
  return [
    ...marks.map((minute) => text(Number(x(minute * 60, last)), y, `${minute}`, 'middle', 'quiet')),
    text(width - margin.right, y + 16, 'minutes', 'end', 'quiet'),
  ]
}

function x(seconds: number, last: number): string {
  return (margin.left + (seconds / last) * (width - margin.left - margin.right)).toFixed(1)
}

function text(
  left: number,
  y: number,
  words: string,
  anchor: 'start' | 'middle' | 'end',
  kind?: 'heading' | 'quiet',
): string {
  const named = kind === undefined ? '' : ` class="${kind}"`
  return `<text x="${left}" y="${y}" text-anchor="${anchor}"${named}>${words}</text>`
}
