import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'
import { safeLink } from '../../src/main/desktop/system/links.ts'
import { messageLink } from '../../src/renderer/chat/message-link.ts'
import { namesAnotherHost } from '../../src/renderer/parts/named-sites.ts'
import { linkCorpus } from './link-corpus.ts'
import { honestLinks, lyingTexts, trueTexts } from './lying-links.ts'
import { reportSecurity } from './report.ts'

vi.mock(import('electron'), () => ({}))

const wrong = new Set<string>()
let control = 0

afterAll(() =>
  reportSecurity('links', {
    urls: linkCorpus.length + lyingTexts.length,
    through: wrong.size,
    control,
  }),
)

describe(`${linkCorpus.length} links`, () => {
  test('are each opened or refused as they should be', () => {
    expect(linkCorpus.length).toBeGreaterThanOrEqual(200)
    expect(new Set(linkCorpus.map(({ url }) => url)).size).toBe(linkCorpus.length)
    for (const { url, opens } of linkCorpus) if ((safeLink(url) !== null) !== opens) wrong.add(url)
    expect([...wrong]).toEqual([])
  })

  test('are passed on as the parser wrote them, never as they were written', () => {
    const handedOn = linkCorpus.flatMap(({ url }) => safeLink(url)?.href ?? [])
    expect(handedOn.filter((url) => !/^(https?:\/\/[^@/?#]+\/|mailto:)[!-~]*$/.test(url))).toEqual(
      [],
    )
    expect(handedOn.filter((url) => url.length > 3 * 2_048)).toEqual([])
  })

  test('look like links in a message only if main would open them', () => {
    const leadAway = linkCorpus.flatMap(({ url }) => {
      const link = messageLink(url, 'https://chat.example.org')
      if (link === null || safeLink(link.url) !== null) return []
      return [link.url]
    })
    // `mailto:` without an address is drawn as a link, but main refuses it.
    expect(leadAway.filter((url) => !url.startsWith('mailto:'))).toEqual([])
  })

  test('would partly get through a check of their beginning: the control of the above', () => {
    const naive = (url: string): boolean => /^\s*(https?|mailto):/i.test(url)
    control = linkCorpus.filter(({ url, opens }) => naive(url) && !opens).length
    expect(control).toBeGreaterThan(20)
  })
})

/** Whether a link with this text is shown with its destination. */
function isMarked(text: string, address: string): boolean {
  const link = messageLink(address, 'https://chat.example.org')
  if (link === null) throw new Error(`no link: ${address}`)
  return namesAnotherHost(text, link)
}

describe('the text of a link', () => {
  test('that names another site is marked, in any disguise', () => {
    const missed = lyingTexts.filter((text) => !isMarked(text, 'https://evil.example/bank.com'))
    for (const text of missed) wrong.add(text)
    expect(missed).toEqual([])
    expect(new Set(lyingTexts).size).toBeGreaterThan(1_000)
  })

  test('that names the link’s own site isn’t marked, in any form', () => {
    expect(trueTexts.filter(([text, address]) => isMarked(text, address))).toEqual([])
  })

  test('that is honest, as engineers write it, isn’t marked, except for one in a hundred', () => {
    expect(honestLinks.length).toBeGreaterThanOrEqual(200)
    const marked = honestLinks.filter(([text, address]) => isMarked(text, address))
    expect(marked.length, JSON.stringify(marked)).toBeLessThanOrEqual(honestLinks.length / 100)
  })

  test('would often pass a check of its beginning: the control of the above', () => {
    const naive = (text: string): boolean =>
      /^\s*(?:[a-z]+:\/\/)?(?:[\p{L}\d-]+\.)+\p{L}{2,}(?=$|[\s/:?#])/iu.test(text)
    const missed = lyingTexts.filter((text) => !naive(text))
    expect(missed.length).toBeGreaterThan(lyingTexts.length / 3)
  })

  test('is checked in a time that only grows with its length', () => {
    for (const piece of ['bank.', 'a@', '\u202e', '::', '://', '0x', '[.]', 'a-', '· ', ' ', '. '])
      isMarked(piece.repeat(100_000), 'https://evil.example/')
  })
})

describe('a mail link', () => {
  test.each([
    ['mailto:ann@example.org', 'mailto:ann@example.org'],
    ['mailto:ann@example.org?subject=Hi%20you', 'mailto:ann@example.org?subject=Hi%20you'],
    [
      'mailto:ann@example.org?Subject=a%0d%0aBcc:x@y.example',
      'mailto:ann@example.org?subject=a%20Bcc%3Ax%40y.example',
    ],
    ['mailto:ann@example.org?body=b&cc=c@x.example&bcc=d@x.example', 'mailto:ann@example.org'],
    ['mailto:ann@example.org?attach=/etc/passwd&subject=s#f', 'mailto:ann@example.org?subject=s'],
    ['mailto:ann@example.org,bob@example.org', null],
    ['mailto:ann@example.org%2cbob%40example.org', null],
  ])('keeps only its address and its subject: %s', (url, opened) => {
    expect(safeLink(url)?.href ?? null).toBe(opened)
  })
})

describe('the way out of the app', () => {
  const sources = ['src/main', 'src/preload', 'src/renderer', 'src/shared'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile() && /\.tsx?$/.test(file.name))
      .map((file) => join(file.parentPath, file.name)),
  )
  const using = (call: RegExp): string[] =>
    sources
      .filter((path) => call.test(readFileSync(path, 'utf8')))
      .map((path) => path.slice(projectRoot.length).replaceAll('\\', '/'))

  test('is one call in one place', () => {
    expect(using(/openExternal/)).toEqual(['src/main/desktop/system/links.ts'])
    const text = readFileSync(join(projectRoot, 'src/main/desktop/system/links.ts'), 'utf8')
    expect(text.match(/openExternal/g)).toHaveLength(1)
    expect(using(/openPath|showItemInFolder|trashItem/)).toEqual([])
  })
})
