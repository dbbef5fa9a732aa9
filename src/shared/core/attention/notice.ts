import * as v from 'valibot'
import { type Immutable, inPart, timeSchema } from '../schemas.ts'
import { targetSchema } from '../target.ts'
import { checkKinds, type EventKind, eventKinds, messageKinds, stateAfter } from './event.ts'

const kinds = v.picklist([...eventKinds, 'reminder', 'digest'])
export type NoticeKind = v.InferOutput<typeof kinds>

/** `tray`: only on the icon and in the list; `folded`: part of another notice. */
const outcomes = v.picklist(['shown', 'tray', 'folded', 'silent'])
export type Outcome = v.InferOutput<typeof outcomes>

export const outcomeLabels: Readonly<Record<Outcome, string>> = {
  shown: 'Shown',
  tray: 'Silent',
  folded: 'Grouped',
  silent: 'Not shown',
}

/** One step of a decision, in words for the user. */
const reason = v.object({
  by: v.picklist([
    'run',
    'rule',
    'default',
    'chat',
    'wait',
    'brief',
    'silence',
    'same',
    'quiet',
    'away',
    'flapping',
    'storm',
    'batch',
    'sound',
    'program',
  ]),
  text: v.string(),
  /** What a program of the user's own printed: its last lines. */
  output: v.exactOptional(v.string()),
})
export type Reason = Immutable<v.InferOutput<typeof reason>>

/** One line of a notice about several events. */
const line = v.object({
  text: v.string(),
  at: timeSchema,
  target: targetSchema,
  /** It has no text of the message that it leads to. */
  isReminder: v.exactOptional(v.literal(true)),
})
export type NoticeLine = Immutable<v.InferOutput<typeof line>>

/** A decision to notify. The desktop turns it into a notification; the app keeps it in a list. */
export const noticeSchema = v.object({
  /** Unique for ever: account, subject and time. */
  id: v.string(),
  kind: kinds,
  accountId: v.string(),
  /** A newer notification with the same subject replaces the older one. */
  subject: v.string(),
  title: v.string(),
  body: v.string(),
  at: timeSchema,
  target: targetSchema,
  sound: v.boolean(),
  /** How often it has been repeated; repetitions are louder. */
  again: v.exactOptional(v.number()),
  /** Its check has one: `Check.hasRunbook`. */
  hasRunbook: v.exactOptional(v.literal(true)),
  outcome: v.fallback(outcomes, 'shown'),
  /** Each step of the decision. */
  reasons: v.optional(inPart(v.array(reason)), []),
  lines: v.optional(inPart(v.array(line)), []),
})
/** The list of notices as a part of the app's state. */
export interface NoticesSlice {
  /** Newest first, bounded. */
  readonly notices: readonly Notice[]
}

/** A file that the user chose as the sound of a kind of event. Only main knows where it is. */
export interface OwnSound {
  /** Without its folder. */
  readonly name: string
  /** It could not be read when it was to be played last, and the user was told so. */
  readonly isGone: boolean
}

/** The sounds that aren't the system's, as a part of the app's state. */
export interface OwnSoundsSlice {
  readonly ownSounds: ReadonlyMap<EventKind, OwnSound>
}

export type Notice = Immutable<v.InferOutput<typeof noticeSchema>>

/**
 * The subject of its notification. What a check was remains so: a notice of what it is now doesn’t
 * take the place of that.
 */
export function subjectOnScreen({ kind, id, subject }: Notice): string {
  return pastKinds.has(kind) ? id : subject
}

const pastKinds: ReadonlySet<NoticeKind> = new Set(
  checkKinds.filter((kind) => stateAfter[kind] === null),
)

/** A notice about Belfry itself and not about an account. */
export function ownNotice(
  words: Pick<Notice, 'subject' | 'title' | 'body' | 'target'>,
  at: number,
  sound = false,
): Notice {
  const shown = { outcome: 'shown', reasons: [], lines: [] } as const
  const id = `${words.subject}@${at}`
  return { ...words, ...shown, id, at, sound, kind: 'recovered', accountId: '' }
}

export const chatKinds: ReadonlySet<NoticeKind> = new Set(messageKinds)

/** Whether it is about messages of one conversation. */
export function isOfMessages({ kind }: Pick<Notice, 'kind'>): boolean {
  return chatKinds.has(kind)
}

/** More flips or conversations than this share one notice: people read one, not forty. */
export const foldAbove = 3
/** How many names a folded notice lists. */
export const namesInFold = 4

/** What notifications may reveal: everything, titles, or only the kind of event. */
export const noticeTexts = ['all', 'titles', 'minimal'] as const
export type NoticeText = (typeof noticeTexts)[number]

const minimalTitles: Readonly<Record<NoticeKind, string>> = {
  down: 'Something is down',
  late: 'Something is late',
  recovered: 'Something is up again',
  missed: 'Something was down',
  tooShort: 'A run was not as usual',
  tooLong: 'A run was not as usual',
  noStart: 'A run was not as usual',
  direct: 'New message',
  mention: 'New message',
  alertWord: 'New message',
  message: 'New message',
  trouble: 'Belfry needs you',
  reminder: 'A reminder',
  digest: 'What you missed',
}

/** What may be revealed now. */
export function noticeTextNow(
  { noticeText, hideNames }: { readonly noticeText: NoticeText; readonly hideNames: boolean },
  isLocked: boolean,
): NoticeText {
  return isLocked || hideNames ? 'minimal' : noticeText
}

export function privateNotice(notice: Notice, shows: NoticeText): Notice {
  if (shows === 'all') return notice
  const title = shows === 'titles' ? notice.title : minimalTitles[notice.kind]
  return { ...notice, title, body: '', lines: [] }
}

/** Joins the parts of a notice's body, skipping empty ones. */
export function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(separator)
}

/** The first part of a notice's body, and the rest. */
export function parted(body: string): readonly string[] {
  return body.split(separator)
}

const separator = ' · '
