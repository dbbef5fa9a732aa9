import { DbusNotifier } from '../../src/main/desktop/notifications/dbus-notifier.ts'
import { BusError, type SessionBus } from '../../src/main/desktop/system/session-bus.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import type { Shown } from './seen.ts'

/** What the desktop shows, whether or not a program is there to show it. */
export interface Screen {
  /** `isLate`: kept until there was such a program. */
  readonly shown: (notice: Shown, isLate: boolean) => void
  /** Nobody is there to show it; the app's own list has it. */
  readonly unshown: (notice: Shown) => void
}

/** The app's real notifier, and a notification daemon that may go and come. */
export function createDaemon({ shown, unshown }: Screen) {
  let isThere = true
  let numbers = 0
  const listeners: ((owned: boolean) => void)[] = []
  /** By the number that its title begins with on its way through the notifier. */
  const given: { readonly notice: Shown; readonly isLate: boolean }[] = []

  function take(body: readonly unknown[]): readonly unknown[] {
    const [, replaces, , title] = body
    const one = given[Number.parseInt(String(title), 10)]
    if (one === undefined) throw new Error(`nobody gave “${String(title)}” to the notifier`)
    if (replaces === 0) numbers += 1
    const id = replaces === 0 ? numbers : Number(replaces)
    shown(one.notice, one.isLate)
    return [id]
  }

  const bus: SessionBus = {
    name: ':1.1',
    call: async ({ member, body = [] }) => {
      if (!isThere) throw new BusError('org.freedesktop.DBus.Error.ServiceUnknown')
      if (member === 'Notify') return take(body)
      return member === 'GetCapabilities' ? [['body', 'actions']] : []
    },
    hasOwner: async () => isThere,
    onOwner: (_name, listener) => listeners.push(listener),
    emit: () => undefined,
    onSignal: () => undefined,
    onEnd: () => undefined,
    close: () => undefined,
  }
  const none = () => undefined
  const notifier = new DbusNotifier({
    actions: { onOpen: none, onReplyText: none, onAct: none },
    openBus: async () => bus,
    fallback: {
      ...{ notify: none, replace: none, withdraw: none, stop: none },
      delivery: () => ({ by: 'nobody', capabilities: [] }),
      settled: async () => undefined,
    },
  })

  return {
    notify(notice: Shown): void {
      const place = given.push({ notice, isLate: !isThere }) - 1
      if (!isThere) unshown(notice)
      notifier.notify({ ...(notice as Notice), title: `${place} ${notice.title}` })
    },
    withdraw: (subject: string) => notifier.withdraw(subject),
    turn(isOn: boolean): void {
      if (isThere === isOn) return
      isThere = isOn
      for (const listener of listeners) listener(isOn)
    },
  }
}
