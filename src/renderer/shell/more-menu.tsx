import { call } from '../bridge.ts'
import { MenuButton, type MenuItem } from '../parts/menu-button.tsx'
import { toastIfFailed } from '../toast.ts'
import { go } from '../window-state.ts'

/** What belongs to neither tab; pages of a tab are opened from there, and all from the palette. */
export function MoreMenu({ onHelp }: { readonly onHelp: () => void }) {
  const items: readonly MenuItem[] = [
    { label: 'Accounts', act: () => go({ view: 'accounts' }) },
    { label: 'Notification rules', act: () => go({ view: 'attention' }) },
    { label: 'Settings', hint: 'Ctrl ,', act: () => go({ view: 'settings' }) },
    { label: 'Diagnostics', act: () => go({ view: 'diagnostics' }) },
    { label: 'Help', hint: '?', act: onHelp },
    { label: 'Quit', hint: 'Ctrl Q', act: quit },
  ]
  return <MenuButton label="More" items={items} />
}

export function refreshAll(): void {
  toastIfFailed(call.refresh({ accountId: null }))
}

export function leaveDemo(): void {
  toastIfFailed(call.leaveDemo({}))
}

export function quit(): void {
  toastIfFailed(call.quit({}))
}
