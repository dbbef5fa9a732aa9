import { useLayoutEffect } from 'preact/hooks'
import type { CheckId } from '#shared/core/checks/check.ts'
import type { Target } from '#shared/core/target.ts'
import { AccountList } from '../accounts/account-list.tsx'
import { AddAccount, ReplaceKey } from '../accounts/add-account.tsx'
import { AttentionView } from '../attention/attention-view.tsx'
import { planning } from '../attention/quiet-menu.tsx'
import { ChecksView } from '../board/check-board.tsx'
import { CheckDetail } from '../board/check-detail.tsx'
import { timelineAsked } from '../board/row-keys.ts'
import { WeeklyPage } from '../board/weekly-page.tsx'
import { ChatList } from '../chat/chat-list.tsx'
import { ConversationPane } from '../chat/conversation-pane.tsx'
import { LaterPage } from '../chat/later-page.tsx'
import { SearchPage } from '../chat/search-page.tsx'
import { CheckEditor } from '../check-editor/check-editor.tsx'
import { ImportPage } from '../check-editor/import-page.tsx'
import { DiagnosticsView } from '../diagnostics/diagnostics-view.tsx'
import { ReportPage } from '../discuss/report-page.tsx'
import { NoticeList } from '../notices/notice-list.tsx'
import { OutagesPage } from '../outages/outages-page.tsx'
import { beginMessage } from '../palette-shown.ts'
import { KeyHint } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { pageKeys } from '../parts/page-actions.ts'
import { SettingsView } from '../settings/settings-view.tsx'
import { place } from '../window-state.ts'

// All views but the checks are a chunk of their own, so that the first view doesn't wait for them.
export { askToDisturbNot } from '../attention/disturb-section.tsx'
export { QuietDialog } from '../attention/quiet-dialog.tsx'
export { followPresence, PersonCard } from '../chat/presence.tsx'
export { StatusDialog } from '../chat/status-dialog.tsx'
export { Palette } from '../palette/palette.tsx'
export { WhenDialog } from '../parts/when-dialog.tsx'

interface PlaceProps {
  readonly place: Target
  /** Only selected in the list beside it. */
  readonly isPreview?: boolean
}

export function PlaceView({ place: at, isPreview = false }: PlaceProps) {
  switch (at.view) {
    case 'checks':
      return <ChecksView />
    case 'check':
      return <CheckDetail {...at} />
    case 'discuss':
      return <ReportPage {...at} />
    case 'timeline':
      return <Asking to={{ ...at, view: 'check' }} ask={() => askForTimeline(at)} />
    case 'editCheck':
      return <CheckEditor key={`${at.accountId} ${at.checkId} ${at.cloneOf}`} {...at} />
    case 'importChecks':
      return <ImportPage {...at} />
    case 'newMessage':
      return <Asking key="chat" to={{ view: 'chat' }} ask={beginMessage} />
    case 'maintenance':
      return <Asking key="checks" to={{ view: 'checks' }} ask={askForMaintenance} />
    case 'later':
      return <LaterPage />
    case 'search':
      return <SearchPage {...at} />
    case 'chat':
    case 'conversation':
      return (
        <>
          <h1 class="visually-hidden">Chat</h1>
          {at.view === 'conversation' ? (
            <ConversationPane {...at} isPreview={isPreview} />
          ) : (
            <ChatList list={at.list} />
          )}
        </>
      )
    case 'notices':
      return <NoticeList />
    case 'accounts':
      return <AccountList />
    case 'addAccount':
      return <AddAccount key={at.kind} kind={at.kind} />
    case 'replaceKey':
      return <ReplaceKey key={at.accountId} accountId={at.accountId} />
    case 'settings':
      return <SettingsView />
    case 'diagnostics':
      return <DiagnosticsView />
    case 'attention':
      return <AttentionView />
    case 'weekly':
      return <WeeklyPage />
    case 'outages':
      return <OutagesPage query={at.query} />
  }
}

/** Shows a page and what it asks or has on request: who to write to, or a check's timeline. */
function Asking({ to, ask }: { readonly to: Target; readonly ask: () => void }) {
  useLayoutEffect(() => {
    place.value = to
    ask()
  }, [])
  return null
}

function askForTimeline({ checkId }: { readonly checkId: CheckId }): void {
  timelineAsked.value = checkId
}

function askForMaintenance(): void {
  planning.value = null
}

const groups: readonly {
  readonly title: string
  readonly keys: readonly (readonly [keys: string, what: string])[]
}[] = [
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K', 'Search or run anything'],
      ['Ctrl 1', 'Checks'],
      ['Ctrl 2', 'Chat'],
      ['Ctrl N', 'New check, or new message in the chat'],
      ['Ctrl F', 'Find on the page, or in the chat'],
      ['Ctrl R', 'Refresh (or F5)'],
      ['Ctrl ,', 'Settings'],
      ['Ctrl + − 0', 'Zoom in, out, reset'],
      ['Ctrl Z', 'Undo the last action, for 10 seconds'],
      ['Ctrl Enter', 'Save or send what a form holds'],
      ['Esc', 'Go back, then hide the window'],
      ['Alt ←', 'Go back'],
      ['Ctrl Q', 'Quit'],
      ['?', 'Keyboard shortcuts'],
    ],
  },
  {
    title: 'In a list',
    keys: [
      ['↑ ↓', 'Move (or k and j)'],
      ['Home End', 'Go to the first or last'],
      ['Enter', 'Open'],
      ['← →', 'Fold or unfold a group; → opens beside the list'],
    ],
  },
  {
    title: 'Checks',
    keys: [...shownKeys(pageKeys.checks, '1 … 9'), ['1 … 9', 'Choose how long to snooze or mute']],
  },
  {
    title: 'Chat',
    keys: [
      ...shownKeys(pageKeys.chat, '1 … 6'),
      ['Enter', 'Send'],
      ['Alt S', 'Send later'],
      ['Alt I', 'Insert a saved snippet'],
      ['Alt P', 'Preview the message'],
      ['Shift Enter', 'New line'],
      ['↑ ↓ +', 'Move between messages; react with 👍'],
      ['m', 'On a message: quote, edit, delete, star or copy it'],
    ],
  },
]

/** `digits`: the keys that the page’s “1” stands for. */
function shownKeys(keys: Readonly<Record<string, string>>, digits: string) {
  return Object.entries(keys).map(([key, what]) => [key === '1' ? digits : key, what] as const)
}

export function KeyboardShortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {groups.map(({ title, keys }) => (
        <section key={title} class="key-group">
          <h3 class="group-label">{title}</h3>
          <dl>
            {keys.map(([key, what]) => (
              <div key={what}>
                <dt>
                  {key.split(' ').map((one) => (
                    <KeyHint key={one} keys={one} />
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
