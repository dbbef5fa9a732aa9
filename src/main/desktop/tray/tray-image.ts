import type { TrayLook, TrayMark, TrayShape } from '../../../shared/core/views/tray-view.ts'
import {
  both,
  box,
  type Colour,
  cells,
  circle,
  grid,
  grown,
  type Layer,
  outline,
  type Picture,
  painted,
  polygon,
  type Shape,
  scaled,
  stroke,
  union,
  without,
} from './drawing.ts'

/** `template`: black on transparent, which macOS colours itself. */
export type TrayTheme = 'light' | 'dark' | 'template'

interface Palette {
  readonly ink: Colour
  /** Colour of the digits in the triangle. Null: cut out. */
  readonly digit: Colour | null
  readonly down: Colour
  readonly late: Colour
  readonly key: Colour
  readonly chat: Colour
  /** A thin rim in the colour of the panel we assume, for panels of the other kind. */
  readonly rim: Colour | null
}

const black: Colour = [0, 0, 0, 1]

/** Hues after Okabe and Ito, distinguishable for colour-blind eyes; the shapes work without colour. */
const palettes: Readonly<Record<TrayTheme, Palette>> = {
  light: {
    ink: [38, 43, 51, 1],
    digit: [255, 255, 255, 1],
    down: [196, 52, 28, 1],
    late: [176, 98, 0, 1],
    key: [128, 62, 160, 1],
    chat: [0, 98, 190, 1],
    rim: [255, 255, 255, 0.55],
  },
  dark: {
    ink: [240, 242, 245, 1],
    digit: [255, 255, 255, 1],
    down: [232, 76, 48, 1],
    late: [255, 182, 54, 1],
    key: [206, 150, 240, 1],
    chat: [96, 184, 255, 1],
    rim: [16, 18, 22, 0.85],
  },
  template: {
    ink: black,
    digit: null,
    down: black,
    late: black,
    key: black,
    chat: black,
    rim: null,
  },
}

/** The nearest edge of a pixel, so that what ends there is sharp at every size. */
const snapped = (at: number, size: number): number => (Math.round((at * size) / grid) * grid) / size

/** Half the bell's outline from crown to waist, right side; the other half is its mirror. */
const profile = [
  [0, 1.6],
  [1.1, 1.8],
  [2.5, 2.6],
  [3.5, 3.9],
  [3.9, 5.6],
  [4.05, 7.6],
  [4.5, 9.3],
] as const

/** The bell alone, at the full height of the grid. */
function bellBody(size: number): Shape {
  const [lip, foot] = [snapped(6.1, size), snapped(12.4, size)]
  const half = [...profile, [lip - 0.6, foot - 1.7], [lip, foot - 0.9], [lip, foot]] as const
  return polygon([
    ...half.map(([x, y]) => [8 + x, y] as const),
    ...half
      .slice(1)
      .reverse()
      .map(([x, y]) => [8 - x, y] as const),
  ])
}

function clapper(size: number): Shape {
  const foot = snapped(12.4, size)
  return both(circle(8, foot + 0.8, 1.9), box(0, foot + 0.9, grid, grid))
}

/** The mark. In the tray it stands without its tower, which only the app's own icon has room for. */
const bell = (size: number): Shape => union(bellBody(size), clapper(size))

/** The belfry: a gabled wall, drawn as a line. */
const tower: Shape = outline(
  polygon([
    [8, 0.2],
    [15, 5.2],
    [15, 15.8],
    [1, 15.8],
    [1, 5.2],
  ]),
  0.9,
)

/** The app's own icon: the mark in colour on a tile. `resources/icon.png` is this at 256 px. */
export function appIcon(size: number): Picture {
  return painted(
    [
      { shape: box(0.4, 0.4, 15.6, 15.6, 3.6), colour: [29, 49, 78, 1] },
      { shape: scaled(tower, 0.72, [2.24, 2.1]), colour: [226, 234, 244, 1] },
      { shape: scaled(bell(size), 0.5, [4, 5.1]), colour: [255, 190, 70, 1] },
    ],
    size,
  )
}

const corner = { x: 11.6, y: 11.6, radius: 4.2 }

/** A badge at the lower right; what is below it is cleared, so that it stands out at 16 px. */
function badge(below: Shape, drawn: Shape, palette: Palette, colour: Colour): Layer[] {
  const { x, y, radius } = corner
  return [
    { shape: without(below, circle(x, y, radius + 0.9)), colour: palette.ink },
    { shape: drawn, colour },
  ]
}

function clock(size: number): Shape {
  const { x, y, radius } = corner
  const line = size < 20 ? 1.25 : 1.05
  return union(
    outline(circle(x, y, radius), line),
    stroke([x, y], [x, y - 2.3], line),
    stroke([x, y], [x + 1.9, y], line),
  )
}

/** Placed on whole pixels, so that they are sharp at every size. */
function bars(size: number): Shape {
  const at = (place: number): number => snapped(place, size)
  const bar = (left: number): Shape => box(at(left), at(8), at(left) + at(2), at(15))
  return union(bar(9), bar(12))
}

/** Looks as heavy as the bell, with the same margins. */
function triangle(size: number): Shape {
  const foot = snapped(14.2, size) - roundness
  const side = snapped(6.8, size) - roundness
  return grown(
    polygon([
      [8, 3.2],
      [8 + side, foot],
      [8 - side, foot],
    ]),
    roundness,
  )
}

/** Radius of its corners, in grid units. */
const roundness = 1.3

/** Upright, bow above: the upper left corner stays free for a mark. */
const keyShape: Shape = union(
  without(circle(8, 4.9, 4.4), circle(8, 4.4, 1.7)),
  stroke([8, 9], [8, 15], 2),
  stroke([8, 14.5], [11.3, 14.5], 1.9),
  stroke([8, 11.4], [10.8, 11.4], 1.8),
)

/** Cuts a line into dashes, by the angle around the middle of the bell. */
function dashed(line: Shape, dashes: number): Shape {
  const gaps = (x: number, y: number): number => {
    const angle = Math.atan2(y - 8, x - 8) / (2 * Math.PI) + 0.25
    const phase = angle * dashes - Math.round(angle * dashes)
    const arc = (2 * Math.PI * Math.hypot(x - 8, y - 8)) / dashes
    return (Math.abs(phase) - 0.2) * arc
  }
  return without(line, gaps)
}

/** Points to the right, like "play": still running. */
const running: Shape = grown(
  polygon([
    [9.7, 9.2],
    [14, 11.75],
    [9.7, 14.3],
  ]),
  0.6,
)

/** The triangle of a check that is down, hollow, with a tick: seen, and silenced for now. */
function seen(size: number, line: number): Shape {
  return union(
    outline(triangle(size), line),
    stroke([6, 10.2], [7.4, 11.6], line),
    stroke([7.4, 11.6], [10, 8.3], line),
  )
}

/** The exclamation mark of a triangle without a count. */
const exclamation: Shape = union(stroke([8, 6.3], [8, 9.3], 1.8), circle(8, 11.9, 1.1))

type Draw = (
  palette: Palette,
  size: number,
  look: Pick<TrayLook, 'count' | 'hidden'>,
) => readonly Layer[]

const lineOf = (size: number): number => (size < 20 ? 1.15 : 1)

/** A drawing for each shape of the tray. */
export const shapeDrawings: Readonly<Record<TrayShape, Draw>> = {
  good: ({ ink }, size) => [{ shape: bell(size), colour: ink }],
  late: (palette, size) => badge(bell(size), clock(size), palette, palette.late),
  overrun: (palette, size) => badge(bell(size), running, palette, palette.late),
  silenced: ({ ink }, size) => [{ shape: seen(size, lineOf(size) * 1.25), colour: ink }],
  paused: (palette, size) => badge(bell(size), bars(size), palette, palette.ink),
  down: ({ down, digit }, size, { count, hidden }) => [
    { shape: triangle(size), colour: down },
    { shape: countShape(count, size, hidden) ?? exclamation, colour: digit },
  ],
  stale: ({ ink }, size) => [
    { shape: dashed(outline(bell(size), lineOf(size) * 1.45), size < 20 ? 7 : 9), colour: ink },
  ],
  key: ({ key }) => [{ shape: keyShape, colour: key }],
  empty: ({ ink }, size) => [
    { shape: union(outline(bellBody(size), lineOf(size) * 0.8), clapper(size)), colour: ink },
  ],
}

/** The tray icon for the given look, drawn at exactly `size` pixels. */
export function trayImage(look: TrayLook, size: number, theme: TrayTheme): Picture {
  const palette = palettes[theme]
  const shape = rimmed(shapeDrawings[look.shape](palette, size, look), palette.rim, size)
  const marks = rimmed(markLayers(look, size, palette), palette.rim, size)
  return painted([...shape, ...marks], size)
}

/** Adds a rim of one pixel, so that a light drawing is visible on a light panel too. */
function rimmed(layers: readonly Layer[], colour: Colour | null, size: number): readonly Layer[] {
  const painting = layers.filter((layer) => layer.colour !== null)
  if (colour === null || painting.length === 0) return layers
  const around = grown(union(...painting.map((layer) => layer.shape)), grid / size)
  const clearing = layers.filter((layer) => layer.colour === null)
  return [...clearing, { shape: around, colour }, ...painting]
}

/** Three by five cells: all that fits at 16 px. */
const small = {
  '1': ['.#.', '##.', '.#.', '.#.', '###'],
  '2': ['##.', '..#', '.#.', '#..', '###'],
  '3': ['##.', '..#', '.#.', '..#', '##.'],
  '4': ['#.#', '#.#', '###', '..#', '..#'],
  '5': ['###', '#..', '##.', '..#', '##.'],
  '6': ['.##', '#..', '###', '#.#', '###'],
  '7': ['###', '..#', '.#.', '.#.', '.#.'],
  '8': ['###', '#.#', '###', '#.#', '###'],
  '9': ['###', '#.#', '###', '..#', '##.'],
  '+': ['...', '.#.', '###', '.#.', '...'],
}

const large: typeof small = {
  '1': ['.##..', '###..', '.##..', '.##..', '.##..', '.##..', '####.'],
  '2': ['.###.', '##.##', '...##', '..##.', '.##..', '##...', '#####'],
  '3': ['####.', '...##', '...##', '.###.', '...##', '...##', '####.'],
  '4': ['...##', '..###', '.####', '##.##', '#####', '...##', '...##'],
  '5': ['#####', '##...', '####.', '...##', '...##', '##.##', '.###.'],
  '6': ['.###.', '##...', '####.', '##.##', '##.##', '##.##', '.###.'],
  '7': ['#####', '...##', '..##.', '..##.', '.##..', '.##..', '.##..'],
  '8': ['.###.', '##.##', '##.##', '.###.', '##.##', '##.##', '.###.'],
  '9': ['.###.', '##.##', '##.##', '.####', '...##', '...##', '.###.'],
  '+': ['...', '...', '.#.', '###', '.#.', '...', '...'],
}

type Glyph = keyof typeof small

/**
 * The number of checks that are down, in whole pixels above the triangle's foot. With `hidden`, the
 * wide 9+ makes room for the mark at the lower left.
 */
function countShape(count: number, size: number, hidden = false): Shape | null {
  if (count < 1) return null
  const glyphs: readonly Glyph[] = count > 9 ? ['9', '+'] : [`${count}` as Glyph]
  const font = size < 20 || size === 32 ? small : large
  const height = font['1'].length
  const pixels = Math.max(1, Math.floor((size * 0.36) / height))
  const rows = joined(glyphs.map((glyph) => font[glyph]))
  const width = (rows[0]?.length ?? 0) * pixels
  const unit = grid / size
  const aside = hidden && count > 9 ? Math.round(size / grid) : 0
  const left = Math.round((size - width) / 2) + aside
  const foot = Math.round(size * 0.83)
  return cells(rows, [left * unit, (foot - height * pixels) * unit], pixels * unit)
}

function joined(glyphs: readonly (readonly string[])[]): string[] {
  const [first = [], ...rest] = glyphs
  return first.map((row, at) => [row, ...rest.map((glyph) => glyph[at] ?? '')].join('.'))
}

/** At sizes from here on an @ has room for its loop. */
const roomForLoop = 32

/**
 * The marks in the corners beside the shape: chat at the upper right, the z of quiet at the upper
 * left, the hollow dot of hidden problems at the lower left. The lower right belongs to the shape.
 */
function markLayers(
  { mark, hidden, quiet }: Pick<TrayLook, 'mark' | 'hidden' | 'quiet'>,
  size: number,
  colours: Pick<Palette, 'ink' | 'chat'>,
): readonly Layer[] {
  return [
    ...(hidden ? hiddenLayers(size, colours.ink) : []),
    ...(quiet ? quietLayers(size, colours.ink) : []),
    ...chatLayers(mark, size, colours.chat),
  ]
}

/** A ring of five whole pixels at 16 px. What is below it is cleared, so that it stands out. */
function hiddenLayers(size: number, colour: Colour): readonly Layer[] {
  const [x, y, radius] = [2.5, 13.5, 2.5]
  return [
    { shape: circle(x, y, radius + 1), colour: null },
    { shape: outline(circle(x, y, radius), size < 20 ? 1.1 : 1), colour },
  ]
}

const smallZ = ['####', '..#.', '.#..', '####']
const largeZ = ['#####', '...#.', '..#..', '.#...', '#####']

/** A z of whole pixels, a quarter as high as the icon. */
function quietLayers(size: number, colour: Colour): readonly Layer[] {
  const rows = size % grid === 0 ? smallZ : largeZ
  const pixels = Math.max(1, Math.floor(size / (rows === smallZ ? 16 : 20)))
  const side = (rows.length * pixels * grid) / size
  return [
    { shape: box(-1, -1, side + 0.7, side + 0.7), colour: null },
    { shape: cells(rows, [0, 0], (pixels * grid) / size), colour },
  ]
}

/** A dot for unread, a ring around a dot (an @) for a mention. */
function chatLayers(chat: TrayMark, size: number, colour: Colour): readonly Layer[] {
  if (chat === 'none') return []
  const [x, y] = [12.5, 3.5]
  const clear = { shape: circle(x, y, chat === 'unread' ? 4 : 4.6), colour: null }
  if (chat === 'unread') return [clear, { shape: circle(x, y, 3), colour }]
  return [clear, { shape: atSign(x, y, size), colour }]
}

function atSign(x: number, y: number, size: number): Shape {
  const line = size < 24 ? 1.15 : 0.85
  const ring = outline(circle(x, y, 3.5), line)
  if (size < roomForLoop) return union(ring, circle(x, y, 1.15))
  const inner = outline(circle(x, y, 1.6), line * 0.85)
  const tail = stroke([x + 1.4, y - 1.4], [x + 1.4, y + 1.2], line * 0.75)
  const opening = box(x + 0.6, y + 1.4, x + 4, y + 4)
  return union(
    without(ring, opening),
    inner,
    tail,
    stroke([x + 1.5, y + 1.2], [x + 2.7, y + 1.2], line * 0.75),
  )
}
