import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { judge } from '../soak/judge.ts'
import type { Sample } from '../soak/samples.ts'

function samples(of: (n: number) => Partial<Sample>): Sample[] {
  return Array.from({ length: 180 }, (_, n) => ({
    at: n * 10,
    rss: 120 + (n % 7),
    rssBefore: 150 + (n % 9),
    young: 10 + (n % 5),
    anonymous: 60 + (n % 7),
    heap: 20 + (n % 3),
    heapTaken: 40 + (n % 9),
    external: 10 + (n % 2),
    handles: 5 + (n % 4),
    timers: 20 + (n % 5),
    listeners: 30 + (n % 6),
    files: 30 + (n % 3),
    disk: n / 100,
    database: n / 110,
    stall: 40,
    ...of(n),
  }))
}

const growing = (taken: readonly Sample[]) =>
  judge(taken, true)
    .filter(({ flat }) => !flat)
    .map(({ of }) => of)

test('fluctuation counts as flat, and so does growth while the app warms up', () => {
  expect(growing(samples(() => ({})))).toEqual([])
  expect(growing(samples((n) => ({ rss: n < 80 ? 40 + n : 120 })))).toEqual([])
})

test.each(['rss', 'heap', 'external', 'handles', 'timers', 'listeners', 'files'] as const)(
  'a steady rise of %s is detected',
  (of) => {
    const taken = samples(() => ({}))
    expect(growing(taken.map((one, n) => ({ ...one, [of]: one[of] * (1 + n / 300) })))).toEqual([
      of,
    ])
  },
)

test('memory that still fills a cache in the second half doesn’t count as flat', () => {
  expect(growing(samples((n) => ({ rss: 110 + 20 * Math.min(1, n / 150) })))).toEqual(['rss'])
})

test('the app leaves nothing behind in 20 s of a soak, and one that leaks is caught', () => {
  const file = fileURLToPath(new URL('../soak/run.ts', import.meta.url))
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--expose-gc', file, '--seconds', '20', '--seed', '1'],
    { encoding: 'utf8', timeout: 170_000 },
  )
  expect(stdout, stdout).toContain('a program that leaks is caught')
  expect(stdout, stdout).toMatch(
    /soak: 20 s, \d+ events, .*handles flat, timers flat, listeners flat, files flat\n$/,
  )
  expect(status).toBe(0)
})
