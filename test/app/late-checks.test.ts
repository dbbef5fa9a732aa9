import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watching } from '../support/watched-job.ts'

const minute = 60_000
beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('a digest tells of the outages of a check that is late by then', async () => {
  const { it, name, ops, scope } = await watching()
  const status = () => it.app.state.boards.get(scope.accountId)?.checks.get(scope.checkId)?.status
  const { id } = await it.app.commands.silence({
    how: 'mute',
    scope: { of: 'everything' },
    until: { kind: 'ever' },
  })
  for (let times = 0; times < 3; times += 1) {
    ops.ping(name, 'fail')
    await pass(2 * minute)
    ops.ping(name, 'success')
    await pass(2 * minute)
  }
  for (let left = 3_000; left > 0 && status() !== 'grace'; left -= 1) await pass(minute / 2)
  expect(status()).toBe('grace')
  await it.app.commands.endSilence({ ids: [id] })
  await pass(2_000)
  const digest = it.desktop.notices.find(({ kind }) => kind === 'digest')
  const lines = digest?.lines.map(({ text }) => text).filter((text) => text.startsWith(name))
  expect(lines).toContain(`${name} went down and came back 3 times`)
  await it.app.stop()
})
