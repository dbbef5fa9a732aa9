import { describe, expect, test } from 'vitest'
import { lineThatMatters } from '../../../../src/shared/core/checks/line-that-matters.ts'
import { costOf } from '../../../support/busy.ts'
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
  'fatal: not a git repository',
  'tar: /data: Cannot open: No such file or directory',
  'rsync: connection refused',
  'curl: (28) Operation timed out',
  'No space left on device',
  'Killed',
  'bash: pgdump: command not found',
  'Permission denied (publickey).',
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
  test('is the first error, else the last two, whatever characters surround it', () => {
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
        meant ?? lines.slice(-2).join(' · '),
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

  test('is the reason of a rejection, without what Node.js says before each', () => {
    const said =
      '[UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "quota exceeded".] {'
    expect(lineThatMatters(`node:internal/process/promises:288\n${said}\n  code: 'ERR_X'\n}`)).toBe(
      '[UnhandledPromiseRejection: The promise rejected with the reason "quota exceeded".] {',
    )
  })

  test('is not what Node.js tells of its memory before the error', () => {
    const said = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory'
    expect(
      lineThatMatters(
        `<--- Last few GCs --->\n\n[1234:0x5c5d0a0]    52345 ms: Mark-sweep 2045.1 (2083.5) -> 2044.9 (2083.7) MB, 812.3 / 0.0 ms  (average mu = 0.1, current mu = 0.05) allocation failure; scavenge might not succeed\n\n<--- JS stacktrace --->\n\n${said}\n 1: 0xb8d0a3 node::Abort() [node]\nAborted (core dumped)`,
      ),
    ).toBe(said)
  })

  test('shows no half of a secret where a long output is cut', () => {
    const token = `gl${'pat'}-AbCdEfGhIjKlMnOpQrSt`
    const rest = 'all is well\n'.repeat(20_000)
    for (const shown of [5, 8, 12, 16]) {
      // Of 100,000 characters, at the beginning and at the end.
      const begin = `${rest.slice(0, 100_000 - 8 - shown)}\nerror: ${token}\n`
      const end = `${token} error: refused\n${rest.slice(0, 100_000 - 16 - shown)}`
      expect(lineThatMatters(begin + rest)).not.toContain('pat-')
      expect(lineThatMatters(rest + end)).not.toContain('QrSt')
    }
  })

  test('is found in lines of any length, and at the end of a long output', () => {
    expect(lineThatMatters(`${'a'.repeat(10_000)}\n`.repeat(300))).toHaveLength(160)
    const long = 'all is well\n'.repeat(400_000)
    expect(lineThatMatters(`${long}the end`)).toBe('all is well · the end')
    expect(lineThatMatters(`${long}disk full\nbye`)).toBe('disk full')
  })

  test.each([
    '-a',
    'a',
    'A.',
    'A: ',
    'host a[1]: ',
    'not ',
    'failed ',
    'error: ',
    '0 x ',
    '/',
    '\u001b]',
  ])('is looked for in linear time, also in long lines of %j', (piece) => {
    const line = piece.repeat(1_000 / piece.length)
    expect(costOf(() => lineThatMatters(`${line}\n`.repeat(100)))).toBeLessThan(2_000)
  })
})
