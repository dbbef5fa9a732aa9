import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import {
  reminderLimit,
  remindersFullWords,
} from '../../src/shared/core/attention/remind-me/message-reminder.ts'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'

const minute = 60_000
const start = Date.UTC(2026, 2, 17, 14, 25)

beforeEach(() => {
  vi.useFakeTimers({ now: start })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** The app with a chat whose server keeps no reminders, and a message that it has. */
async function chatting(around: Parameters<typeof startApp>[0] = {}) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel: 398 })
  const it = await startApp({ world, ...around })
  await it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(3_000)
  const realm = [...it.app.state.realms.values()][0]!
  const { conversation, lastMessageId: messageId } = [...realm.conversations.values()].find(
    (one) => one.conversation.kind === 'topic',
  )!
  return { it, place: { accountId: realm.accountId, conversation }, messageId: messageId! }
}

const reminded = ({ desktop }: RunningApp) =>
  desktop.notices.filter(({ kind }) => kind === 'reminder')

test('a reminder is told once, at its time, over a restart', async () => {
  const { it, place, messageId } = await chatting()
  const about = { ...place, messageId }
  await it.app.commands.remindOf({ ...about, at: start + 5 * minute })
  // A later wish replaces the earlier one.
  await it.app.commands.remindOf({ ...about, at: start + 10 * minute })
  await pass(6 * minute)
  expect(reminded(it)).toEqual([])
  const later = await it.restart()
  await pass(6 * minute)
  expect(reminded(later)).toMatchObject([
    {
      title: expect.stringMatching(/^Reminder: /) as string,
      target: { view: 'conversation', ...place, messageId },
      sound: true,
    },
  ])
  const again = await later.restart()
  await pass(30 * minute)
  expect([reminded(again), again.app.state.reminders]).toEqual([[], []])
  expect([...later.bugs, ...again.bugs]).toEqual([])
  await again.app.stop()
})

test('a reminder that was due while Belfry was off is told at its start', async () => {
  const { it, place, messageId } = await chatting()
  await it.app.commands.remindOf({ ...place, messageId, at: start + 5 * minute })
  await it.app.stop()
  await pass(60 * minute)
  const later = await it.restart()
  await pass(minute)
  expect(reminded(later)).toHaveLength(1)
  await later.app.stop()
})

test('a reminder told before the chat is read says where its message was', async () => {
  const { it, place, messageId } = await chatting()
  await it.app.commands.remindOf({ ...place, messageId, at: start + 5 * minute })
  await it.app.stop()
  await pass(60 * minute)
  const later = await it.restart()
  await pass(minute)
  expect(reminded(later)).toMatchObject([{ title: 'Reminder: # general › lunch' }])
  await later.app.stop()
})

test.each([
  ['with its topic', 'change_all'],
  ['alone', 'change_one'],
] as const)(
  'a reminder of a message that is moved %s leads to it over a restart',
  async (_how, mode) => {
    const { it, place, messageId } = await chatting()
    await it.app.commands.remindOf({ ...place, messageId, at: start + 30 * minute })
    await it.app.commands.run({
      accountId: place.accountId,
      operation: 'editMessage',
      params: { message_id: messageId, topic: 'noodles', propagate_mode: mode },
    })
    await pass(minute)
    const moved = { ...place.conversation, topic: 'noodles' }
    expect(it.app.state.reminders).toMatchObject([
      { conversation: moved, label: '# general › noodles' },
    ])
    const later = await it.restart()
    await pass(30 * minute)
    expect(reminded(later)).toMatchObject([
      { title: 'Reminder: # general › noodles', target: { conversation: moved, messageId } },
    ])
    await later.app.stop()
  },
)

test('a reminder that the clock jumps over as another is set is told once', async () => {
  let aheadMs = 0
  const clock = {
    now: () => Date.now() + aheadMs,
    monotonic: () => performance.now(),
    random: () => 0.5,
  }
  const { it, place, messageId } = await chatting({ clock })
  await it.app.commands.remindOf({ ...place, messageId, at: start + 30 * minute })
  aheadMs = 60 * minute
  const other = { ...place, messageId: messageId - 1, at: start + 600 * minute }
  await it.app.commands.remindOf(other)
  await pass(minute)
  expect(reminded(it)).toHaveLength(1)
  expect(it.app.state.reminders).toMatchObject([other])
  await it.app.stop()
})

test('do not disturb holds a reminder back, and a muted conversation doesn’t', async () => {
  const { it, place, messageId } = await chatting()
  const scope = {
    of: 'conversation',
    accountId: place.accountId,
    key: conversationKey(place.conversation),
  } as const
  await it.app.commands.silence({ how: 'mute', scope, until: { kind: 'ever' } })
  const until = { kind: 'time', at: start + 10 * minute } as const
  await it.app.commands.silence({ how: 'mute', scope: { of: 'everything' }, until })
  await it.app.commands.remindOf({ ...place, messageId, at: start + 5 * minute })
  await pass(8 * minute)
  expect(reminded(it)).toEqual([])
  await pass(5 * minute)
  expect(
    it.desktop.notices.filter((one) => JSON.stringify(one).includes('Reminder: ')),
  ).toHaveLength(1)
  await it.app.stop()
})

test('do not disturb holds a reminder back also if its message is deleted meanwhile', async () => {
  const { it, place, messageId } = await chatting()
  const until = { kind: 'time', at: start + 10 * minute } as const
  await it.app.commands.silence({ how: 'mute', scope: { of: 'everything' }, until })
  await it.app.commands.remindOf({ ...place, messageId, at: start + 5 * minute })
  await pass(6 * minute)
  await it.app.commands.run({
    accountId: place.accountId,
    operation: 'deleteMessage',
    params: { message_id: messageId },
  })
  await pass(8 * minute)
  expect(reminded(it)).toHaveLength(1)
  await it.app.stop()
})

const markWrites = {
  'is not written yet': () => new Promise<never>(() => undefined),
  'the disk refuses': () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })),
}

test.each(Object.entries(markWrites))(
  'a reminder that do not disturb holds back outlives a kill while what waits %s',
  async (_what, writeMarks) => {
    const disk = fakeDisk()
    let isSaved = true
    const around = {
      ...disk,
      write: (name: string, value: unknown) =>
        name === 'marks' && !isSaved ? writeMarks() : disk.write(name, value),
    }
    const { it, place, messageId } = await chatting({ disk: around })
    await it.app.commands.silence({
      how: 'mute',
      scope: { of: 'everything' },
      until: { kind: 'time', at: start + 10 * minute },
    })
    await it.app.commands.remindOf({ ...place, messageId, at: start + 5 * minute })
    await pass(4 * minute)
    isSaved = false
    await pass(2 * minute)
    const left = fakeDisk()
    for (const [name, text] of disk.documents) left.documents.set(name, text)
    const { world, vault, history } = it
    const later = await startApp({ world, vault, history, disk: left })
    await pass(20 * minute)
    expect(reminded(later)).toHaveLength(1)
    expect(later.app.state.reminders).toEqual([])
    await later.app.stop()
  },
)

test('a reminder that is told is forgotten once the disk takes what it refused', async () => {
  const disk = fakeDisk()
  let isFull = false
  const write = async (name: string, value: unknown) =>
    isFull && name === 'marks' ? markWrites['the disk refuses']() : disk.write(name, value)
  const { it, place, messageId } = await chatting({ disk: { ...disk, write } })
  const until = { kind: 'time', at: start + 10 * minute } as const
  await it.app.commands.silence({ how: 'mute', scope: { of: 'everything' }, until })
  await it.app.commands.remindOf({ ...place, messageId, at: start + 5 * minute })
  isFull = true
  await pass(6 * minute)
  expect(it.app.state.reminders).toHaveLength(1)
  isFull = false
  await pass(2 * minute)
  expect(it.app.state.reminders).toEqual([])
  await pass(5 * minute)
  expect(reminded(it)).toHaveLength(1)
  await it.app.stop()
})

test('a reminder that was removed, or whose account was, is never told', async () => {
  const { it, place, messageId } = await chatting()
  const { id } = await it.app.commands.remindOf({ ...place, messageId, at: start + minute })
  await it.app.commands.forgetReminder({ id: String(id) })
  await it.app.commands.remindOf({ ...place, messageId, at: start + 2 * minute })
  await it.app.commands.removeAccount({ accountId: place.accountId })
  await pass(5 * minute)
  expect([reminded(it), it.app.state.reminders]).toEqual([[], []])
  await it.app.stop()
})

test('a time that is over, and one reminder too many, are refused in a sentence', async () => {
  const { it, place } = await chatting()
  const at = start + 60 * minute
  for (let messageId = 1; messageId <= reminderLimit; messageId += 1)
    await it.app.commands.remindOf({ ...place, messageId, at })
  await expect(it.app.commands.remindOf({ ...place, messageId: 999, at })).rejects.toMatchObject({
    failure: { kind: 'invalid', message: remindersFullWords },
  })
  await expect(
    it.app.commands.remindOf({ ...place, messageId: 1, at: start }),
  ).rejects.toMatchObject({
    failure: { kind: 'invalid', message: 'This time is over: choose a later one.' },
  })
  expect(it.app.state.reminders).toHaveLength(reminderLimit)
  await it.app.stop()
})
