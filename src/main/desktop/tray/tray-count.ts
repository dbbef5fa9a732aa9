import { cells, grid, type Shape } from './drawing.ts'

/** Three by five cells: all that 16 px have room for. */
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
 * How many are down, as cells of whole pixels above the triangle's foot. With `hidden` the wide 9+
 * makes room for the mark at the lower left.
 */
export function countShape(count: number, size: number, hidden = false): Shape | null {
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
  const foot = Math.round(size * 0.86)
  return cells(rows, [left * unit, (foot - height * pixels) * unit], pixels * unit)
}

function joined(glyphs: readonly (readonly string[])[]): string[] {
  const [first = [], ...rest] = glyphs
  return first.map((row, at) => [row, ...rest.map((glyph) => glyph[at] ?? '')].join('.'))
}
