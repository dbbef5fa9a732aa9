import { describe, expect, test } from 'vitest'
import { newEvents, sortedMessages } from '../../../../src/main/chat/event-batch.ts'
import { eventId, readEvent } from '../../../../src/shared/api/chat/read-events.ts'
import { readMessage } from '../../../../src/shared/api/chat/read-message.ts'
import { withEvents } from '../../../../src/shared/core/chat/chat-apply.ts'
import type { ChatEvent } from '../../../../src/shared/core/chat/chat-event.ts'
import { withFetchedHistory } from '../../../../src/shared/core/chat/chat-history.ts'
import {
  type Conversation,
  type ConversationKey,
  conversationKey,
} from '../../../../src/shared/core/chat/conversation.ts'
import type { Message } from '../../../../src/shared/core/chat/message.ts'
import { allMessages, messageOf } from '../../../../src/shared/core/chat/message-list.ts'
import type { Realm } from '../../../../src/shared/core/chat/realm.ts'
import { withConversation, withHistory } from '../../../../src/shared/core/chat/realm-update.ts'
import * as eg from '../../../support/eg.ts'
import { type Seeded, seeded } from '../../../support/seeded.ts'

/*
 * What may happen to a log that still gives the same realm:
 *   - batches split anywhere, events of a batch in any order, and any event again in a later batch
 *     (the event ids reveal all three);
 *   - messages committed in another order than that of their ids;
 *   - pages of history requested and arriving between any two batches, produced by the server at
 *     any moment in between: before or after events that were applied meanwhile;
 *   - flags, edits, reactions, moves and deletions of messages that are not loaded.
 * Excluded, since no server does it: an event with a lower id in a later batch than a higher one.
 */

const context = { me: eg.me.id, toText: (html: string) => html.replace(/<[^>]*>/g, '') }
const topics = ['db', 'web'] as const
const none: ReadonlySet<number> = new Set()

interface ServerMessage {
  readonly id: number
  topic: string
  content: string
  edited: number | null
  flags: string[]
  reactions: { emoji_name: string; emoji_code: string; reaction_type: string; user_id: number }[]
}

const withRead = (flags: readonly string[]) => [...flags.filter((name) => name !== 'read'), 'read']

/** A chat server with one channel: its messages, and a log of events (none about `older` ones). */
function createServer(random: Seeded, older: number) {
  const messages = new Map<number, ServerMessage>()
  const log: Record<string, unknown>[] = []
  const fresh = Array.from({ length: 40 }, (_, at) => 100 + at)
  const say = (event: Record<string, unknown>) => log.push({ id: log.length, ...event })
  const wire = (message: ServerMessage) => ({
    id: message.id,
    type: 'stream',
    stream_id: 10,
    display_recipient: 'ops',
    subject: message.topic,
    content: message.content,
    sender_id: eg.ana.id,
    sender_full_name: 'Ana',
    timestamp: 1_773_757_500 + message.id,
    ...(message.edited === null ? {} : { last_edit_timestamp: message.edited }),
    flags: [...message.flags],
    reactions: message.reactions.map((reaction) => ({ ...reaction })),
  })
  const some = (): ServerMessage | null => {
    const ids = [...messages.keys()]
    return messages.get(ids[random.whole(0, ids.length - 1)] ?? 0) ?? null
  }
  const arrive = () => {
    // Sometimes a lower id is committed after a higher one.
    const [id] = fresh.splice(random.whole(0, Math.min(2, fresh.length - 1)), 1)
    if (id === undefined) return
    const flags = random.chance(0.3) ? ['mentioned'] : []
    const message: ServerMessage = {
      id,
      topic: random.pick(topics),
      content: `<p>${id}</p>`,
      edited: null,
      flags,
      reactions: [],
    }
    messages.set(id, message)
    const { flags: _flags, ...bare } = wire(message)
    say({ type: 'message', message: bare, flags: [...flags] })
  }
  for (let id = 1; id <= older; id += 1)
    messages.set(id, {
      id,
      topic: random.pick(topics),
      content: `<p>${id}</p>`,
      edited: null,
      flags: ['read'],
      reactions: [],
    })
  const flag = (message: ServerMessage) => {
    const isRead = message.flags.includes('read')
    message.flags = isRead
      ? message.flags.filter((name) => name !== 'read')
      : withRead(message.flags)
    const details = {
      [message.id]: {
        type: 'stream',
        stream_id: 10,
        topic: message.topic,
        mentioned: message.flags.includes('mentioned'),
      },
    }
    say({
      type: 'update_message_flags',
      op: isRead ? 'remove' : 'add',
      flag: 'read',
      messages: [message.id],
      all: false,
      ...(isRead ? { message_details: details } : {}),
    })
  }
  const readAll = () => {
    // The id of a message committed late does not tell whether it came before or after this.
    if ([...messages.keys()].some((id) => id > (fresh[0] ?? 0))) return
    for (const message of messages.values()) message.flags = withRead(message.flags)
    say({ type: 'update_message_flags', op: 'add', flag: 'read', messages: [], all: true })
  }
  const edit = (message: ServerMessage) => {
    message.content = `<p>${message.id} again ${log.length}</p>`
    message.edited = 1_773_757_500 + log.length
    say({
      type: 'update_message',
      message_id: message.id,
      user_id: eg.ana.id,
      rendered_content: message.content,
      edit_timestamp: message.edited,
      flags: [...message.flags],
    })
  }
  const move = (message: ServerMessage) => {
    const from = message.topic
    message.topic = random.pick(topics)
    if (message.topic === from) return
    say({
      type: 'update_message',
      message_id: message.id,
      message_ids: [message.id],
      user_id: eg.ana.id,
      stream_id: 10,
      orig_subject: from,
      subject: message.topic,
      edit_timestamp: 1,
      flags: [...message.flags],
    })
  }
  const react = (message: ServerMessage) => {
    const reaction = {
      emoji_name: 'eyes',
      emoji_code: '1f440',
      reaction_type: 'unicode_emoji',
      user_id: random.whole(1, 3),
    }
    const others = message.reactions.filter(({ user_id }) => user_id !== reaction.user_id)
    const had = others.length < message.reactions.length
    message.reactions = had ? others : [...others, reaction]
    say({ type: 'reaction', op: had ? 'remove' : 'add', message_id: message.id, ...reaction })
  }
  const remove = (message: ServerMessage) => {
    messages.delete(message.id)
    say({ type: 'delete_message', message_id: message.id, message_ids: [message.id] })
  }
  return {
    log,
    /** A random change. */
    step() {
      const message = some()
      if (message === null || random.chance(0.35)) arrive()
      else if (random.chance(0.1)) readAll()
      else random.pick([flag, flag, edit, move, react, remove])(message)
    },
    page: (topic: string) =>
      [...messages.values()]
        .filter((message) => message.topic === topic)
        .map((message) => readMessage(wire(message), context))
        .filter((message) => message !== null),
    all: () => [...messages.values()].map((message) => readMessage(wire(message), context)),
  }
}

interface Flight {
  readonly conversation: Conversation
  answer: ReturnType<ReturnType<typeof createServer>['page']> | null
  readonly since: ChatEvent[]
}

/** A client that follows the server by batches and pages, in an order given by the seed. */
function follow(seed: number, bracket: boolean, older = 0) {
  const random = seeded(seed)
  const server = createServer(random.part('server'), older)
  let realm = eg.realm([])
  let lastEventId = -1
  let flights: Flight[] = []
  const untrue: string[] = []

  const poll = (upTo: number) => {
    const batch = server.log.slice(lastEventId + 1, upTo)
    const again = server.log.filter(() => random.chance(0.1)).slice(0, upTo)
    const shuffled = [...batch, ...again.filter(({ id }) => Number(id) < upTo)]
      .map((event) => [random.random(), event] as const)
      .sort(([one], [other]) => one - other)
      .map(([, event]) => event)
    const fresh = newEvents(shuffled, lastEventId, eventId)
    const events = sortedMessages(fresh.flatMap(({ event }) => readEvent(event, context)))
    realm = withEvents(realm, events)
    for (const flight of flights) flight.since.push(...events)
    lastEventId = fresh.at(-1)?.id ?? lastEventId
    if (lastEventId === server.log.length - 1) untrue.push(...topics.filter(isUntrue))
  }
  /** The history counts as complete although a message is missing, or one too many is there. */
  const isUntrue = (topic: string) => {
    const key = conversationKey({ kind: 'topic', channelId: 10, topic })
    const held = allMessages(realm.messages).filter((message) => message.key === key)
    const ids = (list: readonly { id: number }[]) => list.map(({ id }) => id).sort((a, b) => a - b)
    const isKnown = realm.conversations.get(key)?.history === 'recent'
    return isKnown && ids(held).join() !== ids(server.page(topic)).join()
  }
  const ask = () => {
    const conversation: Conversation = { kind: 'topic', channelId: 10, topic: random.pick(topics) }
    flights.push({ conversation, answer: null, since: [] })
  }
  const answer = () => {
    for (const flight of flights)
      if (flight.conversation.kind === 'topic' && random.chance(0.5))
        flight.answer ??= server.page(flight.conversation.topic)
  }
  const arrive = () => {
    const [ready] = flights.filter((flight) => flight.answer !== null)
    if (ready?.answer == null) return
    flights = flights.filter((flight) => flight !== ready)
    const page = { messages: ready.answer, newest: true, oldest: true, before: null, stale: none }
    realm = bracket
      ? withFetchedHistory(realm, ready.conversation, page, ready.since)
      : withHistory(realm, ready.conversation, page)
  }
  for (let at = 0; at < 120; at += 1) {
    server.step()
    if (random.chance(0.3)) poll(random.whole(lastEventId + 1, server.log.length))
    // Rarely with older messages, since a later page would fill in what an earlier one left out.
    if (random.chance(older === 0 ? 0.15 : 0.03)) ask()
    if (random.chance(0.3)) answer()
    if (random.chance(0.3)) arrive()
  }
  while (flights.length > 0) {
    answer()
    arrive()
    if (random.chance(0.5)) poll(random.whole(lastEventId + 1, server.log.length))
  }
  poll(server.log.length)
  return { realm, server, untrue }
}

/** The parts of a realm that must be the same whatever came in which order. */
function told(realm: Realm) {
  const unread = (key: ConversationKey) => realm.conversations.get(key)
  return {
    messages: allMessages(realm.messages)
      .map((message) => ({
        ...message,
        flags: [...message.flags].sort(),
        reactions: sorted(message),
      }))
      .sort((one, other) => one.id - other.id),
    conversations: topics.map((topic) => {
      const info = unread(conversationKey({ kind: 'topic', channelId: 10, topic }))
      return { unread: info?.unread ?? [], mentions: info?.mentions ?? [] }
    }),
  }
}

function sorted({ reactions }: { reactions: readonly { userId: number }[] }) {
  return [...reactions].sort((one, other) => one.userId - other.userId)
}

/** The same parts of a realm that was simply given the server's current messages. */
function truth({ server }: ReturnType<typeof follow>) {
  const messages = server.all().filter((message) => message !== null)
  return told(eg.realm(messages))
}

const seeds = Array.from({ length: 200 }, (_, at) => at + 1)

describe('a log of events', () => {
  test(`ends as on the server, however split, duplicated and overtaken (seeds 1 to ${seeds.length})`, () => {
    for (const seed of seeds) {
      const run = follow(seed, true)
      expect(told(run.realm), `seed ${seed}`).toEqual(truth(run))
    }
  }, 60_000)

  test('would end differently if pages were applied as they come (positive control)', () => {
    const wrong = seeds.slice(0, 60).filter((seed) => {
      const run = follow(seed, false)
      return JSON.stringify(told(run.realm)) !== JSON.stringify(truth(run))
    })
    expect(wrong.length).toBeGreaterThan(3)
  }, 60_000)

  test('never counts a history as complete that lacks messages moved there unnoticed', () => {
    const runs = seeds.map((seed) => follow(seed, true, 30))
    expect(runs.flatMap((run) => run.untrue)).toEqual([])
    const known = runs.flatMap(({ realm }) => [...realm.conversations.values()])
    expect(known.filter(({ history }) => history === 'recent').length).toBeGreaterThan(30)
    const careless = seeds.map((seed) => follow(seed, false, 30))
    expect(careless.flatMap((run) => run.untrue).length).toBeGreaterThan(3)
  }, 60_000)

  test('notifies each message once, whatever the batches', () => {
    for (const seed of seeds.slice(0, 50)) {
      const { realm, server } = follow(seed, true)
      const arrived = server.log
        .flatMap((event) => readEvent(event, context))
        .flatMap((event) => (event.type === 'message' ? [event.message.id] : []))
      expect(realm.notified?.ids, `seed ${seed}`).toEqual([...arrived].sort((a, b) => a - b))
    }
  })
})

const page = { messages: [] as Message[], newest: true, oldest: true, before: null, stale: none }
const stale = (...messages: readonly Message[]) => new Set(messages.map(({ id }) => id))

describe('a page of history', () => {
  test('applies deletions and edits that no event reported', () => {
    const [gone, edited, live] = [eg.message({ text: 'gone' }), eg.message(), eg.message()]
    const realm = withFetchedHistory(
      eg.realm([gone, edited, live]),
      eg.topic,
      { ...page, messages: [{ ...edited, text: 'new' }], stale: stale(gone, edited) },
      [],
    )
    expect(
      allMessages(realm.messages)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([edited.id, live.id])
    expect(messageOf(realm.messages, edited.id)?.text).toBe('new')
    expect(realm.conversations.get(edited.key)?.unread).toEqual([edited.id, live.id])
  })

  test('leaves alone whatever lies outside it', () => {
    const [older, inside, other] = [
      eg.message(),
      eg.message(),
      eg.message({ conversation: eg.direct }),
    ]
    const from = { ...page, oldest: false, stale: stale(older, inside, other) }
    const realm = withFetchedHistory(
      eg.realm([older, inside, other]),
      eg.topic,
      { ...from, messages: [inside] },
      [],
    )
    expect(
      allMessages(realm.messages)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([older.id, inside.id, other.id])
    expect(withFetchedHistory(realm, eg.topic, from, []).messages.size).toBe(3)
  })

  const idsOf = ({ messages }: Realm) =>
    allMessages(messages)
      .map(({ id }) => id)
      .sort((a, b) => a - b)

  test('leaves no gap: what may not connect to it is fetched again', () => {
    const [unread, older, inside, other] = [
      eg.message({ flags: [] }),
      eg.message(),
      eg.message(),
      eg.message({ conversation: eg.direct }),
    ]
    const newest = { ...page, oldest: false, messages: [inside], stale: stale(older, other) }
    const held = withConversation(eg.realm([unread, older, inside, other]), eg.topic, {
      complete: true,
    })
    const realm = withFetchedHistory(held, eg.topic, newest, [])
    expect(idsOf(realm)).toEqual([inside.id, other.id])
    const info = realm.conversations.get(inside.key)
    expect(info).toMatchObject({ history: 'recent', complete: false })
    expect(info?.unread).toContain(unread.id)
    // The control: one that was held before is in it, or nothing was missed.
    const connected = { ...newest, stale: stale(older, inside) }
    expect(withFetchedHistory(held, eg.topic, connected, []).messages.size).toBe(4)
    expect(withFetchedHistory(held, eg.topic, { ...newest, stale: none }, []).messages.size).toBe(4)
  })

  test('is of no use where the message that it continues was dropped meanwhile', () => {
    const [older, dropped, newer] = [eg.message(), eg.message(), eg.message()]
    const before = { ...page, messages: [older], newest: false, before: dropped.id }
    expect(idsOf(withFetchedHistory(eg.realm([newer]), eg.topic, before, []))).toEqual([newer.id])
    const deleted = [{ type: 'deleted', messageIds: [dropped.id] }] as const
    expect(idsOf(withFetchedHistory(eg.realm([newer]), eg.topic, before, deleted))).toEqual([
      older.id,
      newer.id,
    ])
  })

  const some = (from: number, count: number, conversation: Conversation = eg.topic) =>
    Array.from({ length: count }, (_, at) => eg.message({ id: from + at, conversation }))

  test('takes the place of other conversations in a full realm', () => {
    const held = eg.realm([...some(4_901, 100), ...some(2_001, 2_900, eg.direct)])
    const older = { ...page, messages: some(1_901, 100), newest: false, before: 4_901 }
    const realm = withFetchedHistory(held, eg.topic, older, [])
    const own = allMessages(realm.messages).filter(({ key }) => key === conversationKey(eg.topic))
    expect([own.length, realm.messages.size]).toEqual([200, 3_000])
  })

  test('leaves no gap where a realm has no room for it', () => {
    // As somebody scrolls back: the newer ones were there first, and go first.
    const held = eg.realm([...some(4_901, 100), ...some(2_001, 2_900)])
    const older = { ...page, messages: some(1_901, 100), newest: false, before: 2_001 }
    const realm = withFetchedHistory(held, eg.topic, older, [])
    const info = realm.conversations.get(conversationKey(eg.topic))
    expect([idsOf(realm), info?.history, info?.complete]).toEqual([[], 'none', false])
  })

  test('with older messages changes nothing about newer ones', () => {
    const [older, newer] = [eg.message(), eg.message()]
    const before = { ...page, messages: [older], newest: false, before: newer.id }
    const realm = withFetchedHistory(
      eg.realm([newer]),
      eg.topic,
      { ...before, stale: stale(newer) },
      [],
    )
    expect(
      allMessages(realm.messages)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([older.id, newer.id])
  })
})

describe('a message marked unread elsewhere', () => {
  test('counts even if the server does not say where it is, as older servers do not', () => {
    const message = eg.message({ flags: ['read', 'mentioned'] })
    const realm = withEvents(eg.realm([message]), [
      {
        type: 'flag',
        present: false,
        flag: 'read',
        messageIds: [message.id],
        all: false,
        unread: [],
      },
    ])
    expect(realm.conversations.get(message.key)).toMatchObject({
      unread: [message.id],
      mentions: [message.id],
    })
  })
})
