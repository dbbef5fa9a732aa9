import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { messageOf } from '../../src/shared/core/chat/message-list.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { discussedAt } from '../../src/shared/core/outages/discuss.ts'
import { outageMark, readMark } from '../../src/shared/core/outages/outage-report.ts'
import { type RunningApp, startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const conversation = { kind: 'topic', channelId: 1, topic: 'db-backup' } as const

async function connected(around: Parameters<typeof startApp>[0] = {}) {
  const it = await startApp(around)
  const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.ops)
  await it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(3_000)
  const chatId = it.app.state.accounts.find(({ kind }) => kind === 'chat')!.id
  const check = [...it.app.state.boards.get(accountId)!.checks.values()].find(
    ({ name }) => name === 'db-backup',
  )!
  const place = { accountId: chatId, conversation }
  const press = (anyway = false, text = 'db-backup is down') =>
    it.app.commands.postReport({ accountId, checkId: check.id, place, text, anyway })
  return { ...it, it, accountId, chatId, check, place, press }
}

/** The reports on the server. */
function reports(it: RunningApp): readonly string[] {
  return it.world.realm.controls
    .messages()
    .map(({ content }) => content)
    .filter((content) => readMark(content) !== null)
}

async function stop(it: RunningApp): Promise<void> {
  const stopped = it.app.stop()
  await pass(2_000)
  await stopped
}

describe('a report', () => {
  test('goes to its conversation once, with its mark, and is linked as the incident', async () => {
    const { it, press, check, accountId, chatId } = await connected()
    expect(check.status).toBe('down')
    expect(await press()).toEqual({ kind: 'sent' })
    await pass(3_000)
    expect(reports(it)).toEqual([
      `db-backup is down\n\n${outageMark(check.id, 'down', check.since!)}`,
    ])
    expect(it.app.state.outbox).toEqual([])
    const [incident] = it.app.state.incidents
    expect(incident).toMatchObject({ accountId, checkId: check.id, chatId, conversation })
    const message = messageOf(it.app.state.realms.get(chatId)!.messages, incident!.messageId!)
    expect(message).toMatchObject({ isMe: true, key: conversationKey(conversation) })
    await stop(it)
  })

  test('leaves the composer’s text alone, and clears its own draft', async () => {
    const { it, press, place, accountId, check } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'half a thought' })
    await it.app.commands.saveReport({ accountId, checkId: check.id, text: 'edited' })
    expect([...it.app.state.drafts.values()]).toContain('edited')
    await press(false, 'edited')
    expect([...it.app.state.drafts.values()]).toEqual(['half a thought'])
    await stop(it)
  })

  test('survives a restart, sent or unsent', async () => {
    const { it, press, accountId, check } = await connected()
    await press()
    await pass(3_000)
    await it.app.commands.saveReport({ accountId, checkId: check.id, text: 'more of it' })
    const { incidents } = it.app.state
    const stopped = it.restart()
    await pass(2_000)
    const after = await stopped
    expect([...after.app.state.drafts.values()]).toEqual(['more of it'])
    expect(after.app.state.incidents).toEqual(incidents)
    expect(incidents[0]?.messageId).not.toBeNull()
    await stop(after)
  })

  test('pressed twice at once is sent once', async () => {
    const { it, press } = await connected()
    const both = await Promise.all([press(), press()])
    await pass(3_000)
    expect(both).toEqual([{ kind: 'sent' }, { kind: 'sent' }])
    expect(reports(it)).toHaveLength(1)
    await stop(it)
  })

  test('is posted once, whichever of its names the topic is typed by', async () => {
    const { it, accountId, chatId, check } = await connected()
    const outcomes = []
    for (const topic of ['general chat', '(no topic)', ' general chat ']) {
      const place = { accountId: chatId, conversation: { ...conversation, topic } }
      const report = { accountId, checkId: check.id, place, text: 'db-backup is down' }
      outcomes.push((await it.app.commands.postReport({ ...report, anyway: false })).kind)
      await pass(3_000)
    }
    expect(outcomes).toEqual(['sent', 'posted', 'posted'])
    expect(reports(it)).toHaveLength(1)
    expect(it.app.state.outbox).toEqual([])
    expect(it.app.state.incidents).toMatchObject([{ conversation: { channelId: 1, topic: '' } }])
    await stop(it)
  })

  test('from two computers within five seconds is sent once, and the second one is notified', async () => {
    const first = await connected()
    const second = await connected({ world: first.world })
    expect(await first.press()).toEqual({ kind: 'sent' })
    await pass(2_000)
    expect(await second.press()).toMatchObject({ kind: 'posted', by: null })
    await pass(3_000)
    expect(reports(first.it)).toHaveLength(1)
    expect(second.app.state.outbox).toEqual([])
    await stop(first.it)
    await stop(second.it)
  })

  test('that Ana posted while our events didn’t come is found by asking the server', async () => {
    const { it, press, check, accountId, place, world } = await connected()
    world.realm.controls.refuse(500, 'getEvents')
    await pass(1_000)
    world.realm.controls.say({
      from: 'Ana',
      to: 'ops > db-backup',
      text: `Down!\n\n${outageMark(check.id, 'down', check.since!)}`,
    })
    const posted = await press()
    expect(posted).toMatchObject({ kind: 'posted', by: 'Ana Kovač' })
    expect(reports(it)).toHaveLength(1)
    if (posted.kind === 'posted')
      await it.app.commands.joinReport({
        accountId,
        checkId: check.id,
        place,
        messageId: posted.messageId!,
      })
    expect(it.app.state.incidents).toMatchObject([{ told: 'down', conversation }])
    expect(await press(true)).toEqual({ kind: 'sent' })
    await pass(3_000)
    expect(reports(it)).toHaveLength(2)
    await stop(it)
  })

  test('of an earlier outage doesn’t count', async () => {
    const { it, press, check, world } = await connected()
    world.realm.controls.say({
      from: 'Ana',
      to: 'ops > db-backup',
      text: outageMark(check.id, 'up', check.since!),
    })
    await pass(1_000)
    expect(await press()).toEqual({ kind: 'sent' })
    await stop(it)
  })

  test('isn’t sent blindly: while the conversation can’t be read, the text stays', async () => {
    const { it, press, world } = await connected()
    world.realm.controls.refuse(500, 'getMessages')
    await expect(press()).rejects.toThrow(RequestFailed)
    expect(reports(it)).toEqual([])
    expect(it.app.state.incidents).toEqual([])
    world.realm.controls.refuse(null)
    expect(await press(true)).toEqual({ kind: 'sent' })
    await stop(it)
  })

  test('is followed into the topic that it was moved to', async () => {
    const { it, press, check, accountId, world, chatId } = await connected()
    await press()
    await pass(3_000)
    world.realm.controls.moveTopic('ops > db-backup', 'ops > ✔ db-backup')
    await pass(3_000)
    const moved = { kind: 'topic', channelId: 1, topic: '✔ db-backup' } as const
    expect(it.app.state.incidents).toMatchObject([{ accountId, chatId, conversation: moved }])
    const { state } = it.app
    expect(discussedAt(state, accountId, check)).toEqual({ accountId: chatId, conversation: moved })
    await stop(it)
  })

  test('has its recovery posted as an update, once', async () => {
    const { it, press, check, accountId, world } = await connected()
    await press()
    await pass(3_000)
    const { messageId } = it.app.state.incidents[0]!
    world.ops.controls.recover('db-backup')
    await it.app.commands.refresh({ accountId })
    await pass(3_000)
    expect(it.app.state.boards.get(accountId)!.checks.get(check.id)!.status).toBe('up')
    expect(await press(false, 'up again')).toEqual({ kind: 'sent' })
    await pass(3_000)
    expect(reports(it).map((text) => readMark(text)?.word)).toEqual(['down', 'up'])
    expect(it.app.state.incidents).toMatchObject([{ told: 'up', messageId, since: check.since }])
    await stop(it)
  })
})

test('an update that someone else posted isn’t posted again', async () => {
  const { it, press, check, accountId, world } = await connected()
  await press()
  world.ops.controls.recover('db-backup')
  await it.app.commands.refresh({ accountId })
  await pass(3_000)
  const { since } = it.app.state.boards.get(accountId)!.checks.get(check.id)!
  const text = outageMark(check.id, 'up', since!)
  world.realm.controls.say({ from: 'Boris', to: 'ops > db-backup', text })
  expect(await press(false, 'up again')).toMatchObject({ kind: 'posted', by: 'Boris Novak' })
  await stop(it)
})

test('unreadable rules and incidents on disk cost only themselves', async () => {
  const { it, press, chatId } = await connected()
  const rule = { accountId: null, tag: 'prod', checkId: null, chatId, channelId: 1, topic: 'x' }
  await it.app.commands.updateSettings({ discuss: [{ ...rule, id: 'kept' }] })
  await press()
  await pass(3_000)
  await stop(it)
  const spoil = (name: string, change: (document: never) => unknown) =>
    it.disk.documents.set(name, JSON.stringify(change(it.disk.read(name) as never)))
  spoil('settings', (settings: { discuss: unknown[] }) => ({
    ...settings,
    discuss: [{ topic: 7 }, ...settings.discuss, null],
  }))
  spoil('incidents', (incidents: unknown[]) => [null, { since: 'x' }, ...incidents])
  const after = await startApp({ world: it.world, disk: it.disk, vault: it.vault })
  expect(after.app.state.settings.discuss).toEqual([{ ...rule, id: 'kept' }])
  expect(after.app.state.settings.pollSeconds).toBe(60)
  expect(after.app.state.incidents).toHaveLength(1)
  await stop(after)
})

test('a removed account takes its incidents with it', async () => {
  const { it, press, chatId } = await connected()
  await press()
  expect(it.app.state.incidents).toHaveLength(1)
  await it.app.commands.removeAccount({ accountId: chatId })
  expect(it.app.state.incidents).toEqual([])
  await stop(it)
})

test('silences and reports are in the history of their check', async () => {
  const { it, press, accountId, check } = await connected()
  const scope = { of: 'check', accountId, checkId: check.id } as const
  const { id } = await it.app.commands.silence({
    how: 'snooze',
    scope,
    until: { kind: 'time', at: Date.now() + 60_000 },
  })
  await it.app.commands.endSilence({ ids: [id] })
  await press()
  const entries = await it.app.commands.history({
    accountId,
    subject: `${accountId}/check/${check.id}`,
    from: 0,
  })
  expect(entries.filter(({ kind }) => kind === 'act').map(({ data }) => data)).toMatchObject([
    { act: 'silence', how: 'snooze', by: null },
    { act: 'endSilence', how: 'snooze' },
    { act: 'report', status: 'down' },
  ])
  await stop(it)
})
