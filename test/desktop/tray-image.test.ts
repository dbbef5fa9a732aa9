import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { Picture } from '../../src/main/desktop/drawing.ts'
import { png } from '../../src/main/desktop/png.ts'
import { appIcon, trayImage } from '../../src/main/desktop/tray-image.ts'
import type { TrayMark, TrayShape } from '../../src/shared/core/tray.ts'

const shapes: TrayShape[] = ['key', 'down', 'stale', 'late', 'paused', 'good', 'empty']
const marks: TrayMark[] = ['none', 'unread', 'mention']

/** How dark each pixel is on white paper, 0 to 1: what is left of the icon without colour. */
function greys({ data }: Picture): number[] {
  const pixels = []
  for (let at = 0; at < data.length; at += 4) {
    const luminance = 0.2126 * data[at]! + 0.7152 * data[at + 1]! + 0.0722 * data[at + 2]!
    pixels.push((data[at + 3]! / 255) * (1 - luminance / 255))
  }
  return pixels
}

/** Mean difference per pixel, in shares of full black. */
function difference(one: Picture, other: Picture): number {
  const others = greys(other)
  const sum = greys(one).reduce((total, grey, at) => total + Math.abs(grey - others[at]!), 0)
  return sum / others.length
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((one, at) => items.slice(at + 1).map((other): [T, T] => [one, other]))
}

describe('a tray icon', () => {
  test.each([16, 20, 22, 24, 32, 44, 48, 64])('is drawn at exactly %i px', (size) => {
    const image = trayImage({ shape: 'good', count: 0, mark: 'none' }, size, 'light')
    expect([image.width, image.height, image.data.length]).toEqual([size, size, size * size * 4])
    expect(greys(image).filter((grey) => grey > 0.5).length).toBeGreaterThan(size)
  })

  test.each([16, 22, 44])('tells every shape from every other without colour at %i px', (size) => {
    for (const theme of ['light', 'template'] as const)
      for (const [one, other] of pairs(shapes)) {
        const images = [one, other].map((shape) =>
          trayImage({ shape, count: 0, mark: 'none' }, size, theme),
        )
        expect(difference(images[0]!, images[1]!), `${one} and ${other}`).toBeGreaterThan(0.05)
      }
  })

  test('has no difference to itself', () => {
    const view = { shape: 'down', count: 3, mark: 'unread' } as const
    expect(difference(trayImage(view, 16, 'light'), trayImage(view, 16, 'light'))).toBe(0)
  })

  test.each([16, 22])('shows every count from 1 to 9+ differently at %i px', (size) => {
    const counts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((count) =>
      trayImage({ shape: 'down', count, mark: 'none' }, size, 'template'),
    )
    for (const [one, other] of pairs(counts)) expect(difference(one, other)).toBeGreaterThan(0.003)
    const many = trayImage({ shape: 'down', count: 400, mark: 'none' }, size, 'template')
    expect(difference(many, counts[9]!)).toBe(0)
  })

  test.each(shapes)('keeps the marks of chat apart on "%s"', (shape) => {
    const images = marks.map((mark) => trayImage({ shape, count: 2, mark }, 22, 'light'))
    for (const [one, other] of pairs(images)) expect(difference(one, other)).toBeGreaterThan(0.01)
  })

  test('is black and nothing else as a template', () => {
    const { data } = trayImage({ shape: 'late', count: 0, mark: 'mention' }, 32, 'template')
    expect(data.every((value, at) => at % 4 === 3 || value === 0)).toBe(true)
  })
})

describe('a PNG', () => {
  test('holds the picture, pixel for pixel', () => {
    const image = trayImage({ shape: 'down', count: 7, mark: 'none' }, 16, 'dark')
    const file = Buffer.from(png(image))
    expect(file.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
    expect([file.readUInt32BE(16), file.readUInt32BE(20)]).toEqual([16, 16])
    const start = file.indexOf('IDAT') + 4
    const rows = inflateSync(file.subarray(start, start + file.readUInt32BE(start - 8)))
    const pixels = Array.from({ length: 16 }, (_, row) =>
      rows.subarray(row * 65 + 1, (row + 1) * 65),
    )
    expect(Buffer.concat(pixels)).toEqual(Buffer.from(image.data))
  })

  test('of the app icon is the one in resources', () => {
    expect(readFileSync('resources/icon.png').equals(Buffer.from(png(appIcon(256))))).toBe(true)
  })
})
