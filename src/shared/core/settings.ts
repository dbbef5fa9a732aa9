/** What the user can choose. Default, type and limits stand here once. */
export interface Settings {
  readonly theme: 'system' | 'light' | 'dark'
  /** Seconds between two reads of a project while all is well. */
  readonly pollSeconds: number
  readonly notifyDown: boolean
  readonly notifyRecovered: boolean
  readonly notifyChat: boolean
  readonly sounds: boolean
  readonly groupBy: 'project' | 'tag' | 'none'
  readonly sendKey: 'enter' | 'ctrlEnter'
  /** Opening a conversation marks it as read. */
  readonly markReadOnOpen: boolean
  /** Ids of the palette's items used last, newest first: at most `recentPaletteLimit`. */
  readonly recentPalette: readonly string[]
}

export const recentPaletteLimit = 50

export const defaultSettings: Settings = {
  theme: 'system',
  pollSeconds: 60,
  notifyDown: true,
  notifyRecovered: true,
  notifyChat: true,
  sounds: true,
  groupBy: 'project',
  sendKey: 'enter',
  markReadOnOpen: true,
  recentPalette: [],
}

export const pollSecondsLimits = { min: 15, max: 3600 } as const
