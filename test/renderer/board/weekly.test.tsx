import { expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Finding } from '#shared/core/checks/weekly-look.ts'
import { WeeklyPage } from '../../../src/renderer/board/weekly-page.tsx'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

const check = eg.details({ name: 'db-backup' })
const finding = (change: Finding['change'], kind: Finding['kind']): Finding => ({
  ...{ kind, change, accountId: eg.opsId, checkId: check.id },
  ...{ name: 'db-backup', words: 'usually 3 min' },
})
const button = (name: string) => page.getByRole('button', { name, exact: true })

function open(findings: readonly Finding[], account = eg.account(), channels = 'all') {
  const bridge = withBridge({ weeklyLook: () => findings, run: () => ({ channels }) })
  withState({
    ...eg.state(),
    accounts: [account],
    boards: new Map([[eg.opsId, eg.board([check])]]),
  })
  mount(<WeeklyPage />)
  return bridge
}

test('the weekly review makes each change with one click', async () => {
  const bridge = open([
    finding({ do: 'setGrace', seconds: 300 }, 'graceMisfit'),
    finding({ do: 'snooze' }, 'noisy'),
    finding({ do: 'integrations' }, 'noIntegrations'),
    finding(null, 'neverPinged'),
  ])
  await button('Set grace to 5 min').click()
  await expect.element(button('Done')).toHaveAttribute('aria-disabled', 'true')
  shownToast.value?.action?.act()
  await expect.element(button('Set grace to 5 min')).toHaveAttribute('aria-disabled', 'false')
  await button('Snooze for a week').click()
  await button('Use all integrations').click()
  await expect.poll(() => bridge.inputsOf('silence')).toHaveLength(1)
  expect(bridge.inputsOf('run')).toMatchObject([
    { operation: 'updateCheck', params: { uuid: check.id, grace: 300 } },
    { operation: 'updateCheck', params: { uuid: check.id, grace: check.graceSeconds } },
    { operation: 'updateCheck', params: { uuid: check.id, channels: '*' } },
  ])
  expect(bridge.inputsOf('silence')).toMatchObject([{ how: 'snooze', scope: { of: 'check' } }])
  expect(shownToast.value?.tone).toBe('done')
  await button('Copy as Markdown').click()
  const [copied] = bridge.inputsOf('copyText') as { text: string }[]
  expect(copied?.text).toMatch(/## Noisy\n\n- \*\*db-backup\*\*/)
  await page.getByRole('button', { name: 'db-backup', exact: true }).first().click()
  expect(place.value).toMatchObject({ view: 'check', checkId: check.id })
})

test('the weekly review undoes its own snooze', async () => {
  const bridge = open([finding({ do: 'snooze' }, 'noisy')])
  await button('Snooze for a week').click()
  await expect.element(button('Done')).toBeVisible()
  shownToast.value?.action?.act()
  await expect.element(button('Snooze for a week')).toBeVisible()
  await expect
    .poll(() => bridge.inputsOf('undoSilence'))
    .toMatchObject([{ id: expect.any(String) as string }])
})

test('the weekly review lets a check depend on the one it goes down with, and undoes that', async () => {
  const on = { accountId: eg.opsId, checkId: 'gateway' }
  const bridge = open([finding({ do: 'depend', on, onName: 'gateway' }, 'together')])
  await button('Let it depend on gateway').click()
  await expect.element(button('Done')).toBeVisible()
  const scope = { of: 'check', accountId: eg.opsId, checkId: check.id }
  expect(bridge.inputsOf('addDependency')).toEqual([{ scope, on }])
  shownToast.value?.action?.act()
  await expect.element(button('Let it depend on gateway')).toBeVisible()
  await expect.poll(() => bridge.inputsOf('removeDependency')).toHaveLength(1)
})

test('the weekly review doesn’t mark as done what a project without integrations can’t do', async () => {
  onTestFinished(dismissToast)
  open([finding({ do: 'integrations' }, 'noIntegrations')], eg.account(), '')
  const fix = button('Use all integrations')
  await fix.click()
  await expect.poll(() => shownToast.value?.text).toMatch(/This project has no integrations/)
  await expect.element(fix).toHaveAttribute('aria-disabled', 'false')
})

test('the weekly review offers no change that a read-only key can’t make', async () => {
  open([finding({ do: 'integrations' }, 'noIntegrations')], eg.account({ keyKind: 'readOnly' }))
  await expect.element(page.getByRole('listitem').first()).toBeVisible()
  expect(button('Use all integrations').elements()).toEqual([])
})

test('the weekly review says if all is well', async () => {
  open([])
  await expect.element(page.getByText('Nothing needs attention')).toBeVisible()
})

test('the weekly review shows a manageable number of each kind, and more on request', async () => {
  const many = Array.from({ length: 9_000 }, (_, n) => ({
    ...finding({ do: 'integrations' }, 'noIntegrations'),
    checkId: `id-${n}`,
    name: `job-${n}`,
  }))
  const bridge = open(many)
  const fixes = () => button('Use all integrations').elements().length
  await expect.poll(fixes).toBe(20)
  await expect.element(page.getByText('9,000 checks')).toBeVisible()
  await button('Copy as Markdown').click()
  const [copied] = bridge.inputsOf('copyText') as { text: string }[]
  expect(copied?.text).toMatch(/- \*\*job-19\*\* .*\n- … and 8,980 more\n$/)
  await button('Show 100 of 8,980 more').click()
  await expect.poll(fixes).toBe(120)
  await expect.element(button('job-20')).toHaveFocus()
  await userEvent.keyboard('{Tab}{Tab}')
  await expect.element(button('job-21')).toHaveFocus()
})

test('a name that needs several lines begins each of them at the same edge', async () => {
  open([{ ...finding({ do: 'snooze' }, 'noisy'), name: 'a-name-without-any-spaces'.repeat(8) }])
  const named = page.getByRole('button', { name: /^a-name-without/ })
  await expect.element(named).toBeVisible()
  const link = named.element()
  link.closest('li')!.style.width = '328px'
  const text = document.createRange()
  text.selectNodeContents(link)
  const starts = [...text.getClientRects()].map(({ left }) => Math.round(left))
  expect(starts.length).toBeGreaterThan(2)
  expect(new Set(starts).size).toBe(1)
})
