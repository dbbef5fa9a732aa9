import { execFileSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openHistory } from '../../src/main/storage/history-database.ts'
import { type ReportTrouble, SavedFiles } from '../../src/main/storage/saved-files.ts'
import { startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'

let root = ''
let folder = ''
const victim = () => join(root, 'victim.txt')
const precious = 'somebody else’s\n'

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'belfry-data-'))
  folder = join(root, 'data')
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(victim(), precious)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const openSaved = (onTrouble: ReportTrouble) =>
  new SavedFiles({ folder, onTrouble, now: Date.now, openStored: () => null })

/** What may be put in the place of a file. */
const swapped: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(path),
  'a device without an end': (path) => symlinkSync('/dev/zero', path),
  'a link to another file': (path) => symlinkSync(victim(), path),
  'a link to nowhere': (path) => symlinkSync(join(root, 'nowhere'), path),
  'a link to itself': (path) => symlinkSync(path, path),
}

describe.skipIf(process.platform === 'win32')('in the place of a document,', () => {
  test.each(
    Object.keys(swapped).flatMap((what) =>
      ['settings', 'accounts', 'keys', 'drafts'].map((name) => [what, name] as const),
    ),
  )('%s costs at most its content: %s', async (what, name) => {
    swapped[what]?.(join(folder, `${name}.json`))
    const troubles: string[] = []
    const saved = openSaved(({ text }) => troubles.push(text ?? ''))
    expect(saved.read(name)).toBeNull()
    if (what !== 'a link to nowhere') expect(troubles).toHaveLength(1)
    await saved.write(name, ['mine'])
    const file = lstatSync(join(folder, `${name}.json`))
    expect([file.isFile(), file.mode & 0o777]).toEqual([true, 0o600])
    expect(openSaved(() => undefined).read(name)).toEqual(['mine'])
    expect(readFileSync(victim(), 'utf8')).toBe(precious)
  })

  test.each(Object.keys(swapped))('%s costs only the history', (what) => {
    const file = join(folder, 'history.db')
    swapped[what]?.(file)
    const history = openHistory({ file, now: Date.now, onTrouble: () => undefined })
    expect(history.entries({ accountId: 'a', from: 0, limit: 10 })).toEqual([])
    history.close()
    expect(readFileSync(victim(), 'utf8')).toBe(precious)
  })
})

const account = {
  ...{ id: 'mine', label: 'ops', baseUrl: 'https://hc.example', key: 'present' },
  ...{
    protection: 'session',
    insecure: false,
    demo: false,
    kind: 'monitoring',
    keyKind: 'readWrite',
  },
}

describe('an account in a file that was replaced', () => {
  test.each([
    { demo: true },
    { baseUrl: '' },
    { baseUrl: 'nowhere' },
    { baseUrl: 'javascript:alert(1)' },
    { baseUrl: 'file:///etc/passwd' },
    { baseUrl: 'https://good.example@evil.example' },
    { baseUrl: 'https://[' },
    { baseUrl: 'https://hc.example\\@evil.example' },
  ])('is left out if it makes no sense, while the others stay: %j', async (change) => {
    const disk = fakeDisk()
    disk.documents.set('accounts', JSON.stringify([{ ...account, id: 'odd', ...change }, account]))
    const it = await startApp({ disk })
    expect(it.app.state.accounts.map(({ id }) => id)).toEqual(['mine'])
    await it.app.stop()
    expect(it.bugs).toEqual([])
  })

  test.each(['', 'two words@example.org', 'a:b@example.org'])(
    'is left out, and asked for again, if its e-mail is invalid: “%s”',
    async (email) => {
      const whys: string[] = []
      const disk = {
        ...fakeDisk(),
        files: {
          inDoubt: () => false,
          hasNewer: () => false,
          keepCopy: (_file: string, why: string) => whys.push(why),
        },
      }
      const { keyKind: _none, ...rest } = account
      const chat = { ...rest, id: 'odd', kind: 'chat', images: false, email }
      await disk.write('accounts', [chat, account])
      const it = await startApp({ disk })
      expect(it.app.state.accounts.map(({ id }) => id)).toEqual(['mine'])
      expect(whys).toEqual([
        '1 part of the accounts could not be read and is left out. Add what is missing again under Accounts.',
      ])
      await it.app.stop()
      expect(it.bugs).toEqual([])
    },
  )

  test('with another address has no key, since the vault stores keys by address', async () => {
    const first = await startApp()
    await first.app.commands.addAccount(first.world.newAccounts.ops)
    const text = first.disk.documents.get('accounts') ?? ''
    first.disk.documents.set(
      'accounts',
      text.replace('https://ops.demo.invalid', 'https://evil.example'),
    )
    const sent: string[] = []
    const second = await startApp({
      ...first,
      transport: async (request, signal) => {
        sent.push(request.url)
        return first.world.transport(request, signal)
      },
    })
    await expect.poll(() => second.app.state.accounts[0]?.key).toBe('missing')
    expect(sent).toEqual([])
    await Promise.all([first.app.stop(), second.app.stop()])
  })
})
