import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { eachSilence, isOfMany } from '../../src/shared/core/attention/silence.ts'
import { defaultSettings } from '../../src/shared/core/settings.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'
import { inTime, toldOf } from '../support/watched-job.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** A project with that many more jobs, all of them down. */
async function down(count: number) {
  const it = await startApp()
  const ops = it.world.ops.controls
  ops.addChecks(count)
  const names = ops.names().filter((one) => one.startsWith('job-'))
  for (const name of names) ops.ping(name, 'fail')
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  await pass(3 * second)
  const board = [...it.app.state.boards.values()][0]!
  const idOf = new Map([...board.checks.values()].map(({ name, id }) => [name, id]))
  const checks = names.map((name) => ({
    accountId: board.accountId,
    checkId: idOf.get(name)!,
  }))
  return { it, ops, names, checks, scope: { of: 'checks', checks } as const }
}

const labels = ({ app }: RunningApp) =>
  eachSilence(app.state.silences)
    .map(({ label }) => label)
    .sort()

const acknowledge = { how: 'acknowledge', until: { kind: 'change' } } as const

describe('a silence of many checks', () => {
  test('is one silence, sent to the window in one patch of a few bytes a check', async () => {
    const { it, scope } = await down(1_000)
    const pushed = vi.spyOn(it.desktop, 'pushPatch')
    await it.app.commands.silence({ ...acknowledge, scope })
    expect(it.app.state.silences).toMatchObject([{ how: 'acknowledge', label: '1,000 checks' }])
    expect(pushed).toHaveBeenCalledTimes(1)
    const text = JSON.stringify(pushed.mock.calls[0], (_key, value: unknown) =>
      value instanceof Map ? [...value] : value,
    )
    expect(text.length / 1_000).toBeLessThan(300)
    expect(text.match(/"checkId"/g)).toHaveLength(1_000)
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })

  test('ends for each check when it changes, and tells of that', async () => {
    const { it, ops, names, scope } = await down(4)
    await it.app.commands.silence({ ...acknowledge, scope })
    ops.ping(names[0]!, 'success')
    ops.remove(names[1]!)
    await it.app.commands.refresh({ accountId: null })
    await pass(3 * second)
    expect(toldOf(it, names[0]!).map(({ kind }) => kind)).toEqual(['recovered'])
    expect(labels(it)).toEqual([names[2], names[3]].sort())
    expect(it.app.state.silences).toMatchObject([{ label: '2 checks' }])
    // What was silenced before goes on silently, over a restart too.
    const later = await it.restart()
    await pass(2 * minute)
    expect(labels(later)).toEqual([names[2], names[3]].sort())
    await later.app.stop()
  })

  test('can be ended and restored for one check or for all', async () => {
    const { it, names, scope } = await down(3)
    const { id } = await it.app.commands.silence({ ...acknowledge, scope })
    const before = it.app.state.silences
    const one = eachSilence(before).find(({ label }) => label === names[0])!
    await it.app.commands.endSilence({ ids: [one.id] })
    expect(labels(it)).toEqual([names[1], names[2]].sort())
    await it.app.commands.restoreSilence({ ids: [one.id] })
    expect(it.app.state.silences).toEqual(before)
    await it.app.commands.endSilence({ ids: [id] })
    expect(it.app.state.silences).toEqual([])
    await it.app.commands.restoreSilence({ ids: [one.id, id] })
    expect(it.app.state.silences).toEqual(before)
    await it.app.stop()
  })

  test('replaces others of its checks, in whole or in part, and Undo brings them back', async () => {
    const { it, names, checks, scope } = await down(3)
    const until = inTime(60 * minute)
    const [first, ...others] = checks
    await it.app.commands.silence({
      how: 'snooze',
      scope: { of: 'checks', checks: others },
      until,
    })
    await it.app.commands.silence({ how: 'snooze', scope: { of: 'check', ...first! }, until })
    const before = it.app.state.silences
    const { id } = await it.app.commands.silence({
      ...acknowledge,
      scope: { of: 'checks', checks: checks.slice(0, 2) },
    })
    expect(eachSilence(it.app.state.silences).map(({ how }) => how)).toEqual([
      'snooze',
      'acknowledge',
      'acknowledge',
    ])
    await it.app.commands.undoSilence({ id })
    expect(labels(it)).toEqual([...names].sort())
    expect(new Set(it.app.state.silences)).toEqual(new Set(before))
    await it.app.commands.silence({ ...acknowledge, scope })
    expect(it.app.state.silences).toHaveLength(1)
    await it.app.stop()
  })

  test('can be noted on for one of its checks, also over a restart, until that is acknowledged no more', async () => {
    const { it, names, scope } = await down(2)
    await it.app.commands.silence({ ...acknowledge, scope })
    const [one] = eachSilence(it.app.state.silences)
    await it.app.commands.noteSilence({ id: one!.id, note: 'looking at the disk' })
    await pass(3 * second)
    const later = await it.restart()
    const notes = () =>
      eachSilence(later.app.state.silences).map(({ label, reason }) => [label, reason])
    expect(notes()).toEqual([
      [names[0], 'looking at the disk'],
      [names[1], undefined],
    ])
    await pass(3 * second)
    // Once more, by the button of the notification or with 👀 in the chat.
    await later.app.commands.silence({ ...acknowledge, scope, tellOthers: true })
    expect(notes()).toEqual([
      [names[0], 'looking at the disk'],
      [names[1], undefined],
    ])
    const [id = ''] = eachSilence(later.app.state.silences).map((each) => each.id)
    await later.app.commands.noteSilence({ id, note: '' })
    expect(notes()[0]).toEqual([names[0], ''])
    await later.app.commands.endSilence({ ids: [id] })
    await expect(later.app.commands.noteSilence({ id, note: 'late' })).rejects.toMatchObject({
      failure: { kind: 'invalid', message: 'It is over: there is nothing to note it on.' },
    })
    expect(notes()).toEqual([[names[1], undefined]])
    await later.app.stop()
  })

  test('reminds of what is still down when it expires', async () => {
    const { it, names, scope } = await down(2)
    await it.app.commands.silence({ how: 'snooze', scope, until: inTime(15 * minute) })
    await pass(16 * minute)
    expect(it.app.state.silences).toEqual([])
    for (const name of names)
      expect(toldOf(it, name).map(({ title }) => title)).toEqual([`${name} is still down`])
    await it.app.stop()
  })

  test('is recorded, so that rules tried later see what it silenced', async () => {
    const { it, ops, names, scope } = await down(3)
    const { id } = await it.app.commands.silence({ how: 'mute', scope, until: { kind: 'ever' } })
    const fails = async (name: string) => {
      ops.ping(name, 'success')
      await it.app.commands.refresh({ accountId: null })
      await pass(3 * second)
      ops.ping(name, 'fail')
      await it.app.commands.refresh({ accountId: null })
      await pass(3 * second)
    }
    await fails(names[0]!)
    await it.app.commands.endSilence({
      ids: [`${id}/${scope.checks[0]!.accountId}/check/${scope.checks[1]!.checkId}`],
    })
    await fails(names[1]!)
    await fails(names[2]!)
    expect(it.desktop.notices.map(({ title }) => title)).toContain(`${names[1]} is down`)
    const { before } = await it.app.commands.tryAttention({ attention: defaultSettings.attention })
    // Up and down, of both that were still silenced.
    expect(before).toMatchObject({ popUps: it.desktop.notices.length, silent: 4 })
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })

  test('keeps only the checks of accounts that are left', async () => {
    const { it, checks, scope } = await down(2)
    await it.app.commands.silence({ ...acknowledge, scope })
    await pass(second)
    const saved = JSON.parse(it.disk.documents.get('silences')!) as { checks: unknown[] }[]
    const elsewhere = { accountId: 'gone', checkId: 'x', label: 'x', status: 'down' }
    saved[0]!.checks.push(elsewhere)
    it.disk.documents.set('silences', JSON.stringify(saved))
    await it.app.stop()
    const disk = fakeDisk()
    for (const [name, text] of it.disk.documents) disk.documents.set(name, text)
    disk.documents.set('silences', JSON.stringify(saved))
    const later = await startApp({ world: it.world, vault: it.vault, disk })
    expect(eachSilence(later.app.state.silences)).toHaveLength(2)
    expect(later.app.state.silences.every(isOfMany)).toBe(true)
    await later.app.commands.removeAccount({ accountId: checks[0]!.accountId })
    expect(later.app.state.silences).toEqual([])
    await later.app.stop()
  })
})
