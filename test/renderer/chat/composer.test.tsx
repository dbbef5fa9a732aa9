import { type Signal, signal } from '@preact/signals'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { cdp, page, userEvent } from 'vitest/browser'
import type { Conversation } from '#shared/core/chat/conversation.ts'
import { draftKey } from '#shared/core/chat/drafts.ts'
import type { AppState } from '#shared/core/state.ts'
import { ConversationPane } from '../../../src/renderer/chat/conversation-pane.tsx'
import { createDraftText } from '../../../src/renderer/chat/draft-text.ts'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { appState, now } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

let rooms = 0

/** Each test must use its own conversation, so that no unsent text carries over. */
function open(change: Partial<AppState> = {}, answers: Answers = {}, draft = '') {
  rooms += 1
  const conversation: Conversation = { kind: 'topic', channelId: 10, topic: `room ${rooms}` }
  const key = draftKey(eg.chatId, conversation)
  const said = eg.message({ conversation, flags: ['read'] })
  const bridge = withBridge(answers)
  withState(
    eg.state({
      realms: new Map([
        [eg.chatId, eg.realm([said], { limits: { messageLength: 20, topicLength: 60 } })],
      ]),
      drafts: draft === '' ? new Map() : new Map([[key, draft]]),
      ...change,
    }),
  )
  const isOpen = signal(true)
  const pane = { accountId: eg.chatId, conversation, messageId: null }
  mount(<Pane isOpen={isOpen} {...pane} />)
  const box = page.getByRole('textbox', { name: `Reply to # ops › room ${rooms}` })
  const text = () => (box.element() as HTMLTextAreaElement).value
  const setDraft = (value: string): void => {
    appState.value = { ...appState.value, drafts: new Map([[key, value]]) }
  }
  return { bridge, screen: page, box, text, setDraft, conversation, isOpen }
}

function Pane({ isOpen, ...pane }: Props) {
  return isOpen.value ? <ConversationPane {...pane} /> : null
}
type Props = Parameters<typeof ConversationPane>[0] & { readonly isOpen: Signal<boolean> }

describe('the composer', () => {
  test('has the focus when its conversation opens, sends with Enter and is empty then', async () => {
    const { bridge, box, text, conversation } = open()
    await expect.element(box).toHaveFocus()
    await userEvent.keyboard('on my way{Enter}')
    await expect.poll(text).toBe('')
    expect(bridge.inputsOf('sendMessage')).toEqual([
      { accountId: eg.chatId, conversation, text: 'on my way' },
    ])
  })

  test('hands over what was typed as soon as its window is hidden', () => {
    const { conversation } = open()
    const saved = vi.fn(() => Promise.resolve({ ok: true, value: undefined }))
    Object.defineProperty(window, 'bridge', { value: { ...window.bridge, call: saved } })
    const draft = createDraftText({ accountId: eg.chatId, conversation })
    draft.edit('half a thought')
    expect(saved).not.toHaveBeenCalled()
    const state = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    onTestFinished(() => state.mockRestore())
    document.dispatchEvent(new Event('visibilitychange'))
    expect(saved).toHaveBeenCalledWith(
      'saveDraft',
      expect.objectContaining({ text: 'half a thought' }),
    )
  })

  test('calls it a note if the user writes to themselves alone', async () => {
    const { me } = eg.realm([])
    withBridge()
    withState(eg.state())
    const conversation: Conversation = { kind: 'direct', userIds: [me?.id ?? 0] }
    mount(<ConversationPane accountId={eg.chatId} conversation={conversation} messageId={null} />)
    const box = page.getByRole('textbox', { name: 'Write a note to yourself' })
    await expect.element(box).toHaveAttribute('placeholder', 'Write a note to yourself')
  })

  test('has its icons on one line', async () => {
    const { box } = open()
    await expect.element(box).toBeVisible()
    const icons = [...(box.element().closest('form')?.querySelectorAll('.icon') ?? [])]
    const middles = icons.map((icon) => {
      const { top, bottom } = icon.getBoundingClientRect()
      return (top + bottom) / 2
    })
    expect(middles.length).toBe(2)
    expect(new Set(middles).size).toBe(1)
  })

  test('inserts a line break with Shift+Enter and sends all lines', async () => {
    const { bridge, text } = open()
    await userEvent.keyboard('one{Shift>}{Enter}{/Shift}two')
    expect(text()).toBe('one\ntwo')
    await userEvent.keyboard('{Enter}')
    await expect.poll(text).toBe('')
    expect(bridge.inputsOf('sendMessage')).toMatchObject([{ text: 'one\ntwo' }])
  })

  test('sends only with Ctrl+Enter if the user chose that', async () => {
    const { settings } = eg.state()
    const { bridge, text } = open({ settings: { ...settings, sendKey: 'ctrlEnter' } })
    await userEvent.keyboard('one{Enter}two')
    expect(text()).toBe('one\ntwo')
    expect(bridge.inputsOf('sendMessage')).toEqual([])
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.poll(text).toBe('')
    expect(bridge.inputsOf('sendMessage')).toHaveLength(1)
  })

  test.each([
    ['while an input method composes', { isComposing: true }],
    ['that ends a composition', { keyCode: 229 }],
  ])('does not send on Enter %s', async (_when, extra) => {
    const { bridge, box } = open()
    await userEvent.keyboard('nihon')
    const enter = { key: 'Enter', bubbles: true, cancelable: true }
    box.element().dispatchEvent(new KeyboardEvent('keydown', { ...enter, ...extra }))
    expect(bridge.inputsOf('sendMessage')).toEqual([])
    box.element().dispatchEvent(new KeyboardEvent('keydown', enter))
    await expect.poll(() => bridge.inputsOf('sendMessage')).toHaveLength(1)
  })

  test('sends once, however often Enter is pressed before main answers', async () => {
    const answered = Promise.withResolvers<void>()
    const { bridge, text, box } = open({}, { sendMessage: () => answered.promise })
    await userEvent.keyboard('once{Enter}{Enter}{Enter}')
    box.element().closest('form')?.requestSubmit()
    expect(text()).toBe('once')
    answered.resolve()
    await expect.poll(text).toBe('')
    expect(bridge.inputsOf('sendMessage')).toHaveLength(1)
  })

  test('sends once, even if the user leaves and comes back before main answers', async () => {
    const answered = Promise.withResolvers<void>()
    const { bridge, text, box, isOpen } = open({}, { sendMessage: () => answered.promise })
    await userEvent.keyboard('once{Enter}')
    isOpen.value = false
    await expect.element(box).not.toBeInTheDocument()
    isOpen.value = true
    await expect.element(box).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    box.element().closest('form')?.requestSubmit()
    await userEvent.keyboard('more')
    answered.resolve()
    await expect.poll(text).toBe('more')
    expect(bridge.inputsOf('sendMessage')).toMatchObject([{ text: 'once' }])
    await userEvent.keyboard('!')
    await expect.poll(() => bridge.inputsOf('saveDraft').at(-1)).toMatchObject({ text: 'more!' })
  })

  test.each([
    ['the disk is full', 'sendMessage', 'once', /disk is full/],
    ['many would be notified', 'run', '@**all** hi', /Not sent yet.*@all notifies/],
  ] as const)(
    'reports to a user elsewhere that nothing was sent because %s',
    async (_why, asked, typed, words) => {
      const gate = Promise.withResolvers()
      const { bridge, isOpen } = open({}, { [asked]: () => gate.promise })
      await userEvent.keyboard(`${typed}{Enter}`)
      isOpen.value = false
      gate.resolve(
        asked === 'run'
          ? { subscribers: Array.from({ length: 240 }, (_, at) => at) }
          : failed({ kind: 'invalid', field: 'disk', message: 'The disk is full.' }),
      )
      await expect.poll(() => shownToast.value?.text).toMatch(words)
      dismissToast()
      expect(bridge.inputsOf('saveDraft').at(-1)).toMatchObject({ text: typed })
      expect(bridge.inputsOf('sendMessage')).toHaveLength(asked === 'run' ? 0 : 1)
    },
  )

  test('keeps what is typed while main accepts a message, saves it, and sends it as the next one', async () => {
    const answered = Promise.withResolvers<void>()
    const { bridge, text, box } = open({}, { sendMessage: () => answered.promise })
    await userEvent.keyboard('once{Enter}an{Enter}')
    expect(text()).toBe('oncean')
    answered.resolve()
    await expect.poll(text).toBe('an')
    expect(bridge.inputsOf('sendMessage')).toMatchObject([{ text: 'once' }])
    await expect.element(box).toHaveFocus()
    await userEvent.keyboard('swer')
    await expect.poll(() => bridge.inputsOf('saveDraft').at(-1)).toMatchObject({ text: 'answer' })
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => bridge.inputsOf('sendMessage'))
      .toMatchObject([{ text: 'once' }, { text: 'answer' }])
  })

  test('keeps a whole emoji that took the place of the one being sent', async () => {
    const answered = Promise.withResolvers<void>()
    const { text, box } = open({}, { sendMessage: () => answered.promise })
    await box.fill('👍')
    await userEvent.keyboard('{Enter}')
    await box.fill('👎')
    answered.resolve()
    await expect.element(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled()
    expect(text()).toBe('👎')
  })

  test('sends the text as it was at Enter, however late the number of people notified is known', async () => {
    const known = Promise.withResolvers()
    const { bridge, text } = open({}, { run: () => known.promise })
    await userEvent.keyboard('@**all** hi{Enter}more')
    known.resolve({ subscribers: [1, 2, 3] })
    await expect.poll(text).toBe('more')
    expect(bridge.inputsOf('sendMessage')).toMatchObject([{ text: '@**all** hi' }])
  })

  test('keeps the text and says why if main refuses it', async () => {
    const refusal = failed({ kind: 'invalid', field: 'disk', message: 'The disk is full.' })
    const { screen, text } = open({}, { sendMessage: () => refusal })
    await userEvent.keyboard('precious{Enter}')
    await expect.element(screen.getByText('The disk is full.')).toBeVisible()
    expect(text()).toBe('precious')
  })

  test('asks before many people are notified, and sends once that is confirmed', async () => {
    const { bridge, screen, box } = open(
      {},
      { run: () => ({ subscribers: Array.from({ length: 240 }, (_, at) => at) }) },
    )
    await box.fill('@**all** hi')
    await expect.element(screen.getByText('@all notifies 240 people in # ops.')).toBeVisible()
    await userEvent.keyboard('{Enter}')
    const question = screen.getByRole('dialog', { name: 'Notify this many people?' })
    await expect.element(question).toBeVisible()
    expect(bridge.inputsOf('sendMessage')).toEqual([])
    await userEvent.keyboard('{Escape}')
    await expect.element(box).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(question.getByText(/notifies 240 people/)).toHaveFocus()
    // An Enter typed on doesn’t confirm it.
    await userEvent.keyboard('{Enter}')
    await expect.element(question).toBeVisible()
    expect(bridge.inputsOf('sendMessage')).toEqual([])
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.poll(() => bridge.inputsOf('sendMessage')).toHaveLength(1)
  })

  test.each(['Enter', 'Send'])('accepts what is typed on while it asks after %s', async (way) => {
    const known = Promise.withResolvers()
    const { bridge, screen, box, text } = open({}, { run: () => known.promise })
    await userEvent.keyboard('@**all** hi')
    if (way === 'Enter') await userEvent.keyboard('{Enter}')
    else await screen.getByRole('button', { name: 'Send' }).click()
    known.resolve({ subscribers: Array.from({ length: 240 }, (_, at) => at) })
    await expect.element(screen.getByRole('dialog')).toBeVisible()
    await userEvent.keyboard(' and more')
    await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
    await expect.element(box).toHaveFocus()
    expect(text()).toBe('@**all** hi and more')
    await expect
      .element(screen.getByText('Not sent yet. @all notifies 240 people in # ops.'))
      .toBeVisible()
    expect(bridge.inputsOf('sendMessage')).toEqual([])
    await userEvent.keyboard('{Enter}')
    await expect.element(screen.getByRole('dialog')).toBeVisible()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect
      .poll(() => bridge.inputsOf('sendMessage'))
      .toMatchObject([{ text: '@**all** hi and more' }])
  })

  test('doesn’t ask if few people are notified, however fast the user sends', async () => {
    const { bridge, box } = open({}, { run: () => ({ subscribers: [1, 2, 3] }) })
    await box.fill('@**all** hi')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => bridge.inputsOf('sendMessage')).toHaveLength(1)
  })

  test.each(['Ctrl+Z', 'Undo'])('undoes a pending send, by %s', async (way) => {
    const { bridge, screen, conversation } = open()
    const held = eg.outboxMessage({
      conversation,
      state: 'queued',
      heldUntil: Date.now() + 60_000,
    })
    appState.value = { ...appState.value, outbox: [held] }
    await expect.element(screen.getByText(/^sends in \d+ s$/)).toBeVisible()
    if (way === 'Undo') await screen.getByRole('button', { name: 'Undo' }).click()
    else await userEvent.keyboard('{Control>}z{/Control}')
    await expect
      .poll(() => bridge.inputsOf('discardMessage'))
      .toEqual([{ localId: held.localId, keepText: true }])
  })

  test('keeps what is typed while a message is taken back, after it', async () => {
    const answered = Promise.withResolvers<void>()
    const { bridge, text, conversation, setDraft } = open(
      {},
      { discardMessage: () => answered.promise },
    )
    const held = eg.outboxMessage({ conversation, state: 'queued', heldUntil: Date.now() + 60_000 })
    appState.value = { ...appState.value, outbox: [held] }
    await userEvent.keyboard('{Control>}z{/Control}')
    await expect.poll(() => bridge.inputsOf('discardMessage')).toHaveLength(1)
    await userEvent.keyboard('and')
    setDraft('once')
    answered.resolve()
    await expect.poll(text).toBe('once\n\nand')
    await expect
      .poll(() => bridge.inputsOf('saveDraft').at(-1))
      .toMatchObject({ text: 'once\n\nand', over: 'once' })
  })

  test('never counts down from more than the setting, even between two clock ticks', async () => {
    const { screen, conversation } = open()
    const held = eg.outboxMessage({ conversation, state: 'queued', heldUntil: Date.now() + 30_000 })
    now.value = Date.now() - 900
    appState.value = { ...appState.value, outbox: [held] }
    await expect.element(screen.getByText(/^sends in (30|2\d) s$/)).toBeVisible()
  })

  test('keeps room to type in a narrow window at 200 %', async () => {
    await page.viewport(210, 310)
    onTestFinished(() => page.viewport(414, 896))
    const { screen, box } = open()
    const wide = () => box.element().getBoundingClientRect().width
    await expect.poll(wide).toBeGreaterThan(170)
    const send = screen.getByRole('button', { name: 'Send' }).element().getBoundingClientRect()
    expect(send.right).toBeLessThanOrEqual(210)
    expect(send.top).toBeGreaterThanOrEqual(box.element().getBoundingClientRect().bottom)
  })

  test('suggests long names in full at 200 % in the smallest window, the selected one in view', async () => {
    await page.viewport(180, 210)
    onTestFinished(() => page.viewport(414, 896))
    const users = Array.from({ length: 6 }, (_, id) => ({
      ...{ id: id + 20, name: `${'W'.repeat(30)}${id}`, isBot: false },
    }))
    const { screen } = open({
      realms: new Map([
        [eg.chatId, eg.realm([], { users: new Map(users.map((one) => [one.id, one])) })],
      ]),
    })
    await userEvent.keyboard('@W')
    const options = () => screen.getByRole('option')
    await expect.element(options().first()).toBeVisible()
    for (const key of ['{ArrowDown}', '{ArrowUp}', '{ArrowUp}']) {
      await userEvent.keyboard(key)
      const box = (part: string) => document.querySelector(part)?.getBoundingClientRect()
      const chosen = () => box('.completion[aria-selected=true]')
      expect(box('.completions')?.height).toBeLessThanOrEqual(105)
      // Allows for fractions of a pixel.
      const list = box('.completions') ?? new DOMRect()
      await expect.poll(() => chosen()?.top).toBeGreaterThan(list.top - 1)
      await expect.poll(() => chosen()?.bottom).toBeLessThan(list.bottom + 1)
    }
    for (const one of options().elements())
      expect(one.scrollWidth).toBeLessThanOrEqual(one.clientWidth)
  })

  test('leaves Ctrl+Z to the text being typed', async () => {
    const { bridge, conversation, box, text } = open()
    const held = eg.outboxMessage({ conversation, state: 'queued', heldUntil: Date.now() + 60_000 })
    appState.value = { ...appState.value, outbox: [held] }
    await userEvent.keyboard('typed{Control>}z{/Control}')
    expect(bridge.inputsOf('discardMessage')).toEqual([])
    await box.fill('')
    expect(text()).toBe('')
    const z = { key: 'z', ctrlKey: true, repeat: true, bubbles: true, cancelable: true }
    expect(box.element().dispatchEvent(new KeyboardEvent('keydown', z))).toBe(true)
    // Pressed anew, it takes the message back.
    const again = new KeyboardEvent('keydown', { ...z, repeat: false })
    expect(box.element().dispatchEvent(again)).toBe(false)
  })

  test('is previewed as the server renders it, toggled by Alt+P', async () => {
    const { bridge, screen, box } = open(
      {},
      { run: () => ({ rendered: '<p>all <em>well</em></p>' }) },
    )
    await box.fill('all *well*')
    await userEvent.keyboard('{Alt>}p{/Alt}')
    const preview = screen.getByRole('region', { name: 'Preview' })
    await expect.element(preview.getByText('well', { exact: true })).toBeVisible()
    expect(bridge.inputsOf('run')).toEqual([
      { accountId: eg.chatId, operation: 'renderMessage', params: { content: 'all *well*' } },
    ])
    await userEvent.keyboard('{Alt>}p{/Alt}')
    await expect.element(preview).not.toBeInTheDocument()
    await expect.element(box).toHaveFocus()
  })

  test('is previewed from its menu too, which leaves more than half of the line to the text', async () => {
    const { screen, box } = open({}, { run: () => ({ rendered: '<p>all well</p>' }) })
    const form = box.element().closest('form')
    form!.style.width = '420px'
    const share = box.element().getBoundingClientRect().width / 420
    expect(share).toBeGreaterThan(0.55)
    await box.fill('all well')
    await screen.getByRole('button', { name: 'More ways to write' }).click()
    await screen.getByRole('menuitem', { name: /^Preview the message/ }).click()
    await expect.element(screen.getByRole('region', { name: 'Preview' })).toBeVisible()
    await expect.element(box).toHaveFocus()
    await screen.getByRole('button', { name: 'More ways to write' }).click()
    await screen.getByRole('menuitem', { name: /^Close the preview/ }).click()
    await expect.element(screen.getByRole('region', { name: 'Preview' })).not.toBeInTheDocument()
  })

  test('keeps Esc for its preview, and without one leaves it to the window', async () => {
    const { screen, box } = open({}, { run: () => ({ rendered: '<p>all well</p>' }) })
    await box.fill('all well')
    await userEvent.keyboard('{Alt>}p{/Alt}')
    const preview = screen.getByRole('region', { name: 'Preview' })
    await expect.element(preview).toBeVisible()
    const esc = () =>
      box
        .element()
        .dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }),
        )
    expect(esc()).toBe(false)
    await expect.element(preview).not.toBeInTheDocument()
    expect(esc()).toBe(true)
  })

  test('says why there is no preview, and sends nevertheless', async () => {
    const refusal = failed({ kind: 'network', reason: 'offline', host: 'chat', reached: 'no' })
    const { bridge, screen } = open({}, { run: () => refusal })
    await userEvent.keyboard('anyway{Alt>}p{/Alt}')
    await expect.element(screen.getByText(/^No preview: /)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => bridge.inputsOf('sendMessage')).toHaveLength(1)
    await expect.element(screen.getByRole('region', { name: 'Preview' })).not.toBeInTheDocument()
  })

  test('doesn’t send white space alone', async () => {
    const { bridge, screen } = open()
    await userEvent.keyboard('  {Shift>}{Enter}{/Shift} {Enter}')
    await expect.element(screen.getByRole('button', { name: 'Send' })).toBeDisabled()
    expect(bridge.inputsOf('sendMessage')).toEqual([])
  })

  test('counts near the limit, in code points, and refuses what the server would cut', async () => {
    const { bridge, screen, box } = open()
    await box.fill('👍'.repeat(17))
    expect(screen.getByText(/\/ 20$/).query()).toBeNull()
    await box.fill('👍'.repeat(20))
    await expect.element(screen.getByText('20 / 20')).toBeVisible()
    await expect.element(screen.getByRole('button', { name: 'Send' })).toBeEnabled()
    await box.fill('👍'.repeat(21))
    await expect.element(screen.getByText('21 / 20')).toBeVisible()
    await expect
      .element(screen.getByText('1 over the limit: this server allows 20 characters.'))
      .toBeVisible()
    await expect.element(screen.getByRole('button', { name: 'Send' })).toBeDisabled()
    await userEvent.keyboard('{Enter}')
    expect(bridge.inputsOf('sendMessage')).toEqual([])
  })

  test('says why nothing can be sent without a key, and keeps the text', async () => {
    const accounts = [eg.chatAccount({ key: 'rejected' })]
    const { bridge, screen, text } = open({ accounts })
    await userEvent.keyboard('later{Enter}')
    await expect.element(screen.getByRole('button', { name: 'Replace key' })).toBeVisible()
    await expect.element(screen.getByRole('button', { name: 'Send' })).toBeDisabled()
    expect(text()).toBe('later')
    expect(bridge.inputsOf('sendMessage')).toEqual([])
  })
})

describe('an unsent text', () => {
  test('is saved soon after it is typed, while the box keeps the focus', async () => {
    const { bridge, conversation } = open()
    await userEvent.keyboard('half')
    await expect
      .poll(() => bridge.inputsOf('saveDraft').at(-1))
      .toMatchObject({ accountId: eg.chatId, conversation, text: 'half' })
    // Slow typing causes several saves, each over the one before.
    expect(bridge.inputsOf('saveDraft')[0]).toMatchObject({ over: '' })
  })

  test('is saved at once when the box loses the focus', async () => {
    const { bridge, box } = open()
    await userEvent.keyboard('half')
    const saved = bridge.inputsOf('saveDraft').length
    await userEvent.keyboard(' a sentence')
    ;(box.element() as HTMLTextAreaElement).blur()
    expect(bridge.inputsOf('saveDraft').length).toBeGreaterThan(saved)
    expect(bridge.inputsOf('saveDraft').at(-1)).toMatchObject({ text: 'half a sentence' })
  })

  test('is restored when its conversation opens', async () => {
    const { box } = open({}, {}, 'from yesterday')
    await expect.element(box).toHaveValue('from yesterday')
  })

  test('is replaced by main’s while nothing was typed, and never otherwise', async () => {
    const { text, setDraft, bridge } = open()
    setDraft('from another window')
    await expect.poll(text).toBe('from another window')
    await userEvent.keyboard(' and mine')
    await expect.poll(() => bridge.inputsOf('saveDraft').length).toBeGreaterThan(0)
    setDraft('something else')
    expect(text()).toBe('from another window and mine')
  })

  test('stays here, with a message, if main couldn’t save it', async () => {
    const refusal = failed({ kind: 'invalid', field: 'disk', message: 'The disk is full.' })
    const { screen, text } = open({}, { saveDraft: () => refusal })
    await userEvent.keyboard('precious')
    await expect.element(screen.getByText('The disk is full.')).toBeVisible()
    expect(text()).toBe('precious')
  })
})

describe('an unsent text that main could not save', () => {
  test('is retried, and the message disappears', async () => {
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
    let full = true
    const refusal = failed({ kind: 'invalid', field: 'disk', message: 'The disk is full.' })
    const bridge = withBridge({ saveDraft: () => (full ? refusal : undefined) })
    withState(eg.state())
    const place = { accountId: eg.chatId, conversation: { kind: 'direct', userIds: [7] } } as const
    const draft = createDraftText(place)
    draft.edit('precious')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(draft.failure.value).toMatchObject({ field: 'disk' })
    expect(draft.text.value).toBe('precious')
    full = false
    await vi.advanceTimersByTimeAsync(5_000)
    expect(draft.failure.value).toBeNull()
    expect(bridge.inputsOf('saveDraft')).toHaveLength(3)
    expect(bridge.inputsOf('saveDraft').at(-1)).toEqual({ ...place, text: 'precious', over: '' })
    draft.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('an attached file', () => {
  test('is chosen in main, sent with its conversation, and shows its progress', async () => {
    const chosen = { fileId: 'f1', name: 'trace.log', size: 200 }
    const { bridge, screen, conversation } = open({}, { chooseFiles: () => [chosen] })
    await screen.getByRole('button', { name: 'Attach files' }).click()
    await expect.poll(() => bridge.inputsOf('startUpload')).toHaveLength(1)
    expect(bridge.inputsOf('startUpload')).toEqual([
      { accountId: eg.chatId, fileId: 'f1', place: conversation },
    ])
    const upload = eg.upload({ conversation, name: 'trace.log', sent: 50, total: 200 })
    appState.value = { ...appState.value, uploads: [upload] }
    const bar = screen.getByRole('progressbar', { name: 'Sending trace.log' })
    await expect.element(bar).toHaveAttribute('value', '25')
    await screen.getByRole('button', { name: 'Cancel trace.log' }).click()
    expect(bridge.inputsOf('cancelUpload')).toEqual([{ id: upload.id }])
    await expect.element(screen.getByRole('textbox')).toHaveFocus()
    await expect.poll(() => shownToast.value?.text).toBe('The upload of trace.log was cancelled.')
  })

  test('goes with the message, which isn’t sent before it has arrived', async () => {
    const { bridge, screen, conversation } = open()
    const upload = eg.upload({ conversation, name: 'trace.log' })
    appState.value = { ...appState.value, uploads: [upload] }
    await userEvent.keyboard('look at this{Enter}')
    await expect.element(screen.getByText(/A file is still on its way/)).toBeVisible()
    expect(bridge.inputsOf('sendMessage')).toEqual([])
    appState.value = { ...appState.value, uploads: [{ ...upload, state: 'failed' }] }
    await expect.element(screen.getByText(/A file is still on its way/)).not.toBeInTheDocument()
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => bridge.inputsOf('sendMessage'))
      .toMatchObject([{ text: 'look at this' }])
  })

  test('sends nothing if its dialog was cancelled', async () => {
    const { bridge, screen } = open({}, { chooseFiles: () => [] })
    await screen.getByRole('button', { name: 'Attach files' }).click()
    await expect.poll(() => bridge.inputsOf('chooseFiles')).toHaveLength(1)
    expect(bridge.inputsOf('startUpload')).toEqual([])
  })

  test('says why it wasn’t sent, until that is dismissed', async () => {
    const failure = { kind: 'serverFault', httpStatus: 502 } as const
    const { screen, conversation } = open()
    const upload = eg.upload({ conversation, name: 'trace.log', state: 'failed', failure })
    appState.value = { ...appState.value, uploads: [upload] }
    await expect.poll(() => screen.getByRole('alert').element().textContent).toContain('(502)')
    await expect.element(screen.getByRole('button', { name: 'Dismiss trace.log' })).toBeVisible()
  })

  test('is pasted in pieces, each file as its own upload', async () => {
    let pieces = 0
    const { bridge, box } = open(
      {},
      {
        putFile: () => {
          pieces += 1
          // Main refuses one piece for now.
          if (pieces === 2)
            return failed({ kind: 'invalid', field: 'command', message: 'Too many commands.' })
          return { fileId: pieces === 1 || pieces === 3 ? 'a' : 'b', name: 'x', size: 1 }
        },
      },
    )
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(200_000)], 'shot.png', { type: 'image/png' }))
    data.items.add(new File(['small'], 'note.txt', { type: 'text/plain' }))
    box
      .element()
      .dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    await expect.poll(() => bridge.inputsOf('startUpload')).toHaveLength(2)
    expect(bridge.inputsOf('startUpload')).toMatchObject([{ fileId: 'a' }, { fileId: 'b' }])
    const puts = bridge.inputsOf('putFile') as {
      fileId: unknown
      name: string
      bytes: Uint8Array
    }[]
    expect(puts.map((one) => [one.fileId, one.name, one.bytes.length])).toEqual([
      [null, 'shot.png', 131_072],
      ['a', 'shot.png', 68_928],
      ['a', 'shot.png', 68_928],
      [null, 'note.txt', 5],
    ])
  })

  test('is waited for, also where another was pasted and read meanwhile', async () => {
    const slow = Promise.withResolvers()
    const { bridge, screen, box } = open(
      {},
      {
        putFile: (input) =>
          (input as { name: string }).name === 'slow.log' ? slow.promise : { fileId: 'quick' },
      },
    )
    for (const name of ['slow.log', 'quick.log']) {
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File(['x'], name, { type: 'text/x-log' }))
      const how = { clipboardData, bubbles: true, cancelable: true }
      box.element().dispatchEvent(new ClipboardEvent('paste', how))
    }
    await expect.poll(() => bridge.inputsOf('startUpload')).toMatchObject([{ fileId: 'quick' }])
    await expect.element(screen.getByText('Reading slow.log…')).toBeVisible()
    await userEvent.keyboard('here{Enter}')
    await expect.element(screen.getByText(/A file is still on its way/)).toBeVisible()
    slow.resolve({ fileId: 'slow' })
    await expect.element(screen.getByText('Reading slow.log…')).not.toBeInTheDocument()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => bridge.inputsOf('sendMessage')).toHaveLength(1)
  })

  test('can be retried, and says if the server may already have it', async () => {
    const failure = { kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' } as const
    const { bridge, screen, conversation } = open()
    const upload = eg.upload({ conversation, name: 'trace.log', state: 'failed', failure })
    appState.value = { ...appState.value, uploads: [upload] }
    await expect.element(screen.getByText(/The server may already have it/)).toBeVisible()
    await screen.getByRole('button', { name: 'Try trace.log again' }).click()
    expect(bridge.inputsOf('retryUpload')).toEqual([{ id: upload.id }])
  })

  test('shows a preview while the typed text links to it', async () => {
    const picture = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
    const url = '/user_uploads/2/x/shot.png'
    const { screen, box, conversation } = open({}, { thumbnail: () => picture })
    const upload = eg.upload({ conversation, name: 'shot.png', state: 'done', url })
    appState.value = { ...appState.value, uploads: [upload] }
    expect(document.querySelector('.upload-picture')).toBeNull()
    await box.fill(`see [shot.png](${url})`)
    await expect.poll(() => document.querySelector('.upload-picture')).not.toBeNull()
    await box.fill('see')
    await expect.element(screen.getByRole('list', { name: 'Uploads' })).not.toBeInTheDocument()
  })

  test('is linked, with others, after what was typed while it was uploading', async () => {
    const { text, setDraft } = open()
    await userEvent.keyboard('look:')
    setDraft('[a.log](/user_uploads/2/x/a.log)\n[b.log](/user_uploads/2/x/b.log)')
    await expect
      .poll(text)
      .toBe('look:\n[a.log](/user_uploads/2/x/a.log)\n[b.log](/user_uploads/2/x/b.log)')
  })

  test('is linked if main sends the draft once, with the earlier text and the link', async () => {
    const { text, setDraft } = open()
    await userEvent.keyboard('lo')
    setDraft('lo')
    await userEvent.keyboard('ok:')
    setDraft('look: [trace.log](/user_uploads/2/x/trace.log)')
    await expect.poll(text).toMatch(/^look:\s\[trace\.log\]\(\/user_uploads\/2\/x\/trace\.log\)$/)
  })

  const link = '[a.log](/user_uploads/2/x/a.log)'
  test.each([
    ['within the text', 'look now', 4, ' here', `look here now\n${link}`],
    ['within a word', 'look he', 7, 're', `look here\n${link}`],
    ['behind the link, after a space', 'look: ', 6, ' here', `look: ${link} here`],
  ])('is linked while the user types, who goes on %s', async (_where, before, at, typed, after) => {
    const { text, setDraft, box } = open()
    await userEvent.keyboard(before)
    ;(box.element() as HTMLTextAreaElement).setSelectionRange(at, at)
    setDraft(link)
    await expect.poll(text).toContain(link)
    await userEvent.keyboard(typed)
    expect(text()).toBe(after)
  })

  test('leaves what an input method composes to it', async () => {
    const { text, setDraft } = open()
    await userEvent.keyboard('look')
    const compose = (composed: string) =>
      cdp().send('Input.imeSetComposition', {
        text: composed,
        selectionStart: composed.length,
        selectionEnd: composed.length,
      })
    await compose('に')
    await compose('にほ')
    expect(text()).toBe('lookにほ')
    setDraft(link)
    await compose('にほん')
    await cdp().send('Input.insertText', { text: '日本' })
    await expect.poll(text).toBe(`look日本\n${link}`)
  })

  test('is linked after what was typed while it was uploading', async () => {
    const { text, setDraft } = open()
    await userEvent.keyboard('look:')
    setDraft('[trace.log](/user_uploads/2/x/trace.log)')
    await expect.poll(text).toBe('look:\n[trace.log](/user_uploads/2/x/trace.log)')
  })
})
