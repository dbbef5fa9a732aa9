import { scheduledOperations } from '../../shared/api/chat/message-operations.ts'
import { readLater } from '../../shared/api/chat/read-later.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { ChatEvent } from '../../shared/core/chat/chat-event.ts'
import { draftOf, withDraft, withEndTyped } from '../../shared/core/chat/drafts.ts'
import { nothingKept, type ScheduledMessage } from '../../shared/core/chat/kept-for-later.ts'
import type { Realm } from '../../shared/core/chat/realm.ts'
import { withKept } from '../../shared/core/chat/realm-update.ts'
import {
  type Scheduling,
  scheduledOf,
  surelyOverMs,
  withoutScheduling,
} from '../../shared/core/chat/scheduled.ts'
import { malformed, mayHaveHappened, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import { serverText } from '../../shared/core/text-length.ts'
import type { Clock } from '../base/ports.ts'
import type { Client } from '../http/client.ts'
import { placeParams } from './realm-pages.ts'

interface ScheduledParts {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  clock: Clock
  signal: AbortSignal
}

/** Schedules messages, and finds out what became of those whose request got no reply. */
export class ScheduledSync {
  readonly #parts: ScheduledParts
  /** Entries whose request is in flight. */
  readonly #underWay = new Set<string>()
  /** Messages whose text went back into the draft, to be cancelled. */
  readonly #cancelled = new Set<number>()

  constructor(parts: ScheduledParts) {
    this.#parts = parts
  }

  async read(): Promise<readonly ScheduledMessage[]> {
    const { signal } = this.#parts
    const reply = await this.#parts.client.call(
      scheduledOperations.listScheduledMessages,
      {},
      { signal },
    )
    this.#parts.update((state) =>
      withKept(state, this.#parts.accountId, (kept) =>
        readLater(reply, this.#realm()?.me?.id ?? -1, kept),
      ),
    )
    this.reconcile()
    const { scheduled, unreadable } = this.#realm()?.later ?? nothingKept
    // The one in question may be among them.
    if (unreadable.scheduled.length > 0) throw malformed('shape', 'scheduled_messages')
    return scheduled ?? []
  }

  /**
   * Schedules a message, once. Without a reply, the server's list shows whether it is there; if it
   * does not either, rejects, and `scheduling` keeps the entry.
   */
  async schedule(entry: Scheduling): Promise<ScheduledMessage> {
    const { signal, update } = this.#parts
    const { conversation, text, at } = entry
    this.#underWay.add(entry.id)
    try {
      const { scheduled_message_id: id } = await this.#parts.client.call(
        scheduledOperations.createScheduledMessage,
        {
          ...placeParams(conversation),
          content: text,
          scheduled_delivery_timestamp: at / 1_000,
          read_by_sender: true,
        },
        { signal },
      )
      update((state) => this.#withScheduled(state, entry, id))
      return { id, conversation, content: text, at, failed: false }
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      if (!mayHaveHappened(error.failure)) {
        update((state) => withoutScheduling(state, entry.id))
        throw error
      }
      const found = scheduledOf(entry, await this.read().catch(() => []))
      if (found === undefined) throw error
      update((state) => this.#withScheduled(state, entry, found.id))
      return found
    } finally {
      this.#underWay.delete(entry.id)
    }
  }

  /** Its text is in the draft again, and stays there, whenever the news come that it was scheduled. */
  cancelling(id: number, isOn: boolean): void {
    if (isOn) this.#cancelled.add(id)
    else this.#cancelled.delete(id)
  }

  /** The server has just deleted this one. */
  forget(id: number): void {
    this.#parts.update((state) =>
      withKept(state, this.#parts.accountId, ({ scheduled }) => ({
        scheduled: scheduled?.filter((one) => one.id !== id) ?? null,
      })),
    )
  }

  /** Drops entries that turned out to be scheduled, with their text, or surely never were. */
  reconcile(): void {
    const { clock, update } = this.#parts
    const { scheduled, unreadable } = this.#realm()?.later ?? nothingKept
    const isAll = unreadable.scheduled.length === 0
    for (const entry of this.#unsure()) {
      const isOver = clock.now() - entry.triedAt > surelyOverMs && clock.now() < entry.at
      const found = scheduledOf(entry, scheduled ?? [])
      if (found !== undefined) update((state) => this.#withScheduled(state, entry, found.id))
      else if (isOver && isAll) update((state) => withoutScheduling(state, entry.id))
    }
  }

  onEvents(events: readonly ChatEvent[]): void {
    if (events.some(({ type }) => type === 'scheduled')) this.reconcile()
  }

  /** Called regularly while the server answers. */
  onAlive(): void {
    const isDue = this.#unsure().some(
      ({ triedAt }) => this.#parts.clock.now() - triedAt > surelyOverMs,
    )
    // If that fails, it is read again next time.
    if (isDue) void this.read().catch(() => undefined)
  }

  #realm(): Realm | undefined {
    return this.#parts.get().realms.get(this.#parts.accountId)
  }

  /** The server has it: takes its text out of the draft, unless that has been changed. */
  #withScheduled(state: AppState, entry: Scheduling, id: number): AppState {
    const next = withoutScheduling(state, entry.id)
    if (this.#cancelled.has(id)) return next
    const typed = serverText(draftOf(state, entry))
    const left = withEndTyped(typed, serverText(entry.text), '')
    return left === typed ? next : withDraft(next, entry, left)
  }

  #unsure(): readonly Scheduling[] {
    return this.#parts
      .get()
      .scheduling.filter(
        (entry) => entry.accountId === this.#parts.accountId && !this.#underWay.has(entry.id),
      )
  }
}
