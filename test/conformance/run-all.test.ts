import { afterEach, describe, expect, test } from 'vitest'
import { serveWorld, type WorldServer } from '../support/world-server.ts'
import { monitoring } from './monitoring-cases.ts'
import { flips } from './monitoring-steps.ts'
import { runAll } from './run-all.ts'
import { type Outcome, type RealTarget, surveyOf } from './run-cases.ts'

let served: WorldServer | null = null
afterEach(async () => {
  await served?.close()
  served = null
})

/** A long-lived server with its own checks, like a real one. Its clock moves when a case waits. */
async function serve() {
  let passed = 0
  served = await serveWorld({ now: () => Date.now() + passed, seed: 1, lively: false })
  const { world, urls } = served
  const { readWriteKey, readOnlyKey } = world.ops.table
  const here = {
    kind: 'real',
    address: urls.ops,
    keys: {
      readWrite: readWriteKey,
      readOnly: readOnlyKey,
      other: null,
      ping: world.ops.table.pingKey,
    },
    // If cases ran together, each would also advance the others' time.
    together: 1,
    wait(ms: number) {
      passed += ms
      world.ops.tick()
      return Promise.resolve()
    },
  } as const
  const survey = await surveyOf(monitoring, here)
  expect(survey.level).toBe('4.3')
  const target: RealTarget = { ...here, survey }
  return { world, log: served.log, target }
}

function collect() {
  const outcomes: (Outcome & { name: string })[] = []
  return { outcomes, tell: (name: string, one: Outcome) => outcomes.push({ name, ...one }) }
}

describe('the cases of a service on a long-lived server', () => {
  test('hold next to its own checks, change none of them, and leave nothing behind', async () => {
    const { world, target } = await serve()
    const own = () =>
      [...world.ops.table.checks.values()].map(({ uuid, fields, pingCount, integrationIds }) =>
        JSON.stringify({ uuid, fields, pingCount, integrations: [...integrationIds] }),
      )
    const before = own()
    const { outcomes, tell } = collect()
    const totals = await runAll(monitoring, target, tell)
    expect(outcomes.filter(({ kind }) => kind === 'differs')).toEqual([])
    expect(totals.held).toBeGreaterThan(270)
    expect(totals.held + totals.skipped + totals.pretend).toBe(monitoring.cases.length)
    expect(totals.left).toEqual([])
    expect(own()).toEqual(before)
  })

  test('that need what the server lacks are skipped, with the reason', async () => {
    const { target } = await serve()
    const { outcomes, tell } = collect()
    const clock = monitoring.cases.filter((one) => one.clock).slice(0, 1)
    const readOnly = monitoring.cases.filter(({ name }) => name.startsWith('a read-only key lists'))
    const keys = { ...target.keys, readOnly: null }
    await runAll({ ...monitoring, cases: [...clock, ...readOnly] }, { ...target, keys }, tell)
    expect(outcomes).toMatchObject([
      { kind: 'pretend', reason: 'needs a clock that can be moved' },
      { kind: 'skipped', reason: 'needs a read-only key' },
    ])
  })

  test('differ if the server does, and still remove what they created', async () => {
    const { world, target } = await serve()
    const before = world.ops.controls.names()
    const [first] = monitoring.cases.filter(({ name }) => name === 'a second pause isn’t a flip')
    if (first === undefined) throw new Error('the case was renamed')
    const wrong = { ...first, steps: [...first.steps, flips('up', [1, 1, 1])] }
    const { outcomes, tell } = collect()
    const totals = await runAll({ ...monitoring, cases: [wrong] }, target, tell)
    expect(totals).toMatchObject({ held: 0, differs: 1, left: [] })
    expect(outcomes.map((one) => one.kind === 'differs' && one.difference)).toEqual([
      expect.stringContaining('.flips has 2 items'),
    ])
    expect(world.ops.controls.names()).toEqual(before)
  })

  test('stop at Ctrl+C: the current one cleans up, and no other starts', async () => {
    const { world, target } = await serve()
    const before = world.ops.controls.names()
    const stop = new AbortController()
    const waiting = monitoring.cases.filter(({ name }) => name === 'a paused check is never late')
    const others = monitoring.cases.filter(({ name }) => name.startsWith('a check is late'))
    const { outcomes, tell } = collect()
    const wait = () => {
      expect(world.ops.controls.names()).toHaveLength(before.length + 1)
      stop.abort()
      return Promise.resolve()
    }
    const cases = [...waiting, ...others]
    const totals = await runAll(
      { ...monitoring, cases },
      { ...target, wait, signal: stop.signal },
      tell,
    )
    expect(totals).toEqual({ held: 0, differs: 0, skipped: 2, pretend: 0, left: [], stays: [] })
    expect(outcomes.map((one) => one.kind === 'skipped' && one.reason)).toEqual([
      'stopped',
      'stopped',
    ])
    expect(world.ops.controls.names()).toEqual(before)
  })

  test('name what they could not remove', async () => {
    const { world, target } = await serve()
    const cases = monitoring.cases.filter(({ name }) => name === 'a paused check is never late')
    const wait = () => {
      world.ops.controls.refuse(503)
      return Promise.resolve()
    }
    const totals = await runAll({ ...monitoring, cases }, { ...target, wait }, () => undefined)
    expect(totals).toMatchObject({
      differs: 1,
      left: [expect.stringMatching(/^\/api\/v3\/checks\/[-0-9a-f]{36} \(503\)$/)],
    })
  })

  test('never send a key to a ping address', async () => {
    const { log, target } = await serve()
    const cases = monitoring.cases.filter(({ operation }) => operation?.startsWith('ping'))
    await runAll({ ...monitoring, cases }, target, () => undefined)
    const withKey = (part: string) =>
      log.filter(({ path, headers }) => path.startsWith(part) && 'x-api-key' in headers).length
    expect(withKey('/api/')).toBeGreaterThan(0)
    expect(withKey('/ping/')).toBe(0)
  })
})
