import { describe, expect, test } from 'vitest'
import {
  changeWords,
  findingsOf,
  lookMarkdown,
  niceSeconds,
  quietWeek,
  type Week,
  weekOf,
} from '#shared/core/checks/weekly-look.ts'
import * as eg from '../../../support/eg.ts'

const minute = 60_000

function found(
  change: Parameters<typeof eg.details>[0],
  week: Partial<Week> = {},
  integrationIds: readonly string[] | null = ['mail'],
) {
  const check = eg.details({ name: 'job', pingCount: 5, status: 'up', ...change })
  return findingsOf('ops', check, integrationIds, { ...quietWeek, ...week }).map(
    ({ kind, words, change: fix }) =>
      `${kind}: ${words}${fix === null ? '' : ` → ${changeWords(fix)}`}`,
  )
}

/** Outages of the given lengths in minutes, an hour apart. */
const outages = (...minutes: readonly number[]) =>
  minutes.map((long, n) => ({
    kind: 'down' as const,
    from: n * 60 * minute,
    to: (n * 60 + long) * minute,
  }))

describe('the weekly review of a check', () => {
  test('has no finding for a check that is well', () => {
    expect(
      found({ graceSeconds: 600 }, { runs: [60, 70, 60], notices: 2, outages: outages(5) }),
    ).toEqual([])
    expect(found({ graceSeconds: 60 }, { runs: [200, 200] })).toEqual([])
  })

  test('finds a grace time that is too short or too long for the runs', () => {
    expect(found({ graceSeconds: 60 }, { runs: [180, 170, 200, 180] })).toEqual([
      'graceMisfit: usually 3 min, at most 3 min; grace 1 min → Set grace to 5 min',
    ])
    const schedule = { kind: 'period', periodSeconds: 300 } as const
    expect(found({ schedule, graceSeconds: 86_400 }, { runs: [5, 6, 5] })).toEqual([
      'graceMisfit: usually 5 s, at most 6 s; grace 1 day, every 5 min → Set grace to 5 min',
    ])
    expect(found({ schedule, graceSeconds: 86_400 }, { runs: [5, 6, 50_000] })).toEqual([])
  })

  test('finds flapping, noisy and slow checks', () => {
    expect(found({ graceSeconds: 300 }, { outages: outages(5, 6, 4, 5), notices: 8 })).toEqual([
      'flapping: 4 outages, usually for 5 min; grace 5 min → Set grace to 10 min',
    ])
    expect(found({}, { outages: outages(300, 500, 400, 0) })[0]).toMatch(/Snooze for a week$/)
    expect(found({}, { notices: 6 })).toEqual(['noisy: 6 notifications → Snooze for a week'])
    const runs = [60, 60, 70, 60, 60, 60, 300, 290, 310]
    expect(found({ graceSeconds: 3_600 }, { runs })).toEqual([
      'slow: now 5 min, was 1 min → Set grace to 1 h',
    ])
  })

  test('finds checks that notify nobody, and checks that never reported', () => {
    expect(found({}, {}, [])).toEqual([
      'noIntegrations: nobody is notified by the service → Use all integrations',
    ])
    expect(found({}, {}, null)).toEqual([])
    expect(found({ status: 'new', pingCount: 0 })).toEqual(['neverPinged: No ping yet'])
    expect(found({ status: 'new', pingCount: 9 })).toEqual([])
  })

  test('suggests round durations, never shorter than needed', () => {
    for (let seconds = 1; seconds < 40_000_000; seconds = Math.ceil(seconds * 1.3)) {
      const nice = niceSeconds(seconds)
      expect(nice).toBeGreaterThanOrEqual(Math.min(Math.max(60, seconds), 31_536_000))
      expect(nice % 60).toBe(0)
    }
  })
})

describe('the history of a week', () => {
  const entry = (at: number, kind: string, data: unknown) => ({
    ...{ at, accountId: 'ops', subject: 'ops/one', kind, data },
  })

  test('is counted in shown notifications and runs', () => {
    const week = weekOf([
      entry(2, 'status', { from: 'up', to: 'down' }),
      entry(2, 'notice', { outcome: 'shown' }),
      entry(3, 'notice', { outcome: 'silent' }),
      entry(6, 'runs', { seconds: [3, 'x', 4] }),
    ])
    expect(week).toEqual({ notices: 1, runs: [3, 4] })
    expect(weekOf([entry(1, 'runs', null), entry(2, 'notice', 'x')])).toEqual({
      notices: 0,
      runs: [],
    })
  })

  test('is formatted as Markdown', () => {
    const check = eg.details({ name: 'a_b [x]\n', pingCount: 0, status: 'new' })
    const findings = findingsOf('ops', check, [], quietWeek)
    expect(lookMarkdown(findings, () => 'ops-project', Date.UTC(2026, 10, 23, 12))).toMatch(
      /^# Weekly review, .*2026 to .*2026\n\n## Without integrations\n\n- \*\*a\\_b \\\[x\\\]\*\* \(ops-project\): nobody .* → Use all integrations\n\n## Never pinged\n/,
    )
    expect(lookMarkdown([], String, 0)).toMatch(/Nothing needs attention/)
  })

  test('leaves for a chat without mentions, links, formulas, emoji and secrets in names', () => {
    const name = '@**all** https://e.example e.example $$x$$ ~~s~~ :smile: [x](y) password=hunter22'
    const findings = findingsOf(
      'ops',
      eg.details({ name, status: 'new', pingCount: 0 }),
      null,
      quietWeek,
    )
    const text = lookMarkdown(findings, () => name, 0)
    expect(text).not.toMatch(/@\*|https:|e\.example|\$\$|~~|:smile:|\]\(|hunter22/)
    expect(text).toContain('e\\.example')
  })
})
