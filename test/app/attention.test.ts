import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld, type World } from '../../src/demo/world.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import { type AttentionSettings, defaultAttention } from '../../src/shared/core/attention/rules.ts'
import type { AttentionTrial } from '../../src/shared/core/attention/trial.ts'
import type { CheckId } from '../../src/shared/core/checks/check.ts'
import { type RunningApp, startApp } from '../support/app.ts'

const minuteMs = 60_000

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-17T14:00:00Z') })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Quiet hours from four to five in the afternoon, except for `critical`. */
const settings: AttentionSettings = {
  ...defaultAttention,
  afterMinutes: 0,
  rules: [
    {
      id: 'slow',
      kinds: ['down'],
      accountId: null,
      tag: 'db',
      checkId: null,
      channelId: null,
      topic: null,
      senderId: null,
      way: null,
      afterMinutes: 2,
    },
  ],
  quietHours: {
    enabled: true,
    zone: 'UTC',
    windows: [{ days: [2], from: '16:00', to: '17:00' }],
    exceptTags: ['critical'],
    exceptPeople: [],
  },
}

async function pass(world: World, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 10_000) {
    world.tick()
    await vi.advanceTimersByTimeAsync(10_000)
  }
}

async function connected(attention: AttentionSettings): Promise<RunningApp> {
  const world = createWorld({ now: Date.now, seed: 7, lively: false })
  const it = await startApp({ world })
  await it.app.commands.updateSettings({ attention })
  await it.app.commands.addAccount(world.newAccounts.ops)
  await it.app.commands.addAccount(world.newAccounts.chat)
  await pass(world, 2 * minuteMs)
  return it
}

function namesUp({ world: { ops } }: RunningApp): string[] {
  return ops.controls.names().filter((name) => ops.controls.check(name).status === 'up')
}

async function settle({ app }: RunningApp): Promise<void> {
  await app.commands.refresh({ accountId: null })
  await vi.advanceTimersByTimeAsync(500)
}

function idOf({ app }: RunningApp, name: string): { accountId: string; checkId: CheckId } {
  for (const [accountId, board] of app.state.boards)
    for (const check of board.checks.values())
      if (check.name === name) return { accountId, checkId: check.id }
  throw new Error(`no check ${name}`)
}

/** An afternoon: single flips, a storm, a flapping check, mentions, a snooze, quiet hours. */
async function afternoon(running: RunningApp): Promise<void> {
  const { world } = running
  const { controls } = world.ops
  const [first = '', second = '', third = '', ...rest] = namesUp(running)
  controls.goDown(first)
  await settle(running)
  await pass(world, 5 * minuteMs)
  for (const name of rest.slice(0, 12)) controls.goDown(name)
  await settle(running)
  await pass(world, 3 * minuteMs)
  for (const name of rest.slice(0, 6)) controls.recover(name)
  await settle(running)
  for (let i = 0; i < 8; i += 1) {
    if (i % 2 === 0) controls.goDown(second)
    else controls.recover(second)
    await settle(running)
    await pass(world, 40_000)
  }
  await running.app.commands.silence({
    how: 'snooze',
    scope: { of: 'check', ...idOf(running, third) },
    until: { kind: 'time', at: Date.now() + 30 * minuteMs },
  })
  controls.goDown(third)
  await settle(running)
  world.realm.controls.say({ from: 'Ana', to: 'ops > deploys', text: 'One @**Maria** look here' })
  world.realm.controls.say({ from: 'Ana', to: 'ops > deploys', text: 'And another thing' })
  await pass(world, 10 * minuteMs)
}

/** Enters the quiet hours and leaves them again. */
async function quietHour(running: RunningApp): Promise<void> {
  const { world } = running
  const { controls } = world.ops
  const until = (time: string): number => Date.parse(`2026-03-17T${time}Z`) - Date.now()
  await pass(world, until('16:05:00'))
  for (const name of namesUp(running).slice(0, 4)) controls.goDown(name)
  await settle(running)
  await pass(world, until('17:10:00'))
}

async function tried({ app }: RunningApp, attention: AttentionSettings): Promise<AttentionTrial> {
  return app.commands.tryAttention({ attention })
}

describe('the history', () => {
  test('has what was notified about checks, and of messages only the steps that a trial needs', async () => {
    const running = await connected(defaultAttention)
    const { ops, realm } = running.world
    const [name = ''] = namesUp(running)
    ops.controls.goDown(name)
    realm.controls.say({ from: 'Ana', to: 'Ana', text: 'are you there?' })
    await settle(running)
    await pass(running.world, minuteMs)
    const kinds = running.app.state.notices.map(({ kind }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['down', 'direct']))
    const entries = running.history.entries({ from: 0, limit: 1_000 })
    const titles = entries
      .filter(({ kind }) => kind === 'notice')
      .map(({ data }) => (data as Notice).title)
    expect(titles).toEqual([`${name} is down`])
    const steps = entries.filter(({ kind }) => kind === 'step')
    expect(JSON.stringify(steps)).toContain('Ana Kovač (to you)')
    expect(JSON.stringify(entries)).not.toContain('are you there?')
    await running.app.stop()
  })
})

describe('a trial of the rules', () => {
  test('that are unchanged gives what happened, over storms, snoozes, quiet hours and a restart', async () => {
    const first = await connected(settings)
    await afternoon(first)
    const notifiedFirst = first.desktop.notices.length
    const second = await first.restart()
    await pass(second.world, 2 * minuteMs)
    await quietHour(second)
    const same = await tried(second, settings)
    expect([...first.bugs, ...second.bugs]).toEqual([])
    expect(same.changed).toEqual([])
    expect(same.changes).toBe(0)
    expect(same.after).toEqual(same.before)
    expect(same.before.popUps).toBe(notifiedFirst + second.desktop.notices.length)
    const { shown, tray, folded, silent } = same.before
    expect(shown + tray + folded + silent).toBe(same.events)
    // Control: the day had some of each.
    for (const count of [shown, tray, folded, silent, notifiedFirst])
      expect(count).toBeGreaterThan(0)
    expect(second.desktop.notices.map(({ kind }) => kind)).toContain('digest')
    for (const { title, reasons } of second.app.state.notices)
      expect(reasons.map(({ text }) => text).join(' '), title).not.toBe('')
    await second.app.stop()
  })

  test('knows only what happened since an account was removed, and nothing before', async () => {
    const running = await connected(defaultAttention)
    const [before = '', since = ''] = namesUp(running)
    const { controls } = running.world.ops
    controls.goDown(before)
    await settle(running)
    await pass(running.world, minuteMs)
    const chat = running.app.state.accounts.find(({ kind }) => kind === 'chat')!
    await running.app.commands.removeAccount({ accountId: chat.id })
    controls.goDown(since)
    await settle(running)
    await pass(running.world, minuteMs)
    const quieter: AttentionSettings = {
      ...defaultAttention,
      ways: { ...defaultAttention.ways, down: 'tray' },
    }
    const { changed } = await tried(running, quieter)
    expect(changed.map(({ title }) => title)).toEqual([`${since} is down`])
    await running.app.stop()
  })

  test('shows what quieter rules would have changed, and changes nothing', async () => {
    const running = await connected(defaultAttention)
    const { controls } = running.world.ops
    const [name = ''] = namesUp(running)
    controls.goDown(name)
    await settle(running)
    await pass(running.world, 5 * minuteMs)
    const told = running.desktop.notices.length
    const quieter: AttentionSettings = {
      ...defaultAttention,
      ways: { ...defaultAttention.ways, down: 'tray' },
    }
    const trial = await tried(running, quieter)
    expect(trial.changed).toContainEqual(
      expect.objectContaining({ title: `${name} is down`, before: 'shown', after: 'tray' }),
    )
    expect(trial.after.popUps).toBeLessThan(trial.before.popUps)
    expect(running.desktop.notices).toHaveLength(told)
    expect(running.app.state.settings.attention).toEqual(defaultAttention)
    await running.app.stop()
  })
})
