import { beforeEach, describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Commands } from '#shared/contract.ts'
import type { CheckDetails } from '#shared/core/checks/check.ts'
import { DeleteCheck } from '../../../src/renderer/board/check-detail.tsx'
import { PingAddress } from '../../../src/renderer/board/ping-address.tsx'
import { unsaved } from '../../../src/renderer/check-editor/use-check-form.ts'
import { PlaceView } from '../../../src/renderer/shell/later-views.tsx'
import { shownToast } from '../../../src/renderer/toast.ts'
import { appState, go, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { failed, mount, withBridge, withState } from '../mount.ts'

type Run = Parameters<Commands['run']>[0]

const channels = [
  { id: 'mail', name: 'ops mail', kind: 'email' },
  { id: 'call', name: '', kind: 'call' },
]

beforeEach(() => (unsaved.all.value = new Map()))

/** Answers with the check from the list, or with what `fresh` returns if asked to read it again. */
function listedOr(fresh: () => unknown) {
  return (input: unknown) => {
    const { accountId, checkId, fresh: isFresh } = input as Parameters<Commands['checkDetails']>[0]
    return isFresh === true ? fresh() : appState.peek().boards.get(accountId)?.checks.get(checkId)
  }
}

/** A fake service with two integrations, and other replies as given. */
function answer(others: Record<string, () => unknown> = {}) {
  const replies: Record<string, () => unknown> = {
    listIntegrations: () => ({ channels }),
    ...others,
  }
  // The component calls `run` with a `Run`; the bridge's own type is wider.
  const bridge = withBridge({
    run: (input) => replies[(input as Run).operation]?.(),
    createCheck: () => replies['createCheck']?.() ?? eg.details(),
    ...(others['checkDetails'] === undefined
      ? {}
      : { checkDetails: listedOr(others['checkDetails']) }),
  })
  const written = (operation: string) =>
    bridge
      .inputsOf('run')
      .map((input) => input as Run)
      .filter((input) => input.operation === operation)
      .map(({ params }) => params)
  return { ...bridge, written }
}

function open(change: Partial<CheckDetails> | null, account = eg.account()) {
  const check = eg.details({ name: 'db-backup', slug: 'db', integrationIds: ['mail'], ...change })
  withState({
    ...eg.state(),
    accounts: [account],
    boards: new Map([[eg.opsId, eg.board([check])]]),
  })
  go({ view: 'check', accountId: eg.opsId, checkId: check.id })
  go({ view: 'editCheck', accountId: eg.opsId, checkId: change === null ? null : check.id })
  mount(
    <div style={{ width: '360px', height: '640px' }}>
      <Shown />
    </div>,
  )
  return check
}

/** The form while the window shows one. */
function Shown() {
  const { value } = place
  return value.view === 'editCheck' ? <PlaceView place={value} /> : null
}

const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('the form of a check', () => {
  test('shows what will change and sends only that', async () => {
    const service = answer({ updateCheck: () => ({}) })
    const check = open({})
    await expect.element(page.getByText('No changes yet.')).toBeVisible()
    await field('Period').fill('2 h')
    const changes = page.getByRole('region', { name: 'What will change' })
    await expect.element(changes).toMatchTextContent('every hour → every 2 h')
    await button('Save').click()
    await expect.poll(() => place.value.view).toBe('check')
    expect(service.written('updateCheck')).toEqual([{ uuid: check.id, timeout: 7_200 }])
  })

  test('sends nothing if nothing was changed', async () => {
    const service = answer()
    open({})
    await button('Save').click()
    await expect.poll(() => place.value.view).toBe('check')
    expect(shownToast.value?.text).toBe('No changes to save.')
    expect(service.inputsOf('checkDetails')).not.toContainEqual(
      expect.objectContaining({ fresh: true }),
    )
    expect(service.written('updateCheck')).toEqual([])
  })

  test('compares with what was changed elsewhere, and replaces it only on a second save', async () => {
    const service = answer({ updateCheck: () => ({}) })
    const check = open({})
    await field('Grace').fill('3 h')
    // Changed after the last list, so only reading the check again shows it.
    const board = eg.board([{ ...check, slug: 'theirs', graceSeconds: 7_200 }])
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, board]]) }
    await button('Save').click()
    await expect.element(page.getByText(/Somebody else changed the same/)).toBeVisible()
    const table = page.getByRole('table', { name: 'Changed elsewhere meanwhile' })
    await expect.element(table).toMatchTextContent(/Slug ?theirs ?kept as on the server/)
    await expect.element(table).toMatchTextContent(/Grace ?2 h ?3 h/)
    expect(service.written('updateCheck')).toEqual([])
    await button('Save').click()
    await expect.poll(() => place.value.view).toBe('check')
    expect(service.written('updateCheck')).toEqual([{ uuid: check.id, grace: 10_800 }])
  })

  test('sends nothing that the check already has, or if the check can’t be read', async () => {
    const service = answer({ updateCheck: () => ({}) })
    const check = open({})
    await field('Grace').fill('2 h')
    const same = eg.board([{ ...check, graceSeconds: 7_200 }])
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, same]]) }
    await button('Save').click()
    await expect.poll(() => shownToast.value?.text).toMatch(/is already like this/)
    expect(service.written('updateCheck')).toEqual([])
    const away = { kind: 'network', reason: 'timeout', host: 'x', reached: 'maybe' } as const
    const other = answer({ checkDetails: () => failed(away) })
    go({ view: 'editCheck', accountId: eg.opsId, checkId: check.id })
    await field('Grace').fill('5 h')
    await button('Save').click()
    await expect.element(page.getByText(/Nothing was saved\./)).toBeVisible()
    expect(other.written('updateCheck')).toEqual([])
  })

  test('shows the next times of a cron schedule in its zone', async () => {
    answer()
    open({})
    await page.getByText('Cron', { exact: true }).click()
    await field('Cron expression').fill('0 3 * * *')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo')
    const times = page.getByRole('table', { name: 'Next times' })
    await expect.element(times.getByRole('columnheader', { name: /Asia\/Tokyo/ })).toBeVisible()
    await expect.element(times.getByRole('cell').first()).toMatchTextContent('Wed 03:00')
    await page.getByText('OnCalendar', { exact: true }).click()
    await expect.element(page.getByText(/Only the server knows the next times/)).toBeVisible()
  })

  test('says why there are no next times', async () => {
    answer()
    open({})
    await page.getByText('Cron', { exact: true }).click()
    await field('Cron expression').fill('0 9 * * sat-sun')
    await expect.element(page.getByText(/SAT-SUN runs backwards/)).toBeVisible()
    await field('Cron expression').fill('0 9 * * sat,sun')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Mars/Base')
    const zone = page.getByRole('combobox', { name: 'Time zone' })
    await field('Name').fill('x')
    await button('Save').click()
    await expect.element(zone).toHaveAccessibleDescription(/No time zone has this name/)
    await zone.fill('new york')
    await expect.element(zone).toHaveAccessibleDescription('Taken as America/New_York.')
    await field('Cron expression').fill('0 3 31 * *')
    await expect.element(zone).toHaveValue('America/New_York')
    await expect
      .element(page.getByText(/Skips February, April, June, September,? and November\./))
      .toBeVisible()
  })

  test('refuses what the server would, but accepts unchanged what the server has', async () => {
    const service = answer({ updateCheck: () => ({}) })
    const schedule = { kind: 'cron', expression: '0 0 30 2 1', zone: 'UTC' } as const
    const check = open({ schedule })
    await field('Cron expression').fill('0 9 15W * *')
    await button('Save').click()
    const expression = field('Cron expression')
    await expect
      .element(expression)
      .toHaveAccessibleDescription(/“15W” is not a valid day of the month/)
    await expect.element(expression).toHaveFocus()
    expect(service.written('updateCheck')).toEqual([])
    await expression.fill(schedule.expression)
    await field('Grace').fill('20 min')
    await button('Save').click()
    await expect.poll(() => place.value.view).toBe('check')
    expect(service.written('updateCheck')).toEqual([{ uuid: check.id, grace: 1_200 }])
  })

  test('selects integrations by name', async () => {
    const service = answer({ updateCheck: () => ({}) })
    open({})
    await expect.element(page.getByRole('checkbox', { name: 'ops mail email' })).toBeChecked()
    await page.getByRole('checkbox', { name: 'call' }).click()
    await expect.element(page.getByText('call, ops mail')).toBeInTheDocument()
    await button('None').click()
    await button('Save').click()
    await expect.poll(() => service.written('updateCheck')).toMatchObject([{ channels: '' }])
  })

  test('shows an error under its field and focuses that, before and after sending', async () => {
    const refusal = {
      kind: 'refused',
      httpStatus: 400,
      code: 'BAD_REQUEST',
      message: 'json validation error: slug does not match pattern',
    } as const
    const service = answer({ updateCheck: () => failed(refusal) })
    open({})
    await field('Grace').fill('soon')
    await button('Save').click()
    await expect.element(field('Grace')).toHaveAccessibleDescription(/A length of time/)
    await expect.element(field('Grace')).toHaveFocus()
    expect(service.written('updateCheck')).toEqual([])
    await field('Grace').fill('20 min')
    await button('Save').click()
    await expect.element(field('Slug')).toHaveAccessibleDescription(/does not match pattern/)
    await expect.element(field('Slug')).toHaveFocus()
  })

  test('keeps what was typed when it is left, and starts over on request', async () => {
    answer()
    const check = open({})
    await field('Name').fill('other')
    await button('Cancel').click()
    await expect.element(page.getByRole('textbox')).not.toBeInTheDocument()
    go({ view: 'editCheck', accountId: eg.opsId, checkId: check.id })
    await expect.element(field('Name')).toHaveValue('other')
    await button('Start over').click()
    await expect.element(field('Name')).toHaveValue('db-backup')
  })

  test('keeps what was typed when the list is read again, with someone else’s changes', async () => {
    const service = answer({ updateCheck: () => ({}) })
    const check = open({ description: 'as it was' })
    await field('Period').fill('2 h')
    const theirs = { ...check, description: 'theirs' }
    const board = eg.board([theirs], {
      freshness: { ...eg.fresh, readAt: eg.now },
    })
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, board]]) }
    await expect.poll(() => service.inputsOf('checkDetails').length).toBe(2)
    await expect.element(field('Period')).toHaveValue('2 h')
    await button('Save').click()
    await expect.poll(() => place.value.view).toBe('check')
    expect(service.written('updateCheck')).toEqual([{ uuid: check.id, timeout: 7_200 }])
  })

  test('keeps a slug that someone else changed, even with a new name', async () => {
    const service = answer({ updateCheck: () => ({}) })
    const check = open({})
    await field('Name').fill('other')
    const board = eg.board([{ ...check, slug: 'theirs' }])
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, board]]) }
    await button('Save').click()
    await expect.poll(() => place.value.view).toBe('check')
    expect(service.written('updateCheck')).toEqual([{ uuid: check.id, name: 'other' }])
  })

  test('stays open for what was typed while it was being saved', async () => {
    const { promise, resolve } = Promise.withResolvers()
    const service = answer({ updateCheck: () => promise })
    const check = open({})
    await field('Period').fill('2 h')
    await button('Save').click()
    await field('Name').fill('other')
    const saved = { ...check, schedule: { kind: 'period', periodSeconds: 7_200 } } as const
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, eg.board([saved])]]) }
    resolve({})
    const changes = page.getByRole('region', { name: 'What will change' })
    await expect.element(changes).not.toMatchTextContent('every 2 h')
    await button('Save').click()
    await expect.poll(() => place.value.view).toBe('check')
    expect(service.written('updateCheck')).toEqual([
      { uuid: check.id, timeout: 7_200 },
      { uuid: check.id, name: 'other' },
    ])
  })

  test('says why saving is waiting, and for how long', async () => {
    const { promise, resolve } = Promise.withResolvers()
    withBridge({
      run: (input) => ((input as Run).operation === 'updateCheck' ? promise : { channels }),
      changeWait: () => 39_200,
    })
    open({})
    await field('Period').fill('2 h')
    await button('Save').click()
    const words = page.getByText('Waiting for the rate limit, about 40 s.')
    await expect.element(words).toBeVisible()
    resolve({})
    await expect.poll(() => place.value.view).toBe('check')
  })

  /** Leaves for the settings before the answer, which the returned function gives. */
  async function leftWhileSaving() {
    const { promise, resolve } = Promise.withResolvers()
    answer({ updateCheck: () => promise })
    open({})
    await field('Period').fill('2 h')
    await button('Save').click()
    go({ view: 'settings' })
    return resolve
  }

  test('doesn’t move a user who went elsewhere while it was being saved', async () => {
    const resolve = await leftWhileSaving()
    resolve({})
    await expect.poll(() => shownToast.value?.text).toBe('Saved db-backup.')
    await expect.poll(() => unsaved.all.value.size).toBe(0)
    expect(place.value.view).toBe('settings')
  })

  test('tells a user who went elsewhere meanwhile that it wasn’t saved', async () => {
    const resolve = await leftWhileSaving()
    resolve(failed({ kind: 'serverFault', httpStatus: 500 }))
    await expect
      .poll(() => shownToast.value?.text)
      .toMatch(/^Edit db-backup: .* It may have been saved anyway/)
    expect(unsaved.all.value.size).toBe(1)
  })

  test('keeps showing what was typed when the check disappears, and says so on saving', async () => {
    const gone = {
      kind: 'invalid',
      field: 'uuid',
      message: 'This check no longer exists.',
    } as const
    answer({ checkDetails: () => failed(gone) })
    open({})
    await field('Name').fill('other')
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, eg.board([])]]) }
    await button('Save').click()
    await expect.element(page.getByText(`${gone.message} Nothing was saved.`)).toBeVisible()
    await expect.element(field('Name')).toHaveValue('other')
  })

  test('says why a read-only key can’t save', async () => {
    answer()
    open({ writable: false }, eg.account({ keyKind: 'readOnly' }))
    await expect.element(page.getByText(/key of ops-project can only read/)).toBeVisible()
  })
})

describe('the form of a new check', () => {
  test('has the focus in its first field at once, since later would interrupt typing', () => {
    answer()
    open(null)
    expect(document.activeElement).toBe(field('Name').element())
  })

  test('is sent once, however often it is submitted', async () => {
    let done = (_reply: unknown) => {}
    const service = answer({
      createCheck: () =>
        new Promise((resolve) => {
          done = resolve
        }),
    })
    open(null)
    await expect.element(page.getByRole('checkbox', { name: 'call' })).toBeChecked()
    await field('Name').fill('nightly')
    await userEvent.keyboard('{Enter}{Enter}')
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(button('Creating')).toHaveAttribute('aria-busy', 'true')
    const made = eg.details({ id: 'new-one', name: 'nightly' })
    done(made)
    const board = eg.board([made])
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, board]]) }
    await expect.poll(() => place.value.view).toBe('check')
    expect(service.inputsOf('createCheck')).toMatchObject([
      { fields: { name: 'nightly', timeout: 86_400, grace: 3_600, channels: 'call,mail' } },
    ])
  })

  test('is sent once, also where one leaves it and comes back, and what is typed then changes it', async () => {
    const { promise, resolve } = Promise.withResolvers()
    const service = answer({ createCheck: () => promise, updateCheck: () => ({}) })
    open(null)
    await field('Name').fill('nightly')
    await button('Create').click()
    go({ view: 'settings' })
    await expect.element(field('Name')).not.toBeInTheDocument()
    go({ view: 'editCheck', accountId: eg.opsId, checkId: null })
    await expect.element(button('Creating')).toHaveAttribute('aria-disabled', 'true')
    await field('Name').click()
    await userEvent.keyboard('{Enter}')
    await field('Description').fill('how to mend it')
    const made = eg.details({ id: 'new-one', name: 'nightly', integrationIds: ['call', 'mail'] })
    const board = eg.board([made])
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, board]]) }
    resolve(made)
    await expect.element(page.getByText('Edit nightly')).toBeInTheDocument()
    await expect.element(field('Description')).toHaveValue('how to mend it')
    expect(service.inputsOf('createCheck')).toHaveLength(1)
    expect([...unsaved.all.value.keys()]).toEqual([`${eg.opsId}/new-one`])
  })

  test('leads to the board if no response came, since the check may be there', async () => {
    answer({
      createCheck: () =>
        failed({ kind: 'network', reason: 'timeout', host: 'hc.example.org', reached: 'maybe' }),
    })
    open(null)
    await field('Name').fill('nightly')
    await button('Create').click()
    await expect.element(page.getByText(/may have been created anyway/)).toBeVisible()
    await expect.element(button('Look under Checks')).toBeVisible()
    await expect.element(button('Create it again')).toBeVisible()
    expect(button('Create').elements()).toEqual([])
  })

  test('asks for a name', async () => {
    const service = answer()
    open(null)
    await button('Create').click()
    await expect.element(field('Name')).toHaveAccessibleDescription(/Give it a name/)
    expect(service.inputsOf('createCheck')).toEqual([])
  })
})

test('the form of a check in another project opens, and creates there', async () => {
  const service = answer()
  const check = open({})
  const other = eg.check({ name: 'web-1' })
  const boards = new Map([...appState.value.boards, ['web', eg.board([other])] as const])
  const accounts = [...appState.value.accounts, eg.account({ id: 'web', label: 'web-project' })]
  appState.value = { ...appState.value, accounts, boards }
  await expect.element(field('Name')).toHaveValue('db-backup')
  go({ view: 'editCheck', accountId: 'web', checkId: other.id })
  await expect.element(field('Name')).toHaveValue('web-1')
  go({ view: 'editCheck', accountId: eg.opsId, checkId: check.id })
  await expect.element(field('Name')).toHaveValue('db-backup')
  go({ view: 'editCheck', accountId: 'web', checkId: null })
  await field('Name').fill('web-2')
  await button('Create').click()
  await expect.poll(() => service.inputsOf('createCheck')).toMatchObject([{ accountId: 'web' }])
})

describe('copying a check', () => {
  test('starts with its settings, under a new name and slug', async () => {
    const service = answer({ createCheck: () => eg.details({ id: 'new-one' }) })
    const cron = { kind: 'cron', expression: '0 3 * * *', zone: 'Asia/Tokyo' } as const
    const check = open({ schedule: cron, tags: ['prod'], methods: 'POST', description: 'why' })
    go({ view: 'editCheck', accountId: eg.opsId, checkId: null, cloneOf: check.id })
    await expect.element(field('Name')).toHaveValue('db-backup copy')
    await button('Create').click()
    await expect
      .poll(() => service.inputsOf('createCheck'))
      .toEqual([
        {
          accountId: eg.opsId,
          fields: {
            name: 'db-backup copy',
            slug: 'db-backup-copy',
            tags: 'prod',
            desc: 'why',
            schedule: '0 3 * * *',
            tz: 'Asia/Tokyo',
            grace: check.graceSeconds,
            channels: 'mail',
            methods: 'POST',
          },
        },
      ])
  })
})

describe('deleting a check', () => {
  test('requires its name, and offers its definition first', async () => {
    const service = answer({ deleteCheck: () => ({}) })
    const check = eg.details({ name: 'db-backup', pingCount: 1_240 })
    withState(eg.state())
    mount(
      <DeleteCheck
        account={eg.account()}
        check={check}
        details={check}
        onClose={() => undefined}
      />,
    )
    await expect.element(page.getByText('the log of its 1,240 pings')).toBeVisible()
    await expect.element(field('Type its name to delete it')).toHaveFocus()
    await button('Copy definition').click()
    expect(JSON.parse((service.inputsOf('copyText')[0] as { text: string }).text)).toEqual({
      name: 'db-backup',
      timeout: 3_600,
      grace: 600,
    })
    await field('Type its name to delete it').fill('db-back')
    await userEvent.keyboard('{Enter}')
    await expect.element(button('Delete')).toHaveAttribute('aria-disabled', 'true')
    expect(service.written('deleteCheck')).toEqual([])
    await field('Type its name to delete it').fill('db-backup')
    await button('Delete').click()
    await expect.poll(() => service.written('deleteCheck')).toEqual([{ uuid: check.id }])
  })

  test.each([
    ['done', {}, 'Deleted db-backup.'],
    ['refused', failed({ kind: 'serverFault', httpStatus: 500 }), /^Delete db-backup: .*deleted/],
  ])('reports the result, %s, and doesn’t move a user who left', async (_name, reply, words) => {
    const { promise, resolve } = Promise.withResolvers()
    answer({ deleteCheck: () => promise })
    const check = eg.details({ name: 'db-backup' })
    withState(eg.state())
    go({ view: 'check', accountId: eg.opsId, checkId: check.id })
    const Asked = () =>
      place.value.view === 'check' && (
        <DeleteCheck account={eg.account()} check={check} details={check} onClose={close} />
      )
    const close = (): void => {
      throw new Error('it was closed before')
    }
    mount(<Asked />)
    await field('Type its name to delete it').fill('db-backup')
    await button('Delete').click()
    go({ view: 'chat' })
    await expect.poll(() => page.getByRole('dialog').elements()).toEqual([])
    resolve(reply)
    await expect.poll(() => shownToast.value?.text).toMatch(words)
    expect(place.value.view).toBe('chat')
  })
})

describe('the ping URL', () => {
  const pingUrl = 'https://hc-ping.com/00000000-0000-4000-8000-00000000abcd'

  function show(change: Partial<CheckDetails> = {}, outcome: unknown = undefined) {
    const bridge = withBridge({ pingCheck: () => outcome })
    const check = eg.details({ name: 'db-backup', status: 'new', pingUrl, ...change })
    withState(eg.state())
    mount(<PingAddress account={eg.account()} check={check} />)
    return { bridge, check }
  }

  test('is hidden until asked for, and never a link', async () => {
    const { bridge, check } = show()
    await expect.element(page.getByText('https://hc-ping.com/••••', { exact: false })).toBeVisible()
    expect(document.body.innerHTML).not.toContain('abcd')
    await button('Copy as').click()
    await page.getByRole('menuitem', { name: 'curl command' }).click()
    const input = { accountId: eg.opsId, checkId: check.id, form: 'curl' }
    expect(bridge.inputsOf('copyPingAddress')).toEqual([input])
    await button('Reveal').click()
    await expect.element(page.getByText(pingUrl)).toBeVisible()
    expect(page.getByRole('link').elements()).toEqual([])
  })

  test('is pinged only after an explanation, and shows the result', async () => {
    const { bridge, check } = show({}, { kind: 'recorded', as: 'fail', status: 'down' })
    await button('Ping now').click()
    await page.getByRole('menuitem', { name: 'Exit status' }).click()
    await expect.element(page.getByText(/counts as the end of a real run/)).toBeVisible()
    await field('Exit status').fill('256')
    await button('Send').click()
    await expect.element(field('Exit status')).toHaveAccessibleDescription(/0 to 255/)
    expect(bridge.inputsOf('pingCheck')).toEqual([])
    await field('Exit status').fill('3')
    await button('Send').click()
    await expect
      .poll(() => shownToast.value?.text)
      .toBe('db-backup: Recorded as a failure. It is down.')
    expect(bridge.inputsOf('pingCheck')).toEqual([
      {
        accountId: eg.opsId,
        checkId: check.id,
        signal: 'exitStatus',
        exitStatus: 3,
        runId: null,
        body: '',
      },
    ])
  })

  test('says that a ping may have been sent if its form was closed before the answer', async () => {
    const { promise, resolve } = Promise.withResolvers()
    show({}, promise)
    await button('Ping now').click()
    await page.getByRole('menuitem', { name: 'Success' }).click()
    await button('Send').click()
    await userEvent.keyboard('{Escape}')
    await expect.poll(() => page.getByRole('dialog').elements()).toEqual([])
    resolve(failed({ kind: 'serverFault', httpStatus: 500 }))
    await expect
      .poll(() => shownToast.value?.text)
      .toMatch(/^Send a success signal to db-backup: .* It may have arrived anyway/)
  })

  test('says in advance that a ping will be ignored', async () => {
    show({ status: 'paused', manualResume: true })
    await button('Ping now').click()
    await page.getByRole('menuitem', { name: 'Success' }).click()
    await expect.element(page.getByText(/logged and ignored/)).toBeVisible()
  })
})
