import {
  isOfMessages,
  type Notice,
  type NoticeKind,
} from '../../../shared/core/attention/notice.ts'
import type { TrayShape } from '../../../shared/core/views/tray-view.ts'
import { appId } from '../system/computer.ts'
import type { BusCall, SessionBus } from '../system/session-bus.ts'
import type { Picture } from '../tray/drawing.ts'
import { trayImage } from '../tray/tray-image.ts'
import { notificationButtons, notificationText } from './notifier.ts'

export const daemon = 'org.freedesktop.Notifications'
export const daemonPath = '/org/freedesktop/Notifications'

function ask(
  bus: SessionBus,
  member: string,
  call: Pick<BusCall, 'signature' | 'body' | 'onLate'> = {},
): Promise<readonly unknown[]> {
  return bus.call({ destination: daemon, path: daemonPath, interface: daemon, member, ...call })
}

/** `onLate` is called if the daemon answers only after the deadline. */
export async function capabilitiesOf(
  bus: SessionBus,
  onLate?: () => void,
): Promise<ReadonlySet<string>> {
  const [list] = await ask(bus, 'GetCapabilities', onLate && { onLate })
  return new Set(Array.isArray(list) ? list.map(String) : [])
}

export async function closeById(bus: SessionBus, id: number): Promise<void> {
  await ask(bus, 'CloseNotification', { signature: 'u', body: [id] })
}

/** Returns the id it was given; throws if the daemon refuses, or gives none. */
export async function send(
  bus: SessionBus,
  notice: Notice,
  capabilities: ReadonlySet<string>,
  {
    replaces,
    soundFile,
    onLate,
  }: {
    readonly replaces: number
    /** Null: the system's sound. */
    readonly soundFile: string | null
    readonly onLate: (id: number) => void
  },
): Promise<number> {
  const text = notificationText(notice, capabilities.has('body-markup') ? 'markup' : 'plain')
  const body = [
    'Belfry',
    replaces,
    '',
    text.title,
    text.body,
    actionsFor(notice, capabilities),
    hintsFor(notice, capabilities, soundFile),
    // -1: the desktop's default duration.
    -1,
  ]
  const [id] = await ask(bus, 'Notify', {
    signature: 'susssasa{sv}i',
    body,
    onLate: ([late]) => {
      if (typeof late === 'number' && late !== 0) onLate(late)
    },
  })
  if (typeof id !== 'number' || id === 0) throw new Error('the daemon gave no id')
  return id
}

/** Key, label, key, label …: `default` is the click on the notification itself. */
function actionsFor(notice: Notice, capabilities: ReadonlySet<string>): string[] {
  if (!capabilities.has('actions')) return []
  // A click opens already. Most daemons show `default` as a button, and two would be named Open.
  const buttons = notificationButtons(notice).flatMap(({ key, label }) =>
    key === 'open' ? [] : [isInline(key, capabilities) ? 'inline-reply' : key, label],
  )
  return ['default', 'Open', ...buttons]
}

function isInline(key: string, capabilities: ReadonlySet<string>): boolean {
  return key === 'reply' && capabilities.has('inline-reply')
}

/**
 * Never both hints: daemons prefer the name. Names are from the sound naming specification; a
 * repeated alarm gets a more insistent sound.
 */
function soundHint(notice: Notice, file: string | null): [string, unknown] {
  if (file !== null) return ['sound-file', ['s', file]]
  if ((notice.again ?? 0) > 1) return ['sound-name', ['s', 'alarm-clock-elapsed']]
  const name = isOfMessages(notice) ? 'message-new-instant' : 'dialog-warning'
  return ['sound-name', ['s', name]]
}

function hintsFor(
  notice: Notice,
  capabilities: ReadonlySet<string>,
  soundFile: string | null,
): [string, unknown][] {
  const chat = isOfMessages(notice)
  const hints: [string, unknown][] = [
    ['urgency', ['y', notice.kind === 'down' ? 2 : 1]],
    ['category', ['s', chat ? 'im.received' : 'device']],
    ['desktop-entry', ['s', appId]],
    ['suppress-sound', ['b', !notice.sound]],
    ['image-data', ['(iiibiiay)', pictureFor(notice)]],
  ]
  if (notice.sound && capabilities.has('sound')) hints.push(soundHint(notice, soundFile))
  if (notificationButtons(notice).some(({ key }) => isInline(key, capabilities)))
    hints.push(['x-kde-reply-placeholder-text', ['s', 'Reply']])
  return hints
}

/** Each is drawn once, which takes 20 ms; there are only a few. */
const pictures = new Map<string, Picture>()

const shapes = new Map<NoticeKind, TrayShape>([
  ['down', 'down'],
  ['trouble', 'key'],
  ...(['late', 'tooShort', 'tooLong', 'noStart'] as const).map((kind) => [kind, 'late'] as const),
])

/** Width, height, row stride, alpha, bits per sample, channels, RGBA. */
function pictureFor({ kind }: Notice): unknown[] {
  const shape = shapes.get(kind) ?? 'good'
  const mark = kind === 'mention' ? 'mention' : kind === 'direct' ? 'unread' : 'none'
  const name = `${shape} ${mark}`
  const look = { shape, count: 0, mark, hidden: false, quiet: false } as const
  const image = pictures.get(name) ?? trayImage(look, 48, 'light')
  pictures.set(name, image)
  return [image.width, image.height, image.width * 4, true, 8, 4, Buffer.from(image.data)]
}
