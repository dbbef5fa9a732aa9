import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { VaultLocked } from '../../src/main/base/ports.ts'
import { anyRule, defaultAttention } from '../../src/shared/core/attention/rules.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { inTime, snoozed, toldOf, watching } from '../support/watched-job.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

const told = (it: RunningApp, name: string) => toldOf(it, name).map(({ title }) => title)

/** Titles and lines, since one notification may cover many events. */
const wordsOf = ({ desktop }: RunningApp) =>
  desktop.notices
    .flatMap(({ title, lines }) => [title, ...lines.map(({ text }) => text)])
    .join('\n')

describe('a check that is still down when its snooze is over', () => {
  test('is reported once more, after an outage that was reported before', async () => {
    const { it, name, scope, ops } = await watching()
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(told(it, name)).toEqual([`${name} is down`])
    await snoozed(it, scope, inTime(15 * minute))
    await pass(14 * minute)
    expect(told(it, name)).toHaveLength(1)
    await pass(2 * minute)
    expect(told(it, name)).toEqual([`${name} is down`, `${name} is still down`])
    await pass(60 * minute)
    expect(told(it, name)).toHaveLength(2)
    expect(it.app.state.silences).toEqual([])
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })

  test('is reported although it went down while its project was snoozed, and so is its recovery', async () => {
    const { it, name, scope, ops } = await watching()
    await snoozed(it, { of: 'project', accountId: scope.accountId }, inTime(15 * minute))
    ops.ping(name, 'fail')
    await pass(14 * minute)
    expect(told(it, name)).toEqual([])
    await pass(2 * minute)
    expect(wordsOf(it)).toContain(name)
    ops.ping(name, 'success')
    await pass(7 * minute)
    expect(told(it, name)).toContain(`${name} is up again`)
    await it.app.stop()
  })

  test('is reported at the next start, once a read confirms it', async () => {
    const { it, name, scope, ops } = await watching()
    await snoozed(it, scope, inTime(15 * minute))
    ops.ping(name, 'fail')
    await pass(2 * minute)
    const { world, disk, vault } = it
    await it.app.stop()
    vi.setSystemTime(Date.now() + 60 * minute)
    const later = await startApp({ world, disk, vault })
    await pass(2 * minute)
    // Others went down meanwhile and may share its notification.
    expect(wordsOf(later)).toContain(`${name} is still down`)
    const again = await later.restart()
    await pass(2 * minute)
    expect(wordsOf(again)).not.toContain(name)
    expect(again.app.state.silences).toEqual([])
    await again.app.stop()
  })

  test('is reported at the next start, although the keyring was briefly locked', async () => {
    const { it, name, scope, ops } = await watching()
    ops.ping(name, 'fail')
    await pass(2 * minute)
    await snoozed(it, scope, inTime(15 * minute))
    await it.app.stop()
    await pass(30 * minute)
    vi.spyOn(it.vault, 'get').mockRejectedValueOnce(new VaultLocked())
    const later = await it.restart()
    await pass(2 * minute)
    expect(wordsOf(later)).toContain(`${name} is still down`)
    expect(later.app.state.silences).toEqual([])
    await later.app.stop()
  })

  test('isn’t reported while something else silences it', async () => {
    const { it, name, scope, ops } = await watching()
    ops.ping(name, 'fail')
    await pass(2 * minute)
    await it.app.commands.silence({ how: 'acknowledge', scope, until: { kind: 'change' } })
    await snoozed(it, { of: 'project', accountId: scope.accountId }, inTime(15 * minute))
    await pass(20 * minute)
    expect(told(it, name)).toEqual([`${name} is down`])
    expect(it.app.state.silences.map(({ how }) => how)).toEqual(['acknowledge'])
    await it.app.stop()
  })

  test('is told of though the clock reaches that time in the middle of a step', async () => {
    // The clock stands just before the end for the next so many times that it is read.
    for (let reads = 1; reads <= 6; reads += 1) {
      let end = Number.POSITIVE_INFINITY
      let left = reads
      const now = (): number => {
        if (Date.now() < end || left === 0) return Date.now()
        left -= 1
        return end - 1
      }
      const clock = { now, monotonic: () => performance.now(), random: () => 0.5 }
      const { it, name, scope, ops } = await watching({ clock })
      ops.ping(name, 'fail')
      await pass(minute)
      end = Date.now() + 2 * minute
      await snoozed(it, scope, { kind: 'time', at: end })
      await pass(4 * minute)
      expect(left).toBe(0)
      expect(told(it, name), `${reads}`).toEqual([`${name} is down`, `${name} is still down`])
      await it.app.stop()
    }
  })

  test.each([
    ['down', 'is down'],
    ['up', 'went down and came back'],
  ] as const)('is in the digest after a start as it is then (%s)', async (status, words) => {
    const { it, name, ops } = await watching()
    await snoozed(it, { of: 'everything' }, inTime(15 * minute))
    ops.ping(name, 'fail')
    await pass(2 * minute)
    await it.app.stop()
    await pass(30 * minute)
    if (status === 'up') ops.ping(name, 'success')
    const later = await it.restart()
    await pass(2 * minute)
    expect(wordsOf(later)).toContain(`${name} ${words}`)
    expect(wordsOf(later).includes(`${name} is down`)).toBe(status === 'down')
    await later.app.stop()
  })

  test('is in the digest after do not disturb', async () => {
    const { it, name, scope, ops } = await watching()
    await snoozed(it, scope, inTime(15 * minute))
    ops.ping(name, 'fail')
    await snoozed(it, { of: 'everything' }, inTime(30 * minute))
    await pass(28 * minute)
    expect(told(it, name)).toEqual([])
    await pass(4 * minute)
    expect(wordsOf(it)).toContain(`${name} is still down`)
    await it.app.stop()
  })
})

test('a check that is acknowledged before its first read stays quiet while it is down', async () => {
  const { it, name, scope, ops } = await watching()
  await it.app.stop()
  ops.ping(name, 'fail')
  ops.away(true)
  const later = await it.restart()
  await pass(minute)
  await later.app.commands.silence({ how: 'acknowledge', scope, until: { kind: 'change' } })
  ops.away(false)
  await pass(5 * minute)
  expect(told(later, name)).toEqual([])
  ops.ping(name, 'success')
  await pass(2 * minute)
  expect(told(later, name)).toEqual([`${name} is up again`])
  expect(later.app.state.silences).toEqual([])
  await later.app.stop()
})

describe('a silence that is ended by hand, or undone', () => {
  test.each([
    ['mute', 'running'],
    ['maintenance', 'running'],
    ['snooze', 'off'],
    ['maintenance', 'off'],
  ] as const)(
    'or whose tag is removed from a check reminds of its outage that was never told (%s, while Belfry is %s)',
    async (how, belfry) => {
      const { it: first, name, ops } = await watching()
      let it = first
      const tagged = (tags: string) =>
        ops.rewrite((record) => (record['name'] === name ? { ...record, tags } : record))
      tagged('db')
      await pass(minute)
      await it.app.commands.silence({
        how,
        scope: { of: 'tag', tag: 'db' },
        until: inTime(60 * minute),
      })
      ops.ping(name, 'fail')
      await pass(2 * minute)
      expect(told(it, name)).toEqual([])
      if (belfry === 'off') await it.app.stop()
      tagged('web')
      if (belfry === 'off') it = await it.restart()
      await pass(2 * minute)
      expect(told(it, name)).toEqual([`${name} is still down`])
      await pass(90 * minute)
      expect(told(it, name)).toHaveLength(1)
      await it.app.stop()
    },
  )

  test('before the first read of its project reminds of what that shows', async () => {
    const { it, name, scope, ops } = await watching()
    const { id } = await snoozed(it, scope, inTime(60 * minute))
    ops.ping(name, 'fail')
    await pass(2 * minute)
    ops.away(true)
    const later = await it.restart()
    await pass(minute)
    await later.app.commands.endSilence({ ids: [id] })
    ops.away(false)
    await pass(2 * minute)
    expect(told(later, name)).toEqual([`${name} is still down`])
    const again = await later.restart()
    await pass(2 * minute)
    expect(told(again, name)).toEqual([])
    await again.app.stop()
  })

  test('reminds of what went down in it unheard, and of nothing that was told before', async () => {
    const { it, name, scope, ops } = await watching()
    const other = ops.names().find((one) => one !== name && ops.check(one).status === 'up')!
    ops.ping(other, 'fail')
    await pass(2 * minute)
    expect(told(it, other)).toEqual([`${other} is down`])
    const project = { of: 'project' as const, accountId: scope.accountId }
    const { id } = await snoozed(it, project, inTime(60 * minute))
    ops.ping(name, 'fail')
    await pass(minute)
    expect(told(it, name)).toEqual([])
    await it.app.commands.endSilence({ ids: [id] })
    await pass(minute)
    expect(told(it, name)).toEqual([`${name} is still down`])
    expect(told(it, other)).toHaveLength(1)
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })
})

test('A start lists no outage again for which the rules say nothing', async () => {
  const { it, name, ops } = await watching()
  const rule = { ...anyRule, id: 'r', way: 'nothing' as const }
  await it.app.commands.updateSettings({ attention: { ...defaultAttention, rules: [rule] } })
  const listed = ({ app }: RunningApp) =>
    app.state.notices.map(({ title }) => title).filter((title) => title.includes(name))
  ops.ping(name, 'fail')
  await pass(2 * minute)
  const later = await it.restart()
  await pass(2 * minute)
  expect(listed(later)).toEqual([`${name} is down`])
  await later.app.stop()
})

describe('what the attention engine remembers', () => {
  test('about the demo isn’t reported after a restart without it', async () => {
    const first = await startApp()
    await first.app.commands.exploreDemo({})
    await pass(3 * second)
    const { attention } = first.app.state.settings
    await first.app.commands.updateSettings({ attention: { ...attention, afterMinutes: 10 } })
    const { controls } = first.world.ops
    const up = controls.names().find((name) => controls.check(name).status === 'up')!
    controls.goDown(up)
    await first.app.commands.refresh({ accountId: null })
    await pass(2 * minute)
    expect(first.desktop.notices).toEqual([])
    const later = await first.restart()
    await later.app.commands.addAccount(later.world.newAccounts.chat)
    await pass(30 * minute)
    expect(told(later, up)).toEqual([])
    await later.app.stop()
  })
})

describe('the maintenance of a project', () => {
  test('ends in one digest, over a restart, with what was down before and what went down during it', async () => {
    const { it, name, scope, ops } = await watching()
    const other = ops.names().find((one) => one !== name && ops.check(one).status === 'up')!
    ops.ping(name, 'fail')
    await pass(2 * minute)
    await it.app.commands.silence({
      how: 'maintenance',
      scope: { of: 'project', accountId: scope.accountId },
      until: inTime(20 * minute),
      reason: 'new disk',
    })
    ops.ping(other, 'fail')
    await pass(2 * minute)
    expect(told(it, other)).toEqual([])
    expect(it.app.state.notices[0]?.reasons.at(-1)?.text).toContain('(new disk)')
    const { world, disk, vault } = it
    await it.app.stop()
    vi.setSystemTime(Date.now() + 5 * minute)
    const later = await startApp({ world, disk, vault })
    await pass(16 * minute)
    const digests = later.desktop.notices.filter(({ title }) => title.startsWith('Maintenance of'))
    expect(digests).toHaveLength(1)
    const lines = digests[0]!.lines.map(({ text }) => text).join('\n')
    expect(lines).toContain(`${name} is still down`)
    expect(lines).toContain(other)
    expect(told(later, name)).toEqual([])
    expect(told(later, other)).toEqual([])
    expect(later.app.state.silences).toEqual([])
    expect(later.bugs).toEqual([])
    await later.app.stop()
  })
})

describe('an outage that a rule repeats', () => {
  test('is repeated, even after a restart, until the page of its check is opened; without names while locked', async () => {
    const { it, name, scope, ops } = await watching()
    const rule = { ...anyRule, id: 'r', kinds: ['down' as const], repeatMinutes: 10 }
    await it.app.commands.updateSettings({ attention: { ...defaultAttention, rules: [rule] } })
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(told(it, name)).toEqual([`${name} is down`])
    await pass(11 * minute)
    expect(told(it, name)).toEqual([`${name} is down`, `${name} is still down`])
    const later = await it.restart()
    later.desktop.locked = true
    await pass(10 * minute)
    expect(later.desktop.notices.map(({ title, body }) => [title, body])).toContainEqual([
      'Something is down',
      '',
    ])
    expect(told(later, name)).toEqual([])
    later.desktop.locked = false
    const { accountId, checkId } = scope
    const place = { view: 'check', accountId, checkId } as const
    await later.app.commands.showing({ view: 'check', place })
    await pass(60 * minute)
    expect(told(later, name)).toEqual([])
    expect(later.bugs).toEqual([])
    await later.app.stop()
  })
})

test('A notification that a check is up again is withdrawn when it goes down, though that is held back', async () => {
  const { it, name, scope, ops } = await watching()
  for (const what of ['fail', 'success', 'fail'] as const) {
    it.desktop.withdrawn.splice(0)
    ops.ping(name, what)
    await pass(70 * second)
  }
  expect(told(it, name)).toEqual([`${name} is down`, `${name} is up again`])
  expect(it.desktop.withdrawn).toContain(`${scope.accountId}/check/${scope.checkId}`)
  await it.app.stop()
})

test.each(['paused', 'deleted'] as const)(
  'A recovery that was held back says of a check that is %s by now that it came back',
  async (fate) => {
    const { it, name, ops } = await watching()
    ops.ping(name, 'fail')
    await pass(70 * second)
    it.desktop.setQuiet(true)
    ops.ping(name, 'success')
    await pass(70 * second)
    const url = `${it.world.bases.ops}/api/v3/checks/${ops.check(name).uuid}/pause`
    const headers = { 'x-api-key': it.world.keys.get('demo-ops')! }
    const request = { method: 'POST', url, headers, body: null } as never
    if (fate === 'paused') await it.world.handle(request, new AbortController().signal)
    else ops.remove(name)
    await pass(70 * second)
    it.desktop.setQuiet(false)
    await pass(second)
    expect(wordsOf(it)).toContain(`${name} came back`)
    expect(wordsOf(it)).not.toContain(`${name} is up again`)
    await it.app.stop()
  },
)
