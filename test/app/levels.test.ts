import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { floorLevel } from '../../src/shared/core/chat/server-level.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25), toFake: ['setTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

async function connected(featureLevel?: number) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel })
  const it = await startApp({ world })
  const { accountId } = await it.app.commands.addAccount(world.newAccounts.chat)
  const realm = () => it.app.state.realms.get(accountId)
  await vi.waitFor(() => expect(realm()?.freshness.readAt).toBeTypeOf('number'), 60_000)
  const run = (operation: string, params: Record<string, unknown>) =>
    it.app.commands.run({ accountId, operation, params })
  const preview = (operation: string, params: Record<string, unknown>) =>
    it.app.commands.previewRequest({ accountId, operation, params })
  return { ...it, realm, run, preview }
}

const newChannel = { name: 'night shift', description: 'Who is up.', subscribers: [11] }

describe('an operation newer than the server', () => {
  test('is done with an older equivalent', async () => {
    const it = await connected(floorLevel)
    expect(it.realm()?.server).toEqual({ version: '10.2', featureLevel: 372 })
    const { url } = await it.preview('createChannel', newChannel)
    expect(url).toMatch(/\/api\/v1\/users\/me\/subscriptions$/)
    expect(await it.run('createChannel', newChannel)).toMatchObject({
      subscribed: { 11: ['night shift'] },
    })
    const names = () => [...(it.realm()?.channels.values() ?? [])].map(({ name }) => name)
    await vi.waitFor(() => expect(names()).toContain('night shift'), 60_000)
    await it.run('setUserStatus', { user_id: 11, status_text: 'asleep' })
    expect(await it.run('getUserStatus', { user_id: 11 })).toMatchObject({
      status: { status_text: 'asleep' },
    })
    await it.app.stop()
  })

  test.each([
    ['setUserStatus', { user_id: 12, status_text: 'asleep' }],
    ['listNavigationViews', {}],
  ])('is refused before it is sent if there is no equivalent: %s', async (operation, params) => {
    const it = await connected(floorLevel)
    const refusal = await it.run(operation, params).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(RequestFailed)
    expect(refusal).toMatchObject({
      failure: { kind: 'invalid', message: 'This needs server 11 or later; yours is 10.2.' },
    })
    await it.app.stop()
  })

  test('is sent as such if the server knows it', async () => {
    const it = await connected()
    expect(await it.run('createChannel', newChannel)).toHaveProperty('id')
    expect(await it.run('listNavigationViews', {})).toMatchObject({ result: 'success' })
    await it.app.stop()
  })
})
