import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createProject } from '../../src/demo/monitoring/pretend-project.ts'
import { createWorld } from '../../src/demo/world.ts'
import { beingRead } from '../../src/main/monitoring/check-commands.ts'
import { checkSubject } from '../../src/shared/core/attention/event.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { patchBetween } from '../../src/shared/core/patch.ts'
import { emptyState } from '../../src/shared/core/state.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

async function connected() {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  /** `lists`: each next response with a list of checks waits for the first promise in it. */
  const network = { isOff: false, lists: [] as Promise<void>[], sent: [] as string[] }
  const it = await startApp({
    world,
    transport: async (request, signal) => {
      network.sent.push(new URL(request.url).pathname)
      if (request.method === 'GET' && /\/checks\/(\?|$)/.test(request.url))
        await network.lists.shift()
      if (!network.isOff) return world.transport(request, signal)
      const host = new URL(request.url).host
      throw new RequestFailed({ kind: 'network', reason: 'refused', host, reached: 'no' })
    },
  })
  const { ops } = world.newAccounts
  const { accountId } = await it.app.commands.addAccount(ops)
  await pass(3_000)
  const checks = () => it.app.state.boards.get(accountId)?.checks ?? new Map<string, never>()
  const idOf = (name: string): string =>
    [...checks().values()].find((check) => check.name === name)?.id ?? ''
  const checkId = idOf('cert-renew')
  const { uuid } = world.ops.controls.check('cert-renew')
  /** A change by someone else, past the app. */
  const byAnother = (method: 'POST' | 'DELETE', fields: Record<string, unknown> | null) =>
    world.transport(
      {
        method,
        url: `${world.bases.ops}/api/v3/checks/${uuid}`,
        headers: { 'x-api-key': ops.key, 'content-type': 'application/json' },
        body: fields === null ? null : JSON.stringify(fields),
        maxBytes: 2 ** 20,
        deadlineMs: 1_000,
      },
      new AbortController().signal,
    )
  const details = () => it.app.commands.checkDetails({ accountId, checkId })
  return { ...it, key: ops.key, network, accountId, checkId, uuid, checks, byAnother, details }
}

/** All of its text, including that in maps. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (one instanceof Map ? [...one] : one))
}

describe('a check that is only selected', () => {
  const count = (sent: readonly string[], path: RegExp): number =>
    sent.filter((one) => path.test(one)).length

  test.for([
    ['selected', true, 30],
    // The control: what somebody waits for may take more.
    ['opened', false, 54],
  ] as const)(
    'is read on half of the requests, and the list is read in time (%s)',
    async ([, glance, most]) => {
      const it = await connected()
      const { accountId, checkId, network } = it
      const look = () =>
        it.app.commands.run({ accountId, operation: 'listFlips', params: { id: checkId }, glance })
      // The first one loads the catalogue, which takes no time here.
      await look()
      await pass(90_000)
      network.sent.length = 0
      for (let at = 0; at < 60; at += 1) void look().catch(() => undefined)
      await pass(45_000)
      const flips = count(network.sent, /\/flips\/$/)
      expect(flips).toBeLessThanOrEqual(most)
      expect(flips).toBeGreaterThan(most - 10)
      expect(count(network.sent, /\/checks\/$/)).toBeGreaterThan(0)
      await it.app.stop()
    },
  )
})

describe('what only the page of a check shows', () => {
  test('is in no window until its page asks for it, above all the UUID and the ping address', async () => {
    const it = await connected()
    const handed = textOf(patchBetween(emptyState, it.app.state))
    expect(handed).toContain('cert-renew')
    expect(it.checks().size).toBeGreaterThan(5)
    for (const checkId of it.checks().keys()) {
      const { uuid, pingUrl } = await it.app.commands.checkDetails({
        accountId: it.accountId,
        checkId,
      })
      expect(uuid).toMatch(/^[0-9a-f-]{36}$/)
      expect(pingUrl).toContain(uuid)
      expect(handed).not.toContain(uuid)
    }
    await it.app.stop()
  })

  test('follows our own edit at once, and someone else’s with the next list', async () => {
    const it = await connected()
    await it.app.commands.run({
      accountId: it.accountId,
      operation: 'updateCheck',
      params: { uuid: it.checkId, desc: 'ours' },
    })
    expect(await it.details()).toMatchObject({ description: 'ours', uuid: it.uuid })
    await pass(3_000)
    const before = it.app.state.boards.get(it.accountId)
    await it.byAnother('POST', { desc: 'theirs' })
    expect(await it.details()).toMatchObject({ description: 'ours' })
    await it.app.commands.refresh({ accountId: it.accountId })
    await pass(1_000)
    const after = it.app.state.boards.get(it.accountId)
    expect(await it.details()).toMatchObject({ description: 'theirs' })
    // The page asks again because the list was read again, although its check didn’t change.
    expect(after?.checks.get(it.checkId)).toBe(before?.checks.get(it.checkId))
    expect(after?.freshness.readAt).not.toBe(before?.freshness.readAt)
    await it.app.stop()
  })

  test('stays readable while the service is unreachable, and says so once the check is gone', async () => {
    const it = await connected()
    const known = await it.details()
    await it.byAnother('DELETE', null)
    it.network.isOff = true
    await it.app.commands.refresh({ accountId: it.accountId })
    await pass(1_000)
    expect(it.app.state.boards.get(it.accountId)?.freshness.failure).not.toBeNull()
    expect(await it.details()).toEqual(known)
    it.network.isOff = false
    await it.app.commands.refresh({ accountId: it.accountId })
    await pass(1_000)
    const gone = { failure: { kind: 'invalid', message: 'This check no longer exists.' } }
    await expect(it.details()).rejects.toMatchObject(gone)
    await it.app.stop()
  })

  test('says that a deleted check is gone to anyone who still has it open', async () => {
    const it = await connected()
    const { accountId, checkId } = it
    await it.byAnother('DELETE', null)
    await it.app.commands.refresh({ accountId })
    await pass(1_000)
    const failure = { kind: 'invalid', message: 'This check no longer exists.' }
    for (const operation of ['pauseCheck', 'updateCheck', 'deleteCheck', 'listPings'])
      await expect(
        it.app.commands.run({ accountId, operation, params: { uuid: checkId } }),
      ).rejects.toMatchObject({ failure })
    const uuid = {
      failure: { kind: 'invalid', message: expect.stringContaining('UUID') as unknown },
    }
    await expect(
      it.app.commands.run({ accountId, operation: 'pauseCheck', params: { uuid: 'odd' } }),
    ).rejects.toMatchObject(uuid)
    await it.app.stop()
  })

  test('is waited for after the account reconnected, by all commands for a check', async () => {
    const it = await connected()
    const { accountId, checkId } = it
    const held = Promise.withResolvers<void>()
    // The first list is read to try the key.
    it.network.lists = [Promise.resolve(), held.promise]
    await it.app.commands.replaceKey({ accountId, key: it.key })
    expect(it.checks().has(checkId)).toBe(true)
    const pause = () =>
      it.app.commands.run({ accountId, operation: 'pauseCheck', params: { uuid: checkId } })
    const read = { failure: { kind: 'invalid', message: beingRead } }
    await expect(it.details()).rejects.toMatchObject(read)
    await expect(pause()).rejects.toMatchObject(read)
    held.resolve()
    await pass(3_000)
    await pause()
    expect(it.checks().get(checkId)).toMatchObject({ status: 'paused' })
    await it.app.stop()
  })
})

describe('the badge of a check', () => {
  test('comes as an image from the account’s own server, and nothing else is fetched for it', async () => {
    const it = await connected()
    const { accountId } = it
    const { badgeUrl, pingUrl } = await it.details()
    const load = (url: string | null) => it.app.commands.loadBadge({ accountId, url: url ?? '' })
    const [, text = ''] =
      /^data:image\/svg\+xml;base64,(.*)$/.exec((await load(badgeUrl)) ?? '') ?? []
    expect(Buffer.from(text, 'base64').toString()).toMatch(/^<svg.*cert-renew: up/)
    const { pingCount } = it.world.ops.controls.check('cert-renew')
    for (const url of [
      pingUrl,
      `${pingUrl}/b/2/x.svg?`,
      'https://evil.example/b/2/x.svg',
      'no url',
    ])
      expect(await load(url)).toBeNull()
    expect(it.world.ops.controls.check('cert-renew').pingCount).toBe(pingCount)
    expect(await load((badgeUrl ?? '').replace(/.{4}\.svg/, '0000.svg'))).toBeNull()
    await it.app.stop()
  })
})

test('a new name leaves the slug as it is, even on a server below a path, which would derive a new one', async () => {
  const sent: string[] = []
  for (const baseUrl of ['https://hc.example', 'https://example.org/hc']) {
    const readWriteKey = `hcw_${'a'.repeat(28)}`
    const checks = [{ name: 'nightly', state: 'up' as const, timeout: 3_600, grace: 600 }]
    const project = createProject({
      ...{ baseUrl, name: 'ops', readWriteKey, readOnlyKey: null, seed: 1, checks },
      now: Date.now,
    })
    const it = await startApp({
      transport: ({ body, ...request }) =>
        Promise.resolve(
          project.handle({ ...request, body: typeof body === 'string' ? body : null }),
        ),
    })
    const { accountId } = await it.app.commands.addAccount({
      ...{ kind: 'monitoring', label: 'ops', allowHttp: false, baseUrl, key: readWriteKey },
    })
    await pass(3_000)
    const [checkId = ''] = it.app.state.boards.get(accountId)?.checks.keys() ?? []
    const change = async (params: Record<string, unknown>) => {
      const operation = { accountId, operation: 'updateCheck' }
      const { body } = await it.app.commands.previewRequest({
        ...operation,
        params: { uuid: checkId, ...params },
      })
      sent.push(`${body}`)
      await it.app.commands.run({ ...operation, params: { uuid: checkId, ...params } })
      return (await it.app.commands.checkDetails({ accountId, checkId })).slug
    }
    expect(await change({ slug: 'nightly' })).toBe('nightly')
    expect(await change({ name: 'hourly' })).toBe('nightly')
    expect(await change({ name: 'daily', slug: 'daily' })).toBe('daily')
    // As pasted from somewhere.
    const { uuid } = await it.app.commands.checkDetails({ accountId, checkId })
    expect(await change({ uuid: uuid?.toUpperCase(), name: 'weekly' })).toBe('daily')
    const subject = checkSubject(accountId, checkId)
    const history = await it.app.commands.history({ accountId, subject, from: 0 })
    expect(history.filter(({ kind }) => kind === 'act')).toHaveLength(4)
    await it.app.stop()
  }
  // No more is sent than necessary.
  expect(sent).toEqual([
    '{"slug":"nightly"}',
    '{"name":"hourly"}',
    '{"name":"daily","slug":"daily"}',
    '{"name":"weekly"}',
    '{"slug":"nightly"}',
    '{"name":"hourly","slug":"nightly"}',
    '{"name":"daily","slug":"daily"}',
    '{"name":"weekly","slug":"daily"}',
  ])
})
