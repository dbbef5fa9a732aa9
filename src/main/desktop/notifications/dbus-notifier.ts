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

interface Options {
  readonly actions: NotificationActions
  readonly openBus: () => Promise<SessionBus>
  /** Shows notifications when there is no bus. */
  readonly fallback: Notifier
  /** The file to play with a notice; null: the system's sound. Never rejects. */
  readonly soundFile?: (notice: Notice) => Promise<string | null>
  readonly monotonic?: () => number
}

/**
 * Notifications by the Desktop Notifications Specification 1.2, over our own D-Bus connection:
 * Electron's class supports no buttons on Linux and blocks the whole process for minutes when there
 * is no daemon (electron #48753). The bus is opened with the first notification and again whenever
 * it was lost.
 */
export class DbusNotifier implements Notifier {
  readonly #options: Options
  readonly #monotonic: () => number
  readonly #shown = new Map<number, Shown>()
  readonly #idOfSubject = new Map<string, number>()
  /**
   * Notices that no daemon was there to show, or that it refused: some accept only a certain number.
   * Given to the next one, or once it has shown another.
   */
  readonly #undelivered = new Map<string, Notice>()
  /** Sent to a daemon that has not answered: a busy one may show them later. */
  readonly #unanswered = new Map<string, Notice>()
  /** A notification's deadline passed, and none was confirmed since, whatever else the daemon answers. */
  #isHanging = false
  /** Offered once more when a daemon ended without an answer: it may be what ends the daemon. */
  readonly #offeredAgain = new WeakSet<Notice>()
  #connection: Promise<Connection> | null = null
  #delivery = (): NotifiedBy => ({ by: 'D-Bus', capabilities: [] })
  #deliveredAt = Number.NEGATIVE_INFINITY
  /** The first is being sent. */
  readonly #jobs: Job[] = []
  #queue: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: Options) {
    this.#options = options
    this.#monotonic = options.monotonic ?? (() => performance.now())
  }

  // Functions of their own, since callers pass them on.

  readonly notify = (notice: Notice): void => {
    const { subject } = notice
    this.#undelivered.delete(subject)
    const at = this.#placeOf(notice)
    // Overtaken jobs for the same subject would replace or close it, so they are dropped.
    const overtaken = this.#jobs.splice(at).filter((job) => job.subject !== subject)
    this.#jobs.push(...overtaken)
    if (this.#makeRoom(notice)) this.#enqueue({ subject, notice }, at)
  }

  /** An alarm goes ahead of everything else, but for what was said of its check before. */
  #placeOf(notice: Notice): number {
    const jobs = this.#jobs
    if (notice.kind !== 'down') return jobs.length
    const earlier = jobs.findLastIndex((job) => job.notice !== null && isBeside(job.notice, notice))
    const from = Math.max(1, earlier + 1)
    const lesser = jobs.slice(from).findIndex((job) => job.notice?.kind !== 'down')
    return lesser === -1 ? jobs.length : from + lesser
  }

  readonly replace = (notice: Notice): void => {
    const { subject } = notice
    // What is to be closed must not come back.
    if (this.#jobs.findLast((job) => job.subject === subject)?.notice === null) return
    const one = this.#shown.get(this.#idOfSubject.get(subject) ?? 0)
    if (one?.isExpired !== true) {
      if (this.#isKnown(subject)) this.notify(notice)
    } else if (notice.kind === 'down') {
      // Its name is to be hidden. An edited message may stay in the desktop's history as it was.
      this.withdraw(subject)
    }
  }

  /** Most withdrawals are for notices never shown; queued, they would only delay alarms. */
  readonly withdraw = (subject: string): void => {
    this.#undelivered.delete(subject)
    if (this.#isKnown(subject)) this.#enqueue({ subject, notice: null })
  }

  readonly delivery = (): NotifiedBy => this.#delivery()

  readonly settled = async (): Promise<void> => {
    await this.#queue
    if (!this.#stopped && this.#monotonic() - this.#deliveredAt > outdatedMs) await this.#probe()
    // What was kept has been given to the daemon again, and may have been refused again.
    await this.#queue
    await this.#options.fallback.settled()
  }

  readonly stop = (): void => {
    this.#stopped = true
    this.#options.fallback.stop()
    // A connection that failed has nothing to close.
    void this.#connection?.then(({ bus }) => bus.close()).catch(() => undefined)
  }

  #setDelivery(now: () => NotifiedBy): void {
    this.#delivery = now
    this.#deliveredAt = this.#monotonic()
  }

  #reportShown({ capabilities }: Connection): void {
    const list = [...(capabilities ?? [])]
    this.#setDelivery(() => ({ by: 'D-Bus', capabilities: list }))
    this.#deliverKept()
  }

  #reportNobody(): void {
    this.#setDelivery(() => ({ by: 'nobody', capabilities: [] }))
  }

  #forgetAll(): void {
    // A daemon that hung until it ended has shown none of these.
    for (const notice of this.#unanswered.values()) this.#keep(notice)
    this.#shown.clear()
    this.#idOfSubject.clear()
    this.#unanswered.clear()
    this.#isHanging = false
  }

  #forget(id: number): void {
    const subject = this.#shown.get(id)?.subject
    if (subject !== undefined && this.#idOfSubject.get(subject) === id)
      this.#idOfSubject.delete(subject)
    this.#shown.delete(id)
  }

  async #connect(): Promise<Connection> {
    const bus = await this.#options.openBus()
    const made: Connection = { bus, capabilities: null }
    bus.onEnd(() => {
      this.#connection = null
      this.#forgetAll()
    })
    // The next daemon numbers from 1 again: an old id would replace or answer another program's notification.
    bus.onOwner(daemon, (owned) => {
      made.capabilities = null
      this.#deliveredAt = Number.NEGATIVE_INFINITY
      this.#forgetAll()
      const kept = [...this.#undelivered.values()]
      // Many daemons start on demand, so without another call none would come.
      if (owned || kept.some((notice) => !this.#offeredAgain.has(notice))) this.#deliverKept()
      if (!owned) for (const notice of kept) this.#offeredAgain.add(notice)
    })
    listen(bus, this.#shown, (id) => this.#forget(id))
    return made
  }

  async #connected(): Promise<Connection> {
    this.#connection ??= this.#connect()
    try {
      return await this.#connection
    } catch (error) {
      this.#connection = null
      throw error
    }
  }

  async #show(notice: Notice): Promise<void> {
    // First, since the connection may end meanwhile.
    const soundFile = notice.sound ? ((await this.#options.soundFile?.(notice)) ?? null) : null
    let ready: Connection
    try {
      ready = await this.#connected()
    } catch {
      // No session bus that we can use; the fallback's program may know another way.
      this.#options.fallback.notify(notice)
      this.#setDelivery(() => this.#options.fallback.delivery())
      return
    }
    this.#unanswered.delete(notice.subject)
    this.#remember(ready, notice, await this.#sendOrKeep(ready, notice, soundFile))
  }

  #remember(ready: Connection, notice: Notice, id: number): void {
    const replaced = this.#idOfSubject.get(notice.subject)
    if (replaced !== undefined && replaced !== id) this.#forget(replaced)
    this.#shown.set(id, { subject: notice.subject, answers: once(notice, this.#options.actions) })
    this.#idOfSubject.set(notice.subject, id)
    this.#isHanging = false
    for (const old of this.#shown.keys()) if (this.#shown.size > remembered) this.#forget(old)
    this.#reportShown(ready)
  }

  async #sendOrKeep(ready: Connection, notice: Notice, soundFile: string | null): Promise<number> {
    const { bus } = ready
    const { subject } = notice
    let isGiven = false
    // A notification that came up late works like any other, unless it is superseded or over: then
    // it is closed.
    const onLate = (id: number): void => {
      this.#isHanging = false
      if (this.#unanswered.get(subject) === notice) {
        this.#unanswered.delete(subject)
        this.#remember(ready, notice, id)
      } else if (this.#idOfSubject.get(subject) !== id) {
        // A newer one has another id; if it has the same id, it replaced this one and stays.
        closeById(bus, id).catch(() => undefined)
      }
    }
    try {
      ready.capabilities ??= await capabilitiesOf(bus, () => this.#deliverKept())
      const replaces = this.#idOfSubject.get(subject) ?? 0
      isGiven = true
      this.#unanswered.set(subject, notice)
      const id = await send(bus, notice, ready.capabilities, { replaces, soundFile, onLate })
      this.#unanswered.delete(subject)
      return id
    } catch (error) {
      if (!isGiven || isRefusal(error)) this.#keep(notice)
      // If the connection or the daemon is gone, the notice no longer waits for an answer.
      else this.#isHanging = this.#unanswered.has(subject)
      this.#reportNobody()
      throw error
    }
  }

  #keep(notice: Notice): void {
    // Something newer about the same subject is queued already, or this one again.
    const isInFlight = (job: Job, at: number): boolean => at === 0 && job.notice === notice
    if (this.#jobs.some((job, at) => job.subject === notice.subject && !isInFlight(job, at))) return
    this.#undelivered.set(notice.subject, notice)
    if (this.#undelivered.size <= undeliveredLimit) return
    const kept = [...this.#undelivered.values()]
    const gone = leastOf(kept) ?? kept[0]
    if (gone !== undefined) this.#undelivered.delete(gone.subject)
  }

  #deliverKept(): void {
    const kept = [...this.#undelivered.values()]
    this.#undelivered.clear()
    for (const notice of kept) this.notify(notice)
  }

  /** Calls are sent one at a time, so that a replacement knows the id of what it replaces. */
  #enqueue(job: Job, at = this.#jobs.length): void {
    if (this.#stopped) return
    this.#jobs.splice(at, 0, job)
    this.#queue = this.#queue
      .then(() => this.#workOff())
      .catch((error: unknown) => {
        // Other errors are harmless, such as a refusal to close what the user has closed already.
        if (!isNobodyThere(error)) return
        this.#reportNobody()
        // A new daemon on the same connection may offer less.
        this.#forgetAll()
      })
  }

  async #workOff(): Promise<void> {
    const [job] = this.#jobs
    if (job === undefined) return
    const work = job.notice === null ? this.#close(job.subject) : this.#show(job.notice)
    await work.finally(() => this.#jobs.shift())
  }

  /** Finds out whether a daemon would show a notification now. */
  async #probe(): Promise<void> {
    let ready: Connection
    try {
      ready = await this.#connected()
    } catch {
      return this.#setDelivery(() => this.#options.fallback.delivery())
    }
    try {
      ready.capabilities = await capabilitiesOf(ready.bus)
      if (this.#isHanging) this.#reportNobody()
      else this.#reportShown(ready)
    } catch {
      this.#reportNobody()
    }
  }

  /** Makes room, if need be by dropping a lesser notice; false if this one is to be dropped. */
  #makeRoom(notice: Notice): boolean {
    const waiting = this.#jobs.flatMap((job) => job.notice ?? [])
    if (waiting.length < queueLimit) return true
    const gone = notice.kind === 'down' ? leastOf(waiting.slice(1)) : notice
    if (gone === undefined) return false
    // The alarm that a dropped recovery would have replaced is over all the same.
    const instead = gone.kind === 'recovered' ? [{ subject: gone.subject, notice: null }] : []
    const index = this.#jobs.findIndex((job) => job.notice === gone)
    if (index === -1) for (const job of instead) this.#enqueue(job)
    else this.#jobs.splice(index, 1, ...instead)
    return index !== -1
  }

  #isKnown(subject: string): boolean {
    return (
      this.#idOfSubject.has(subject) ||
      this.#unanswered.has(subject) ||
      this.#undelivered.has(subject) ||
      this.#jobs.some((job) => job.subject === subject)
    )
  }

  async #close(subject: string): Promise<void> {
    this.#unanswered.delete(subject)
    const id = this.#idOfSubject.get(subject)
    if (id === undefined || this.#connection === null) return
    this.#forget(id)
    const { bus } = await this.#connection
    await closeById(bus, id)
  }
}

/** Whether one is about a check that the other, of another subject, is about as well. */
function isBeside(one: Notice, other: Notice): boolean {
  if (one.subject === other.subject) return false
  const checks = checksOf(one)
  return checksOf(other).some((check) => checks.includes(check))
}

function checksOf({ target, lines }: Notice): readonly string[] {
  return [target, ...lines.map((line) => line.target)].flatMap((place) =>
    place.view === 'check' ? `${place.accountId} ${place.checkId}` : [],
  )
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
