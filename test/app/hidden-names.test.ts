import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toldOf, watching } from '../support/watched-job.ts'

const minute = 60_000

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('hidden names leave the screen, and stay hidden over a restart, until they are shown again', async () => {
  const { it, name, ops } = await watching()
  ops.ping(name, 'fail')
  await pass(2 * minute)
  const { subject } = toldOf(it, name).at(-1)!
  await it.app.commands.updateSettings({ hideNames: true })
  const { replaced } = it.desktop
  const bare = { subject, title: 'Something is down', body: '', lines: [], sound: false }
  expect(replaced.filter((one) => one.subject === subject)).toMatchObject([bare])
  const before = replaced.length
  await it.app.commands.updateSettings({ hideNames: true })
  expect(replaced).toHaveLength(before)
  const later = await it.restart()
  ops.ping(name, 'success')
  await pass(2 * minute)
  expect(later.desktop.notices.at(-1)).toMatchObject({ title: 'Something is up again', body: '' })
  expect(JSON.stringify(later.desktop.trays.at(-1))).not.toContain(name)
  // The list of notices in the window is the user's own.
  expect(later.app.state.notices.some(({ title }) => title.startsWith(name))).toBe(true)
  await later.app.commands.updateSettings({ hideNames: false })
  // Or it would be flapping.
  await pass(60 * minute)
  ops.ping(name, 'fail')
  await pass(2 * minute)
  expect(toldOf(later, name)).toHaveLength(1)
  expect(later.bugs).toEqual([])
  await later.app.stop()
})

test('hidden names leave what is on the screen also after the list was cleared', async () => {
  const { it, name, ops } = await watching()
  ops.ping(name, 'fail')
  await pass(2 * minute)
  const { subject } = toldOf(it, name).at(-1)!
  await it.app.commands.clearNotices({})
  await it.app.commands.updateSettings({ hideNames: true })
  const bare = { subject, title: 'Something is down' }
  expect(it.desktop.replaced.filter((one) => one.subject === subject)).toMatchObject([bare])
  await it.app.stop()
})

test('when names are hidden, only what is down stays on the screen', async () => {
  const { it, name, ops } = await watching()
  ops.ping(name, 'fail')
  await pass(2 * minute)
  ops.ping(name, 'success')
  await pass(2 * minute)
  const { subject, title } = toldOf(it, name).at(-1)!
  expect(title).toContain('is up again')
  const { withdrawn, replaced } = it.desktop
  const before = withdrawn.length
  await it.app.commands.updateSettings({ hideNames: true })
  expect(withdrawn.slice(before)).toContain(subject)
  expect(replaced.map((one) => one.subject)).not.toContain(subject)
  expect(new Set(replaced.map(({ kind }) => kind))).toEqual(new Set(['down']))
  await it.app.stop()
})
