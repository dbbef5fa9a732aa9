import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { isSamePacked, unpackedBytes } from '../../../src/main/http/gzip.ts'

const packed = gzipSync('{"checks": []}')

/** As Django does: with a file name of random length in the header. */
function named(raw: Buffer, name: string, flag = 8, between = Buffer.alloc(0)): Buffer {
  const head = Buffer.from(raw.subarray(0, 10))
  head[3] = flag
  return Buffer.concat([head, between, Buffer.from(`${name}\0`), raw.subarray(10)])
}

describe('a gzipped body', () => {
  test('equals another with the same content, whatever its header says', () => {
    expect(isSamePacked(packed, Buffer.from(packed))).toBe(true)
    expect(isSamePacked(named(packed, 'a'), named(packed, 'aaaaaa'))).toBe(true)
    const extra = Buffer.from([2, 0, 7, 7])
    expect(isSamePacked(packed, named(packed, 'a', 8 | 4, extra))).toBe(true)
  })

  test('differs from one with other content', () => {
    expect(isSamePacked(packed, gzipSync('{"checks": [1]}'))).toBe(false)
    expect(isSamePacked(Buffer.from('plain'), Buffer.from('other'))).toBe(false)
    expect(isSamePacked(packed, named(packed, 'a').subarray(0, -1))).toBe(false)
  })

  test('states its unpacked size, which is believed as far as it is possible', () => {
    expect(unpackedBytes(packed)).toBe(14)
    const boasting = Buffer.from(packed)
    boasting.writeUInt32LE(0xffff_ffff, boasting.length - 4)
    expect(unpackedBytes(boasting)).toBe(1_032 * boasting.length)
    // Cut before its trailer.
    expect(unpackedBytes(packed.subarray(0, 3))).toBe(24)
  })
})
