import type { Target } from '#shared/core/target.ts'
import { AccountList } from '../accounts/account-list.tsx'
import { AddAccount, ReplaceKey } from '../accounts/add-account.tsx'
import { AttentionView } from '../attention/attention-view.tsx'
import { CheckDetail } from '../board/check-detail.tsx'
import { ChatList } from '../chat/chat-list.tsx'
import { ConversationPane } from '../chat/conversation-pane.tsx'
import { CheckEditor } from '../check-editor/check-editor.tsx'
import { ReportPage } from '../discuss/report-page.tsx'
import { TimelinePage } from '../discuss/timeline-page.tsx'
import { NoticeList } from '../notices/notice-list.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { KeyHint } from '../parts/key-hint.tsx'
import { pageKeys } from '../parts/page-actions.ts'
import { SettingsView } from '../settings/settings-view.tsx'
import { ChecksView } from './checks-view.tsx'

/** All views but the checks: a chunk of its own, so that the first view need not wait for it. */
export { QuietDialog } from '../attention/quiet-dialog.tsx'
export { Palette } from '../palette/palette.tsx'

export function PlaceView({ place }: { readonly place: Target }) {
  switch (place.view) {
    case 'checks':
      return <ChecksView />
    case 'check':
      return <CheckDetail {...place} />
    case 'discuss':
      return <ReportPage {...place} />
    case 'timeline':
      return <TimelinePage {...place} />
    case 'editCheck':
      return <CheckEditor {...place} />
    case 'chat':
    case 'conversation':
      return (
        <>
          <h1 class="visually-hidden">Chat</h1>
          {place.view === 'conversation' ? <ConversationPane {...place} /> : <ChatList />}
        </>
      )
    case 'notices':
      return <NoticeList />
    case 'accounts':
      return <AccountList />
    case 'addAccount':
      return <AddAccount key={place.kind} kind={place.kind} />
    case 'replaceKey':
      return <ReplaceKey key={place.accountId} accountId={place.accountId} />
    case 'settings':
      return <SettingsView />
    case 'attention':
      return <AttentionView />
  }
}

const groups: readonly {
  readonly title: string
  readonly keys: readonly (readonly [keys: string, what: string])[]
}[] = [
  {
    title: 'Everywhere',
    keys: [
      ['Ctrl K', 'Find or do anything'],
      ['Ctrl 1', 'Checks'],
      ['Ctrl 2', 'Chat'],
      ['Ctrl Z', 'Undo the last action, for 10 seconds'],
      ['Ctrl Enter', 'Save a check, send a report'],
      ['Esc', 'Go back, then hide the window'],
      ['?', 'Keyboard shortcuts'],
    ],
  },
  {
    title: 'In a list',
    keys: [
      ['↑ ↓', 'Move (or k and j)'],
      ['Home End', 'Go to the first or last'],
      ['Enter', 'Open'],
      ['← →', 'Fold or unfold a group'],
    ],
  },
  {
    title: 'Checks',
    keys: [...Object.entries(pageKeys.checks), ['1 … 9', 'Choose how long to snooze or mute']],
  },
  {
    title: 'Chat',
    keys: [
      ...Object.entries(pageKeys.chat),
      ['Enter', 'Send'],
      ['Shift Enter', 'New line'],
      ['↑ ↓ +', 'Move between messages; react with 👍'],
    ],
  },
]

export function KeyboardShortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {groups.map(({ title, keys }) => (
        <section key={title} class="key-group">
          <h3>{title}</h3>
          <dl>
            {keys.map(([key, what]) => (
              <div key={key}>
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
