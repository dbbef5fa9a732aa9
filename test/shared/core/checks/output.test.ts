import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareOutputs,
  exitStatusIn,
  isCutOff,
  isNewTo,
  lineThatMatters,
} from '../../../../src/shared/core/checks/output.ts'
import { type Seeded, seeded } from '../../../support/seeded.ts'

const calm = [
  'dumping 14 tables',
  'uploaded 3.2 GB in 41 s',
  '0 errors, 3 warnings',
  'errors: 0',
  'finished without errors',
  'No failures found',
  'checking terrors.log',
  'File "backup.py", line 12, in raise_error',
  'at Object.fail (job.js:3:7)',
] as const
const errors = [
  'pg_dump: error: connection to server failed',
  'ValueError: not a number',
  'java.lang.IllegalStateException: closed',
  'fatal: not a git repository',
  'tar: /data: Cannot open: No such file or directory',
  'rsync: connection refused',
  'curl: (28) Operation timed out',
  'No space left on device',
  'exit status 2',
  'exited with code 137',
  'Killed',
  'bash: pgdump: command not found',
  'Permission denied (publickey).',
  'FAILED: 3 of 12 tests',
] as const

/** A line with escape sequences, control characters or spaces that do not change how it reads. */
function dressed(line: string, seed: Seeded): string {
  return seed.pick([
    line,
    `   ${line}\t`,
    `\u001b[31;1m${line}\u001b[0m`,
    `\u202e${line}\u2066`,
    `${line.slice(0, 2)}\u0000\u0007${line.slice(2)}`,
    line.replaceAll(' ', '  \t '),
  ])
}

describe('the line that matters', () => {
  test('is the first that looks like an error, else the last, whatever characters surround it', () => {
    let found = 0
    for (let n = 0; n < 3_000; n += 1) {
      const seed = seeded(n)
      const lines = Array.from({ length: seed.whole(1, 8) }, () =>
        seed.pick(seed.chance(0.15) ? errors : calm),
      )
      const meant = lines.find((line) => (errors as readonly string[]).includes(line))
      if (meant !== undefined) found += 1
      const end = seed.pick(['', '\n', '\n\n  \n', '\r\n'])
      const output = lines.map((line) => dressed(line, seed)).join(seed.pick(['\n', '\r\n', '\r']))
      expect(lineThatMatters(`${seed.pick(['', '\n\n'])}${output}${end}`), `${n}`).toBe(
        meant ?? lines.at(-1),
      )
    }
    expect(found).toBeGreaterThan(500)
  })

  test('is short, one line and without secrets, whatever was sent', () => {
    const long = lineThatMatters(`fine\nerror: ${'😀'.repeat(10_000)}`) ?? ''
    expect([...long]).toHaveLength(160)
    expect(long.endsWith('…')).toBe(true)
    expect(
      lineThatMatters(
        'error: https://hc-ping.com/0c8b1f2e-7f3a-4c1d-9a55-2f0d7c1e6b4a/fail refused',
      ),
    ).toBe('error: https://hc-ping.com/•••/fail refused')
    expect(lineThatMatters('error: https://ci.example/builds/17')).toContain('/builds/17')
    for (const nothing of ['', ' \n\t\n', '\u0000\u0001', '\u202e\u2066'])
      expect(lineThatMatters(nothing)).toBeNull()
  })

  test('is found in lines of any length, and at the end of a long output', () => {
    expect(lineThatMatters(`${'a'.repeat(10_000)}\n`.repeat(300))).toHaveLength(160)
    expect(lineThatMatters(`${'all is well\n'.repeat(400_000)}the end`)).toBe('the end')
  })
})

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
