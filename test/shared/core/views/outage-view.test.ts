import { describe, expect, test } from 'vitest'
import type { ListedOutage, OutageGap } from '#shared/core/outages/outage-list.ts'
import { dayAt, weekUpTo } from '#shared/core/typed-day.ts'
import {
  hoursOfDays,
  matchesOutage,
  outagesCsv,
  outagesJson,
  outagesMarkdown,
  parseOutageFilter,
  summaryWords,
  touches,
  withDay,
} from '#shared/core/views/outage-view.ts'
import * as eg from '../../../support/eg.ts'

const { now, hour, minute } = eg

function outage(change: Partial<ListedOutage> = {}): ListedOutage {
  return {
    ...{ accountId: eg.opsId, checkId: 'one', name: 'db-backup', tags: ['prod', 'db'] },
    ...{ project: 'ops-project', from: now - 3 * hour, to: now - 2 * hour, isOver: true },
    ...{ kind: 'down', cause: null, by: [] },
    ...change,
  }
}

const gap: OutageGap = {
  ...{ accountId: eg.opsId, project: 'ops-project', why: 'unread', checks: 4 },
  ...{ from: now - 7 * eg.day, to: now - eg.day },
}

describe('the filter of outages', () => {
  const found = (text: string, change: Partial<ListedOutage> = {}): boolean => {
    const { checks, days } = parseOutageFilter(text, ['db', 'prod'], now)
    const one = outage(change)
    return matchesOutage(checks, one) && (days === null || touches(one, days))
  }

  test('finds by name, tag, project, kind, length, reason and day', () => {
    for (const text of [
      ...['', 'backup', '#db', 'project:ops', 'is:down', 'down:>30m', 'today', 'tuesday backup'],
      ...['#prod today -web', 'last week "db-backup"'],
    ])
      expect([text, found(text)]).toEqual([text, text !== 'last week "db-backup"'])
    for (const text of ['web', '#web', 'project:web', 'is:unknown', 'down:>2h', 'yesterday'])
      expect([text, found(text)]).toEqual([text, false])
    const line = 'No space left on device'
    const cause = { kind: 'failed', at: now - 3 * hour, line } as const
    expect(found('space', { cause })).toBe(true)
    expect(found('is:unknown', { kind: 'possible' })).toBe(true)
  })

  test('finds an outage on each day that it lasted', () => {
    const long = { from: now - 3 * eg.day, to: now - eg.day }
    expect(['saturday', 'sunday', 'monday', 'tuesday'].map((day) => found(day, long))).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  test('takes quoted words for text, and a day out of any words', () => {
    expect(parseOutageFilter('"sun" x', [], now)).toMatchObject({ days: null, words: '"sun" x' })
    expect(parseOutageFilter('db 7 mar prod', [], now)).toMatchObject({
      days: dayAt(Date.UTC(2026, 2, 7, 12)),
      words: 'db prod',
    })
    expect(withDay('db monday prod', dayAt(now).from, now)).toBe('db prod 17 mar')
    expect(withDay('db monday', null, now)).toBe('db')
    const old = dayAt(Date.UTC(2025, 10, 7, 12)).from
    expect(parseOutageFilter(withDay('', old, now), [], now).days?.from).toBe(old)
  })
})

test('the week counts each outage in each hour that it touches', () => {
  const days = weekUpTo(now)
  const noon = new Date(dayAt(now, -1).from).setHours(12)
  const hours = hoursOfDays(
    [
      outage({ from: noon + 30 * minute, to: noon + 90 * minute }),
      outage({ kind: 'possible', from: noon - hour, to: noon + minute }),
    ],
    days,
  )
  expect(hours.map((day) => day.length)).toEqual(days.map(() => 24))
  const busy = hours.flatMap((day, at) =>
    day.flatMap(({ down, possible }, of) =>
      down + possible > 0 ? [[at, of, down, possible]] : [],
    ),
  )
  expect(busy).toEqual([
    [5, 11, 0, 1],
    [5, 12, 1, 1],
    [5, 13, 1, 0],
  ])
})

test('a day is summed up by what lasted on it', () => {
  const day = dayAt(now)
  const long = outage({ from: day.from - 5 * hour, to: day.from + 2 * hour })
  expect(summaryWords([long], day)).toBe('1 outage; down 2 h')
  expect(summaryWords([outage({ kind: 'possible' })], day)).toBe('1 possible outage')
  expect(summaryWords([], day)).toBe('no outages')
})

describe('copied outages', () => {
  const nasty = outage({
    name: '=HYPERLINK("http://x","y")\n@all',
    project: '+ops',
    tags: ['-1', 'a"b'],
    cause: { kind: 'failed', at: now, line: 'token=ghp_0123456789abcdefghijABCDEFGHIJ012345 @ana' },
    by: ['\t=1+1', 'Ana'],
  })

  test('are CSV in which no cell is a formula, a secret or a second line', () => {
    const { text, count } = outagesCsv([nasty, outage({ isOver: false })], [gap])
    expect(count).toBe(2)
    const lines = text.trimEnd().split('\r\n')
    expect(lines).toHaveLength(4)
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    const cells = lines
      .slice(1)
      .flatMap((line) =>
        Array.from(line.matchAll(/"((?:[^"]|"")*)"(?:,|$)/g), ([, cell = '']) => cell),
      )
    expect(cells).toHaveLength(27)
    expect(cells.filter((cell) => /^\s*[=+\-@＝＋－＠]/.test(cell))).toEqual([])
    // The quote makes a text of it.
    expect(cells).toContain(`'=HYPERLINK(""http://x"",""y"") @all`)
    expect(text).not.toContain('ghp_')
    expect(lines[1]).toContain('"not known"')
    expect(lines[3]).toContain('"down","2026-03-17T11:25:00.000Z","","3600"')
  })

  test('are JSON with the same records', () => {
    const { text, count } = outagesJson([nasty, outage({ isOver: false })], [gap])
    expect(count).toBe(2)
    expect(text).not.toContain('ghp_')
    expect(JSON.parse(text)).toMatchObject([
      { check: null, kind: 'not known' },
      { project: '+ops', tags: ['-1', 'a"b'], by: ['\t=1+1', 'Ana'] },
      { check: 'db-backup', kind: 'down', from: '2026-03-17T11:25:00.000Z', to: null },
    ])
  })

  test('are Markdown without links, mentions and secrets of others', () => {
    const { text } = outagesMarkdown([nasty, outage()], [gap], 'Outages, Tue 17 Mar')
    expect(text).toContain('# Outages, Tue 17 Mar')
    expect(text).toContain('- **db-backup** (ops-project): 11:25 to 12:25 (1 h)')
    expect(text).toContain('## Not known')
    expect(text).not.toMatch(/ghp_|@all|@ana|\]\(/)
  })

  test('are cut to what the clipboard takes, the newest first', () => {
    const many = Array.from({ length: 5_000 }, (_, n) => outage({ from: now - n * minute }))
    for (const [{ text, count }, least] of [
      [outagesCsv(many, []), 500],
      [outagesMarkdown(many, [], 'x'), 500],
      // It names each field again.
      [outagesJson(many, []), 400],
    ] as const) {
      expect(text.length).toBeLessThan(100_000)
      expect(count).toBeGreaterThan(least)
      expect(count).toBeLessThan(5_000)
    }
  })
})
