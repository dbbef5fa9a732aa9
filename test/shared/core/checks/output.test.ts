import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareOutputs,
  exitStatusIn,
  isCutOff,
  isNewTo,
} from '../../../../src/shared/core/checks/output.ts'

test('lines that are not in the last good run are new, ignoring times and counts', () => {
  const good = '12:00 begin\nread 120 rows\nall well'
  const bad = '13:00 begin\nread 7 rows\nerror: disk full\n'
  expect(bad.split('\n').filter(isNewTo(good))).toEqual(['error: disk full'])
  expect(good.split('\n').filter(isNewTo(good))).toEqual([])
})

describe('a comparison of two outputs', () => {
  const outputs = fc.array(fc.constantFrom('a', 'b', 'c 1', 'c 2', 'd'), { maxLength: 8 })
  const kind = (line: string): string => line.replace(/\d/, '')

  /** The length of the longest common subsequence of lines, found by trying all. */
  function longest(one: readonly string[], other: readonly string[]): number {
    const [first, ...rest] = one
    if (first === undefined) return 0
    const at = other.findIndex((line) => kind(line) === kind(first))
    const without = longest(rest, other)
    return at === -1 ? without : Math.max(without, 1 + longest(rest, other.slice(at + 1)))
  }

  test('has every line of both, in order, and as many common lines as possible', () => {
    fc.assert(
      fc.property(outputs, outputs, (earlier, later) => {
        const lines = compareOutputs(earlier.join('\n'), later.join('\n'))
        const of = (...sides: readonly string[]) =>
          lines.filter(({ side }) => sides.includes(side)).map(({ line }) => line)
        expect(of('later', 'both')).toEqual(later)
        expect(of('earlier', 'both').map(kind)).toEqual(earlier.map(kind))
        expect(of('both')).toHaveLength(longest(earlier, later))
      }),
    )
  })

  test('finishes in time, however long they are', () => {
    const long = (word: string) => `${word} line\n`.repeat(50_000)
    expect(compareOutputs(long('one'), long('other'))).toHaveLength(2_000)
    expect(compareOutputs('', '')).toEqual([])
  })
})

test('an output counts as cut off if it is exactly as long as the server keeps', () => {
  const bytes = (text: string) =>
    new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, 10_000))
  for (const sign of ['a', 'é', '€', '😀'])
    for (const lead of ['', 'x', 'xx', 'xxx'])
      expect(isCutOff(bytes(lead + sign.repeat(10_001)))).toBe(true)
  expect(isCutOff(new TextDecoder().decode(new Uint8Array(10_000).fill(0xe9)))).toBe(true)
  for (const whole of ['', 'a'.repeat(9_999), 'a'.repeat(10_001), '\uFFFD', 'é'.repeat(4_999)])
    expect(isCutOff(whole)).toBe(false)
})

test('the exit status is the last one in the output', () => {
  const said = {
    'exit status 3': 3,
    'Process exited with code 137': 137,
    'make: exit code: 2\nexit=1': 1,
    'exited with status 0': 0,
  }
  for (const [output, status] of Object.entries(said)) expect(exitStatusIn(output)).toBe(status)
  for (const output of ['', 'exit 4000', 'exits 3 doors', 'exit status 256', 'status 3'])
    expect(exitStatusIn(output), output).toBeNull()
})
