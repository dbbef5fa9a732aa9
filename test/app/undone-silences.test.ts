import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  eachSilence,
  fullWords,
  type Scope,
  silenceLimit,
} from '../../src/shared/core/attention/silence.ts'
import { startApp } from '../support/app.ts'
import { inTime, snoozed, toldOf, watching } from '../support/watched-job.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test.each(['ended', 'replaced'] as const)(
  'a silence that was %s lasts no longer when that is undone after the clock was set back',
  async (how) => {
    const { it, scope } = await watching()
    const { commands } = it.app
    const { id } = await snoozed(it, scope, inTime(30 * minute))
    const next = how === 'replaced' ? await snoozed(it, scope, inTime(hour)) : null
    if (next === null) await commands.endSilence({ ids: [id] })
    vi.setSystemTime(Date.now() - day)
    await pass(minute)
    await (next === null ? commands.restoreSilence({ ids: [id] }) : commands.undoSilence(next))
    expect(it.app.state.silences).toMatchObject([{ id }])
    await pass(28 * minute)
    expect(it.app.state.silences).toMatchObject([{ id }])
    // Still as the disk takes it.
    const later = await it.restart()
    expect(later.app.state.silences).toMatchObject([{ id }])
    await pass(2 * minute)
    expect(later.app.state.silences).toEqual([])
    await later.app.stop()
  },
)

test('a snooze that expires as another begins does not return, and remind again, when that is undone', async () => {
  const { it, name, scope, ops } = await watching()
  ops.ping(name, 'fail')
  await pass(2 * minute)
  await snoozed(it, scope, inTime(15 * minute))
  await pass(15 * minute - 500)
  // A busy computer: the command comes before the timer that is due.
  vi.setSystemTime(Date.now() + second)
  const other: Scope = { of: 'tag', tag: 'other' }
  const { id } = await snoozed(it, other, inTime(hour))
  const reminders = () => toldOf(it, name).filter(({ title }) => title.includes('still'))
  await pass(3 * minute)
  expect([it.app.state.silences.length, reminders().length]).toEqual([1, 1])
  await it.app.commands.undoSilence({ id })
  await pass(3 * minute)
  expect([it.app.state.silences.length, reminders().length]).toEqual([0, 1])
  await it.app.stop()
})

test('Undo that would need more room is refused as a whole, and works once there is some', async () => {
  const { it, scope } = await watching()
  const { commands } = it.app
  const mute = (scopes: Scope) =>
    commands.silence({ how: 'mute', scope: scopes, until: { kind: 'ever' } })
  const ids: string[] = []
  for (let n = 0; n < silenceLimit; n += 1) ids.push((await mute({ of: 'tag', tag: `${n}` })).id)
  const [first = '', next = '', ...others] = ids
  await commands.endSilence({ ids: [first, next] })
  const { id } = await snoozed(it, scope, inTime(hour))
  const before = it.app.state.silences
  const undone = () => commands.restoreSilence({ ids: [first, next] })
  await expect(undone()).rejects.toMatchObject({ failure: { message: fullWords } })
  expect(it.app.state.silences).toBe(before)
  await commands.endSilence({ ids: [id] })
  await undone()
  expect(new Set(it.app.state.silences.map((one) => one.id))).toEqual(
    new Set([first, next, ...others]),
  )
  await it.app.stop()
})

test('Undo restores what is left of two projects, of which one is gone, and says so only of nothing', async () => {
  const it = await startApp()
  it.world.ops.controls.addChecks(1)
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  await it.app.commands.addAccount(it.world.newAccounts.web)
  await pass(3 * second)
  const { commands } = it.app
  const accountIds = it.app.state.accounts.map(({ id }) => id)
  const [ops = '', web = ''] = accountIds
  const ids: string[] = []
  for (const accountId of [ops, web])
    ids.push((await snoozed(it, { of: 'project', accountId }, inTime(hour))).id)
  await commands.endSilence({ ids })
  await commands.removeAccount({ accountId: web })
  await commands.restoreSilence({ ids })
  expect(eachSilence(it.app.state.silences).map((one) => one.id)).toEqual(ids.slice(0, 1))
  await commands.endSilence({ ids: ids.slice(0, 1) })
  await commands.removeAccount({ accountId: ops })
  await expect(commands.restoreSilence({ ids })).rejects.toMatchObject({
    failure: { message: 'This account is gone.' },
  })
  await it.app.stop()
})

test('a plan that is removed and back does not begin again what was ended early', async () => {
  const { it, scope } = await watching()
  const { commands } = it.app
  const when = { of: 'weekly', days: [2], from: '14:00', to: '15:00', zone: 'UTC' } as const
  await commands.planMaintenance({ scope, when, reason: 'reindexing' })
  const [running] = it.app.state.silences
  await commands.endSilence({ ids: [running?.id ?? ''] })
  const [removed] = it.app.state.planned
  const { id, label: _label, ...plan } = removed!
  await commands.cancelPlanned({ id })
  await commands.planMaintenance(plan)
  await pass(minute)
  expect(it.app.state.silences).toEqual([])
  await it.app.stop()
  await pass(7 * day)
  const { app } = await it.restart()
  await pass(second)
  expect(app.state.silences).toMatchObject([{ how: 'maintenance', reason: 'reindexing' }])
  await app.stop()
})
