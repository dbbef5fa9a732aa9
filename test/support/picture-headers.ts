export interface Headed {
  readonly type: string
  readonly body: Buffer
}

function uint16(value: number, littleEndian = false): Buffer {
  const bytes = Buffer.alloc(2)
  if (littleEndian) bytes.writeUInt16LE(value)
  else bytes.writeUInt16BE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeUIntLE(value, 0, 3)
  return bytes
}

const text = (latin1: string) => Buffer.from(latin1, 'latin1')

/**
 * As much of a picture of each type as states its size; at most 16,383 pixels each way for some.
 */
export function headed(width: number, height: number): Headed[] {
  const [small, low] = [Math.min(width, 16_383), Math.min(height, 16_383)]
  const lossless = Buffer.alloc(4)
  lossless.writeUInt32LE(((small - 1) | ((low - 1) << 14)) >>> 0)
  const frame = [uint16(width, true), uint16(height, true)]
  const parts: Readonly<Record<string, readonly Buffer[]>> = {
    png: [text('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'), uint32(width), uint32(height), text('\b\x06')],
    jpeg: [
      // A segment of JFIF, a table that looks like a frame by its marker, a fill byte.
      text('\xff\xd8\xff\xe0\0\x04ab\xff\xc4\0\x04ab\xff'),
      ...[text('\xff\xc2\0\x11\b'), uint16(height), uint16(width), text('\x03abc')],
    ],
    gif: [text('GIF89a'), ...frame, text('\0\0\0;')],
    // A screen of one pixel, with colours and a comment, and an image that makes it larger.
    'gif ': [
      text('GIF89a\x01\0\x01\0\x80\0\0rgbrgb!\xfe\x03abc\0'),
      ...[text(','), text('\0\0\0\0'), ...frame, text('\0\x02\x01a\0;')],
    ],
    webp: [
      text('RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a'),
      ...[uint16(small, true), uint16(low, true)],
    ],
    'webp ': [text('RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f'), lossless, text('abcdef')],
    'webp  ': [
      text('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0'),
      ...[uint24(width - 1), uint24(height - 1)],
    ],
    // The size of a thumbnail before that of the whole picture.
    avif: [
      text('\0\0\0\x20ftypavif\0\0\0\x14ispe\0\0\0\0\0\0\0\x01\0\0\0\x01'),
      ...[text('\0\0\0\x14ispe\0\0\0\0'), uint32(width), uint32(height)],
    ],
  }
  return Object.entries(parts).map(([name, list]) => ({
    type: name.trim(),
    body: Buffer.concat(list),
  }))
}
