import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../scripts/programs.mjs'
import { safeLink } from '../../src/main/desktop/system/safe-link.ts'
import { messageLink } from '../../src/renderer/chat/message-link.ts'
import { linkCorpus } from './link-corpus.ts'
import { reportSecurity } from './report.ts'

const wrong = new Set<string>()
let control = 0

afterAll(() => reportSecurity('links', { urls: linkCorpus.length, through: wrong.size, control }))

describe(`${linkCorpus.length} links`, () => {
  test('are each opened or refused as they should be', () => {
    expect(linkCorpus.length).toBeGreaterThanOrEqual(200)
    expect(new Set(linkCorpus.map(({ url }) => url)).size).toBe(linkCorpus.length)
    for (const { url, opens } of linkCorpus) if ((safeLink(url) !== null) !== opens) wrong.add(url)
    expect([...wrong]).toEqual([])
  })

  test('are handed on as the parser wrote them, never as they were written', () => {
    const handedOn = linkCorpus.flatMap(({ url }) => safeLink(url)?.href ?? [])
    expect(handedOn.filter((url) => !/^(https?:\/\/[^@/?#]+\/|mailto:)[!-~]*$/.test(url))).toEqual(
      [],
    )
    expect(handedOn.filter((url) => url.length > 3 * 2_048)).toEqual([])
  })

  test('look like links in a message only if main would open where they lead', () => {
    const leadAway = linkCorpus.flatMap(({ url }) => {
      const link = messageLink(url, 'https://chat.example.org')
      if (link === null || safeLink(link.url) !== null) return []
      return [link.url]
    })
    // `mailto:` without an address is drawn as a link that goes nowhere: main refuses it.
    expect(leadAway.filter((url) => !url.startsWith('mailto:'))).toEqual([])
  })

  test('would get through a check for the web by how they start', () => {
    const naive = (url: string): boolean => /^\s*(https?|mailto):/i.test(url)
    control = linkCorpus.filter(({ url, opens }) => naive(url) && !opens).length
    expect(control).toBeGreaterThan(20)
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
