import { describe, expect, test } from 'vitest'
import {
  createFallbackNotifier,
  type NotifyByProgram,
} from '../../src/main/desktop/notifications/fallback-notifier.ts'
import type { Notice } from '../../src/shared/core/notice.ts'

const notice: Notice = {
  id: 'n',
  kind: 'direct',
  accountId: 'a',
  subject: 's',
  title: '--version',
  body: '--icon=/etc/passwd <b>',
  at: 0,
  target: { view: 'chat' },
  canReply: true,
  sound: false,
}

describe('the fallback', () => {
  test('hands the program text that cannot be an option', () => {
    const given: unknown[] = []
    const fallback = createFallbackNotifier((options, done) => {
      given.push(options)
      done(null)
    })
    fallback.notify(notice)
    expect(given).toEqual([
      { title: '\u2060--version', message: '\u2060--icon=/etc/passwd &lt;b&gt;', wait: false },
    ])
    expect(fallback.by()).toBe('node-notifier')
  })

  test.each<NotifyByProgram>([
    (_options, done) => done(new Error('Command failed')),
    () => {
      throw new Error('E2BIG')
    },
  ])('says that nobody was told when the program fails', (program) => {
    const fallback = createFallbackNotifier(program)
    fallback.notify(notice)
    expect(fallback.by()).toBe('nobody')
  })

  test('starts no more programs while three do not answer', () => {
    let started = 0
    const fallback = createFallbackNotifier(() => {
      started += 1
    })
    for (let time = 0; time < 10; time += 1) fallback.notify(notice)
    expect([started, fallback.by()]).toEqual([3, 'nobody'])
  })
})
