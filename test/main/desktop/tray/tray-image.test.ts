import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Picture, png } from '../../../../src/main/desktop/tray/drawing.ts'
import {
  appIcon,
  shapeDrawings,
  type TrayTheme,
  trayImage,
} from '../../../../src/main/desktop/tray/tray-image.ts'
import type { AppState } from '../../../../src/shared/core/state.ts'
import {
  iconWords,
  type TrayLook,
  type TrayMark,
  type TrayShape,
  trayShapes,
  trayView,
} from '../../../../src/shared/core/views/tray-view.ts'
import * as eg from '../../../support/eg.ts'
import { difference, eyes, type Panel, panels, seen } from '../../../support/eyes.ts'

/** Mean differences per pixel, as fractions of the way from black to white. */
const apart = { shapes: 0.05, shapesOnWrongPanel: 0.035, looks: 0.015, counts: 0.003 } as const

const look = (change: Partial<TrayLook> = {}): TrayLook => ({
  shape: 'good',
  count: 0,
  mark: 'none',
  hidden: false,
  quiet: false,
  ...change,
})
const shapes = [...(Object.keys(trayShapes) as TrayShape[]), 'good'] as const
const states = shapes.map((shape) => look({ shape, count: shape === 'down' ? 1 : 0 }))
const marks: TrayMark[] = ['none', 'unread', 'mention']
const bools = [false, true]
/** All combinations that the icon can show. */
const allLooks = states.flatMap((state) =>
  marks.flatMap((mark) =>
    bools.flatMap((quiet) =>
      // The silenced shape itself says that something is hidden.
      (state.shape === 'silenced' ? [false] : bools).map((hidden) => ({
        ...state,
        mark,
        quiet,
        hidden,
      })),
    ),
  ),
)

/** What each eye sees of the picture on the panel, in a fixed order. */
function sights(picture: Picture, panel: Panel): number[][] {
  return eyes.map((eye) => seen(picture, panel, eye))
}

/** The smallest difference that any eye sees between the two. */
function leastDifference(one: number[][], other: number[][]): number {
  return Math.min(...one.map((sight, at) => difference(sight, other[at]!)))
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((one, at) => items.slice(at + 1).map((other): [T, T] => [one, other]))
}

const drawings: [size: number, theme: TrayTheme, panel: Panel][] = [16, 22].flatMap(
  (size): [number, TrayTheme, Panel][] => [
    [size, 'light', panels.light],
    [size, 'dark', panels.dark],
    // The colour of a Linux panel is a guess: the icon must also work on the other kind.
    [size, 'dark', panels.light],
    [size, 'template', panels.light],
  ],
)

describe('a tray icon', () => {
  test.each([16, 20, 22, 24, 32, 40, 44, 48, 64])('is drawn at exactly %i px', (size) => {
    for (const state of states) {
      const image = trayImage(state, size, 'light')
      expect([image.width, image.height, image.data.length]).toEqual([size, size, size * size * 4])
      const sight = seen(image, panels.light, 'grey')
      expect(sight.filter((light) => light < 0.5).length, state.shape).toBeGreaterThan(size)
    }
  })

  test.each(drawings)(
    'has a shape that every eye tells from all others at %i px, %s on %j',
    (...drawn) => {
      const [size, theme, panel] = drawn
      const isGuess = theme === 'dark' && panel === panels.light
      const least = isGuess ? apart.shapesOnWrongPanel : apart.shapes
      const all = states.map((state) => ({
        shape: state.shape,
        sights: sights(trayImage(state, size, theme), panel),
      }))
      for (const [one, other] of pairs(all))
        expect(
          leastDifference(one.sights, other.sights),
          `${one.shape} and ${other.shape}`,
        ).toBeGreaterThan(least)
    },
  )

  test.each(drawings)(
    'shows all its combinations distinguishably at %i px, %s on %j',
    (...drawn) => {
      const [size, theme, panel] = drawn
      const all = allLooks.map((one) => ({
        one,
        sights: sights(trayImage(one, size, theme), panel),
      }))
      const tooNear = pairs(all)
        .filter(([one, other]) => leastDifference(one.sights, other.sights) <= apart.looks)
        .map(([one, other]) => JSON.stringify([one.one, other.one]))
      expect(tooNear).toEqual([])
    },
  )

  test('would be reported if it differed from another in hue alone (positive control)', () => {
    // Red and blue of the same luminance, in the shape of the triangle.
    const triangle = trayImage(look({ shape: 'down' }), 16, 'template')
    const inked = (ink: readonly [number, number, number]): Picture => ({
      ...triangle,
      data: triangle.data.map((value, at) => (at % 4 === 3 ? value : ink[at % 4]!)),
    })
    const [red, blue] = [inked([205, 70, 40]), inked([50, 112, 226])]
    expect(Buffer.from(red.data).equals(Buffer.from(blue.data))).toBe(false)
    expect(leastDifference(sights(red, panels.light), sights(blue, panels.light))).toBeLessThan(
      apart.shapes,
    )
    const ringed = sights(trayImage(look({ shape: 'late' }), 16, 'light'), panels.light)
    expect(leastDifference(ringed, ringed)).toBe(0)
  })

  test.each([16, 22])('shows every count from 1 to 9+ differently at %i px', (size) => {
    for (const hidden of bools) {
      const counts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 400].map((count) =>
        seen(
          trayImage(look({ shape: 'down', count, hidden }), size, 'light'),
          panels.light,
          'grey',
        ),
      )
      for (const [one, other] of pairs(counts.slice(0, 10)))
        expect(difference(one, other)).toBeGreaterThan(apart.counts)
      expect(difference(counts[9]!, counts[10]!)).toBe(0)
    }
  })

  test('keeps its digits intact beside the mark of hidden problems', () => {
    const nine = (hidden: boolean): number => {
      const image = trayImage(look({ shape: 'down', count: 12, hidden }), 16, 'dark')
      // The rows and columns of the digits, where only they are white.
      let white = 0
      for (let y = 9; y < 14; y += 1)
        for (let x = 4; x < 14; x += 1) {
          const [red = 0, green = 0, , alpha = 0] = image.data.subarray((y * 16 + x) * 4)
          if (red > 250 && green > 250 && alpha > 250) white += 1
        }
      return white
    }
    expect(nine(true)).toBe(nine(false))
  })

  test('is nothing but black as a template', () => {
    for (const one of allLooks) {
      const { data } = trayImage(one, 32, 'template')
      expect(data.every((value, at) => at % 4 === 3 || value === 0)).toBe(true)
    }
  })
})

describe('a PNG', () => {
  test('contains the picture, pixel for pixel', () => {
    const image = trayImage(look({ shape: 'down', count: 7 }), 16, 'dark')
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

describe('a new row in the table of tray states', () => {
  test('sets the shape when its condition holds, and has its own drawing', () => {
    const name = 'new'
    const row = {
      holds: (_: unknown, { boards }: AppState) => boards.size === 2,
      reasons: () => ['two boards'],
    }
    Object.assign(trayShapes, { [name]: row })
    Object.assign(shapeDrawings, { [name]: shapeDrawings.key })
    onTestFinished(() => {
      Reflect.deleteProperty(trayShapes, name)
      Reflect.deleteProperty(shapeDrawings, name)
    })
    const boards = [eg.opsId, 'other'].map((id) => [id, eg.board([eg.check()])] as const)
    const seenBy = (count: number) =>
      trayView(eg.state({ boards: new Map(boards.slice(0, count)) }), eg.now)
    expect([seenBy(1).shape, seenBy(2).shape]).toEqual(['good', name])
    expect(iconWords(eg.state({ boards: new Map(boards) }), eg.now)).toBe('Two boards.')
    const asKey = trayImage({ ...seenBy(2), shape: 'key' }, 22, 'dark')
    expect(trayImage(seenBy(2), 22, 'dark')).toEqual(asKey)
  })
})
