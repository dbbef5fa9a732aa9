import { reminderOperations } from '../../shared/api/chat/message-operations.ts'
import { readLater } from '../../shared/api/chat/read-later.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { ServerReminder } from '../../shared/core/chat/kept-for-later.ts'
import type { Realm } from '../../shared/core/chat/realm.ts'
import { withKept } from '../../shared/core/chat/realm-update.ts'
import { surelyOverMs } from '../../shared/core/chat/scheduled.ts'
import { mayHaveHappened, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../base/ports.ts'
import type { Client } from '../http/client.ts'

interface Parts {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  clock: Clock
  signal: AbortSignal
}

/** A request that got no answer. */
interface Unsure {
  readonly triedAt: number
  readonly error: RequestFailed
  /** The time that was asked for. */
  readonly at: number
  /** Ids of the reminders that there were before, which can't be its own. */
  readonly known: readonly number[]
}

/** Has the server remind of messages: of each once, at the time that was asked for last. */
export class ServerReminders {
  readonly #parts: Parts
  /** By message. */
  readonly #unsure = new Map<number, Unsure>()
  /** What was set here last, by message: its event may come later. */
  readonly #set = new Map<number, Pick<ServerReminder, 'id' | 'at' | 'note'>>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Resolves with the new reminder's id, the earlier ones of the same message that were removed, and
   * whether one could not be. Rejects if there is none, or if that can't be determined: `mayHaveHappened`.
   */
  set(messageId: number, at: number) {
    // One after the other: each replaces the one before.
    const done = this.#last.then(() => this.#setNext(messageId, Math.ceil(at / 1_000) * 1_000))
    this.#last = done.catch(() => undefined)
    return done
  }

  async #setNext(messageId: number, at: number) {
    await this.#demandSettled(messageId)
    const listed = this.#of(messageId)
    const note = listed.find((one) => one.note)?.note ?? ''
    const earlier = new Map(
      [listed, this.#set.get(messageId) ?? []].flat().map((one) => [one.id, one]),
    )
    const id = await this.#create(messageId, at, note, [...earlier.keys()])
    this.#set.set(messageId, { id, at, note })
    // A note that the new one doesn't have was typed, and must not go.
    const outdated = [...earlier.values()].filter((one) => one.note === '' || one.note === note)
    const ends = await Promise.all(outdated.map((one) => this.#remove(one.id)))
    const replaced = outdated.filter((_one, index) => ends[index] === 'removed')
    return {
      id,
      // One with a note that can't be read may be the earlier one.
      isEarlierLeft:
        ends.includes('left') || [...earlier.values()].some((one) => one.note === null),
      replaced: replaced.map((one) => ({
        by: 'server' as const,
        at: one.at,
        note: one.note ?? '',
      })),
    }
  }

  async #create(
    messageId: number,
    at: number,
    note: string,
    known: readonly number[],
  ): Promise<number> {
    const { client, signal, clock } = this.#parts
    const triedAt = clock.now()
    try {
      const asked = {
        message_id: messageId,
        scheduled_delivery_timestamp: at / 1_000,
        ...(note === '' ? {} : { note }),
      }
      return (await client.call(reminderOperations.createReminder, asked, { signal })).reminder_id
    } catch (error) {
      if (!(error instanceof RequestFailed) || !mayHaveHappened(error.failure)) throw error
      const unsure = { triedAt, error, at, known }
      this.#unsure.set(messageId, unsure)
      const found = (await this.#read().catch(() => false)) && this.#found(messageId, unsure)
      if (!found) throw error
      this.#unsure.delete(messageId)
      return found.id
    }
  }

  /** Throws its error if a request of before may still set a reminder, which nothing would replace. */
  async #demandSettled(messageId: number): Promise<void> {
    const unsure = this.#unsure.get(messageId)
    if (unsure === undefined) return
    const isRead = await this.#read().catch(() => false)
    const isOver = this.#parts.clock.now() - unsure.triedAt > surelyOverMs
    if (!isRead || (!isOver && this.#found(messageId, unsure) === undefined)) throw unsure.error
    this.#unsure.delete(messageId)
  }

  async #read(): Promise<true> {
    const { accountId, client, signal, update } = this.#parts
    const before = this.#realm()?.later.reminders
    const reply = await client.call(reminderOperations.listReminders, {}, { signal })
    // An event came meanwhile, which may be newer than the list.
    if (this.#realm()?.later.reminders !== before) return this.#read()
    update((state) =>
      withKept(state, accountId, (kept) => readLater(reply, this.#realm()?.me?.id ?? -1, kept)),
    )
    return true
  }

  async #remove(id: number): Promise<'removed' | 'gone' | 'left'> {
    const { client, signal } = this.#parts
    try {
      await client.call(reminderOperations.deleteReminder, { reminder_id: id }, { signal })
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      // Refused: it came or was removed meanwhile.
      return error.failure.kind === 'refused' ? 'gone' : 'left'
    }
    return 'removed'
  }

  #found(messageId: number, { at, known }: Unsure): ServerReminder | undefined {
    return this.#of(messageId).find((one) => one.at === at && !known.includes(one.id))
  }

  #of(messageId: number): readonly ServerReminder[] {
    return (this.#realm()?.later.reminders ?? []).filter((one) => one.messageId === messageId)
  }

  #realm(): Realm | undefined {
    return this.#parts.get().realms.get(this.#parts.accountId)
  }
}
