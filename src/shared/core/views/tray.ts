import type { AccountId } from '../account.ts'
import type { Scope, Silence, Until } from '../attention/silence.ts'
import type { Conversation } from '../chat/conversation.ts'
import type { Target } from '../target.ts'

/** The tray icon's shapes, worst first: where several hold, the first one is shown. */
export const trayShapes = [
  'down',
  'key',
  'stale',
  'late',
  'overrun',
  'silenced',
  'paused',
  'good',
  'empty',
] as const

/** One shape for each state, whatever the colour. */
export type TrayShape = (typeof trayShapes)[number]

/** Chat's own mark in the corner, so that a mention never hides a down check. */
export type TrayMark = 'none' | 'unread' | 'mention'

/** What the icon shows. */
export interface TrayLook {
  readonly shape: TrayShape
  /** Checks that are down and not silenced; drawn on the icon as 1 to 9 or 9+. */
  readonly count: number
  readonly mark: TrayMark
  /** Some problems are silenced beside what the shape tells of: a hollow dot. */
  readonly hidden: boolean
  /** Quiet hours or do not disturb: a z. */
  readonly quiet: boolean
}

/** Told from the moment of the click: a menu may stand for hours. */
export type TrayUntil =
  | Until
  | { readonly kind: 'for'; readonly minutes: number }
  /** Tomorrow at 09:00 by this computer's clock. */
  | { readonly kind: 'tomorrow' }

export type TrayAction =
  | { readonly do: 'open'; readonly target: Target }
  /** Opens where the worst news is. */
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
  /** Do not disturb; null ends it. */
  | { readonly do: 'disturb'; readonly until: TrayUntil | null }
  | {
      readonly do: 'markRead'
      readonly accountId: AccountId
      readonly conversation: Conversation
    }
  | { readonly do: 'quit' }

export type TrayMenuItem =
  | { readonly label: string; readonly action: TrayAction | null }
  | { readonly label: string; readonly submenu: readonly TrayMenuItem[] }
  | { readonly separator: true }

/** All that the tray shows, computed from the state by one pure function. */
export interface TrayView extends TrayLook {
  /** At most 127 characters, the most urgent first. */
  readonly tooltip: string
  readonly menu: readonly TrayMenuItem[]
}
