import type { LookupFunction } from 'node:net'
import { expect, test } from 'vitest'
import { createHttpTransport } from '../../../src/main/http/http-transport.ts'
import { isPrivateHost } from '../../../src/main/http/private-address.ts'
import { failureOf } from '../../support/failures.ts'
import { serve } from '../../support/test-server.ts'

const inside = [
  ...[
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
  ],
  ...['169.254.169.254', '100.64.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[fe80::1]', '[fd00:ec2::254]', '[fc00::1]', '[ff02::1]'],
  ...['[::ffff:10.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b::a9fe:a9fe]'],
]
const outside = ['1.1.1.1', '172.32.0.1', '100.128.0.1', '[2606:4700::1]', '[64:ff9b::1.1.1.1]']

test.each(inside)('%s is a private address', (host) => {
  expect(isPrivateHost(new URL(`http://${host}/`).hostname)).toBe(true)
})

test.each(outside)('%s is not a private address', (host) => {
  expect(isPrivateHost(new URL(`http://${host}/`).hostname)).toBe(false)
})

test('a host name is neither until it is looked up', () => {
  expect(isPrivateHost('localhost')).toBeNull()
})

/** Resolves every name to these addresses. */
const names =
  (...addresses: readonly string[]): LookupFunction =>
  (_host, options, callback) => {
    const [first = ''] = addresses
    if (options.all === true)
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    else callback(null, first, first.includes(':') ? 6 : 4)
  }

const request = (url: string, publicOnly: boolean) =>
  ({
    method: 'GET',
    url,
    headers: {},
    body: null,
    deadlineMs: 5_000,
    maxBytes: 1_000,
    publicOnly,
  }) as const

test('a name that resolves to a private address gets no byte of a request for public servers only', async () => {
  const server = await serve((_request, response) => response.end('OK'))
  const url = `http://public.example:${server.port}/`
  const { signal } = new AbortController()
  for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1']]) {
    const transport = createHttpTransport({ lookup: names(...addresses) })
    expect(await failureOf(transport(request(url, true), signal))).toMatchObject({
      kind: 'network',
      reason: 'privateNetwork',
      reached: 'no',
    })
  }
  expect(server.requests).toEqual([])
  const transport = createHttpTransport({ lookup: names('127.0.0.1') })
  expect((await transport(request(url, false), signal)).status).toBe(200)
  // An open connection is not reused for it.
  expect(await failureOf(transport(request(url, true), signal))).toMatchObject({
    reason: 'privateNetwork',
  })
  expect(server.requests).toHaveLength(1)
  await server.close()
})

test('a name that does not exist fails at once, even if only public addresses are allowed', async () => {
  const unknown: LookupFunction = (host, _options, callback) => {
    const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
    // As Node calls it, whatever its types say.
    ;(callback as (error: Error) => void)(error)
  }
  const transport = createHttpTransport({ lookup: unknown })
  const { signal } = new AbortController()
  for (const publicOnly of [true, false])
    expect(
      await failureOf(transport(request('http://nope.example/', publicOnly), signal)),
    ).toMatchObject({ kind: 'network', reason: 'dns', reached: 'no' })
})

test('names are not resolved locally behind a proxy', async () => {
  const proxy = await serve((_request, response) => response.end('OK'))
  const transport = createHttpTransport({
    lookup: (host, _options, callback) => {
      if (host === '127.0.0.1') callback(null, host, 4)
      else callback(new Error(`asked for ${host}`), '', 4)
    },
    proxyFor: async () => `http://127.0.0.1:${proxy.port}`,
  })
  const { signal } = new AbortController()
  const reply = await transport(request('http://inside.example/', true), signal)
  expect(reply.status).toBe(200)
  await proxy.close()
})
