import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Commands } from '#shared/contract.ts'
import { emptyBoard } from '#shared/core/checks/board.ts'
import type { CheckDetails } from '#shared/core/checks/check.ts'
import { CheckDetail } from '../../../src/renderer/board/check-detail.tsx'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { appState, now } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { failed, mount, withBridge, withState } from '../mount.ts'

type Run = Parameters<Commands['run']>[0]

const iso = (at: number) => new Date(at).toISOString()

const pings = [
  {
    type: 'fail',
    date: iso(eg.now - eg.hour),
    n: 7,
    scheme: 'https',
    method: 'POST',
    ua: 'curl',
    body_url: 'yes',
    duration: 12.5,
  },
  {
    type: 'success',
    date: iso(eg.now - 2 * eg.hour),
    n: 6,
    scheme: 'https',
    method: 'GET',
    ua: 'curl',
  },
]

/** Four finished runs, the newest of which failed, and one still running. */
const longLog = [
  [11, 'start', 5],
  [9, 'fail', 60],
  [8, 'start', 80],
  [7, 'success', 120],
  [6, 'start', 123],
  [5, 'success', 180],
  [4, 'start', 182],
  [3, 'success', 240],
  [2, 'start', 241],
].map(([n, type, minutesAgo]) => ({
  ...{ n, type, scheme: 'https', method: 'POST', ua: 'curl' },
  date: iso(eg.now - Number(minutesAgo) * eg.minute),
  body_url: type === 'start' ? null : 'yes',
}))

const flips = [
  { timestamp: iso(eg.now - 2 * eg.hour), up: 0 },
  { timestamp: iso(eg.now - 30 * eg.hour), up: 1 },
]

/** A fake service with an ordinary history, and other replies as given. */
function answer(others: Record<string, () => unknown> = {}) {
  const replies: Record<string, () => unknown> = {
    listFlips: () => ({ flips }),
    listPings: () => ({ pings }),
    getPingBody: () => 'begin\nerror: disk full',
    listIntegrations: () => ({ channels: [{ id: 'i1', name: 'ops mail', kind: 'email' }] }),
    ...others,
  }
  // The component calls `run` with a `Run`; the bridge's own type is wider.
  return withBridge({ run: (input) => replies[(input as Run).operation]?.() })
}

function show(change: Partial<CheckDetails> = {}, account = eg.account()) {
  const check = eg.details({ name: 'db-backup', status: 'down', ...change })
  withState({
    ...eg.state(),
    accounts: [account],
    boards: new Map([[eg.opsId, eg.board([check])]]),
  })
  mount(
    <div style={{ width: '420px', height: '600px' }}>
      <CheckDetail accountId={eg.opsId} checkId={check.id} />
    </div>,
  )
  return check
}

describe('the page of a check', () => {
  test('opens each menu fully in view, wherever its button is', async () => {
    answer()
    show({ pingUrl: 'https://hc.example/ping/0' })
    const scroller = page.getByRole('region', { name: 'Details' })
    const button = page.getByRole('button', { name: 'Ping now' })
    await expect.element(button).toBeInTheDocument()
    const frame = scroller.element()
    const buttonTop = () => button.element().getBoundingClientRect().top
    for (const fromFoot of [30, 90, 160, 400]) {
      frame.scrollTop += buttonTop() - (frame.getBoundingClientRect().bottom - fromFoot)
      await button.click()
      const { top, bottom, right } = page.getByRole('menu').element().getBoundingClientRect()
      const seen = frame.getBoundingClientRect()
      expect(top).toBeGreaterThanOrEqual(seen.top)
      expect(bottom).toBeLessThanOrEqual(seen.bottom + 1)
      expect(right).toBeLessThanOrEqual(seen.left + frame.clientWidth)
      // The menu must not push the page aside.
      expect([frame.scrollLeft, frame.scrollWidth]).toEqual([0, frame.clientWidth])
      await userEvent.keyboard('{Escape}')
      // From then on with the button at the edge of a narrow window.
      frame.closest<HTMLElement>('[style]')!.style.width = '300px'
    }
  })

  test('says what is wrong, and draws the past with a text alternative', async () => {
    answer()
    show()
    await expect.element(page.getByRole('heading', { name: 'db-backup' })).toBeVisible()
    await expect.element(page.getByText(/^Down for 2 h 13 min\./)).toBeVisible()
    await expect
      .element(page.getByRole('img', { name: 'Last 24 h: up 22 h · down 2 h' }))
      .toBeVisible()
    await page.getByText('1 change').click()
    await expect.element(page.getByRole('row', { name: /down 2 h/ })).toBeVisible()
    await page.getByRole('button', { name: 'Show the latest one' }).click()
    await expect
      .element(page.getByText(/^Down since \S+, for 2 h so far \(outage 1 of/))
      .toBeVisible()
    await page.getByRole('button', { name: '7 d' }).click()
    await expect.element(page.getByRole('img', { name: /unknown/ })).toBeVisible()
  })

  test('steps from outage to outage, and computes uptime only from what is known', async () => {
    const ago = (hours: number) => iso(eg.now - hours * eg.hour)
    answer({
      listFlips: () => ({
        flips: [
          { timestamp: ago(40), up: 1 },
          { timestamp: ago(44), up: 0 },
          { timestamp: ago(200), up: 1 },
          { timestamp: ago(202), up: 0 },
          { timestamp: ago(2_400), up: 1 },
        ],
      }),
      listPings: () => ({
        pings: [{ ...pings[0], date: ago(202) }],
      }),
    })
    show({ status: 'up' })
    const history = page.getByRole('region', { name: 'History' })
    await expect
      .element(history)
      .toMatchTextContent('1 outage, 1 possible in the history the service keeps.')
    await page.getByRole('heading', { name: 'db-backup' }).click()
    await userEvent.keyboard('o')
    await expect
      .element(history)
      .toMatchTextContent('Possibly down from Sun 18:25 until Sun 22:25, for 4 h')
    await userEvent.keyboard('o')
    await expect
      .element(history)
      .toMatchTextContent('Down from 9 Mar, 04:25 until 9 Mar, 06:25, for 2 h')
    await expect.element(history).toMatchTextContent('Failed on 9 Mar at 04:25: error: disk full.')
    await expect.element(page.getByRole('img', { name: /: up 2 h · down 2 h$/ })).toBeVisible()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.element(page.getByRole('img', { name: /: down 1 h$/ })).toBeVisible()
    await page.getByRole('button', { name: 'Later' }).click()
    await page.getByRole('button', { name: 'Later' }).click()
    await expect
      .element(page.getByRole('img', { name: /: down 30 min · up 30 min$/ }))
      .toBeVisible()
    const zoomOut = page.getByRole('button', { name: 'Zoom out' })
    await zoomOut.click()
    await userEvent.keyboard('{Enter}'.repeat(8))
    await expect.element(zoomOut).toHaveAttribute('aria-disabled', 'true')
    await expect.element(zoomOut).toHaveFocus()
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await expect.element(zoomOut).toHaveAttribute('aria-disabled', 'true')
    await page.getByRole('button', { name: 'Week' }).click()
    const week = page.getByRole('button', {
      name: /From 9 Mar.*98\.\d+% 1 outage, 1 possible · down 2 h · 4 h unknown/,
    })
    await week.click()
    await expect.element(page.getByRole('img', { name: /^9 Mar, 00:00 to/ }).first()).toBeVisible()
  })

  test('draws downtime over uptime, and nothing in the future', async () => {
    answer()
    show()
    now.value = eg.now + 20_000
    const picture = page.getByRole('img', { name: 'Last 24 h: up 21 h 59 min · down 2 h' })
    await expect.element(picture).toBeVisible()
    const bars = [...picture.element().querySelectorAll(':scope > rect')]
    expect(bars.map((bar) => bar.getAttribute('class'))).toEqual(['strip-up', 'strip-down'])
  })

  test('starts with the reason, the job’s output, and what is new in it since the last good run', async () => {
    const good = { ...pings[1], body_url: 'yes', duration: 240 }
    const bodies = ['begin\nsent 12\nerror: disk full', 'begin\nsent 7']
    const bridge = answer({
      listPings: () => ({ pings: [pings[0], good] }),
      getPingBody: () => bodies.shift(),
    })
    show({ since: eg.now - eg.hour, lastPingAt: eg.now - eg.hour })
    await expect.element(page.getByText(/^Failed at \S+: error: disk full$/)).toBeVisible()
    const sent = page.getByRole('region', { name: 'What it sent' })
    await expect.element(sent).toMatchTextContent('begin sent 12 error: disk full')
    await expect.element(sent).toMatchTextContent('and took 4 min; this one took 13 s.')
    const marked = [...document.querySelectorAll('.cause mark')].map((one) => one.textContent)
    expect(marked).toEqual(['error: disk full\n'])
    await page.getByRole('button', { name: 'Copy web link' }).click()
    await expect.element(page.getByRole('button', { name: 'Copied' })).toBeVisible()
    expect(JSON.stringify(bridge.inputsOf('copyText'))).toContain('/cloaked/')
  })

  test('explains a further failure without the output of the one before', async () => {
    const log = [...pings]
    answer({ listPings: () => ({ pings: log }) })
    const check = show({ since: eg.now - eg.hour, lastPingAt: eg.now - eg.hour })
    await expect.element(page.getByText(/^Failed at \S+: error: disk full$/)).toBeVisible()
    const at = eg.now - eg.minute
    log.unshift({ ...pings[0]!, n: 8, date: iso(at), body_url: null! })
    const failedAgain = { ...check, lastPingAt: at, pingCount: check.pingCount + 1 }
    appState.value = {
      ...appState.value,
      boards: new Map([[eg.opsId, eg.board([failedAgain])]]),
    }
    const sent = page.getByRole('region', { name: 'What it sent' })
    await expect.element(sent).toMatchTextContent(/The job sent no output with this failure/)
    await expect.element(page.getByText(/^Failed at \S+$/)).toBeVisible()
  })

  test('with a read-only key says what is expected, and why no more', async () => {
    answer()
    show({ writable: false }, eg.account({ keyKind: 'readOnly' }))
    await expect.element(page.getByText(/^No ping since \S+; expected \S+$/)).toBeVisible()
    await expect
      .element(page.getByText(/expected every hour, with 10 min grace. A read-only key/))
      .toBeVisible()
  })

  test('says what is expected of a check that is down, if only a first ping', async () => {
    answer()
    show({ lastPingAt: null, nextPingAt: null })
    await expect.element(page.getByText('nothing until it is pinged')).toBeInTheDocument()
  })

  test('calls a time that has passed what was expected, not what is', async () => {
    answer()
    show()
    await expect.element(page.getByText('Was expected', { exact: true })).toBeInTheDocument()
    await expect.element(page.getByText('Next expected', { exact: true })).not.toBeInTheDocument()
    show({ status: 'up' })
    await expect.element(page.getByText('Next expected', { exact: true })).toBeInTheDocument()
  })

  test('names the integrations and describes the settings in words', async () => {
    answer()
    show({ integrationIds: ['i1'], graceSeconds: 600, tags: ['prod'] })
    await expect.element(page.getByText('ops mail')).toBeInTheDocument()
    await expect.element(page.getByText(/every hour/)).toBeInTheDocument()
    await expect.element(page.getByText('10 min 600 s')).toBeInTheDocument()
  })

  test('shows first what differs from a new check’s, and folds the rest', async () => {
    answer()
    show({ graceSeconds: 3_600, tags: [], status: 'up', integrationIds: ['i1'] })
    await expect.element(page.getByText(/^every hour/)).toBeVisible()
    const grace = page.getByText('Grace', { exact: true })
    const tags = page.getByText('Tags', { exact: true })
    for (const fact of [grace, tags, page.getByText('ops mail')])
      await expect.element(fact).not.toBeVisible()
    await page.getByText(/^\d more facts, as usual$/).click()
    for (const fact of [grace, tags, page.getByText('ops mail')])
      await expect.element(fact).toBeVisible()
  })

  test('offers only what can be done now, and of a new check first its ping address', async () => {
    answer()
    show({ status: 'up' })
    const acknowledge = page.getByRole('button', { name: 'Acknowledge' })
    await expect.element(page.getByRole('button', { name: 'Snooze' })).toBeVisible()
    expect(acknowledge.elements()).toEqual([])
    const address = { pingUrl: 'https://hc-ping.com/1b2c', uuid: 'x' }
    show({ status: 'new', pingCount: 0, lastPingAt: null, ...address })
    await expect.element(page.getByRole('region', { name: 'Ping address' })).toBeVisible()
    const before = document.querySelector('.detail-top > .detail-actions')?.previousElementSibling
    expect(before?.ariaLabel).toBe('Ping address')
    expect(acknowledge.elements()).toEqual([])
  })

  test('compares the output of a failure with that of the last good run', async () => {
    const good = { ...pings[1], body_url: 'yes' }
    answer({ listPings: () => ({ pings: [pings[0], good] }) })
    show()
    await page.getByRole('button', { name: 'Compare with last good' }).click()
    await expect.element(page.getByRole('region', { name: 'Comparison' })).toBeVisible()
    await expect
      .element(page.getByText(/^− only the good run of .*, \+ only the failure/))
      .toBeVisible()
    expect(page.getByRole('region', { name: /^Output of ping/ }).elements()).toEqual([])
    await page.getByRole('button', { name: 'Show the output alone' }).click()
    await expect.element(page.getByRole('region', { name: /^Output of ping 7/ })).toBeVisible()
  })

  test('keeps the five fields of a cron schedule together', async () => {
    answer()
    show({ schedule: { kind: 'cron', expression: '0 3 * * *', zone: 'Europe/Berlin' } })
    const code = page.getByText('0 3 * * *', { exact: true })
    await expect.element(code).toBeInTheDocument()
    const linesFor = (width: string) => {
      code.element().closest<HTMLElement>('.fact')!.style.width = width
      const text = document.createRange()
      text.selectNodeContents(code.element())
      return new Set([...text.getClientRects()].map(({ top }) => top)).size
    }
    const widths = Array.from({ length: 20 }, (_, at) => `${130 + at * 10}px`)
    expect(new Set(widths.map(linesFor))).toEqual(new Set([1]))
    // The control: where it has no room at all, it does break.
    expect(linesFor('60px')).toBeGreaterThan(1)
  })

  test('says how long the last run took as its list of runs does', async () => {
    answer()
    show({ lastDurationSeconds: 95 })
    await expect.element(page.getByText('1 min 35 s', { exact: true })).toBeInTheDocument()
  })

  test('follows someone else’s changes, and stays as it is while they are being read', async () => {
    let said = eg.details({ description: 'first words' })
    let answers: (() => void)[] = []
    const listed = answer()
    withBridge({
      run: (input) => listed.call('run', input).then((result) => result.ok && result.value),
      checkDetails: () => new Promise((resolve) => answers.push(() => resolve(said))),
    })
    show()
    const open = async () => {
      await expect.poll(() => answers.length).toBe(1)
      answers[0]?.()
      answers = []
    }
    await expect.element(page.getByRole('heading', { name: 'db-backup' })).toBeVisible()
    await expect.element(page.getByText('Ping address')).not.toBeInTheDocument()
    await open()
    await expect.element(page.getByText('first words')).toBeInTheDocument()
    said = { ...said, description: 'second words' }
    const board = appState.value.boards.get(eg.opsId) ?? eg.board()
    const freshness = { ...board.freshness, readAt: eg.now }
    appState.value = {
      ...appState.value,
      boards: new Map([[eg.opsId, { ...board, freshness }]]),
    }
    await expect.poll(() => answers.length).toBe(1)
    await expect.element(page.getByText('first words')).toBeInTheDocument()
    await open()
    await expect.element(page.getByText('second words')).toBeInTheDocument()
  })

  test('shows runs, and opens a run’s output as plain text, whatever it contains', async () => {
    const bridge = answer({ getPingBody: () => '<img src=x onerror=alert(1)>\nexit status 3' })
    const check = show({ status: 'up' })
    await page.getByRole('button', { name: /failed 13 s output/ }).click()
    const body = page.getByRole('region', { name: 'Output of ping 7' })
    await expect.element(body).toMatchTextContent('<img src=x onerror=alert(1)> exit status 3')
    expect(body.element().querySelector('img')).toBeNull()
    await expect
      .element(page.getByText(/Took 13 s\..*Exit status 3, according to its output\./))
      .toBeVisible()
    expect(bridge.inputsOf('run')).toContainEqual({
      accountId: eg.opsId,
      operation: 'getPingBody',
      params: { uuid: check.id, n: 7 },
    })
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await expect.element(page.getByRole('button', { name: 'Copied' })).toBeVisible()
    expect(bridge.inputsOf('copyText')).toEqual([
      { text: '<img src=x onerror=alert(1)>\nexit status 3' },
    ])
  })

  test('keeps the lines of a run together in a narrow window', async () => {
    const before = { width: window.innerWidth, height: window.innerHeight }
    await page.viewport(280, 640)
    onTestFinished(() => page.viewport(before.width, before.height))
    answer({})
    show({ status: 'up' })
    await expect.element(page.getByRole('button', { name: /failed 13 s output/ })).toBeVisible()
    const [first, second] = [...document.querySelectorAll('.run')].map((run) =>
      [...run.children].map((part) => part.getBoundingClientRect()),
    )
    const within = first![2]!.top - first![0]!.bottom
    const between = second![0]!.top - first![2]!.bottom
    expect(within).toBeGreaterThanOrEqual(0)
    expect(within).toBeLessThan(between)
  })

  test('combines start and end of a run in one line, and charts the durations', async () => {
    answer({ listPings: () => ({ pings: longLog }) })
    show({ status: 'up', started: true })
    const rows = page.getByRole('region', { name: 'Runs' }).getByRole('listitem')
    await expect.element(rows.nth(3)).toBeInTheDocument()
    const lines = rows
      .elements()
      .map((row) => [...row.querySelectorAll('.run-outcome, .run-duration')])
    expect(lines.map((spans) => spans.map((span) => span.textContent).join(' '))).toEqual([
      'running 5 min so far',
      'failed 20 min',
      'success 3 min',
      'success 2 min',
      'success 1 min',
    ])
    await expect.element(page.getByText('usually 1 min to 3 min')).toBeVisible()
    const picture = page.getByRole('img', {
      name: 'Durations of 5 runs, from 1 min to 20 min; usually 1 min to 3 min',
    })
    await expect.element(picture).toBeInTheDocument()
    const { width } = picture.element().getBoundingClientRect()
    await picture.click({ position: { x: width * 0.7, y: 10 } })
    await expect
      .element(page.getByRole('button', { name: /failed 20 min/ }))
      .toHaveAttribute('aria-expanded', 'true')
    await userEvent.keyboard('{ArrowDown}')
    await expect
      .element(page.getByRole('button', { name: /success 3 min/ }))
      .toHaveAttribute('aria-expanded', 'true')
  })

  test('finds runs by their output, and compares two', async () => {
    const bodies: Record<number, string> = {
      9: 'begin\nDisk full\n',
      7: 'begin\nsent 3\n',
      5: 'begin\n',
    }
    const asked: number[] = []
    const bridge = answer({ listPings: () => ({ pings: longLog }) })
    withBridge({
      run: (input) => {
        const { operation, params } = input as Run & { readonly params: { readonly n: number } }
        if (operation !== 'getPingBody')
          return bridge.call('run', input).then((result) => result.ok && result.value)
        asked.push(params.n)
        return bodies[params.n] ?? ''
      },
    })
    show({ status: 'up' })
    const find = page.getByRole('searchbox', { name: 'Find in the output' })
    await find.fill('SENT')
    await expect.element(page.getByText('In 1 of the newest 4 outputs.')).toBeVisible()
    expect(asked).toEqual([9, 7, 5, 3])
    await page.getByRole('button', { name: /success 3 min/ }).click()
    await expect.poll(() => document.querySelector('.runs mark')?.textContent).toBe('sent 3\n')
    await find.fill('')
    await page.getByLabelText('Compare with').selectOptions('8')
    const compared = page.getByRole('region', { name: 'Comparison' })
    await expect.element(compared).toMatchTextContent('begin − sent 3 + Disk full')
    await expect
      .element(page.getByText(/^− only .*success, 3 min.*\+ only .*failed, 20 min/))
      .toBeVisible()
    await find.fill('no such words')
    await expect.element(page.getByText('In 0 of the newest 4 outputs.')).toBeVisible()
  })

  test('compares with any run of the log, however old', async () => {
    const many = Array.from({ length: 150 }, (_, at) => ({
      ...{ n: 150 - at, type: 'success', scheme: 'https', method: 'POST', ua: 'curl' },
      ...{ date: iso(eg.now - at * eg.minute), body_url: 'yes' },
    }))
    answer({ listPings: () => ({ pings: many }) })
    show({ status: 'up' })
    await page
      .getByRole('button', { name: /success.*output/ })
      .first()
      .click()
    const choices = page.getByLabelText('Compare with').getByRole('option')
    await expect.poll(() => choices.elements().length).toBe(150)
  })

  test('says if the service cut off an output', async () => {
    answer({ getPingBody: () => `${'x'.repeat(9_999)}\n` })
    show({ status: 'up' })
    await page.getByRole('button', { name: /failed 13 s output/ }).click()
    await expect.element(page.getByText(/^Cut off by the service/)).toBeVisible()
  })

  test('resumes, and says that the check is new and waiting', async () => {
    answer({ resumeCheck: () => ({}) })
    show({ status: 'paused', pingCount: 0 })
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect
      .element(page.getByText('It is new: waiting for the first ping.', { exact: false }))
      .toBeVisible()
  })

  test.each([
    ['Mon 9:00', 'at 09:00 on Mondays, Berlin time Mon 9:00'],
    ['Mon 9:00/10', 'Mon 9:00/10'],
    ['Mon 9:00/10\n Tue 9:00', 'Mon 9:00/10\n Tue 9:00'],
  ])(
    'shows the schedule %j once, with a description in words if there is one',
    async (expression, shown) => {
      answer()
      show({ schedule: { kind: 'onCalendar', expression, zone: 'Europe/Berlin' } })
      const name = page.getByText('Calendar schedule')
      await expect.element(name).toBeVisible()
      expect(name.element().nextElementSibling?.textContent).toBe(shown)
    },
  )

  test('doesn’t call a check resumed that was only started', async () => {
    answer()
    show({ status: 'new', started: true, pingCount: 1, lastPingAt: null })
    await expect
      .element(page.getByText('no success or failure since it was created or resumed'))
      .toBeVisible()
  })

  test('says once what ends a pause', async () => {
    answer({ pauseCheck: () => ({}) })
    const check = show()
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.element(page.getByText(/^Paused db-backup\./)).toBeVisible()
    const paused = { ...check, status: 'paused' as const }
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, eg.board([paused])]]) }
    await expect.element(page.getByRole('button', { name: 'Resume' })).toBeVisible()
    await expect
      .poll(() => page.getByText(/The next ping ends the pause/).elements().length)
      .toBe(1)
  })

  test('says that a pause may have happened if no response came', async () => {
    answer({
      pauseCheck: () =>
        failed({ kind: 'network', reason: 'timeout', host: 'hc.example.org', reached: 'maybe' }),
    })
    show()
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.element(page.getByText(/may have been paused anyway/)).toBeVisible()
  })

  test('says in the window that a pause may have happened if the page is gone', async () => {
    const { promise, resolve } = Promise.withResolvers()
    answer({ pauseCheck: () => promise })
    onTestFinished(dismissToast)
    show()
    await page.getByRole('button', { name: 'Pause' }).click()
    appState.value = { ...appState.value, boards: new Map() }
    await expect.element(page.getByText('This check no longer exists')).toBeVisible()
    resolve(failed({ kind: 'serverFault', httpStatus: 500 }))
    await expect.poll(() => shownToast.value?.text).toMatch(/may have been paused anyway/)
  })

  test('offers nothing that a read-only key can’t do, and no other key', async () => {
    const bridge = answer()
    show({ writable: false, uuid: null, integrationIds: null }, eg.account({ keyKind: 'readOnly' }))
    await expect.element(page.getByRole('button', { name: 'Share to chat' })).toBeVisible()
    for (const name of ['Pause', 'Edit'])
      expect(page.getByRole('button', { name }).elements()).toEqual([])
    expect(document.querySelectorAll('.detail-actions [aria-disabled="true"]')).toHaveLength(0)
    expect(page.getByText(/read-write key/).elements()).toEqual([])
    await page.getByRole('button', { name: 'More actions' }).click()
    await expect.element(page.getByRole('menuitem', { name: /^Timeline/ })).toBeVisible()
    expect(page.getByRole('menuitem', { name: /Clone|Delete/ }).elements()).toEqual([])
    await userEvent.keyboard('{Escape}p')
    const asked = bridge.inputsOf('run').map((input) => (input as Run).operation)
    expect(asked).toEqual(['listFlips'])
  })

  test('says if the check is gone', async () => {
    answer()
    withState(eg.state())
    mount(<CheckDetail accountId={eg.opsId} checkId="none" />)
    await expect.element(page.getByText('This check no longer exists')).toBeVisible()
  })

  test('says if its project was not read yet, and doesn’t call the check deleted', async () => {
    answer()
    withState(eg.state({ boards: new Map([[eg.opsId, emptyBoard(eg.opsId, new Map())]]) }))
    mount(<CheckDetail accountId={eg.opsId} checkId="none" />)
    await expect.element(page.getByText('This check is not loaded yet')).toBeVisible()
    expect(page.getByText(/ops-project has not been read since/).elements()).toHaveLength(1)
    expect(page.getByText(/deleted/).elements()).toEqual([])
  })
})
