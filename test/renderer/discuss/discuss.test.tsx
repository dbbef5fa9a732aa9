import { type Signal, signal } from '@preact/signals'
import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Commands } from '#shared/contract.ts'
import type { DiscussRule } from '#shared/core/outages/discuss.ts'
import type { Incident } from '#shared/core/outages/incident.ts'
import { outageMark } from '#shared/core/outages/outage-report.ts'
import { defaultSettings } from '#shared/core/settings.ts'
import type { AppState } from '#shared/core/state.ts'
import { ConversationPane } from '../../../src/renderer/chat/conversation-pane.tsx'
import { CheckDiscussion } from '../../../src/renderer/discuss/check-discussion.tsx'
import { DiscussSettings } from '../../../src/renderer/discuss/discuss-settings.tsx'
import { ReportPage } from '../../../src/renderer/discuss/report-page.tsx'
import { PlaceView } from '../../../src/renderer/shell/later-views.tsx'
import { shownToast, takeOffer } from '../../../src/renderer/toast.ts'
import { go, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

const check = eg.check({ name: 'db-backup', status: 'down' })
const ids = { accountId: eg.opsId, checkId: check.id }
const iso = (at: number) => new Date(at).toISOString()

const rule: DiscussRule = {
  id: 'r1',
  accountId: null,
  tag: null,
  checkId: null,
  chatId: eg.chatId,
  channelId: 10,
  topic: '{check} is DOWN',
}

const incident: Incident = {
  ...ids,
  chatId: eg.chatId,
  conversation: eg.topic,
  messageId: 40,
  since: eg.now - 2 * eg.hour - 13 * eg.minute,
  told: 'down',
  toldAt: eg.now - eg.hour,
}

const replies: Readonly<Record<string, unknown>> = {
  listFlips: {
    flips: [
      { timestamp: iso(eg.now - 133 * eg.minute), up: 0 },
      { timestamp: iso(eg.now - 3 * eg.day), up: 1 },
    ],
  },
  listPings: {
    pings: [{ type: 'fail', date: iso(eg.now - 3 * eg.hour), n: 7, body_url: 'yes' }],
  },
  getPingBody: 'error: disk full',
}

function bridge(answers: Answers = {}) {
  return withBridge({
    // The components call `run` with its own input; the bridge's type is wider.
    run: (input) => replies[(input as Parameters<Commands['run']>[0]).operation],
    history: () => [],
    postReport: () => ({ kind: 'sent' }),
    ...answers,
  })
}

function show(change: Partial<AppState> = {}, shown = check): void {
  withState(
    eg.state({
      boards: new Map([[eg.opsId, eg.board([shown])]]),
      settings: { ...defaultSettings, discuss: [rule] },
      ...change,
    }),
  )
}

function WhileOpen({ isOpen }: { readonly isOpen: Signal<boolean> }) {
  return isOpen.value ? <ReportPage {...ids} /> : null
}

function frame(tree: Parameters<typeof mount>[0]) {
  mount(<div style={{ width: '420px', height: '640px', display: 'grid' }}>{tree}</div>)
}

/** For fields of any type, since `expect`'s own matchers are typed as `any`. */
const having = (text: string): unknown => expect.stringContaining(text)

describe('the report page', () => {
  const report = page.getByRole('textbox', { name: 'Message' })
  const typed = (): string => {
    const box = report.query()
    return box instanceof HTMLTextAreaElement ? box.value : ''
  }

  test('prepares a report, lets it be edited, and sends it to the linked topic', async () => {
    const calls = bridge()
    show()
    frame(<ReportPage {...ids} />)
    await expect.poll(typed).toContain('error: disk full')
    await expect.element(page.getByText('# ops › db-backup is DOWN')).toBeVisible()
    await report.click()
    await userEvent.keyboard('{Control>}{Home}{/Control}Look: ')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.poll(() => place.value.view).toBe('conversation')
    expect(calls.inputsOf('postReport')).toMatchObject([
      {
        ...ids,
        place: { accountId: eg.chatId, conversation: eg.topic },
        text: having('Look: `db-backup` of `ops-project` is **down**'),
        anyway: false,
      },
    ])
  })

  test('explains a failure without output by none of an earlier one', async () => {
    const pings = [
      { type: 'fail', date: iso(eg.now - eg.minute), n: 8 },
      { type: 'fail', date: iso(eg.now - 3 * eg.hour), n: 7, body_url: 'yes' },
    ]
    bridge({
      run: (input) => {
        const { operation } = input as Parameters<Commands['run']>[0]
        return operation === 'listPings' ? { pings } : replies[operation]
      },
    })
    show()
    frame(<ReportPage {...ids} />)
    await expect.poll(typed).toMatch(/Last output:\n```text\nerror: disk full/)
    expect(typed()).toMatch(/^Failed at <time:[^>]+>\.$/m)
  })

  test('asks for what is missing first, says why it can’t be sent, and else is one Enter away', async () => {
    const calls = bridge()
    show({ settings: defaultSettings })
    frame(<ReportPage {...ids} />)
    await expect.poll(typed).toContain('**down**')
    const send = page.getByRole('button', { name: 'Send' })
    await expect.element(page.getByLabelText('Channel')).toHaveFocus()
    await expect.element(page.getByText('Choose a channel and a topic.')).toBeVisible()
    await expect.element(send).toHaveAccessibleDescription(/Choose a channel/)
    await page.getByLabelText('Channel').selectOptions('# ops')
    await expect.element(page.getByText('Choose a channel and a topic.')).not.toBeInTheDocument()
    await report.fill('')
    await expect.element(page.getByText('There is nothing to send yet.')).toBeVisible()
    expect(calls.inputsOf('postReport')).toEqual([])
  })

  test('that needs nothing more is sent by Enter', async () => {
    const calls = bridge()
    show()
    frame(<ReportPage {...ids} />)
    await expect.element(page.getByRole('button', { name: 'Send' })).toHaveFocus()
    await expect.poll(typed).toContain('**down**')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => calls.inputsOf('postReport').length).toBe(1)
  })

  test('has the caret at the start of what was begun at once, since later would interrupt typing', () => {
    bridge()
    show({ drafts: new Map([[`${eg.opsId}/report/${check.id}`, 'typed before']]) })
    frame(<ReportPage {...ids} />)
    const box = report.element() as HTMLTextAreaElement
    expect(document.activeElement).toBe(box)
    expect([box.selectionStart, box.selectionEnd]).toEqual([0, 0])
  })

  test('leaves the focus in the topic if the user types it while the report is prepared', async () => {
    const pings = Promise.withResolvers()
    bridge({ run: () => pings.promise })
    show({ settings: defaultSettings })
    frame(<ReportPage {...ids} />)
    const topic = page.getByLabelText('Topic')
    await topic.fill('disk ')
    pings.resolve({ pings: [] })
    await expect.poll(typed).toContain('**down**')
    await userEvent.keyboard('full')
    await expect.element(topic).toHaveValue('disk full')
    expect(typed()).not.toContain('full')
  })

  test('keeps what was typed when it is closed, and shows it again', async () => {
    const calls = bridge()
    show({ drafts: new Map([[`${eg.opsId}/report/${check.id}`, 'typed before']]) })
    frame(<ReportPage {...ids} />)
    await expect.element(report).toHaveValue('typed before')
    await userEvent.fill(report.element(), 'typed now')
    await expect.poll(() => calls.inputsOf('saveReport')).toEqual([{ ...ids, text: 'typed now' }])
    await page.getByRole('button', { name: 'Start over' }).click()
    await expect.poll(typed).toContain('**down**')
    expect(calls.inputsOf('saveReport').at(-1)).toEqual({ ...ids, text: '' })
  })

  test('is saved even while the user types without a pause', async () => {
    const calls = bridge()
    show()
    frame(<ReportPage {...ids} />)
    await expect.poll(typed).toContain('**down**')
    await report.click()
    await userEvent.keyboard('{Control>}{Home}{/Control}')
    for (let typed = 0; typed < 400 && calls.inputsOf('saveReport').length === 0; typed += 1)
      await userEvent.keyboard('x')
    // Where each key takes long, more than one was saved.
    expect(calls.inputsOf('saveReport')[0]).toMatchObject({ text: having('x`db-backup`') })
  })

  test('offers to join someone who was faster', async () => {
    const calls = bridge({
      postReport: () => ({
        kind: 'posted',
        by: 'Ana',
        messageId: 5,
        at: eg.now - 3 * eg.minute,
      }),
    })
    show()
    frame(<ReportPage {...ids} />)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.element(page.getByText('Ana posted this 3 min ago.')).toBeVisible()
    await expect.element(page.getByRole('button', { name: 'Post anyway' })).toBeVisible()
    await page.getByRole('button', { name: 'Join the conversation' }).click()
    await expect
      .poll(() => place.value)
      .toMatchObject({ view: 'conversation', conversation: eg.topic, messageId: 5 })
    expect(calls.inputsOf('joinReport')).toMatchObject([{ ...ids, messageId: 5 }])
    expect(calls.inputsOf('postReport')).toHaveLength(1)
  })

  test('says why it wasn’t sent, and keeps the text', async () => {
    bridge({
      postReport: () => failed({ kind: 'invalid', field: 'disk', message: 'The disk is full.' }),
    })
    show()
    frame(<ReportPage {...ids} />)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent('The disk is full.')
    await expect.poll(typed).toContain('db-backup')
  })

  test('tells a user who went elsewhere that it wasn’t sent, and doesn’t move them', async () => {
    const { promise, resolve } = Promise.withResolvers()
    bridge({ postReport: () => promise })
    show()
    frame(<ReportPage {...ids} />)
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    go({ view: 'settings' })
    resolve(failed({ kind: 'invalid', field: 'disk', message: 'The disk is full.' }))
    await expect
      .poll(() => shownToast.value?.text)
      .toMatch(/^The message about db-backup was not sent/)
    expect(place.value.view).toBe('settings')
  })

  test('keeps what was typed while it was sent, and sends it once', async () => {
    const { promise, resolve } = Promise.withResolvers()
    const calls = bridge({ postReport: () => promise })
    show()
    const isOpen = signal(true)
    frame(<WhileOpen isOpen={isOpen} />)
    await report.fill('It is down')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await report.fill('It is down, and so is db-2')
    isOpen.value = false
    await expect.element(report).not.toBeInTheDocument()
    isOpen.value = true
    await expect.element(report).toHaveValue('It is down, and so is db-2')
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await expect.element(send).toHaveAttribute('aria-disabled', 'true')
    resolve({ kind: 'sent' })
    await expect.element(report).toHaveValue(', and so is db-2')
    expect(shownToast.value?.text).toMatch(/without what you typed since then/)
    expect(calls.inputsOf('postReport')).toMatchObject([{ text: 'It is down' }])
  })

  test('asks for a conversation if none is linked', async () => {
    bridge()
    show({ settings: defaultSettings })
    frame(<ReportPage {...ids} />)
    const send = page.getByRole('button', { name: 'Send', exact: true })
    await expect.element(send).toHaveAttribute('aria-disabled', 'true')
    await page.getByLabelText('Channel').selectOptions('# ops')
    await expect.element(page.getByLabelText('Topic')).toHaveValue('db-backup')
    await expect.element(send).toHaveAttribute('aria-disabled', 'false')
  })

  test('suggests a topic that fits the server’s limit, however long the check’s name is', async () => {
    const calls = bridge()
    const long = eg.check({ name: 'nightly '.repeat(12).trim(), status: 'down' })
    show({ settings: defaultSettings }, long)
    frame(<ReportPage accountId={eg.opsId} checkId={long.id} />)
    await page.getByRole('combobox', { name: 'Channel' }).selectOptions('# ops')
    await expect.poll(typed).not.toBe('')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => calls.inputsOf('postReport')).toHaveLength(1)
    const [{ place: to }] = calls.inputsOf('postReport') as [Parameters<Commands['postReport']>[0]]
    expect(to.conversation).toMatchObject({ topic: `${long.name.slice(0, 59)}…` })
  })
})

describe('the discussion of a check', () => {
  test('shows the last messages of its topic and leads to each', async () => {
    bridge()
    const messages = [1, 2, 3, 4, 5].map((n) => eg.message({ id: n, text: `message ${n}` }))
    show({ realms: new Map([[eg.chatId, eg.realm(messages)]]) })
    frame(<CheckDiscussion outages={[]} account={eg.account()} check={check} />)
    await expect.element(page.getByText('message 5')).toBeVisible()
    expect(page.getByText('message 1').query()).toBeNull()
    await page.getByText('message 3').click()
    expect(place.value).toMatchObject({ view: 'conversation', messageId: 3 })
  })

  test('without a chat account leads to a form that connects one', async () => {
    bridge()
    show({ accounts: [eg.account()] })
    frame(<CheckDiscussion outages={[]} account={eg.account()} check={check} />)
    await userEvent.keyboard('d')
    await expect.poll(() => place.value).toMatchObject({ view: 'discuss', checkId: check.id })
    frame(<ReportPage accountId={eg.account().id} checkId={check.id} />)
    await expect.element(page.getByRole('button', { name: 'Connect a chat account' })).toBeVisible()
  })

  test('stays within its width, however long the topic is', async () => {
    bridge()
    const topic = `an outage with ${'a very long name '.repeat(20)}`
    show({ settings: { ...defaultSettings, discuss: [{ ...rule, topic }] } })
    frame(<CheckDiscussion outages={[]} account={eg.account()} check={check} />)
    const title = page.getByRole('button', { name: /an outage with/ })
    await expect.element(title).toBeVisible()
    expect(title.element().getBoundingClientRect().right).toBeLessThanOrEqual(420)
  })

  test('reads the topic once', async () => {
    const calls = bridge()
    show()
    frame(<CheckDiscussion outages={[]} account={eg.account()} check={check} />)
    await expect.poll(() => calls.inputsOf('loadConversation')).toHaveLength(1)
  })

  test('offers the update after a recovery, and posts it with one click', async () => {
    const calls = bridge()
    const up = { ...check, status: 'up' as const, since: eg.now }
    show({ incidents: [incident] }, up)
    frame(<CheckDiscussion outages={[]} account={eg.account()} check={up} />)
    await page.getByRole('button', { name: 'Post update: up again after 2 h 13 min' }).click()
    expect(calls.inputsOf('postReport')).toMatchObject([
      { text: having('**up again after 2 h 13 min**') },
    ])
  })

  test('offers to delete the user’s own report if someone else posted just before', async () => {
    const answer = Promise.withResolvers<void>()
    const calls = bridge({ run: () => answer.promise })
    const text = outageMark(check.id, 'down', eg.now)
    const realm = eg.realm([
      eg.message({ id: 50, text, sentAt: eg.now }),
      eg.message({ id: 51, text, sentAt: eg.now, isMe: true, senderId: eg.me.id }),
    ])
    show({ realms: new Map([[eg.chatId, realm]]), incidents: [{ ...incident, messageId: 51 }] })
    frame(<CheckDiscussion outages={[]} account={eg.account()} check={check} />)
    await page.getByRole('button', { name: 'Delete your message' }).dblClick()
    answer.resolve()
    await expect.poll(() => calls.inputsOf('joinReport')).toMatchObject([{ messageId: 50 }])
    expect(calls.inputsOf('run')).toEqual([
      { accountId: eg.chatId, operation: 'deleteMessage', params: { message_id: 51 } },
    ])
  })

  test('says in the dialog why a check could not be linked', async () => {
    bridge({
      updateSettings: () =>
        failed({ kind: 'invalid', field: 'discuss', message: 'Too many rules.' }),
    })
    const realm = eg.realm([eg.message()])
    show({ settings: defaultSettings, realms: new Map([[eg.chatId, realm]]) })
    frame(<CheckDiscussion outages={[]} account={eg.account()} check={check} />)
    await page.getByRole('button', { name: 'Link a chat…' }).click()
    await page.getByRole('button', { name: '# ops › db-backup is DOWN' }).click()
    await page.getByRole('button', { name: 'Link', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await expect.element(dialog.getByRole('alert')).toHaveTextContent('Too many rules.')
    await expect.element(dialog.getByLabelText('Topic')).toHaveValue('db-backup is DOWN')
    expect(shownToast.value).toBeNull()
  })

  test('links one check to a topic', async () => {
    const calls = bridge()
    const realm = eg.realm([eg.message()])
    show({ settings: defaultSettings, realms: new Map([[eg.chatId, realm]]) })
    frame(<CheckDiscussion outages={[]} account={eg.account()} check={check} />)
    await page.getByRole('button', { name: 'Link a chat…' }).click()
    await page.getByRole('button', { name: '# ops › db-backup is DOWN' }).click()
    await page.getByRole('button', { name: 'Link', exact: true }).click()
    await expect
      .poll(() => calls.inputsOf('updateSettings'))
      .toMatchObject([
        { discuss: [{ ...ids, chatId: eg.chatId, channelId: 10, topic: 'db-backup is DOWN' }] },
      ])
  })
})

describe('a linked conversation', () => {
  test('shows the check in its header and its flips between the messages', async () => {
    const calls = bridge()
    const realm = eg.realm([
      eg.message({ id: 1, text: 'before', sentAt: eg.now - 3 * eg.hour }),
      eg.message({ id: 2, text: 'after', sentAt: eg.now - eg.hour }),
    ])
    show({ realms: new Map([[eg.chatId, realm]]) })
    frame(<ConversationPane accountId={eg.chatId} conversation={eg.topic} messageId={null} />)
    const head = page.getByRole('region', { name: 'Checks of this conversation' })
    await expect.element(head).toMatchTextContent(/db-backup\s*down for 2 h 13 min/)
    const log = page.getByRole('log')
    await expect.element(log.getByRole('button', { name: /db-backup down · 12:12/ })).toBeVisible()
    const text = log.element().textContent
    expect(text.indexOf('before')).toBeLessThan(text.indexOf('db-backup'))
    expect(text.indexOf('db-backup')).toBeLessThan(text.indexOf('after'))
    expect(calls.inputsOf('run')).toHaveLength(1)
    await head.getByRole('button').click()
    expect(place.value).toEqual({ view: 'check', ...ids })
  })

  test('says that the check was down once it is up again, if Belfry saw it go down', async () => {
    const seenAt = eg.now - 100 * eg.minute
    const calls = bridge({
      run: () => ({
        flips: [
          { timestamp: iso(eg.now - eg.minute), up: 1 },
          { timestamp: iso(seenAt - 10_000), up: 0 },
        ],
      }),
      history: () => [
        {
          at: seenAt,
          accountId: eg.opsId,
          subject: `${eg.opsId}/check/${check.id}`,
          kind: 'status',
          data: { from: 'up', to: 'down' },
        },
      ],
    })
    const messages = [eg.message({ id: 1, text: 'before', sentAt: eg.now - 3 * eg.hour })]
    const realms = new Map([[eg.chatId, eg.realm(messages)]])
    show({ realms }, { ...check, status: 'up' })
    frame(<ConversationPane accountId={eg.chatId} conversation={eg.topic} messageId={null} />)
    const log = page.getByRole('log')
    await expect.element(log.getByRole('button', { name: /db-backup down · / })).toBeVisible()
    expect(log.element().textContent).not.toContain('not up')
    expect(calls.inputsOf('history')).toMatchObject([{ accountId: eg.opsId }])
  })

  test('without any link shows nothing and requests nothing', async () => {
    const calls = bridge()
    show({ settings: defaultSettings, realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) })
    frame(<ConversationPane accountId={eg.chatId} conversation={eg.topic} messageId={null} />)
    await expect.element(page.getByText('restarting it now')).toBeVisible()
    expect(page.getByRole('region', { name: 'Checks of this conversation' }).query()).toBeNull()
    expect(calls.inputsOf('run')).toEqual([])
  })
})

describe('the timeline', () => {
  const nothingKnown = 'Nothing is known about this period.'
  const events = page.getByRole('region', { name: 'Events' })

  const Shown = () => <PlaceView place={place.value} />

  /** By a link to it, which opens it on the check's page. */
  function openTimeline() {
    go({ view: 'timeline', ...ids })
    frame(<Shown />)
  }

  test('lists everything by time, opens bodies, and can be exported', async () => {
    const calls = bridge()
    const said = [
      eg.message({ text: 'restarting it' }),
      eg.message({ text: 'lunch?', senderId: 77 }),
    ]
    const realm = eg.realm(said, { mutedUsers: [77] })
    show({ realms: new Map([[eg.chatId, realm]]) })
    openTimeline()
    await expect.element(events.getByText('restarting it')).toBeVisible()
    expect(place.value).toEqual({ view: 'check', ...ids })
    expect(events.getByText('lunch?').query()).toBeNull()
    await events.getByRole('button', { name: '24 h' }).click()
    await events.getByRole('button', { name: 'Output of ping 7' }).click()
    await expect.element(events.getByText('error: disk full')).toBeVisible()
    await page.getByRole('button', { name: 'Copy as Markdown' }).click()
    expect(calls.inputsOf('copyText')).toMatchObject([
      { text: having('**Ana** wrote:\n  > restarting it') },
    ])
  })

  test('says what it couldn’t read, and says that nothing is known only after reading all of it', async () => {
    const { promise, resolve } = Promise.withResolvers()
    bridge({ run: () => promise })
    show()
    openTimeline()
    await expect.element(page.getByText('Loading timeline…')).toBeVisible()
    const failure = { kind: 'network', reason: 'refused', host: 'hc', reached: 'no' } as const
    resolve(failed(failure))
    await expect
      .element(
        page.getByText('Can’t reach hc (connection refused). Some of this timeline is missing.'),
      )
      .toBeVisible()
    expect(page.getByText(nothingKnown).query()).toBeNull()
  })

  test('says that nothing is known if all was read and there is nothing', async () => {
    const empty: Readonly<Record<string, unknown>> = { listFlips: [], listPings: { pings: [] } }
    bridge({ run: (input) => empty[(input as Parameters<Commands['run']>[0]).operation] })
    show()
    openTimeline()
    await expect.element(page.getByText(nothingKnown)).toBeVisible()
  })
})

test('the settings list the linked conversations, add one, and remove one with Undo', async () => {
  const calls = bridge()
  show()
  frame(<DiscussSettings />)
  await expect.element(page.getByText('Every check → # ops › {check} is DOWN')).toBeVisible()
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabelText('Checks with the tag').fill('#prod')
  await page.getByLabelText('Channel').selectOptions('# ops')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  expect(calls.inputsOf('updateSettings')).toMatchObject([
    { discuss: [rule, { tag: 'prod', channelId: 10, topic: '{check}' }] },
  ])
  await page.getByRole('button', { name: /^Remove: Every check/ }).click()
  expect(calls.inputsOf('updateSettings').at(-1)).toEqual({ discuss: [] })
  await expect.poll(() => shownToast.value?.text).toBe('The rule was removed.')
  takeOffer()
  expect(calls.inputsOf('updateSettings').at(-1)).toEqual({ discuss: [rule] })
})

test('a rule that can’t be saved stays in its form, and is saved once by the next try', async () => {
  const saved = Promise.withResolvers<void>()
  let answer: unknown = failed({ kind: 'invalid', field: 'discuss', message: 'Too many rules.' })
  const calls = bridge({ updateSettings: () => answer })
  show()
  frame(<DiscussSettings />)
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabelText('Checks with the tag').fill('#prod')
  await page.getByLabelText('Channel').selectOptions('# ops')
  const add = page.getByRole('button', { name: 'Add', exact: true })
  await add.click()
  await expect.element(page.getByRole('alert')).toHaveTextContent('Too many rules.')
  await expect.element(page.getByLabelText('Checks with the tag')).toHaveValue('#prod')
  answer = saved.promise
  await add.dblClick()
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  saved.resolve()
  await expect.element(add).not.toBeInTheDocument()
  expect(calls.inputsOf('updateSettings')).toHaveLength(2)
})
