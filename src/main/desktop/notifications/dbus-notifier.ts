import type { Notice } from '../../../shared/core/attention/notice.ts'
import type { NotifiedBy } from '../../base/ports.ts'
import { isNobodyThere, isRefusal, type SessionBus } from '../system/session-bus.ts'
import { capabilitiesOf, closeById, daemon, daemonPath, send } from './dbus-daemon.ts'
import { type Answers, leastOf, type NotificationActions, type Notifier, once } from './notifier.ts'

/** Notifications whose buttons still work; older ones are forgotten, and a click on them does nothing. */
const remembered = 200
/**
 * Notices queued for a slow daemon; further ones are only in the app's own list. An alarm displaces
 * another notice and goes ahead of everything that is not an alarm.
 */
const queueLimit = 50
/** After this, how the last notification went says nothing: daemons may have come or gone. */
const outdatedMs = 5_000
/**
 * Notices kept for a daemon that is still starting, or that refuses them: the newest of each subject,
 * alarms first. A login brings no storm.
 */
const undeliveredLimit = 5

interface Shown {
  readonly subject: string
  readonly answers: Answers
  /** It may remain in the desktop's history, but pops up again if it is replaced. */
  isExpired?: true
}

interface Job {
  readonly subject: string
  /** Null: closes what is shown about the subject. */
  readonly notice: Notice | null
}

interface Connection {
  readonly bus: SessionBus
  capabilities: ReadonlySet<string> | null
}

/**
 * Notifications by the Desktop Notifications Specification 1.2, over our own D-Bus connection:
 * Electron's class supports no buttons on Linux and blocks the whole process for minutes when there
 * is no daemon (electron #48753). The bus is opened with the first notification and again whenever
 * it was lost.
 */
export function createDbusNotifier(options: {
  readonly actions: NotificationActions
  readonly openBus: () => Promise<SessionBus>
  /** Shows notifications when there is no bus. */
  readonly fallback: Notifier
  readonly monotonic?: () => number
}): Notifier {
  const { monotonic = () => performance.now() } = options
  const shown = new Map<number, Shown>()
  const idOfSubject = new Map<string, number>()
  /**
   * Notices that no daemon was there to show, or that it refused: some accept only a certain number.
   * Given to the next one, or once it has shown another.
   */
  const undelivered = new Map<string, Notice>()
  /** Sent to a daemon that has not answered: a busy one may show them later. */
  const unanswered = new Map<string, Notice>()
  /** A notification's deadline passed, and none was confirmed since, whatever else the daemon answers. */
  let isHanging = false
  /** Offered once more when a daemon ended without an answer: it may be what ends the daemon. */
  const offeredAgain = new WeakSet<Notice>()
  let connection: Promise<Connection> | null = null
  let delivery = (): NotifiedBy => ({ by: 'D-Bus', capabilities: [] })
  let deliveredAt = Number.NEGATIVE_INFINITY
  /** The first is being sent. */
  const jobs: Job[] = []
  let queue: Promise<void> = Promise.resolve()
  let stopped = false

  const setDelivery = (now: () => NotifiedBy): void => {
    delivery = now
    deliveredAt = monotonic()
  }

  const reportShown = ({ capabilities }: Connection): void => {
    const list = [...(capabilities ?? [])]
    setDelivery(() => ({ by: 'D-Bus', capabilities: list }))
    deliverKept()
  }

  const reportNobody = (): void => setDelivery(() => ({ by: 'nobody', capabilities: [] }))

  const forgetAll = (): void => {
    // A daemon that hung until it ended has shown none of these.
    for (const notice of unanswered.values()) keep(notice)
    shown.clear()
    idOfSubject.clear()
    unanswered.clear()
    isHanging = false
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
    // The next daemon numbers from 1 again: an old id would replace or answer another program's notification.
    bus.onOwner(daemon, (owned) => {
      made.capabilities = null
      deliveredAt = Number.NEGATIVE_INFINITY
      forgetAll()
      const kept = [...undelivered.values()]
      // Many daemons start on demand, so without another call none would come.
      if (owned || kept.some((notice) => !offeredAgain.has(notice))) deliverKept()
      if (!owned) for (const notice of kept) offeredAgain.add(notice)
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
      // No session bus that we can use; the fallback's program may know another way.
      options.fallback.notify(notice)
      setDelivery(options.fallback.delivery)
      return
    }
    unanswered.delete(notice.subject)
    remember(ready, notice, await sendOrKeep(ready, notice))
  }

  const remember = (ready: Connection, notice: Notice, id: number): void => {
    const replaced = idOfSubject.get(notice.subject)
    if (replaced !== undefined && replaced !== id) forget(replaced)
    shown.set(id, { subject: notice.subject, answers: once(notice, options.actions) })
    idOfSubject.set(notice.subject, id)
    isHanging = false
    for (const old of shown.keys()) if (shown.size > remembered) forget(old)
    reportShown(ready)
  }

  const sendOrKeep = async (ready: Connection, notice: Notice): Promise<number> => {
    const { bus } = ready
    const { subject } = notice
    let isGiven = false
    // A notification that came up late works like any other, unless it is superseded or over: then
    // it is closed.
    const onLate = (id: number): void => {
      isHanging = false
      if (unanswered.get(subject) === notice) {
        unanswered.delete(subject)
        remember(ready, notice, id)
      } else if (idOfSubject.get(subject) !== id) {
        // A newer one has another id; if it has the same id, it replaced this one and stays.
        closeById(bus, id).catch(() => undefined)
      }
    }
    try {
      ready.capabilities ??= await capabilitiesOf(bus, deliverKept)
      const replaces = idOfSubject.get(subject) ?? 0
      isGiven = true
      unanswered.set(subject, notice)
      const id = await send(bus, notice, ready.capabilities, { replaces, onLate })
      unanswered.delete(subject)
      return id
    } catch (error) {
      if (!isGiven || isRefusal(error)) keep(notice)
      // If the connection or the daemon is gone, the notice no longer waits for an answer.
      else isHanging = unanswered.has(subject)
      reportNobody()
      throw error
    }
  }

  const keep = (notice: Notice): void => {
    // Something newer about the same subject is queued already, or this one again.
    const isInFlight = (job: Job, at: number): boolean => at === 0 && job.notice === notice
    if (jobs.some((job, at) => job.subject === notice.subject && !isInFlight(job, at))) return
    undelivered.set(notice.subject, notice)
    if (undelivered.size <= undeliveredLimit) return
    const kept = [...undelivered.values()]
    const gone = leastOf(kept) ?? kept[0]
    if (gone !== undefined) undelivered.delete(gone.subject)
  }

  const deliverKept = (): void => {
    const kept = [...undelivered.values()]
    undelivered.clear()
    for (const notice of kept) notify(notice)
  }

  /** Calls are sent one at a time, so that a replacement knows the id of what it replaces. */
  const enqueue = (job: Job, at = jobs.length): void => {
    if (stopped) return
    jobs.splice(at, 0, job)
    queue = queue.then(workOff).catch((error: unknown) => {
      // Other errors are harmless, such as a refusal to close what the user has closed already.
      if (!isNobodyThere(error)) return
      reportNobody()
      // A new daemon on the same connection may offer less.
      forgetAll()
    })
  }

  const workOff = async (): Promise<void> => {
    const [job] = jobs
    if (job === undefined) return
    const work = job.notice === null ? close(job.subject) : show(job.notice)
    await work.finally(() => jobs.shift())
  }

  /** Finds out whether a daemon would show a notification now. */
  const probe = async (): Promise<void> => {
    let ready: Connection
    try {
      ready = await connected()
    } catch {
      return setDelivery(options.fallback.delivery)
    }
    try {
      ready.capabilities = await capabilitiesOf(ready.bus)
      if (isHanging) reportNobody()
      else reportShown(ready)
    } catch {
      reportNobody()
    }
  }

  /** Makes room, if need be by dropping a lesser notice; false if this one is to be dropped. */
  const makeRoom = (notice: Notice): boolean => {
    const waiting = jobs.flatMap((job) => job.notice ?? [])
    if (waiting.length < queueLimit) return true
    const gone = notice.kind === 'down' ? leastOf(waiting.slice(1)) : notice
    if (gone === undefined) return false
    // The alarm that a dropped recovery would have replaced is over all the same.
    const instead = gone.kind === 'recovered' ? [{ subject: gone.subject, notice: null }] : []
    const index = jobs.findIndex((job) => job.notice === gone)
    if (index === -1) for (const job of instead) enqueue(job)
    else jobs.splice(index, 1, ...instead)
    return index !== -1
  }

  const notify = (notice: Notice): void => {
    const { subject } = notice
    undelivered.delete(subject)
    const isAlarm = notice.kind === 'down'
    const lesser = isAlarm ? jobs.findIndex((job, i) => i > 0 && job.notice?.kind !== 'down') : -1
    const at = lesser === -1 ? jobs.length : lesser
    // Overtaken jobs for the same subject would replace or close it, so they are dropped.
    const overtaken = jobs.splice(at).filter((job) => job.subject !== subject)
    jobs.push(...overtaken)
    if (makeRoom(notice)) enqueue({ subject, notice }, at)
  }

  const isKnown = (subject: string): boolean =>
    idOfSubject.has(subject) ||
    unanswered.has(subject) ||
    undelivered.has(subject) ||
    jobs.some((job) => job.subject === subject)

  const close = async (subject: string): Promise<void> => {
    unanswered.delete(subject)
    const id = idOfSubject.get(subject)
    if (id === undefined || connection === null) return
    forget(id)
    const { bus } = await connection
    await closeById(bus, id)
  }

  return {
    notify,
    replace: (notice) => {
      const one = shown.get(idOfSubject.get(notice.subject) ?? 0)
      if (isKnown(notice.subject) && one?.isExpired !== true) notify(notice)
    },
    // Most withdrawals are for notices never shown; queued, they would only delay alarms.
    withdraw: (subject) => {
      undelivered.delete(subject)
      if (isKnown(subject)) enqueue({ subject, notice: null })
    },
    delivery: () => delivery(),
    settled: async () => {
      await queue
      if (!stopped && monotonic() - deliveredAt > outdatedMs) await probe()
      // What was kept has been given to the daemon again, and may have been refused again.
      await queue
      await options.fallback.settled()
    },
    stop: () => {
      stopped = true
      options.fallback.stop()
      // A connection that failed has nothing to close.
      void connection?.then(({ bus }) => bus.close()).catch(() => undefined)
    },
  }
}

/** Characters: far more than anyone types into a notification. */
const longestReply = 100_000

/** Keys that daemons send: for a click, and (KDE) for an inline reply button pressed without text. */
const keyNames: ReadonlyMap<string, string> = new Map([
  ['default', 'open'],
  ['inline-reply', 'reply'],
])

function listen(
  bus: SessionBus,
  shown: ReadonlyMap<number, Shown>,
  forget: (id: number) => void,
): void {
  const on = (member: string, act: (id: number, value: unknown) => void): void =>
    bus.onSignal({ path: daemonPath, interface: daemon, member, from: daemon }, ([id, value]) => {
      if (typeof id === 'number') act(id, value)
    })
  on('ActionInvoked', (id, key) => {
    if (typeof key === 'string') shown.get(id)?.answers.press(keyNames.get(key) ?? key)
  })
  on('NotificationReplied', (id, text) => {
    if (typeof text === 'string' && text.length <= longestReply)
      shown.get(id)?.answers.replyText(text)
  })
  on('NotificationClosed', (id, reason) => {
    // Expired ones (1) remain in the history of several desktops, buttons included.
    const one = shown.get(id)
    if (reason !== 1) forget(id)
    else if (one !== undefined) one.isExpired = true
  })
}
