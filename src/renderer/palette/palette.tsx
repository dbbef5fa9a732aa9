import { recentPaletteLimit } from '#shared/core/settings.ts'
import type {
  PaletteAction,
  PaletteCommand,
  PaletteItem,
} from '#shared/core/views/palette-search.ts'
import { withRecent } from '#shared/core/views/palette-search.ts'
import { call } from '../bridge.ts'
import { Modal } from '../parts/modal.tsx'
import { say, sayIfFailed } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { OperationForm } from './operation-form.tsx'
import { closePalette, openPalette, palette } from './palette-button.tsx'
import { PaletteList } from './palette-list.tsx'
import { openOperation } from './palette-state.ts'

/** The palette over everything: Esc leads one step back. */
export function Palette({ onHelp }: { readonly onHelp: () => void }) {
  const shown = palette.value
  if (shown.shows === 'nothing') return null
  const isWide = shown.shows === 'operation'
  return (
    <Modal
      class={`palette ${isWide ? 'palette-wide' : ''}`}
      name={{ 'aria-label': isWide ? 'Operation' : 'Find or do anything' }}
      onBack={back}
      onLeave={closePalette}
    >
      {shown.shows === 'list' ? (
        <PaletteList onChoose={(item) => choose(item, onHelp)} />
      ) : (
        <OperationForm key={shown.operation} id={shown.operation} />
      )}
    </Modal>
  )
}

/** One step back: from a form to the list, from the list to the window. */
function back(): void {
  if (palette.value.shows === 'operation') openPalette()
  else closePalette()
}

function choose(item: PaletteItem, onHelp: () => void): void {
  // What a key does here is no thing to come back to elsewhere.
  if (item.kind !== 'here') remember(item.id)
  if (item.action.does !== 'operation') closePalette()
  act(item.action, onHelp)
}

function remember(id: string): void {
  const { recentPalette } = appState.value.settings
  // Losing a recent is not worth a word.
  void call.updateSettings({
    recentPalette: [...withRecent(recentPalette, id, recentPaletteLimit)],
  })
}

function act(action: PaletteAction, onHelp: () => void): void {
  if (action.does === 'go') go(action.target)
  else if (action.does === 'operation') openOperation(action.operation)
  else if (action.does === 'here') action.act()
  else commands[action.command](onHelp)
}

const commands: Readonly<Record<PaletteCommand, (onHelp: () => void) => void>> = {
  refresh: () => sayIfFailed(call.refresh({ accountId: null })),
  themeLight: () => sayIfFailed(call.updateSettings({ theme: 'light' })),
  themeDark: () => sayIfFailed(call.updateSettings({ theme: 'dark' })),
  themeSystem: () => sayIfFailed(call.updateSettings({ theme: 'system' })),
  clearNotices: () => sayIfFailed(call.clearNotices({})),
  testNotification: () => {
    void call.testNotification({}).then((result) => {
      if (result.ok) say(`A test notification was sent through ${result.value.by}.`)
    })
  },
  exploreDemo: () => sayIfFailed(call.exploreDemo({})),
  leaveDemo: () => sayIfFailed(call.leaveDemo({})),
  keys: (onHelp) => onHelp(),
  hide: () => sayIfFailed(call.hideWindow({})),
}
