import { showsDemo } from '#shared/core/state.ts'
import { call } from '../bridge.ts'
import { writableProjects } from '../check-editor/editor-access.ts'
import { MenuButton, type MenuItem } from '../parts/menu-button.tsx'
import { sayIfFailed } from '../toast.ts'
import { appState, go } from '../window-state.ts'

function items(onHelp: () => void): readonly MenuItem[] {
  const { notices } = appState.value
  const [project] = writableProjects(appState.value)
  return [
    {
      label: 'Refresh now',
      act: () => sayIfFailed(call.refresh({ accountId: null })),
    },
    ...(project === undefined
      ? []
      : [
          {
            label: 'New check',
            hint: 'n',
            act: () => go({ view: 'editCheck', accountId: project.id, checkId: null }),
          },
        ]),
    {
      label: 'Notices',
      ...(notices.length > 0 ? { hint: String(notices.length) } : {}),
      act: () => go({ view: 'notices' }),
    },
    { label: 'Accounts', act: () => go({ view: 'accounts' }) },
    { label: 'Settings', act: () => go({ view: 'settings' }) },
    { label: 'Quick help', hint: '?', act: onHelp },
    ...(showsDemo(appState.value)
      ? [{ label: 'Leave the demo', act: () => sayIfFailed(call.leaveDemo({})) }]
      : []),
  ]
}

/** Everything that is not one of the two faces of the window. */
export function MoreMenu({ onHelp }: { readonly onHelp: () => void }) {
  return <MenuButton label="More" items={items(onHelp)} />
}
