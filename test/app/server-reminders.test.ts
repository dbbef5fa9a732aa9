import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { anyRule } from '../../src/shared/core/attention/rules.ts'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { fieldsOf } from '../../src/shared/core/schemas.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { json } from '../support/scripted-transport.ts'
import { type Asked, secondDevice } from '../support/second-device.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 2, 17, 14, 25)

beforeEach(() => {
  vi.useFakeTimers({ now: start })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** The app with a chat of this feature level, and a message of Ana's in a topic. */
async function chatting(featureLevel?: number, through = (to: Transport) => to) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel })
  const it = await startApp({ world, transport: through(world.transport) })
  await it.app.commands.addAccount(world.newAccounts.chat)
  await pass(3_000)
  const conversation = { kind: 'topic', channelId: 1, topic: 'db-primary' } as const
  const messageId = world.realm.controls.say({ from: 'Ana', to: conversation, text: 'Look again' })
  await pass(1_000)
  const accountId = it.app.state.accounts.at(-1)!.id
  return { it, about: { accountId, conversation, messageId } }
}

const elsewhere = ({ world }: Pick<RunningApp, 'world'>, ...asked: Asked) =>
  secondDevice(world, ...asked)
const later = ({ app }: RunningApp) => [...app.state.realms.values()][0]!.later
const seconds = (ms: number) => ms / 1_000
const onServer = async (it: RunningApp) =>
  (await elsewhere(it, 'GET', '/reminders'))['reminders'] as readonly Record<string, unknown>[]
const remindedBySelf = ({ desktop }: RunningApp) =>
  desktop.notices.filter(({ kind }) => kind === 'reminder')

const noAnswer = () =>
  new RequestFailed({ kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' })

/** `lost`: how many requests of the one kind arrive without that their answers do. */
function losing(method: string, lost: { count: number }, pattern = /\/reminders/) {
  return (to: Transport): Transport =>
    async (request, signal) => {
      const isLost = lost.count > 0 && request.method === method && pattern.test(request.url)
      const reply = await to(request, signal)
      if (!isLost) return reply
      lost.count -= 1
      throw noAnswer()
    }
}

test('a reminder set on another device is listed with its message, over a restart, until it is removed', async () => {
  const { it, about } = await chatting()
  const { reminder_id: id } = await elsewhere(it, 'POST', '/reminders', {
    message_id: about.messageId,
    scheduled_delivery_timestamp: seconds(start + hour),
    note: 'ask Ana',
  })
  await pass(1_000)
  const { messageId, conversation } = about
  const words = { text: 'Look again', note: 'ask Ana' }
  const listed = [{ id, messageId, conversation, ...words, at: start + hour, failed: false }]
  expect(later(it).reminders).toEqual(listed)
  const again = await it.restart()
  await pass(3_000)
  expect(later(again).reminders).toEqual(listed)
  await elsewhere(it, 'DELETE', `/reminders/${String(id)}`)
  await pass(1_000)
  expect(later(again).reminders).toEqual([])
  expect([...it.bugs, ...again.bugs]).toEqual([])
  await again.app.stop()
})

test('a reminder that can’t be read is counted, and hides no other', async () => {
  const first = await chatting()
  await first.it.app.stop()
  const { world } = first.it
  const remind = async (at: number) => {
    const asked = { message_id: first.about.messageId, scheduled_delivery_timestamp: seconds(at) }
    return (await elsewhere(first.it, 'POST', '/reminders', asked))['reminder_id']
  }
  const [plain, odd] = [await remind(start + hour), await remind(start + 2 * hour)]
  const spoil = (_key: string, value: unknown): unknown =>
    fieldsOf(value)['reminder_id'] === odd ? { ...fieldsOf(value), content: null } : value
  const transport: Transport = async (request, signal) => {
    const reply = await world.transport(request, signal)
    const text = new TextDecoder().decode(reply.body)
    return text.includes('reminder_id') ? json(JSON.parse(text, spoil), reply.status) : reply
  }
  const it = await startApp({ ...first.it, transport })
  await pass(3_000)
  expect(later(it)).toMatchObject({ reminders: [{ id: plain }], unreadable: { reminders: [odd] } })
  await elsewhere(it, 'DELETE', `/reminders/${String(odd)}`)
  await pass(1_000)
  expect(later(it).unreadable.reminders).toEqual([])
  await it.app.stop()
})

test.each([
  [398, null],
  [399, []],
])('at level %i the list is %j', async (level, reminders) => {
  const { it } = await chatting(level)
  expect(later(it).reminders).toEqual(reminders)
  await it.app.stop()
})

test('a reminder is the server’s own where it keeps them, and a later wish replaces it', async () => {
  const { it, about } = await chatting()
  await it.app.commands.remindOf({ ...about, at: start + 3 * hour, here: true })
  const first = await it.app.commands.remindOf({ ...about, at: start + hour })
  const set = await it.app.commands.remindOf({ ...about, at: start + 2 * hour + 1 })
  expect([first, set]).toEqual([
    {
      by: 'server',
      id: first.id,
      isEarlierLeft: false,
      replaced: [{ by: 'belfry', at: start + 3 * hour, note: '' }],
    },
    {
      by: 'server',
      id: set.id,
      isEarlierLeft: false,
      replaced: [{ by: 'server', at: start + hour, note: '' }],
    },
  ])
  const at = start + 2 * hour + 1_000
  expect(await onServer(it)).toMatchObject([
    { reminder_id: set.id, scheduled_delivery_timestamp: seconds(at) },
  ])
  await pass(1_000)
  expect(later(it).reminders).toMatchObject([{ id: set.id, messageId: about.messageId, at }])
  expect(it.app.state.reminders).toEqual([])
  await it.app.stop()
})

describe('a reminder of the server that is due', () => {
  /** A rule that nothing be told of direct messages, and the conversation with the bot muted. */
  async function hushed(it: RunningApp, accountId: string) {
    const { attention } = it.app.state.settings
    const rule = { ...anyRule, id: 'r', kinds: ['direct' as const], way: 'nothing' as const }
    await it.app.commands.updateSettings({ attention: { ...attention, rules: [rule] } })
    const key = conversationKey({ kind: 'direct', userIds: [6] })
    const scope = { of: 'conversation', accountId, key } as const
    await it.app.commands.silence({ how: 'mute', scope, until: { kind: 'ever' } })
  }
  const reminder = {
    kind: 'direct',
    title: 'Reminder from Notification Bot',
    body: expect.stringContaining('Ana Kovač said in #ops') as string,
    sound: true,
  }
  const told = ({ desktop }: RunningApp) => desktop.notices

  test.each(['running', 'off'])(
    'is told once, whatever is muted, while Belfry is %s',
    async (what) => {
      const { it, about } = await chatting()
      await hushed(it, about.accountId)
      await it.app.commands.remindOf({ ...about, at: start + 5 * minute })
      await pass(2 * minute)
      const before = told(it).length
      if (what === 'off') await it.app.stop()
      await pass(4 * minute)
      it.world.tick()
      const later = what === 'off' ? await it.restart() : it
      await pass(2 * minute)
      expect(told(later).slice(what === 'off' ? 0 : before)).toMatchObject([reminder])
      expect(later.bugs).toEqual([])
      await later.app.stop()
    },
  )

  test.each([
    'You have a new **owner**.',
    '@_**Ana Kovač** subscribed you to [#x/near/y](https://chat.example/#narrow/channel/9-x.2Fnear.2Fy).',
  ])('is all that the bot says in spite of that: not “%s”', async (text) => {
    const { it, about } = await chatting()
    await hushed(it, about.accountId)
    const before = told(it).length
    const to = { kind: 'direct', userIds: [6] } as const
    it.world.realm.controls.say({ from: 'Notification Bot', to, text })
    await pass(minute)
    expect(told(it).slice(before)).toEqual([])
    await it.app.stop()
  })

  test('waits for the end of do not disturb', async () => {
    const { it, about } = await chatting()
    const until = { kind: 'time', at: start + 20 * minute } as const
    await it.app.commands.silence({ how: 'mute', scope: { of: 'everything' }, until })
    const before = told(it).length
    await it.app.commands.remindOf({ ...about, at: start + 5 * minute })
    await pass(7 * minute)
    it.world.tick()
    await pass(minute)
    expect(told(it).slice(before)).toEqual([])
    await pass(20 * minute)
    expect(JSON.stringify(told(it).slice(before))).toContain('Reminder from Notification Bot')
    await it.app.stop()
  })
})

test('wishes for one message at the same moment leave one reminder, of the last', async () => {
  const { it, about } = await chatting()
  const [, second] = await Promise.all(
    [1, 2].map((hours) => it.app.commands.remindOf({ ...about, at: start + hours * hour })),
  )
  expect(await onServer(it)).toMatchObject([{ reminder_id: second!.id }])
  await it.app.stop()
})

test('a note that was written elsewhere goes over to the reminder that replaces its own', async () => {
  const { it, about } = await chatting()
  for (const note of ['ask Ana', 'or Boris', ''])
    await elsewhere(it, 'POST', '/reminders', {
      message_id: about.messageId,
      scheduled_delivery_timestamp: seconds(start + 3 * hour),
      note,
    })
  await pass(1_000)
  const set = await it.app.commands.remindOf({ ...about, at: start + hour })
  expect(set.replaced).toEqual(
    ['ask Ana', ''].map((note) => ({ by: 'server', at: start + 3 * hour, note })),
  )
  await pass(1_000)
  const notes = () => later(it).reminders?.map(({ at, note }) => [note, at])
  expect(notes()).toEqual([
    ['or Boris', start + 3 * hour],
    ['ask Ana', start + hour],
  ])
  await it.app.commands.remindOf({ ...about, at: start + 2 * hour })
  await pass(1_000)
  expect(notes()).toEqual([
    ['ask Ana', start + hour],
    ['or Boris', start + 2 * hour],
  ])
  await it.app.stop()
})

test('a reminder whose words can’t be read is not replaced, since they may hold a note', async () => {
  const { it, about } = await chatting(undefined, (to) => async (request, signal) => {
    const reply = await to(request, signal)
    const text = new TextDecoder().decode(reply.body)
    if (!text.includes('reminder_id')) return reply
    return json(JSON.parse(text.replaceAll('/near/', '/message/')), reply.status)
  })
  const asked = { message_id: about.messageId, scheduled_delivery_timestamp: seconds(start + hour) }
  await elsewhere(it, 'POST', '/reminders', asked)
  await pass(1_000)
  for (const replaced of [[], [{ by: 'server', at: start + 2 * hour, note: '' }]])
    expect(await it.app.commands.remindOf({ ...about, at: start + 2 * hour })).toMatchObject({
      isEarlierLeft: true,
      replaced,
    })
  expect(await onServer(it)).toHaveLength(2)
  await it.app.stop()
})

test('an earlier reminder that can’t be removed is said to be left', async () => {
  const { it, about } = await chatting()
  await it.app.commands.remindOf({ ...about, at: start + hour })
  await pass(1_000)
  it.world.realm.controls.refuse(503, 'deleteReminder')
  const set = await it.app.commands.remindOf({ ...about, at: start + 2 * hour })
  expect(set).toMatchObject({ by: 'server', isEarlierLeft: true, replaced: [] })
  const here = await it.app.commands.remindOf({ ...about, at: start + 3 * hour, here: true })
  expect(here).toMatchObject({ by: 'belfry', isEarlierLeft: true, replaced: [] })
  await it.app.stop()
})

test('a reminder whose answer was lost is found in the list, and is not set again', async () => {
  const lost = { count: 1 }
  const { it, about } = await chatting(undefined, losing('POST', lost))
  const set = await it.app.commands.remindOf({ ...about, at: start + hour })
  expect(await onServer(it)).toMatchObject([{ reminder_id: set.id }])
  await it.app.stop()
})

test('a list that was read before an event brings nothing back', async () => {
  const lost = { count: 1 }
  const lists: PromiseWithResolvers<void>[] = []
  const { it, about } = await chatting(undefined, (to) => async (request, signal) => {
    const reply = await losing('POST', lost)(to)(request, signal)
    if (request.method !== 'GET' || !request.url.endsWith('/reminders')) return reply
    const held = Promise.withResolvers<void>()
    if (lists.push(held) === 1) await held.promise
    return reply
  })
  const to = about.conversation
  const messageId = it.world.realm.controls.say({ from: 'Ana', to, text: 'Also' })
  const asked = { message_id: messageId, scheduled_delivery_timestamp: seconds(start + 3 * hour) }
  const { reminder_id: other } = await elsewhere(it, 'POST', '/reminders', asked)
  await pass(1_000)
  const setting = it.app.commands.remindOf({ ...about, at: start + hour })
  await pass(1_000)
  await elsewhere(it, 'DELETE', `/reminders/${String(other)}`)
  await pass(1_000)
  lists[0]?.resolve()
  const { id } = await setting
  expect(later(it).reminders).toMatchObject([{ id }])
  await it.app.stop()
})

test('a reminder that may have been set is looked for before another is', async () => {
  const [lost, unread] = [{ count: 1 }, { count: 1 }]
  const without = losing('POST', lost)
  const { it, about } = await chatting(undefined, (to) => losing('GET', unread)(without(to)))
  const wish = { ...about, at: start + hour }
  await expect(it.app.commands.remindOf(wish)).rejects.toMatchObject({
    failure: { kind: 'network', reached: 'maybe' },
  })
  expect(await onServer(it)).toHaveLength(1)
  unread.count = 1
  await expect(it.app.commands.remindOf(wish)).rejects.toThrow()
  expect(await onServer(it)).toHaveLength(1)
  const set = await it.app.commands.remindOf(wish)
  expect(await onServer(it)).toMatchObject([{ reminder_id: set.id }])
  await it.app.stop()
})

/** Lets no wish arrive, or no event come, while that is in `lost`. */
function without(lost: ReadonlySet<'wishes' | 'events'>) {
  return (to: Transport): Transport =>
    async (request, signal) => {
      const isWish = request.method === 'POST' && request.url.endsWith('/reminders')
      if (isWish && lost.has('wishes')) throw noAnswer()
      const reply = await to(request, signal)
      if (request.url.includes('/events') && lost.has('events')) throw noAnswer()
      return reply
    }
}

test('the first of two wishes is not taken for the second, of which nothing is heard', async () => {
  const lost = new Set<'wishes' | 'events'>()
  const { it, about } = await chatting(undefined, without(lost))
  lost.add('events')
  const first = await it.app.commands.remindOf({ ...about, at: start + hour })
  expect(later(it).reminders).toEqual([])
  lost.add('wishes')
  await expect(it.app.commands.remindOf({ ...about, at: start + 2 * hour })).rejects.toMatchObject({
    failure: { reached: 'maybe' },
  })
  expect(await onServer(it)).toMatchObject([{ reminder_id: first.id }])
  await it.app.stop()
})

test('what another device set meanwhile is not taken for a wish of which nothing is heard', async () => {
  const { it, about } = await chatting(undefined, (to) => async (request, signal) => {
    if (request.method !== 'POST' || !request.url.endsWith('/reminders')) return to(request, signal)
    await elsewhere(it, 'POST', '/reminders', {
      message_id: about.messageId,
      scheduled_delivery_timestamp: seconds(start + 2 * hour),
    })
    throw noAnswer()
  })
  await expect(it.app.commands.remindOf({ ...about, at: start + hour })).rejects.toMatchObject({
    failure: { reached: 'maybe' },
  })
  await it.app.stop()
})

test('a request that may still arrive is given a minute, and then a look', async () => {
  const lost = new Set(['wishes' as const])
  const { it, about } = await chatting(undefined, without(lost))
  const wish = { ...about, at: start + hour }
  const refusal = { failure: { kind: 'network', reached: 'maybe' } }
  await expect(it.app.commands.remindOf(wish)).rejects.toMatchObject(refusal)
  lost.clear()
  await expect(it.app.commands.remindOf(wish)).rejects.toMatchObject(refusal)
  it.world.realm.controls.refuse(400, 'listReminders')
  await pass(61_000)
  await expect(it.app.commands.remindOf(wish)).rejects.toMatchObject(refusal)
  it.world.realm.controls.refuse(null)
  const set = await it.app.commands.remindOf(wish)
  expect(await onServer(it)).toMatchObject([{ reminder_id: set.id }])
  await it.app.stop()
})

describe('nothing is set', () => {
  test('at a time that is over, or of a message that is gone', async () => {
    const { it, about } = await chatting()
    await expect(it.app.commands.remindOf({ ...about, at: start })).rejects.toMatchObject({
      failure: { kind: 'invalid', message: 'This time is over: choose a later one.' },
    })
    it.world.realm.controls.remove(about.messageId)
    await expect(it.app.commands.remindOf({ ...about, at: start + hour })).rejects.toMatchObject({
      failure: { kind: 'refused', message: 'Invalid message(s)' },
    })
    expect([await onServer(it), it.app.state.reminders]).toEqual([[], []])
    await it.app.stop()
  })

  test('by this Belfry unless asked for, before the first registration of a run', async () => {
    const { it, about } = await chatting()
    it.world.realm.controls.refuse(503)
    const again = await it.restart()
    await pass(3_000)
    const wish = { ...about, at: start + hour }
    await expect(again.app.commands.remindOf(wish)).rejects.toMatchObject({
      failure: { kind: 'invalid', message: /not connected yet/ },
    })
    expect(again.app.state.reminders).toEqual([])
    expect(await again.app.commands.remindOf({ ...wish, here: true })).toMatchObject({
      by: 'belfry',
    })
    await again.app.stop()
  })
})

test('a reminder set here stays and is told when the server is upgraded, and the next is the server’s', async () => {
  const { it, about } = await chatting(398)
  const to = about.conversation
  const messageId = it.world.realm.controls.say({ from: 'Boris', to, text: 'And here' })
  const other = { ...about, messageId }
  expect(await it.app.commands.remindOf({ ...about, at: start + hour })).toMatchObject({
    by: 'belfry',
  })
  it.world.realm.controls.restart(399)
  await pass(2 * minute)
  expect(await it.app.commands.remindOf({ ...other, at: start + 2 * hour })).toMatchObject({
    by: 'server',
  })
  await pass(hour)
  expect(remindedBySelf(it)).toMatchObject([{ target: { messageId: about.messageId } }])
  it.world.realm.controls.restart(398)
  await pass(2 * minute)
  expect(await it.app.commands.remindOf({ ...about, at: start + 3 * hour })).toMatchObject({
    by: 'belfry',
  })
  await it.app.stop()
})
