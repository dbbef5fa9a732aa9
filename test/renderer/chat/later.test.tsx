import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Commands } from '#shared/contract.ts'
import { draftKey } from '#shared/core/chat/drafts.ts'
import {
  type KeptForLater,
  nothingKept,
  type ServerReminder,
} from '#shared/core/chat/kept-for-later.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { unsavedKey } from '#shared/core/chat/unsaved-forms.ts'
import type { AppState } from '#shared/core/state.ts'
import { clockWords } from '#shared/core/time.ts'
import { LaterPage } from '../../../src/renderer/chat/later-page.tsx'
import { closePalette } from '../../../src/renderer/palette-shown.ts'
import { BelfryWindow } from '../../../src/renderer/shell/window.tsx'
import { dismissToast, takeOffer } from '../../../src/renderer/toast.ts'
import { now, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

const room = { kind: 'topic', channelId: 10, topic: 'room' } as const
const hour = 60 * 60_000

function state(later: Partial<KeptForLater>, change: Partial<AppState> = {}): AppState {
  const said = eg.message({ conversation: room, flags: ['read'] })
  const kept = { ...nothingKept, drafts: [], scheduled: [], snippets: [], ...later }
  const server = { version: '6.0', featureLevel: 150 }
  return eg.state({
    realms: new Map([[eg.chatId, eg.realm([said], { later: kept, server })]]),
    ...change,
  })
}

function show(at: typeof place.value, of: AppState, answers: Answers = {}) {
  const bridge = withBridge(answers)
  withState(of)
  place.value = at
  onTestFinished(() => {
    dismissToast()
    closePalette()
  })
  mount(
    <div style={{ width: '420px', height: '100vh' }}>
      <BelfryWindow />
    </div>,
  )
  return bridge
}

const conversation = {
  view: 'conversation',
  accountId: eg.chatId,
  conversation: room,
  messageId: null,
} as const
const box = () => page.getByRole('textbox', { name: /^(?:Reply to|Write in)/ })
const text = () => (box().element() as HTMLTextAreaElement).value

describe('“Send later”', () => {
  test('takes one key and a digit, and empties the box', async () => {
    const bridge = show(conversation, state({}), {
      scheduleMessage: () => ({ id: 7, at: eg.now + hour }),
    })
    await expect.element(box()).toHaveFocus()
    await userEvent.keyboard('See you{Alt>}s{/Alt}')
    await expect.element(page.getByRole('button', { name: /^In 30 min/ })).toHaveFocus()
    await userEvent.keyboard('2')
    await expect.poll(text).toBe('')
    expect(bridge.inputsOf('scheduleMessage')).toMatchObject([{ text: 'See you' }])
    expect(bridge.inputsOf('sendMessage')).toEqual([])
  })

  test('offers times from when they are chosen, however long the dialog was open', async () => {
    const bridge = show(conversation, state({}), {
      scheduleMessage: () => ({ id: 7, at: eg.now + hour }),
    })
    await expect.element(box()).toHaveFocus()
    await userEvent.keyboard('See you{Alt>}s{/Alt}')
    await expect.element(page.getByRole('button', { name: /^In 30 min/ })).toHaveFocus()
    now.value += 2 * hour
    const at = now.value + 30 * eg.minute
    const first = page.getByRole('button', { name: /^In 30 min/ })
    await expect.element(first).toMatchTextContent(`In 30 min${clockWords(at, now.value)}`)
    await userEvent.keyboard('1')
    await expect.poll(() => bridge.inputsOf('scheduleMessage')).toMatchObject([{ at }])
  })

  test('that may have worked keeps the text and promises never to schedule it twice', async () => {
    show(conversation, state({}), {
      scheduleMessage: () =>
        failed({ kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' }),
    })
    await expect.element(box()).toHaveFocus()
    await userEvent.keyboard('Once{Alt>}s{/Alt}')
    await page.getByRole('button', { name: /^(Tomorrow|This) morning/ }).click()
    await expect.element(page.getByText(/never schedules it twice/)).toBeVisible()
    expect(text()).toBe('Once')
  })

  test('says what an old server lacks, and sends no request', async () => {
    const bridge = show(conversation, state({ scheduled: null, snippets: null }))
    await expect.element(box()).toHaveFocus()
    await userEvent.keyboard('x{Alt>}s{/Alt}')
    await expect.element(page.getByText(/too old to send messages later/)).toBeVisible()
    await userEvent.keyboard('{Alt>}i{/Alt}')
    await expect.element(page.getByText(/too old to keep snippets/)).toBeVisible()
    expect(bridge.inputsOf('scheduleMessage')).toEqual([])
  })
})

test('a text saved as a snippet is added to one that was begun and not saved', async () => {
  const begun = JSON.stringify({ title: 'Begun', content: 'Half a thought' })
  const drafts = new Map([[unsavedKey(eg.chatId, 'snippet/new'), begun]])
  show(conversation, state({}, { drafts }))
  await expect.element(box()).toHaveFocus()
  await userEvent.keyboard('All is calm.')
  await page.getByRole('button', { name: 'More ways to write' }).click()
  await page.getByRole('menuitem', { name: 'Save as a snippet…' }).click()
  const field = page.getByRole('textbox', { name: 'Text' })
  await expect.element(field).toHaveValue('Half a thought\n\nAll is calm.')
  await expect.element(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Begun')
})

describe('a saved snippet', () => {
  const snippets = [{ id: 3, title: 'Handover', content: '{topic}: {what}, {what}. {late}' }]

  test('is chosen by its name, filled in, and inserted at the cursor', async () => {
    show(conversation, state({ snippets }))
    await expect.element(box()).toHaveFocus()
    await userEvent.keyboard('<>{ArrowLeft}{Alt>}i{/Alt}')
    await expect.element(page.getByRole('dialog', { name: 'Saved snippets' })).toBeVisible()
    await userEvent.keyboard('hand{Enter}')
    await expect.element(page.getByRole('textbox', { name: 'topic' })).toHaveValue('room')
    await page.getByRole('textbox', { name: 'what' }).fill('the backup')
    await userEvent.keyboard('{Enter}')
    await expect.poll(text).toBe('<room: the backup, the backup. {late}>')
    await expect.element(box()).toHaveFocus()
  })
})

describe('the “later” view', () => {
  test('lists all drafts once, including those of other devices, and opens them', async () => {
    const key = draftKey(eg.chatId, room)
    const link = { conversation: room, id: 1, base: 'Mine', sent: null }
    const draft = { conversation: room, editedAt: eg.now }
    const bridge = show(
      { view: 'later' },
      state(
        {
          drafts: [
            { ...draft, id: 1, content: 'Mine' },
            { ...draft, id: 2, content: 'From my phone' },
          ],
        },
        { drafts: new Map([[key, 'Mine']]), draftLinks: new Map([[key, link]]) },
      ),
    )
    const rows = page.getByRole('region', { name: 'Drafts', exact: true }).getByRole('listitem')
    await expect.element(rows.nth(1).getByText(/another device/)).toBeVisible()
    expect(rows.elements()).toHaveLength(2)
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await expect.poll(() => bridge.inputsOf('takeDraft')).toEqual([{ accountId: eg.chatId, id: 2 }])
    await expect.poll(() => place.value.view).toBe('conversation')
  })

  test('says for each list how many items couldn’t be read', async () => {
    const scheduled = [
      { id: 9, conversation: room, content: 'Hello', at: Date.now() + hour, failed: false },
    ]
    const unreadable = { drafts: [1], scheduled: [7, null], snippets: [], reminders: [3] }
    show({ view: 'later' }, state({ scheduled, unreadable }))
    for (const words of [
      '1 draft could not be read.',
      '2 scheduled messages could not be read.',
      '1 reminder could not be read.',
      'None yet. In a conversation, Alt+I inserts one.',
    ])
      await expect.element(page.getByText(words)).toBeVisible()
    await expect.element(page.getByRole('button', { name: /Hello/ })).toBeVisible()
  })

  test('names in each button the draft or message that it removes', async () => {
    const at = Date.now() + hour
    const draft = { editedAt: eg.now, content: 'Mine' }
    show(
      { view: 'later' },
      state({
        drafts: [
          { ...draft, id: 1, conversation: room },
          { ...draft, id: 2, conversation: null },
        ],
        scheduled: [{ id: 9, conversation: room, content: 'Hello', at, failed: false }],
      }),
    )
    for (const name of [
      'Delete the draft to # ops › room',
      'Delete the draft without a recipient',
      'Cancel the message to # ops › room and turn it back into a draft',
    ])
      await expect.element(page.getByRole('button', { name })).toBeVisible()
  })

  test('asks for the recipient of a draft without one, and moves it there', async () => {
    const draft = { conversation: null, id: 2, content: 'For whom?', editedAt: eg.now }
    const bridge = show({ view: 'later' }, state({ drafts: [draft] }), {
      run: () => ({ topics: [{ name: 'db-backup is DOWN', max_id: 1 }] }),
    })
    await page.getByRole('button', { name: /No recipient yet/ }).click()
    await expect.element(page.getByRole('dialog', { name: 'New message' })).toBeVisible()
    await userEvent.keyboard('ops{Enter}')
    await expect.element(page.getByRole('option', { name: /db-backup/ })).toBeVisible()
    await userEvent.keyboard('db-b{Enter}')
    await expect
      .poll(() => bridge.inputsOf('takeDraft'))
      .toEqual([{ accountId: eg.chatId, id: 2, to: eg.topic }])
    await expect.poll(() => place.value).toMatchObject({ conversation: eg.topic })
  })

  test('shows a refused change in place and keeps what was typed', async () => {
    const at = Date.now() + hour
    const scheduled = [{ id: 9, conversation: room, content: 'Hello', at, failed: false }]
    show({ view: 'later' }, state({ scheduled }), {
      // Main stores the form, too.
      saveForm: (input) => {
        const { form, text: typed } = input as Parameters<Commands['saveForm']>[0]
        withState(state({ scheduled }, { drafts: new Map([[unsavedKey(eg.chatId, form), typed]]) }))
      },
      run: () =>
        failed({ kind: 'refused', httpStatus: 404, code: 'BAD_REQUEST', message: 'not there' }),
    })
    await page.getByRole('button', { name: /Hello/ }).click()
    const field = page.getByRole('textbox', { name: 'Text' })
    await field.fill('Hello again')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.element(page.getByText(/not there.*Nothing was changed/)).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await page.getByRole('button', { name: /Hello/ }).click()
    await expect.element(field).toHaveValue('Hello again')
  })

  test('keeps what is typed over a snippet while it is being saved', async () => {
    const { promise, resolve } = Promise.withResolvers()
    const snippets = [{ id: 3, title: 'Handover', content: 'Over to you' }]
    show({ view: 'later' }, state({ snippets }), { run: () => promise })
    await page.getByRole('button', { name: /Handover/ }).click()
    const field = page.getByRole('textbox', { name: 'Text' })
    await field.fill('Over to you all')
    await page.getByRole('button', { name: 'Save' }).click()
    await field.fill('Over to you all now')
    resolve({})
    await expect.element(page.getByText(/not what you typed since/)).toBeVisible()
    await expect.element(field).toHaveValue('Over to you all now')
    await userEvent.keyboard('{Escape}')
  })

  test('saves only the user’s changes to a snippet, and keeps those made elsewhere', async () => {
    const snippet = { id: 3, title: 'Handover', content: 'Over to you' }
    const bridge = show({ view: 'later' }, state({ snippets: [snippet] }), { run: () => ({}) })
    const open = () => page.getByRole('button', { name: /Handover|Shift/ }).click()
    await open()
    await page.getByRole('textbox', { name: 'Title' }).fill('Shift')
    const content = 'Over to you, with the log'
    withState(state({ snippets: [{ ...snippet, content }] }))
    await expect.element(page.getByRole('textbox', { name: 'Text' })).toHaveValue(content)
    const save = page.getByRole('button', { name: 'Save' })
    await save.click()
    const params = { saved_snippet_id: 3, title: 'Shift' }
    const edit = { accountId: eg.chatId, operation: 'editSavedSnippet', params }
    await expect.poll(() => bridge.inputsOf('run')).toEqual([edit])
    await expect.element(save).not.toBeInTheDocument()
    // The server refuses an edit without changes.
    await open()
    await save.click()
    await expect.element(save).not.toBeInTheDocument()
    expect(bridge.inputsOf('run')).toEqual([edit])
  })

  test('says if a deleted snippet couldn’t be restored', async () => {
    const snippets = [{ id: 3, title: 'Handover', content: 'Over to you' }]
    show({ view: 'later' }, state({ snippets }), {
      run: (input) =>
        (input as { operation: string }).operation === 'createSavedSnippet' &&
        failed({ kind: 'serverFault', httpStatus: 500 }),
    })
    await page.getByRole('button', { name: /Handover/ }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.element(page.getByText(/internal error/)).toBeVisible()
  })

  test('doesn’t change a message that the server is about to send', async () => {
    const message = { id: 9, conversation: room, content: 'Hello', failed: false }
    const bridge = show(
      { view: 'later' },
      state({ scheduled: [{ ...message, at: Date.now() + 50_000 }] }),
    )
    await page.getByRole('button', { name: /Hello/ }).click()
    await page.getByRole('textbox', { name: 'Text' }).fill('Hello again')
    for (const name of ['Save', 'Send now']) {
      await page.getByRole('button', { name }).click()
      await expect.element(page.getByText(/sent within a minute.*cancel it first/)).toBeVisible()
    }
    expect(bridge.inputsOf('run')).toEqual([])
  })

  test('stores what was typed over a scheduled message, and sends or cancels that', async () => {
    const scheduled = [
      { id: 7, conversation: room, content: 'Tomorrow', at: Date.now() + hour, failed: false },
    ]
    const bridge = show({ view: 'later' }, state({ scheduled }), {
      cancelScheduled: () => undefined,
    })
    await expect.element(page.getByTitle('# ops › room')).toBeVisible()
    const open = () => userEvent.click(page.getByRole('button', { name: /Tomorrow/ }))
    const field = () => page.getByRole('dialog').getByRole('textbox', { name: 'Text' })
    await open()
    await expect.element(page.getByText('To # ops › room')).toBeVisible()
    await userEvent.type(field(), ' or today')
    await userEvent.keyboard('{Escape}')
    const form = 'scheduled/7'
    const text = JSON.stringify({ content: 'Tomorrow or today' })
    const kept = { accountId: eg.chatId, form, text }
    await expect.poll(() => bridge.inputsOf('saveForm').at(-1)).toEqual(kept)
    // As after a restart, main has the stored form.
    withState(state({ scheduled }, { drafts: new Map([[unsavedKey(eg.chatId, form), text]]) }))
    await expect.element(page.getByText('Changed here, and not saved yet.')).toBeVisible()
    await open()
    await expect.element(field()).toHaveValue('Tomorrow or today')
    await userEvent.click(page.getByRole('button', { name: 'Send now' }))
    await expect
      .poll(() => bridge.inputsOf('cancelScheduled'))
      .toEqual([{ accountId: eg.chatId, id: 7, text: 'Tomorrow or today', send: true }])
    await expect.poll(() => bridge.inputsOf('saveForm').at(-1)).toEqual({ ...kept, text: '' })
  })

  test('keeps a scheduled message’s new time, too, but no time alone once the message is gone', async () => {
    const message = { id: 7, conversation: room, content: 'Tomorrow', failed: false }
    const scheduled = [{ ...message, at: Date.now() + hour }]
    const bridge = show({ view: 'later' }, state({ scheduled }))
    const sendAt = 'Send at 4 Mar 2099, 05:06'
    await page.getByRole('button', { name: /Tomorrow/ }).click()
    await page.getByRole('button', { name: 'Another time…' }).click()
    await page.getByLabelText('At', { exact: true }).fill('2099-03-04 05:06')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(sendAt)).toBeVisible()
    await userEvent.keyboard('{Escape}')
    const form = 'scheduled/7'
    const text = JSON.stringify({ when: '2099-03-04T05:06' })
    await expect
      .poll(() => bridge.inputsOf('saveForm').at(-1))
      .toEqual({ accountId: eg.chatId, form, text })
    const drafts = new Map([[unsavedKey(eg.chatId, form), text]])
    withState(state({ scheduled }, { drafts }))
    await page.getByRole('button', { name: /Tomorrow/ }).click()
    await expect.element(page.getByText(sendAt)).toBeVisible()
    await userEvent.keyboard('{Escape}')
    withState(state({}, { drafts }))
    await expect.element(page.getByText('Nothing unsent.')).toBeVisible()
  })

  test('doesn’t reset a time that was changed elsewhere while the form was open', async () => {
    const message = { id: 7, conversation: room, content: 'Tomorrow', failed: false }
    const bridge = show(
      { view: 'later' },
      state({ scheduled: [{ ...message, at: Date.now() + hour }] }),
    )
    await page.getByRole('button', { name: /Tomorrow/ }).click()
    await page.getByRole('textbox', { name: 'Text' }).fill('In May')
    const at = new Date('2099-05-06T07:08').getTime()
    withState(state({ scheduled: [{ ...message, at }] }))
    await expect.element(page.getByText('Send at 6 May 2099, 07:08')).toBeVisible()
    await page.getByRole('button', { name: 'Save' }).click()
    const params = {
      scheduled_message_id: 7,
      content: 'In May',
      scheduled_delivery_timestamp: at / 1_000,
    }
    await expect
      .poll(() => bridge.inputsOf('run'))
      .toEqual([{ accountId: eg.chatId, operation: 'editScheduledMessage', params }])
  })

  describe('of text typed in a form', () => {
    const forms = {
      'scheduled/7': 'Typed over the message',
      'snippet/3': 'Typed over the snippet',
      'message/5': 'Typed over what was said',
    } as const
    type Form = keyof typeof forms
    const typedIn = (...of: readonly Form[]) =>
      new Map(
        of.map((form) => [unsavedKey(eg.chatId, form), JSON.stringify({ content: forms[form] })]),
      )
    const drafts = page.getByRole('region', { name: 'Drafts', exact: true })

    test('lists edits, and texts whose item is gone, among the drafts', async () => {
      const [scheduled, snippet, edit] = Object.keys(forms) as Form[]
      const snippets = [{ id: 3, title: 'Handover', content: 'Over to you' }]
      const here = state({ snippets }, { drafts: typedIn(scheduled!, snippet!, edit!) })
      show({ view: 'later' }, here)
      await expect.element(drafts.getByText(forms['scheduled/7'])).toBeVisible()
      await expect.element(drafts.getByText(forms['message/5'])).toBeVisible()
      // The row of its snippet leads to the form.
      await expect.element(drafts.getByText(forms['snippet/3'])).not.toBeInTheDocument()
      withState(state({}, { drafts: typedIn(snippet!) }))
      await expect.element(drafts.getByText(forms['snippet/3'])).toBeVisible()
    })

    test('doesn’t call anything gone that couldn’t be read', async () => {
      const unreadable = { drafts: [], scheduled: [7], snippets: [null], reminders: [] }
      show(
        { view: 'later' },
        state({ unreadable }, { drafts: typedIn('scheduled/7', 'snippet/3') }),
      )
      await expect.element(drafts.getByText(forms['scheduled/7'])).toBeVisible()
      await expect.poll(() => drafts.getByText(/may still be there/).elements()).toHaveLength(2)
      expect(drafts.getByText(/was (?:sent|deleted)/).elements()).toEqual([])
      withState(state({}, { drafts: typedIn('scheduled/7', 'snippet/3') }))
      await expect.element(drafts.getByText(/was sent or cancelled/)).toBeVisible()
      await expect.element(drafts.getByText(/was deleted/)).toBeVisible()
    })

    test('puts it into the chosen conversation, and then drops it', async () => {
      const bridge = show({ view: 'later' }, state({}, { drafts: typedIn('scheduled/7') }), {
        run: () => ({ topics: [{ name: 'db-backup is DOWN', max_id: 1 }] }),
      })
      await drafts.getByText(forms['scheduled/7']).click()
      await userEvent.keyboard('ops{Enter}')
      await expect.element(page.getByRole('option', { name: /db-backup/ })).toBeVisible()
      await userEvent.keyboard('db-b{Enter}')
      const text = forms['scheduled/7']
      await expect
        .poll(() => bridge.inputsOf('saveDraft'))
        .toEqual([{ accountId: eg.chatId, conversation: eg.topic, text, isBack: true }])
      await expect
        .poll(() => bridge.inputsOf('saveForm'))
        .toEqual([{ accountId: eg.chatId, form: 'scheduled/7', text: '' }])
      await expect.poll(() => place.value).toMatchObject({ conversation: eg.topic })
    })

    test('leads from an edit to its message, if that is held', async () => {
      const said = eg.message({ id: 5, conversation: room, flags: ['read'] })
      const realm = eg.realm([said], { later: nothingKept })
      const realms = new Map([[eg.chatId, realm]])
      show({ view: 'later' }, eg.state({ realms, drafts: typedIn('message/5') }))
      await drafts
        .getByRole('button', { name: /Edit to a message in # ops › room/ })
        .first()
        .click()
      await expect.poll(() => place.value).toMatchObject({ conversation: room, messageId: 5 })
    })

    test.each(['scheduled/7', 'snippet/3'] as const)(
      'discards in the form of %s what was typed before, and only that',
      async (form) => {
        const message = { id: 7, conversation: room, content: 'Tomorrow', failed: false }
        const scheduled = [{ ...message, at: Date.now() + hour }]
        const snippets = [{ id: 3, title: 'Handover', content: 'Over to you' }]
        const bridge = show({ view: 'later' }, state({ scheduled, snippets }))
        const open = () =>
          page
            .getByRole('button', { name: form === 'snippet/3' ? /Handover/ : /Tomorrow/ })
            .first()
            .click()
        const field = page.getByRole('dialog').getByRole('textbox', { name: 'Text' })
        const discard = page.getByRole('button', { name: 'Discard' })
        await open()
        await field.fill('Now')
        await expect.element(discard).not.toBeInTheDocument()
        await userEvent.keyboard('{Escape}')
        await expect.element(field).not.toBeInTheDocument()
        withState(state({ scheduled, snippets }, { drafts: typedIn(form) }))
        await open()
        await expect.element(field).toHaveValue(forms[form])
        await discard.click()
        await expect.element(field).not.toBeInTheDocument()
        await expect
          .poll(() => bridge.inputsOf('saveForm').at(-1))
          .toEqual({ accountId: eg.chatId, form, text: '' })
        expect(bridge.inputsOf('run')).toEqual([])
      },
    )

    test('deletes it, and restores it', async () => {
      const bridge = show({ view: 'later' }, state({}, { drafts: typedIn('snippet/3') }))
      await page.getByRole('button', { name: /^Delete the text/ }).click()
      await page.getByRole('button', { name: 'Undo' }).click()
      const kept = { accountId: eg.chatId, form: 'snippet/3' }
      await expect
        .poll(() => bridge.inputsOf('saveForm'))
        .toEqual(
          ['', JSON.stringify({ content: forms['snippet/3'] })].map((text) => ({ ...kept, text })),
        )
    })
  })

  test.each(['Send now', 'Cancel the message'])(
    '“%s” keeps what is typed over the message meanwhile, and says where',
    async (name) => {
      const { promise, resolve } = Promise.withResolvers()
      const scheduled = [
        { id: 7, conversation: room, content: 'Tomorrow', at: Date.now() + hour, failed: false },
      ]
      const bridge = show({ view: 'later' }, state({ scheduled }), {
        cancelScheduled: () => promise,
      })
      await page
        .getByRole('button', { name: /Tomorrow/ })
        .first()
        .click()
      const field = page.getByRole('dialog').getByRole('textbox', { name: 'Text' })
      await field.fill('Today')
      await page.getByRole('button', { name, exact: true }).click()
      await field.fill('Today or never')
      resolve({})
      await expect
        .element(page.getByText(/What you typed since then is under “Drafts”/))
        .toBeVisible()
      await expect.element(field).not.toBeInTheDocument()
      expect(bridge.inputsOf('cancelScheduled')).toMatchObject([{ id: 7, text: 'Today' }])
      const text = JSON.stringify({ content: 'Today or never' })
      await expect.poll(() => bridge.inputsOf('saveForm').at(-1)).toMatchObject({ text })
    },
  )

  describe('the focus stays', () => {
    const at = Date.now() + hour
    const scheduled = [7, 8].map((id) => ({
      ...{ id, conversation: room, content: `Message ${id}`, failed: false },
      at: at + id * 60_000,
    }))
    const row = (name: RegExp) => page.getByRole('listitem').getByRole('button', { name }).first()

    test('on the next row when one was removed, by its form or by a key', async () => {
      show({ view: 'later' }, state({ scheduled }), { cancelScheduled: () => undefined })
      await row(/Message 7/).click()
      await page.getByRole('button', { name: 'Cancel the message', exact: true }).click()
      await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
      withState(state({ scheduled: scheduled.slice(1) }))
      await expect.element(row(/Message 8/)).toHaveFocus()
      await userEvent.keyboard('{Delete}')
      withState(state({}))
      await expect.poll(() => document.activeElement?.tagName).toBe('BUTTON')
    })

    test('on the row that moved while its form was open', async () => {
      show({ view: 'later' }, state({ scheduled }))
      await row(/Message 7/).click()
      withState(state({ scheduled: scheduled.slice(1) }))
      await userEvent.keyboard('{Escape}')
      await expect.element(row(/Message 8/)).toHaveFocus()
    })

    test('in the fields of a form, even with their Delete key', async () => {
      show({ view: 'later' }, state({ snippets: [{ id: 3, title: 'Handover', content: 'x' }] }))
      await row(/Handover/).click()
      await expect.element(page.getByRole('textbox', { name: 'Title' })).toHaveFocus()
      await userEvent.keyboard('{Home}{Delete}')
      await expect.element(page.getByRole('textbox', { name: 'Title' })).toHaveValue('andover')
      await userEvent.keyboard('{Escape}')
    })
  })

  test('the view explains scheduling, and what a server lacks', async () => {
    const entry = { id: 'x', accountId: eg.chatId, conversation: room, text: 'Perhaps', known: [] }
    withBridge()
    withState(
      state(
        { scheduled: null, drafts: null, snippets: null },
        { scheduling: [{ ...entry, at: eg.now + hour, triedAt: eg.now }] },
      ),
    )
    mount(<LaterPage />)
    await expect.element(page.getByText(/the response was lost/)).toBeVisible()
    await expect.element(page.getByText(/too old to keep drafts/)).toBeVisible()
    await expect.element(page.getByText(/too old to send messages later/)).toBeVisible()
    expect(page.getByRole('button', { name: 'New snippet' }).elements()).toEqual([])
  })
})

test('a message scheduled by mistake comes back with one key', async () => {
  const bridge = show(conversation, state({}), {
    scheduleMessage: () => ({ id: 7, at: Date.now() + hour }),
  })
  await expect.element(box()).toHaveFocus()
  await userEvent.keyboard('Too soon{Alt>}s{/Alt}')
  await expect.element(page.getByRole('button', { name: /^In 30 min/ })).toHaveFocus()
  await userEvent.keyboard('tomorrow 14{Enter}')
  await expect.element(page.getByText(/^Scheduled for/)).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect
    .poll(() => bridge.inputsOf('cancelScheduled'))
    .toEqual([{ accountId: eg.chatId, id: 7, text: 'Too soon' }])
})

describe('a status in one’s own words', () => {
  const lunch = { text: 'At lunch', emoji: { name: 'taco', code: '1f32e' } }
  const withStatus = (ownStatus: Realm['ownStatus'], change: Partial<AppState> = {}) =>
    eg.state({ realms: new Map([[eg.chatId, eg.realm([], { ownStatus })]]), ...change })

  test('is asked for from the palette, and undone to what it was, with its end', async () => {
    const end = { text: 'At lunch', emoji: '1f32e', until: Date.now() + hour }
    const bridge = show(
      { view: 'chat' },
      withStatus(lunch, { statusEnds: new Map([[eg.chatId, end]]) }),
    )
    await userEvent.keyboard('{Control>}k{/Control}own words')
    await expect
      .element(
        page
          .getByRole('option')
          .first()
          .getByText(/own words/),
      )
      .toBeVisible()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('dialog', { name: 'Your status' })).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(/^Say something/)).toBeVisible()
    await userEvent.keyboard('Back at 3{Enter}')
    await expect.element(page.getByRole('button', { name: /^For 30 min/ })).toHaveFocus()
    await userEvent.keyboard('6')
    await expect
      .poll(() => bridge.inputsOf('setStatus'))
      .toEqual([{ accountId: eg.chatId, text: 'Back at 3', emoji: null, until: null }])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect
      .poll(() => bridge.inputsOf('setStatus').at(-1))
      .toEqual({ accountId: eg.chatId, ...lunch, until: end.until })
  })

  test('is shown above the list and in the chat’s menu, can be changed, and is cleared in one click', async () => {
    const bridge = show({ view: 'chat' }, withStatus(lunch))
    const shown = page.getByRole('region', { name: 'Your status' })
    await expect.element(shown.getByText('🌮 At lunch')).toBeVisible()
    await page.getByRole('button', { name: 'More of the chat' }).click()
    await expect
      .element(page.getByRole('menuitem', { name: /^Your status….*At lunch/ }))
      .toBeVisible()
    await userEvent.keyboard('{Escape}')
    await shown.getByRole('button', { name: 'Change' }).click()
    await page.getByLabelText('What others see beside your name').fill('x'.repeat(61))
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText('At most 60 characters.')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await shown.getByRole('button', { name: 'Clear' }).click()
    await expect
      .poll(() => bridge.inputsOf('setStatus'))
      .toEqual([{ accountId: eg.chatId, text: '', emoji: null, until: null }])
  })
})

test('a status is set with the chosen end', async () => {
  const bridge = show({ view: 'chat' }, state({}))
  await userEvent.keyboard('{Control>}k{/Control}')
  await userEvent.keyboard('status: on c')
  await expect.element(page.getByRole('option').first().getByText('Status: On call')).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('button', { name: /^For 30 min/ })).toHaveFocus()
  await userEvent.keyboard('3')
  await expect
    .poll(() => bridge.inputsOf('setStatus'))
    .toMatchObject([
      { text: 'On call', emoji: { name: 'pager' }, until: expect.any(Number) as number },
    ])
})

test('reminders are listed by time, and one that is removed comes back by Undo', async () => {
  const reminder = { accountId: eg.chatId, conversation: room, label: 'room', messageId: 1 }
  const reminders = [
    { ...reminder, id: 'r2', messageId: 2, at: eg.now + 2 * hour },
    { ...reminder, id: 'r1', at: eg.now + hour },
  ]
  const bridge = show({ view: 'later' }, state({}, { reminders }))
  const rows = page.getByRole('region', { name: 'Reminders' }).getByRole('listitem')
  await expect.element(rows.first()).toMatchTextContent(clockWords(eg.now + hour, now.value))
  await rows
    .first()
    .getByRole('button', { name: /^Remove the reminder/ })
    .click()
  await expect.poll(() => bridge.inputsOf('forgetReminder')).toEqual([{ id: 'r1' }])
  takeOffer()
  await expect
    .poll(() => bridge.inputsOf('remindOf'))
    .toEqual([
      { accountId: eg.chatId, conversation: room, messageId: 1, at: eg.now + hour, here: true },
    ])
})

describe('a reminder on the server', () => {
  const one = { id: 5, messageId: 1, conversation: room, note: '', failed: false }
  const words = { text: 'As it was then', at: eg.now + hour }
  const server = (change: Partial<ServerReminder> = {}) =>
    state({ reminders: [{ ...one, ...words, ...change }] })
  const row = page.getByRole('region', { name: 'Reminders' }).getByRole('listitem').first()
  const remove = () => row.getByRole('button', { name: /^Remove the reminder/ }).click()

  test('is listed beside this Belfry’s own, and each says whose it is', async () => {
    const own = { id: 'r', accountId: eg.chatId, conversation: room, label: 'room', messageId: 1 }
    const reminders = [{ ...own, at: eg.now + 2 * hour }]
    show({ view: 'later' }, { ...server({ note: 'ask Ana' }), reminders })
    const rows = page.getByRole('region', { name: 'Reminders' }).getByRole('listitem')
    await expect.element(rows.first()).toMatchTextContent(/on all your devices: “ask Ana”/)
    await expect.element(rows.last()).toMatchTextContent(/By this Belfry alone/)
  })

  test('that is removed comes back by Undo, with its note', async () => {
    const bridge = show({ view: 'later' }, server({ note: 'ask Ana' }), { run: () => ({}) })
    await remove()
    await expect.element(page.getByText('The reminder was removed.')).toBeVisible()
    takeOffer()
    const at = (eg.now + hour) / 1_000
    const again = { message_id: 1, scheduled_delivery_timestamp: at, note: 'ask Ana' }
    await expect
      .poll(() => bridge.inputsOf('run'))
      .toMatchObject([
        { operation: 'deleteReminder', params: { reminder_id: 5 } },
        { operation: 'createReminder', params: again },
      ])
  })

  test('of a message that isn’t loaded opens where it is now', async () => {
    const bridge = show({ view: 'later' }, server({ messageId: 77, failed: true }), {
      showMessage: () => eg.topic,
    })
    await expect.element(row).toMatchTextContent(/As it was then/)
    await expect.element(row).toMatchTextContent(/could not be sent/)
    await row.getByRole('button').first().click()
    await expect
      .poll(() => bridge.inputsOf('showMessage'))
      .toEqual([{ accountId: eg.chatId, conversation: null, messageId: 77 }])
    await expect.poll(() => place.value).toMatchObject({ conversation: eg.topic, messageId: 77 })
  })
})
