import { type AttentionSettings, defaultAttention } from './attention/rules.ts'
import type { DiscussRule } from './outages/discuss.ts'

/** What the user can choose. Default, type and limits stand here once. */
export interface Settings {
  readonly theme: 'system' | 'light' | 'dark'
  /** Seconds between two reads of a project while all is well. */
  readonly pollSeconds: number
  /** What may interrupt, when, and how loud. */
  readonly attention: AttentionSettings
  /** Where outages are talked about: the first rule that fits. */
  readonly discuss: readonly DiscussRule[]
  /** The master switch for all sounds. */
  readonly sounds: boolean
  readonly groupBy: 'project' | 'tag' | 'none'
  readonly sendKey: 'enter' | 'ctrlEnter'
  /** Opening a conversation marks it as read. */
  readonly markReadOnOpen: boolean
  /** Ids of the palette's items used last, newest first: at most `recentPaletteLimit`. */
  readonly recentPalette: readonly string[]
  /** Keys may be kept on disk where no keyring protects them. Changed by `allowWeakStorage` alone. */
  readonly weakStorage: boolean
}

export const recentPaletteLimit = 50

export const defaultSettings: Settings = {
  theme: 'system',
  pollSeconds: 60,
  attention: defaultAttention,
  discuss: [],
  sounds: true,
  groupBy: 'project',
  sendKey: 'enter',
  markReadOnOpen: true,
  recentPalette: [],
  weakStorage: false,
}

export const pollSecondsLimits = { min: 15, max: 3600 } as const
