import { describe, expect, test } from 'vitest'
import { readEvent } from '../../../src/shared/api/chat/read-events.ts'
import { readSnapshot, registerParams } from '../../../src/shared/api/chat/read-snapshot.ts'
import { atOnce } from '../../../src/shared/core/steps.ts'
import { createClient, type Fields, type WireEvent } from '../../support/realm-client.ts'

/** A realm with a registered queue, and a poll that acknowledges what it received. */
async function registered(fields: Fields = registerParams, options = {}) {
  const client = createClient(options)
  const { body } = await client.ask('POST /register', fields)
  const { queue_id } = body
  let last = body.last_event_id
  const poll = (more: Fields = {}, signal?: AbortSignal) =>
    client.ask('GET /events', { queue_id, last_event_id: last, ...more }, signal ? { signal } : {})
  const next = async (): Promise<readonly WireEvent[]> => {
    const reply = await poll({ dont_block: true })
    const { events } = reply.body
    last = events.at(-1)?.id ?? last
    return events
  }
  return { ...client, queue_id, poll, next, snapshot: body }
}

const context = { me: 11, toText: (html: string) => html }

describe('a registration', () => {
  test('returns what our reader needs', async () => {
    const { snapshot } = await registered()
    const realm = atOnce(readSnapshot(snapshot))
    expect(realm.me).toEqual({ id: 11, name: 'Dana Lind' })
    expect([...realm.channels.values()].map(({ name }) => name)).toEqual([
      'ops',
      'general',
      'deploys',
    ])
    expect([...realm.topicPolicies]).toEqual([
      ['topic/2/lunch', 'muted'],
      ['topic/1/db-primary', 'followed'],
    ])
    expect(realm.unread).toHaveLength(8)
    expect(realm.unread.filter(({ mentioned }) => mentioned)).toHaveLength(1)
    expect(realm.recentDirect.map(({ conversation }) => conversation)).toEqual([
      { kind: 'direct', userIds: [12] },
      { kind: 'direct', userIds: [12, 13] },
      { kind: 'direct', userIds: [13] },
    ])
    expect(snapshot['ignored_parameters_unsupported']).toEqual(['client_ext_avatar'])
  })
})

describe('an event queue', () => {
  test('waits for events', async () => {
    const { poll, controls } = await registered()
    const waiting = poll()
    expect(controls.queues()).toEqual({ registered: 1, waiting: 1 })
    controls.say({ from: 'Ana', to: 'Ana', text: 'hi' })
    expect((await waiting).body.events).toMatchObject([{ id: 0, type: 'message', flags: [] }])
  })

  test('ends a poll when a second one comes', async () => {
    const { poll, controls } = await registered()
    const first = poll()
    const second = poll()
    expect((await first).body.events).toEqual([])
    controls.say({ from: 'Ana', to: 'Ana', text: 'hi' })
    expect((await second).body.events).toHaveLength(1)
  })

  test('sends a heartbeat after 45 to 55 s of waiting, with an id of its own', async () => {
    const { poll, clock } = await registered()
    const waiting = poll()
    clock.advance(44_999)
    expect(clock.pending()).toBe(1)
    clock.advance(10_001)
    expect((await waiting).body.events).toEqual([{ type: 'heartbeat', id: 0 }])
  })

  test('drops a poll whose client went away', async () => {
    const { poll, controls, clock } = await registered()
    const abort = new AbortController()
    const waiting = poll({}, abort.signal)
    abort.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    expect([controls.queues().waiting, clock.pending()]).toEqual([0, 0])
  })

  test('is forgotten after ten idle minutes', async () => {
    const { poll, clock, realm, controls } = await registered()
    clock.advance(600_000)
    expect((await poll({ dont_block: true })).status).toBe(200)
    clock.advance(600_001)
    realm.tick()
    expect(controls.queues().registered).toBe(0)
    expect((await poll()).body.code).toBe('BAD_EVENT_QUEUE_ID')
  })

  test('is never idle while a poll waits', async () => {
    const { poll, clock, realm, controls } = await registered(registerParams, {
      setTimer: () => () => undefined,
    })
    const waiting = poll()
    clock.advance(1_200_000)
    realm.tick()
    controls.say({ from: 'Ana', to: 'Ana', text: 'hi' })
    expect((await waiting).body.events).toHaveLength(1)
  })

  test('is lost when the server crashes', async () => {
    const { poll, controls, queue_id } = await registered()
    const waiting = poll()
    controls.dropQueues()
    expect((await waiting).body).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID', queue_id })
  })
})

describe('an event in the realm', () => {
  test('is not sent for a channel that the user does not follow', async () => {
    const { ask, next, controls } = await registered()
    controls.say({ from: 'Ana', to: 'design > logo', text: 'a bell?' })
    const message = { type: 'stream', to: 4, topic: 'logo', content: 'yes' }
    expect((await ask('POST /messages', message)).status).toBe(200)
    expect(await next()).toEqual([])
  })

  test('can be read by our reader', async () => {
    const { next, controls, ask } = await registered()
    const id = controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'wait', mention: true })
    controls.edit(id, 'never mind')
    controls.preview(id, '<p>never mind</p><div class="message_embed"></div>')
    controls.moveTopic('ops > disk space', 'general > disks')
    controls.react({ from: 'Boris', messageId: id, name: 'eyes' })
    controls.readElsewhere([id])
    controls.unreadElsewhere([id])
    controls.readElsewhere('all')
    controls.remove(id)
    controls.setTopicPolicy('general > lunch', 0)
    controls.muteChannel('general', true)
    controls.renameChannel('general', 'commons')
    controls.subscribe('design', true)
    controls.subscribe('deploys', false)
    controls.muteUsers('Chidi')
    controls.rename('Boris', 'Boris B.')
    controls.set('enable_sounds', false)
    controls.typing('Ana', 'Ana')
    controls.restart(430)
    await ask('PATCH /settings', { wildcard_mentions_notify: false })
    const events = (await next()).flatMap((event) => readEvent(event, context))
    expect(events).toMatchObject([
      { type: 'message', message: { id, flags: ['mentioned'] } },
      { type: 'edited', messageId: id, html: '<p>never mind</p>', flags: [] },
      { type: 'edited', editedAt: null },
      { type: 'moved', toChannelId: 2, toTopic: 'disks' },
      { type: 'reaction', present: true, reaction: { code: '1f440', userId: 13 } },
      { type: 'flag', present: true, messageIds: [id] },
      { type: 'flag', present: false, unread: [{ messageId: id }] },
      { type: 'flag', present: true, all: true },
      { type: 'deleted', messageIds: [id] },
      { type: 'topicPolicy', key: 'topic/2/lunch', policy: null },
      { type: 'channelChanged', channelId: 2, change: { muted: true } },
      { type: 'channelChanged', channelId: 2, change: { name: 'commons' } },
      { type: 'channels', channels: [{ name: 'design' }] },
      { type: 'channelsGone', channelIds: [3], deleted: false },
      { type: 'mutedUsers', userIds: [14] },
      { type: 'userChanged', userId: 13, change: { name: 'Boris B.' } },
      { type: 'settings', change: { sounds: false } },
      { type: 'typing', key: 'direct/12', userId: 12 },
      { type: 'restarted', featureLevel: 430 },
      { type: 'settings', change: { wildcardMentionsNotify: false } },
    ])
  })

  test('is an answer after a few seconds if the people are lively', async () => {
    const { ask, next, clock, realm } = await registered(registerParams, { lively: true })
    await ask('POST /messages', { type: 'direct', to: [12], content: 'hi' })
    await next()
    clock.advance(4_000)
    realm.tick()
    expect(await next()).toMatchObject([{ type: 'message', message: { sender_id: 12 } }])
  })
})
