import { afterEach, describe, expect, test } from 'vitest'
import { serveWorld, type WorldServer } from '../support/world-server.ts'
import { monitoring } from './monitoring-cases.ts'
import { runAll } from './run-all.ts'
import type { Outcome } from './run-cases.ts'

let served: WorldServer | null = null
afterEach(async () => {
  await served?.close()
  served = null
})

/** One long-lived server with checks of its own, as a real one is. */
async function serve() {
  served = await serveWorld({ now: Date.now, seed: 1, lively: false })
  const { world, urls } = served
  const { readWriteKey, readOnlyKey } = world.ops.table
  const keys = { readWrite: readWriteKey, readOnly: readOnlyKey }
  return { world, log: served.log, target: { kind: 'real', address: urls.ops, keys } as const }
}

function collect() {
  const outcomes: (Outcome & { name: string })[] = []
  return { outcomes, tell: (name: string, one: Outcome) => outcomes.push({ name, ...one }) }
}

describe('the cases of a service, asked of a server that lives on', () => {
  test('hold beside checks of its own, and leave nothing behind', async () => {
    const { world, target } = await serve()
    const before = world.ops.controls.names()
    const { outcomes, tell } = collect()
    const totals = await runAll(monitoring, target, tell)
    expect(outcomes.filter(({ kind }) => kind === 'differs')).toEqual([])
    expect(totals.held).toBeGreaterThan(200)
    expect(totals.held + totals.skipped).toBe(monitoring.cases.length)
    expect(world.ops.controls.names()).toEqual(before)
  })

  test('that need what the server has not are skipped, with the reason', async () => {
    const { target } = await serve()
    const { outcomes, tell } = collect()
    const clock = monitoring.cases.filter((one) => one.clock).slice(0, 1)
    const readOnly = monitoring.cases.filter(({ name }) => name.startsWith('a read-only key lists'))
    const keys = { ...target.keys, readOnly: null }
    await runAll({ ...monitoring, cases: [...clock, ...readOnly] }, { ...target, keys }, tell)
    expect(outcomes.map((one) => one.kind === 'skipped' && one.reason)).toEqual([
      'needs a clock that can be moved',
      'needs a read-only key',
    ])
  })

  test('differ where the server does, and still take away what they made', async () => {
    const { world, target } = await serve()
    const before = world.ops.controls.names()
    world.ops.controls.captive(true)
    const { outcomes, tell } = collect()
    const cases = monitoring.cases.filter(({ name }) => name === 'no key is missing')
    expect(await runAll({ ...monitoring, cases }, target, tell)).toMatchObject({ differs: 1 })
    expect(outcomes.map((one) => one.kind === 'differs' && one.difference)).toEqual([
      expect.stringContaining('not 401'),
    ])
    expect(world.ops.controls.names()).toEqual(before)
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
