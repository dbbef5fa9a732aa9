import { presenceOperations } from '../../shared/api/chat/people-operations.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { ChatEvent } from '../../shared/core/chat/chat-event.ts'
import type { OwnStatus, StatusEnd } from '../../shared/core/chat/own-status.ts'
import type { Realm } from '../../shared/core/chat/realm.ts'
import { mayHaveHappened, RequestFailed } from '../../shared/core/failure.ts'
import { failureSentence } from '../../shared/core/failure-words.ts'
import { withEntry } from '../../shared/core/identity.ts'
import { fieldsOf } from '../../shared/core/schemas.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../base/ports.ts'
import type { Client } from '../http/client.ts'
import { longestTimerMs } from '../http/wait.ts'

interface StatusParts {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  trouble: (id: string, text: string | null) => void
  clock: Clock
  signal: AbortSignal
}

/** Clears the user's own status at its end: the service has no such end. */
export class StatusClearing {
  readonly #parts: StatusParts
  #timer: ReturnType<typeof setTimeout> | undefined
  #isBusy = false

  constructor(parts: StatusParts) {
    this.#parts = parts
    const { signal } = parts
    signal.addEventListener('abort', () => clearTimeout(this.#timer))
  }

  onEvents(events: readonly ChatEvent[]): void {
    if (events.some(({ type }) => type === 'ownStatus')) this.#check()
  }

  /** A status that was changed elsewhere no longer has an end. */
  #check(): void {
    const ending = this.#end()
    if (ending === undefined || this.#isBusy) return
    this.#isBusy = true
    this.#clear(ending)
      .catch((error: unknown) => {
        // Anything else is retried when the server is next heard from.
        if (!(error instanceof RequestFailed) || error.failure.kind !== 'refused') return
        this.#keep(null)
        this.#parts.trouble(
          `status/${this.#parts.accountId}`,
          `Your status “${ending.text}” could not be cleared when it ended. ${failureSentence(error.failure)}`,
        )
      })
      .finally(() => {
        this.#isBusy = false
      })
  }

  async set({ text, emoji }: OwnStatus, until: number | null): Promise<void> {
    const { signal } = this.#parts
    const before = this.#end() ?? null
    this.#isBusy = true
    // Before the request, so that the end is known even if the program ends right after it.
    this.#keep(until === null ? null : { text, emoji: emoji?.code ?? null, until })
    const face =
      emoji === null
        ? { emoji_name: '' }
        : {
            emoji_name: emoji.name,
            emoji_code: emoji.code,
            reaction_type: emoji.type ?? 'unicode_emoji',
          }
    try {
      await this.#parts.client.call(
        presenceOperations.setOwnStatus,
        { status_text: text, ...face },
        { signal },
      )
    } catch (error) {
      if (error instanceof RequestFailed && !mayHaveHappened(error.failure)) this.#keep(before)
      throw error
    } finally {
      this.#isBusy = false
    }
  }

  /** Clears it if it is time, else waits for that. */
  look(): void {
    const { until } = this.#end() ?? {}
    if (until === undefined) return
    if (this.#parts.clock.now() >= until) this.#check()
    else this.#plan()
  }

  #realm(): Realm | undefined {
    return this.#parts.get().realms.get(this.#parts.accountId)
  }

  #end(): StatusEnd | undefined {
    return this.#parts.get().statusEnds.get(this.#parts.accountId)
  }

  #keep(next: StatusEnd | null): void {
    this.#parts.update((state) => ({
      ...state,
      statusEnds: withEntry(state.statusEnds, this.#parts.accountId, next),
    }))
    this.#plan()
  }

  #plan(): void {
    clearTimeout(this.#timer)
    const { until } = this.#end() ?? {}
    if (until === undefined || this.#parts.signal.aborted) return
    this.#timer = setTimeout(
      () => this.look(),
      Math.min(Math.max(0, until - this.#parts.clock.now()), longestTimerMs),
    )
  }

  async #clear(ending: StatusEnd): Promise<void> {
    const { client, signal } = this.#parts
    const me = this.#realm()?.me?.id
    if (me === undefined) return
    const { status } = await client.call(
      presenceOperations.getUserStatus,
      { user_id: me },
      { signal },
    )
    const { status_text: text = '', emoji_code: emoji } = fieldsOf(status)
    const isSame = text === ending.text && (emoji || null) === ending.emoji
    if (this.#end() !== ending || (isSame && this.#parts.clock.now() < ending.until)) return
    if (isSame)
      await client.call(
        presenceOperations.setOwnStatus,
        { status_text: '', emoji_name: '' },
        { signal },
      )
    if (this.#end() === ending) this.#keep(null)
  }
}
