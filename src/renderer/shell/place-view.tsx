import type { Target } from '#shared/core/target.ts'
import { AccountList } from '../accounts/account-list.tsx'
import { AddAccount } from '../accounts/add-account.tsx'
import { ReplaceKey } from '../accounts/replace-key.tsx'
import { AttentionView } from '../attention/attention-view.tsx'
import { CheckDetail } from '../board/check-detail.tsx'
import { ChatList } from '../chat/chat-list.tsx'
import { ConversationPane } from '../chat/conversation-pane.tsx'
import { CheckEditor } from '../check-editor/check-editor.tsx'
import { ReportPage } from '../discuss/report-page.tsx'
import { TimelinePage } from '../discuss/timeline-page.tsx'
import { NoticeList } from '../notices/notice-list.tsx'
import { SettingsView } from '../settings/settings-view.tsx'
import { ChecksView } from './checks-view.tsx'

/** What stands at a place. */
export function PlaceView({ place }: { readonly place: Target }) {
  switch (place.view) {
    case 'checks':
      return <ChecksView />
    case 'check':
      return <CheckDetail accountId={place.accountId} checkId={place.checkId} />
    case 'discuss':
      return <ReportPage accountId={place.accountId} checkId={place.checkId} />
    case 'timeline':
      return <TimelinePage accountId={place.accountId} checkId={place.checkId} />
    case 'editCheck':
      return <CheckEditor accountId={place.accountId} checkId={place.checkId} />
    case 'chat':
      return (
        <>
          <h1 class="visually-hidden">Chat</h1>
          <ChatList />
        </>
      )
    case 'conversation':
      return (
        <>
          <h1 class="visually-hidden">Chat</h1>
          <ConversationPane
            accountId={place.accountId}
            conversation={place.conversation}
            messageId={place.messageId}
          />
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
