import { describe, expect, test } from 'vitest'
import { electronButtons } from '../../../../src/main/desktop/notifications/notifier.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import * as eg from '../../../support/eg.ts'

const check = { kind: 'down', target: { view: 'check', accountId: 'a', checkId: 'b' } } as const
const place = { accountId: 'a', conversation: eg.direct, messageId: null }
const message = { kind: 'direct', target: { view: 'conversation', ...place } } as const

const keysOn = (platform: NodeJS.Platform, about: Partial<Notice>) => {
  const { hasReply, buttons } = electronButtons(eg.notice(about), platform)
  return [hasReply, ...buttons.map(({ label }) => label)]
}
const labels = (buttons: readonly string[]) =>
  buttons.filter((one, at) => at % 2 === 1 && one !== 'Reply')

describe("Electron's notification buttons", () => {
  test('silence a check, on both systems', () => {
    for (const platform of ['win32', 'darwin'] as const)
      expect(keysOn(platform, check)).toEqual([false, ...labels(eg.checkButtons)])
  })

  test('appear beside a reply on Windows; macOS shows the reply alone', () => {
    expect(keysOn('win32', message)).toEqual([true, ...labels(eg.messageButtons)])
    expect(keysOn('darwin', message)).toEqual([true])
  })

  test('open the app if there is nothing else to do, and snooze the project for several checks', () => {
    const folded = { kind: 'down', target: { view: 'checks' } } as const
    expect(keysOn('win32', folded)).toEqual([false, 'Snooze 1 h'])
    expect(keysOn('win32', { ...folded, kind: 'recovered' })).toEqual([false, 'Open'])
    expect(keysOn('darwin', { ...check, kind: 'recovered' })).toEqual([false, 'Open'])
  })
})
