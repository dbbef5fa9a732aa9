import { isOfMessages, type Notice } from '../../../shared/core/attention/notice.ts'
import { actionsFor } from '../../../shared/core/views/notice-actions.ts'
import { withoutPiles } from '../../../shared/core/visible-text.ts'
import type { NotifiedBy } from '../../base/ports.ts'

/** What the user does with a notification. Each happens at most once per notification. */
export interface NotificationActions {
  onOpen(notice: Notice): void
  onReplyText(notice: Notice, text: string): void
  /** `action`: the key of one of the actions that the notice offers. */
  onAct(notice: Notice, action: string): void
}

/** One way to show notifications. None of its methods blocks or throws. */
export interface Notifier {
  notify(notice: Notice): void
  /** Shows it in place of the one about the same subject, if that may still be on the screen. */
  replace(notice: Notice): void
  withdraw(subject: string): void
  delivery(): NotifiedBy
  /** Resolves when nothing is waiting to be shown, so that `delivery` describes the last one, or what the next would meet. */
  settled(): Promise<void>
  stop(): void
}

/**
 * Lets only the first answer through: Windows can deliver one reply twice, by two paths, and a
 * daemon may send an action and then the default one.
 */
export function once(notice: Notice, actions: NotificationActions) {
  let answered = false
  const first = (act: () => void): void => {
    if (answered) return
    answered = true
    act()
  }
  const press = (key: string): void => {
    if (key === 'open') first(() => actions.onOpen(notice))
    const deed = actionsFor(notice).find((one) => one.key === key)?.deed
    // It answers nothing: whoever has read it may still acknowledge.
    if (deed?.do === 'runbook') actions.onAct(notice, key)
    else if (deed !== undefined) first(() => actions.onAct(notice, key))
  }
  return {
    /** Ignores a key that the notice has no button for. */
    press,
    replyText: (text: string) => {
      if (text.trim() === '') press('reply')
      else first(() => actions.onReplyText(notice, text))
    },
  }
}

export type Answers = ReturnType<typeof once>

export function notificationButtons(notice: Notice) {
  return [{ key: 'open', label: 'Open' }, ...actionsFor(notice)]
}

/**
 * The buttons as Electron shows them, by their position in its list, and whether there is a reply
 * field. A click opens, so Open is a button only where there is no other; macOS shows the field or
 * buttons, never both.
 */
export function electronButtons(notice: Notice, platform: NodeJS.Platform) {
  const [open, ...others] = notificationButtons(notice)
  const hasReply = others.some(({ key }) => key === 'reply')
  const quiet = others.filter(({ key }) => key !== 'reply')
  if (hasReply && platform === 'darwin') return { hasReply, buttons: [] }
  if (quiet.length > 0 || hasReply) return { hasReply, buttons: quiet }
  return { hasReply, buttons: open === undefined ? [] : [open] }
}

/** The least important notice: the oldest message, else the oldest other that is not an alarm. */
export function leastOf(notices: readonly Notice[]): Notice | undefined {
  const others = notices.filter(({ kind }) => kind !== 'down')
  return others.find(isOfMessages) ?? others[0]
}

/** Code points of a title or body: more than any desktop shows, and a limit on what a stranger can send. */
const longest = 250
/** UTF-16 units that are examined at all: a message of a million characters must not hold up the app. */
const lookedAt = 10_000

interface NotificationText {
  readonly title: string
  readonly body: string
}

/**
 * - `plain`: shown verbatim.
 * - `markup`: the receiver reads HTML-like markup in the body (`body-markup`), so it is escaped.
 * - `notifySend`: notify-send given its arguments without a shell and after `--`. It interprets
 *   escapes like `\\074` in the body (`g_strcompress`, measured with 0.8.1), with which a stranger
 *   could write the `<` that was escaped. Whether the body is markup is unknown; it mostly is.
 * - `commandLine`: the same through a shell and without `--`, as node-notifier does: a leading dash
 *   would be an option, a newline two characters and an empty body an error.
 * - `argument`: node-notifier's programs on Windows and macOS: like `commandLine`, but without markup
 *   and escapes.
 */
export type TextReader = 'plain' | 'markup' | 'notifySend' | 'commandLine' | 'argument'

/**
 * Makes text by strangers (check names, chat messages) harmless in a notification: no control
 * characters, no bidirectional overrides that make it read as something else, no markup, no option,
 * never empty. It stays readable: emoji keep their joiners.
 */
export function notificationText(text: NotificationText, reader: TextReader): NotificationText {
  const title = cleaned(text.title).replace(/\s+/gu, ' ') || 'Belfry'
  const body = lines(text.body)
  switch (reader) {
    case 'plain':
      return { title, body }
    case 'markup':
      return { title, body: escaped(body) }
    case 'notifySend':
      return { title, body: compressible(escaped(body)) }
    case 'commandLine':
      return argument(title, compressible(escaped(body)))
    case 'argument':
      return argument(title, body)
  }
}

function argument(title: string, body: string): NotificationText {
  return { title: noOption(title), body: noOption(body.replaceAll('\n', ' ')) || '\u00a0' }
}

/** C0 and C1 (newline and tab stay, as whitespace), bidirectional controls, line separators as spaces. */
function cleaned(text: string): string {
  const safe = text
    .slice(0, lookedAt)
    .toWellFormed()
    .replace(/[\u2028\u2029]/gu, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are removed
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, '')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    // Invisible at the start, they would hide a dash from the check below, or a name's first letter.
    .replace(/^(?:[\s\u00ad\u115f\u180e\u200b-\u200d\u2060-\u2064\u3164\ufeff]|\u034f)+/u, '')
    .trimEnd()
  return cut(withoutPiles(safe))
}

function cut(text: string): string {
  // At most two units per code point: a message of a million is not split as a whole.
  const points = [...text.slice(0, 2 * longest + 2)]
  if (points.length <= longest) return text
  return `${points
    .slice(0, longest - 1)
    .join('')
    .toWellFormed()
    .trimEnd()}…`
}

function lines(text: string): string {
  return cleaned(text).replace(/\s+/gu, (space) => (space.includes('\n') ? '\n' : ' '))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Doubles backslashes, so that the text is the same after `g_strcompress`. */
function compressible(text: string): string {
  return text.replaceAll('\\', '\\\\')
}

/**
 * Puts a WORD JOINER before a leading dash: invisible, and no longer an option (measured with
 * notify-send 0.8).
 */
function noOption(text: string): string {
  return text.startsWith('-') ? `\u2060${text}` : text
}
