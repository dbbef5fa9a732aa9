import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import type { Message } from '#shared/core/chat/message.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import { type ConversationInfo, type Realm, usualChatSettings } from '#shared/core/chat/realm.ts'
import { emptyConversation } from '#shared/core/chat/realm-update.ts'
import { defaultSettings } from '#shared/core/settings.ts'
import { ChatList } from '../../../src/renderer/chat/chat-list.tsx'
import { ConversationPane } from '../../../src/renderer/chat/conversation-pane.tsx'
import { messageActions } from '../../../src/renderer/chat/message-actions.tsx'
import { closePalette, palette } from '../../../src/renderer/palette-shown.ts'
import { shownToast } from '../../../src/renderer/toast.ts'
import { appState, goBack, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, mount, withBridge, withState } from '../mount.ts'

const there = { accountId: eg.chatId, conversation: eg.topic }
const firstId = 5_000

function many(count: number, change: Partial<Message> = {}): readonly Message[] {
  return Array.from({ length: count }, (_, at) =>
    eg.message({
      id: firstId + at,
      text: `message ${at}`,
      sentAt: eg.now - (count - at) * eg.minute,
      flags: ['read'],
      ...change,
    }),
  )
}

interface Opening {
  readonly messages?: readonly Message[]
  readonly info?: Partial<ConversationInfo>
  readonly realm?: Partial<Realm>
  readonly outbox?: readonly OutboxMessage[]
  readonly messageId?: number
  readonly answers?: Answers
  readonly markReadOnOpen?: boolean
  readonly images?: boolean
}

function realmOf(messages: readonly Message[], info: Partial<ConversationInfo> = {}): Realm {
  const realm = eg.realm(messages)
  const conversations = new Map(
    [...realm.conversations].map(([key, one]) => [key, { ...one, ...info }]),
  )
  return { ...realm, conversations }
}

function open({ messages = many(3), ...opening }: Opening = {}) {
  const bridge = withBridge(opening.answers)
  withState(
    eg.state({
      accounts: [eg.chatAccount({ images: opening.images ?? false })],
      realms: new Map([[eg.chatId, { ...realmOf(messages, opening.info), ...opening.realm }]]),
      outbox: opening.outbox ?? [],
      settings: { ...defaultSettings, markReadOnOpen: opening.markReadOnOpen ?? true },
    }),
  )
  const frame = mount(
    <div style={{ height: '400px', width: '420px', display: 'flex' }}>
      <ConversationPane {...there} messageId={opening.messageId ?? null} />
    </div>,
  )
  const column = frame.element().querySelector<HTMLElement>('.message-column')!
  const show = (
    next: readonly Message[],
    info?: Partial<ConversationInfo>,
    realm: Partial<Realm> = {},
  ): void => {
    appState.value = {
      ...appState.value,
      realms: new Map([[eg.chatId, { ...realmOf(next, info), ...realm }]]),
    }
  }
  return { bridge, screen: page, column, show }
}

/** The conversation where the window is at one, as in the window. */
function Shown() {
  const { value } = place
  return value.view === 'conversation' ? <ConversationPane {...value} /> : null
}

function fromEnd(column: HTMLElement): number {
  return Math.round(column.scrollHeight - column.scrollTop - column.clientHeight)
}

function topOf(column: HTMLElement, id: number): number {
  const element = column.querySelector(`[data-message="${id}"]`)!
  return Math.round(element.getBoundingClientRect().top - column.getBoundingClientRect().top)
}

describe('a message that is asked for and not held', () => {
  const info = { history: 'recent' } as const

  test('is loaded, and followed to where it was moved', async () => {
    const conversation = { kind: 'topic', channelId: 10, topic: 'moved' } as const
    const { bridge } = open({
      messageId: 4_000,
      info,
      answers: { showMessage: () => conversation },
    })
    await expect.poll(() => place.value).toMatchObject({ conversation, messageId: 4_000 })
    expect(bridge.inputsOf('showMessage')[0]).toEqual({ ...there, messageId: 4_000 })
  })

  test('by a link without a conversation is asked for, and opened where it is', async () => {
    const conversation = { kind: 'topic', channelId: 10, topic: 'moved' } as const
    const { bridge, screen } = open({
      messages: [{ ...many(1)[0]!, html: '<p><a href="/#narrow/near/4000">this</a></p>' }],
      info,
      answers: { showMessage: () => conversation },
    })
    await screen.getByRole('link', { name: 'this' }).click()
    await expect.poll(() => place.value).toMatchObject({ conversation, messageId: 4_000 })
    const { accountId } = there
    expect(bridge.inputsOf('showMessage')).toEqual([
      { accountId, conversation: null, messageId: 4_000 },
    ])
    expect(bridge.inputsOf('openLink')).toEqual([])
  })

  test('that is gone is said to be', async () => {
    open({ messageId: 4_000, info, answers: { showMessage: () => null } })
    await expect.poll(() => shownToast.value?.text).toMatch(/is gone/)
  })

  test('leaves a gap that fills as the user gets to it, or by its button', async () => {
    const old = many(50).map((one) => ({ ...one, id: one.id - 1_000 }))
    const gap = { after: old.at(-1)!.id, before: firstId }
    const { bridge, column } = open({
      messages: [...old, ...many(50)],
      info: { ...info, gap },
      messageId: old[0]!.id,
    })
    await expect.poll(() => column.querySelectorAll('.flash').length).toBe(1)
    expect(bridge.inputsOf('showMessage')).toEqual([])
    expect(bridge.inputsOf('loadGap')).toEqual([])
    column.querySelector('[data-gap]')!.scrollIntoView({ block: 'end' })
    await expect.poll(() => bridge.inputsOf('loadGap')).toContainEqual({ ...there, from: 'after' })
  })
})

test.each([
  ['history unread yet', { history: 'none' }, 'Write in # ops › db-backup is DOWN'],
  ['no message', { history: 'recent', complete: true }, 'Start # ops › db-backup is DOWN'],
] as const)('a topic with %s is not one to reply to', async (_which, info, label) => {
  const { show } = open({ messages: [] })
  const conversations = new Map([
    [conversationKey(eg.topic), { ...emptyConversation(eg.topic), ...info }],
  ])
  const realm = { ...eg.realm([]), conversations }
  appState.value = { ...appState.value, realms: new Map([[eg.chatId, realm]]) }
  await expect.element(page.getByRole('textbox')).toHaveAccessibleName(label)
  await expect.element(page.getByRole('textbox')).toHaveAttribute('placeholder', label)
  show(many(1))
  await expect
    .element(page.getByRole('textbox'))
    .toHaveAccessibleName('Reply to # ops › db-backup is DOWN')
})

describe('a conversation', () => {
  test('shows the sender once per run, the days, edits and mentions of the user', async () => {
    const { screen, column } = open({
      messages: [
        eg.message({ text: 'yesterday', sentAt: eg.now - eg.day, flags: ['read'] }),
        eg.message({ text: 'one', sentAt: eg.now - 3 * eg.minute, flags: ['read'] }),
        eg.message({ text: 'two', sentAt: eg.now - 2 * eg.minute, flags: ['read', 'mentioned'] }),
        eg.message({ text: 'mine', isMe: true, senderId: 1, editedAt: eg.now, flags: ['read'] }),
      ],
    })
    await expect.element(screen.getByText('Yesterday')).toBeInTheDocument()
    await expect.element(screen.getByText('Today')).toBeInTheDocument()
    const senders = [...column.querySelectorAll('.sender')].map((one) => one.textContent)
    expect(senders).toEqual(['Ana', 'Ana', 'You'])
    await expect
      .element(screen.getByRole('article', { name: /mentions you/ }).getByText('two'))
      .toBeVisible()
    await expect.element(screen.getByText('edited')).toBeInTheDocument()
  })

  test('loads its messages when it is opened, and only once', async () => {
    const { bridge, screen, show } = open({ messages: [], info: { history: 'none' } })
    await expect.element(screen.getByText('Loading messages…')).toBeInTheDocument()
    show(many(3), { history: 'loading' })
    show(many(4), { history: 'recent' })
    await expect.element(screen.getByText('message 3')).toBeInTheDocument()
    expect(bridge.inputsOf('loadConversation')).toEqual([{ ...there, older: false }])
  })

  test('is loaded each time it is opened without a subscription, since no events come then', async () => {
    const { bridge, screen, show } = open({ realm: { channels: new Map() } })
    await expect.poll(() => bridge.inputsOf('loadConversation')).toHaveLength(1)
    show(many(3), { history: 'loading' })
    show(many(4), { history: 'recent' })
    await expect.element(screen.getByText('message 3')).toBeInTheDocument()
    expect(bridge.inputsOf('loadConversation')).toHaveLength(1)
  })

  test('says why its messages couldn’t be loaded, and retries on request', async () => {
    const failure = { kind: 'serverFault', httpStatus: 502 } as const
    const { bridge, screen } = open({ info: { history: 'none', failure } })
    await expect.element(screen.getByText(/is not available now \(502\)/)).toBeVisible()
    expect(bridge.inputsOf('loadConversation')).toEqual([])
    await screen.getByRole('button', { name: 'Try again' }).click()
    expect(bridge.inputsOf('loadConversation')).toHaveLength(1)
  })

  test('is marked as read when it is opened and seen, and keeps its “new” marker', async () => {
    const read = many(2)
    const unread = [eg.message({ id: firstId + 2 }), eg.message({ id: firstId + 3 })]
    const { bridge, screen, show } = open({ messages: [...read, ...unread] })
    await expect.poll(() => bridge.inputsOf('markRead')).toEqual([{ ...there, upTo: firstId + 3 }])
    show([...read, ...unread.map((one) => ({ ...one, flags: ['read' as const] }))])
    await expect.element(screen.getByText('new', { exact: true })).toBeVisible()
    expect(bridge.inputsOf('markRead')).toHaveLength(1)
  })

  test('is marked as read only as far as it was in view', async () => {
    const messages = many(60).map((one, at) => (at < 20 ? one : { ...one, flags: [] }))
    const { bridge, column } = open({ messages })
    await expect.poll(() => bridge.inputsOf('markRead')).toHaveLength(1)
    const below = column.getBoundingClientRect().bottom
    const upTo = () => (bridge.inputsOf('markRead').at(-1) as { upTo: number }).upTo
    const first = upTo()
    expect(first).toBeGreaterThanOrEqual(firstId + 20)
    expect(
      column.querySelector(`[data-message="${first}"]`)?.getBoundingClientRect().top,
    ).toBeLessThan(below)
    expect(
      column.querySelector(`[data-message="${first + 1}"]`)?.getBoundingClientRect().top,
    ).toBeGreaterThanOrEqual(below)
    column.scrollTop = column.scrollHeight
    await expect.poll(upTo).toBe(firstId + 59)
  })

  test.each([
    ['the user', { markReadOnOpen: false }, {}],
    [
      'the setting on the server',
      {},
      { settings: { ...usualChatSettings, markReadWhenSeen: false } },
    ],
  ])('is left unread if %s wants that, with a button to mark it', async (_who, ours, realm) => {
    const { bridge, screen } = open({ messages: [eg.message()], ...ours, realm })
    await screen.getByRole('button', { name: 'Mark read' }).click()
    expect(bridge.inputsOf('markRead')).toEqual([there])
  })

  test.each([
    ['the realm’s own', '/user_avatars/2/emoji/images/7.png', true, 1],
    ['built in', null, true, 1],
    ['those of other hosts, never', 'https://elsewhere.example/user_avatars/2/7.png', true, 0],
    ['none without consent', '/user_avatars/2/emoji/images/7.png', false, 0],
  ])('shows emoji pictures in reactions: %s', async (_which, source, images, shown) => {
    const type = source === null ? 'zulip_extra_emoji' : 'realm_emoji'
    const reactions = [{ name: 'party_cat', code: '7', type, userId: 2 }]
    const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
    const { bridge, screen } = open({
      messages: [eg.message({ id: firstId, reactions })],
      realm: { emoji: new Map([['7', { name: 'party_cat', source }]]) },
      images,
      answers: { loadImage: () => pixel },
    })
    const chip = screen.getByRole('button', { name: 'party cat, 1' })
    await expect.poll(() => chip.element().querySelectorAll('img').length).toBe(shown)
    expect(chip.element().textContent.includes(':party_cat:')).toBe(shown === 0)
    const path = source ?? '/static/generated/emoji/images/emoji/unicode/7.png'
    expect(bridge.inputsOf('loadImage')).toEqual(
      shown === 0 ? [] : [{ accountId: eg.chatId, path }],
    )
  })

  test('shows a poll’s current state, not its command', async () => {
    const extra_data = { question: 'Lunch?', options: ['noodles'] }
    const content = JSON.stringify({ widget_type: 'poll', extra_data })
    const { screen } = open({
      messages: [
        eg.message({ html: '<p>/poll Lunch?</p>', submessages: [{ id: 1, senderId: 2, content }] }),
      ],
    })
    await expect.element(screen.getByText('Lunch?', { exact: true })).toBeVisible()
    await expect.element(screen.getByText('noodles · 0 votes')).toBeVisible()
    await expect.element(screen.getByText('/poll')).not.toBeInTheDocument()
  })

  test('adds and removes reactions', async () => {
    const reactions = [
      { name: 'eyes', code: '1f440', type: 'unicode_emoji', userId: 1 },
      { name: 'party_cat', code: '7', type: 'realm_emoji', userId: 2 },
    ]
    const { bridge, screen, column } = open({
      messages: [eg.message({ id: firstId, reactions })],
    })
    await screen.getByRole('button', { name: 'eyes, 1' }).click()
    await screen.getByRole('button', { name: 'party cat, 1' }).click()
    column.querySelector<HTMLElement>('[data-message]')!.focus()
    const quick = screen.getByRole('group', { name: 'React' })
    const thumb = quick.getByRole('button', { name: 'React with +1' })
    await expect.element(thumb).toHaveAttribute('title', 'React with +1 (+)')
    await thumb.click()
    const sent = { accountId: eg.chatId, messageId: firstId }
    expect(bridge.inputsOf('setReaction')).toEqual([
      { ...sent, name: 'eyes', code: '1f440', type: 'unicode_emoji', present: false },
      { ...sent, name: 'party_cat', code: '7', type: 'realm_emoji', present: true },
      { ...sent, name: '+1', code: '1f44d', type: 'unicode_emoji', present: true },
    ])
  })

  test('shows messages of muted people only on request', async () => {
    const { screen } = open({ messages: many(1), realm: { mutedUsers: [eg.ana.id] } })
    expect(screen.getByText('message 0').query()).toBeNull()
    await screen.getByRole('button', { name: 'Show' }).click()
    await expect.element(screen.getByText('message 0')).toBeVisible()
  })

  test('hides them at once when somebody is muted, and doesn’t name them at a reaction', async () => {
    const reactions = [{ name: '+1', code: '1f44d', type: 'unicode_emoji', userId: eg.ana.id }]
    const { screen, show } = open({ messages: [eg.message({ id: firstId, reactions })] })
    const chip = screen.getByRole('button', { name: '+1, 1' })
    await expect.element(chip).toHaveAttribute('title', 'Ana: +1')
    show(
      [eg.message({ id: firstId, reactions, text: 'message 0' })],
      {},
      { mutedUsers: [eg.ana.id] },
    )
    await expect.element(screen.getByRole('button', { name: 'Show' })).toBeVisible()
    await expect.element(chip).toHaveAttribute('title', 'someone muted: +1')
  })

  test('opens a topic that is not held, and a channel’s topics, from a link in a message', async () => {
    const link = (path: string, words: string) =>
      `<p><a href="https://chat.example.org/#narrow/${path}">${words}</a></p>`
    const html =
      link('channel/10-ops/topic/never.20heard.20of', 'topic') + link('channel/10-ops', 'channel')
    const { bridge, screen } = open({ messages: many(1, { html }) })
    await screen.getByRole('link', { name: 'topic' }).click()
    expect(place.value).toMatchObject({
      view: 'conversation',
      conversation: { kind: 'topic', channelId: 10, topic: 'never heard of' },
    })
    await screen.getByRole('link', { name: 'channel' }).click()
    expect(palette.value).toMatchObject({ recipients: { to: 'channel', channelId: 10 } })
    expect(bridge.inputsOf('openLink')).toEqual([])
    closePalette()
    goBack()
  })

  test('says how old its data is when it isn’t connected', async () => {
    const failure = {
      kind: 'network',
      reason: 'dns',
      host: 'chat.example.org',
      reached: 'no',
    } as const
    const freshness = { ...eg.fresh, readAt: eg.now - eg.hour, failure }
    const { screen } = open({ realm: { freshness } })
    await expect
      .element(screen.getByText(/messages up to .*; what you send will wait/))
      .toBeVisible()
  })
})

describe('the message column', () => {
  test('is at the end and stays there while messages arrive', async () => {
    const { column, show, screen } = open({ messages: many(60) })
    expect(fromEnd(column)).toBeLessThanOrEqual(1)
    show([...many(60), eg.message({ id: firstId + 60, text: 'the newest' })])
    await expect.element(screen.getByText('the newest')).toBeVisible()
    expect(fromEnd(column)).toBeLessThanOrEqual(1)
  })

  test('stays where the user is reading, and counts what arrived below', async () => {
    const { column, show, screen } = open({ messages: many(60) })
    await scrollTo(column, 300)
    const before = topOf(column, firstId + 20)
    const muted = eg.message({ id: firstId + 62, senderId: 77 })
    const arrived = [eg.message({ id: firstId + 60 }), eg.message({ id: firstId + 61 }), muted]
    show([...many(60), ...arrived], {}, { mutedUsers: [77] })
    const button = screen.getByRole('button', { name: /2 new messages/ })
    await expect.element(button).toBeVisible()
    expect(topOf(column, firstId + 20)).toBe(before)
    await button.click()
    expect(fromEnd(column)).toBeLessThanOrEqual(1)
    await expect.element(button).not.toBeInTheDocument()
  })

  test('loads older messages at the top, without jumping', async () => {
    const recent = many(60).slice(30)
    const { bridge, column, show } = open({ messages: recent, info: { complete: false } })
    column.scrollTop = 0
    await scrolled(column)
    expect(bridge.inputsOf('loadConversation')).toEqual([{ ...there, older: true }])
    const before = topOf(column, firstId + 30)
    show(many(60), { complete: true })
    await expect.poll(() => column.querySelectorAll('[data-message]').length).toBe(60)
    expect(Math.abs(topOf(column, firstId + 30) - before)).toBeLessThanOrEqual(1)
  })

  test('goes to a requested message and flashes it', async () => {
    const { column } = open({ messages: many(60), messageId: firstId + 5 })
    const message = column.querySelector<HTMLElement>(`[data-message="${firstId + 5}"]`)
    await expect.element(message).toHaveClass('flash')
    expect(topOf(column, firstId + 5)).toBeGreaterThan(0)
    expect(topOf(column, firstId + 5)).toBeLessThan(column.clientHeight)
  })

  test('goes to another message that is asked for in the open conversation, and back', async () => {
    const opening = { view: 'conversation', ...there, messageId: firstId + 5 } as const
    place.value = opening
    withBridge()
    withState(eg.state({ realms: new Map([[eg.chatId, realmOf(many(60))]]) }))
    const frame = mount(
      <div style={{ height: '400px', width: '420px', display: 'flex' }}>
        <Shown />
      </div>,
    )
    const column = frame.element().querySelector<HTMLElement>('.message-column')!
    const inSight = (id: number) => topOf(column, id) > 0 && topOf(column, id) < column.clientHeight
    await expect.poll(() => inSight(firstId + 5)).toBe(true)
    place.value = { ...opening, messageId: firstId + 50 }
    await expect.poll(() => inSight(firstId + 50)).toBe(true)
    place.value = { ...opening }
    await expect.poll(() => inSight(firstId + 5)).toBe(true)
  })

  test('renders the newest first, then the older ones, and stays at the end', async () => {
    const { column } = open({ messages: many(150) })
    const drawn = () => column.querySelectorAll('[data-message]').length
    expect(drawn()).toBeLessThan(60)
    expect(fromEnd(column)).toBeLessThanOrEqual(1)
    await expect.poll(drawn).toBe(150)
    expect(fromEnd(column)).toBeLessThanOrEqual(1)
  })

  test('doesn’t move for the reader while older messages are rendered', async () => {
    const { column } = open({ messages: many(150) })
    column.scrollTop = 200
    await scrolled(column)
    const read = [...column.querySelectorAll<HTMLElement>('[data-message]')].at(-20)!
    const id = Number(read.dataset['message'])
    const before = topOf(column, id)
    await expect.poll(() => column.querySelectorAll('[data-message]').length).toBe(150)
    // A column scrolls by whole pixels: each of the three steps may round.
    expect(Math.abs(topOf(column, id) - before)).toBeLessThanOrEqual(3)
  })

  test('stays at the end, and with what is read, when something loads late', async () => {
    const { column } = open({ messages: many(60) })
    await expect.poll(() => column.querySelectorAll('[data-message]').length).toBe(60)
    const grow = (at: number): void => {
      const all = [...column.querySelectorAll<HTMLElement>('.message-html')]
      all.at(at)!.style.paddingBottom = '70px'
    }
    grow(-2)
    await expect.poll(() => fromEnd(column)).toBeLessThanOrEqual(1)
    await scrollTo(column, 300)
    const before = topOf(column, firstId + 30)
    grow(0)
    await expect.poll(() => column.scrollTop).toBeGreaterThan(360)
    expect(Math.abs(topOf(column, firstId + 30) - before)).toBeLessThanOrEqual(1)
  })

  test('stays at the end when what just came grows before the browser says that it scrolled', async () => {
    const { column } = open({ messages: many(60) })
    await expect.poll(() => column.querySelectorAll('[data-message]').length).toBe(60)
    column.scrollTop -= 10
    await scrolled(column)
    // Outside of a frame, so that the next one tells of the scrolling before it lays out.
    await new Promise((resolve) => requestIdleCallback(resolve))
    column.scrollTop = column.scrollHeight
    const last = [...column.querySelectorAll<HTMLElement>('.message-html')].at(-1)
    last!.style.paddingBottom = '70px'
    await scrolled(column)
    await expect.poll(() => fromEnd(column)).toBeLessThanOrEqual(1)
  })

  test('shows a requested old message at once, with what was said before', async () => {
    const { column } = open({ messages: many(150), messageId: firstId + 50 })
    await expect
      .element(column.querySelector<HTMLElement>(`[data-message="${firstId + 50}"]`))
      .toHaveClass('flash')
    const inSight = () =>
      Math.abs(topOf(column, firstId + 50) - column.clientHeight / 2) < column.clientHeight / 4
    expect(inSight()).toBe(true)
    await expect.poll(() => column.querySelectorAll('[data-message]').length).toBe(150)
    expect(inSight()).toBe(true)
  })

  test('starts at the first new message if not all of them fit', async () => {
    const messages = [
      ...many(30),
      ...many(60)
        .slice(30)
        .map((one) => ({ ...one, flags: [] })),
    ]
    const { column, screen } = open({ messages })
    await expect.element(screen.getByText('new', { exact: true })).toBeVisible()
    await expect.element(screen.getByRole('button', { name: /30 new messages/ })).toBeVisible()
    expect(topOf(column, firstId + 30)).toBeLessThan(60)
    expect(fromEnd(column)).toBeGreaterThan(100)
  })

  test('moves from message to message with the arrow keys', async () => {
    const { column } = open()
    column.focus()
    await userEvent.keyboard('{ArrowUp}{ArrowUp}')
    expect(document.activeElement?.textContent).toContain('message 1')
  })
})

describe('an outgoing message', () => {
  const refused = {
    kind: 'refused',
    httpStatus: 400,
    code: 'BAD_REQUEST',
    message: 'Not allowed here.',
  } as const
  const offline = { kind: 'network', reason: 'offline', host: 'x', reached: 'no' } as const

  test.each<[Partial<OutboxMessage>, string]>([
    [{ state: 'queued' }, 'sending…'],
    [{ state: 'queued', failure: offline }, 'waiting for the network, will be sent'],
    [{ state: 'sending' }, 'sending…'],
    [{ state: 'sent', messageId: 1 }, 'sent'],
    [{ state: 'rejected', failure: refused }, 'not sent: The server says “Not allowed here.”'],
    [{ state: 'unconfirmed' }, 'may not have arrived'],
    [{ state: 'unconfirmed', missing: { since: 0, isSure: false } }, 'may not have arrived'],
    [{ state: 'unconfirmed', missing: { since: 0, isSure: true } }, 'did not arrive'],
  ])('that is %o says "%s"', async (change, words) => {
    const { screen } = open({ outbox: [eg.outboxMessage(change)] })
    await expect.element(screen.getByText('on my way')).toBeVisible()
    await expect.element(screen.getByText(words, { exact: true })).toBeVisible()
  })

  test('isn’t shown next to the message that it became', async () => {
    const arrived = eg.message({ id: 9_001, text: 'on my way', isMe: true, flags: ['read'] })
    const { screen } = open({
      messages: [arrived],
      outbox: [eg.outboxMessage({ state: 'sent', messageId: 9_001 })],
    })
    expect(screen.getByText('on my way').elements()).toHaveLength(1)
  })

  test('can be looked for, resent or discarded if its fate is unknown', async () => {
    const outbox = [eg.outboxMessage({ localId: 'l1', state: 'unconfirmed' })]
    const { bridge, screen } = open({ outbox })
    await screen.getByRole('button', { name: 'Check again' }).click()
    await expect.element(screen.getByText('not found yet')).toBeVisible()
    await screen.getByRole('button', { name: 'Send again' }).click()
    await screen.getByRole('button', { name: 'Discard' }).click()
    const calls = bridge.calls.filter(({ name }) => name !== 'markRead')
    expect(calls).toEqual([
      { name: 'loadConversation', input: { ...there, older: false } },
      { name: 'resendMessage', input: { localId: 'l1' } },
      { name: 'discardMessage', input: { localId: 'l1', keepText: false } },
    ])
  })

  test('returns to the composer for editing, before what was typed since', async () => {
    const refusedOne = eg.outboxMessage({ localId: 'l2', state: 'rejected', failure: refused })
    const { bridge, screen } = open({
      outbox: [refusedOne],
      answers: {
        // Main drops the outbox entry and puts its text before the draft.
        discardMessage: () => {
          const key = `${eg.chatId}/${eg.message().key}`
          appState.value = {
            ...appState.value,
            outbox: [],
            drafts: new Map([[key, 'on my way\n\nand more']]),
          }
        },
      },
    })
    await userEvent.keyboard('and more')
    await screen.getByRole('button', { name: 'Edit again' }).click()
    await expect.element(screen.getByRole('textbox')).toHaveValue('on my way\n\nand more')
    await expect.element(screen.getByRole('textbox')).toHaveFocus()
    // Slow typing may have saved a part of it before.
    expect(bridge.inputsOf('saveDraft').at(-1)).toMatchObject({ text: 'and more' })
    expect(bridge.inputsOf('discardMessage')).toEqual([{ localId: 'l2', keepText: true }])
  })
})

describe('the list of conversations', () => {
  test('focuses the first unread one, and opens the chosen one', async () => {
    withBridge()
    const messages = [
      eg.message({ text: 'lunch?', conversation: eg.direct }),
      eg.message({ text: 'restarting', sentAt: eg.now - eg.hour }),
    ]
    withState(eg.state({ realms: new Map([[eg.chatId, eg.realm(messages)]]) }))
    const screen = mount(<ChatList />)
    await expect.element(screen.getByRole('button', { name: /@ Ana/ })).toHaveFocus()
    await userEvent.keyboard('j')
    await expect.element(screen.getByRole('button', { name: /# ops/ })).toHaveFocus()
    await userEvent.keyboard('{ArrowUp}j{Enter}')
    expect(place.value).toEqual({ view: 'conversation', ...there, messageId: null })
  })

  test('focuses the conversation that was left, unless that was unread or the tray asked again', async () => {
    withBridge()
    const messages = [
      eg.message({ text: 'lunch?', conversation: eg.direct }),
      eg.message({ text: 'restarting', sentAt: eg.now - eg.hour, flags: ['read'] }),
    ]
    withState(eg.state({ realms: new Map([[eg.chatId, eg.realm(messages)]]) }))
    const screen = mount(<Left />)
    const waits = screen.getByRole('button', { name: /@ Ana/ })
    const read = screen.getByRole('button', { name: /# ops/ })
    const away = async () => {
      await expect.element(screen.getByText('elsewhere')).toBeVisible()
      goBack()
    }
    await expect.element(waits).toHaveFocus()
    await userEvent.keyboard('j{Enter}')
    await away()
    await expect.element(read).toHaveFocus()
    await userEvent.keyboard('k{Enter}')
    await away()
    await expect.element(waits).toHaveFocus()
    await userEvent.keyboard('j{Enter}')
    const { target } = appState.value
    appState.value = { ...appState.value, target: { ...target, times: target.times + 1 } }
    await away()
    await expect.element(waits).toHaveFocus()
  })

  test('says that nothing is unread, or that there is no account yet', async () => {
    withBridge()
    withState(eg.state())
    const calm = mount(<ChatList />)
    await expect.element(calm.getByText('Nothing unread.')).toBeVisible()
    withState(eg.state({ accounts: [eg.account()] }))
    await calm.getByRole('button', { name: 'Connect a chat account' }).click()
    expect(place.value).toEqual({ view: 'addAccount', kind: 'chat' })
  })
})

/** The list while the window shows it, else a placeholder. */
function Left() {
  return place.value.view === 'conversation' ? <p>elsewhere</p> : <ChatList />
}

/** Again if the column was drawn meanwhile: at its end, it goes back there before it knows better. */
async function scrollTo(column: HTMLElement, top: number): Promise<void> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const scroll = async () => {
    column.scrollTop = top
    await frame()
    await frame()
    return column.scrollTop
  }
  await expect.poll(scroll).toBe(top)
}

async function scrolled(column: HTMLElement): Promise<void> {
  await new Promise<void>((resolve) => {
    column.addEventListener('scroll', () => resolve(), { once: true })
  })
  await new Promise((resolve) => requestAnimationFrame(resolve))
}

test('a conversation is left before one of its messages is marked unread, since an open one is read', () => {
  const [message = eg.message()] = many(1)
  const { bridge } = open({ answers: { run: () => new Promise(() => undefined) } })
  place.value = { view: 'conversation', ...there, messageId: null }
  const parts = { place: there, realm: eg.realm(), baseUrl: '', insert: () => undefined }
  const unread = messageActions(message, parts).find(({ title }) => title.startsWith('Mark unread'))
  if (unread?.action.does === 'here') unread.action.act()
  expect(place.value).toEqual({ view: 'chat' })
  expect(bridge.inputsOf('run')).toHaveLength(1)
})
