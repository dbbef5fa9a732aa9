import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Notice } from '#shared/core/attention/notice.ts'
import { defaultSettings, type Settings } from '#shared/core/settings.ts'
import { BelfryWindow } from '../../../src/renderer/shell/window.tsx'
import { dismissToast } from '../../../src/renderer/toast.ts'
import { appState, go, now, place, visible } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

const target = { view: 'check', accountId: eg.opsId, checkId: 'c1' } as const

const check = eg.check({ name: 'db' })
const ofCheck = { ...target, checkId: check.id }

function show(notices: readonly Notice[], settings: Partial<Settings> = {}) {
  const bridge = withBridge()
  withState(eg.state({ notices, settings: { ...defaultSettings, ...settings } }))
  onTestFinished(dismissToast)
  mount(
    <div style={{ width: '420px', height: '620px' }}>
      <BelfryWindow />
    </div>,
  )
  go({ view: 'notices' })
  return bridge
}

const filter = (name: string) => page.getByRole('button', { name, exact: true })
const items = () => page.getByRole('list', { name: 'Notifications' }).element().children

describe('the notices page', () => {
  test('lists those shown, or all with the outcome of each', async () => {
    show([
      eg.notice({ title: 'db is down' }),
      eg.notice({ title: 'web is down', outcome: 'silent' }),
      eg.notice({ title: 'mail is late', outcome: 'tray' }),
      eg.notice({ title: 'web is up', outcome: 'folded' }),
    ])
    await expect.element(page.getByText('db is down')).toBeVisible()
    expect(items()).toHaveLength(1)
    onTestFinished(() => filter('Shown').click())
    await filter('All').click()
    await expect.element(filter('All')).toHaveAttribute('aria-pressed', 'true')
    expect([...items()].map((item) => item.querySelector('.outcome')?.textContent)).toEqual([
      'Shown',
      'Not shown',
      'Silent',
      'Grouped',
    ])
  })

  test('marks each kind of odd run', async () => {
    show((['tooShort', 'tooLong', 'noStart'] as const).map((kind) => eg.notice({ kind })))
    await expect.element(page.getByRole('list', { name: 'Notifications' })).toBeVisible()
    const marks = [...items()].map((item) => item.querySelector('.notice-mark')?.textContent)
    expect(marks).toEqual(['<', '>', '?'])
  })

  test('offers to snooze the check of an odd run, and no other', async () => {
    show([
      eg.notice({ kind: 'tooShort', target: ofCheck, title: 'odd' }),
      eg.notice({ kind: 'down', target: ofCheck }),
    ])
    const boards = new Map([[eg.opsId, eg.board([check])]])
    appState.value = { ...appState.value, boards }
    const snooze = page.getByRole('button', { name: 'Snooze', exact: true })
    await expect.element(snooze).toHaveAccessibleDescription('odd')
    await snooze.click()
    const dialog = page.getByRole('dialog', { name: 'Snooze db' })
    await expect.element(dialog).toBeVisible()
    await userEvent.keyboard('{Escape}')
  })

  test('says why, by keyboard too', async () => {
    const reasons = [
      { by: 'rule', text: 'Your rule “Check goes down · #prod → notification”: notification.' },
      { by: 'wait', text: 'It has been down for 5 min.' },
    ] as const
    show([eg.notice({ title: 'db is down', reasons })])
    await expect.element(page.getByRole('button', { name: /db is down/ })).toHaveFocus()
    await userEvent.keyboard('{Tab}{Enter}')
    const why = page.getByRole('button', { name: 'Why?' })
    await expect.element(why).toHaveAttribute('aria-expanded', 'true')
    const list = page.getByRole('list', { name: 'Reasons' }).getByRole('listitem')
    await expect.element(list.nth(0)).toHaveTextContent(reasons[0].text)
    await expect.element(list.nth(1)).toHaveTextContent(reasons[1].text)
    await why.click()
    await expect.element(page.getByText(reasons[0].text)).not.toBeInTheDocument()
  })

  test('has what a program printed as text, in lines, however hostile', async () => {
    const output = 'lamp is red\n  <img src=x onerror=alert(1)>'
    const text = 'Your program lamp.sh failed: exit 3. It printed:'
    show([eg.notice({ title: 'db is down', reasons: [{ by: 'program', text, output }] })])
    await page.getByRole('button', { name: 'Why?' }).click()
    const reason = page.getByRole('list', { name: 'Reasons' }).getByRole('listitem')
    await expect.element(reason).toMatchTextContent(text)
    expect(document.querySelector('.printed')?.textContent).toBe(output)
    expect(document.querySelector('.printed img')).toBeNull()
  })

  test('has every “Why?” at the same place, whether or not the notice has a link', async () => {
    show([
      eg.notice({ title: 'db is down', target }),
      eg.notice({ title: 'a key expired', target: { view: 'replaceKey', accountId: eg.opsId } }),
    ])
    const copy = page.getByRole('button', { name: 'Copy app link' })
    await expect.poll(() => copy.elements().length).toBe(1)
    const why = page.getByRole('button', { name: 'Why?' })
    // A row that isn't laid out yet is at 0.
    const places = () => why.elements().map((button) => button.getBoundingClientRect().left)
    await expect.poll(() => places().every((left) => left > 0)).toBe(true)
    const [first, second] = places()
    expect(second).toBe(first)
  })

  test('leads from each line of a digest to what it is about', async () => {
    const lines = Array.from({ length: 20 }, (_, i) => ({
      text: `check ${i} is down`,
      at: eg.now - eg.hour,
      target: { ...target, checkId: `c${i}` },
    }))
    show([eg.notice({ kind: 'digest', title: 'While you were away', lines })])
    await expect.element(page.getByRole('button', { name: /check 5 is down/ })).toBeVisible()
    const times = [...document.querySelectorAll('.notice-at')].map((one) =>
      Math.round(one.getBoundingClientRect().right),
    )
    expect(times.length).toBeGreaterThan(6)
    // Its own and those of its lines are one column.
    expect(new Set(times).size).toBe(1)
    await page.getByRole('button', { name: 'and 14 more' }).click()
    await page.getByRole('button', { name: /check 17 is down/ }).click()
    expect(place.value).toEqual({ ...target, checkId: 'c17' })
  })

  test('marks them as seen when the list is closed or its window hidden', async () => {
    const notices = [
      eg.notice({ id: '2', at: now.peek(), title: 'db is down' }),
      eg.notice({ id: '1', at: now.peek() - 60_000, title: 'web is down' }),
    ]
    const bridge = show(notices, { noticesSeenAt: now.peek() - 30_000 })
    await expect.element(page.getByText('web is down')).toBeVisible()
    expect([...items()].map((item) => item.classList.contains('is-new'))).toEqual([true, false])
    const noted = () => bridge.inputsOf('updateSettings')
    go({ view: 'chat' })
    await expect.poll(noted).toEqual([{ noticesSeenAt: now.peek() }])
    go({ view: 'notices' })
    await expect.element(page.getByText('web is down')).toBeVisible()
    visible.value = false
    onTestFinished(() => {
      visible.value = true
    })
    await expect.poll(noted).toHaveLength(2)
  })

  test('says so if everything was held back', async () => {
    show([eg.notice({ outcome: 'silent' })])
    await expect.element(page.getByText('Nothing was shown')).toBeVisible()
    await page.getByRole('button', { name: 'Notification rules' }).click()
    expect(place.value).toEqual({ view: 'attention' })
  })

  test('lays out only the visible ones of 500', async () => {
    show(Array.from({ length: 500 }, (_, i) => eg.notice({ title: `check ${i} is down` })))
    await expect.poll(() => items().length).toBe(500)
    const skipped = [...document.querySelectorAll('.notice-item')].filter(
      (item) => !item.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }),
    )
    expect(skipped.length).toBeGreaterThan(400)
  })
})
