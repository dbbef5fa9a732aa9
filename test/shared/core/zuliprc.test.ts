import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { readZuliprc } from '../../../src/shared/core/account.ts'

const whole = { ok: true, site: 'https://chat.example.org', email: 'me@example.org', key: 'abc' }

describe('a zuliprc file', () => {
  test.each([
    ['as downloaded', '[api]\nemail=me@example.org\nkey=abc\nsite=https://chat.example.org\n'],
    [
      'from Windows, with comments and quotes',
      '\uFEFF# mine\r\n[api]\r\n; really\r\nEmail = "me@example.org"\r\nKEY: \'abc\'\r\nsite = https://chat.example.org\r\ninsecure=true\r\n',
    ],
    [
      'between other sections',
      '[other]\nkey=no\n[ api ]\nsite: https://chat.example.org\nemail=me@example.org\nkey=abc\n[more]\nkey=no',
    ],
  ])('%s is read', (_name, text) => {
    expect(readZuliprc(text)).toEqual(whole)
  })

  test('names everything that is missing', () => {
    const read = readZuliprc('[api]\nemail=\nsite=https://x.example\n')
    expect(read).toEqual({
      ok: false,
      problems: [
        '"email" (your e-mail) is missing from the section [api].',
        '"key" (the API key) is missing from the section [api].',
      ],
    })
  })

  test.each(['', 'email=a\nkey=b\nsite=c', '<html>', '{"api":{}}'])(
    'without its section is rejected as no zuliprc file: %j',
    (text) => {
      const problems = ['There is no section [api]: this is not a zuliprc file.']
      expect(readZuliprc(text)).toEqual({ ok: false, problems })
    },
  )

  test('is not kept in memory, with its key, by the e-mail that is kept', () => {
    const padding = `# ${'.'.repeat(1 << 20)}\n`
    const file = (at: number) =>
      `[api]\nemail=someone.${at}@example.org\nkey=abc${at}\nsite=https://chat.example.org\n${padding}`
    const sliced = (text: string) => /email=(.*)/.exec(text)?.[1] ?? ''
    const read = (text: string) => {
      const told = readZuliprc(text)
      return told.ok ? told.email : ''
    }
    expect(keptBytes(20, (at) => read(file(at)))).toBeLessThan(4 << 20)
    // The control: a plain slice keeps all the files in memory.
    expect(keptBytes(20, (at) => sliced(file(at)))).toBeGreaterThan(16 << 20)
  })
})

setFlagsFromString('--expose-gc')
// The flag only affects contexts created after it.
const collectGarbage = runInNewContext('gc') as () => void

/** How much more memory is in use while the results are kept. */
function keptBytes(count: number, make: (at: number) => string): number {
  const kept: string[] = []
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let at = 0; at < count; at += 1) kept.push(make(at))
  collectGarbage()
  const more = process.memoryUsage().heapUsed - before
  expect(kept.every((one) => one.endsWith('@example.org'))).toBe(true)
  return more
}
