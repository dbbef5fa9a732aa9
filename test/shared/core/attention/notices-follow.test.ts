import { describe, expect, test } from 'vitest'
import type { MessageEvent } from '../../../../src/shared/core/attention/event.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import {
  digestNotice,
  everythingNotice,
  noticeOf,
} from '../../../../src/shared/core/attention/notices.ts'
import {
  fallen,
  isAllDeleted,
  missedChanges,
  noticedMessages,
  noticesChanged,
  withCorrected,
  withNoticesFollowing,
  withWaitsFollowing,
} from '../../../../src/shared/core/attention/notices-follow.ts'
import { dueReminders } from '../../../../src/shared/core/attention/remind-me/due-reminders.ts'
import type { ChatEvent } from '../../../../src/shared/core/chat/chat-event.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  newsOf,
  running,
  start,
} from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'

const message = eg.message({ id: 7, text: 'disk is full', editedAt: 5 })
const realms = new Map([[eg.chatId, eg.realm([message])]])

const [reminder] = dueReminders(
  eg.state({
    accounts: [eg.chatAccount()],
    realms,
    reminders: [
      {
        ...{ id: 'r', accountId: eg.chatId, conversation: eg.direct, messageId: 7 },
        ...{ label: 'Ana', at: eg.now },
      },
    ],
  }),
  eg.now,
)
if (reminder === undefined) throw new Error('no reminder')

const pending = { event: reminder, sound: true, wasDown: false, changes: 1 }
const head = { id: 'd', subject: 'd', title: 'While it was quiet', sound: true }

const edited: ChatEvent = {
  type: 'edited',
  messageId: 7,
  html: '<p>new</p>',
  text: 'new',
  editedAt: 6,
  flags: null,
  isAction: null,
}

describe.each([
  ['of its own', noticeOf(reminder, true)],
  ['in a digest', digestNotice([pending, { ...pending, event: checkEvent() }], head, eg.now, {})],
])('a reminder %s keeps its words', (_where, notice) => {
  const state = eg.state({ accounts: [eg.chatAccount()], realms, notices: [notice] })

  test.each<[string, ChatEvent]>([
    ['edited', edited],
    ['deleted', { type: 'deleted', messageIds: [7] }],
  ])('when its message is %s', (_how, event) => {
    expect(withNoticesFollowing(state, state, eg.chatId, [event])).toBe(state)
  })

  test('at a connection, whatever was done to its message before', () => {
    const noticed = noticedMessages(state, eg.chatId)
    expect(missedChanges(noticed, new Map([[7, message]]), new Map())).toEqual([])
    expect(missedChanges(noticed, new Map(), new Map())).toEqual([])
  })
})

const said = (messageId: number, body: string, more: Partial<MessageEvent> = {}) =>
  messageEvent({ messageId, body, text: body, title: `Ana ${messageId}`, ...more })

/** As it is shown and listed where these came together. */
function together(...events: readonly MessageEvent[]): Notice {
  const engine = running()
  engine.at(start, events)
  const [notice] = engine.popUps
  if (notice === undefined) throw new Error('no notice')
  return notice
}

const three = together(said(7, 'old 7'), said(8, 'old 8'), said(9, 'old 9'))
const hidden = together(said(7, ''), said(9, ''))
const several = together(
  ...[6, 7, 8, 9].map((id) => said(id, `old ${id}`, { key: `topic/5/${id}` })),
)
const all = [said(7, 'old 7'), said(9, 'old 9')]
const everything = {
  ...everythingNotice(all, false),
  lines: all.map(({ title, at, target }) => ({ text: title, at, target })),
}
const pendings = [said(7, ''), said(9, '')].map((event) => ({ ...pending, event }))
const digest = digestNotice(pendings, head, start, {})
const gone = 'This message was deleted.'

describe.each([
  ['loaded', [7, 8, 9].map((id) => eg.message({ id, text: `old ${id}` }))],
  ['not loaded since the start', []],
])('where its messages are %s, a notice', (which, loaded) => {
  const before = new Map([[eg.chatId, eg.realm(loaded)]])
  const changed = (notice: Notice, how: 'edited' | 'deleted', id: number) => {
    const event: ChatEvent =
      how === 'edited' ? { ...edited, messageId: id } : { type: 'deleted', messageIds: [id] }
    const state = eg.state({ realms: before, notices: [notice] })
    const after = { ...state, realms: new Map() }
    return withNoticesFollowing(state, after, eg.chatId, [event]).notices[0]!
  }

  test.each<['edited' | 'deleted', number, string, Notice, string, string]>([
    ['edited', 7, 'one', together(said(7, 'old 7')), 'new', ''],
    ['deleted', 7, 'one', together(said(7, 'old 7')), gone, ''],
    ['edited', 7, 'one whose text is hidden', together(said(7, '')), '', ''],
    ['edited', 9, 'three', three, '3 messages · new', 'Ana 7, Ana 8, Ana 9'],
    ['edited', 7, 'three', three, '3 messages · old 9', 'Ana 7, Ana 8, Ana 9'],
    ['deleted', 9, 'three', three, `3 messages · ${gone}`, `Ana 7, Ana 8, ${gone}`],
    ['deleted', 7, 'three', three, '3 messages · old 9', `${gone}, Ana 8, Ana 9`],
    ['edited', 9, 'two whose text is hidden', hidden, '2 messages', 'Ana 7, Ana 9'],
    ['deleted', 9, 'a digest', digest, '2 messages', 'Ana 9 · 2 messages'],
    ['edited', 9, 'four conversations', several, 'from Ana', 'Ana 6, Ana 7, Ana 8, Ana 9'],
  ])('follows what is %s (%i) of %s', (how, id, _what, notice, body, lines) => {
    const after = changed(notice, how, id)
    expect(after.body).toBe(body)
    expect(after.lines.map(({ text }) => text).join(', ')).toBe(lines)
  })

  test('of everything at once says who wrote what, with the new text', () => {
    const others = which === 'loaded' ? ' · Ana 9: old 9' : ''
    expect(changed(everything, 'edited', 7).body).toBe(`Ana 7: new${others}`)
    expect(changed(everything, 'deleted', 9).body).toBe(`Ana 7: old 7 · Ana 9: ${gone}`)
  })

  test.each([
    ['of another message', three, 5],
    ['of another account', { ...together(said(7, 'old 7')), target: ofOther(7) }, 7],
    ['of a check', noticeOf(checkEvent(), false), 7],
  ])('%s stays as it was', (_what, notice, id) => {
    expect(changed(notice, 'edited', id)).toBe(notice)
    expect(changed(notice, 'deleted', id)).toBe(notice)
  })
})

function ofOther(messageId: number) {
  return { view: 'conversation', accountId: 'other', conversation: eg.topic, messageId } as const
}

test('a notice of several messages is gone once all of them are deleted', () => {
  const deleted = (...messageIds: readonly number[]) => {
    const state = eg.state({ realms, notices: [three] })
    return withNoticesFollowing(state, state, eg.chatId, [{ type: 'deleted', messageIds }])
      .notices[0]!
  }
  expect(isAllDeleted(deleted(7, 9))).toBe(false)
  expect(isAllDeleted(deleted(7, 8, 9))).toBe(true)
  expect(isAllDeleted(together(said(7, 'old 7')))).toBe(false)
})

describe('a connection after a gap', () => {
  const notices = [
    three,
    together(said(7, 'old 7')),
    noticeOf(checkEvent(), false),
    { ...noticeOf(said(1, ''), false), target: ofOther(1) },
    {
      ...noticeOf(said(2, ''), false),
      target: { ...ofOther(2), accountId: eg.chatId, messageId: null },
    },
  ]
  const noticed = noticedMessages({ notices }, eg.chatId)

  test('looks for the messages that notices of its account are about, each once', () => {
    expect(noticed.map(({ id }) => id)).toEqual([7, 8, 9])
  })

  test.each([
    ['unedited', eg.message({ id: 7, text: 'old 7' }), []],
    ['edited', eg.message({ id: 7, text: 'new', editedAt: 5 }), ['new']],
    ['shortened', eg.message({ id: 7, text: 'old', editedAt: 5 }), ['old']],
    ['an action', eg.message({ id: 7, text: 'waves', isAction: true, editedAt: 5 }), ['Ana waves']],
  ])('follows a message that is %s', (_how, now, texts) => {
    const one = noticedMessages({ notices: [together(said(7, 'old 7'))] }, eg.chatId)
    const changes = missedChanges(one, new Map([[7, now]]), new Map())
    expect(changes.map((one) => one.type === 'edited' && one.text)).toEqual(texts)
  })

  test.each([
    ['direct', true, eg.direct],
    ['readable', true, { ...eg.topic, channelId: 10 }],
    ['unsubscribed', false, { ...eg.topic, channelId: 11 }],
  ] as const)(
    'says of a %s message that is not there that it was deleted: %s',
    (_which, is, conversation) => {
      const changes = missedChanges([{ id: 7, conversation }], new Map(), new Map([[10, {}]]))
      expect(changes).toEqual(is ? [{ type: 'deleted', messageIds: [7] }] : [])
    },
  )
})

describe('what is on the screen is replaced', () => {
  const old = together(said(7, 'old'))
  const newer = { ...together(said(8, 'newer')), subject: old.subject }
  const follow = (...notices: readonly Notice[]) => {
    const state = eg.state({ realms: new Map(), notices })
    const after = withNoticesFollowing(state, state, eg.chatId, [edited])
    return noticesChanged(state, after).map(({ body }) => body)
  }

  test('if its message was edited, and nothing newer took its place', () => {
    expect(follow(old)).toEqual(['new'])
    expect(follow(newer, old)).toEqual([])
    expect(follow({ ...newer, outcome: 'tray' }, old)).toEqual(['new'])
    expect(follow({ ...old, outcome: 'tray' })).toEqual([])
    expect(follow(three)).toEqual([])
    expect(noticesChanged({ notices: [] }, { notices: [old] })).toEqual([])
    const others = { ...three, lines: three.lines.slice(1) }
    expect(noticesChanged({ notices: [three] }, { notices: [others] })).toEqual([others])
  })
})

test('What waits says what its message says now, and waits no longer once that is deleted', () => {
  const quiet = { ...calm, systemQuiet: true }
  const engine = running(quiet)
  const bot = { isBot: true, news: newsOf('db') }
  engine.at(start, [said(7, 'old 7', bot), said(8, 'old 8', bot), checkEvent({ checkId: 'web' })])
  const memory = engine.memory()
  const before = eg.state({ realms: new Map(), notices: engine.listed })
  const events: ChatEvent[] = [edited, { type: 'deleted', messageIds: [8] }]
  const after = withNoticesFollowing(before, before, eg.chatId, events)
  const now = withWaitsFollowing(memory, before, after)
  const bodies = [...now.waits.values()].map(({ event }) => event.body)
  expect(bodies).toEqual(['new', ''])
  expect(now.recentMessages.map(({ body, text }) => [body, text])).toEqual([['new', 'new']])
  expect(withWaitsFollowing(now, after, { notices: [...after.notices] })).toBe(now)
})

describe('what the flips tell of an outage', () => {
  const notice = eg.notice({ subject: 's', body: 'old' })
  const digest = { ...notice, lines: three.lines }
  test.each<[string, readonly Notice[], readonly string[]]>([
    ['the last notice of it', [notice, notice], ['new', 'old']],
    ['the last that was shown', [{ ...notice, outcome: 'tray' }, notice], ['old', 'new']],
    ['no notice of several', [digest, notice], ['old', 'old']],
    ['none that says otherwise by now', [{ ...notice, kind: 'recovered' }, notice], ['old', 'old']],
    ['none of another check', [eg.notice({ body: 'old' })], ['old']],
  ])('corrects %s', (_which, notices, bodies) => {
    const { notices: after } = withCorrected({ notices }, [{ ...notice, body: 'new' }])
    expect(after.map(({ body }) => body)).toEqual(bodies)
  })
})

test('What goes down is no longer up, unless it was down or a reminder says so', () => {
  const again = { from: 'down', checkId: 'again' } as const
  const still = { isReminder: true, checkId: 'still' } as const
  const events = [checkEvent(), checkEvent(again), checkEvent(still), messageEvent()]
  const past = (['recovered', 'late', 'missed'] as const).map((kind) =>
    checkEvent({ kind, checkId: kind }),
  )
  expect(fallen([...events, ...past])).toEqual(['ops/check/db'])
})
