import { expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Commands } from '#shared/contract.ts'
import { draftKey } from '#shared/core/chat/drafts.ts'
import type { Message } from '#shared/core/chat/message.ts'
import { unsavedKey } from '#shared/core/chat/unsaved-forms.ts'
import { withEntry } from '#shared/core/identity.ts'
import { ConversationPane } from '../../../src/renderer/chat/conversation-pane.tsx'
import { chooseReaction, messageActions } from '../../../src/renderer/chat/message-actions.tsx'
import { Palette } from '../../../src/renderer/palette/palette.tsx'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { appState, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

const there = { accountId: eg.chatId, conversation: eg.topic }
const dialog = page.getByRole('dialog')
const field = dialog.getByRole('textbox', { name: 'Message' })
const save = dialog.getByRole('button', { name: 'Save' })

/** Two of the user’s own messages, in their conversation. */
function open(answers: Answers = {}) {
  const messages = [1, 2].map((id) => eg.message({ id, isMe: true, text: 'bold', flags: ['read'] }))
  const bridge = withBridge(answers)
  withState(eg.state({ realms: new Map([[eg.chatId, eg.realm(messages)]]) }))
  onTestFinished(dismissToast)
  mount(<ConversationPane {...there} messageId={null} />)
  const [first = eg.message(), second = first] = messages
  return { bridge, first, second }
}

function store(key: string, text: string): void {
  const { value } = appState
  appState.value = { ...value, drafts: withEntry(value.drafts, key, text || null) }
}

/** Main's answers when it stores every text, which the window then follows. */
const storing: Answers = {
  saveDraft(input) {
    const { accountId, conversation, text } = input as Parameters<Commands['saveDraft']>[0]
    store(draftKey(accountId, conversation), text)
  },
  saveForm(input) {
    const { accountId, form, text } = input as Parameters<Commands['saveForm']>[0]
    store(unsavedKey(accountId, form), text)
  },
}

function edit(message: Message): void {
  choose(message, 'Edit')
}

function choose(message: Message, wanted: string): void {
  const parts = { place: there, realm: eg.realm(), baseUrl: '', insert: () => undefined }
  const { action } = messageActions(message, parts).find(({ title }) => title === wanted) ?? {}
  if (action?.does !== 'here') throw new Error('there is no such action')
  action.act()
}

const isEdit = (input: unknown): boolean =>
  (input as { operation: string }).operation === 'editMessage'

/** Every message has a source; the test answers each edit. */
function editing() {
  const answers: ((with_: unknown) => void)[] = []
  const run = (input: unknown): unknown =>
    isEdit(input)
      ? new Promise((resolve) => {
          answers.push(resolve)
        })
      : { raw_content: 'bold', message: {} }
  return { run, answer: (with_: unknown) => answers.shift()?.(with_) }
}

/** The conversation where the window is at one, as in the window. */
function Shown() {
  const { value } = place
  return value.view === 'conversation' ? <ConversationPane {...value} /> : null
}

test('what was asked about a message, or enlarged in it, goes with its conversation', async () => {
  const picture = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
  const html =
    '<div class="message_inline_image"><a href="/user_uploads/2/a/x.png"><img src="/user_uploads/thumbnail/2/a/x.png/840x560.webp"></a></div>'
  const bridge = withBridge({
    run: () => ({ raw_content: 'bold', message: {}, presence: {} }),
    loadImage: () => picture,
  })
  const mine = eg.message({ isMe: true, html, flags: ['read'] })
  const realms = new Map([[eg.chatId, eg.realm([mine])]])
  withState(eg.state({ accounts: [eg.chatAccount({ images: true })], realms }))
  const here = { view: 'conversation', ...there, messageId: null } as const
  const elsewhere = { ...here, conversation: eg.direct }
  place.value = here
  mount(
    <div style={{ height: '600px', width: '420px', display: 'flex' }}>
      <Shown />
    </div>,
  )
  edit(mine)
  await expect.element(field).toHaveFocus()
  await userEvent.keyboard(' text')
  place.value = elsewhere
  await expect.element(dialog).not.toBeInTheDocument()
  // As often as it took to type it.
  await expect
    .poll(() => bridge.inputsOf('saveForm').at(-1))
    .toMatchObject({ text: JSON.stringify({ content: 'bold text' }) })
  place.value = here
  await page.getByRole('button', { name: /^Open image x\.png/ }).click()
  await expect.element(page.getByRole('dialog', { name: 'Image x.png' })).toBeVisible()
  place.value = elsewhere
  await expect.element(dialog).not.toBeInTheDocument()
  place.value = here
  await expect.element(page.getByRole('button', { name: /^Open image x\.png/ })).toBeVisible()
  expect(dialog.elements()).toEqual([])
})

test.each([
  ['raw_content', { message: eg.message(), raw_content: '**bold**' }],
  ['content', { message: { content: '**bold**' } }],
])(
  'a message isn’t edited without its source (%s), since its plain text would replace that',
  async (_field, source) => {
    let isOffline = true
    const { bridge, first } = open({
      run: () => (isOffline ? failed({ kind: 'serverFault', httpStatus: 500 }) : source),
    })
    edit(first)
    await expect.element(dialog.getByText(/internal error/)).toBeVisible()
    expect(field.elements()).toEqual([])
    await userEvent.keyboard('{Escape}')
    isOffline = false
    edit(first)
    await expect.element(field).toHaveValue('**bold**')
    await expect.element(field).toHaveFocus()
    // What is typed now is stored, and is restored after a restart without the server.
    await userEvent.keyboard(' and more')
    await expect
      .poll(() => bridge.inputsOf('saveForm').at(-1))
      .toMatchObject({ form: `message/${first.id}`, text: '{"content":"**bold** and more"}' })
    await userEvent.keyboard('{Escape}')
  },
)

test.each(['bolder', ''])(
  'an unsaved edit to “%s” is restored, even without the server, and can be discarded',
  async (typed) => {
    const { bridge, first } = open()
    const key = `${there.accountId}/form/message/${first.id}`
    const drafts = new Map([[key, JSON.stringify({ content: typed })]])
    appState.value = { ...appState.value, drafts }
    edit(first)
    await expect.element(field).toHaveValue(typed)
    expect(bridge.inputsOf('run')).toEqual([])
    await expect.element(dialog.getByText(/did not save/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await expect.poll(() => bridge.inputsOf('saveForm').at(-1)).toMatchObject({ text: '' })
    expect(dialog.elements()).toEqual([])
  },
)

test('a message whose source comes late doesn’t open its edit form once that was cancelled', async () => {
  let answer: (source: unknown) => void = () => undefined
  const run = () =>
    new Promise((resolve) => {
      answer = resolve
    })
  const { first } = open({ run })
  edit(first)
  await expect.element(dialog.getByText('Reading its text…')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  expect(dialog.elements()).toEqual([])
  answer({ raw_content: 'bold', message: {} })
  await new Promise((resolve) => requestAnimationFrame(resolve))
  expect(dialog.elements()).toEqual([])
})

test('the emoji picker opens at once: text typed before the names are read finds one, and Esc cancels', async () => {
  const names = [{ name: 'tada', code: '1f389', type: 'unicode_emoji' }]
  const asked: ((found: unknown) => void)[] = []
  const emojiNames = () =>
    new Promise((resolve) => {
      asked.push(resolve)
    })
  const { bridge, first } = open({ emojiNames })
  mount(<Palette onHelp={() => undefined} />)
  const list = dialog.getByRole('combobox', { name: 'Emoji' })
  chooseReaction(there, first)
  await expect.element(dialog.getByText('Loading…')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  asked.shift()?.(names)
  await new Promise((resolve) => requestAnimationFrame(resolve))
  expect(dialog.elements()).toEqual([])
  chooseReaction(there, first)
  await expect.element(list).toHaveFocus()
  await userEvent.keyboard('tad')
  asked.shift()?.(names)
  await expect.element(dialog.getByRole('option', { name: /tada/ })).toBeVisible()
  await expect.element(list).toHaveValue('tad')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => bridge.inputsOf('setReaction')).toMatchObject([{ name: 'tada' }])
  expect(dialog.elements()).toEqual([])
})

test('an emoji of the realm takes the place of a built-in one with its name', async () => {
  const names = ['tada', 'party_popper'].map((name) => ({
    name,
    code: '1f389',
    type: 'unicode_emoji',
  }))
  const { bridge, first } = open({ emojiNames: () => names })
  const realm = appState.value.realms.get(eg.chatId)!
  const emoji = new Map([['5', { name: 'tada', source: null }]])
  appState.value = { ...appState.value, realms: new Map([[eg.chatId, { ...realm, emoji }]]) }
  mount(<Palette onHelp={() => undefined} />)
  chooseReaction(there, first)
  await expect.element(dialog.getByRole('combobox', { name: 'Emoji' })).toHaveFocus()
  await userEvent.keyboard('tada')
  await expect.element(dialog.getByRole('option', { name: /tada/ })).toBeVisible()
  expect(dialog.getByRole('option', { name: /tada/ }).elements()).toHaveLength(1)
  await userEvent.keyboard('{Enter}')
  await expect
    .poll(() => bridge.inputsOf('setReaction'))
    .toMatchObject([{ name: 'tada', code: '5', type: 'realm_emoji' }])
})

test('an edit form keeps what is typed while it is being saved', async () => {
  const { run, answer } = editing()
  const { first } = open({ run })
  edit(first)
  await field.fill('bolder')
  await save.click()
  await field.fill('bolder still')
  answer({})
  await expect.element(dialog.getByText(/not what you typed since/)).toBeVisible()
  await expect.element(field).toHaveValue('bolder still')
  await save.click()
  answer({})
  await expect.poll(() => dialog.elements()).toEqual([])
})

test('an edit form opened again while it is being saved keeps what is typed then', async () => {
  const { run, answer } = editing()
  const { bridge, first } = open({ ...storing, run })
  const stored = () => appState.value.drafts.get(unsavedKey(there.accountId, `message/${first.id}`))
  edit(first)
  await field.fill('bolder')
  await save.click()
  await userEvent.keyboard('{Escape}')
  edit(first)
  await field.fill('bolder still')
  await expect.poll(stored).toBe('{"content":"bolder still"}')
  answer({})
  await expect.poll(() => shownToast.value?.text).toMatch(/not what you typed since/)
  await expect.element(field).toHaveValue('bolder still')
  expect(stored()).toBe('{"content":"bolder still"}')
  // Without further typing, it closes once everything is saved.
  await save.click()
  await userEvent.keyboard('{Escape}')
  edit(first)
  await expect.element(field).toHaveValue('bolder still')
  answer({})
  await expect.poll(() => dialog.elements()).toEqual([])
  await expect.poll(stored).toBeUndefined()
  expect(bridge.inputsOf('run').filter((one) => isEdit(one))).toHaveLength(2)
})

test('a quote that comes late keeps what was typed since the user left and came back', async () => {
  const source = Promise.withResolvers()
  withBridge({ ...storing, run: () => source.promise })
  withState(eg.state({ realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) }))
  const here = { view: 'conversation', ...there, messageId: null } as const
  place.value = here
  mount(
    <div style={{ height: '600px', width: '420px', display: 'flex' }}>
      <Shown />
      <Palette onHelp={() => undefined} />
    </div>,
  )
  const composer = page.getByRole('textbox', { name: /^Reply to/ })
  const stored = () => appState.value.drafts.get(draftKey(there.accountId, there.conversation))
  await composer.fill('before')
  await expect.poll(stored).toBe('before')
  document.querySelector<HTMLElement>('article')?.focus()
  await userEvent.keyboard('m')
  await page.getByRole('option', { name: 'Quote and reply' }).click()
  place.value = { ...here, conversation: eg.direct }
  await expect
    .element(page.getByRole('textbox', { name: /Reply to # ops/ }))
    .not.toBeInTheDocument()
  place.value = here
  await composer.fill('before and after')
  await expect.poll(stored).toBe('before and after')
  source.resolve({ raw_content: 'bold', message: {} })
  await expect.poll(stored).toMatch(/^before and after\n.*said.*\n```quote\nbold\n```\n$/)
  await expect.element(composer).toHaveValue(stored())
  // Typing goes on where it was; a quote that finds nobody typing takes the caret behind it.
  await userEvent.keyboard('!')
  await expect.poll(stored).toMatch(/^before and after!\n/)
  document.querySelector<HTMLElement>('article')?.focus()
  await userEvent.keyboard('m')
  await page.getByRole('option', { name: 'Quote and reply' }).click()
  await expect.element(composer).toHaveFocus()
  await userEvent.keyboard('see above')
  await expect.poll(stored).toMatch(/^before and after!\n.*\n```quote\nbold\n```\nsee above$/s)
})

test('an edit is saved once with Ctrl+Enter, since Enter inserts a line break', async () => {
  const { run, answer } = editing()
  const { bridge, first } = open({ run })
  edit(first)
  await expect.element(field).toHaveFocus()
  await userEvent.keyboard('er{Enter}than this{Control>}{Enter}{Enter}{/Control}')
  answer({})
  await expect.poll(() => dialog.elements()).toEqual([])
  const edits = bridge.inputsOf('run').filter((one) => isEdit(one))
  expect(edits).toMatchObject([{ params: { content: 'bolder\nthan this' } }])
})

test('an edit form closed while saving reports a failure, and closes no other form', async () => {
  const { run, answer } = editing()
  const { first, second } = open({ run })
  for (const reply of [{}, failed({ kind: 'serverFault', httpStatus: 500 })]) {
    edit(first)
    await field.fill('bolder')
    await save.click()
    await userEvent.keyboard('{Escape}')
    edit(second)
    await field.fill('the other')
    answer(reply)
    await expect.poll(() => dialog.getByRole('button', { name: 'Save' }).elements().length).toBe(1)
    await expect.element(field).toHaveValue('the other')
    await userEvent.keyboard('{Escape}')
  }
  await expect.poll(() => shownToast.value?.text).toMatch(/^Edit message: .*internal error/)
})
