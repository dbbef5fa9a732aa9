import type { Sample } from './samples.ts'

const width = 800
const bandHeight = 110
const margin = { left: 70, right: 20, top: 26 } as const

const bands: readonly (readonly [of: keyof Sample, title: string])[] = [
  ['rss', 'Memory of the process (MiB)'],
  ['rssBefore', 'The same before each garbage collection (MiB)'],
  ['young', 'Of it V8’s space for young objects (MiB)'],
  ['heap', 'Heap in use (MiB)'],
  ['database', 'History on disk (MiB)'],
  ['handles', 'Handles'],
  ['timers', 'Timers'],
  ['listeners', 'Listeners'],
  ['stall', 'Longest time busy with one thing (ms)'],
]

/** A line for each measure over time, each from zero, so that a rise looks as large as it is. */
export function plot(samples: readonly Sample[]): string {
  const height = bands.length * bandHeight + 30
  const drawn = bands.map(([of, title], index) => band(samples, of, title, index * bandHeight))
  const minutes = ((samples.at(-1)?.at ?? 0) / 60).toFixed(0)
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"`,
    ' font-family="sans-serif" font-size="12">',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...drawn,
    text(width - margin.right, height - 8, `${minutes} minutes`, 'end'),
    '</svg>',
  ].join('\n')}\n`
}

function band(samples: readonly Sample[], of: keyof Sample, title: string, top: number): string {
  const most = Math.max(1, ...samples.map((sample) => sample[of]))
  const last = samples.at(-1)?.at ?? 1
  const bottom = top + bandHeight
  const high = bandHeight - margin.top - 8
  const wide = width - margin.left - margin.right
  const points = samples.map(
    (sample) =>
      `${(margin.left + (sample.at / last) * wide).toFixed(1)},` +
      `${(bottom - (sample[of] / most) * high).toFixed(1)}`,
  )
  return [
    text(margin.left, top + margin.top - 10, title, 'start'),
    text(margin.left - 8, bottom - high + 4, most.toFixed(0), 'end'),
    text(margin.left - 8, bottom, '0', 'end'),
    `<path d="M${margin.left} ${bottom}H${width - margin.right}" stroke="#c4c4c4"/>`,
    `<polyline points="${points.join(' ')}" fill="none" stroke="#1f5f99" stroke-width="1.5"/>`,
  ].join('\n')
}

function text(x: number, y: number, words: string, anchor: 'start' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#333333">${words}</text>`
}
