import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { actionsFor } from '../../src/shared/core/views/notice-actions.ts'
import { startApp } from '../support/app.ts'
import { scopeOf } from '../support/watched-job.ts'

const start = Date.UTC(2026, 2, 17, 14, 25)

beforeEach(() => {
  vi.useFakeTimers({ now: start })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** The app after it reported a check that went down. */
async function told(desc?: string) {
  const it = await startApp()
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  await pass(3_000)
  if (desc !== undefined) {
    const { accountId, checkId } = scopeOf(it, 'cert-renew')
    const change = { accountId, operation: 'updateCheck', params: { uuid: checkId, desc } }
    await it.app.commands.run(change)
    await pass(3_000)
  }
  it.world.ops.controls.goDown('cert-renew')
  it.world.ops.tick()
  await it.app.commands.refresh({ accountId: null })
  await pass(3_000)
  const notice = it.desktop.notices.find(({ title }) => title === 'cert-renew is down')!
  return { ...it, notice }
}

describe('a button of a notification', () => {
  test.each([
    ['acknowledge', { kind: 'change' }],
    ['snooze', { kind: 'time', at: start + 6_000 + 60 * 60_000 }],
  ] as const)('silences its check once, however often it is pressed: %s', async (action, until) => {
    const it = await told()
    expect(actionsFor(it.notice).map(({ key }) => key)).toContain(action)
    await Promise.all([
      it.app.noticeAction(it.notice, action),
      it.app.noticeAction(it.notice, action),
    ])
    expect(it.app.state.silences).toMatchObject([
      { how: action, until, label: 'cert-renew', status: 'down', by: null },
    ])
    expect(it.desktop.withdrawn).toContain(it.notice.subject)
    expect(it.desktop.windowOpen).toBe(false)
    await it.app.stop()
  })

  test('opens the runbook that the description of its check links to, in the browser', async () => {
    const it = await told('Restart it: https://wiki.example.org/certs.')
    expect(actionsFor(it.notice).map(({ key }) => key)).toContain('runbook')
    expect(JSON.stringify(it.notice)).not.toContain('wiki.example.org')
    await it.app.noticeAction(it.notice, 'runbook')
    expect(it.desktop.opened).toEqual(['https://wiki.example.org/certs'])
    expect([it.app.state.silences, it.desktop.windowOpen]).toEqual([[], false])
    // Nobody has taken care of it yet.
    expect(it.desktop.withdrawn).not.toContain(it.notice.subject)
    await it.app.stop()
    const without = await told('Restart it: http://wiki.example.org/certs')
    expect(actionsFor(without.notice).map(({ key }) => key)).not.toContain('runbook')
    await without.app.stop()
  })

  test('acknowledges nothing once the check is up again, and says so', async () => {
    const it = await told()
    it.world.ops.controls.recover('cert-renew')
    await it.app.commands.refresh({ accountId: null })
    await pass(3_000)
    await it.app.noticeAction(it.notice, 'acknowledge')
    expect([it.app.state.silences, it.desktop.windowOpen]).toEqual([[], true])
    const [trouble] = it.app.state.troubles
    expect(trouble?.text).toContain('The check is no longer down or late')
    await it.app.stop()
  })

  test('whose account is gone by then opens the window', async () => {
    const it = await told()
    await it.app.commands.removeAccount({ accountId: it.notice.accountId })
    await it.app.noticeAction(it.notice, 'snooze')
    expect([it.app.state.silences, it.desktop.windowOpen]).toEqual([[], true])
    await it.app.stop()
  })
})

test('cleared notices come back by Undo, below what came since, without those of a removed account', async () => {
  const it = await told()
  const titles = () => it.app.state.notices.map(({ title }) => title)
  const before = titles()
  expect(before).toContain('cert-renew is down')
  await it.app.commands.clearNotices({})
  expect(titles()).toEqual([])
  it.world.ops.controls.recover('cert-renew')
  await it.app.commands.refresh({ accountId: null })
  await pass(3_000)
  const since = titles()
  expect(since).toHaveLength(1)
  await it.app.commands.restoreNotices({})
  expect(titles()).toEqual([...since, ...before])
  await it.app.commands.restoreNotices({})
  expect(titles()).toHaveLength(1 + before.length)
  await it.app.commands.clearNotices({})
  await it.app.commands.removeAccount({ accountId: it.notice.accountId })
  await it.app.commands.restoreNotices({})
  expect(titles()).toEqual([])
  await it.app.stop()
})
