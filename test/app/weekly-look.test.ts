import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 23, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const minute = 60_000

test('the weekly review uses the list and the stored history, without requests to the service', async () => {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  let requests = 0
  const it = await startApp({
    world,
    transport: (request, signal) => {
      if (!request.url.endsWith('/checks/')) requests += 1
      return world.transport(request, signal)
    },
  })
  const { accountId } = await it.app.commands.addAccount(world.newAccounts.ops)
  await pass(3_000)
  await it.app.commands.createCheck({
    accountId,
    fields: { name: 'long-runs', timeout: 86_400, grace: 60 },
  })
  await it.app.commands.createCheck({
    accountId,
    fields: { name: 'flaps', timeout: 86_400, grace: 300, channels: '*' },
  })
  const { controls } = world.ops
  for (let n = 0; n < 5; n += 1) {
    controls.ping('long-runs', 'start')
    controls.ping('flaps', 'success')
    await pass(0.9 * minute)
    controls.ping('long-runs', 'success')
    await pass(6 * minute)
    controls.ping('flaps', 'fail')
    await pass(6 * minute)
  }
  requests = 0
  const found = await it.app.commands.weeklyLook({})
  expect(requests).toBe(0)
  const of = (name: string) =>
    found.filter((one) => one.name === name).map(({ kind, words, change }) => [kind, words, change])
  expect(of('long-runs')).toEqual([
    ['graceMisfit', 'usually 54 s, at most 54 s; grace 1 min', { do: 'setGrace', seconds: 120 }],
    ['noIntegrations', 'nobody is notified by the service', { do: 'integrations' }],
  ])
  expect(of('flaps')).toMatchObject([['flapping', expect.stringMatching(/^[45] outages, /), {}]])
  expect(found.some(({ kind }) => kind === 'neverPinged')).toBe(true)

  // What was stored is still there after a restart.
  const again = await it.restart()
  await pass(3_000)
  const later = await again.app.commands.weeklyLook({})
  expect(later.filter(({ name }) => name === 'flaps')).toHaveLength(1)
  await again.app.stop()
})

test('the weekly review finds what a check seems to depend on, until it does', async () => {
  const it = await startApp()
  const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.ops)
  await pass(3_000)
  for (const name of ['gateway', 'behind it'])
    await it.app.commands.createCheck({
      accountId,
      fields: { name, timeout: 86_400, grace: 300, channels: '*' },
    })
  const { controls } = it.world.ops
  for (let n = 0; n < 3; n += 1) {
    for (const name of ['gateway', 'behind it']) controls.ping(name, 'success')
    await pass(3 * minute)
    controls.ping('gateway', 'fail')
    await pass(0.3 * minute)
    controls.ping('behind it', 'fail')
    await pass(3 * minute)
  }
  const found = async () =>
    (await it.app.commands.weeklyLook({})).filter(({ kind }) => kind === 'together')
  const [finding, ...others] = await found()
  expect(others).toEqual([])
  expect(finding).toMatchObject({
    name: 'behind it',
    words: 'down within a minute of gateway, 3 times',
  })
  if (finding?.change?.do !== 'depend') throw new Error('nothing is suggested')
  const { checkId, change } = finding
  const scope = { of: 'check', accountId, checkId } as const
  await it.app.commands.addDependency({ scope, on: change.on })
  expect(await found()).toEqual([])
  await it.app.stop()
})
