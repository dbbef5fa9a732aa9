import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Commands } from '../../src/shared/contract.ts'
import type { PingOutcome } from '../../src/shared/core/checks/ping.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import type { HttpReply, HttpRequest } from '../../src/shared/http.ts'
import { startApp } from '../support/app.ts'
import { reply } from '../support/scripted-transport.ts'

const runId = 'abcdef11-2222-4333-8444-55555555555a'
const pingHost = 'hc-ping.example'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

type PingInput = Parameters<Commands['pingCheck']>[0]

/** An app with a project whose ping URLs are on another host, as with the hosted service. */
async function pinging(kind: 'ops' | 'web' = 'ops', path = '') {
  const options = { now: Date.now, seed: 1, lively: false }
  const { bases } = createWorld(options)
  const world = createWorld({ ...options, bases: { ...bases, ops: `${bases.ops}${path}` } })
  world.ops.controls.rewrite((record) => ({
    ...record,
    ping_url: `https://${pingHost}/${String(record['uuid'])}`,
  }))
  const pings: HttpRequest[] = []
  /** Replaces the ping host’s or the API’s own response. */
  const answers: { ping: HttpReply | null; api: number | null } = { ping: null, api: null }
  const it = await startApp({
    world,
    transport: async (request, signal) => {
      const url = new URL(request.url)
      if (url.host !== pingHost) {
        if (answers.api !== null) return reply(answers.api)
        return world.transport(request, signal)
      }
      pings.push(request)
      if (answers.ping !== null) return answers.ping
      const target = `${world.bases.ops}/ping${url.pathname}${url.search}`
      return world.transport({ ...request, url: target }, signal)
    },
  })
  const { accountId } = await it.app.commands.addAccount(world.newAccounts[kind])
  await vi.advanceTimersByTimeAsync(3_000)
  const check = (name: string) =>
    [...it.app.state.boards.get(accountId)!.checks.values()].find((one) => one.name === name)!
  const ping = (name: string, change: Partial<PingInput> = {}): Promise<PingOutcome> =>
    it.app.commands.pingCheck({
      accountId,
      checkId: check(name).id,
      signal: 'success',
      exitStatus: null,
      runId: null,
      body: '',
      ...change,
    })
  return { ...it, accountId, check, ping, pings, answers, controls: world.ops.controls }
}

describe('a manual ping', () => {
  test('goes to the check’s ping URL without the key, and the check is read at once', async () => {
    const it = await pinging()
    expect(it.check('db-backup').status).toBe('down')
    expect(await it.ping('db-backup')).toEqual({ kind: 'recorded', as: 'success', status: 'up' })
    expect(it.check('db-backup').status).toBe('up')
    const [request] = it.pings
    expect(request).toMatchObject({
      method: 'POST',
      url: `https://${pingHost}/${it.controls.check('db-backup').uuid}`,
      body: null,
    })
    expect(Object.keys(request!.headers)).toEqual(['accept', 'user-agent'])
    await it.app.stop()
  })

  test.each([
    [{ signal: 'start' }, '/start', 'start'],
    [{ signal: 'fail' }, '/fail', 'fail'],
    [{ signal: 'log' }, '/log', 'log'],
    [{ signal: 'exitStatus', exitStatus: 0 }, '/0', 'success'],
    [{ signal: 'exitStatus', exitStatus: 3 }, '/3', 'fail'],
  ] as const)('with %o goes to %s and is recorded as %s', async (change, suffix, as) => {
    const it = await pinging()
    expect(await it.ping('cert-renew', { ...change, runId })).toMatchObject({
      kind: 'recorded',
      as,
    })
    expect(new URL(it.pings[0]!.url).pathname).toBe(
      `/${it.controls.check('cert-renew').uuid}${suffix}`,
    )
    expect(new URL(it.pings[0]!.url).search).toBe(`?rid=${runId}`)
    await it.app.stop()
  })

  test('sends its body', async () => {
    const it = await pinging()
    await it.ping('cert-renew', { signal: 'log', body: 'by hand ✓' })
    expect(it.pings[0]).toMatchObject({
      body: 'by hand ✓',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
    await it.app.stop()
  })

  test.each(['', '/hc'])(
    'that starts a run leaves its check up, on a server at "%s"',
    async (path) => {
      const it = await pinging('ops', path)
      const name = it.controls.names().find((one) => it.check(one).status === 'up') ?? ''
      const outcome = await it.ping(name, { signal: 'start' })
      expect(outcome).toEqual({ kind: 'recorded', as: 'start', status: 'up' })
      expect(it.check(name)).toMatchObject({ status: 'up', started: true })
      await vi.advanceTimersByTimeAsync(2 * 60_000)
      expect(it.check(name)).toMatchObject({ status: 'up', started: true })
      await it.app.stop()
    },
  )

  test('that a pause ignores isn’t reported as recorded', async () => {
    const it = await pinging()
    const { accountId } = it
    const { uuid } = it.controls.check('cert-renew')
    const run = (operation: string, params: Record<string, unknown>) =>
      it.app.commands.run({ accountId, operation, params: { uuid, ...params } })
    await run('updateCheck', { manual_resume: true })
    await run('pauseCheck', {})
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await it.ping('cert-renew')).toEqual({
      kind: 'ignored',
      because: 'pausedManually',
      status: 'paused',
    })
    await it.app.stop()
  })

  test('without a keyword that the check requires says so', async () => {
    const it = await pinging()
    await it.app.commands.run({
      accountId: it.accountId,
      operation: 'updateCheck',
      params: {
        uuid: it.controls.check('cert-renew').uuid,
        filter_http_body: true,
        success_kw: 'fine',
      },
    })
    await vi.advanceTimersByTimeAsync(3_000)
    expect(await it.ping('cert-renew', { body: 'hm' })).toMatchObject({ because: 'keywords' })
    expect(await it.ping('cert-renew', { signal: 'fail', body: 'fine' })).toMatchObject({
      kind: 'recorded',
      as: 'success',
    })
    await it.app.stop()
  })

  test.each([
    ['429', reply(429, 'Too Many Requests'), { kind: 'rateLimited' }],
    ['OK with a remark', reply(200, 'OK (rate-limited)'), { kind: 'rateLimited' }],
    ['OK, but nothing comes of it', reply(200, 'OK'), { kind: 'notLogged' }],
    ['404', reply(404, 'not found'), { kind: 'notFound' }],
    [
      '409',
      reply(409, 'ambiguous slug'),
      { kind: 'refused', httpStatus: 409, message: 'ambiguous slug' },
    ],
    [
      '403 with a page',
      reply(403, '<h1>No</h1>'),
      { kind: 'refused', httpStatus: 403, message: '' },
    ],
  ])('answered with %s is reported as such', async (_name, answer, outcome) => {
    const it = await pinging()
    it.answers.ping = answer
    expect(await it.ping('cert-renew')).toEqual(outcome)
    await it.app.stop()
  })

  test.each([
    ['a redirect', reply(302, '', { location: 'https://evil.example/' }), 'redirect'],
    ['a login page', reply(200, '<!doctype html>Sign in'), 'html'],
    ['another word', reply(200, 'hello'), 'shape'],
  ])('answered with %s has failed', async (_name, answer, what) => {
    const it = await pinging()
    it.answers.ping = answer
    await expect(it.ping('cert-renew')).rejects.toMatchObject({
      failure: { kind: 'malformed', what },
    })
    expect(it.pings).toHaveLength(1)
    await it.app.stop()
  })

  test('is sent, though unconfirmed, if its check can’t be read afterwards', async () => {
    const it = await pinging()
    it.answers.api = 503
    expect(await it.ping('cert-renew')).toEqual({ kind: 'unconfirmed' })
    await it.app.stop()
  })

  test('has no URL with a read-only key', async () => {
    const it = await pinging('web')
    const [check] = it.app.state.boards.get(it.accountId)!.checks.values()
    await expect(it.ping(check!.name)).rejects.toMatchObject({ failure: { kind: 'readOnlyKey' } })
    await it.app.stop()
  })

  test('needs an exit status only for the signal of that name', async () => {
    const it = await pinging()
    for (const change of [{ signal: 'exitStatus' }, { exitStatus: 1 }] as const)
      await expect(it.ping('cert-renew', change)).rejects.toBeInstanceOf(RequestFailed)
    expect(it.pings).toEqual([])
    await it.app.stop()
  })
})

describe('a ping from the palette', () => {
  test('runs by its name in the catalogue, and previews what will be sent', async () => {
    const it = await pinging()
    const { uuid } = it.controls.check('cert-renew')
    const run = {
      accountId: it.accountId,
      operation: 'pingExitStatus',
      params: { uuid, exit_status: 1, body: "it's" },
    }
    const url = `https://${pingHost}/${uuid}/1`
    expect(await it.app.commands.previewRequest(run)).toEqual({
      method: 'POST',
      url,
      headers: {},
      body: "it's",
      curl: `curl -X POST '${url}' \\\n  --data-raw 'it'\\''s'`,
    })
    expect(it.pings).toEqual([])
    expect(await it.app.commands.run(run)).toEqual({
      kind: 'recorded',
      as: 'fail',
      status: 'down',
    })
    await it.app.stop()
  })
})

describe('the ping URL', () => {
  test('is copied to the clipboard by main', async () => {
    const it = await pinging()
    const { id: checkId } = it.check('cert-renew')
    const { uuid } = it.controls.check('cert-renew')
    await it.app.commands.copyPingAddress({ accountId: it.accountId, checkId, form: 'url' })
    await it.app.commands.copyPingAddress({ accountId: it.accountId, checkId, form: 'cron' })
    expect(it.desktop.copied[0]).toBe(`https://${pingHost}/${uuid}`)
    expect(it.desktop.copied[1]).toMatch(/^0 \*\/12 \* \* \* .* && curl .*hc-ping\.example/)
    await it.app.stop()
  })
})
