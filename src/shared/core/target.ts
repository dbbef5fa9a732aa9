import type { AccountId } from './account.ts'
import type { Conversation } from './chat/conversation.ts'
import type { CheckId } from './checks/check.ts'

/** Where a click leads. */
export type Target =
  | { readonly view: 'checks' }
  | { readonly view: 'check'; readonly accountId: AccountId; readonly checkId: CheckId }
  /** The form of a check; null makes a new one. */
  | { readonly view: 'editCheck'; readonly accountId: AccountId; readonly checkId: CheckId | null }
  /** The report on a check, ready to be sent. */
  | { readonly view: 'discuss'; readonly accountId: AccountId; readonly checkId: CheckId }
  | { readonly view: 'timeline'; readonly accountId: AccountId; readonly checkId: CheckId }
  | { readonly view: 'chat' }
  | {
      readonly view: 'conversation'
      readonly accountId: AccountId
      readonly conversation: Conversation
      readonly messageId: number | null
    }
  | { readonly view: 'notices' }
  | { readonly view: 'accounts' }
  | { readonly view: 'addAccount'; readonly kind: 'monitoring' | 'chat' }
  | { readonly view: 'replaceKey'; readonly accountId: AccountId }
  | { readonly view: 'settings' }
  /** What may interrupt, when, and how loud. */
  | { readonly view: 'attention' }
