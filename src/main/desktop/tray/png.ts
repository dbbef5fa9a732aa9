import type { Picture } from './drawing.ts'

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
