/**
 * A shape as the signed distance to its edge, negative inside, on a grid 16 units wide and high
 * whatever the size of the picture. Shapes are drawn separately for every size and never scaled.
 */
export type Shape = (x: number, y: number) => number

/** Red, green, blue 0 to 255; alpha 0 to 1. */
export type Colour = readonly [number, number, number, number]

/** A layer of paint, or (`colour: null`) an eraser: it removes what is below. */
export interface Layer {
  readonly shape: Shape
  readonly colour: Colour | null
}

/** Rows from top to bottom, RGBA, not premultiplied. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

/** Units of the drawing grid. */
export const grid = 16

export const circle =
  (cx: number, cy: number, radius: number): Shape =>
  (x, y) =>
    Math.hypot(x - cx, y - cy) - radius

/** A box with rounded corners. */
export const box =
  (left: number, top: number, right: number, bottom: number, radius = 0): Shape =>
  (x, y) => {
    const dx = Math.abs(x - (left + right) / 2) - (right - left) / 2 + radius
    const dy = Math.abs(y - (top + bottom) / 2) - (bottom - top) / 2 + radius
    return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius
  }

type Point = readonly [number, number]

/** A straight stroke with round ends. */
export const stroke =
  ([ax, ay]: Point, [bx, by]: Point, width: number): Shape =>
  (x, y) => {
    const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    const t = Math.min(1, Math.max(0, along))
    return Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay)) - width / 2
  }

/** A closed polygon; distance after Inigo Quilez, "2D distance functions". */
export function polygon(points: readonly Point[]): Shape {
  const edges = points.map(([ax, ay], at) => {
    const [bx, by] = points.at(at - 1) ?? [ax, ay]
    return { ax, ay, by, ex: bx - ax, ey: by - ay }
  })
  return (x, y) => {
    let nearest = Number.POSITIVE_INFINITY
    let inside = 1
    for (const { ax, ay, by, ex, ey } of edges) {
      const t = Math.min(1, Math.max(0, ((x - ax) * ex + (y - ay) * ey) / (ex * ex + ey * ey)))
      nearest = Math.min(nearest, (x - ax - ex * t) ** 2 + (y - ay - ey * t) ** 2)
      const above = y >= ay
      const below = y < by
      const left = ex * (y - ay) > ey * (x - ax)
      if ((above && below && left) || (!above && !below && !left)) inside = -inside
    }
    return inside * Math.sqrt(nearest)
  }
}

export const union =
  (...shapes: readonly Shape[]): Shape =>
  (x, y) =>
    shapes.reduce((least, shape) => Math.min(least, shape(x, y)), Number.POSITIVE_INFINITY)

export const without =
  (shape: Shape, cut: Shape): Shape =>
  (x, y) =>
    Math.max(shape(x, y), -cut(x, y))

export const both =
  (one: Shape, other: Shape): Shape =>
  (x, y) =>
    Math.max(one(x, y), other(x, y))

/** Grown by this many units on all sides; shrunk when negative. */
export const grown =
  (shape: Shape, by: number): Shape =>
  (x, y) =>
    shape(x, y) - by

/** The line along a shape's edge, inside of it. */
export const outline = (shape: Shape, width: number): Shape => without(shape, grown(shape, -width))

/** Scaled around the upper left corner of the grid, then moved by `by`. */
export const scaled =
  (shape: Shape, factor: number, by: Point): Shape =>
  (x, y) =>
    shape((x - by[0]) / factor, (y - by[1]) / factor) * factor

/** Rows of `#` as square cells: what keeps a digit sharp at 16 px. */
export function cells(rows: readonly string[], at: Point, cell: number): Shape {
  const filled = rows.flatMap((row, down) =>
    [...row].flatMap((mark, along) =>
      mark === '#'
        ? [
            box(
              at[0] + along * cell,
              at[1] + down * cell,
              at[0] + (along + 1) * cell,
              at[1] + (down + 1) * cell,
            ),
          ]
        : [],
    ),
  )
  return union(...filled)
}

/** Paints layers from back to front, with edges smoothed over one pixel. */
export function painted(layers: readonly Layer[], size: number): Picture {
  const data = new Uint8ClampedArray(size * size * 4)
  const unit = grid / size
  for (let row = 0; row < size; row += 1)
    for (let column = 0; column < size; column += 1) {
      const pixel = mixed(layers, (column + 0.5) * unit, (row + 0.5) * unit, unit)
      data.set(pixel, (row * size + column) * 4)
    }
  return { width: size, height: size, data }
}

function mixed(layers: readonly Layer[], x: number, y: number, unit: number): Colour {
  let [red, green, blue, alpha] = [0, 0, 0, 0]
  for (const { shape, colour } of layers) {
    const cover = Math.min(1, Math.max(0, 0.5 - shape(x, y) / unit))
    if (cover === 0) continue
    if (colour === null) {
      alpha *= 1 - cover
      continue
    }
    const over = cover * colour[3]
    const total = over + alpha * (1 - over)
    const share = total === 0 ? 0 : over / total
    red += (colour[0] - red) * share
    green += (colour[1] - green) * share
    blue += (colour[2] - blue) * share
    alpha = total
  }
  return [Math.round(red), Math.round(green), Math.round(blue), Math.round(alpha * 255)]
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** A picture as PNG (ISO/IEC 15948): 8-bit RGBA, rows unfiltered. */
export function png(picture: Picture): Uint8Array {
  const { width, height, data } = picture
  const { deflateSync } = process.getBuiltinModule('node:zlib')
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Bits per sample, colour type RGBA; compression, filter and interlace method are 0.
  header.set([8, 6], 8)
  const rows = Buffer.alloc(height * (width * 4 + 1))
  for (let row = 0; row < height; row += 1)
    rows.set(data.subarray(row * width * 4, (row + 1) * width * 4), row * (width * 4 + 1) + 1)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, content: Uint8Array): Buffer {
  const { crc32 } = process.getBuiltinModule('node:zlib')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
