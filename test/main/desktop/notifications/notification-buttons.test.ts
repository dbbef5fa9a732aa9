import { describe, expect, test } from 'vitest'
import { electronButtons } from '../../../../src/main/desktop/notifications/notifier.ts'
import type { NoticeAction } from '../../../../src/shared/core/attention/notice.ts'
import { notice } from '../../../support/eg.ts'

const keysOn = (platform: NodeJS.Platform, actions: readonly NoticeAction[]) => {
  const { hasReply, buttons } = electronButtons(notice({ actions }), platform)
  return [hasReply, ...buttons.map(({ label }) => label)]
}

describe('the buttons of Electron', () => {
  test('make a check quiet, on both systems', () => {
    const actions = ['acknowledge', 'snooze'] as const
    expect(keysOn('win32', actions)).toEqual([false, 'Acknowledge', 'Snooze 1 h'])
    expect(keysOn('darwin', actions)).toEqual([false, 'Acknowledge', 'Snooze 1 h'])
  })

  test('stand beside a reply on Windows; macOS shows the reply alone', () => {
    expect(keysOn('win32', ['reply', 'snooze'])).toEqual([true, 'Snooze 1 h'])
    expect(keysOn('darwin', ['reply', 'snooze'])).toEqual([true])
  })

  test('open where there is nothing else', () => {
    expect(keysOn('win32', [])).toEqual([false, 'Open'])
    expect(keysOn('darwin', [])).toEqual([false, 'Open'])
  })
})
