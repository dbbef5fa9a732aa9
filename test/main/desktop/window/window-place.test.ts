import { describe, expect, test } from 'vitest'
import {
  fitted,
  readPlace,
  usualPlace,
} from '../../../../src/main/desktop/window/window-lifecycle.ts'

const screen = { x: 0, y: 30, width: 1280, height: 770 }

describe('the place of the window', () => {
  test('is restored', () => {
    const place = { width: 500, height: 700, x: 700, y: 60 }
    expect(fitted(readPlace(place), screen)).toEqual(place)
  })

  test('moves onto the screen if its own screen is gone', () => {
    expect(fitted({ width: 500, height: 700, x: 3000, y: -900 }, screen)).toEqual({
      width: 500,
      height: 700,
      x: 780,
      y: 30,
    })
  })

  test('is left to the desktop if it is unknown', () => {
    expect(fitted(usualPlace, screen)).toEqual({ width: 420, height: 620 })
  })

  test('is never too small to use, nor larger than the screen', () => {
    expect(fitted({ width: 10, height: 5_000 }, screen)).toEqual({ width: 360, height: 770 })
    expect(fitted({ width: 9_000, height: 600 }, screen)).toEqual({ width: 1_280, height: 600 })
  })

  test.each([null, [], 'x', { width: 'a' }, { width: 400 }, { width: 4.5, height: Number.NaN }])(
    'is the default after reading %j',
    (document) => {
      expect(readPlace(document)).toEqual(usualPlace)
    },
  )
})
