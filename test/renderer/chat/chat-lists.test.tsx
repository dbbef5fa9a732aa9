import { describe, expect, onTestFinished, test } from 'vitest'
import { cdp, page, userEvent } from 'vitest/browser'
import type { SearchHit } from '#shared/contract.ts'
import { withEvent } from '#shared/core/chat/chat-apply.ts'
import { type Conversation, conversationKey } from '#shared/core/chat/conversation.ts'
import type { MessageFlag } from '#shared/core/chat/message.ts'
import { withPut } from '#shared/core/chat/message-list.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { PlaceView } from '../../../src/renderer/shell/later-views.tsx'
import { dismissToast, shownToast, takeOffer } from '../../../src/renderer/toast.ts'
import { appState, go, goBack, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

interface Flagged {
  readonly op: string
  readonly messages: readonly number[]
}

interface Run {
  readonly accountId: string
  readonly operation: string
  readonly params: Flagged
}

const otherId = 'chat-2'
const deploys = { kind: 'topic', channelId: 10, topic: 'deploys' } as const

function hit(change: Partial<SearchHit>): SearchHit {
  return {
    messageId: 7,
    conversation: eg.topic,
    senderId: 2,
    senderName: 'Ana',
    sentAt: eg.now - eg.hour,
    parts: [{ text: 'look here', hit: false }],
    ...change,
  }
}

function open(answers: Answers = {}, change: Partial<Realm> = {}, several = false) {
  const bridge = withBridge({
    run: () => ({ presence: {} }),
    searchMessages: () => ({ hits: [], isComplete: true }),
    ...answers,
  })
  const realm = eg.realm(
    [
      eg.message({ text: 'lunch?', conversation: eg.direct }),
      eg.message({ text: 'restarting', sentAt: eg.now - eg.hour, flags: ['read'] }),
    ],
    change,
  )
  const realms = new Map([[eg.chatId, realm]])
  if (several) realms.set(otherId, { ...eg.realm(), accountId: otherId })
  const accounts = [
    eg.chatAccount({ label: 'Acme chat' }),
    ...(several ? [eg.chatAccount({ id: otherId, label: 'Beta' })] : []),
  ]
  withState(eg.state({ accounts, realms }))
  go({ view: 'chat' })
  return { bridge, screen: mount(<View />) }
}

const View = () => (
  <>
    <PlaceView place={place.value} />
  </>
)

describe('the chat lists', () => {
  test('keep the marks of a text at its end, whichever way it is written', async () => {
    const text = 'הגיבוי הצליח?'
    const { screen } = open({}, eg.realm([eg.message({ text, conversation: eg.direct })]))
    const words = screen.getByText(text, { exact: true })
    await expect.element(words).toBeVisible()
    const node = words.element().firstChild!
    const leftOf = (at: number) => {
      const letter = document.createRange()
      letter.setStart(node, at)
      letter.setEnd(node, at + 1)
      return letter.getBoundingClientRect().left
    }
    expect(leftOf(text.length - 1)).toBeLessThan(leftOf(text.length - 2))
    expect(leftOf(text.length - 2)).toBeLessThan(leftOf(0))
  })

  test('show their counts in the highest contrast if the user asks for more', async () => {
    const contrast = (value: string) =>
      cdp().send('Emulation.setEmulatedMedia', {
        features: [{ name: 'prefers-contrast', value }],
      })
    onTestFinished(() => contrast('').then(() => undefined))
    await contrast('more')
    const { screen } = open()
    const row = screen.getByRole('button', { name: /@ Ana/ }).element()
    const count = row.querySelector('.row-count')
    expect(count && getComputedStyle(count).backgroundColor).toBe(getComputedStyle(row).color)
  })

  test('show the count at the end of a row, whether or not its last message is known', async () => {
    const { screen } = open()
    const known = appState.value.realms.get(eg.chatId)
    const realm = { ...eg.realm(), conversations: known?.conversations ?? new Map() }
    appState.value = { ...appState.value, realms: new Map([[eg.chatId, realm]]) }
    await expect.element(screen.getByText('lunch?')).not.toBeInTheDocument()
    const row = screen.getByRole('button', { name: /Ana/ }).element()
    const count = row.querySelector('.row-count')?.getBoundingClientRect()
    expect(row.getBoundingClientRect().right - (count?.right ?? 0)).toBeLessThan(12)
  })

  test('are one key away each, and the recent ones return with 1 or Esc', async () => {
    const { screen } = open()
    const pressed = (name: string) => screen.getByRole('button', { name, pressed: true })
    await expect.element(screen.getByRole('button', { name: /@ Ana/ })).toHaveFocus()
    for (const [key, name] of [
      ['2', 'Direct'],
      ['3', 'Channels'],
      ['4', 'Mentions'],
      ['5', 'Followed'],
      ['6', 'Starred'],
      ['1', 'Recent'],
    ] as const) {
      await userEvent.keyboard(key)
      await expect.element(pressed(name)).toBeVisible()
    }
    await userEvent.keyboard('23')
    goBack()
    await expect.element(pressed('Recent')).toBeVisible()
    await expect.element(screen.getByRole('button', { name: /@ Ana/ })).toHaveFocus()
  })

  test('name a row by what it is about, what is unread and how its message begins', async () => {
    const long = `Please look at the backups. ${'They fail again and again. '.repeat(20)}`
    const { screen } = open({}, eg.realm([eg.message({ text: long, conversation: eg.direct })]))
    await expect
      .element(screen.getByRole('button', { name: /Ana/ }))
      .toHaveAccessibleName(
        /^@ Ana \S+ 1 unread Ana: Please look at the backups\. They fail again and again\. They…$/,
      )
  })

  test('narrow the recent ones down to mentions, followed or starred, until that is pressed again', async () => {
    const { screen } = open()
    const filters = screen.getByRole('group', { name: 'Only these' })
    const starred = filters.getByRole('button', { name: 'Starred' })
    await starred.click()
    await expect.element(starred).toHaveAttribute('aria-pressed', 'true')
    await expect
      .element(screen.getByRole('button', { name: 'Recent', pressed: true }))
      .toBeVisible()
    await starred.click()
    await expect.element(starred).toHaveAttribute('aria-pressed', 'false')
    expect(place.value).toEqual({ view: 'chat' })
    await screen.getByRole('button', { name: 'Channels' }).click()
    await expect.element(filters).not.toBeInTheDocument()
  })

  test.each([
    ['2', 'No direct messages yet. Press n to write one.'],
    ['3', 'You aren’t subscribed to any channel.'],
    ['4', 'Nobody has mentioned you yet.'],
    ['5', 'You aren’t following any topic yet. Press f on one to follow it.'],
    ['6', 'You haven’t starred any messages yet.'],
  ])('explain by key %s what is missing if they are empty', async (key, words) => {
    open({}, { conversations: new Map(), channels: new Map() })
    await userEvent.keyboard(key)
    await expect.element(page.getByText(words)).toBeVisible()
  })

  test('have direct conversations without topics, and keep the position after coming back', async () => {
    const { screen } = open()
    await userEvent.keyboard('2')
    const ana = screen.getByRole('button', { name: /@ Ana/ })
    await expect.element(ana).toHaveFocus()
    expect(screen.getByRole('button', { name: /# ops/ }).elements()).toEqual([])
    await userEvent.keyboard('{Enter}')
    expect(place.value).toMatchObject({ view: 'conversation', conversation: eg.direct })
    goBack()
    await expect.element(ana).toHaveFocus()
    expect(place.value).toEqual({ view: 'chat', list: 'direct' })
  })

  test('unfold a channel with the topics that the service lists, and fold it again', async () => {
    const topics = [{ name: 'deploys' }, { name: 'db-backup is DOWN' }, 'odd', { name: 7 }]
    const { bridge, screen } = open({ run: () => ({ topics }) })
    await userEvent.keyboard('3')
    const channel = screen.getByRole('button', { name: /# ops/ }).first()
    await expect.element(channel).toHaveFocus()
    await expect.element(channel).toHaveAttribute('aria-expanded', 'false')
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(screen.getByRole('button', { name: '# ops › deploys' })).toBeVisible()
    expect(bridge.inputsOf('run')).toMatchObject([
      { operation: 'listTopics', params: { stream_id: 10 } },
    ])
    await userEvent.keyboard('j{Enter}')
    expect(place.value).toMatchObject({ view: 'conversation', conversation: deploys })
    goBack()
    await userEvent.keyboard('k{ArrowLeft}')
    await expect.element(channel).toHaveAttribute('aria-expanded', 'false')
    expect(screen.getByRole('button', { name: /deploys/ }).elements()).toEqual([])
  })

  test('render only the visible ones of 2,000 channels, and any that the keys lead to', async () => {
    const channels = new Map(
      Array.from({ length: 2_000 }, (_, at) => [
        at + 1,
        eg.channel({ id: at + 1, name: `team-${at + 1}` }),
      ]),
    )
    const { screen } = open({}, { channels })
    await userEvent.keyboard('3')
    const row = (name: string) => screen.getByRole('button', { name, exact: true })
    await expect.element(row('# team-1')).toHaveFocus()
    const drawn = () => document.querySelectorAll('.chat-row').length
    expect(drawn()).toBeLessThan(200)
    await userEvent.keyboard('{End}')
    await expect.element(row('# team-2000')).toHaveFocus()
    const place = document.activeElement?.closest('li')
    expect(place?.getAttribute('aria-posinset')).toBe('2000')
    expect(place?.getAttribute('aria-setsize')).toBe('2000')
    expect(drawn()).toBeLessThan(200)
    await userEvent.keyboard('{ArrowUp}')
    await expect.element(row('# team-1999')).toHaveFocus()
    // The frame is as high as in a window.
    document.querySelector<HTMLElement>('.chat-list-frame')?.style.setProperty('height', '400px')
    const list = document.querySelector('.chat-list')!
    const scrolled = new Promise((resolve) => list.addEventListener('scroll', resolve))
    list.scrollTop = list.scrollHeight
    await scrolled
    list.scrollTop = 0
    await expect.element(row('# team-1701')).toBeInTheDocument()
    // Rows added above moved nothing in view.
    await expect.poll(() => list.scrollTop).toBeGreaterThan(1_000)
    await userEvent.keyboard('{Home}')
    await expect.element(row('# team-1')).toHaveFocus()
    expect(drawn()).toBeLessThan(200)
    await userEvent.keyboard(`{End}${'k'.repeat(160)}`)
    await expect.element(row('# team-1840')).toHaveFocus()
  })

  test('render more on scrolling, and keep an unfolded channel in view', async () => {
    const conversations = Array.from({ length: 400 }, (_, at) =>
      eg.message({
        conversation: { kind: 'direct', userIds: [at + 100] },
        senderName: `Person ${at}`,
        senderId: at + 100,
        flags: ['read'],
      }),
    )
    const users = new Map(
      conversations.map(({ senderId: id, senderName: name }) => [id, { id, name, isBot: false }]),
    )
    withBridge({
      run: () => ({ presence: {} }),
      searchMessages: () => ({ hits: [], isComplete: true }),
    })
    const realm = eg.realm(conversations, { users })
    withState(eg.state({ realms: new Map([[eg.chatId, realm]]) }))
    go({ view: 'chat', list: 'direct' })
    const screen = mount(<View />)
    await expect.element(screen.getByRole('button').nth(5)).toBeVisible()
    const drawn = () => document.querySelectorAll('.chat-row').length
    const before = drawn()
    expect(before).toBeLessThan(200)
    // The frame is as high as in a window.
    document.querySelector<HTMLElement>('.chat-list-frame')?.style.setProperty('height', '400px')
    const list = document.querySelector('.chat-list')
    if (list !== null) list.scrollTop = list.scrollHeight
    await expect.poll(drawn).toBeGreaterThan(before)
    const last = () => [...document.querySelectorAll<HTMLElement>('.chat-row')].at(-1)
    const name = last()?.querySelector('.row-title')?.textContent ?? ''
    last()?.focus()
    await userEvent.keyboard('{Enter}')
    expect(place.value).toMatchObject({ view: 'conversation' })
    goBack()
    await expect.poll(() => document.activeElement?.textContent).toContain(name)
  })

  test('say why a channel’s topics couldn’t be read, and stay folded', async () => {
    const { screen } = open({
      run: () => failed({ kind: 'rateLimited', retryAfterMs: 1_000 }),
    })
    await userEvent.keyboard('3{Enter}')
    const channel = screen.getByRole('button', { name: /# ops/ })
    await expect.element(channel).toHaveAttribute('aria-expanded', 'false')
  })

  test('include followed topics without any held message', async () => {
    const { screen } = open(
      {},
      { topicPolicies: new Map([[conversationKey(deploys), 'followed']]) },
    )
    await userEvent.keyboard('5')
    await expect.element(screen.getByRole('button', { name: '# ops › deploys' })).toHaveFocus()
    expect(screen.getByRole('button', { name: /db-backup/ }).elements()).toEqual([])
  })

  test('merge the starred messages of all accounts, with a mark for each account', async () => {
    const { bridge, screen } = open(
      {
        searchMessages: (input) => {
          const { accountId, before } = input as { accountId: string; before: number | null }
          if (before !== null) return { hits: [], isComplete: true }
          const at = accountId === otherId ? eg.now : eg.now - eg.minute
          return {
            hits: [
              hit({
                messageId: 1,
                sentAt: at - 10 * eg.minute,
                parts: [{ text: `${accountId} old`, hit: false }],
              }),
              hit({ messageId: 2, sentAt: at, parts: [{ text: `${accountId} new`, hit: false }] }),
            ],
            isComplete: true,
          }
        },
      },
      {},
      true,
    )
    await userEvent.keyboard('6')
    const found = screen.getByRole('list', { name: 'Messages found' })
    await expect.element(found.getByRole('button').first()).toHaveFocus()
    const texts = found
      .getByRole('button')
      .elements()
      .map((row) => row.textContent)
    expect(texts.map((text) => /chat(-2)? (old|new)/.exec(text)?.[0])).toEqual([
      'chat-2 new',
      'chat new',
      'chat-2 old',
      'chat old',
    ])
    expect(texts[0]).toContain('Beta: ')
    expect(texts[1]).toContain('Acme chat: ')
    expect(bridge.inputsOf('searchMessages')).toMatchObject([
      { accountId: eg.chatId, terms: [{ operator: 'is', operand: 'starred' }] },
      { accountId: otherId },
    ])
  })

  test('leave out muted people among the mentions, and hide what they said among the starred', async () => {
    const said = hit({ messageId: 1, senderId: 77, parts: [{ text: 'noise', hit: false }] })
    const { screen } = open(
      { searchMessages: () => ({ hits: [said, hit({ messageId: 2 })], isComplete: true }) },
      { mutedUsers: [77] },
    )
    const found = screen.getByRole('list', { name: 'Messages found' }).getByRole('button')
    await userEvent.keyboard('6')
    await expect.element(screen.getByText('From someone you muted.')).toBeVisible()
    expect(found.elements()).toHaveLength(2)
    await userEvent.keyboard('4')
    await expect.poll(() => found.elements().length).toBe(1)
    expect(document.body.textContent).not.toContain('noise')
  })

  test('keep what was found, and the focus, while an account connects anew', async () => {
    const { bridge, screen } = open({
      searchMessages: () => ({ hits: [hit({ messageId: 1 })], isComplete: true }),
    })
    await userEvent.keyboard('6')
    const row = screen.getByRole('list', { name: 'Messages found' }).getByRole('button')
    await expect.element(row).toHaveFocus()
    const realm = appState.value.realms.get(eg.chatId)!
    for (const phase of ['connecting', 'live'] as const) {
      appState.value = { ...appState.value, realms: new Map([[eg.chatId, { ...realm, phase }]]) }
      await new Promise(requestAnimationFrame)
    }
    await expect.element(row).toHaveFocus()
    expect(bridge.inputsOf('searchMessages')).toHaveLength(1)
  })

  test.each([
    ['4', 'mentioned'],
    ['4', 'wildcardMentioned'],
    ['6', 'starred'],
  ] as const)(
    'show by key %s a message when it is %s, and drop it afterwards',
    async (key, flag) => {
      const { bridge, screen } = open({
        searchMessages: () => ({ hits: [hit({ messageId: 1 })], isComplete: true }),
      })
      await userEvent.keyboard(key)
      const rows = screen.getByRole('list', { name: 'Messages found' }).getByRole('button')
      await expect.element(rows).toHaveFocus()
      const before = appState.value.realms.get(eg.chatId)!
      const hold = (flags: readonly MessageFlag[]) => {
        const news = [
          eg.message({ id: 5_000, text: 'db is\nback', sentAt: eg.now, flags }),
          eg.message({ id: 5_001, text: 'not for you', sentAt: eg.now }),
        ]
        const realm = { ...before, messages: withPut(before.messages, news) }
        appState.value = { ...appState.value, realms: new Map([[eg.chatId, realm]]) }
      }
      const texts = () =>
        rows.elements().map((row) => row.querySelector('.search-text')?.textContent)
      hold(['read', flag])
      await expect.poll(texts).toEqual(['Ana: db is back', 'Ana: look here'])
      hold(['read'])
      await expect.poll(texts).toEqual(['Ana: look here'])
      await expect.element(rows).toHaveFocus()
      expect(bridge.inputsOf('searchMessages')).toHaveLength(1)
    },
  )

  test('drop a starred message that was found once it isn’t starred', async () => {
    const { screen } = open({
      searchMessages: () => ({
        hits: [1, 2].map((messageId) => hit({ messageId, sentAt: eg.now - eg.hour + messageId })),
        isComplete: true,
      }),
    })
    await userEvent.keyboard('6')
    const rows = screen.getByRole('list', { name: 'Messages found' }).getByRole('button')
    await expect.poll(() => rows.elements().length).toBe(2)
    const before = appState.value.realms.get(eg.chatId)!
    const realm = { ...before, messages: withPut(before.messages, [eg.message({ id: 2 })]) }
    appState.value = { ...appState.value, realms: new Map([[eg.chatId, realm]]) }
    await expect.poll(() => rows.elements().length).toBe(1)
  })

  test('offer a conversation’s actions by right-click and by the menu key', async () => {
    const { bridge, screen } = open()
    const row = screen.getByRole('button', { name: /@ Ana/ })
    await row.click({ button: 'right' })
    const menu = screen.getByRole('menu', { name: 'Ana' })
    const items = menu.getByRole('menuitem')
    await expect.element(items.first()).toHaveFocus()
    expect(items.elements().map((item) => item.firstChild?.textContent)).toEqual([
      'Reply in Ana',
      'Mark Ana as read',
      'Mute Ana for a while…',
      'Mute Ana in the chat, everywhere',
      'Copy app link to Ana',
    ])
    await userEvent.keyboard('{Escape}')
    await expect.element(row).toHaveFocus()
    await userEvent.keyboard('{Shift>}{F10}{/Shift}')
    await items.nth(1).click()
    await expect.element(row).toHaveFocus()
    expect(bridge.inputsOf('markRead')).toEqual([{ accountId: eg.chatId, conversation: eg.direct }])
  })

  test('drop a message that was deleted elsewhere, held or not', async () => {
    const { screen } = open({
      searchMessages: () => ({
        hits: [1, 2].map((messageId) => hit({ messageId, sentAt: eg.now - eg.hour + messageId })),
        isComplete: true,
      }),
    })
    await userEvent.keyboard('4')
    const rows = screen.getByRole('list', { name: 'Messages found' }).getByRole('button')
    await expect.poll(() => rows.elements().length).toBe(2)
    for (const [messageId, left] of [
      [1, 1],
      [2, 0],
    ] as const) {
      const before = appState.value.realms.get(eg.chatId)!
      const realm = withEvent(before, { type: 'deleted', messageIds: [messageId] })
      appState.value = { ...appState.value, realms: new Map([[eg.chatId, realm]]) }
      await expect.poll(() => rows.elements().length).toBe(left)
    }
    await expect.element(screen.getByText('Nobody has mentioned you yet.')).toBeVisible()
  })

  test('show nothing older than what an account may still have to load', async () => {
    const { screen } = open(
      {
        searchMessages: (input) => {
          const { accountId, before } = input as { accountId: string; before: number | null }
          const isSlow = accountId === otherId
          if (before !== null)
            return {
              hits: [hit({ messageId: 1, sentAt: eg.now - 40 * eg.minute })],
              isComplete: true,
            }
          return {
            hits: [hit({ messageId: 3, sentAt: eg.now - (isSlow ? 20 : 60) * eg.minute })],
            isComplete: !isSlow,
          }
        },
      },
      {},
      true,
    )
    await userEvent.keyboard('4')
    const rows = screen.getByRole('list', { name: 'Messages found' }).getByRole('button')
    await expect.poll(() => rows.elements().length).toBe(1)
    await screen.getByRole('button', { name: 'Older messages' }).click()
    await expect.poll(() => rows.elements().length).toBe(3)
  })

  test('move the focus to the next row if the focused one is gone', async () => {
    const topics = ['one', 'two', 'three'].map(
      (topic) => ({ kind: 'topic', channelId: 10, topic }) as const,
    )
    const following = (followed: readonly Conversation[]) => ({
      topicPolicies: new Map(followed.map((one) => [conversationKey(one), 'followed' as const])),
    })
    const { screen } = open({}, following(topics))
    await userEvent.keyboard('5')
    const names = () =>
      [...document.querySelectorAll('.chat-row .row-title')].map((row) => row.textContent)
    await expect.poll(names).toHaveLength(3)
    const [, , last = ''] = names()
    await userEvent.keyboard('j')
    const gone = document.activeElement?.textContent ?? ''
    const left = topics.filter(({ topic }) => !gone.includes(topic))
    const realm = { ...appState.value.realms.get(eg.chatId)!, ...following(left) }
    appState.value = { ...appState.value, realms: new Map([[eg.chatId, realm]]) }
    await expect.element(screen.getByRole('button', { name: last })).toHaveFocus()
  })

  test('say after an offline failure that nothing was changed, and what to do', async () => {
    const { screen } = open({
      run: () => failed({ kind: 'network', reason: 'offline', host: 'chat', reached: 'no' }),
    })
    const words = 'This computer is offline. Nothing was changed. Try again once it is back online.'
    await expect.element(screen.getByRole('button', { name: /@ Ana/ })).toHaveFocus()
    for (const keys of ['{ArrowDown}m', 'f', 'M']) {
      dismissToast()
      await userEvent.keyboard(keys)
      await expect.poll(() => shownToast.value, { message: keys }).toMatchObject({ text: words })
    }
  })

  test('say that nothing is unread, and ask the server for nothing', async () => {
    const conversations = new Map(
      [...eg.realm([eg.message()]).conversations].map(([key, one]) => [
        key,
        { ...one, unread: [] },
      ]),
    )
    const { bridge } = open({}, { conversations })
    await userEvent.keyboard('M')
    await expect.poll(() => shownToast.value?.text).toBe('Nothing is unread.')
    expect(bridge.inputsOf('run')).toEqual([])
  })

  test.each([
    { unread: 1_500, asked: 2, done: [1_000], undone: [1_000, 500], isLost: true },
    { unread: 1_500, asked: 2, done: [1_000], undone: [1_000], isLost: false },
    { unread: 500, asked: 1, done: [], undone: [500], isLost: true },
    { unread: 500, asked: 1, done: [], undone: [], isLost: false },
  ])(
    'offer to undo what may have been marked as read if it failed midway: $undone',
    async ({ unread, asked, done, undone, isLost }) => {
      const failure = isLost
        ? ({ kind: 'serverFault', httpStatus: 500 } as const)
        : ({ kind: 'refused', httpStatus: 400, code: '', message: 'No.' } as const)
      const conversations = new Map(
        [...eg.realm([eg.message()]).conversations].map(([key, one]) => [
          key,
          { ...one, unread: Array.from({ length: unread }, (_, at) => at + 1) },
        ]),
      )
      let fails = true
      const { bridge } = open(
        { run: () => (fails && marks().length > done.length ? failed(failure) : {}) },
        { conversations },
      )
      const marks = () =>
        (bridge.inputsOf('run') as { operation: string; params: Flagged }[]).flatMap((one) =>
          one.operation === 'updateMessageFlags' ? one.params : [],
        )
      await userEvent.keyboard('M')
      await expect.poll(() => shownToast.value?.tone).toBe('failed')
      expect(shownToast.value?.text.startsWith('Only 1,000 messages')).toBe(done.length > 0)
      fails = false
      takeOffer()
      dismissToast()
      await expect
        .poll(() =>
          marks()
            .slice(asked)
            .map(({ op }) => op),
        )
        .toEqual(undone.map(() => 'remove'))
      expect(
        marks()
          .slice(asked)
          .map(({ messages }) => messages.length),
      ).toEqual(undone)
    },
  )

  test('mark unread messages as read in one account, and undo it, even if another fails', async () => {
    const gone = failed({ kind: 'network', reason: 'refused', host: 'chat', reached: 'no' })
    let broken: readonly string[] = [eg.chatId]
    const { bridge } = open(
      { run: (input) => (broken.includes((input as Run).accountId) ? gone : {}) },
      {},
      true,
    )
    const unread = eg.realm([eg.message({ conversation: eg.direct })])
    const ids = [eg.chatId, otherId, 'chat-3', 'chat-4']
    const realms = new Map(ids.map((accountId) => [accountId, { ...unread, accountId }]))
    appState.value = { ...appState.value, realms }
    const asked = () =>
      (bridge.inputsOf('run') as Run[]).flatMap(({ accountId, operation, params }) =>
        operation === 'updateMessageFlags' ? `${params.op} ${accountId}` : [],
      )
    const added = ids.map((id) => `add ${id}`)
    await userEvent.keyboard('M')
    await expect.poll(() => shownToast.value?.text).toMatch(/^Only 3 messages.*still unread\.$/)
    expect(asked()).toEqual(added)
    // One account is out of reach by now, and another was removed.
    broken = [otherId]
    realms.delete('chat-3')
    appState.value = { ...appState.value, realms: new Map(realms) }
    takeOffer()
    await expect.poll(asked).toEqual([...added, `remove ${otherId}`, 'remove chat-4'])
    dismissToast()
  })

  test('show suggestions that Esc closes before it goes back, and show them again on more input', async () => {
    open()
    await userEvent.keyboard('/')
    const field = page.getByRole('combobox', { name: 'Search messages' })
    await expect.element(field).toHaveFocus()
    await userEvent.keyboard('restart sender:')
    await expect.element(field).toHaveAttribute('aria-expanded', 'true')
    const esc = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true })
    field.element().dispatchEvent(esc)
    expect(esc.defaultPrevented).toBe(true)
    await expect.element(field).toHaveAttribute('aria-expanded', 'false')
    await userEvent.keyboard('A')
    await expect.element(field).toHaveAttribute('aria-expanded', 'true')
    await expect.element(field).toHaveValue('restart sender:A')
  })

  test('search again for the same query, since messages may have arrived', async () => {
    let arrived = 1
    const { bridge } = open({
      searchMessages: () => ({
        hits: Array.from({ length: arrived }, (_, at) => hit({ messageId: at + 1 })),
        isComplete: true,
      }),
    })
    await userEvent.keyboard('/')
    await userEvent.fill(page.getByRole('combobox', { name: 'Search messages' }), 'look')
    await userEvent.keyboard('{Enter}')
    const rows = page.getByRole('list', { name: 'Messages found' }).getByRole('button')
    await expect.poll(() => rows.elements().length).toBe(1)
    arrived = 2
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => rows.elements().length).toBe(2)
    expect(bridge.inputsOf('searchMessages')).toHaveLength(2)
  })

  test('begin anew, with the focus in the field, when another search is opened', async () => {
    const { bridge } = open()
    go({ view: 'search', accountId: eg.chatId, query: 'one' })
    const field = page.getByRole('combobox', { name: 'Search messages' })
    await expect.poll(() => bridge.inputsOf('searchMessages').length).toBe(1)
    go({ view: 'search', accountId: eg.chatId, query: 'two' })
    await expect.poll(() => bridge.inputsOf('searchMessages').length).toBe(2)
    await expect.element(field).toHaveValue('two')
    await userEvent.fill(field, 'three')
    ;(field.element() as HTMLElement).blur()
    go({ view: 'search', accountId: null, query: '' })
    await expect.element(field).toHaveValue('')
    await expect.element(field).toHaveFocus()
  })

  test('stop showing why they couldn’t be read once they were', async () => {
    let isOffline = true
    const { screen } = open({
      searchMessages: () =>
        isOffline
          ? failed({ kind: 'serverFault', httpStatus: 500 })
          : { hits: [hit({ messageId: 1 })], isComplete: true },
    })
    await userEvent.keyboard('6')
    await expect.element(screen.getByText(/internal error/)).toBeVisible()
    isOffline = false
    await screen.getByRole('button', { name: 'Try again' }).click()
    await expect.element(screen.getByRole('button', { name: /look here/ })).toBeVisible()
    expect(screen.getByText(/internal error/).elements()).toEqual([])
  })
})
