import { describe, expect, test } from 'vitest'
import type { CheckStatus } from '../../../../src/shared/core/checks/check.ts'
import type { Flip } from '../../../../src/shared/core/checks/history.ts'
import {
  flipStrip,
  type StripRange,
  stripWords,
} from '../../../../src/shared/core/views/flip-strip.ts'
import * as eg from '../../../support/eg.ts'

const { now, hour } = eg

/** Each part as "state hours", oldest first. */
function strip(
  status: CheckStatus,
  flips: readonly Flip[],
  {
    since = null,
    staleHours = 0,
    seen = [],
  }: { since?: number | null; staleHours?: number; seen?: StripRange['seen'] } = {},
): string[] {
  const range = { now, spanMs: 24 * hour, knownUntil: now - staleHours * hour, seen }
  return flipStrip({ status, since }, flips, range).map(
    ({ from, to, state }) => `${state} ${(to - from) / hour}`,
  )
}

const up = (hoursAgo: number): Flip => ({ at: now - hoursAgo * hour, up: true })
const notUp = (hoursAgo: number): Flip => ({ at: now - hoursAgo * hour, up: false })

describe('the strip of the past', () => {
  test('is what the check is now when nothing ever changed', () => {
    expect(strip('up', [])).toEqual(['up 24'])
    expect(strip('grace', [])).toEqual(['up 24'])
    expect(strip('paused', [])).toEqual(['paused 24'])
  })

  test('calls down what Belfry announced as down', () => {
    const seen = [{ at: now - 11 * hour, to: 'down' } as const]
    expect(strip('up', [up(10), notUp(12), up(90)], { seen })).toEqual(['up 12', 'down 2', 'up 10'])
  })

  test('knows of a new check only since it was seen to come', () => {
    expect(strip('new', [])).toEqual(['unknown 24'])
    expect(strip('new', [], { since: now - 2 * hour })).toEqual(['unknown 22', 'new 2'])
    expect(strip('new', [notUp(1), up(30)])).toEqual(['up 23', 'new 1'])
  })

  test('names only the present stretch by its status: flips do not tell down from paused', () => {
    expect(strip('down', [notUp(2), up(10), notUp(12), up(90)])).toEqual([
      'up 12',
      'notUp 2',
      'up 8',
      'down 2',
    ])
  })

  test('knows nothing before the oldest flip', () => {
    expect(strip('up', [up(6)])).toEqual(['unknown 18', 'up 6'])
  })

  test('takes two changes away from up as one stretch', () => {
    expect(strip('up', [up(1), notUp(3), notUp(5), up(50)])).toEqual(['up 19', 'notUp 4', 'up 1'])
  })

  test('shows a check as down before the service has written the flip', () => {
    expect(strip('down', [up(50)], { since: now - hour })).toEqual(['up 23', 'down 1'])
  })

  test('takes flips in any order', () => {
    expect(strip('up', [up(50), up(1), notUp(3)])).toEqual(['up 21', 'notUp 2', 'up 1'])
  })

  test('says nothing of the time since the last read', () => {
    expect(strip('up', [up(50)], { staleHours: 3 })).toEqual(['up 21', 'unknown 3'])
  })

  test('is told in words, the longest first', () => {
    const range = { now, spanMs: 24 * hour, knownUntil: now }
    const parts = flipStrip({ status: 'down', since: null }, [notUp(2), up(50)], range)
    expect(stripWords(parts)).toBe('up 22 h · down 2 h')
  })
})
