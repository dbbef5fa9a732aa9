import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  plannedFullWords,
  plannedLimit,
} from '../../src/shared/core/attention/maintenance/planned.ts'
import type { Scope, Until } from '../../src/shared/core/attention/silence.ts'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { morning } from '../../src/shared/core/views/until-choices.ts'
import { type RunningApp, startApp } from '../support/app.ts'
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

const told = (it: RunningApp, name: string) => toldOf(it, name).map(({ kind }) => kind)

describe('a snoozed check', () => {
  test('isn’t reported until its snooze is over, even over a restart, and then is again', async () => {
    const { it, name, scope, ops } = await watching()
    await snoozed(it, scope, inTime(15 * minute))
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(told(it, name)).toEqual([])
    const later = await it.restart()
    ops.ping(name, 'success')
    await pass(2 * minute)
    expect(told(later, name)).toEqual([])
    expect(later.app.state.silences).toHaveLength(1)
    await pass(12 * minute)
    expect(later.app.state.silences).toEqual([])
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(told(later, name)).toEqual(['down'])
    expect(later.bugs).toEqual([])
    await later.app.stop()
  })

  test('is reported at the next change if snoozed until then', async () => {
    const { it, name, scope, ops } = await watching()
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(told(it, name)).toEqual(['down'])
    await snoozed(it, scope, { kind: 'change' })
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(it.app.state.silences).toHaveLength(1)
    ops.ping(name, 'success')
    await pass(2 * minute)
    expect(told(it, name)).toEqual(['down', 'recovered'])
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test('that went down unheard and is then acknowledged is heard when it recovers', async () => {
    const { it, name, scope, ops } = await watching()
    await snoozed(it, scope, inTime(15 * minute))
    ops.ping(name, 'fail')
    await pass(2 * minute)
    await it.app.commands.silence({ how: 'acknowledge', scope, until: { kind: 'change' } })
    expect(told(it, name)).toEqual([])
    ops.ping(name, 'success')
    await pass(2 * minute)
    expect(told(it, name)).toEqual(['recovered'])
    await it.app.stop()
  })

  test('that changed while the app was not running is silent no longer', async () => {
    const { it, name, scope, ops } = await watching()
    ops.ping(name, 'fail')
    await pass(2 * minute)
    await snoozed(it, scope, { kind: 'change' })
    await it.app.stop()
    ops.ping(name, 'success')
    await pass(hour)
    const later = await it.restart()
    expect(later.app.state.silences).toHaveLength(1)
    await pass(minute)
    expect(later.app.state.silences).toEqual([])
    await later.app.stop()
  })

  test('is silent no longer when it is paused, if snoozed until it changes', async () => {
    const { it, scope, ops, name } = await watching()
    await snoozed(it, scope, { kind: 'change' })
    const { accountId } = scope
    const { uuid } = ops.check(name)
    await it.app.commands.run({ accountId, operation: 'pauseCheck', params: { uuid } })
    await pass(2 * minute)
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test.each<[string, Until]>([
    ['a time', { kind: 'time', at: Date.UTC(2027, 0, 1) }],
    ['a change', { kind: 'change' }],
    ['ever', { kind: 'ever' }],
  ])('leaves nothing behind when it is deleted, snoozed until %s', async (_until, until) => {
    const { it, name, scope, ops } = await watching()
    await snoozed(it, scope, until)
    await pass(2 * minute)
    expect(it.app.state.silences).toHaveLength(1)
    ops.remove(name)
    await pass(2 * minute)
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test('is heard at once when the clock is set past its end', async () => {
    const { it, scope } = await watching()
    await snoozed(it, scope, inTime(hour))
    vi.setSystemTime(Date.now() + day)
    await pass(minute)
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test.each<[string, Scope | null]>([
    ['a snooze', null],
    ['do not disturb', { of: 'everything' }],
  ])('lasts as long as before when the clock is set back a year: %s', async (_what, other) => {
    const { it, scope } = await watching()
    const { app } = it
    await snoozed(it, other ?? scope, inTime(30 * minute))
    await pass(10 * minute)
    vi.setSystemTime(Date.now() - 365 * day)
    await pass(19 * minute)
    expect(app.state.silences).toHaveLength(1)
    await pass(2 * minute)
    expect(app.state.silences).toEqual([])
    await app.stop()
  })

  test('lasts as long as it was to when the clock is set back while Belfry is off', async () => {
    const { it, scope } = await watching()
    await snoozed(it, scope, inTime(30 * minute))
    await it.app.stop()
    vi.setSystemTime(Date.now() - 365 * day)
    const { app } = await it.restart()
    await pass(29 * minute)
    expect(app.state.silences).toHaveLength(1)
    await pass(2 * minute)
    expect(app.state.silences).toEqual([])
    await app.stop()
  })

  test('is also silent through its tag and its project', async () => {
    const { it, name, scope, ops } = await watching()
    const { accountId } = scope
    const [board] = it.app.state.boards.values()
    const [tag] = [...board!.checks.values()].find((one) => one.name === name)!.tags
    const { id } = await snoozed(it, { of: 'tag', tag: tag! }, inTime(hour))
    ops.ping(name, 'fail')
    await pass(2 * minute)
    ops.ping(name, 'success')
    await pass(2 * minute)
    await it.app.commands.endSilence({ ids: [id] })
    await snoozed(it, { of: 'project', accountId }, inTime(hour))
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(told(it, name)).toEqual([])
    await it.app.stop()
  })

  test('until tomorrow at nine is heard at nine, by this computer’s clock', async () => {
    const { it, name, scope, ops } = await watching()
    const at = morning(Date.now(), 1)
    expect(new Date(at).getHours()).toBe(9)
    await snoozed(it, scope, { kind: 'time', at })
    await it.app.stop()
    vi.setSystemTime(at - minute)
    // Its own pings came meanwhile.
    ops.ping(name, 'success')
    const later = await it.restart()
    await pass(30 * second)
    expect(later.app.state.silences).toHaveLength(1)
    await pass(minute)
    expect(later.app.state.silences).toEqual([])
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(told(later, name)).toContain('down')
    await later.app.stop()
  })
})

describe('a check in maintenance', () => {
  test('stays so when it is acknowledged or snoozed, and each ends separately', async () => {
    const { it, name, ops, scope } = await watching()
    const silenced = () => it.app.state.silences.map(({ how }) => how)
    const until = inTime(hour)
    const begun = await it.app.commands.silence({ how: 'maintenance', scope, until })
    ops.ping(name, 'fail')
    await pass(minute)
    await it.app.commands.silence({ how: 'acknowledge', scope, until: { kind: 'change' } })
    expect(silenced()).toEqual(['maintenance', 'acknowledge'])
    await snoozed(it, scope, until)
    expect(silenced()).toEqual(['maintenance', 'snooze'])
    await it.app.commands.silence({ how: 'maintenance', scope, until: inTime(2 * hour) })
    expect(silenced()).toEqual(['snooze', 'maintenance'])
    expect(it.app.state.silences.map(({ id }) => id)).not.toContain(begun.id)
    await it.app.stop()
  })
})

describe('a planned maintenance', () => {
  /** It is 14:25:30 UTC on a Tuesday; every Tuesday from 14:30 to 15:00. */
  const when = { of: 'weekly', days: [2], from: '14:30', to: '15:00', zone: 'UTC' } as const

  async function planned() {
    const started = await watching()
    const { scope } = started
    await started.it.app.commands.planMaintenance({ scope, when, reason: 'reindexing' })
    return started
  }

  const silenced = (it: RunningApp) =>
    it.app.state.silences.map(({ how, until, reason }) => ({ how, until, reason }))

  test('begins by itself, ends with one digest, and comes again', async () => {
    const { it, name, ops } = await planned()
    expect(it.app.state.silences).toEqual([])
    await pass(5 * minute)
    const until = { kind: 'time', at: Date.UTC(2026, 2, 17, 15) }
    expect(silenced(it)).toEqual([{ how: 'maintenance', until, reason: 'reindexing' }])
    ops.ping(name, 'fail')
    await pass(20 * minute)
    expect(told(it, name)).toEqual([])
    await pass(10 * minute)
    expect(it.app.state.silences).toEqual([])
    expect(it.desktop.notices.filter(({ kind }) => kind === 'digest')).toHaveLength(1)
    await it.app.stop()
    await pass(7 * day - 20 * minute)
    const later = await it.restart()
    await pass(second)
    expect(later.app.state.silences.map(({ how }) => how)).toEqual(['maintenance'])
    await later.app.stop()
  })

  test('begins while Belfry is off, before anything is told, and doesn’t return once it was ended', async () => {
    const { it, name, ops } = await planned()
    await it.app.stop()
    await pass(10 * minute)
    ops.ping(name, 'fail')
    const later = await it.restart()
    await pass(2 * minute)
    expect(told(later, name)).toEqual([])
    const [running] = later.app.state.silences
    await later.app.commands.endSilence({ ids: [running?.id ?? ''] })
    await pass(2 * minute)
    expect(told(later, name)).toEqual(['digest'])
    const last = await later.restart()
    await pass(2 * minute)
    expect(last.app.state.silences).toEqual([])
    expect(last.app.state.planned).toHaveLength(1)
    await last.app.stop()
  })

  test('leaves a longer one of the same check as it is', async () => {
    const { it, scope } = await planned()
    const until = inTime(3 * hour)
    await it.app.commands.silence({ how: 'maintenance', scope, until })
    await pass(10 * minute)
    expect(it.app.state.silences.map((one) => one.until)).toEqual([until])
    await it.app.stop()
  })

  test('that was removed doesn’t begin, and one that is over can’t be planned', async () => {
    const { it, scope } = await planned()
    const [plan] = it.app.state.planned
    await it.app.commands.cancelPlanned({ id: plan?.id ?? '' })
    await pass(10 * minute)
    expect(it.app.state.silences).toEqual([])
    const over = {
      of: 'once',
      from: Date.UTC(2026, 2, 17, 9),
      until: Date.UTC(2026, 2, 17, 10),
    } as const
    await expect(it.app.commands.planMaintenance({ scope, when: over })).rejects.toMatchObject({
      failure: { kind: 'invalid', message: 'This time is over: plan a later one.' },
    })
    await it.app.stop()
  })

  test('that is once is gone when it has begun', async () => {
    const { it, scope } = await watching()
    const from = Date.now() + 5 * minute
    const once = { of: 'once', from, until: from + hour } as const
    await it.app.commands.planMaintenance({ scope, when: once })
    await pass(6 * minute)
    expect(it.app.state.planned).toEqual([])
    expect(silenced(it)).toMatchObject([{ until: { at: from + hour } }])
    await it.app.stop()
  })

  test('beyond the limit is refused in a sentence', async () => {
    const { it, scope } = await watching()
    for (let n = 0; n < plannedLimit; n += 1) await it.app.commands.planMaintenance({ scope, when })
    await expect(it.app.commands.planMaintenance({ scope, when })).rejects.toMatchObject({
      failure: { kind: 'invalid', message: plannedFullWords },
    })
    expect(it.app.state.planned).toHaveLength(plannedLimit)
    await it.app.stop()
  })
})

describe('undo', () => {
  test('restores exactly what was ended or replaced', async () => {
    const { it, scope } = await watching()
    const { id: first } = await snoozed(it, scope, inTime(hour))
    const before = it.app.state.silences
    const { id: second } = await snoozed(it, scope, inTime(4 * hour))
    expect(it.app.state.silences.map(({ id }) => id)).toEqual([second])
    await it.app.commands.undoSilence({ id: second })
    expect(it.app.state.silences).toEqual(before)
    await it.app.commands.endSilence({ ids: [first] })
    expect(it.app.state.silences).toEqual([])
    await it.app.commands.restoreSilence({ ids: [first] })
    expect(it.app.state.silences).toEqual(before)
    await it.app.stop()
  })

  test('of a silence that replaced one tells nothing of what that kept quiet', async () => {
    const { it, name, scope, ops } = await watching()
    await snoozed(it, scope, inTime(hour))
    ops.ping(name, 'fail')
    await pass(2 * minute)
    const { id } = await snoozed(it, scope, inTime(4 * hour))
    await it.app.commands.undoSilence({ id })
    await pass(2 * minute)
    expect(told(it, name)).toEqual([])
    await it.app.stop()
  })
})

describe('silences', () => {
  test('are removed with their account', async () => {
    const { it, scope } = await watching()
    await snoozed(it, scope, inTime(hour))
    await snoozed(it, { of: 'tag', tag: 'prod' }, inTime(hour))
    const { accountId } = scope
    await it.app.commands.removeAccount({ accountId })
    expect(it.app.state.silences.map(({ label }) => label)).toEqual(['#prod'])
    await it.app.stop()
  })

  test('of the demo aren’t stored', async () => {
    const { it, scope } = await watching()
    await it.app.commands.exploreDemo({})
    await pass(3 * second)
    await snoozed(it, { of: 'project', accountId: 'demo-web' }, inTime(hour))
    await snoozed(it, scope, inTime(hour))
    await pass(second)
    expect(it.app.state.silences).toHaveLength(2)
    const later = await it.restart()
    expect(later.app.state.silences.map(({ scope: kept }) => kept)).toEqual([scope])
    await later.app.stop()
  })
})

describe('a conversation that is muted in Belfry', () => {
  async function chatting() {
    const it = await startApp()
    await it.app.commands.addAccount(it.world.newAccounts.chat)
    await pass(3 * second)
    const [accountId] = it.app.state.realms.keys()
    const place = { kind: 'topic' as const, channelId: 1, topic: 'db-primary' }
    const scope: Scope = { of: 'conversation', accountId: accountId!, key: conversationKey(place) }
    const say = async (text: string, mention = false, from = 'Ana') => {
      it.world.realm.controls.say({ from, to: 'ops > db-primary', text, mention })
      await pass(2 * second)
    }
    const popUps = () => it.desktop.notices.map(({ kind }) => kind)
    const mute = (until: Until) => it.app.commands.silence({ how: 'mute', scope, until })
    return { it, say, popUps, mute, accountId: accountId! }
  }

  test('for a time is silent, mentions included', async () => {
    const { it, say, popUps, mute } = await chatting()
    await say('before')
    await mute(inTime(hour))
    await say('meanwhile')
    await say('meanwhile', true)
    expect(popUps()).toEqual(['message'])
    await pass(hour)
    await say('after')
    expect(popUps()).toEqual(['message', 'message'])
    await it.app.stop()
  })

  test('until someone mentions me is heard with that mention', async () => {
    const { it, say, popUps, mute } = await chatting()
    await mute({ kind: 'change' })
    await say('nothing of note')
    expect(popUps()).toEqual([])
    const later = await it.restart()
    expect(later.app.state.silences).toHaveLength(1)
    await pass(3 * second)
    await say('could you look?', true)
    expect(later.desktop.notices.map(({ kind }) => kind)).toEqual(['mention'])
    expect(later.app.state.silences).toEqual([])
    await later.app.stop()
  })

  test('until someone answers is heard with a person’s message, not the bot’s', async () => {
    const { it, say, popUps, mute } = await chatting()
    await mute({ kind: 'answer' })
    await say('all is measured', false, 'Monitoring')
    expect(popUps()).toEqual([])
    await say('I have restarted it')
    expect(popUps()).toEqual(['message'])
    expect(it.app.state.silences).toEqual([])
    await it.app.stop()
  })

  test('with its whole channel is silent', async () => {
    const { it, say, popUps, accountId } = await chatting()
    const scope: Scope = { of: 'channel', accountId, channelId: 1 }
    await it.app.commands.silence({ how: 'mute', scope, until: { kind: 'ever' } })
    await say('anything')
    expect(popUps()).toEqual([])
    expect(it.app.state.silences[0]?.label).toBe('# ops')
    await it.app.stop()
  })
})
