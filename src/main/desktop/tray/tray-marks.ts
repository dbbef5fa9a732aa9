import type { TrayLook, TrayMark } from '../../../shared/core/views/tray.ts'
import {
  box,
  type Colour,
  cells,
  circle,
  grid,
  type Layer,
  outline,
  type Shape,
  stroke,
  union,
  without,
} from './drawing.ts'

interface MarkColours {
  readonly ink: Colour
  readonly chat: Colour
}

/** At sizes from here on an @ has room for its loop. */
const roomForLoop = 32

/**
 * What stands in the corners beside the shape: chat at the upper right, the z of quiet at the upper
 * left, the hollow dot of hidden problems at the lower left. The lower right is the shape's own.
 */
export function markLayers(
  { mark, hidden, quiet }: Pick<TrayLook, 'mark' | 'hidden' | 'quiet'>,
  size: number,
  colours: MarkColours,
): readonly Layer[] {
  return [
    ...(hidden ? hiddenLayers(size, colours.ink) : []),
    ...(quiet ? quietLayers(size, colours.ink) : []),
    ...chatLayers(mark, size, colours.chat),
  ]
}

/** A ring of five whole pixels at 16 px. What is below it is cleared, so that it stands free. */
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
