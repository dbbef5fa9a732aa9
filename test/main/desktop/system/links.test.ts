import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { holdLinks, openLink, safeLink } from '../../../../src/main/desktop/system/links.ts'

vi.mock('electron', () => ({
  shell: { openExternal: () => Promise.reject(new Error('Failed to open: 0x483')) },
}))

describe('links opened while Belfry starts', () => {
  const started = (first: string | null, ...during: string[]) => {
    const links = holdLinks(first)
    const opened: string[] = []
    for (const url of during) links.open(url)
    links.openWith((url) => opened.push(url))
    return { links, opened }
  }

  test('are dropped except for the newest, and later ones open at once', () => {
    const { links, opened } = started('belfry://view/chat', 'belfry://view/checks')
    expect(opened).toEqual(['belfry://view/checks'])
    links.open('belfry://view/settings')
    expect(opened).toEqual(['belfry://view/checks', 'belfry://view/settings'])
  })

  test('are absent in most starts', () => {
    expect(started(null).opened).toEqual([])
  })
})

test('a link that no program of this computer opens is told as that', async () => {
  await expect(openLink('mailto:ann@example.org')).rejects.toMatchObject({
    failure: { kind: 'invalid', message: expect.stringContaining('no program') as unknown },
  })
})

describe('a link', () => {
  test.each([
    'https://example.org',
    'http://127.0.0.1:8000/checks/?a=b#c',
    'HTTPS://EXAMPLE.ORG/%2e%2e/x',
    'https://bücher.example/x',
    'mailto:ann@example.org?subject=Hi',
    'http://[::1]/x',
  ])('to %s is opened', (text) => {
    expect(safeLink(text)?.href).toMatch(/^(https?:\/\/|mailto:)/)
  })

  test.each([
    'file:///etc/passwd',
    'FILE:///etc/passwd',
    'smb://host/share',
    'ms-msdt:/id PCWDiagnostic',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'ssh://host',
    'app://main/index.html',
    'chrome://settings',
    'https://user@example.org',
    'https://user:secret@example.org',
    'https://example.org@evil.example',
    'https://example.org\\@evil.example',
    ' https://example.org',
    'https://exa\tmple.org',
    'https://example.org/\u0000',
    'https://example.org/a b',
    '//example.org/x',
    '/etc/passwd',
    'C:\\Windows\\system32\\calc.exe',
    '\\\\host\\share',
    'https://',
    'https:',
    'mailto:',
    'mailto:?body=x',
    '',
    `https://example.org/${'x'.repeat(2_048)}`,
  ])('to %j is not opened', (text) => {
    expect(safeLink(text)).toBeNull()
  })

  test('is only ever opened with one of the three protocols', () => {
    const schemes = fc.constantFrom('https', 'http', 'mailto', 'file', 'javascript', 'ftp', 'x-y')
    const text = fc
      .tuple(schemes, fc.constantFrom(':', '://', ':\\\\'), fc.string())
      .map((parts) => parts.join(''))
    let opened = 0
    fc.assert(
      fc.property(fc.oneof(text, fc.webUrl()), (address) => {
        const url = safeLink(address)
        if (url === null) return
        opened += 1
        expect(['https:', 'http:', 'mailto:']).toContain(url.protocol)
        expect(url.username + url.password).toBe('')
      }),
      { numRuns: 2_000, seed: 7 },
    )
    expect(opened).toBeGreaterThan(100)
  })
})
