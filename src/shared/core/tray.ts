import type { Target } from './target.ts'

/** The tray icon's shape, worst first. One shape for each, whatever the colour. */
export type TrayShape = 'key' | 'down' | 'stale' | 'late' | 'paused' | 'good' | 'empty'

/** Chat's own mark in the corner, so that a mention never hides a down check. */
export type TrayMark = 'none' | 'unread' | 'mention'

export type TrayAction =
  | { readonly do: 'open'; readonly target: Target }
  /** Opens where the worst news is. */
  | { readonly do: 'show' }
  | { readonly do: 'quickReply' }
  | { readonly do: 'refresh' }
  | { readonly do: 'quit' }

export type TrayMenuItem =
  | { readonly label: string; readonly action: TrayAction | null }
  | { readonly separator: true }

/** All that the tray shows, computed from the state by one pure function. */
export interface TrayView {
  readonly shape: TrayShape
  /** Checks that are down; drawn on the icon as 1 to 9 or 9+. */
  readonly count: number
  readonly mark: TrayMark
  /** At most 127 characters, the most urgent first. */
  readonly tooltip: string
  readonly menu: readonly TrayMenuItem[]
}
