import { describe, expect, test } from 'vitest'
import {
  type AttentionSettings,
  alertLevels,
  anyRule,
  defaultAttention,
} from '../../../src/shared/core/attention/rules.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'
import {
  defaultSettings,
  readSettings,
  readSettingsFile,
} from '../../../src/shared/core/settings.ts'
import { costOf } from '../../support/busy.ts'

const { ways } = defaultAttention

describe('settings on disk', () => {
  test('of a version that knew fewer kinds keep the alert level, also in an exported file', () => {
    for (const { name, ways: whole } of alertLevels) {
      const { tooShort: _short, tooLong: _long, noStart: _none, ...older } = whole
      const attention = { ...defaultAttention, ways: older }
      const text = JSON.stringify({ belfry: 1, settings: { attention }, accounts: [] })
      const { change } = readSettingsFile(text, [])
      expect([name, change.attention?.ways]).toEqual([name, whole])
      expect([name, readSettings({ attention }).attention.ways]).toEqual([name, whole])
    }
  })

  test.each([
    [{ notifyDown: false }, { ...ways, down: 'tray', missed: 'tray' }],
    [{ notifyRecovered: false }, { ...ways, recovered: 'tray' }],
    [
      { notifyChat: false },
      { ...ways, direct: 'tray', mention: 'tray', alertWord: 'tray', message: 'tray' },
    ],
    [{ notifyDown: true, notifyChat: 'yes' }, ways],
    [null, ways],
  ])('from a version with three switches keep what was off quiet: %j', (document, expected) => {
    expect(readSettings(document).attention.ways).toEqual(expected)
  })

  test('from a version without odd runs keep their level, else get the defaults for them', () => {
    const older = (all: AttentionSettings['ways']) => {
      const { tooShort: _short, tooLong: _long, noStart: _none, ...known } = all
      return { attention: { ...defaultAttention, ways: known } }
    }
    for (const level of alertLevels)
      expect(readSettings(older(level.ways)).attention.ways, level.name).toEqual(level.ways)
    const own = { ...alertLevels[0]?.ways, ...ways, late: 'banner' } as const
    expect(readSettings(older(own)).attention.ways).toEqual(own)
    const text = JSON.stringify({ belfry: 1, settings: older(own), accounts: [] })
    expect(readSettingsFile(text, []).change.attention?.ways).toEqual(own)
  })

  test('lose only a rule that can’t be read', () => {
    const rule = { ...anyRule, id: 'r', kinds: ['down'], tag: 'staging', way: 'nothing' }
    const kept = {
      ...defaultAttention,
      afterMinutes: 5,
      ways: { ...ways, late: 'banner' },
      rules: [rule, { ...rule, id: 'new', way: 'hologram' }],
      quietHours: { ...defaultAttention.quietHours, enabled: true },
      followSystem: false,
    }
    expect(readSettings({ attention: kept }).attention).toEqual({ ...kept, rules: [rule] })
  })

  test('lose only a part that can’t be read', () => {
    const kept = { ...defaultAttention, afterMinutes: 5, quietHours: 'never' }
    expect(readSettings({ attention: kept }).attention).toEqual({
      ...defaultAttention,
      afterMinutes: 5,
    })
  })
})

describe('an imported file with far too much in it', () => {
  const rule = { id: 'r', kinds: [], accountId: null, tag: null, checkId: null, channelId: null }
  const whole = { ...rule, topic: null, senderId: null, way: null, afterMinutes: null }
  const file = (settings: object) => JSON.stringify({ belfry: 1, settings, accounts: [] })
  const { attention } = defaultSettings
  const manyRules = (one: object) =>
    file({ attention: { ...attention, rules: Array(100_000).fill(one) } })

  test.each([
    ['whole rules', manyRules(whole)],
    ['wrong rules', manyRules({})],
    ['views', file({ views: Array(300_000).fill(0) })],
    [
      'kinds in a rule',
      file({ attention: { ...attention, rules: [{ ...rule, kinds: Array(300_000).fill(1) }] } }),
    ],
    ['accounts', JSON.stringify({ belfry: 1, settings: {}, accounts: Array(300_000).fill({}) })],
    ['fields', file(Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [n, n])))],
    ['lists in lists', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
  ])('is refused before it is read: %s', (_what, text) => {
    // Ten megabytes of JSON are read in some 100 ms; checking all of them took seconds. Garbage
    // collection only adds time, so the least counts.
    const read = () => expect(() => readSettingsFile(text, [])).toThrow(RequestFailed)
    expect(Math.min(...[1, 2, 3].map(() => costOf(read)))).toBeLessThan(1_000)
  })
})
