import { describe, expect, test } from 'vitest'
import { durationWords, periodWords, relativeWords } from '../../../src/shared/core/time.ts'
import { hour, minute, now } from '../../support/eg.ts'

describe('a duration', () => {
  test.each([
    [-5, '0 s'],
    [45_900, '45 s'],
    [12 * minute + 59_000, '12 min'],
    [2 * hour, '2 h'],
    [2 * hour + 13 * minute, '2 h 13 min'],
    [76 * hour, '3 d 4 h'],
    [400 * 24 * hour, '400 d'],
  ])('of %i ms reads %s', (ms, words) => {
    expect(durationWords(ms)).toBe(words)
  })

  test('is worded for the past and for the future', () => {
    expect(relativeWords(now - 12_000, now)).toBe('12 s ago')
    expect(relativeWords(now + 4 * minute, now)).toBe('in 4 min')
  })
})

describe('a period', () => {
  test.each([
    [60, '1 min'],
    [90, '1 min 30 s'],
    [3600, '1 h'],
    [86_400, '1 day'],
    [604_800, '1 week'],
    [31_536_000, '52 weeks 1 day'],
    [0, '0 s'],
  ])('of %i s reads %s', (seconds, words) => {
    expect(periodWords(seconds)).toBe(words)
  })
})
