import { describe, expect, test } from 'vitest'
import { createCrashRecovery } from '../../../../src/main/desktop/window/window-lifecycle.ts'

function window(hasSafePage = true) {
  const time = { now: 0 }
  const crashRecovery = createCrashRecovery({ hasSafePage, monotonic: () => time.now })
  return { ...crashRecovery, time }
}

describe('a page that crashes', () => {
  test('is reloaded, twenty times out of twenty, if it ran for a while in between', () => {
    const { crashed, time } = window()
    const shown = Array.from({ length: 20 }, () => {
      time.now += 25_000
      return crashed()
    })
    expect(new Set(shown)).toEqual(new Set(['page']))
  })

  test('again and again is replaced by the safe page, and that by nothing', () => {
    const { crashed, shows } = window()
    const shown = Array.from({ length: 20 }, crashed)
    expect(shown.slice(0, 5)).toEqual(['page', 'page', 'page', 'safePage', 'nothing'])
    expect(new Set(shown.slice(5))).toEqual(new Set(['nothing']))
    expect(shows()).toBe('nothing')
  })

  test('gets another try when the user asks, and three automatic ones a minute later', () => {
    const { crashed, begin, shows, time } = window()
    for (let times = 0; times < 4; times += 1) crashed()
    begin()
    expect(shows()).toBe('page')
    expect(crashed()).toBe('safePage')
    begin()
    time.now += 60_000
    expect([crashed(), crashed(), crashed(), crashed()]).toEqual([
      'page',
      'page',
      'page',
      'safePage',
    ])
  })

  test('is replaced by nothing if no safe page is served', () => {
    const { crashed } = window(false)
    for (let times = 0; times < 3; times += 1) crashed()
    expect(crashed()).toBe('nothing')
  })
})
