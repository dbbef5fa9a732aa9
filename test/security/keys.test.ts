import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyName } from '../../src/main/accounts/connections.ts'
import { hideInLog, hidingKeys, logBug } from '../../src/main/desktop/system/log.ts'
import { createClient } from '../../src/main/http/client.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import { readBaseUrl } from '../../src/shared/core/base-url.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { startApp } from '../support/app.ts'
import { hasOpenssl, makeCertificates } from '../support/certificates.ts'
import { failureOf } from '../support/failures.ts'
import { found, needlesOf } from '../support/secret-search.ts'

const seed = { seed: 20261121, numRuns: 500 }
const clock = { now: Date.now, monotonic: () => performance.now(), random: () => 0.5 }

function accepted(text: string, allowHttp: boolean): string | null {
  try {
    return readBaseUrl(text, { kind: 'monitoring', allowHttp }).baseUrl
  } catch (error) {
    if (error instanceof RequestFailed) return null
    throw error
  }
}

describe('a key', () => {
  test('that no header could carry is refused before any request, with a message that doesn’t contain it', async () => {
    const account = {
      kind: 'monitoring',
      baseUrl: 'https://hc.example',
      keyKind: 'unknown',
    } as const
    const asked: string[] = []
    const transport = async ({ url }: { url: string }) => {
      asked.push(url)
      return { status: 200, headers: {}, body: new Uint8Array() }
    }
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (key) => {
        const good = /^[\x21-\x7e]+$/.test(key)
        const make = async () => createClient({ account, key, transport, clock, userAgent: 'x' })
        if (good) return void (await make())
        const failure = await failureOf(make())
        expect(failure).toMatchObject({ kind: 'invalid', field: 'key' })
        if (key.length > 8) expect(JSON.stringify(failure)).not.toContain(key)
      }),
      seed,
    )
    expect(asked).toEqual([])
  })

  test('belongs to the origin that it was stored for, whatever the address becomes', async () => {
    const origin = fc.tuple(
      fc.constantFrom('http', 'https'),
      fc.constantFrom('a.example', 'b.example', 'a.example.evil.example', 'xn--e1afmkfd.example'),
      fc.constantFrom('', ':8000', ':8001'),
      fc.constantFrom('', '/path', '/other'),
    )
    await fc.assert(
      fc.asyncProperty(origin, origin, async (stored, asked) => {
        const vault = memoryVault()
        const [one, other] = [stored, asked].map(
          ([scheme, host, port, path]) => `${scheme}://${host}${port}${path}`,
        )
        await vault.put(keyName({ id: 'a', baseUrl: one ?? '' }), 'the-key')
        const same = new URL(one ?? '').origin === new URL(other ?? '').origin
        const key = await vault.get(keyName({ id: 'a', baseUrl: other ?? '' }))
        expect(key).toBe(same ? 'the-key' : null)
        expect(await vault.get(keyName({ id: 'b', baseUrl: one ?? '' }))).toBeNull()
      }),
      seed,
    )
  })

  test('goes only to an address that means what it looks like', () => {
    const tally = { accepted: 0, refused: 0 }
    const part = fc.constantFrom(
      ...['https://', 'http://', 'HTTPS://', 'ftp://', '', '//', 'good.example', 'evil.example'],
      ...[
        '@',
        ':',
        '8000',
        '/',
        '/path',
        '\\',
        '?',
        '#',
        '%2e',
        '%40',
        '..',
        '。',
        'bücher.example',
      ],
      ...[
        '[::1]',
        '127.0.0.1',
        'localhost',
        'u:p@',
        ' ',
        '\t',
        '\u202e',
        'аpple.example',
        '2130706433',
      ],
    )
    const address = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(address, fc.boolean(), (text, allowHttp) => {
        const baseUrl = accepted(text, allowHttp)
        tally[baseUrl === null ? 'refused' : 'accepted'] += 1
        if (baseUrl === null) return
        const url = new URL(baseUrl)
        const typed = text.trim()
        const whole = /^[a-z]+:\/\//i.test(typed) ? typed : `${url.protocol}//${typed}`
        expect(url.origin).toBe(new URL(whole).origin)
        expect(baseUrl.startsWith(url.origin)).toBe(true)
        expect(accepted(baseUrl, allowHttp)).toBe(baseUrl)
        expect([url.username, url.password, url.search, url.hash]).toEqual(['', '', '', ''])
        // What is shown is what is connected to: a name beyond ASCII is shown in punycode.
        expect(baseUrl).toMatch(/^https?:\/\/[\x21-\x7e]+$/)
        const isHere = /^(localhost|127\.|\[::1\])|\.localhost$/.test(url.hostname)
        if (!allowHttp && !isHere) expect(url.protocol).toBe('https:')
      }),
      { ...seed, numRuns: 5_000 },
    )
    expect(tally.accepted).toBeGreaterThan(200)
    expect(tally.refused).toBeGreaterThan(200)
  })
})

describe('the log', () => {
  const written = (act: () => void): string => {
    const texts: string[] = []
    const { write } = process.stderr
    process.stderr.write = (text: string | Uint8Array) => {
      texts.push(String(text))
      return true
    }
    try {
      act()
    } finally {
      process.stderr.write = write
    }
    return texts.join('')
  }
  const bug = (key: string) => Object.assign(new Error(key, { cause: key }), { name: `E ${key}` })

  test('hides every key that was ever sent, in any encoding', async () => {
    const [first, second] = ['hcw_canaryLog1canaryLog1canary01', 'chatCanaryLog2chatCanaryLog20002']
    const transport = hidingKeys(async () => ({ status: 200, headers: {}, body: new Uint8Array() }))
    const pair = Buffer.from(`me@x.example:${second}`).toString('base64')
    for (const headers of [{ 'x-api-key': first }, { authorization: `Basic ${pair}` }])
      await transport(
        { method: 'GET', url: 'https://x/', headers, body: null, deadlineMs: 1, maxBytes: 1 },
        new AbortController().signal,
      )
    const needles = [...needlesOf(first), ...needlesOf(second, ['me@x.example'])]
    const hex = Buffer.from(first).toString('hex')
    const text = written(() => {
      for (const words of [first, second, pair, hex]) logBug('here', bug(words))
    })
    expect(text).toContain('belfry: here: E [key]')
    expect(found(needles, text)).toEqual([])
  })

  test('never contains an error’s message, and would show an unknown key only in its name', () => {
    const key = 'hcw_neverSentNeverSentNeverSent1'
    expect(
      found(
        needlesOf(key),
        written(() => logBug('here', new Error(key))),
      ),
    ).toEqual([])
    expect(
      found(
        needlesOf(key),
        written(() => logBug('here', bug(key))),
      ),
    ).not.toEqual([])
    hideInLog(key)
    expect(
      found(
        needlesOf(key),
        written(() => logBug('here', bug(key))),
      ),
    ).toEqual([])
  })
})

describe.skipIf(!hasOpenssl())('an account’s certificate file', () => {
  test('is read by main, kept with the account, and forgotten on request', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'belfry-authority-'))
    const { authority, good } = makeCertificates()
    const files = { 'ca.pem': authority, 'server.pem': good.cert, 'key.pem': good.key }
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    const { app, world, desktop, disk } = await startApp()
    const { commands } = app
    try {
      const { accountId } = await commands.addAccount(world.newAccounts.ops)
      const choose = async (name: string): Promise<string> => {
        desktop.choices.push({ path: join(folder, name), name, size: 1 })
        return (await commands.chooseFile({}))?.fileId ?? ''
      }
      for (const name of ['server.pem', 'key.pem', 'gone.pem']) {
        const setting = commands.setAuthority({ accountId, fileId: await choose(name) })
        const failure = await failureOf(setting)
        expect(failure).toMatchObject({ kind: 'invalid', field: 'authority' })
        expect(JSON.stringify(failure)).not.toContain(folder)
      }
      expect(app.state.accounts[0]?.authority).toBeUndefined()
      await commands.setAuthority({ accountId, fileId: await choose('ca.pem') })
      expect(app.state.accounts[0]?.authority).toMatchObject({ name: 'ca' })
      await expect.poll(() => disk.documents.get('accounts')).toContain('BEGIN CERTIFICATE')
      await commands.setAuthority({ accountId, fileId: null })
      expect(app.state.accounts[0]?.authority).toBeUndefined()
    } finally {
      await app.stop()
      await rm(folder, { recursive: true })
    }
  })
})
