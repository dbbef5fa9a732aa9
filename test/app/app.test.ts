import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import type { Account } from '../../src/shared/core/account.ts'
import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { allMessages, messageOf } from '../../src/shared/core/chat/message-list.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'

const minute = 60_000

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Lets time pass while the demo’s jobs keep pinging. */
async function live({ world }: RunningApp, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5_000) {
    world.tick()
    await pass(5_000)
  }
}

async function connected(running?: RunningApp): Promise<RunningApp> {
  const it = running ?? (await startApp())
  const { ops, chat } = it.world.newAccounts
  await it.app.commands.addAccount(ops)
  await it.app.commands.addAccount(chat)
  await pass(3_000)
  return it
}

function accountOf({ app }: RunningApp, kind: Account['kind']): Account {
  return app.state.accounts.find((account) => account.kind === kind)!
}
const boardOf = (it: RunningApp) => it.app.state.boards.get(accountOf(it, 'monitoring').id)!
const realmOf = (it: RunningApp) => it.app.state.realms.get(accountOf(it, 'chat').id)!
const checkNamed = (it: RunningApp, name: string) =>
  [...boardOf(it).checks.values()].find((check) => check.name === name)!
const shape = ({ desktop }: RunningApp) => desktop.trays.at(-1)?.shape
const sentTexts = (it: RunningApp, text: string) =>
  it.world.realm.controls.messages().filter(({ content }) => content === text)
/** Types a text to Ana and sends it. */
async function sendToAna(it: RunningApp, text: string): Promise<void> {
  const accountId = accountOf(it, 'chat').id
  await it.app.commands.sendMessage({ accountId, conversation: directWith(it, 'Ana'), text })
}
/** The direct conversation with someone of the demo, as the app sees it. */
function directWith(it: RunningApp, name: string): Conversation {
  const user = [...realmOf(it).users.values()].find((one) => one.name.startsWith(name))!
  return { kind: 'direct', userIds: [user.id] }
}

describe('an account', () => {
  test('is tried before it is saved, and the result is shown', async () => {
    const it = await startApp()
    const { ops, web, chat } = it.world.newAccounts
    expect(await it.app.commands.tryAccount(ops)).toMatchObject({
      kind: 'monitoring',
      keyKind: 'readWrite',
    })
    expect(await it.app.commands.tryAccount(web)).toMatchObject({ keyKind: 'readOnly' })
    expect(await it.app.commands.tryAccount(chat)).toMatchObject({
      kind: 'chat',
      userName: it.world.realm.user.name,
    })
    expect(it.app.state.accounts).toEqual([])
  })

  test('with a wrong key is refused and not saved', async () => {
    const it = await startApp()
    const wrong = { ...it.world.newAccounts.ops, key: 'x'.repeat(32) }
    await expect(it.app.commands.addAccount(wrong)).rejects.toMatchObject({
      failure: { kind: 'badKey' },
    })
    expect(it.app.state.accounts).toEqual([])
  })

  test('can be added only once', async () => {
    const it = await connected()
    for (const account of [it.world.newAccounts.ops, it.world.newAccounts.chat])
      expect(await it.app.commands.addAccount(account)).toMatchObject({ alike: { isSure: true } })
    expect(it.app.state.accounts).toHaveLength(2)
    await it.app.stop()
  })

  test('has a name unique among accounts of its kind, even if two are added at once', async () => {
    const it = await startApp()
    const { ops, web, chat } = it.world.newAccounts
    const named = { label: 'Night jobs' }
    const added = [{ ...ops, ...named }, { ...web, label: 'night jobs' }, chat]
    await Promise.all(added.map((account) => it.app.commands.addAccount(account)))
    const labels = () =>
      it.app.state.accounts.filter(({ kind }) => kind === 'monitoring').map(({ label }) => label)
    expect(labels()).toHaveLength(2)
    expect(labels().map((label) => label.toLowerCase())).toEqual(['night jobs', 'night jobs 2'])
    const { id: accountId } = it.app.state.accounts.find(({ label }) => label.endsWith(' 2'))!
    const rename = (label: string) => it.app.commands.renameAccount({ accountId, label })
    await expect(rename('NIGHT JOBS')).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'label' },
    })
    // A chat may have a project’s name, and its own name in another spelling.
    const realm = accountOf(it, 'chat').label
    await rename(realm)
    await rename(realm.toUpperCase())
    expect(labels().at(-1)).toBe(realm.toUpperCase())
    await it.app.stop()
  })

  test('is on disk, with its change, before the command is answered', async () => {
    const disk = fakeDisk()
    const write = async (name: string, value: unknown) => {
      await new Promise((resolve) => {
        setTimeout(resolve, 1_000)
      })
      await disk.write(name, value)
    }
    const it = await startApp({ disk: { ...disk, write } })
    const onDisk: unknown[] = []
    const note = () => onDisk.push(disk.read('accounts'))
    void it.app.commands.addAccount(it.world.newAccounts.ops).then(note)
    await pass(5_000)
    const [{ id = '' } = {}] = it.app.state.accounts
    void it.app.commands.renameAccount({ accountId: id, label: 'renamed' }).then(note)
    await pass(5_000)
    void it.app.commands.removeAccount({ accountId: id }).then(note)
    await pass(5_000)
    expect(onDisk).toMatchObject([[{ id }], [{ id, label: 'renamed' }], []])
    const stopped = it.app.stop()
    await pass(5_000)
    await stopped
  })

  test('raises no notification when first read, although checks are down and messages unread', async () => {
    const it = await connected()
    expect(boardOf(it).counts.down).toBeGreaterThan(0)
    expect(realmOf(it).phase).toBe('live')
    expect(it.desktop.notices).toEqual([])
    await it.app.stop()
  })

  test('whose key is revoked is marked so, and reported once', async () => {
    const it = await connected()
    it.world.realm.controls.revokeKey()
    await pass(2 * minute)
    expect(accountOf(it, 'chat').key).toBe('rejected')
    expect(it.desktop.notices.filter(({ kind }) => kind === 'trouble')).toHaveLength(1)
    expect(it.desktop.trays.at(-1)?.tooltip).toContain('key problem')
    await it.app.stop()
  })

  test('that is removed leaves nothing on disk except the other account', async () => {
    const it = await connected()
    const gone = accountOf(it, 'chat')
    await it.app.commands.saveDraft({
      accountId: gone.id,
      conversation: directWith(it, 'Ana'),
      text: 'half',
    })
    const pins = [gone, accountOf(it, 'monitoring')].map(({ id }) => ({
      accountId: id,
      checkId: 'c',
    }))
    await it.app.commands.updateSettings({ pins })
    await it.app.commands.removeAccount({ accountId: gone.id })
    await pass(0)
    expect(it.app.state.settings.pins).toEqual(pins.slice(1))
    const kept = [...it.disk.documents.values()].join('\n')
    expect(kept).not.toContain(gone.id)
    expect(kept).toContain(accountOf(it, 'monitoring').id)
    await it.app.stop()
  })
})

describe('a project', () => {
  test('whose check goes down turns the tray red, raises one notification, and a click on it opens the check', async () => {
    const it = await connected()
    const before = it.desktop.trays.at(-1)!
    it.world.ops.controls.goDown('cert-renew')
    it.world.ops.tick()
    await pass(35_000)
    expect(it.desktop.trays.at(-1)).toMatchObject({ shape: 'down', count: before.count + 1 })
    expect(it.desktop.notices).toMatchObject([{ kind: 'down', title: 'cert-renew is down' }])
    it.app.noticeClicked(it.desktop.notices[0]!)
    expect(it.desktop.windowOpen).toBe(true)
    expect(it.desktop.window().target.to).toEqual({
      view: 'check',
      accountId: accountOf(it, 'monitoring').id,
      checkId: checkNamed(it, 'cert-renew').id,
    })
    await it.app.stop()
  })

  test('that can’t be reached turns stale, keeps its data, and recovers by itself', async () => {
    const it = await startApp()
    await it.app.commands.addAccount(it.world.newAccounts.web)
    await pass(1_000)
    expect(shape(it)).toBe('good')
    const checks = boardOf(it).checks.size
    it.world.web.controls.away(true)
    await live(it, 3 * minute)
    expect(shape(it)).toBe('stale')
    expect(boardOf(it).checks.size).toBe(checks)
    expect(boardOf(it).freshness.failure?.kind).toBe('network')
    expect(it.desktop.notices).toEqual([])
    it.world.web.controls.away(false)
    await live(it, 2 * minute)
    expect(shape(it)).toBe('good')
    await it.app.stop()
  })

  test('with one unreadable check shows the others and isn’t green', async () => {
    const it = await startApp()
    it.world.web.controls.rewrite((record) =>
      record['name'] === it.world.web.controls.names()[0] ? 42 : record,
    )
    await it.app.commands.addAccount(it.world.newAccounts.web)
    await pass(1_000)
    expect(boardOf(it).unreadable).toBe(1)
    expect(boardOf(it).checks.size).toBe(it.world.web.controls.names().length - 1)
    expect(shape(it)).toBe('stale')
    await it.app.stop()
  })

  test('has a check paused and resumed, and the board shows it before the next poll', async () => {
    const it = await connected()
    const { id: accountId } = accountOf(it, 'monitoring')
    const { id: uuid } = checkNamed(it, 'cert-renew')
    await it.app.commands.run({ accountId, operation: 'pauseCheck', params: { uuid } })
    expect(checkNamed(it, 'cert-renew').status).toBe('paused')
    await it.app.commands.run({ accountId, operation: 'resumeCheck', params: { uuid } })
    expect(checkNamed(it, 'cert-renew').status).toBe('new')
    await expect(
      it.app.commands.run({ accountId, operation: 'resumeCheck', params: { uuid } }),
    ).rejects.toMatchObject({ failure: { kind: 'refused', httpStatus: 409 } })
    await it.app.stop()
  })

  test('that has a check paused while an older response is on its way doesn’t show it as down again', async () => {
    const world = createWorld({ now: Date.now, seed: 1, lively: false })
    let slow = false
    const transport: Transport = async (request, signal) => {
      const reply = await world.transport(request, signal)
      if (slow && request.url.endsWith('/checks/'))
        await new Promise((resolve) => {
          setTimeout(resolve, 2_000)
        })
      return reply
    }
    const it = await startApp({ world, transport })
    await it.app.commands.addAccount(world.newAccounts.ops)
    await pass(3_000)
    slow = true
    await it.app.commands.refresh({ accountId: null })
    await pass(500)
    const { id: uuid } = checkNamed(it, 'db-backup')
    const { id: accountId } = accountOf(it, 'monitoring')
    await it.app.commands.run({ accountId, operation: 'pauseCheck', params: { uuid } })
    const seen = new Set<string>()
    for (let ms = 0; ms < 10_000; ms += 500) {
      seen.add(checkNamed(it, 'db-backup').status)
      await pass(500)
    }
    expect([...seen]).toEqual(['paused'])
    expect(it.desktop.notices).toEqual([])
    await it.app.stop()
  })

  test('whose check is unreadable in one response isn’t reported down again, and its recovery still is', async () => {
    const it = await connected()
    const { controls } = it.world.ops
    controls.rewrite((record) => (record['name'] === 'db-backup' ? 42 : record))
    await pass(35_000)
    controls.rewrite(null)
    await pass(35_000)
    expect(it.desktop.notices).toEqual([])
    controls.recover('db-backup')
    await pass(35_000)
    expect(it.desktop.notices.map(({ title }) => title)).toEqual(['db-backup is up again'])
    await it.app.stop()
  })

  test('is read every minute, and every half minute while someone looks at its board', async () => {
    const it = await startApp()
    const polls = () => it.desktop.trays.length
    await it.app.commands.addAccount(it.world.newAccounts.web)
    await pass(1_000)
    const readAt = () => boardOf(it).freshness.readAt!
    const calm = readAt()
    await pass(50_000)
    expect(readAt()).toBe(calm)
    await pass(20_000)
    expect(readAt()).toBeGreaterThan(calm)
    await it.app.commands.showing({ view: 'checks' })
    await pass(100)
    const looked = readAt()
    await pass(35_000)
    expect(readAt() - looked).toBeLessThan(35_000)
    expect(readAt()).toBeGreaterThan(looked)
    expect(polls()).toBeGreaterThan(0)
    await it.app.stop()
  })
})

describe('a chat', () => {
  test('message raises one notification; a reply reaches the server once, and its echo settles it', async () => {
    const it = await connected()
    it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'could you look?' })
    await pass(1_000)
    expect(it.desktop.notices).toMatchObject([{ kind: 'direct', body: 'could you look?' }])
    const [notice] = it.desktop.notices
    // Some systems deliver a reply twice.
    await Promise.all([
      it.app.noticeReplied(notice!, 'on it'),
      it.app.noticeReplied(notice!, 'on it'),
    ])
    await pass(1_000)
    expect(sentTexts(it, 'on it')).toHaveLength(1)
    expect(it.app.state.outbox).toEqual([])
    expect(allMessages(realmOf(it).messages).filter(({ text }) => text === 'on it')).toHaveLength(1)
    await it.app.stop()
  })

  test('message that is edited after a reply, and so is on the screen again, takes another reply', async () => {
    const it = await connected()
    const { controls } = it.world.realm
    const id = controls.say({ from: 'Ana', to: 'Ana', text: 'could you look?' })
    await pass(1_000)
    const [notice] = it.desktop.notices
    await it.app.noticeReplied(notice!, 'on it')
    controls.edit(id, 'could you look at db-2?')
    await pass(5_000)
    const [again] = it.desktop.replaced
    expect(again).toMatchObject({ id: notice!.id, body: 'could you look at db-2?' })
    await it.app.noticeReplied(again!, 'at db-2, then')
    await pass(1_000)
    expect(sentTexts(it, 'at db-2, then')).toHaveLength(1)
    await it.app.stop()
  })

  test('queue that was lost recovers: nothing is lost, nothing notified twice', async () => {
    const it = await connected()
    it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'one' })
    await pass(1_000)
    it.world.realm.controls.refuse(503)
    it.world.realm.controls.dropQueues()
    it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'two' })
    await pass(5_000)
    it.world.realm.controls.refuse(null)
    await pass(30_000)
    it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'three' })
    await pass(2_000)
    expect(it.desktop.notices.map(({ body }) => body)).toEqual(['one', 'two', 'three'])
    const info = realmOf(it).conversations.get(conversationKey(directWith(it, 'Ana')))!
    expect(info.unread.slice(-3).map((id) => messageOf(realmOf(it).messages, id)?.text)).toEqual([
      'one',
      'two',
      'three',
    ])
    await it.app.stop()
  })

  test('message that was deleted while the queue was lost disappears, even if nobody opened its conversation', async () => {
    const it = await connected()
    const { controls } = it.world.realm
    const kept = controls.say({ from: 'Ana', to: 'Ana', text: 'kept' })
    const gone = controls.say({ from: 'Ana', to: 'Ana', text: 'gone' })
    await pass(1_000)
    expect(messageOf(realmOf(it).messages, gone)?.text).toBe('gone')
    controls.refuse(503)
    controls.dropQueues()
    controls.remove(gone)
    await pass(5_000)
    controls.refuse(null)
    await pass(30_000)
    expect(messageOf(realmOf(it).messages, gone)).toBeUndefined()
    const info = realmOf(it).conversations.get(conversationKey(directWith(it, 'Ana')))!
    expect(info.lastMessageId).toBe(kept)
    expect(info.unread).not.toContain(gone)
    await it.app.stop()
  })

  test('text that the server refuses comes back with the server’s words', async () => {
    const it = await connected()
    it.world.realm.controls.refuse(400, 'sendMessage')
    await sendToAna(it, 'hello')
    await pass(1_000)
    expect(it.app.state.outbox).toMatchObject([{ state: 'rejected', text: 'hello' }])
    const { localId } = it.app.state.outbox[0]!
    await it.app.commands.discardMessage({ localId, keepText: true })
    expect([...it.app.state.drafts.values()]).toEqual(['hello'])
    await it.app.stop()
  })

  test('reply from a notification leaves the half-written text of the composer alone', async () => {
    const it = await connected()
    const place = { accountId: accountOf(it, 'chat').id, conversation: directWith(it, 'Ana') }
    await it.app.commands.saveDraft({ ...place, text: 'half a thought' })
    it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'there?' })
    await pass(1_000)
    await it.app.noticeReplied(it.desktop.notices[0]!, 'yes')
    await pass(1_000)
    expect(sentTexts(it, 'yes')).toHaveLength(1)
    expect([...it.app.state.drafts.values()]).toEqual(['half a thought'])
    await it.app.stop()
  })

  test('reply from a notification that the server refuses is reported, with its text', async () => {
    const it = await connected()
    it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'there?' })
    await pass(1_000)
    it.world.realm.controls.refuse(400, 'sendMessage')
    await it.app.noticeReplied(it.desktop.notices[0]!, 'not yet')
    await pass(1_000)
    expect(it.desktop.notices.at(-1)).toMatchObject({ title: 'Not sent to Ana Kovač' })
    const { body, subject } = it.desktop.notices.at(-1)!
    expect(body).toContain('not yet')
    it.world.realm.controls.refuse(null)
    await it.app.commands.resendMessage({ localId: it.app.state.outbox[0]!.localId })
    await pass(1_000)
    expect(it.desktop.withdrawn).toContain(subject)
    await it.app.stop()
  })

  test('text that is unsent follows its topic when that is resolved', async () => {
    const it = await connected()
    const { id: accountId } = accountOf(it, 'chat')
    const channelId = [...realmOf(it).channels.values()].find(({ name }) => name === 'ops')!.id
    const conversation = { kind: 'topic', channelId, topic: 'db-primary' } as const
    await it.app.commands.saveDraft({ accountId, conversation, text: 'half a thought' })
    it.world.realm.controls.moveTopic('ops > db-primary', 'ops > ✔ db-primary')
    await pass(1_000)
    expect([...it.app.state.drafts]).toEqual([
      [`${accountId}/topic/${channelId}/✔ db-primary`, 'half a thought'],
    ])
    await it.app.stop()
  })

  test('message resent twice in a row is sent once', async () => {
    const it = await connected()
    it.world.realm.controls.refuse(500, 'sendMessage')
    await sendToAna(it, 'double click')
    await pass(1_000)
    it.world.realm.controls.refuse(null)
    const { localId } = it.app.state.outbox[0]!
    const again = () => it.app.commands.resendMessage({ localId }).catch((error: unknown) => error)
    await Promise.all([again(), again()])
    await pass(1_000)
    await again()
    await pass(1_000)
    expect(sentTexts(it, 'double click')).toHaveLength(1)
    await it.app.stop()
  })

  test('message of unknown fate isn’t confirmed by an equal one sent just before', async () => {
    const it = await connected()
    await sendToAna(it, 'ok')
    await pass(1_000)
    it.world.realm.controls.refuse(500, 'sendMessage')
    await sendToAna(it, 'ok')
    await pass(30_000)
    expect(it.app.state.outbox).toMatchObject([{ state: 'unconfirmed', text: 'ok' }])
    await it.app.stop()
  })

  test('message of unknown fate is never resent automatically, not even after a restart', async () => {
    const it = await connected()
    it.world.realm.controls.refuse(500, 'sendMessage')
    await sendToAna(it, 'once')
    await pass(1_000)
    expect(it.app.state.outbox).toMatchObject([{ state: 'unconfirmed' }])
    it.world.realm.controls.refuse(null)
    const again = await it.restart()
    await pass(5 * minute)
    expect(sentTexts(again, 'once')).toHaveLength(0)
    expect(again.app.state.outbox).toMatchObject([{ state: 'unconfirmed', text: 'once' }])
    const { localId } = again.app.state.outbox[0]!
    await again.app.commands.resendMessage({ localId })
    await pass(1_000)
    expect(sentTexts(again, 'once')).toHaveLength(1)
    expect(again.app.state.outbox).toEqual([])
    await again.app.stop()
  })

  test('text stays in the composer if it can’t be saved to disk', async () => {
    const it = await connected()
    const { id: accountId } = accountOf(it, 'chat')
    const conversation = directWith(it, 'Ana')
    await it.app.commands.saveDraft({ accountId, conversation, text: 'precious' })
    it.disk.full = true
    await expect(sendToAna(it, 'precious')).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'disk' },
    })
    await pass(1_000)
    expect([...it.app.state.drafts.values()]).toEqual(['precious'])
    expect(sentTexts(it, 'precious')).toHaveLength(0)
    expect(
      it.desktop
        .window()
        .troubles.map(({ text }) => text)
        .join(),
    ).toContain('disk full')
    it.disk.full = false
    await sendToAna(it, 'precious')
    await pass(1_000)
    expect(sentTexts(it, 'precious')).toHaveLength(1)
    expect(it.desktop.window().troubles).toEqual([])
    await it.app.stop()
  })

  test('message is marked as read on the server, and the counts follow at once', async () => {
    const it = await connected()
    const { id: accountId } = accountOf(it, 'chat')
    const id = it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'read me' })
    await pass(1_000)
    await it.app.commands.markRead({ accountId, conversation: directWith(it, 'Ana') })
    await pass(100)
    expect(realmOf(it).conversations.get(conversationKey(directWith(it, 'Ana')))?.unread).toEqual(
      [],
    )
    expect(
      it.world.realm.controls
        .messages()
        .find((one) => one.id === id)
        ?.flags.has('read'),
    ).toBe(true)
    expect(it.desktop.withdrawn).toContain(`${accountId}/${conversationKey(directWith(it, 'Ana'))}`)
    await it.app.stop()
  })

  test('reaction that already exists counts as done', async () => {
    const it = await connected()
    const { id: accountId } = accountOf(it, 'chat')
    const messageId = it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'ok?' })
    await pass(1_000)
    const reaction = {
      accountId,
      messageId,
      name: 'eyes',
      code: '1f440',
      type: 'unicode_emoji',
      present: true,
    }
    await it.app.commands.setReaction(reaction)
    await it.app.commands.setReaction(reaction)
    await pass(1_000)
    expect(messageOf(realmOf(it).messages, messageId)?.reactions).toHaveLength(1)
    await it.app.stop()
  })

  test('queue is deleted when the app quits', async () => {
    const it = await connected()
    expect(it.world.realm.controls.queues().registered).toBe(1)
    await it.app.stop()
    expect(it.world.realm.controls.queues().registered).toBe(0)
  })
})

describe('a restart', () => {
  test('keeps accounts and unsent text, and neither repeats nor loses a notification', async () => {
    const it = await connected()
    const place = { accountId: accountOf(it, 'chat').id, conversation: directWith(it, 'Ana') }
    await it.app.commands.saveDraft({ ...place, text: 'unfinished' })
    it.world.ops.controls.goDown('cert-renew')
    it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'before' })
    it.world.ops.tick()
    await pass(35_000)
    expect(it.desktop.notices).toHaveLength(2)
    await it.app.stop()
    it.world.ops.controls.recover('cert-renew')
    it.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'while away' })
    const again = await it.restart()
    await pass(5_000)
    expect(again.app.state.accounts.map(({ key }) => key)).toEqual(['present', 'present'])
    expect([...again.app.state.drafts.values()]).toEqual(['unfinished'])
    expect(again.desktop.notices.map(({ title, body }) => `${title}: ${body}`).sort()).toEqual([
      expect.stringMatching(/^Ana.*: while away$/),
      expect.stringMatching(/^cert-renew is up again: /),
    ])
    await again.app.stop()
  })

  test('without secure storage asks for the keys again and says so', async () => {
    const it = await connected()
    await it.app.stop()
    const { ops } = it.world.newAccounts
    const again = await startApp({ world: it.world, disk: it.disk })
    await pass(1_000)
    expect(again.app.state.accounts.map(({ key }) => key)).toEqual(['missing', 'missing'])
    expect(shape(again)).toBe('key')
    await again.app.commands.replaceKey({
      accountId: accountOf(again, 'monitoring').id,
      key: ops.key,
    })
    await pass(1_000)
    expect(boardOf(again).checks.size).toBeGreaterThan(0)
    await again.app.stop()
  })
})

describe('the demo', () => {
  test('shows its world, stores none of it, and leaves no trace', async () => {
    const it = await startApp()
    await it.app.commands.exploreDemo({})
    await pass(3_000)
    expect(it.app.state.accounts.every(({ demo }) => demo)).toBe(true)
    expect(it.app.state.boards.size).toBe(2)
    expect(it.app.state.realms.size).toBe(1)
    const stored = [...it.disk.documents.values()].join('\n')
    expect(stored).not.toContain('demo-')
    await it.app.commands.leaveDemo({})
    expect(it.app.state.accounts).toEqual([])
    expect(it.app.state.boards.size + it.app.state.realms.size).toBe(0)
    await it.app.stop()
  })
})

describe('a key', () => {
  test('is in no patch, notification, document or error', async () => {
    const it = await startApp()
    const { ops, chat } = it.world.newAccounts
    const said: string[] = []
    const push = it.desktop.pushPatch
    Object.assign(it.desktop, {
      pushPatch: (patch: Parameters<typeof push>[0]) => {
        said.push(
          JSON.stringify(patch, (_key, value: unknown) =>
            value instanceof Map ? [...value] : value,
          ),
        )
        push(patch)
      },
    })
    await connected(it)
    it.world.realm.controls.revokeKey()
    it.world.ops.controls.refuse(401)
    await pass(5 * minute)
    const wrong = await it.app.commands
      .addAccount({ ...ops, key: `bad${ops.key}` })
      .catch((error: unknown) => error)
    said.push(JSON.stringify(wrong), String(wrong), (wrong as Error).stack ?? '')
    said.push(JSON.stringify(it.desktop.notices), ...it.disk.documents.values())
    for (const { key } of [ops, chat]) {
      expect(said.filter((text) => text.includes(key))).toEqual([])
      // Control: the search finds a planted key.
      expect([...said, `x${key}`].filter((text) => text.includes(key))).toHaveLength(1)
    }
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })
})
