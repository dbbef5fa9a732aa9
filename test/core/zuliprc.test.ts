import { describe, expect, test } from 'vitest'
import { readZuliprc } from '../../src/shared/core/zuliprc.ts'

const whole = { ok: true, site: 'https://chat.example.org', email: 'me@example.org', key: 'abc' }

describe('a zuliprc file', () => {
  test.each([
    ['as downloaded', '[api]\nemail=me@example.org\nkey=abc\nsite=https://chat.example.org\n'],
    [
      'from Windows, with comments and quotes',
      '\uFEFF# mine\r\n[api]\r\n; really\r\nEmail = "me@example.org"\r\nKEY: \'abc\'\r\nsite = https://chat.example.org\r\ninsecure=true\r\n',
    ],
    [
      'with another section around',
      '[other]\nkey=no\n[ api ]\nsite: https://chat.example.org\nemail=me@example.org\nkey=abc\n[more]\nkey=no',
    ],
  ])('%s is read', (_name, text) => {
    expect(readZuliprc(text)).toEqual(whole)
  })

  test('names all that is missing', () => {
    const read = readZuliprc('[api]\nemail=\nsite=https://x.example\n')
    expect(read).toEqual({
      ok: false,
      problems: [
        '"email" (your e-mail) is missing in the section [api].',
        '"key" (the API key) is missing in the section [api].',
      ],
    })
  })

  test.each(['', 'email=a\nkey=b\nsite=c', '<html>', '{"api":{}}'])(
    'without its section is told as none: %j',
    (text) => {
      const problems = ['There is no section [api]: this is not a zuliprc file.']
      expect(readZuliprc(text)).toEqual({ ok: false, problems })
    },
  )
})
