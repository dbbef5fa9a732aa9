import { draftOperations } from '../../shared/api/chat/message-operations.ts'
import { readLater } from '../../shared/api/chat/read-later.ts'
import type { ParamsOf } from '../../shared/api/operation.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { ChatEvent } from '../../shared/core/chat/chat-event.ts'
import {
  type DraftLink,
  type KeyedRequest,
  lacksLinked,
  withMergedDrafts,
  withoutDraftLinks,
} from '../../shared/core/chat/drafts.ts'
import { type KeptForLater, nothingKept } from '../../shared/core/chat/kept-for-later.ts'
import type { Realm } from '../../shared/core/chat/realm.ts'
import { withKept } from '../../shared/core/chat/realm-update.ts'
import {
  type Failure,
  malformed,
  mayHaveHappened,
  RequestFailed,
} from '../../shared/core/failure.ts'
import { withEntry } from '../../shared/core/identity.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Client } from '../http/client.ts'
import { placeParams } from './realm-pages.ts'

/** Drafts go to the server this long after their first change. */
const pauseMs = 4_000
const retryMs = 30_000

interface DraftParts {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  persist: (name: 'draftLinks') => Promise<void>
  onBug: (error: unknown) => void
  signal: AbortSignal
}

/** Syncs drafts in both directions, one round of requests at a time. */
export class DraftSync {
  readonly #parts: DraftParts
  /** The server's drafts as they were last merged. */
  readonly #seen = new Map<number, string>()
  /** Requests that the server refused, by draft: they are not repeated. */
  readonly #refused = new Map<string, string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Unsent texts when they were last looked at. */
  #known: ReadonlyMap<string, string>
  #isRunning = false
  #isDue = false
  /** The server's list may no longer be the one we know. */
  #isOld = false

  constructor(parts: DraftParts) {
    this.#parts = parts
    const { get, signal } = parts
    this.#known = get().drafts
    signal.addEventListener('abort', () => clearTimeout(this.#timer))
  }

  /** After a registration. */
  onSnapshot(): void {
    this.#refused.clear()
    void this.#run()
  }

  onEvents(events: readonly ChatEvent[]): void {
    const { drafts, unreadable } = this.#realm()?.later ?? nothingKept
    const there = new Map(drafts?.map(({ id, content }) => [id, content]))
    const isNews = events.some(
      (event) =>
        event.type === 'serverDrafts' &&
        event.drafts.some(
          ({ id, text }) => unreadable.drafts.includes(id) || (there.get(id) ?? null) !== text,
        ),
    )
    const isOff = events.some((one) => one.type === 'settings' && one.change.syncsDrafts === false)
    // The server dropped its drafts without an event, even if the setting is on again by now.
    if (isOff) this.#parts.update((state) => withoutDraftLinks(state, this.#parts.accountId))
    if (isNews || isOff) this.#isOld = true
    if (isNews || events.some(({ type }) => type === 'settings')) void this.#run()
  }

  /** To be called when an unsent text may have changed. */
  changed(): void {
    if (this.#parts.get().drafts === this.#known) return
    this.#known = this.#parts.get().drafts
    this.#plan(pauseMs)
  }

  #realm(): Realm | undefined {
    return this.#parts.get().realms.get(this.#parts.accountId)
  }

  #changeKept(change: (kept: KeptForLater) => Partial<KeptForLater>): void {
    this.#parts.update((state) => withKept(state, this.#parts.accountId, change))
  }

  #plan(ms: number): void {
    if (this.#parts.signal.aborted) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#run()
    }, ms)
  }

  async #run(): Promise<void> {
    this.#isDue = true
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      while (this.#isDue) {
        this.#isDue = false
        await this.#round()
      }
    } catch (error) {
      if (this.#parts.signal.aborted) return
      if (!(error instanceof RequestFailed)) this.#parts.onBug(error)
      this.#isOld = true
      this.#plan(retryMs)
    } finally {
      this.#isRunning = false
    }
  }

  async #round(): Promise<void> {
    const { accountId, get } = this.#parts
    const now = this.#realm()
    if (now?.phase !== 'live' || now.later.drafts === null) return
    if (!now.settings.syncsDrafts) {
      // The server has deleted its drafts; ours stay.
      this.#parts.update((state) => withoutDraftLinks(state, accountId))
      return
    }
    if (this.#isOld || lacksLinked(get(), accountId)) await this.#read()
    if (this.#merge().length === 0) return
    // So as not to overwrite what another device has just written.
    await this.#read()
    // Not for a text that was sent or deleted during earlier requests: it would come back some day.
    for (const one of this.#merge())
      if (one.request.does !== 'create' || get().draftLinks.has(one.key)) await this.#request(one)
  }

  async #read(isAgain = false): Promise<void> {
    const { signal } = this.#parts
    this.#isOld = false
    const options = { signal, priority: 'background' } as const
    const reply = await this.#parts.client.call(draftOperations.listDrafts, {}, options)
    this.#changeKept((later) => readLater(reply, this.#realm()?.me?.id ?? -1, later))
    if (!lacksLinked(this.#parts.get(), this.#parts.accountId)) return
    // A draft that can't be read is not gone, and one without an id may be any of them.
    if (this.#realm()?.later.unreadable.drafts.includes(null)) throw malformed('shape', 'drafts')
    // If a draft is gone, its text goes as well: a single list is not enough for that.
    if (!isAgain) await this.#read(true)
  }

  #merge(): readonly KeyedRequest[] {
    let requests: readonly KeyedRequest[] = []
    this.#parts.update((state) => {
      const now = state.realms.get(this.#parts.accountId)
      if (now === undefined) return state
      const merged = withMergedDrafts(
        state,
        now,
        ({ id, content }) => this.#seen.get(id) !== content,
      )
      requests = merged.requests
      return merged.state
    })
    for (const { id, content } of this.#realm()?.later.drafts ?? []) this.#seen.set(id, content)
    return requests.filter((one) => this.#refused.get(one.key) !== JSON.stringify(one.request))
  }

  #link(key: string, change: (link: DraftLink) => DraftLink | null): void {
    this.#parts.update((state) => {
      const before = state.draftLinks.get(key)
      if (before === undefined) return state
      return { ...state, draftLinks: withEntry(state.draftLinks, key, change(before)) }
    })
  }

  async #request({ key, conversation, request: asked }: KeyedRequest): Promise<void> {
    const { client, signal } = this.#parts
    const text = asked.does === 'delete' ? '' : asked.text
    this.#link(key, (before) => ({ ...before, sent: text }))
    // After a restart, our own text on the server must not be taken for another device's.
    await this.#parts.persist('draftLinks').catch(() => undefined)
    try {
      const { type, to, topic = '' } = { topic: undefined, ...placeParams(conversation) }
      const draft = { type, to: [to].flat(), topic, content: text }
      const id = asked.does === 'create' ? await this.#create([draft]) : asked.id
      if (asked.does === 'edit')
        await client.call(draftOperations.editDraft, { draft_id: id, draft }, { signal })
      if (asked.does === 'delete')
        await client.call(draftOperations.deleteDraft, { draft_id: id }, { signal })
      const put = text === '' ? [] : [{ id, conversation, content: text, editedAt: Date.now() }]
      if (text === '') this.#seen.delete(id)
      else this.#seen.set(id, text)
      this.#changeKept(({ drafts, refused: others }) => ({
        drafts: [...(drafts ?? []).filter((one) => one.id !== id), ...put],
        refused: others.filter((one) => one.key !== key),
      }))
      this.#link(key, (before) => (text === '' ? null : { ...before, id, base: text, sent: null }))
    } catch (error) {
      if (!(error instanceof RequestFailed) || mayHaveHappened(error.failure)) throw error
      this.#link(key, (before) => ({ ...before, sent: null }))
      if (error.failure.kind !== 'refused') throw error
      this.#refuse(key, asked, error.failure)
    }
  }

  async #create(drafts: ParamsOf<typeof draftOperations.createDrafts>['drafts']) {
    const { signal } = this.#parts
    const [id] = (
      await this.#parts.client.call(draftOperations.createDrafts, { drafts }, { signal })
    ).ids
    if (id === undefined) throw malformed('shape', 'ids.0')
    return id
  }

  #refuse(key: string, asked: KeyedRequest['request'], failure: Failure): void {
    this.#refused.set(key, JSON.stringify(asked))
    // Most likely just deleted elsewhere.
    if (failure.kind === 'refused' && failure.httpStatus === 404) {
      this.#isOld = this.#isDue = true
      return
    }
    this.#changeKept((later) => ({
      refused: [...later.refused.filter((one) => one.key !== key), { key, failure }],
    }))
  }
}
