import { execFileSync } from 'node:child_process'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { uniqueKeyOf } from '../../src/main/base/unique-key.ts'
import { type RunningApp, startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25), toFake: ['setTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

async function connected(): Promise<RunningApp & { ops: string; chat: string }> {
  const it = await startApp()
  const ops = await it.app.commands.addAccount(it.world.newAccounts.ops)
  const chat = await it.app.commands.addAccount(it.world.newAccounts.chat)
  return { ...it, ops: ops.accountId, chat: chat.accountId }
}

/** The arguments that a shell passes to a program for this command, with `$KEY` filled in. */
function argumentsOf(curl: string, key: string): string[] {
  const script = curl.replace(/^curl/, "printf '%s\\0'")
  return execFileSync('sh', ['-c', script], { env: { KEY: key }, encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)
}

describe('a message form', () => {
  test.each([
    ['content', { topic: 'db', content: 'x'.repeat(10_001) }],
    ['topic', { topic: '👍'.repeat(61), content: 'x' }],
  ])('whose %s the server would cut is refused and not sent', async (field, texts) => {
    const it = await connected()
    await vi.advanceTimersByTimeAsync(3_000)
    const asked = {
      accountId: it.chat,
      operation: 'sendMessage',
      params: { type: 'channel', to: 1, ...texts },
    }
    const message = `at most ${field === 'content' ? 10_000 : 60} characters on this server`
    const refusal = { failure: { kind: 'invalid', field, message } }
    await expect(it.app.commands.run(asked)).rejects.toMatchObject(refusal)
    await expect(it.app.commands.previewRequest(asked)).rejects.toMatchObject(refusal)
    const fits = { ...asked, params: { ...asked.params, topic: '👍'.repeat(60), content: 'x' } }
    expect(await it.app.commands.run(fits)).toMatchObject({ result: 'success' })
    await it.app.stop()
  })
})

describe('a preview of a request', () => {
  test('shows method, URL and body, and $KEY in place of a project’s key', async () => {
    const it = await connected()
    const preview = await it.app.commands.previewRequest({
      accountId: it.ops,
      operation: 'createCheck',
      params: { name: "Ana's job", timeout: 3600 },
    })
    expect(preview).toMatchObject({
      method: 'POST',
      url: `${it.world.bases.ops}/api/v3/checks/`,
      headers: { 'x-api-key': '$KEY' },
      body: JSON.stringify({ name: "Ana's job", timeout: 3600 }),
    })
    expect(preview.curl).toContain('$KEY')
    expect(JSON.stringify(preview)).not.toContain(it.world.newAccounts.ops.key)
    await it.app.stop()
  })

  test.each([
    ['"123"', 'a name', '123'],
    ['123', 'an id', 123],
    ['ops', 'a name', 'ops'],
  ])('sends a message to the channel %s, which is %s', async (sent, _what, to) => {
    const it = await connected()
    const { body } = await it.app.commands.previewRequest({
      accountId: it.chat,
      operation: 'sendMessage',
      params: { type: 'channel', to, topic: 'x', content: 'x' },
    })
    expect(new URLSearchParams(body ?? '').get('to')).toBe(sent)
    await it.app.stop()
  })

  test('is a command that a shell reads as intended', async () => {
    const it = await connected()
    const { curl } = await it.app.commands.previewRequest({
      accountId: it.ops,
      operation: 'createCheck',
      params: { name: "Ana's $HOME `id` \\ job" },
    })
    const given = argumentsOf(curl, 'abc')
    expect(given).toContain('x-api-key: abc')
    expect(given.at(-1)).toBe(JSON.stringify({ name: "Ana's $HOME `id` \\ job" }))
    await it.app.stop()
  })

  test('names the user of a chat account, but never the key, plain or encoded', async () => {
    const it = await connected()
    const { user } = it.world.realm
    const preview = await it.app.commands.previewRequest({
      accountId: it.chat,
      operation: 'getOwnUser',
      params: {},
    })
    expect(preview.headers['authorization']).toBe(`Basic ${user.email}:$KEY`)
    expect(argumentsOf(preview.curl, 'abc')).toContain(`${user.email}:abc`)
    for (const secret of [user.key, btoa(`${user.email}:${user.key}`)])
      expect(JSON.stringify(preview)).not.toContain(secret)
    await it.app.stop()
  })

  test('requires the name of a new check, unless it is left out on purpose', async () => {
    const it = await connected()
    const before = it.world.ops.table.checks.size
    const make = (params: Record<string, unknown>) =>
      it.app.commands.run({ accountId: it.ops, operation: 'createCheck', params })
    await expect(make({ timeout: 3_600 })).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'name' },
    })
    expect(it.world.ops.table.checks.size).toBe(before)
    await make({ name: '', timeout: 3_600 })
    await make({ timeout: 7_200, unique: ['timeout'] })
    expect(it.world.ops.table.checks.size).toBe(before + 2)
    await it.app.stop()
  })

  test('names the field and the limit if a value is out of range', async () => {
    const it = await connected()
    const wrong = { accountId: it.ops, operation: 'createCheck', params: { timeout: 5 } }
    await expect(it.app.commands.previewRequest(wrong)).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'timeout' },
    })
    await it.app.stop()
  })

  test('shows no password, and refuses half of a password change', async () => {
    const it = await connected()
    const preview = (params: Record<string, unknown>) =>
      it.app.commands.previewRequest({ accountId: it.chat, operation: 'updateSettings', params })
    const both = await preview({ old_password: 'hunter2', new_password: 'hunter3' })
    expect(JSON.stringify(both)).not.toContain('hunter')
    expect(both.body).toContain('new_password')
    for (const params of [{ old_password: 'hunter2' }, { new_password: 'hunter3' }, {}])
      await expect(preview(params)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    await it.app.stop()
  })

  test('takes a check by its id, all that a window knows of it, and shows its UUID', async () => {
    const it = await connected()
    await vi.waitFor(
      () => expect(it.app.state.boards.get(it.ops)?.checks.size).toBeGreaterThan(0),
      60_000,
    )
    const { uuid } = it.world.ops.controls.check('cert-renew')
    const checkId = uniqueKeyOf(uuid)
    const preview = async (operation: string, params: Record<string, unknown>) =>
      (await it.app.commands.previewRequest({ accountId: it.ops, operation, params })).url
    const url = `${it.world.bases.ops}/api/v3/checks/${uuid}`
    expect(await preview('pauseCheck', { uuid: checkId })).toBe(`${url}/pause`)
    expect(await preview('listFlips', { id: checkId })).toBe(`${url}/flips/`)
    expect(await preview('pauseCheck', { uuid })).toBe(`${url}/pause`)
    await it.app.stop()
  })

  test('sends nothing', async () => {
    const it = await connected()
    const before = it.world.ops.table.checks.size
    await it.app.commands.previewRequest({
      accountId: it.ops,
      operation: 'createCheck',
      params: { name: 'never made' },
    })
    expect(it.world.ops.table.checks.size).toBe(before)
    // Control: running the same creates it.
    await it.app.commands.run({
      accountId: it.ops,
      operation: 'createCheck',
      params: { name: 'made' },
    })
    expect(it.world.ops.table.checks.size).toBe(before + 1)
    await it.app.stop()
  })
})
