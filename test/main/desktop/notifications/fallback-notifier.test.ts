import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createFallbackNotifier,
  createNotifySend,
  type NotifyByProgram,
  programDeadlineMs,
} from '../../../../src/main/desktop/notifications/program-notifier.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'

const notice: Notice = {
  id: 'n',
  kind: 'direct',
  accountId: 'a',
  subject: 's',
  title: '--version',
  body: '--icon=/etc/passwd <b> \\074',
  at: 0,
  target: { view: 'chat' },
  sound: false,
  outcome: 'shown',
  reasons: [],
  lines: [],
}

describe('the fallback', () => {
  test.each<[NodeJS.Platform, string]>([
    ['linux', '\u2060--icon=/etc/passwd &lt;b&gt; \\\\074'],
    ['win32', '\u2060--icon=/etc/passwd <b> \\074'],
  ])(
    'passes text that cannot be taken as an option, as the program reads it on %s',
    async (platform, body) => {
      const given: unknown[] = []
      const fallback = createFallbackNotifier((options, done) => {
        given.push(options)
        done(null)
      }, platform)
      fallback.notify(notice)
      await fallback.settled()
      expect(given).toEqual([{ title: '\u2060--version', message: body, wait: false }])
      expect(fallback.delivery().by).toBe('node-notifier')
    },
  )

  test.each<NotifyByProgram>([
    (_options, done) => done(new Error('Command failed')),
    () => {
      throw new Error('E2BIG')
    },
  ])('reports that nobody was notified if the program fails', async (program) => {
    const fallback = createFallbackNotifier(program, 'linux')
    fallback.notify(notice)
    await fallback.settled()
    expect(fallback.delivery().by).toBe('nobody')
  })

  test('runs three programs at once, and the others as these end', async () => {
    const ends: (() => void)[] = []
    const fallback = createFallbackNotifier((_options, done) => {
      ends.push(() => done(null))
    }, 'linux')
    for (let time = 0; time < 10; time += 1) fallback.notify(notice)
    expect(ends.length).toBe(3)
    for (let at = 0; at < 10; at += 1) {
      ends[at]?.()
      await turn()
    }
    await fallback.settled()
    expect([ends.length, fallback.delivery().by]).toEqual([10, 'node-notifier'])
  })

  test('drops what waits once a program does not answer', async () => {
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
    let started = 0
    const fallback = createFallbackNotifier(() => {
      started += 1
    }, 'linux')
    for (let time = 0; time < 10; time += 1) fallback.notify(notice)
    await vi.advanceTimersByTimeAsync(programDeadlineMs)
    await fallback.settled()
    expect([started, fallback.delivery().by]).toEqual([3, 'nobody'])
  })

  test('takes over if there is no notify-send', async () => {
    const given: unknown[] = []
    const fallback = createFallbackNotifier((options, done) => {
      given.push(options)
      done(null)
    }, 'linux')
    const notifier = createNotifySend({ PATH: '/nonexistent' }, fallback)
    notifier.notify(notice)
    await notifier.settled()
    expect([given.length, notifier.delivery().by]).toEqual([1, 'node-notifier'])
  })
})
