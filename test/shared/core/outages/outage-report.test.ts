import { describe, expect, test } from 'vitest'
import type { Ping } from '../../../../src/shared/core/checks/ping.ts'
import { nameInMarkdown } from '../../../../src/shared/core/markdown.ts'
import {
  outageMark,
  readMark,
  reportsOutage,
  reportText,
  updateText,
  withMark,
} from '../../../../src/shared/core/outages/outage-report.ts'
import { codePointLength } from '../../../../src/shared/core/text-length.ts'
import * as eg from '../../../support/eg.ts'

const uuid = '8f1c2d3e-4a5b-4c6d-8e7f-0123456789ab'
const check = eg.details({
  id: '3f2a91bc00112233445566778899aabbccddeeff',
  uuid,
  pingUrl: `https://hc-ping.com/${uuid}`,
  name: 'db-backup',
  status: 'down',
})

const ping: Ping = {
  n: 7,
  kind: 'fail',
  rawKind: 'fail',
  at: eg.now - eg.hour,
  scheme: 'https',
  remoteAddress: null,
  method: 'POST',
  userAgent: '',
  runId: null,
  hasBody: true,
  durationSeconds: 12.5,
}

function report(change: Partial<Parameters<typeof reportText>[0]> = {}): string {
  return reportText({
    check,
    cause: { kind: 'failed', at: ping.at, line: 'error: `disk` full' },
    project: 'ops-project',
    webUrl: `https://hc.example.org/cloaked/${check.id}/`,
    serverNow: eg.now,
    pings: [ping],
    output: 'dumping\nerror: disk full',
    limit: 10_000,
    ...change,
  })
}

describe('a report', () => {
  test('says what, since when, schedule, last pings, last output and where to look', () => {
    expect(report()).toBe(
      [
        '`db-backup` of `ops-project` is **down** since <time:2026-03-17T12:12:00Z> (2 h 13 min).',
        'Failed at <time:2026-03-17T13:25:00Z>: `error: ʼdiskʼ full`',
        'Expected `every hour` with 10 min grace. [Open the check](https://hc.example.org/cloaked/3f2a91bc00112233445566778899aabbccddeeff/)',
        '',
        'Last pings:',
        '* <time:2026-03-17T13:25:00Z>: failed after 12 s',
        '',
        'Last output:',
        '```text',
        'dumping',
        'error: disk full',
        '```',
        '',
        '`outage 3f2a91bc · down since 2026-03-17 12:12 UTC`',
      ].join('\n'),
    )
  })

  test.each([
    '**bold** `code` ```',
    '@**all** @**channel** @*ops* @_**Ana|5**',
    'a\n\n# b\n```\n@**everyone**',
    '[x](javascript:alert(1)) #**ops>x** :fire: $$x$$',
    '\u0000\u202e\u2066`',
    '',
  ])('keeps the name %j inside one code span', (name) => {
    const shown = nameInMarkdown(name)
    expect(shown).toMatch(/^`[^`\n]+`$/)
    expect(shown).not.toMatch(/@[*_]/)
    expect(nameInMarkdown(`${name} token=ghp_${'a1B2'.repeat(9)}`)).not.toContain('a1B2')
    const [first = ''] = report({ check: { ...check, name }, project: name }).split('\n')
    expect(first).toMatch(/^`[^`]+` of `[^`]+` is \*\*down\*\* since /)
  })

  test('has the last twenty lines of the output, in a fence that nothing in it ends', () => {
    const output = [...Array.from({ length: 300 }, (_, at) => `line ${at}`), '````', '@**all**']
    const text = report({ output: output.join('\r\n') })
    expect(text).toContain('Last output, the last 20 of 302 lines:\n`````text\nline 282\n')
    expect(text).toContain('\n````\n@**all**\n`````\n')
  })

  test.each([10_000, 2_000, 500])('fits into %i code points, including its mark', (limit) => {
    const text = report({ limit, output: Array(50).fill('👍'.repeat(400)).join('\n') })
    expect(codePointLength(text)).toBeLessThanOrEqual(limit)
    expect(reportsOutage(text, check.id, 'down')).toBe(true)
  })

  test('contains no ping address and no key, even if the job printed them', () => {
    const output = [
      `curl ${check.pingUrl}/fail`,
      `http://other.example/ping/${uuid}?rid=1`,
      `${uuid}@hc-ping.com`,
      'key hcw_abcdefghijklmnopqrstuvwxyz12',
      'kept',
    ].join('\n')
    const text = report({ output })
    expect(text).not.toContain(uuid)
    expect(text).not.toContain('hcw_')
    expect(text).toContain('\nkept\n')
  })

  test('drops colours and control characters of the output', () => {
    expect(report({ output: '\u001b[31mred\u001b[0m\u0007\u202e!' })).toContain('text\nred!\n```')
  })
})

describe('the mark of a report', () => {
  const mark = outageMark(check.id, 'down', eg.now)

  test('is read from the last line, typed or rendered', () => {
    expect(readMark(`hello\n\n${mark}\n`)).toEqual({ key: '3f2a91bc', word: 'down' })
    expect(readMark(mark.replaceAll('`', ''))).toEqual({ key: '3f2a91bc', word: 'down' })
    expect(readMark(`${mark}\nand more`)).toBeNull()
    expect(readMark('')).toBeNull()
  })

  test('identifies one check and one status', () => {
    expect(reportsOutage(mark, check.id, 'down')).toBe(true)
    expect(reportsOutage(mark, check.id, 'up')).toBe(false)
    expect(reportsOutage(mark, 'ffff', 'down')).toBe(false)
  })

  test('is restored if it was edited away, and appears once', () => {
    expect(withMark('only words', mark)).toBe(`only words\n\n${mark}`)
    expect(withMark(`words\n\n${outageMark(check.id, 'down', 0)}`, mark)).toBe(`words\n\n${mark}`)
  })
})

test('an update says how long the outage lasted', () => {
  const up = { ...check, status: 'up' as const, since: eg.now }
  expect(updateText(up, eg.now - 2 * eg.hour - 13 * eg.minute, eg.now)).toBe(
    '`db-backup` is **up again after 2 h 13 min**.\n\n`outage 3f2a91bc · up since 2026-03-17 14:25 UTC`',
  )
})
