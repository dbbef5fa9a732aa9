import { expect, test } from 'vitest'
import { runbookIn } from '../../../../src/shared/core/checks/check.ts'

test.each([
  ['see https://wiki.example.org/db.', 'https://wiki.example.org/db'],
  ['[Runbook](https://wiki.example.org/db), then call Ana', 'https://wiki.example.org/db'],
  ['(https://wiki.example.org/Disk_(full))', 'https://wiki.example.org/Disk_(full)'],
  ['<https://wiki.example.org/a?b=c#d>', 'https://wiki.example.org/a?b=c#d'],
  ['**https://wiki.example.org/db**', 'https://wiki.example.org/db'],
  ['https:// and https://second.example.org', 'https://second.example.org'],
  ['https://first.example.org https://second.example.org', 'https://first.example.org'],
  ['http://plain.example.org', null],
  ['javascript:alert(1) file:///etc/passwd belfry://x ftp://x.example.org', null],
  ['no link', null],
  ['', null],
  ['https://', null],
])('of “%s”, the runbook is %s', (description, link) => {
  expect(runbookIn(description)).toBe(link)
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
