import { describe, expect, test } from 'vitest'
import {
  canonicalBaseUrl,
  probeChat,
  probeMonitoring,
} from '../../../src/main/accounts/account-probe.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'
import type { HttpReply, HttpRequest } from '../../../src/shared/http.ts'
import { failureOf } from '../../support/failures.ts'
import { json, reply, scripted } from '../../support/scripted-transport.ts'

const plainKey = 'k'.repeat(32)
const common = {
  clock: { now: Date.now, monotonic: () => performance.now(), random: () => 0.5 },
  userAgent: 'Belfry/1',
  signal: new AbortController().signal,
}
const wire = { name: 'a', status: 'up', grace: 60, timeout: 3600 }
const uuid = '0c8b1f2e-0000-4000-8000-000000000001'

describe('the probe of a monitoring key', () => {
  const wrong = json({ error: 'wrong api key' }, 401)
  const probe = (key: string, checks: unknown[], channels: HttpReply = wrong) => {
    const { transport, requests } = scripted(({ url }) =>
      url.endsWith('/channels/') ? channels : json({ checks }),
    )
    const report = probeMonitoring({
      ...common,
      baseUrl: 'https://w.example',
      key,
      transport,
    }).then((tried) => tried.report)
    return { report, requests }
  }

  test.each<[string, string, unknown[], HttpReply, string]>([
    ['its prefix hcw_', `hcw_${'x'.repeat(28)}`, [], wrong, 'readWrite'],
    ['its prefix hcr_', `hcr_${'x'.repeat(28)}`, [], wrong, 'readOnly'],
    ['a check with a uuid', plainKey, [{ ...wire, uuid }], wrong, 'readWrite'],
    ['a check without', plainKey, [{ ...wire, unique_key: 'f'.repeat(40) }], wrong, 'readOnly'],
    ['integrations that it may list', plainKey, [], json({ channels: [] }), 'readWrite'],
    ['integrations that it may not list', plainKey, [], wrong, 'readOnly'],
    ['nothing', plainKey, [], reply(503), 'unknown'],
  ])('tells the kind of the key by %s', async (_name, key, checks, channels, keyKind) => {
    expect((await probe(key, checks, channels).report).keyKind).toBe(keyKind)
  })

  test('counts the checks, and the unreadable ones separately', async () => {
    const { report } = probe(plainKey, [{ ...wire, uuid }, { name: 'odd' }, null])
    expect(await report).toMatchObject({ kind: 'monitoring', checks: 1, unreadable: 2 })
  })

  test('says what is wrong with the key', async () => {
    const answer = (given: HttpReply) =>
      failureOf(
        probeMonitoring({
          ...common,
          baseUrl: 'https://w.example',
          key: plainKey,
          transport: () => Promise.resolve(given),
        }),
      )
    expect(await answer(wrong)).toEqual({ kind: 'badKey', httpStatus: 401, message: '' })
    expect(await answer(reply(200, '<html>'))).toMatchObject({ kind: 'malformed', what: 'html' })
  })

  test('fails with a timeout when its time is over', async () => {
    const report = probeMonitoring({
      ...common,
      baseUrl: 'https://w.example',
      key: plainKey,
      signal: AbortSignal.abort(),
      transport: (_request, signal) => Promise.reject(signal.reason),
    })
    expect(await failureOf(report)).toMatchObject({ kind: 'network', reason: 'timeout' })
  })
})

describe('the probe of a chat key', () => {
  // Signature and header of a picture with one pixel.
  const png = new Uint8Array(Buffer.from('89504e470d0a1a0a0000000d494844520000000100000001', 'hex'))
  const settings = {
    result: 'success',
    zulip_version: '10.2',
    realm_url: 'https://chat.example',
    realm_name: 'Example',
    realm_icon: '/user_avatars/1/realm/icon.png',
  }
  const probe = (
    more: object = {},
    { baseUrl = 'https://chat.example', icon = reply(200, png) } = {},
  ) => {
    const { transport, requests } = scripted((request) => answer(request, more, icon))
    const report = probeChat({
      ...common,
      baseUrl,
      email: 'me@example.org',
      key: plainKey,
      transport,
    })
    return { report, requests }
  }
  const answer = ({ url, headers }: HttpRequest, more: object, icon: HttpReply): HttpReply => {
    if (url.endsWith('/api/v1/server_settings')) return json({ ...settings, ...more })
    if (url.includes('/users/me')) {
      const user = { user_id: 1, full_name: 'Maria', email: 'user1@chat.example' }
      return 'authorization' in headers ? json(user) : json({ result: 'error' }, 401)
    }
    return icon
  }

  test('asks the server without the key first, then for the user', async () => {
    const { report, requests } = probe()
    expect(await report).toEqual({
      kind: 'chat',
      baseUrl: 'https://chat.example',
      realmName: 'Example',
      realmIcon: `data:image/png;base64,${Buffer.from(png).toString('base64')}`,
      userName: 'Maria',
      email: 'me@example.org',
    })
    const withKey = requests.map(({ headers }) => 'authorization' in headers)
    expect(withKey).toEqual([false, true, false])
  })

  test('does not send the key to something that is no chat server', async () => {
    const { report, requests } = probe({ zulip_version: undefined })
    expect(await failureOf(report)).toMatchObject({ kind: 'malformed', what: 'shape' })
    expect(requests).toHaveLength(1)
  })

  test('sends nothing to another host that the server names', async () => {
    const realm_icon = 'https://tracker.example/pixel.png'
    const { report, requests } = probe({ realm_url: 'https://evil.example', realm_icon })
    expect(await report).toMatchObject({ baseUrl: 'https://chat.example', realmIcon: null })
    expect(new Set(requests.map(({ url }) => new URL(url).host))).toEqual(new Set(['chat.example']))
  })

  test('switches to https if the server supports it', async () => {
    const { report, requests } = probe({}, { baseUrl: 'http://chat.example' })
    expect((await report).baseUrl).toBe('https://chat.example')
    const withKey = requests.filter(({ headers }) => 'authorization' in headers)
    expect(withKey.map(({ url }) => new URL(url).protocol)).toEqual(['https:'])
  })

  test('stays at http if https does not work', async () => {
    const { transport } = scripted((request) => {
      if (request.url.startsWith('http:')) return answer(request, {}, reply(404))
      throw new RequestFailed({ kind: 'network', reason: 'refused', host: 'h', reached: 'no' })
    })
    const baseUrl = 'http://chat.example'
    const report = await probeChat({
      ...common,
      baseUrl,
      email: 'me@x.org',
      key: plainKey,
      transport,
    })
    expect(report.baseUrl).toBe(baseUrl)
  })

  test.each<[string, HttpReply]>([
    [
      'an SVG',
      reply(200, '<svg xmlns="http://www.w3.org/2000/svg"/>', { 'content-type': 'image/png' }),
    ],
    ['a page', reply(200, '<html>')],
    ['missing', reply(404)],
    ['a redirect', reply(302, '', { location: 'https://tracker.example' })],
  ])('shows no icon that is %s', async (_name, icon) => {
    expect((await probe({}, { icon }).report).realmIcon).toBeNull()
  })
})

describe('the canonical address', () => {
  test.each([
    ['https://a.example', 'https://b.example', 'https://a.example'],
    ['https://a.example', 'http://a.example', 'https://a.example'],
    ['http://a.example:9991/z', 'https://a.example', 'https://a.example/z'],
    ['http://a.example', 'https://a.example.evil', 'http://a.example'],
    ['http://a.example', 'https://x@a.example', 'http://a.example'],
    ['http://localhost:9991', 'http://zulip.dev:9991', 'http://localhost:9991'],
    ['https://a.example/z', 'https://a.example', 'https://a.example/z'],
    ['https://a.example', 'nonsense', 'https://a.example'],
  ])('of %s that calls itself %s is %s', (typed, named, canonical) => {
    expect(canonicalBaseUrl(typed, named)).toBe(canonical)
  })
})
