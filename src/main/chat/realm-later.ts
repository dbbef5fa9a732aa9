import { draftOperations, scheduledOperations } from '../../shared/api/chat/message-operations.ts'
import { presenceOperations } from '../../shared/api/chat/people-operations.ts'
import { readLater } from '../../shared/api/chat/read-later.ts'
import type { ParamsOf } from '../../shared/api/operation.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { ChatEvent } from '../../shared/core/chat/chat-event.ts'
import {
  type DraftLink,
  draftKey,
  type KeyedRequest,
  lacksLinked,
  withDraft,
  withMergedDrafts,
  withoutDraftLinks,
} from '../../shared/core/chat/drafts.ts'
import {
  type KeptForLater,
  nothingKept,
  type ScheduledMessage,
} from '../../shared/core/chat/kept-for-later.ts'
import { withServerPlaces } from '../../shared/core/chat/moved-places.ts'
import type { OwnStatus, StatusEnd } from '../../shared/core/chat/own-status.ts'
import type { Realm } from '../../shared/core/chat/realm.ts'
import { changeRealm } from '../../shared/core/chat/realm-update.ts'
import {
  type Scheduling,
  scheduledOf,
  surelyOverMs,
  withoutScheduling,
} from '../../shared/core/chat/scheduled.ts'
import {
  type Failure,
  malformed,
  mayHaveHappened,
  RequestFailed,
} from '../../shared/core/failure.ts'
import { failureSentence } from '../../shared/core/failure-words.ts'
import { withEntry } from '../../shared/core/identity.ts'
import { fieldsOf } from '../../shared/core/schemas.ts'
import type { AppState } from '../../shared/core/state.ts'
import { serverText } from '../../shared/core/text-length.ts'
import type { Clock } from '../base/ports.ts'
import type { Client } from '../http/client.ts'
import { longestTimerMs } from '../http/wait.ts'
import { placeParams } from './realm-pages.ts'

/** Drafts go to the server this long after their first change. */
const pauseMs = 4_000
const retryMs = 30_000

/** Syncs drafts and scheduled messages with the server, and ends the user's status. */
export function createRealmLater(parts: {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  trouble: (id: string, text: string | null) => void
  onBug: (error: unknown) => void
  persist: (name: 'draftLinks') => Promise<void>
  clock: Clock
  signal: AbortSignal
}) {
  const { accountId, client, get, update, clock, signal } = parts
  const realm = (): Realm | undefined => get().realms.get(accountId)
  const changeLater = (change: (later: KeptForLater) => Partial<KeptForLater>): void =>
    update((state) =>
      changeRealm(state, accountId, (before) => ({
        ...before,
        later: withServerPlaces(before, { ...before.later, ...change(before.later) }),
      })),
    )
  const drafts = followDrafts({ ...parts, realm, changeLater })
  const status = followStatus({ ...parts, realm })
  /** Entries whose request is in flight. */
  const underWay = new Set<string>()

  const unsure = (): readonly Scheduling[] =>
    get().scheduling.filter((entry) => entry.accountId === accountId && !underWay.has(entry.id))

  /** Drops entries that turned out to be scheduled, with their text, or surely never were. */
  function reconcileScheduled(): void {
    const { scheduled, unreadable } = realm()?.later ?? nothingKept
    const isAll = unreadable.scheduled.length === 0
    for (const entry of unsure()) {
      const isOver = clock.now() - entry.triedAt > surelyOverMs && clock.now() < entry.at
      const isThere = scheduledOf(entry, scheduled ?? []) !== undefined
      if (isThere) update((state) => withScheduled(state, entry))
      else if (isOver && isAll) update((state) => withoutScheduling(state, entry.id))
    }
  }

  async function readScheduled(): Promise<readonly ScheduledMessage[]> {
    const reply = await client.call(scheduledOperations.listScheduledMessages, {}, { signal })
    changeLater((later) => readLater(reply, realm()?.me?.id ?? -1, later))
    reconcileScheduled()
    const { scheduled, unreadable } = realm()?.later ?? nothingKept
    // The one in question may be among them.
    if (unreadable.scheduled.length > 0) throw malformed('shape', 'scheduled_messages')
    return scheduled ?? []
  }

  /**
   * Schedules a message, once. Without a reply, the server's list shows whether it is there; if it
   * does not either, rejects, and `scheduling` keeps the entry.
   */
  async function schedule(entry: Scheduling): Promise<ScheduledMessage> {
    const { conversation, text, at } = entry
    underWay.add(entry.id)
    try {
      const { scheduled_message_id: id } = await client.call(
        scheduledOperations.createScheduledMessage,
        {
          ...placeParams(conversation),
          content: text,
          scheduled_delivery_timestamp: at / 1_000,
          read_by_sender: true,
        },
        { signal },
      )
      update((state) => withScheduled(state, entry))
      return { id, conversation, content: text, at, failed: false }
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      if (!mayHaveHappened(error.failure)) {
        update((state) => withoutScheduling(state, entry.id))
        throw error
      }
      const found = scheduledOf(entry, await readScheduled().catch(() => []))
      if (found === undefined) throw error
      update((state) => withScheduled(state, entry))
      return found
    } finally {
      underWay.delete(entry.id)
    }
  }

  return {
    /** After a registration, which brings all lists. */
    onSnapshot() {
      reconcileScheduled()
      drafts.onSnapshot()
      status.look()
    },
    onEvents(events: readonly ChatEvent[]) {
      drafts.onEvents(events)
      if (events.some(({ type }) => type === 'scheduled')) reconcileScheduled()
      if (events.some(({ type }) => type === 'ownStatus')) status.check()
    },
    /** Called regularly while the server answers. */
    onAlive() {
      status.look()
      const isDue = unsure().some(({ triedAt }) => clock.now() - triedAt > surelyOverMs)
      // If that fails, it is read again next time.
      if (isDue) void readScheduled().catch(() => undefined)
    },
    /** Unsent texts may have changed. */
    draftsChanged: drafts.changed,
    schedule,
    readScheduled,
    setStatus: status.set,
  }
}

/** The server has it: clears its text from the draft, unless that has been changed. */
function withScheduled(state: AppState, entry: Scheduling): AppState {
  const key = draftKey(entry.accountId, entry.conversation)
  const isSame = serverText(state.drafts.get(key) ?? '') === serverText(entry.text)
  const next = withoutScheduling(state, entry.id)
  return isSame ? withDraft(next, entry, '') : next
}

/** Syncs drafts in both directions, one round of requests at a time. */
function followDrafts(
  parts: Parameters<typeof createRealmLater>[0] & {
    realm: () => Realm | undefined
    changeLater: (change: (later: KeptForLater) => Partial<KeptForLater>) => void
  },
) {
  const { accountId, client, get, update, signal, realm, changeLater } = parts
  /** The server's drafts as they were last merged. */
  const seen = new Map<number, string>()
  /** Requests that the server refused, by draft: they are not repeated. */
  const refused = new Map<string, string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let known = get().drafts
  let isRunning = false
  let isDue = false
  /** The server's list may no longer be the one we know. */
  let isOld = false
  signal.addEventListener('abort', () => clearTimeout(timer))

  function plan(ms: number): void {
    if (signal.aborted) return
    timer ??= setTimeout(() => {
      timer = undefined
      void run()
    }, ms)
  }

  async function run(): Promise<void> {
    isDue = true
    if (isRunning) return
    isRunning = true
    try {
      while (isDue) {
        isDue = false
        await round()
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof RequestFailed)) parts.onBug(error)
      isOld = true
      plan(retryMs)
    } finally {
      isRunning = false
    }
  }

  async function round(): Promise<void> {
    const now = realm()
    if (now?.phase !== 'live' || now.later.drafts === null) return
    if (!now.settings.syncsDrafts) {
      // The server has deleted its drafts; ours stay.
      update((state) => withoutDraftLinks(state, accountId))
      return
    }
    if (isOld || lacksLinked(get(), accountId)) await read()
    if (merge().length === 0) return
    // So as not to overwrite what another device has just written.
    await read()
    // Not for a text that was sent or deleted during earlier requests: it would come back some day.
    for (const one of merge())
      if (one.request.does !== 'create' || get().draftLinks.has(one.key)) await request(one)
  }

  async function read(isAgain = false): Promise<void> {
    isOld = false
    const options = { signal, priority: 'background' } as const
    const reply = await client.call(draftOperations.listDrafts, {}, options)
    changeLater((later) => readLater(reply, realm()?.me?.id ?? -1, later))
    if (!lacksLinked(get(), accountId)) return
    // A draft that can't be read is not gone, and one without an id may be any of them.
    if (realm()?.later.unreadable.drafts.includes(null)) throw malformed('shape', 'drafts')
    // If a draft is gone, its text goes as well: a single list is not enough for that.
    if (!isAgain) await read(true)
  }

  function merge(): readonly KeyedRequest[] {
    let requests: readonly KeyedRequest[] = []
    update((state) => {
      const now = state.realms.get(accountId)
      if (now === undefined) return state
      const merged = withMergedDrafts(state, now, ({ id, content }) => seen.get(id) !== content)
      requests = merged.requests
      return merged.state
    })
    for (const { id, content } of realm()?.later.drafts ?? []) seen.set(id, content)
    return requests.filter((one) => refused.get(one.key) !== JSON.stringify(one.request))
  }

  function link(key: string, change: (link: DraftLink) => DraftLink | null): void {
    update((state) => {
      const before = state.draftLinks.get(key)
      if (before === undefined) return state
      return { ...state, draftLinks: withEntry(state.draftLinks, key, change(before)) }
    })
  }

  async function request({ key, conversation, request: asked }: KeyedRequest): Promise<void> {
    const text = asked.does === 'delete' ? '' : asked.text
    link(key, (before) => ({ ...before, sent: text }))
    // After a restart, our own text on the server must not be taken for another device's.
    await parts.persist('draftLinks').catch(() => undefined)
    try {
      const { type, to, topic = '' } = { topic: undefined, ...placeParams(conversation) }
      const draft = { type, to: [to].flat(), topic, content: text }
      const id = asked.does === 'create' ? await create([draft]) : asked.id
      if (asked.does === 'edit')
        await client.call(draftOperations.editDraft, { draft_id: id, draft }, { signal })
      if (asked.does === 'delete')
        await client.call(draftOperations.deleteDraft, { draft_id: id }, { signal })
      const put = text === '' ? [] : [{ id, conversation, content: text, editedAt: Date.now() }]
      if (text === '') seen.delete(id)
      else seen.set(id, text)
      changeLater(({ drafts, refused: others }) => ({
        drafts: [...(drafts ?? []).filter((one) => one.id !== id), ...put],
        refused: others.filter((one) => one.key !== key),
      }))
      link(key, (before) => (text === '' ? null : { ...before, id, base: text, sent: null }))
    } catch (error) {
      if (!(error instanceof RequestFailed) || mayHaveHappened(error.failure)) throw error
      link(key, (before) => ({ ...before, sent: null }))
      if (error.failure.kind !== 'refused') throw error
      refuse(key, asked, error.failure)
    }
  }

  async function create(drafts: ParamsOf<typeof draftOperations.createDrafts>['drafts']) {
    const [id] = (await client.call(draftOperations.createDrafts, { drafts }, { signal })).ids
    if (id === undefined) throw malformed('shape', 'ids.0')
    return id
  }

  function refuse(key: string, asked: KeyedRequest['request'], failure: Failure): void {
    refused.set(key, JSON.stringify(asked))
    // Most likely just deleted elsewhere.
    if (failure.kind === 'refused' && failure.httpStatus === 404) {
      isOld = isDue = true
      return
    }
    changeLater((later) => ({
      refused: [...later.refused.filter((one) => one.key !== key), { key, failure }],
    }))
  }

  return {
    onSnapshot() {
      refused.clear()
      void run()
    },
    onEvents(events: readonly ChatEvent[]) {
      const { drafts, unreadable } = realm()?.later ?? nothingKept
      const there = new Map(drafts?.map(({ id, content }) => [id, content]))
      const isNews = events.some(
        (event) =>
          event.type === 'serverDrafts' &&
          event.drafts.some(
            ({ id, text }) => unreadable.drafts.includes(id) || (there.get(id) ?? null) !== text,
          ),
      )
      const isOff = events.some(
        (one) => one.type === 'settings' && one.change.syncsDrafts === false,
      )
      // The server dropped its drafts without an event, even if the setting is on again by now.
      if (isOff) update((state) => withoutDraftLinks(state, accountId))
      if (isNews || isOff) isOld = true
      if (isNews || events.some(({ type }) => type === 'settings')) void run()
    },
    changed() {
      if (get().drafts === known) return
      known = get().drafts
      plan(pauseMs)
    },
  }
}

/** Clears the user's own status at its end: the service has no such end. */
function followStatus(
  parts: Omit<Parameters<typeof createRealmLater>[0], 'onBug'> & { realm: () => Realm | undefined },
) {
  const { accountId, client, get, update, clock, signal, realm } = parts
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBusy = false
  const end = (): StatusEnd | undefined => get().statusEnds.get(accountId)
  const keep = (next: StatusEnd | null): void => {
    update((state) => ({ ...state, statusEnds: withEntry(state.statusEnds, accountId, next) }))
    plan()
  }
  signal.addEventListener('abort', () => clearTimeout(timer))

  function plan(): void {
    clearTimeout(timer)
    const { until } = end() ?? {}
    if (until === undefined || signal.aborted) return
    timer = setTimeout(look, Math.min(Math.max(0, until - clock.now()), longestTimerMs))
  }

  function look(): void {
    const { until } = end() ?? {}
    if (until === undefined) return
    if (clock.now() >= until) check()
    else plan()
  }

  /** A status that was changed elsewhere no longer has an end. */
  async function clear(ending: StatusEnd): Promise<void> {
    const me = realm()?.me?.id
    if (me === undefined) return
    const { status } = await client.call(
      presenceOperations.getUserStatus,
      { user_id: me },
      { signal },
    )
    const { status_text: text = '', emoji_code: emoji } = fieldsOf(status)
    const isSame = text === ending.text && (emoji || null) === ending.emoji
    if (end() !== ending || (isSame && clock.now() < ending.until)) return
    if (isSame)
      await client.call(
        presenceOperations.setOwnStatus,
        { status_text: '', emoji_name: '' },
        { signal },
      )
    if (end() === ending) keep(null)
  }

  function check(): void {
    const ending = end()
    if (ending === undefined || isBusy) return
    isBusy = true
    clear(ending)
      .catch((error: unknown) => {
        // Anything else is retried when the server is next heard from.
        if (!(error instanceof RequestFailed) || error.failure.kind !== 'refused') return
        keep(null)
        parts.trouble(
          `status/${accountId}`,
          `Your status “${ending.text}” could not be cleared when it ended. ${failureSentence(error.failure)}`,
        )
      })
      .finally(() => {
        isBusy = false
      })
  }

  return {
    look,
    check,
    async set({ text, emoji }: OwnStatus, until: number | null): Promise<void> {
      const before = end() ?? null
      isBusy = true
      // Before the request, so that the end is known even if the program ends right after it.
      keep(until === null ? null : { text, emoji: emoji?.code ?? null, until })
      const face =
        emoji === null
          ? { emoji_name: '' }
          : {
              emoji_name: emoji.name,
              emoji_code: emoji.code,
              reaction_type: emoji.type ?? 'unicode_emoji',
            }
      try {
        await client.call(
          presenceOperations.setOwnStatus,
          { status_text: text, ...face },
          { signal },
        )
      } catch (error) {
        if (error instanceof RequestFailed && !mayHaveHappened(error.failure)) keep(before)
        throw error
      } finally {
        isBusy = false
      }
    },
  }
}
