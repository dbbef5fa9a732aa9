import type { AttentionSettings } from '../../src/shared/core/attention/rules.ts'
import type { TrayShape } from '../../src/shared/core/views/tray-view.ts'
import type { Asked } from './badge.ts'
import type { Happening, Said } from './plan.ts'
import type { Read } from './proxy.ts'

/** A notice as the user gets it, in words. */
export interface Shown {
  readonly kind: string
  readonly accountId: string
  readonly subject: string
  readonly title: string
  readonly body: string
  /** When what it tells of was found out, by the computer's clock. */
  readonly at: number
  readonly sound: boolean
  readonly target: Aimed
  readonly lines: readonly { readonly text: string; readonly target: Aimed; readonly at: number }[]
}

/** Where a click leads, as far as it names a check. */
export interface Aimed {
  readonly view: string
  readonly accountId?: string
  readonly checkId?: string | null
}

export interface ListedNotice extends Shown {
  readonly id: string
  readonly outcome: 'shown' | 'tray' | 'folded' | 'silent'
}

/** What a silence covers. */
export type Covers =
  | { readonly of: 'check'; readonly project: number; readonly uuid: string }
  | { readonly of: 'project'; readonly project: number }
  | { readonly of: 'tag'; readonly tag: string }
  | { readonly of: 'everything' }

/** When a planned maintenance is, as the user gives it: by the computer's clock, or by those of a zone. */
export type PlannedFor =
  | { readonly from: number; readonly until: number }
  | { readonly day: number; readonly from: string; readonly to: string; readonly zone: string }

/** What the user did, once it was done. */
export type Act =
  | {
      readonly did: 'silence'
      readonly id: string
      readonly how: 'snooze' | 'acknowledge' | 'mute' | 'maintenance'
      readonly covers: Covers
      /** Minutes, or until the check changes. */
      readonly lasts: number | 'change' | 'ever'
      /** Somebody else, whose silence stands beside the user’s own. */
      readonly by?: string
    }
  | {
      readonly did: 'plan'
      readonly id: string
      readonly covers: Covers
      readonly when: PlannedFor
    }
  | {
      readonly did: 'depend'
      readonly id: string
      readonly covers: Covers
      readonly on: Extract<Covers, { of: 'check' }>
    }
  | { readonly did: 'end' | 'restore' | 'unplan' | 'independ'; readonly id: string }
  | { readonly did: 'systemQuiet'; readonly on: boolean }
  | { readonly did: 'rules'; readonly attention: AttentionSettings }
  | { readonly did: 'poll'; readonly seconds: number }
  | {
      /** `twin`: a second account of the project was found on the disk. */
      readonly did: 'added' | 'removed' | 'twin'
      readonly project: number
      readonly accountId: string
    }
  | { readonly did: 'open'; readonly project: number; readonly uuid: string }
  | { readonly did: 'other'; readonly what: Happening['do'] }

/** What the user, or somebody who writes to them, did. */
export type Done =
  /** How far the computer's clock is ahead from now on, ms, and its time zone. */
  | { readonly what: 'clock'; readonly ahead: number; readonly zone: string }
  | { readonly what: 'act'; readonly act: Act }
  /** Somebody wrote to the user; `token` is in the text. */
  | {
      readonly what: 'said'
      readonly token: string
      readonly said: Said
      readonly place: string
      readonly from: string
      /** The check whose outage it tells of. */
      readonly about?: Extract<Covers, { of: 'check' }>
    }

/** Everything that a life showed, in the order in which it came. */
export type Seen = { readonly at: number } & (
  | { readonly what: 'read'; readonly read: Read }
  | { readonly what: 'counts'; readonly asked: Asked }
  | { readonly what: 'popUp'; readonly notice: Shown }
  /** Kept for a notification daemon that has come since; its pop-up was counted when it was made. */
  | { readonly what: 'late'; readonly notice: Shown }
  | { readonly what: 'daemon'; readonly on: boolean }
  | { readonly what: 'withdrawn'; readonly subject: string }
  /** The notified state as it was at `asOf` is on the disk. */
  | { readonly what: 'marked'; readonly asOf: number }
  | { readonly what: 'listed'; readonly notice: ListedNotice }
  | { readonly what: 'icon'; readonly shape: TrayShape; readonly count: number }
  | { readonly what: 'began' }
  | { readonly what: 'ended'; readonly by: 'quit' | 'kill' | 'popUp' | 'disk' }
  | { readonly what: 'slept'; readonly since: number }
  | Done
)
