import { describe, expect, test } from 'vitest'
import { png } from '../../src/main/desktop/tray/drawing.ts'
import { decodePng } from './png.ts'

describe('a picture drawn by the app', () => {
  test('is decoded pixel by pixel, alpha first', () => {
    const data = new Uint8ClampedArray([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
    const picture = { width: 2, height: 2, data }
    const decoded = decodePng(Buffer.from(png(picture)))
    expect(decoded).toMatchObject({ width: 2, height: 2 })
    expect([...decoded.argb]).toEqual([4, 1, 2, 3, 8, 5, 6, 7, 12, 9, 10, 11, 16, 13, 14, 15])
  })

  test('of another kind is refused by name', () => {
    const drawn = Buffer.from(png({ width: 1, height: 1, data: new Uint8ClampedArray(4) }))
    // The colour type, in the header after signature, length, type, width, height and depth.
    drawn[25] = 3
    expect(() => decodePng(drawn)).toThrow('chromium host: a PNG with other than 8-bit RGBA')
  })
})
