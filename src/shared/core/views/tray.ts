import type { AccountId } from '../account.ts'
import type { Scope, Silence, Until } from '../attention/silence.ts'
import type { Conversation } from '../chat/conversation.ts'
import type { CheckId } from '../checks/check.ts'
import type { Target } from '../target.ts'
import type { Span } from './until-choices.ts'

export type TrayUntil = Until | Span

export type TrayAction =
  | { readonly do: 'open'; readonly target: Target }
  /** Opens the worst news. */
  | { readonly do: 'show' }
  | { readonly do: 'quickReply' }
  | { readonly do: 'refresh' }
  | {
      readonly do: 'silence'
      readonly how: Silence['how']
      readonly scope: Scope
      readonly until: TrayUntil
    }
  | { readonly do: 'endSilence'; readonly id: string }
  /** Removes a planned maintenance. */
  | { readonly do: 'cancelPlanned'; readonly id: string }
  /** Do not disturb; null ends it. */
  | { readonly do: 'disturb'; readonly until: TrayUntil | null }
  /** Hides names while others see the screen, or shows them again. */
  | { readonly do: 'hideNames'; readonly on: boolean }
  | {
      readonly do: 'markRead'
      readonly accountId: AccountId
      readonly conversation: Conversation
    }
  /** Opens the first link of the check's description in the browser. */
  | { readonly do: 'runbook'; readonly accountId: AccountId; readonly checkId: CheckId }
  | { readonly do: 'quit' }

export type TrayMenuItem =
  | { readonly label: string; readonly action: TrayAction | null }
  | { readonly label: string; readonly submenu: readonly TrayMenuItem[] }
  | { readonly separator: true }
