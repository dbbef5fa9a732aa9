import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readBaseUrl } from '../../../src/shared/core/base-url.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'

const https = { kind: 'chat', allowHttp: false } as const
const watch = { kind: 'monitoring', allowHttp: false } as const

describe('a base address', () => {
  test.each([
    ['  chat.Example.ORG ', 'https://chat.example.org'],
    ['https://chat.example.org/', 'https://chat.example.org'],
    ['https://chat.example.org:443/api/v1/', 'https://chat.example.org'],
    ['https://chat.example.org/zulip/api', 'https://chat.example.org/zulip'],
    ['HTTPS://h.example:8443/a//', 'https://h.example:8443/a'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://chat.example.org/api/v3', 'https://chat.example.org/api/v3'],
    ['localhost:9991', 'http://localhost:9991'],
    ['http://[::1]:80/', 'http://[::1]'],
    ['http://127.0.0.2:8000', 'http://127.0.0.2:8000'],
  ])('typed as %j is %s', (typed, baseUrl) => {
    expect(readBaseUrl(typed, https)).toEqual({ baseUrl, insecure: false })
  })

  test.each([
    ['https://h.example/hc/api/v3/', 'https://h.example/hc'],
    ['https://h.example/api/v3/checks/', 'https://h.example'],
    ['h.example/projects/abc/checks/', 'https://h.example'],
    ['https://h.example/projects/2c1f/checks/?status=down&tag=db', 'https://h.example'],
    ['https://h.example/hc/projects/2c1f/settings/', 'https://h.example/hc'],
    [`https://h.example/checks/0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d40001/details/`, 'https://h.example'],
    ['https://h.example/accounts/login/?next=/', 'https://h.example'],
    ['https://h.example/projects/2c1f/events/?page=2', 'https://h.example'],
    ['https://h.example/projects/0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d40001/', 'https://h.example'],
    ['https://h.example/docs/api/', 'https://h.example'],
    ['https://h.example/docs/', 'https://h.example'],
    ['https://h.example/projects/2c1f/add_check/', 'https://h.example'],
    ['https://h.example/cloaked/9f86d081/', 'https://h.example'],
    ['https://h.example/ping/0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d40001', 'https://h.example'],
    ['https://h.example/#', 'https://h.example'],
    ['https://h.example/?next=1', 'https://h.example'],
    // Whoever serves it below such a path means that.
    ['https://h.example/projects/hc', 'https://h.example/projects/hc'],
    ['https://h.example/checks', 'https://h.example/checks'],
  ])(
    'of a monitoring server keeps its path, but not that of a page or the API: %s',
    (typed, is) => {
      expect(readBaseUrl(typed, watch).baseUrl).toBe(is)
    },
  )

  test.each([
    ['https://h.example/#narrow/channel/5-ops/topic/disk', 'https://h.example'],
    ['https://h.example/chat/#inbox', 'https://h.example/chat'],
    ['https://h.example/#settings/account-and-privacy', 'https://h.example'],
    ['https://h.example/login/?next=/', 'https://h.example'],
    ['https://h.example/#recent_topics', 'https://h.example'],
    ['https://h.example/#reload:send=1', 'https://h.example'],
    ['https://h.example/#', 'https://h.example'],
    ['https://h.example/?show_tour', 'https://h.example'],
    ['https://h.example/stats', 'https://h.example'],
    ['https://h.example/team/', 'https://h.example'],
    ['https://h.example/json/messages', 'https://h.example'],
    ['https://h.example/user_uploads/1/x.png', 'https://h.example'],
    ['https://h.example/help/api-keys', 'https://h.example'],
    ['https://h.example/api/v1/messages', 'https://h.example'],
  ])('of a chat server is not that of a page or the API: %s', (typed, is) => {
    expect(readBaseUrl(typed, https).baseUrl).toBe(is)
  })

  test.each([
    ['', 'empty'],
    ['https://user:pw@h.example', 'user name'],
    ['user@h.example', 'user name'],
    ['https://@h.example', 'user name'],
    ['https://h.example?x=1', '"?"'],
    ['https://h.example/?', '"?"'],
    ['https://h.example/#x@evil.example', '"#"'],
    ['https://user:pw@h.example/#narrow/dm', 'user name'],
    ['https://good.example#narrow@evil.example', '"#"'],
    ['ftp://h.example', 'https://'],
    ['file:///etc/passwd', 'https://'],
    ['javascript:alert(1)', 'not an address'],
    ['https:\\\\h.example', 'backslash'],
    ['https://h.ex ample', 'space'],
    ['https://', 'not an address'],
    ['https://2130706433', 'hides the server'],
    ['https://a%2eexample', 'hides the server'],
    ['https://2130706433/bücher', 'hides the server'],
    ['/[::1]', 'hides the server'],
    ['https:///bücher.example', 'hides the server'],
    ['http://h.example', 'plain http'],
    ['http://localhost.evil.example', 'plain http'],
    ['http://10.0.0.1', 'plain http'],
  ])('typed as %j is refused: %s', (typed, words) => {
    expect(() => readBaseUrl(typed, https)).toThrow(RequestFailed)
    const failure = failureFor(typed)
    expect(failure).toMatchObject({ kind: 'invalid', field: 'baseUrl' })
    expect(JSON.stringify(failure).replaceAll('\\"', '"')).toContain(words)
  })

  test('over plain http is accepted, and marked as insecure, once the user agreed', () => {
    const typed = 'http://10.0.0.1:8000/hc'
    const read = readBaseUrl(typed, { kind: 'monitoring', allowHttp: true })
    expect(read).toEqual({ baseUrl: typed, insecure: true })
  })

  test('that is accepted leads to the host that one reads in it', () => {
    const part = fc.string({ unit: fc.constantFrom(...'ab.:@/?#%[]-2') })
    fc.assert(
      fc.property(fc.constantFrom('', 'https://', 'http://'), part, (scheme, rest) => {
        const read = taken(scheme + rest)
        if (read === null) return
        const url = new URL(read)
        expect(url.href.replace(/\/$/, '')).toBe(read)
        expect([url.username, url.password, url.search, url.hash]).toEqual(['', '', '', ''])
        expect(rest.toLowerCase().startsWith(url.hostname)).toBe(true)
      }),
      { numRuns: 2_000, examples: [['', '/[::]']] },
    )
  })
})

function failureFor(typed: string) {
  try {
    readBaseUrl(typed, https)
    return null
  } catch (error) {
    return error instanceof RequestFailed ? error.failure : null
  }
}

function taken(typed: string): string | null {
  try {
    return readBaseUrl(typed, { kind: 'chat', allowHttp: true }).baseUrl
  } catch (error) {
    if (error instanceof RequestFailed) return null
    throw error
  }
}
