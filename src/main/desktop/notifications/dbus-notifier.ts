import type { Notice } from '../../../shared/core/notice.ts'
import { isNobodyThere, type SessionBus } from '../session-bus.ts'
import { trayImage } from '../tray-image.ts'
import { notificationText } from './notification-text.ts'
import { type Answers, type NotificationActions, type Notifier, once } from './notifier.ts'

const daemon = 'org.freedesktop.Notifications'
const daemonPath = '/org/freedesktop/Notifications'

/** Notifications whose buttons still work; older ones are forgotten, a click on them does nothing. */
const remembered = 200
/** Waiting for a slow daemon; what comes on top is only in the app's own list. */
const queueLimit = 50

interface Shown {
  readonly subject: string
  readonly answers: Answers
}

interface Connection {
  readonly bus: SessionBus
  capabilities: ReadonlySet<string> | null
}

/**
 * Notifications by the Desktop Notifications Specification 1.2, spoken over D-Bus by ourselves:
 * Electron's own class knows no buttons on Linux and blocks the whole process for minutes when
 * there is no daemon (electron #48753). The bus is opened with the first notification and again
 * whenever it was lost.
 */
export function createDbusNotifier(options: {
  readonly actions: NotificationActions
  readonly openBus: () => Promise<SessionBus>
  /** Takes a notification that there is no bus for. */
  readonly fallback: Notifier
}): Notifier {
  const shown = new Map<number, Shown>()
  const idOfSubject = new Map<string, number>()
  let connection: Promise<Connection> | null = null
  let by = 'D-Bus'
  let waiting = 0
  let queue: Promise<void> = Promise.resolve()
  let stopped = false

  const forgetAll = (): void => {
    shown.clear()
    idOfSubject.clear()
  }

  const forget = (id: number): void => {
    const subject = shown.get(id)?.subject
    if (subject !== undefined && idOfSubject.get(subject) === id) idOfSubject.delete(subject)
    shown.delete(id)
  }

  const connect = async (): Promise<Connection> => {
    const bus = await options.openBus()
    const made: Connection = { bus, capabilities: null }
    bus.onEnd(() => {
      connection = null
      forgetAll()
    })
    // The next daemon numbers from 1 again: an old id would replace or answer for a stranger's.
    bus.onOwner(daemon, () => {
      made.capabilities = null
      forgetAll()
    })
    listen(bus, shown, forget)
    return made
  }

  const connected = async (): Promise<Connection> => {
    connection ??= connect()
    try {
      return await connection
    } catch (error) {
      connection = null
      throw error
    }
  }

  const show = async (notice: Notice): Promise<void> => {
    let ready: Connection
    try {
      ready = await connected()
    } catch {
      // No session bus that we can speak to; the program of the fallback may know another way.
      options.fallback.notify(notice)
      by = options.fallback.by()
      return
    }
    ready.capabilities ??= await capabilitiesOf(ready.bus)
    const replaces = idOfSubject.get(notice.subject) ?? 0
    const id = await send(ready.bus, notice, ready.capabilities, replaces)
    if (replaces !== 0 && replaces !== id) forget(replaces)
    shown.set(id, { subject: notice.subject, answers: once(notice, options.actions) })
    idOfSubject.set(notice.subject, id)
    for (const old of shown.keys()) if (shown.size > remembered) forget(old)
    by = 'D-Bus'
  }

  /** One call after the other, so that a replacement knows the id of what it replaces. */
  const enqueue = (work: () => Promise<void>): void => {
    if (waiting >= queueLimit || stopped) return
    waiting += 1
    queue = queue.then(work).then(
      () => {
        waiting -= 1
      },
      (error: unknown) => {
        waiting -= 1
        by = 'nobody'
        // A new daemon may stand behind the same connection, and offer less.
        if (isNobodyThere(error)) forgetAll()
      },
    )
  }

  return {
    notify: (notice) => enqueue(() => show(notice)),
    withdraw: (subject) =>
      enqueue(async () => {
        const id = idOfSubject.get(subject)
        if (id === undefined || connection === null) return
        forget(id)
        const { bus } = await connection
        await ask(bus, 'CloseNotification', 'u', [id])
      }),
    by: () => by,
    settled: () => queue,
    stop: () => {
      stopped = true
      // A connection that failed has nothing to close.
      void connection?.then(({ bus }) => bus.close()).catch(() => undefined)
    },
  }
}

function listen(
  bus: SessionBus,
  shown: ReadonlyMap<number, Shown>,
  forget: (id: number) => void,
): void {
  const on = (member: string, act: (id: number, value: unknown) => void): void =>
    bus.onSignal({ path: daemonPath, interface: daemon, member }, ([id, value]) => {
      if (typeof id === 'number') act(id, value)
    })
  on('ActionInvoked', (id, key) => {
    const answers = shown.get(id)?.answers
    if (key === 'default' || key === 'open') answers?.open()
    // KDE's button for an inline reply that was pressed without writing comes this way too.
    else if (key === 'reply' || key === 'inline-reply') answers?.reply()
  })
  on('NotificationReplied', (id, text) => {
    if (typeof text === 'string') shown.get(id)?.answers.replyText(text)
  })
  on('NotificationClosed', (id, reason) => {
    // Expired ones (1) live on in the history of several desktops, buttons and all.
    if (reason !== 1) forget(id)
  })
}

function ask(
  bus: SessionBus,
  member: string,
  signature?: string,
  body?: readonly unknown[],
): Promise<readonly unknown[]> {
  return bus.call({
    destination: daemon,
    path: daemonPath,
    interface: daemon,
    member,
    ...(signature === undefined ? {} : { signature, body: body ?? [] }),
  })
}

async function capabilitiesOf(bus: SessionBus): Promise<ReadonlySet<string>> {
  const [list] = await ask(bus, 'GetCapabilities')
  return new Set(Array.isArray(list) ? list.map(String) : [])
}

async function send(
  bus: SessionBus,
  notice: Notice,
  capabilities: ReadonlySet<string>,
  replaces: number,
): Promise<number> {
  const text = notificationText(notice, capabilities.has('body-markup') ? 'markup' : 'plain')
  const [id] = await ask(bus, 'Notify', 'susssasa{sv}i', [
    'Belfry',
    replaces,
    '',
    text.title,
    text.body,
    actionsFor(notice, capabilities),
    hintsFor(notice, capabilities),
    // -1: for as long as this desktop shows its notifications.
    -1,
  ])
  if (typeof id !== 'number' || id === 0) throw new Error('the daemon gave no id')
  return id
}

function actionsFor(notice: Notice, capabilities: ReadonlySet<string>): string[] {
  if (!capabilities.has('actions')) return []
  const actions = ['default', 'Open', 'open', 'Open']
  if (!notice.canReply) return actions
  return [...actions, capabilities.has('inline-reply') ? 'inline-reply' : 'reply', 'Reply']
}

function hintsFor(notice: Notice, capabilities: ReadonlySet<string>): [string, unknown][] {
  const chat = notice.kind === 'direct' || notice.kind === 'mention' || notice.kind === 'message'
  const hints: [string, unknown][] = [
    ['urgency', ['y', notice.kind === 'down' ? 2 : 1]],
    ['category', ['s', chat ? 'im.received' : 'device']],
    ['desktop-entry', ['s', 'belfry']],
    ['suppress-sound', ['b', !notice.sound]],
    ['image-data', ['(iiibiiay)', pictureFor(notice)]],
  ]
  if (notice.sound && capabilities.has('sound'))
    hints.push(['sound-name', ['s', chat ? 'message-new-instant' : 'dialog-warning']])
  if (notice.canReply && capabilities.has('inline-reply'))
    hints.push(['x-kde-reply-placeholder-text', ['s', 'Reply']])
  return hints
}

/** Width, height, row stride, alpha, bits per sample, channels, RGBA. */
function pictureFor(notice: Notice): unknown[] {
  const shape = notice.kind === 'down' ? 'down' : notice.kind === 'account' ? 'key' : 'good'
  const mark = notice.kind === 'mention' ? 'mention' : notice.kind === 'direct' ? 'unread' : 'none'
  const image = trayImage({ shape, count: 0, mark }, 48, 'light')
  return [image.width, image.height, image.width * 4, true, 8, 4, Buffer.from(image.data)]
}
