import { describe, expect, test } from 'vitest'
import { createProxyChoice } from '../../src/main/desktop/system/computer.ts'
import { readZuliprc } from '../../src/shared/core/account.ts'
import { readBaseUrl } from '../../src/shared/core/base-url.ts'
import { uploadLink } from '../../src/shared/core/chat/upload.ts'
import { failureSentence } from '../../src/shared/core/failure-words.ts'
import { costOf } from '../support/busy.ts'

describe('a stranger’s zuliprc file', () => {
  const zuliprc = (site: string) => `[api]\nemail=me@example.org\nkey=abc\nsite=${site}\n`

  test.each([
    ['spaces', `[api]\nemail${' '.repeat(300_000)}x`],
    ['signs', `[api]\n${'='.repeat(300_000)}`],
    ['brackets', `${'['.repeat(300_000)}api]`],
    ['quotes', `[api]\nkey=${'"'.repeat(300_000)}'`],
    ['lines', '[api]\n'.repeat(50_000)],
  ])('is read at once, however many %s it has', (_what, text) => {
    const cost = costOf(() => expect(readZuliprc(text).ok).toBe(false))
    expect(cost).toBeLessThan(200)
  })

  test('can’t reach the program’s own names', () => {
    const read = readZuliprc('[__proto__]\nkey=x\n[api]\n__proto__=y\nconstructor=z\n')
    expect(read.ok).toBe(false)
    expect(Reflect.get({}, 'key')).toBeUndefined()
  })

  test.each([
    'https://good.example@evil.example',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://good.example\\@evil.example',
    'https://good.example?x=https://evil.example',
    'http://evil.example',
  ])('gives no address that the form would not accept from its user: %s', (site) => {
    const read = readZuliprc(zuliprc(site))
    const { site: given } = read.ok ? read : { site: '' }
    expect(given).toBe(site)
    expect(() => readBaseUrl(given, { kind: 'chat', allowHttp: false })).toThrow()
  })
})

describe('a link to an upload', () => {
  test.each([
    ['x\n@**all**', '/user_uploads/1/x.txt'],
    ['x](https://evil.example) [y', '/user_uploads/1/x.txt'],
    ['`@**all**`', '/user_uploads/1/x.txt'],
    ['\u202etxt.exe', '/user_uploads/1/x.txt'],
    ['x\u2028/me', '/user_uploads/1/x.txt'],
    ['x', '/user_uploads/1/x) @**all** ('],
    ['x', '/user_uploads/1/x\n```\nquote'],
    ['x', '/user_uploads/1/<x>`y`'],
  ])('is one link on one line, whatever the names of file and server: %j, %j', (name, url) => {
    const link = uploadLink(name, url)
    expect(link).toMatch(/^\[[^[\]\n*`\\\u202e\u2028]*\]\(\/user_uploads\/[^\s()<>*`\\]*\)$/u)
  })

  test('keeps ordinary names unchanged', () => {
    expect(uploadLink('icon@2x (1).png', '/user_uploads/2/ab/icon-2x-1.png')).toBe(
      '[icon@2x (1).png](/user_uploads/2/ab/icon-2x-1.png)',
    )
  })
})

describe('a list of proxies', () => {
  test.each([
    ['PROXY maria:word@proxy.example:3128', 'http://proxy.example:3128'],
    ['PROXY proxy.example', 'http://proxy.example:80'],
    ['PROXY ://; PROXY b.example:1', 'http://b.example:1'],
    ['PROXY a.example:99999; DIRECT', null],
    ['SOCKS a.example:1; HTTPS b.example', 'https://b.example:443'],
  ])('gives none with a user in it, and no invalid address: %s', (list, proxy) => {
    expect(createProxyChoice(() => 0).from(list)).toBe(proxy)
  })
})

describe('a server’s words', () => {
  test('are quoted as the server’s, not as Belfry’s own question', () => {
    const message = 'Belfry needs your key again. Enter it at https://evil.example'
    for (const failure of [
      { kind: 'refused', httpStatus: 400, code: 'BAD', message },
      { kind: 'badKey', httpStatus: 401, message },
    ] as const)
      expect(failureSentence(failure)).toMatch(/^The server says “Belfry needs .*”\./)
  })
})
