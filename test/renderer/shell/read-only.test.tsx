import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Target } from '#shared/core/target.ts'
import { BelfryWindow } from '../../../src/renderer/shell/window.tsx'
import { go } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

const check = eg.check({ status: 'down', writable: false })
const account = eg.account({ keyKind: 'readOnly' })
const ofCheck = { accountId: account.id, checkId: check.id }
const places: readonly Target[] = [
  { view: 'checks' },
  { view: 'check', ...ofCheck },
  { view: 'timeline', ...ofCheck },
  { view: 'discuss', ...ofCheck },
  { view: 'outages' },
  { view: 'weekly' },
  { view: 'notices' },
  { view: 'maintenance' },
  { view: 'accounts' },
  { view: 'diagnostics' },
]

/** Beside the arrow to the time after now. */
const whatIsDisabled = () =>
  Array.from(
    document.querySelectorAll(':disabled, [aria-disabled="true"]'),
    (one) => one.getAttribute('aria-label') ?? one.textContent,
  ).filter((name) => !/^Later\b/.test(name))

test.each(places)(
  'with a read-only key, $view has no disabled button and no advice to replace it',
  async (place) => {
    withBridge({
      outages: () => ({ outages: [], gaps: [] }),
      weeklyLook: () => [],
      run: () => ({ flips: [] }),
    })
    const board = eg.board([check])
    withState(eg.state({ accounts: [account], boards: new Map([[account.id, board]]) }))
    mount(
      <div style={{ width: '420px', height: '620px' }}>
        <BelfryWindow />
      </div>,
    )
    go(place)
    const shown = () => document.querySelector('dialog[open]') ?? page.getByRole('main').element()
    await expect.poll(() => shown().textContent.length).toBeGreaterThan(20)
    const seen = { disabled: whatIsDisabled(), text: document.body.textContent }
    for (const menu of shown().querySelectorAll('[aria-haspopup="menu"]')) {
      await userEvent.click(menu)
      await expect.element(page.getByRole('menuitem').first()).toBeVisible()
      seen.disabled.push(...whatIsDisabled())
      seen.text += document.body.textContent
      await userEvent.keyboard('{Escape}')
    }
    expect(seen.disabled).toEqual([])
    expect(seen.text).not.toMatch(
      /(?:needs?|use|add|with|replace).{0,30}(?:read-write|another|a new|different) key/i,
    )
  },
)
