import { describe, expect, test } from 'vitest'
import { createProject } from '../../../../src/demo/monitoring/pretend-project.ts'
import type { Signal } from '../../../../src/demo/monitoring/project-check.ts'
import { uniqueKeyOf } from '../../../../src/main/base/unique-key.ts'
import { emptyBoard, withBoard } from '../../../../src/shared/core/checks/board.ts'
import { withChecks } from '../../../../src/shared/core/checks/board-update.ts'
import { isFields } from '../../../../src/shared/core/schemas.ts'
import { type AppState, emptyState } from '../../../../src/shared/core/state.ts'
import { readChecks } from '../../../support/read-checks.ts'
import { seeded } from '../../../support/seeded.ts'

const second = 1_000
const minute = 60 * second
const key = `hcw_${'a'.repeat(28)}`
const root = 'https://hc.example.org'
const accountId = 'a'

type Act = 'pass' | 'pause' | 'resume' | Signal
const allActs: readonly [Act, ...Act[]] = [
  'pass',
  ...(['start', 'start', 'success', 'fail', 'log', 'pause', 'resume', 'pass', 'pass'] as const),
]

/** The same project, as a server at the root of its host and one below a path answer for it. */
function twins(schedule: Readonly<Record<string, unknown>>) {
  let now = Date.UTC(2026, 2, 17, 14, 25)
  const projects = [root, `${root}/hc`].map((baseUrl) =>
    createProject({
      ...{ baseUrl, name: 'ops', readWriteKey: key, readOnlyKey: null, seed: 7 },
      now: () => now,
      checks: [{ name: 'job', grace: 300, state: 'new', ...schedule }],
    }),
  )
  let states = projects.map((): AppState => withBoard(emptyState, emptyBoard(accountId, null)))
  const ask = (method: string, path: string) =>
    projects.map((project, at) =>
      project.handle({
        method,
        url: `${at === 0 ? root : `${root}/hc`}/api/v3/checks/${path}`,
        headers: { 'X-Api-Key': key },
        body: null,
      }),
    )
  const pass = (ms: number) => {
    now += ms
    for (const project of projects) project.tick()
  }
  const ping = (signal: Signal) => {
    for (const { controls } of projects) controls.ping('job', signal)
  }
  return {
    pass,
    ping,
    act(act: Act, passMs: number) {
      if (act === 'pass') pass(passMs)
      else if (act === 'pause' || act === 'resume')
        ask('POST', `${projects[0]?.controls.check('job').uuid}/${act}`)
      else ping(act)
    },
    /** What the app makes of each one's list. */
    read() {
      const wire = ask('GET', '').map(({ body }): unknown =>
        JSON.parse(new TextDecoder().decode(body)),
      )
      states = states.map((state, at) => {
        const items = wire[at]
        if (!isFields(items) || !Array.isArray(items['checks'])) throw new Error('no list')
        const read = readChecks(items['checks'], uniqueKeyOf, now)
        return withChecks(state, accountId, {
          ...{ ...read, at: now, intervalMs: minute, serverOffsetMs: 0 },
        })
      })
      const [rooted, below] = states.map(
        (state) => [...(state.boards.get(accountId)?.checks.values() ?? [])][0],
      )
      return { rooted, below }
    },
  }
}

describe('a check on a server below a path, with a run in progress,', () => {
  test.each([
    ['a period', { timeout: 900 }],
    ['cron', { schedule: '*/15 * * * *', tz: 'Europe/Ljubljana' }],
  ])('has the status that it has elsewhere, whatever happens, with %s', (_what, schedule) => {
    const seen = new Map<string, number>()
    const wrong: string[] = []
    for (let life = 1; life <= 60; life += 1) {
      const { pick, whole } = seeded(life)
      const job = twins(schedule)
      const acts: string[] = []
      for (let step = 0; step < 60; step += 1) {
        const act = pick(allActs)
        acts.push(act)
        job.act(act, whole(1, pick([60, 400, 1_500])) * second)
        const { rooted, below } = job.read()
        if (below?.rawStatus === 'started')
          seen.set(below.status, (seen.get(below.status) ?? 0) + 1)
        // A start that a pause forgot is none; everything else is the same.
        if (rooted?.status !== below?.status || rooted?.started !== below?.started)
          wrong.push(
            `life ${life}: ${rooted?.status}, below ${below?.status}: ${acts.slice(-8).join()}`,
          )
      }
    }
    expect(wrong).toEqual([])
    // Control: each of them was hidden by a run at times.
    expect([...seen.keys()].toSorted()).toEqual(['down', 'grace', 'new', 'paused', 'up'])
  })

  test('is up or down on a schedule that Belfry can’t compute, and down in time', () => {
    const job = twins({ schedule: '*:0/15', tz: 'UTC' })
    job.ping('success')
    job.pass(14 * minute)
    job.ping('start')
    expect(job.read().below).toMatchObject({ status: 'up', started: true })
    job.pass(5 * minute - second)
    expect(job.read().below).toMatchObject({ status: 'up' })
    job.pass(2 * second)
    expect(job.read()).toMatchObject({ rooted: { status: 'down' }, below: { status: 'down' } })
  })
})
