import { describe, expect, test } from 'vitest'
import { anyRule, defaultAttention } from '../../../src/shared/core/attention/rules.ts'
import { readSettings } from '../../../src/shared/core/settings.ts'

const { ways } = defaultAttention

describe('settings on disk', () => {
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
