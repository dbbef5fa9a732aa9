import { useCallback, useMemo, useState } from 'preact/hooks'
import { readMaintenance } from '#shared/core/attention/maintenance.ts'
import { recentPaletteLimit } from '#shared/core/settings.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import {
  type PaletteAction,
  type PaletteCommand,
  type PaletteIndex,
  type PaletteItem,
  paletteIndex,
  paletteResults,
  withRecent,
} from '#shared/core/views/palette-search.ts'
import { disturbNot, endDisturbNot } from '../attention/disturb.tsx'
import { asking, beginMaintenance } from '../attention/quiet-menu.tsx'
import { call } from '../bridge.ts'
import { askToMarkAllRead, setStatus } from '../chat/conversation-actions.tsx'
import { aboutPerson } from '../chat/presence.tsx'
import { Modal } from '../parts/dialog.tsx'
import { stepZoom } from '../shell/appearance.ts'
import { toast, toastIfFailed } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { OperationForm } from './operation-form.tsx'
import { beginMessage, closePalette, openPalette, palette } from './palette-button.tsx'
import { hereIndex, openOperation, paletteSource } from './palette-state.ts'
import { RecipientList } from './recipient-list.tsx'
import { SearchList } from './search-list.tsx'

/** The palette over everything: Esc leads one step back. */
export function Palette({ onHelp }: { readonly onHelp: () => void }) {
  const shown = palette.value
  if (shown.shows === 'nothing') return null
  const isWide = shown.shows === 'operation'
  const chooseItem = (item: PaletteItem) => choose(item, onHelp)
  return (
    <Modal
      class={`palette ${isWide ? 'palette-wide' : ''}`}
      name={{ 'aria-label': nameOf(shown) }}
      onBack={back}
      onLeave={closePalette}
    >
      {shown.shows === 'operation' ? (
        <OperationForm key={shown.operation} id={shown.operation} />
      ) : shown.shows === 'actions' ? (
        <Actions items={shown.items} onChoose={chooseItem} />
      ) : shown.recipients === undefined ? (
        <Everything onChoose={chooseItem} />
      ) : (
        <RecipientList
          key={JSON.stringify(shown.recipients)}
          chosen={shown.recipients}
          onChoose={chooseItem}
        />
      )}
    </Modal>
  )
}

function nameOf(shown: typeof palette.value): string {
  if (shown.shows === 'operation') return 'Operation'
  if (shown.shows === 'actions') return 'Actions'
  return shown.shows === 'list' && shown.recipients !== undefined
    ? 'New message'
    : 'Find or do anything'
}

/** One step back: from a form to the list, from a channel's topics to all recipients, from a list to the window. */
function back(): void {
  const shown = palette.value
  if (shown.shows === 'operation') openPalette()
  else if (shown.shows === 'list' && (shown.recipients?.to ?? 'anyone') !== 'anyone') beginMessage()
  else closePalette()
}

function choose(item: PaletteItem, onHelp: () => void): void {
  // What a key does here is no thing to come back to elsewhere.
  if (item.kind !== 'here') remember(item.id)
  if (item.action.does !== 'operation' && item.action.does !== 'message') closePalette()
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
  else if (action.does === 'message') beginMessage(action.recipients)
  else if (action.does === 'status') setStatus(action.accountId, action.status)
  else if (action.does === 'here') action.act()
  else commands[action.command](onHelp)
}

const commands: Readonly<Record<PaletteCommand, (onHelp: () => void) => void>> = {
  refresh: () => toastIfFailed(call.refresh({ accountId: null })),
  themeLight: () => toastIfFailed(call.updateSettings({ theme: 'light' })),
  themeDark: () => toastIfFailed(call.updateSettings({ theme: 'dark' })),
  themeSystem: () => toastIfFailed(call.updateSettings({ theme: 'system' })),
  densityCompact: () => toastIfFailed(call.updateSettings({ density: 'compact' })),
  densityComfortable: () => toastIfFailed(call.updateSettings({ density: 'comfortable' })),
  markAllRead: askToMarkAllRead,
  zoomIn: () => stepZoom(1),
  zoomOut: () => stepZoom(-1),
  zoomReset: () => stepZoom(0),
  disturb: () => disturbNot(Date.now() + 60 * 60_000),
  endDisturb: endDisturbNot,
  quit: () => toastIfFailed(call.quit({})),
  clearNotices: () => toastIfFailed(call.clearNotices({})),
  testNotification: () => {
    void call.testNotification({}).then((result) => {
      if (result.ok) toast(`A test notification was sent through ${result.value.by}.`)
    })
  },
  exploreDemo: () => toastIfFailed(call.exploreDemo({})),
  leaveDemo: () => toastIfFailed(call.leaveDemo({})),
  keys: (onHelp) => onHelp(),
  hide: () => toastIfFailed(call.hideWindow({})),
}

/** What can be done with one thing. */
function Actions(props: {
  readonly items: readonly PaletteItem[]
  readonly onChoose: (item: PaletteItem) => void
}) {
  const { items, onChoose } = props
  const index = useMemo(() => paletteIndex(items), [items])
  const find = useCallback((query: string) => paletteResults(index, query, []), [index])
  return (
    <SearchList label="Actions" placeholder="What to do with it" find={find} onChoose={onChoose} />
  )
}

/** "#db for 20 min" typed in full begins at once. */
function maintenanceItem(query: string): readonly PaletteItem[] {
  const plan = readMaintenance(query, appState.peek(), Date.now())
  if ('problem' in plan) return []
  return [
    {
      id: 'here/maintenance',
      kind: 'here',
      title: `Maintenance of ${plan.name} ${clockUntilWords(plan.until, Date.now())}`,
      hint: plan.reason,
      key: '',
      keywords: '',
      action: { does: 'here', act: () => beginMaintenance(plan) },
    },
  ]
}

/** What can be done with any check or person by a word before its name: "snooze db-backup". */
const verbs: Readonly<Record<string, (item: PaletteItem) => PaletteItem | null>> = {
  snooze: ({ id, title, hint, action }) => {
    if (action.does !== 'go' || action.target.view !== 'check') return null
    const { accountId, checkId } = action.target
    const scope = { of: 'check', accountId, checkId } as const
    return verbItem(`snooze/${id}`, `Snooze ${title}…`, hint, () => {
      asking.value = { scope, name: title }
    })
  },
  curl: ({ id, title, hint, action }) => {
    if (action.does !== 'go' || action.target.view !== 'check') return null
    const { accountId, checkId } = action.target
    return verbItem(`curl/${id}`, `Copy the ping of ${title} as curl`, hint, () =>
      toastIfFailed(call.copyPingAddress({ accountId, checkId, form: 'curl' })),
    )
  },
  about: ({ id, title, hint, action }) => {
    if (action.does !== 'go' || action.target.view !== 'conversation') return null
    const { accountId, conversation } = action.target
    const [userId] = conversation.kind === 'direct' ? conversation.userIds : []
    if (!id.startsWith('person/') || userId === undefined) return null
    return verbItem(`about/${id}`, `About ${title}`, hint, () => aboutPerson(accountId, userId))
  },
}

function verbItem(id: string, title: string, hint: string, act: () => unknown): PaletteItem {
  return { id, kind: 'here', title, hint, key: '', keywords: '', action: { does: 'here', act } }
}

function verbItems(index: PaletteIndex, query: string): readonly PaletteItem[] {
  const [, verb = '', rest = ''] = /^(\p{L}+)(?:\s+(.*))?$/u.exec(query.toLowerCase()) ?? []
  const make = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  return make === undefined ? [] : paletteResults(index, rest, []).flatMap((one) => make(one) ?? [])
}

/** Everything that can be found and done. */
function Everything({ onChoose }: { readonly onChoose: (item: PaletteItem) => void }) {
  const state = appState.value
  const [here] = useState(hereIndex)
  const index = paletteSource(state, here)
  const { recentPalette } = state.settings
  const find = useCallback(
    (query: string) => {
      const found = paletteResults(index, query, recentPalette)
      // The page of a check offers its own.
      const isNew = ({ title }: PaletteItem) => !found.some((one) => one.title === title)
      return [...maintenanceItem(query), ...verbItems(index, query).filter(isNew), ...found]
    },
    [index, recentPalette],
  )
  return (
    <SearchList
      label="Find or do anything"
      placeholder="A check, a conversation, a command, an operation"
      find={find}
      onChoose={onChoose}
    />
  )
}
