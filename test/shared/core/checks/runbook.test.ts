import { expect, test, vi } from 'vitest'
import { safeLink } from '../../../../src/main/desktop/system/links.ts'
import { runbookIn } from '../../../../src/shared/core/checks/check.ts'

vi.mock('electron', () => ({ clipboard: {}, shell: {} }))

test.each([
  ['see https://wiki.example.org/db.', 'https://wiki.example.org/db'],
  ['[Runbook](https://wiki.example.org/db), then call Ana', 'https://wiki.example.org/db'],
  ['(https://wiki.example.org/Disk_(full))', 'https://wiki.example.org/Disk_(full)'],
  ['<https://wiki.example.org/a?b=c#d>', 'https://wiki.example.org/a?b=c#d'],
  ['**https://wiki.example.org/db**', 'https://wiki.example.org/db'],
  ['https:// and https://second.example.org', 'https://second.example.org'],
  ['https://first.example.org https://second.example.org', 'https://first.example.org'],
  [
    'https://ops:pw@old.example.org/x, now https://wiki.example.org/db',
    'https://wiki.example.org/db',
  ],
  ['https://ops@old.example.org', null],
  ['https://old.example.org\\x https://wiki.example.org/db', 'https://wiki.example.org/db'],
  ['https://old.example.org\u0007x https://wiki.example.org/db', 'https://wiki.example.org/db'],
  ['http://plain.example.org', null],
  ['javascript:alert(1) file:///etc/passwd belfry://x ftp://x.example.org', null],
  ['no link', null],
  ['', null],
  ['https://', null],
])('of “%s”, the runbook is %s', (description, link) => {
  expect(runbookIn(description)).toBe(link)
  expect(link === null || safeLink(link) !== null).toBe(true)
})

test('is not one that is too long to be opened, nor its beginning', () => {
  const longest = `https://first.example.org/${'a'.repeat(1_974)}`
  expect(runbookIn(longest)).toBe(longest)
  expect(safeLink(longest)).not.toBeNull()
  expect(runbookIn(`${longest}a`)).toBeNull()
  expect(runbookIn(`${longest}a https://second.example.org`)).toBe('https://second.example.org')
})

test('is found in no time, however long the description', () => {
  const began = performance.now()
  for (const text of [
    'https://'.repeat(6_000),
    `https://${'.'.repeat(50_000)}`,
    ')'.repeat(50_000),
  ])
    runbookIn(text)
  expect(performance.now() - began).toBeLessThan(1_000)
})
