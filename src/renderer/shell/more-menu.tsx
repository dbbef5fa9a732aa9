import { showsDemo } from '#shared/core/state.ts'
import { call } from '../bridge.ts'
import { askForStatus, ownStatusWords } from '../chat/asked-status.ts'
import { openNewCheck, writableProjects } from '../check-editor/editor-access.ts'
import { MenuButton, type MenuItem } from '../parts/menu-button.tsx'
import { toastIfFailed } from '../toast.ts'
import { appState, go } from '../window-state.ts'

/** Everything that is not in the two tabs. */
export function MoreMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { notices, settings } = appState.value
  const unseen = notices.filter(
    ({ at, outcome }) => outcome === 'shown' && at > (settings.noticesSeenAt ?? 0),
  ).length
  const [project] = writableProjects(appState.value)
  const items: readonly MenuItem[] = [
    { label: 'Refresh now', hint: 'F5', act: refreshAll },
    ...(project === undefined
      ? []
      : [
          {
            label: 'New check',
            hint: 'n',
            act: openNewCheck,
          },
          {
            label: 'Import a crontab',
            act: () => go({ view: 'importChecks', accountId: project.id }),
          },
        ]),
    {
      label: 'Notifications',
      ...(unseen > 0 ? { hint: `${unseen} new` } : {}),
      act: () => go({ view: 'notices' }),
    },
    ...statusItems(),
    ...(appState.value.realms.size > 0
      ? [{ label: 'Drafts & scheduled', hint: 'd', act: () => go({ view: 'later' }) }]
      : []),
    { label: 'Weekly review', act: () => go({ view: 'weekly' }) },
    { label: 'Accounts', act: () => go({ view: 'accounts' }) },
    { label: 'Notification rules', act: () => go({ view: 'attention' }) },
    { label: 'Settings', hint: 'Ctrl ,', act: () => go({ view: 'settings' }) },
    { label: 'Diagnostics', act: () => go({ view: 'diagnostics' }) },
    { label: 'Help', hint: '?', act: onHelp },
    ...(showsDemo(appState.value) ? [{ label: 'Leave the demo', act: leaveDemo }] : []),
    { label: 'Quit', hint: 'Ctrl Q', act: quit },
  ]
  return <MenuButton label="More" items={items} />
}

/** One for each chat; its hint is what others see now. */
function statusItems(): readonly MenuItem[] {
  const { realms, accounts } = appState.value
  return [...realms.values()].map((realm) => ({
    label:
      realms.size === 1
        ? 'Your status…'
        : `Your status in ${accounts.find(({ id }) => id === realm.accountId)?.label ?? ''}…`,
    hint: ownStatusWords(realm),
    act: () => askForStatus(realm),
  }))
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
