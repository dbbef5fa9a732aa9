/** What a script of this user may have the running app do. */
export const askable = ['ack', 'snooze', 'open'] as const

/** A command, as it was typed. */
export interface Asked {
  readonly what: (typeof askable)[number]
  /** A check's name, id, or "project/name"; of `open` also a page or a link; '' opens the worst news. */
  readonly to: string
  /** When a snooze ends, as people type it; '' is an hour. */
  readonly until: string
  /** Digits: names the file of the answer. */
  readonly id: string
}
