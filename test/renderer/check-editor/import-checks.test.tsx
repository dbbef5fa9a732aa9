import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Commands } from '#shared/contract.ts'
import { ImportPage } from '../../../src/renderer/check-editor/import-page.tsx'
import { isInputHeld } from '../../../src/renderer/held-input.ts'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { appState, now, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { fiftyLines } from '../../support/fifty-lines.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

type Fields = Parameters<Commands['createCheck']>[0]['fields']

const uuid = (n: number) => `0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4${String(n).padStart(4, '0')}`
const lost = { kind: 'network', reason: 'timeout', host: 'hc', reached: 'maybe' } as const

let project = 0

/** `becomes` returns the reply to creating the n-th check, or undefined to create it. */
function open(becomes: (n: number) => unknown = () => undefined, answers: Answers = {}) {
  // What was typed stays with its project for the life of the window.
  project += 1
  const accountId = `project-${project}`
  let n = 0
  const bridge = withBridge({
    createCheck: (input) => {
      const { name } = (input as { fields: Fields }).fields
      n += 1
      const id = uuid(n)
      return (
        becomes(n) ??
        eg.details({ id, name: String(name), uuid: id, pingUrl: `https://hc.example/ping/${id}` })
      )
    },
    ...answers,
  })
  withState({
    ...eg.state(),
    accounts: [{ ...eg.account(), id: accountId }],
    boards: new Map([[accountId, eg.board([])]]),
  })
  mount(
    <div style={{ width: '420px', height: '620px', display: 'grid' }}>
      <ImportPage accountId={accountId} />
    </div>,
  )
  const sent = () => bridge.inputsOf('createCheck').map((one) => (one as { fields: Fields }).fields)
  const put = (checks: readonly ReturnType<typeof eg.details>[]) => {
    appState.value = { ...appState.value, boards: new Map([[accountId, eg.board(checks)]]) }
  }
  return { ...bridge, sent, put }
}

const crontab = () => page.getByRole('textbox', { name: 'Crontab' })
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const button = (name: string) => page.getByRole('button', { name, exact: true })
const zone = () => page.getByRole('combobox', { name: 'Time zone', exact: true })

const three = `MAILTO=me
# Nightly backup
0 3 * * * /opt/backup.sh
@hourly /opt/sync # every hour
@reboot /opt/warm
0 4 * * * /opt/report`

describe('the crontab import', () => {
  test('suggests a check for each line, creates those chosen, and returns the crontab with pings', async () => {
    const it = open()
    await crontab().fill(three)
    await zone().fill('Asia/Tokyo')
    await expect.element(page.getByText('1 line can’t be imported')).toBeVisible()
    await expect.element(page.getByText(/@reboot has no time/)).toBeVisible()
    await expect.element(field('Name for line 3')).toHaveValue('Nightly backup')
    await field('Name for line 4').fill('sync')
    await field('Grace for line 4').fill('10 min')
    const [left, right] = [zone(), field('Tags for all')].map((one) => one.element())
    expect(left?.getBoundingClientRect().top).toBe(right?.getBoundingClientRect().top)
    await field('Tags for all').fill('cron')
    await page.getByRole('checkbox', { name: 'Create a check for line 6' }).click()
    await button('Create 2 checks').click()
    await expect.element(page.getByText('Created 2 checks.')).toBeVisible()
    const same = { tags: 'cron', tz: 'Asia/Tokyo', channels: '*' }
    expect(it.sent()).toEqual([
      { ...same, name: 'Nightly backup', schedule: '0 3 * * *', grace: 3_600 },
      { ...same, name: 'sync', schedule: '0 * * * *', grace: 600 },
    ])
    await button('Copy crontab').click()
    const curl = (n: number) =>
      `curl -fsS -m 10 --retry 5 -o /dev/null https://hc.example/ping/${uuid(n)}`
    await expect
      .poll(() => it.inputsOf('copyText'))
      .toEqual([
        {
          text: three
            .replace('backup.sh', `backup.sh && ${curl(1)}`)
            .replace('sync #', `sync && ${curl(2)} #`),
        },
      ])
    expect(isInputHeld()).toBe(true)
    await button('Start over').click()
    await expect.element(crontab()).toHaveValue('')
  })

  test('is done by keys, leaves nothing to edit in what it created, and leads on', async () => {
    const it = open()
    await crontab().fill(three)
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.element(page.getByText('Created 3 checks.')).toBeVisible()
    expect(document.querySelectorAll('.proposals input')).toHaveLength(0)
    await expect.element(page.getByText('Nightly backup')).toBeVisible()
    document.querySelector<HTMLElement>('.page')?.focus()
    await userEvent.keyboard('{Control>}{Enter}{/Control}')
    await expect.poll(() => it.inputsOf('copyText')).toHaveLength(1)
    await button('Show the checks').click()
    expect(place.value).toEqual({ view: 'checks' })
  })

  test('takes a zone by what people call it, and says which months a schedule skips', async () => {
    const it = open()
    await crontab().fill('0 3 31 * * /opt/a')
    await zone().fill('berlin')
    await expect.element(zone()).toHaveAccessibleDescription('Taken as Europe/Berlin.')
    await expect.element(page.getByText(/Skips February, April, June/)).toBeVisible()
    await button('Create 1 check').click()
    await expect.poll(() => it.sent()).toMatchObject([{ tz: 'Europe/Berlin' }])
  })

  test('says what it left out, rewrote or could not see, and why', async () => {
    open()
    const lines = [
      '/opt/a | gzip > /b',
      '/opt/a & /opt/b',
      'runitor -uuid x -- /opt/a',
      '[ ! -f /c ] && /opt/a',
    ]
    await crontab().fill(lines.map((line) => `0 3 * * * ${line}`).join('\n'))
    await expect
      .element(page.getByText(/rewritten so that no failure in it is lost/).first())
      .toBeVisible()
    await expect
      .element(page.getByText(/can’t see whether it fails: a part of it runs in the background/))
      .toBeVisible()
    await expect.element(page.getByText('Its command already pings a check.')).toBeVisible()
    await expect.element(page.getByText(/pings, too, when its condition says/)).toBeVisible()
    await expect.element(button('Create 3 checks')).toBeVisible()
  })

  test('accepts fifty lines of all kinds', async () => {
    const it = open()
    await crontab().fill(fiftyLines)
    // One of them already pings a check.
    await button('Create 49 checks').click()
    await expect.element(page.getByText('Created 49 checks.')).toBeVisible()
    expect(it.sent()).toHaveLength(49)
    expect(new Set(it.sent().map(({ name }) => name)).size).toBe(49)
  })

  test('never resends automatically what may have been created', async () => {
    const it = open((n) => (n === 2 ? failed(lost) : undefined))
    await crontab().fill(three)
    await button('Create 3 checks').click()
    await expect.element(page.getByText(/The rest was not sent/)).toBeVisible()
    await expect.element(page.getByText(/It is not in the list; look under Checks/)).toBeVisible()
    expect(it.sent()).toHaveLength(2)
    await button('Create 1 check').click()
    await expect.element(page.getByText('Created 2 checks.')).toBeVisible()
    expect(it.sent().map(({ name }) => name)).toEqual(['Nightly backup', 'every hour', 'report'])
    const schedule = { kind: 'cron', expression: '0 * * * *', zone: 'UTC' } as const
    it.put([eg.details({ name: 'every hour', schedule })])
    await expect
      .element(page.getByText(/already has a check with this name and schedule/))
      .toBeVisible()
  })

  test('continues after a line that is refused, and stops if all would be', async () => {
    const refused = (httpStatus: number, message: string) =>
      failed({ kind: 'refused', httpStatus, code: '', message })
    const it = open((n) =>
      n === 1 ? refused(400, 'schedule is odd') : n === 3 ? refused(403, '') : undefined,
    )
    await crontab().fill(three)
    await button('Create 3 checks').click()
    await expect.element(page.getByText(/reached its limit of checks/)).toBeVisible()
    await expect.element(page.getByText(/schedule is odd”\. It was not created\./)).toBeVisible()
    expect(it.sent()).toHaveLength(3)
  })

  test('waits if the service asks for that, and continues automatically', async () => {
    const it = open((n) => (n === 2 ? failed({ kind: 'rateLimited', retryAfterMs: 1 }) : undefined))
    await crontab().fill(three)
    await button('Create 3 checks').click()
    await expect.element(page.getByText('Created 3 checks.')).toBeVisible()
    const names = ['Nightly backup', 'every hour', 'every hour', 'report']
    expect(it.sent().map(({ name }) => name)).toEqual(names)
  })

  test('doesn’t create what someone else created while it waited', async () => {
    const it = open((n) => {
      if (n !== 2) return
      const theirs = (id: string, name: string, expression: string) =>
        eg.details({ id, name, schedule: { kind: 'cron', expression, zone: 'UTC' } })
      it.put([theirs('a', 'every hour', '0 * * * *'), theirs('b', 'report', '0 4 * * *')])
      return failed({ kind: 'rateLimited', retryAfterMs: 1 })
    })
    await crontab().fill(three)
    await button('Create 3 checks').click()
    await expect.element(page.getByText('Created 1 check.')).toBeVisible()
    const isThere = page.getByText(/already has a check with this name and schedule/)
    await expect.poll(() => isThere.elements()).toHaveLength(2)
    expect(it.sent().map(({ name }) => name)).toEqual(['Nightly backup', 'every hour'])
  })

  test('says how long it waits, and can be stopped and continued meanwhile', async () => {
    const it = open((n) =>
      n === 2 ? failed({ kind: 'rateLimited', retryAfterMs: 2 * eg.hour }) : undefined,
    )
    now.value = Date.now()
    await crontab().fill(three)
    await button('Create 3 checks').click()
    await expect
      .element(page.getByText(/^Created 1 of 3\. The server is rate-limiting .* in 2 h\.$/))
      .toBeVisible()
    // The second click of a double click doesn't stop it.
    await button('Creating…').click({ force: true })
    await button('Stop').click()
    await expect.element(page.getByText(/Try again in 2 h\. The rest was not sent\./)).toBeVisible()
    expect(it.sent()).toHaveLength(2)
    await button('Create 2 checks').click()
    await expect.element(page.getByText('Created 3 checks.')).toBeVisible()
    expect(it.sent()).toHaveLength(4)
  })

  test('leaves out what the project already has, and marks what would be refused', async () => {
    const it = open()
    const schedule = { kind: 'cron', expression: '0 3 * * *', zone: 'UTC' } as const
    it.put([eg.details({ name: 'Nightly backup', schedule })])
    await crontab().fill(three)
    await expect.element(button('Create 2 checks')).toBeVisible()
    await field('Grace for line 4').fill('soon')
    await expect.element(page.getByText(/A length of time/)).toBeVisible()
    await button('Create 2 checks').click()
    await expect.element(page.getByText('Fix the marked fields first.')).toBeVisible()
    await expect.element(field('Grace for line 4')).toHaveFocus()
    await field('Grace for line 4').fill('5 min')
    await zone().fill('Mars/Base')
    await button('Create 2 checks').click()
    await expect.element(zone()).toHaveFocus()
    expect(it.sent()).toEqual([])
  })

  test('says that it waits for the rate limit only where it does', async () => {
    const { promise, resolve } = Promise.withResolvers()
    let waits = 0
    open(() => promise, { changeWait: () => waits })
    await crontab().fill(three)
    await button('Create 3 checks').click()
    await expect.element(page.getByText(/^Created 0 of 3\.$/)).toBeVisible()
    expect(page.getByText(/rate limit/).elements()).toEqual([])
    waits = 39_200
    await expect.element(page.getByText('Waiting for the rate limit, about 40 s.')).toBeVisible()
    resolve(failed({ kind: 'invalid', field: 'name', message: 'No.' }))
  })

  test('says that a file can’t be read, and how much of a long one is', async () => {
    open()
    onTestFinished(dismissToast)
    const drop = new DragEvent('drop', { bubbles: true, cancelable: true })
    const folder = {
      slice: () => ({ text: () => Promise.reject(new DOMException('', 'NotFoundError')) }),
    }
    Object.defineProperty(drop, 'dataTransfer', { value: { files: [folder] } })
    document.querySelector('.drop')?.dispatchEvent(drop)
    await expect.poll(() => shownToast.value?.text).toMatch(/^This could not be read/)
    const long = `# ${'я'.repeat(59_000)}\n0 3 * * * /opt/backup\n`.padEnd(70_000, '#')
    await page.getByLabelText(/Drop a file here/).upload(new File([long], 'crontab'))
    await expect.element(page.getByText('Only the first 60000 characters are read.')).toBeVisible()
    await expect.element(field('Name for line 2')).toBeInTheDocument()
  })

  test('reads a file, and lines that name a user', async () => {
    const it = open()
    const system = '0 3 * * * root /opt/backup\n0 4 * * * www-data /opt/gc'
    await page.getByLabelText(/Drop a file here/).upload(new File([system], 'crontab'))
    await expect.element(field('Name for line 1')).toHaveValue('backup')
    const users = page.getByRole('checkbox', { name: /Lines name a user/ })
    await expect.element(users).toBeChecked()
    await users.click()
    await expect.element(field('Name for line 1')).toHaveValue('root')
    await crontab().fill('hello')
    await expect.element(page.getByText('1 line can’t be imported')).toBeVisible()
    await crontab().fill('# nothing')
    await expect.element(page.getByText(/It contains no jobs/)).toBeVisible()
    expect(it.sent()).toEqual([])
  })
})
