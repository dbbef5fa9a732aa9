import { useEffect, useRef } from 'preact/hooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Patch } from '#shared/core/patch.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import { activeKey, filterText, folds } from '../../../src/renderer/board/board-state.ts'
import { CopyButton } from '../../../src/renderer/parts/button.tsx'
import { BelfryWindow } from '../../../src/renderer/shell/window.tsx'
import { dismissToast, shownToast, toast } from '../../../src/renderer/toast.ts'
import {
  appState,
  followState,
  go,
  place,
  stateReceived,
} from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { failed, mount, takeMovedLate, withBridge, withState } from '../mount.ts'

function show(state: AppState = eg.state()) {
  withState(state)
  onTestFinished(() => {
    dismissToast()
    filterText.value = ''
    folds.value = new Map()
    activeKey.value = null
  })
  mount(
    <div style={{ width: '420px', height: '620px' }}>
      <BelfryWindow />
    </div>,
  )
}

const chatOnly = eg.state({ accounts: [eg.chatAccount()], boards: new Map() })

describe('the window’s page', () => {
  /** A window that starts with `first` and follows main. */
  function following(first: AppState) {
    withState(emptyState)
    stateReceived.value = false
    let listen: (part: Patch, isLast: boolean) => void = () => undefined
    const bridge = withBridge()
    bridge.follow = (listener) => {
      listen = listener
      return () => undefined
    }
    onTestFinished(followState())
    const receive = (state: AppState): void => listen([{ path: [], value: state }], true)
    receive(first)
    return receive
  }

  test('is the board at first if something is down', () => {
    following(eg.state())
    expect(place.value).toEqual({ view: 'checks' })
  })

  test('follows main to the home page, which without a project is the chat', async () => {
    const receive = following(chatOnly)
    go({ view: 'settings' })
    receive({ ...chatOnly, target: { to: { view: 'checks' }, times: 1 } })
    await expect.poll(() => place.value).toEqual({ view: 'chat' })
  })

  test('is home again when the last account is removed', async () => {
    const receive = following(eg.state())
    go({ view: 'accounts' })
    receive(emptyState)
    await expect.poll(() => place.value).toEqual({ view: 'checks' })
  })
})

describe('the result of an action', () => {
  test('is shown above the status line, covers nothing, and doesn’t follow to another page', async () => {
    withBridge()
    show()
    toast('Resumed db-backup.', 'failed')
    const words = page.getByText('Resumed db-backup.')
    await expect.element(words).toBeVisible()
    const panel = document.getElementById('tab-panel')!.getBoundingClientRect()
    expect(words.element().getBoundingClientRect().top).toBeGreaterThanOrEqual(panel.bottom)
    go({ view: 'settings' })
    expect(shownToast.value).toBeNull()
  })

  test('says plainly that nothing was copied', async () => {
    withBridge({
      copyText: () => failed({ kind: 'serverFault', httpStatus: 500 }),
    })
    mount(<CopyButton text="curl" />)
    await page.getByRole('button', { name: 'Copy' }).click()
    await expect.element(page.getByRole('button', { name: 'Could not copy' })).toBeVisible()
  })
})

describe('the focus', () => {
  const tree = () => page.getByRole('tree', { name: 'Checks' })

  test('moves from a tab into the list, by a click and by the down arrow', async () => {
    withBridge()
    show()
    await expect.element(tree()).toHaveFocus()
    await page.getByRole('tab', { name: /^Checks/ }).click()
    await expect.element(tree()).toHaveFocus()
    const tab = page.getByRole('tab', { name: /^Checks/ })
    tab.element().focus()
    await userEvent.keyboard('{ArrowDown}')
    await expect.element(tree()).toHaveFocus()
  })

  test('returns to the list when the filter is cleared by mouse', async () => {
    withBridge()
    show()
    filterText.value = 'no such check'
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await expect.element(tree()).toHaveFocus()
  })

  test('is on the page if a button disappeared with the notices or an account', async () => {
    withBridge()
    show(eg.state({ notices: [eg.notice()] }))
    go({ view: 'notices' })
    await page.getByRole('button', { name: 'Clear' }).click()
    appState.value = { ...appState.value, notices: [] }
    await expect.element(page.getByRole('region', { name: 'Notifications' })).toHaveFocus()
  })

  test('returns to the open page, else to the list, if what opened a dialog is gone', async () => {
    withBridge({ run: () => ({ flips: [], pings: [] }) })
    show()
    const closeOver = async () => {
      toast('Paused db-backup.', 'done', { label: 'Undo', act: () => undefined })
      const undo = page.getByRole('button', { name: 'Undo' })
      await expect.element(undo).toBeVisible()
      undo.element().focus()
      await userEvent.keyboard('{Control>}k{/Control}')
      await expect
        .element(page.getByRole('combobox', { name: 'Search or run anything' }))
        .toHaveFocus()
      dismissToast()
      await expect.element(undo).not.toBeInTheDocument()
      await userEvent.keyboard('{Escape}')
      await expect
        .element(page.getByRole('combobox', { name: 'Search or run anything' }))
        .not.toBeInTheDocument()
    }
    await closeOver()
    await expect.element(tree()).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    const details = page.getByRole('region', { name: 'Details', exact: true })
    await expect.element(details).toHaveFocus()
    await closeOver()
    await expect.element(details).toHaveFocus()
    go({ view: 'settings' })
    await closeOver()
    await expect.element(page.getByRole('button', { name: 'Back (Esc)' })).toHaveFocus()
  })

  test('is on the first conversation if they arrive after the page', async () => {
    withBridge()
    show({ ...chatOnly, realms: new Map([[eg.chatId, eg.realm()]]) })
    go({ view: 'chat' })
    await expect.element(page.getByText('Nothing unread.')).toBeVisible()
    // Nothing has the focus, as after the form that connected the account.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    appState.value = { ...chatOnly, realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) }
    await expect.poll(() => document.activeElement?.className).toContain('chat-row')
  })
})

describe('an effect that moves something after the paint', () => {
  function Late({ takes }: { readonly takes: (box: HTMLInputElement) => void }) {
    const box = useRef<HTMLInputElement>(null)
    useEffect(() => {
      if (box.current !== null) takes(box.current)
    }, [])
    return <input ref={box} value="typed" aria-label="Late" />
  }

  test.each([
    ['the focus', (box: HTMLInputElement) => box.blur()],
    ['the caret', (box: HTMLInputElement) => box.setSelectionRange(0, 0)],
  ])('would be found: %s', async (_what, takes) => {
    mount(<Late takes={takes} />)
    const box = page.getByRole('textbox', { name: 'Late' }).element()
    if (box instanceof HTMLInputElement) {
      box.focus()
      box.setSelectionRange(3, 3)
    }
    await expect.poll(takeMovedLate).toHaveLength(1)
  })
})

describe('a chat account without its key', () => {
  test('isn’t shown as connecting, and asks for the key', async () => {
    withBridge()
    show({ ...chatOnly, accounts: [eg.chatAccount({ key: 'missing' })], realms: new Map() })
    go({ view: 'chat' })
    await expect.element(page.getByText('Not connected')).toBeVisible()
    await page.getByRole('main').getByRole('button', { name: 'Enter key' }).click()
    expect(place.value).toEqual({ view: 'replaceKey', accountId: eg.chatId })
  })
})

describe('the settings search', () => {
  test('finds the test notification, and Esc clears it before it goes back', async () => {
    withBridge()
    show()
    go({ view: 'settings' })
    const box = page.getByRole('searchbox', { name: 'Find a setting' })
    await box.fill('test')
    await expect.element(page.getByRole('button', { name: 'Send a test' })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(box).toHaveValue('')
    expect(place.value).toEqual({ view: 'settings' })
  })
})
