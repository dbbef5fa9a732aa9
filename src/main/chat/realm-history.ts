import type { CommandInput } from '../../shared/command-inputs.ts'
import type { AccountId } from '../../shared/core/account.ts'
import {
  missedChanges,
  noticedMessages,
  withNoticesFollowing,
} from '../../shared/core/attention/notices-follow.ts'
import {
  type ChatEvent,
  messageIdsOf,
  type RealmSnapshot,
} from '../../shared/core/chat/chat-event.ts'
import {
  type FetchedPart,
  messagesSince,
  withFetchedHistory,
  withFetchedPart,
} from '../../shared/core/chat/chat-history.ts'
import {
  type Conversation,
  type ConversationKey,
  conversationKey,
} from '../../shared/core/chat/conversation.ts'
import type { Message } from '../../shared/core/chat/message.ts'
import {
  allMessages,
  hasMessage,
  type MessageList,
  messageOf,
  noMessages,
} from '../../shared/core/chat/message-list.ts'
import { withoutAnswered } from '../../shared/core/chat/outbox.ts'
import { mustFetch, type Realm } from '../../shared/core/chat/realm.ts'
import {
  changeRealm,
  withConversation,
  withFlagsOf,
  withMessages,
  withNotified,
} from '../../shared/core/chat/realm-update.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Client } from '../http/client.ts'
import type { Priority } from '../http/rate-limit.ts'
import { fetchMissed } from './missed-messages.ts'
import {
  type BracketedPage,
  createRealmPages,
  type FetchedPage,
  narrowOf,
  ownNarrowOf,
  pageBefore,
  type RealmPages,
} from './realm-pages.ts'
import { markedParts } from './search-excerpt.ts'

/** Messages fetched when a conversation is opened, and with each step back. */
const pageSize = 100
/** Matches of one search request. */
const searchSize = 50
/** Recent messages of all conversations, for the list, fetched after each registration. */
const recentSize = 200
/** Unread messages whose flags are fetched in one request. */
const flagsPageSize = 1_000
/** Ids that fit into a request's URL. */
export const mostAsked = 200
/** How many message ids before the last notified one the catch-up begins. */
const overlap = 50

interface RealmHistoryParts {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  /** Applies a change that brings messages, and drops the outbox entries that they came from. */
  onMessages: (
    change: (state: AppState) => AppState,
    arrived: readonly { readonly message: Message; readonly localId: string | null }[],
  ) => void
  signal: AbortSignal
}

/** Everything that fetches messages by request, not by event. */
export class RealmHistory {
  readonly #parts: RealmHistoryParts
  readonly #pages: RealmPages
  /** Held since before the last registration, or from unsubscribed channels; no event since. */
  readonly #stale = new Set<number>()

  constructor(parts: RealmHistoryParts) {
    this.#parts = parts
    const { client, signal } = parts
    this.#pages = createRealmPages({ client, me: () => this.#realm()?.me?.id ?? -1, signal })
  }

  /** Fetches the newest messages, or those before the oldest loaded. Rejects with `RequestFailed`. */
  async load(conversation: Conversation, older: boolean, priority: Priority): Promise<void> {
    const oldest = older ? oldestLoaded(this.#realm(), conversationKey(conversation)) : null
    if (!older)
      this.#parts.update(
        this.#changing((before) =>
          withConversation(before, conversation, { history: 'loading', failure: null }),
        ),
      )
    try {
      const narrow = narrowOf(conversation)
      const wanted = { ...pageBefore(oldest, pageSize), narrow }
      const page = await this.#pages.bracketed(wanted, this.#parts.signal, priority)
      const history = {
        messages: page.messages,
        newest: oldest === null,
        oldest: page.foundOldest,
        before: oldest,
        stale: new Set(this.#stale),
      }
      this.#note(page.messages, conversation)
      this.#bring(page.messages, (before) =>
        withFetchedHistory(before, conversation, history, page.since),
      )
    } catch (error) {
      const failure = error instanceof RequestFailed ? error.failure : null
      const history = older ? {} : { history: 'none' as const }
      this.#parts.update(
        this.#changing((before) => withConversation(before, conversation, { ...history, failure })),
      )
      throw error
    }
  }

  /** Loads what is missing in a conversation's gap, from one of its edges on. */
  async loadGap(conversation: Conversation, from: 'after' | 'before'): Promise<void> {
    const gap = this.#realm()?.conversations.get(conversationKey(conversation))?.gap
    if (gap == null) return
    await this.#loadPart(
      conversation,
      from === 'after' ? { after: gap.after } : { before: gap.before },
    )
  }

  /**
   * Loads a message with those around it, wherever it is by now, and returns its conversation; null
   * if there is no such message. At most three requests.
   */
  async show(expected: Conversation | null, id: number): Promise<Conversation | null> {
    const known = messageOf(this.#loaded(), id)
    if (known !== undefined) return known.conversation
    const found = (await this.#pages.getMessage(id))?.conversation ?? null
    const now = found ?? expected
    if (now === null) return null
    if (this.#realm()?.conversations.get(conversationKey(now))?.history !== 'recent')
      await this.load(now, false, 'interactive')
    if (!hasMessage(this.#loaded(), id)) await this.#loadPart(now, { around: id })
    return messageOf(this.#loaded(), id)?.conversation ?? found
  }

  /** Matching messages of all conversations, which are not kept. Rejects with `RequestFailed`. */
  async search({ terms, near, before }: Omit<CommandInput<'searchMessages'>, 'accountId'>) {
    const half = searchSize / 2
    const { messages, foundOldest } = await this.#pages.getMessages(
      {
        ...(near !== null && before === null
          ? { anchor: near, num_before: half, num_after: half }
          : pageBefore(before, searchSize)),
        narrow: terms.map(({ operand, ...term }) => ({
          ...term,
          operand: typeof operand === 'object' ? [...operand] : operand,
        })),
      },
      this.#parts.signal,
      'interactive',
    )
    const hits = messages.map(({ id, html, ...message }) => ({
      messageId: id,
      conversation: message.conversation,
      senderId: message.senderId,
      senderName: message.senderName,
      sentAt: message.sentAt,
      parts: markedParts(html),
    }))
    return { hits, isComplete: foundOldest }
  }

  /** Like `load`, but a failed request is only shown with the conversation. */
  async reload(conversation: Conversation): Promise<void> {
    await this.load(conversation, false, 'background').catch((error: unknown) => {
      if (!(error instanceof RequestFailed) && !this.#parts.signal.aborted) throw error
    })
  }

  /** Those of at most `mostAsked` messages that can be read, as they are now; null if the request failed. */
  async byIds(
    ids: readonly number[],
    idsSignal = this.#parts.signal,
  ): Promise<readonly Message[] | null> {
    const page = await this.#pages.bracketed({ message_ids: [...ids] }, idsSignal).catch(unlessBug)
    const now = this.#realm()
    return page && now ? messagesSince(now, page.messages, page.since) : null
  }

  /** Own messages of a conversation, or of all of them. */
  ownPage(conversation: Conversation | null, before: number | null): Promise<FetchedPage> {
    const narrow = ownNarrowOf(conversation, this.#realm()?.me?.id ?? -1)
    return this.#pages.getMessages({ ...pageBefore(before, pageSize), narrow }, this.#parts.signal)
  }

  /** The id of the newest message that this user has; null if it can't be told now. */
  async newestId(newestSignal: AbortSignal): Promise<number | null> {
    const page = await this.#pages.getMessages(pageBefore(null, 1), newestSignal).catch(unlessBug)
    return page?.messages.at(-1)?.id ?? null
  }

  /** Takes events that were just applied: a page in flight may be older. */
  noteEvents(events: readonly ChatEvent[]) {
    this.#pages.noteEvents(events)
    for (const id of events.flatMap(messageIdsOf)) this.#stale.delete(id)
    const left = new Set(
      events.flatMap((event) => (event.type === 'channelsGone' ? event.channelIds : [])),
    )
    if (left.size > 0)
      for (const { id, conversation: at } of allMessages(this.#loaded()))
        if (at.kind === 'topic' && left.has(at.channelId)) this.#stale.add(id)
  }

  /** After a registration: fetches what was missed, and the newest messages of all for the list. */
  async catchUp(snapshot: RealmSnapshot, catchUpSignal: AbortSignal) {
    const { get, accountId } = this.#parts
    this.#pages.outdate()
    const before = get()
    // Not those that are no longer loaded: it would grow for as long as the program runs.
    this.#stale.clear()
    for (const { id } of allMessages(this.#loaded())) this.#stale.add(id)
    const complete = await this.#fetchGap(snapshot, catchUpSignal)
    const { messages } = await this.#pages.getMessages(pageBefore(null, recentSize), catchUpSignal)
    this.#bring(messages, (before) =>
      complete ? withMessages(before, messages) : withNewestOnly(before, messages),
    )
    const changed = await this.#changedBefore(messages, catchUpSignal)
    for (const conversation of [...this.#lostIn(messages), ...changed])
      await this.reload(conversation)
    await this.#followNotices(before, messages, catchUpSignal)
    if (snapshot.unread.length > 0) await this.#fetchUnreadFlags(catchUpSignal)
    const read = snapshot.maxMessageId
    if (read !== null) this.#parts.update((state) => withoutAnswered(state, accountId, read))
    // The conversation on the screen gets its gap filled now, not when it is next opened.
    const { to } = get().target
    if (to.view === 'conversation' && to.accountId === accountId) await this.reload(to.conversation)
  }

  #realm(): Realm | undefined {
    return this.#parts.get().realms.get(this.#parts.accountId)
  }

  #loaded(): MessageList {
    return this.#realm()?.messages ?? noMessages
  }

  #changing(change: (realm: Realm) => Realm) {
    return (state: AppState): AppState => changeRealm(state, this.#parts.accountId, change)
  }

  #bring(messages: readonly Message[], change: (realm: Realm) => Realm): void {
    this.#parts.onMessages(
      this.#changing(change),
      messages.map((message) => ({ message, localId: null })),
    )
  }

  #note(fetched: readonly Message[], conversation: Conversation): void {
    const now = this.#realm()
    const isNotified = now !== undefined && !mustFetch(now, conversation)
    for (const { id } of fetched) this.#stale[isNotified ? 'delete' : 'add'](id)
  }

  /** Adds a page apart from the newest ones. Rejects with `RequestFailed`. */
  async #loadPart(conversation: Conversation, at: FetchedPart['at']): Promise<void> {
    const half = pageSize / 2
    const wanted =
      'around' in at
        ? { anchor: at.around, num_before: half, num_after: half }
        : 'after' in at
          ? { anchor: at.after, num_before: 0, num_after: pageSize, include_anchor: false }
          : pageBefore(at.before, pageSize)
    const page = await this.#pages.bracketed(
      { ...wanted, narrow: narrowOf(conversation) },
      this.#parts.signal,
      'interactive',
    )
    // Nothing at all where a message is asked for: it isn't here.
    if ('around' in at && page.messages.every(({ id }) => id !== at.around)) return
    this.#note(page.messages, conversation)
    const part = { messages: page.messages, oldest: page.foundOldest, newest: page.foundNewest, at }
    this.#bring(page.messages, (before) => withFetchedPart(before, conversation, part, page.since))
  }

  /**
   * The conversations of stale messages that the newest page should contain but does not: they were
   * deleted, or are older than the subscription, which only their conversation's own history shows.
   */
  #lostIn(newest: readonly Message[]): readonly Conversation[] {
    const ids = new Set(newest.map(({ id }) => id))
    const from = Math.min(...ids)
    const lost = allMessages(this.#loaded()).filter(
      ({ id }) => id >= from && this.#stale.has(id) && !ids.has(id),
    )
    return [...new Map(lost.map(({ key, conversation }) => [key, conversation])).values()]
  }

  /**
   * The conversations whose last message is older than the newest page and was edited, moved or
   * deleted while no queue was followed: the list would keep showing them as they were.
   */
  async #changedBefore(
    newest: readonly Message[],
    pageSignal: AbortSignal,
  ): Promise<readonly Conversation[]> {
    const from = Math.min(...newest.map(({ id }) => id))
    const last = new Map(allMessages(this.#loaded()).map((message) => [message.key, message]))
    const asked = [...last.values()]
      .filter(({ id }) => id < from && this.#stale.has(id))
      .sort((one, other) => other.id - one.id)
      .slice(0, mostAsked)
    if (asked.length === 0) return []
    const page = await this.#pages.getMessages(
      { message_ids: asked.map(({ id }) => id) },
      pageSignal,
    )
    const now = new Map(page.messages.map((message) => [message.id, message]))
    const isSame = ({ id, key, html }: Message) =>
      now.get(id)?.key === key && now.get(id)?.html === html
    return asked.filter((message) => !isSame(message)).map(({ conversation }) => conversation)
  }

  /**
   * Listed notices say what their messages said before the gap in the events: those that were edited
   * or deleted meanwhile, of the newest notices, are looked up. `before`: from before the gap was filled.
   */
  async #followNotices(
    before: AppState,
    newest: readonly Message[],
    noticesSignal: AbortSignal,
  ): Promise<void> {
    const noticed = noticedMessages(before, this.#parts.accountId).slice(0, mostAsked)
    const found = new Map(newest.map((message) => [message.id, message]))
    const asked = noticed.flatMap(({ id }) => (found.has(id) ? [] : [id]))
    if (asked.length > 0) {
      const messages = await this.byIds(asked, noticesSignal)
      if (messages === null) return
      for (const message of messages) found.set(message.id, message)
      // Alone, any other would stand where others are missing.
      const known = messages.filter(({ id }) => hasMessage(this.#loaded(), id))
      this.#bring(known, (realmNow) => withMessages(realmNow, known))
    }
    const changes = missedChanges(noticed, found, this.#realm()?.channels ?? new Map())
    this.#parts.update((state) =>
      withNoticesFollowing(before, state, this.#parts.accountId, changes),
    )
  }

  /** Notifies of what came since the last notified message. False: too much to fetch all of it. */
  async #fetchGap(snapshot: RealmSnapshot, gapSignal: AbortSignal): Promise<boolean> {
    const notified = this.#realm()?.notified
    if (notified == null) return true
    // Overlaps, as a lower id may be committed after a higher one. `notified` filters duplicates.
    const after = Math.max(notified.floor, (notified.ids.at(-1) ?? 0) - overlap)
    const upTo = snapshot.maxMessageId ?? Number.MAX_SAFE_INTEGER
    if (upTo <= after) return true
    return fetchMissed({
      after,
      upTo,
      personal: [
        'mentioned',
        'alerted',
        (snapshot.server.featureLevel ?? 177) < 177 ? 'private' : 'dm',
      ],
      signal: gapSignal,
      getMessages: this.#pages.getMessages,
      // Fetched messages replace those loaded: edits and flags of the gap are not replayed.
      onPage: (messages) =>
        this.#bring(messages, (before) =>
          withNotified(
            withMessages(before, messages),
            messages.map(({ id }) => id),
          ),
        ),
    })
  }

  /** The flags of unread messages that the registration leaves out. */
  async #fetchUnreadFlags(flagsSignal: AbortSignal): Promise<void> {
    for (const operand of ['mentioned', 'alerted']) {
      const narrow = [operand, 'unread'].map((is) => ({ operator: 'is', operand: is }))
      for (let anchor: number | 'newest' | null = 'newest'; anchor !== null; ) {
        const page: BracketedPage = await this.#pages.bracketed(
          { anchor, num_before: flagsPageSize, num_after: 0, narrow },
          flagsSignal,
        )
        const { messages, since } = page
        this.#parts.update(
          this.#changing((before) => withFlagsOf(before, messagesSince(before, messages, since))),
        )
        const oldest: number = Math.min(...messages.map(({ id }) => id))
        anchor = page.foundOldest || messages.length < flagsPageSize ? null : oldest - 1
      }
    }
  }
}

function unlessBug(error: unknown): null {
  if (error instanceof RequestFailed) return null
  throw error
}

/** After a gap too large to fill: a hole between old and new would look like silence. */
function withNewestOnly(realm: Realm, messages: readonly Message[]): Realm {
  return withNotified(
    withMessages({ ...realm, messages: noMessages }, messages),
    messages.map(({ id }) => id),
  )
}

/** The lowest message id loaded of a conversation: where its older history begins. */
function oldestLoaded(realm: Realm | undefined, key: ConversationKey): number | null {
  let oldest: number | null = null
  for (const message of allMessages(realm?.messages ?? noMessages))
    if (message.key === key && (oldest === null || message.id < oldest)) oldest = message.id
  return oldest
}
