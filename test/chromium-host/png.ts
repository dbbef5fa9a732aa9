import { inflateSync } from 'node:zlib'

export interface Pixels {
  readonly width: number
  readonly height: number
  /**
   * Four bytes per pixel, alpha first: what StatusNotifierItem calls ARGB32 in network byte order.
   */
  readonly argb: Buffer
}

const signatureBytes = 8
/** Length, type and checksum around each chunk's data. */
const chunkFrame = 12

export function isPng(bytes: Buffer): boolean {
  return bytes.toString('latin1', 1, 4) === 'PNG'
}

function refuse(what: string): never {
  throw new Error(`chromium host: a PNG with ${what} is not stood in for`)
}

/** Reads what the app draws: 8-bit RGBA with unfiltered rows. */
export function decodePng(png: Buffer): Pixels {
  let header = Buffer.alloc(0)
  const packed: Buffer[] = []
  for (let at = signatureBytes; at < png.length; at += png.readUInt32BE(at) + chunkFrame) {
    const type = png.toString('latin1', at + 4, at + 8)
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
    if (type === 'IHDR') header = Buffer.from(data)
    if (type === 'IDAT') packed.push(data)
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  // Bits per sample, colour type, and interlacing.
  if (header[8] !== 8 || header[9] !== 6 || header[12] !== 0) refuse('other than 8-bit RGBA')
  return { width, height, argb: argbOf(inflateSync(Buffer.concat(packed)), width, height) }
}

function argbOf(rows: Buffer, width: number, height: number): Buffer {
  const argb = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y++) {
    // Each row begins with a byte for its filter.
    const start = y * (width * 4 + 1)
    if (rows[start] !== 0) refuse('filtered rows')
    for (let x = 0; x < width; x++) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = rows.subarray(start + 1 + x * 4)
      argb.set([alpha, red, green, blue], (y * width + x) * 4)
    }
  }
  return argb
}
