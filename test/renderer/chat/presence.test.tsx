import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { ConversationPane } from '../../../src/renderer/chat/conversation-pane.tsx'
import { followPresence, PersonCard } from '../../../src/renderer/chat/presence.tsx'
import { now, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { failed, mount, withBridge, withState } from '../mount.ts'

const zoe = { id: 77, name: 'Zoe Park', isBot: false }
const conversation = { kind: 'direct', userIds: [77] } as const
const key = conversationKey(conversation)

/** `seen`: seconds since she was last active. */
function open(answers: Record<string, unknown>, change: Partial<Realm> = {}) {
  const bridge = withBridge({
    run: (input) => {
      const { operation } = input as { operation: string }
      return (
        answers[operation] ?? failed({ kind: 'refused', httpStatus: 400, code: 'X', message: '' })
      )
    },
  })
  const users = new Map([eg.me, zoe].map((one) => [one.id, one]))
  withState(eg.state({ realms: new Map([[eg.chatId, eg.realm([], { users, ...change })]]) }))
  mount(
    <>
      <ConversationPane accountId={eg.chatId} conversation={conversation} messageId={null} />
      <PersonCard />
    </>,
  )
  return bridge
}

const presence = (status: string, secondsAgo: number) => ({
  presence: { aggregated: { status, timestamp: Math.floor(now.peek() / 1_000) - secondsAgo } },
})

describe('the other person in a direct conversation', () => {
  test.each([
    ['active now', 'active', 10],
    ['idle', 'idle', 100],
    ['last here 2 h ago', 'active', 7_230],
  ])('is %s', async (words, status, secondsAgo) => {
    now.value = eg.now
    open({ getUserPresence: presence(status, secondsAgo) })
    await expect.element(page.getByText(words, { exact: true })).toBeVisible()
  })

  test('is typing, until that is too old', async () => {
    open(
      { getUserPresence: presence('idle', 100) },
      {
        typing: new Map([[key, new Map([[77, now.peek() - 1_000]])]]),
      },
    )
    await expect.element(page.getByText('Zoe Park is typing…')).toBeVisible()
    now.value += 60_000
    await expect.element(page.getByText('Zoe Park is typing…')).not.toBeInTheDocument()
  })

  test('is not shown as typing if muted', async () => {
    const typing = new Map([[key, new Map([[77, now.peek() - 1_000]])]])
    open({ getUserPresence: presence('idle', 100) }, { typing, mutedUsers: [77] })
    await expect.element(page.getByText('Muted in the chat, everywhere')).toBeVisible()
    expect(page.getByText(/is typing/).elements()).toEqual([])
  })

  test('has a card with role, status, presence and local time, and a way to write', async () => {
    open({
      getUser: {
        user: {
          user_id: 77,
          full_name: 'Zoe Park',
          role: 300,
          timezone: 'Asia/Tokyo',
          is_bot: false,
          is_active: true,
          delivery_email: 'zoe@example.org',
        },
      },
      getUserStatus: { status: { status_text: 'On call', emoji_code: '1f4df' } },
      getUserPresence: presence('active', 10),
    })
    ;(document.activeElement as HTMLElement).blur()
    await userEvent.keyboard('i')
    const card = page.getByRole('dialog', { name: 'Zoe Park' })
    for (const words of ['Moderator', '📟 On call', 'active now', 'zoe@example.org'])
      await expect.element(card.getByText(words, { exact: true })).toBeVisible()
    await expect.element(card.getByText(/\(Asia\/Tokyo\)$/)).toBeVisible()
    await expect.element(card.getByRole('button', { name: 'Direct messages' })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(card).not.toBeInTheDocument()
    expect(place.value).toMatchObject({ view: 'conversation', conversation })
  })

  test('is muted in the chat by a key, and on the card', async () => {
    const bridge = open({ muteUser: {} })
    ;(document.activeElement as HTMLElement).blur()
    await userEvent.keyboard('m')
    const ask = (operation: string) => ({
      accountId: eg.chatId,
      operation,
      params: { muted_user_id: 77 },
    })
    await expect.poll(() => bridge.inputsOf('run')).toContainEqual(ask('muteUser'))
    await userEvent.keyboard('i')
    await userEvent.click(page.getByRole('button', { name: 'Mute this person' }))
    const sent = () => bridge.inputsOf('run').filter((one) => JSON.stringify(one).includes('muteU'))
    await expect.poll(sent).toEqual([ask('muteUser'), ask('muteUser')])
    await userEvent.keyboard('{Escape}')
  })

  test('is shown as muted, and can be unmuted', async () => {
    const bridge = open({ unmuteUser: {} }, { mutedUsers: [77] })
    await expect.element(page.getByText('Muted in the chat, everywhere')).toBeVisible()
    ;(document.activeElement as HTMLElement).blur()
    await userEvent.keyboard('i')
    await userEvent.click(page.getByRole('button', { name: 'Unmute this person' }))
    const ask = { operation: 'unmuteUser', params: { muted_user_id: 77 } }
    await expect.poll(() => bridge.inputsOf('run')).toContainEqual(expect.objectContaining(ask))
    await userEvent.keyboard('{Escape}')
  })

  test('has a card that says why nothing is known', async () => {
    open({})
    ;(document.activeElement as HTMLElement).blur()
    await userEvent.keyboard('i')
    await expect.element(page.getByRole('dialog').getByRole('alert')).toBeVisible()
    await userEvent.keyboard('{Escape}')
  })
})

describe('a name above a message', () => {
  test('opens the card of the sender', async () => {
    const bridge = withBridge({ run: () => failed({ kind: 'readOnlyKey' }) })
    withState(eg.state({ realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) }))
    mount(
      <div style={{ height: '400px', width: '420px', display: 'flex' }}>
        <ConversationPane accountId={eg.chatId} conversation={eg.topic} messageId={null} />
        <PersonCard />
      </div>,
    )
    await page.getByRole('article').getByRole('button', { name: 'Ana' }).click()
    await expect.element(page.getByRole('dialog', { name: 'Ana' })).toBeVisible()
    const card = { operation: 'getUser', params: { user_id: 2 } }
    await expect.poll(() => bridge.inputsOf('run')).toContainEqual(expect.objectContaining(card))
    await userEvent.keyboard('{Escape}')
  })
})

describe('the user’s own presence', () => {
  const sentOn = async (showAsActive: boolean) => {
    const bridge = withBridge()
    const realm = { ...eg.realm(), phase: 'live' as const }
    const state = eg.state({ realms: new Map([[eg.chatId, realm]]) })
    withState({ ...state, settings: { ...state.settings, showAsActive } })
    onTestFinished(followPresence())
    await userEvent.keyboard('xyz')
    return bridge.inputsOf('run')
  }

  test('is sent on input if that is switched on, once a minute', async () => {
    const params = { status: 'active', new_user_input: true, ping_only: true }
    expect(await sentOn(true)).toEqual([
      { accountId: eg.chatId, operation: 'updatePresence', params },
    ])
  })

  test('isn’t sent if it is off, or from a window without the focus', async () => {
    expect(await sentOn(false)).toEqual([])
    const { hasFocus } = document
    document.hasFocus = () => false
    onTestFinished(() => {
      document.hasFocus = hasFocus
    })
    expect(await sentOn(true)).toEqual([])
  })
})
