import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { anyRule } from '../../src/shared/core/attention/rules.ts'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { draftKey } from '../../src/shared/core/chat/drafts.ts'
import { floorLevel } from '../../src/shared/core/chat/server-level.ts'
import { startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const long = 'x'.repeat(61)

const names: readonly (readonly [typed: string, server: string])[] = [
  ['', ''],
  ['general chat', ''],
  ['(no topic)', ''],
  [' general chat\t', ''],
  // Only exactly so.
  ['General Chat', 'General Chat'],
  ['db  backup ', 'db  backup'],
  ['\u0085\u2003db\u2029', 'db'],
  // White space to Python only.
  ['\u001cdb\u001f', 'db'],
  ['\u001e(no topic)\u2009', ''],
  ['\u2003\u3000', ''],
  ['(No topic)', '(No topic)'],
  ['✔ general chat', '✔ general chat'],
  ['general\u00a0chat', 'general\u00a0chat'],
  ['db\u200b', 'db\u200b'],
  ['I\u0307zmir', 'I\u0307zmir'],
  ['a/b.c%20(d)>*e*', 'a/b.c%20(d)>*e*'],
  // No white space to the server, unlike to JavaScript.
  ['\ufeffdb', '\ufeffdb'],
  [long, `${'x'.repeat(57)}...`],
  [`  ${'x'.repeat(60)}  `, 'x'.repeat(60)],
  [`${'x'.repeat(55)}      y`, `${'x'.repeat(55)}  ...`],
  ['🎉'.repeat(60), '🎉'.repeat(60)],
  ['🎉'.repeat(61), `${'🎉'.repeat(57)}...`],
]

describe.each([
  ['the oldest', floorLevel],
  ['the newest', undefined],
])('on %s server', (_which, featureLevel) => {
  async function connected(disk = fakeDisk()) {
    const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel })
    const it = await startApp({ world, disk })
    const added = it.app.commands.addAccount(world.newAccounts.chat)
    await pass(3_000)
    const { accountId } = await added
    const at = (topic: string) => ({
      accountId,
      conversation: { kind: 'topic', channelId: 1, topic } as const,
    })
    return { ...it, accountId, at, realm: () => it.app.state.realms.get(accountId)! }
  }

  test.each(names)('%j is the topic %j to everything', async (typed, name) => {
    const it = await connected()
    const { commands } = it.app
    await commands.saveDraft({ ...it.at(typed), text: 'half a thought' })
    expect([...it.app.state.drafts.keys()]).toEqual([
      draftKey(it.accountId, it.at(name).conversation),
    ])
    await commands.saveDraft({ ...it.at(typed), text: '' })
    await commands.sendMessage({ ...it.at(typed), text: 'hello there' })
    await pass(5_000)
    expect(it.app.state.outbox).toEqual([])
    const sent = it.world.realm.controls.messages().find(({ content }) => content === 'hello there')
    expect(sent?.place).toMatchObject({ channelId: 1, topic: name })
    await commands.loadConversation({ ...it.at(typed), older: false })
    const key = conversationKey(it.at(name).conversation)
    expect(
      [...it.realm().conversations.keys()].filter((one) => one.startsWith('topic/1/')),
    ).toEqual(expect.arrayContaining([key]))
    expect(it.realm().conversations.get(key)?.history).toBe('recent')
    const when = { at: Date.now() + 3_600_000, text: 'later' }
    await commands.scheduleMessage({ ...it.at(typed), ...when })
    await pass(5_000)
    expect(it.realm().later.scheduled).toMatchObject(
      [it.at(name).conversation].map((conversation) => ({ conversation })),
    )
    expect(it.app.state.scheduling).toEqual([])
    await it.app.stop()
  })

  test.each(['rejected', 'unconfirmed'])(
    'what was stored by another name of a topic is found by the server’s (%s)',
    async (state) => {
      const before = await connected()
      const { accountId, disk, world, vault, app } = before
      const real = before.at('')
      world.realm.controls.refuse(400, 'sendMessage')
      await app.commands.sendMessage({ ...real, text: 'refused' })
      await app.commands.saveDraft({ ...real, text: 'half a thought' })
      const scope = {
        of: 'conversation',
        accountId,
        key: conversationKey(real.conversation),
      } as const
      await app.commands.silence({
        how: 'snooze',
        scope,
        until: { kind: 'time', at: Date.now() + 3_600_000 },
      })
      await pass(5_000)
      await app.stop()
      // As an earlier version wrote them.
      for (const [name, value] of disk.documents) {
        const old = value
          .replaceAll('topic/1/"', 'topic/1/general chat"')
          .replaceAll('"topic":""', '"topic":"(no topic)"')
          .replaceAll('"state":"rejected"', `"state":"${state}"`)
        if (name !== 'accounts') disk.documents.set(name, old)
      }
      expect([...disk.documents.values()].join()).toContain('/general chat')
      const after = await startApp({ disk, world, vault })
      await pass(5_000)
      const { drafts, outbox, silences } = after.app.state
      expect([...drafts]).toEqual([[draftKey(accountId, real.conversation), 'half a thought']])
      expect(outbox).toMatchObject([{ ...real, text: 'refused', state }])
      expect(silences).toMatchObject([{ scope: { key: conversationKey(real.conversation) } }])
      await after.app.stop()
    },
  )

  test('a topic whose name differs in case only from the empty one’s keeps its mute', async () => {
    const before = await connected()
    const { conversation } = before.at('General Chat')
    const key = conversationKey(conversation)
    const { say } = before.world.realm.controls
    say({ from: 'Ana', to: 'ops > General Chat', text: 'once' })
    await pass(1_000)
    await before.app.commands.silence({
      how: 'snooze',
      scope: { of: 'conversation', accountId: before.accountId, key },
      until: { kind: 'time', at: Date.now() + 3_600_000 },
    })
    await before.app.commands.markRead({ accountId: before.accountId, conversation })
    // More than is fetched at the next start: the topic is known by its key only.
    for (let at = 0; at < 210; at += 1) say({ from: 'Ana', to: 'ops > other', text: `${at}` })
    await pass(1_000)
    await before.app.stop()
    const after = await startApp(before)
    await pass(5_000)
    const realm = after.app.state.realms.get(before.accountId)!
    expect(realm.conversations.has(key)).toBe(false)
    expect(after.app.state.silences).toMatchObject([{ scope: { key } }])
    await after.app.stop()
  })

  test('a rule about “(no topic)” is about the empty topic', async () => {
    const it = await connected()
    const { attention } = it.app.state.settings
    const rule = { ...anyRule, id: 'rule', topic: '(no topic)\u001f', way: 'nothing' } as const
    await it.app.commands.updateSettings({ attention: { ...attention, rules: [rule] } })
    const { say } = it.world.realm.controls
    say({ from: 'Ana', to: it.at('').conversation, text: 'quiet' })
    say({ from: 'Ana', to: 'ops > other', text: 'heard' })
    await pass(5_000)
    expect(it.desktop.notices.map(({ body }) => body)).toEqual(['heard'])
    await it.app.stop()
  })
})
