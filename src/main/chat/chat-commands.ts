import type { Commands, ReportOutcome } from '../../shared/contract.ts'
import { type AccountId, accountById, known } from '../../shared/core/account.ts'
import { checkSubject } from '../../shared/core/attention/event.ts'
import { conversationKey } from '../../shared/core/chat/conversation.ts'
import {
  draftKey,
  draftOf,
  joinTexts,
  withDraft,
  withDraftOver,
  withEndTyped,
} from '../../shared/core/chat/drafts.ts'
import {
  needsUser,
  type OutboxMessage,
  withOutboxChange,
  withoutOutbox,
  withQueued,
} from '../../shared/core/chat/outbox.ts'
import { followed, type Place } from '../../shared/core/chat/places.ts'
import { addedLinks, withLink } from '../../shared/core/chat/upload.ts'
import { type Check, type CheckId, isLate } from '../../shared/core/checks/check.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import { withEntry } from '../../shared/core/identity.ts'
import { reportKey } from '../../shared/core/outages/discuss.ts'
import {
  type Incident,
  incidentOf,
  isOnItsWay,
  reportsOf,
  withIncident,
} from '../../shared/core/outages/incident.ts'
import { outageMark, withMark } from '../../shared/core/outages/outage-report.ts'
import type { AppState } from '../../shared/core/state.ts'
import { codePointLength, sentText } from '../../shared/core/text-length.ts'
import type { Clock } from '../base/ports.ts'
import type { HistoryRecord } from '../state/history-record.ts'
import type { LiveState } from '../state/store.ts'
import type { RealmLink } from './realm-session.ts'

/** The chat commands. `link` returns an account's running connection, or throws why it has none. */
export function createChatCommands(parts: {
  live: LiveState
  clock: Clock
  link: (accountId: string) => RealmLink
}) {
  const { live, clock, link } = parts

  async function send(given: Place, text: string, fromComposer: boolean): Promise<void> {
    const place = followed(live.get(), given)
    const { undoSendSeconds } = live.get().settings
    const message = {
      ...newMessage(live.get(), place, text, clock),
      fromNotification: !fromComposer,
      ...(fromComposer && undoSendSeconds > 0
        ? { heldUntil: clock.now() + undoSendSeconds * 1_000 }
        : {}),
    }
    const typed = draftOf(live.get(), place)
    live.update((state) => withQueued(state, message))
    try {
      // On disk before the composer drops it, and before the first byte leaves: whenever the
      // program ends, the text is in one place or the other.
      await live.persist('outbox')
    } catch {
      // A connection made in the meantime may already have stored and sent it.
      if (waiting(message) !== null) {
        linkOrNone(link, place.accountId)?.forget(message.localId)
        live.update((state) => withoutOutbox(state, message.localId))
        refuseUnsaved()
      }
    }
    if (fromComposer) {
      // Keeps what was typed in another window meanwhile, and the links of uploads that ended.
      const late = addedLinks(text, typed).reduce(withLink, '')
      live.update((state) => withDraftOver(state, place, typed, late))
      // A draft left on disk does no harm, and a failing disk is reported anyway.
      await live.persist('drafts').catch(() => undefined)
    }
    sendWaiting(message)
  }

  /**
   * Without a connection (offline, no key), the outbox keeps the message until there is one. While
   * the disk was busy, a new connection may have sent it, or the user may have discarded it.
   */
  function sendWaiting(message: OutboxMessage): void {
    const still = waiting(message)
    if (still !== null) linkOrNone(link, still.accountId)?.send(still)
  }

  function waiting({ localId }: OutboxMessage): OutboxMessage | null {
    const still = live.get().outbox.find((one) => one.localId === localId)
    return still?.state === 'queued' ? still : null
  }

  /** Puts the text back into the draft, on disk before the outbox drops it. */
  async function restore(message: OutboxMessage): Promise<void> {
    const place = followed(live.get(), message)
    const typed = draftOf(live.get(), place)
    const both = joinTexts(message.text, typed)
    live.update((state) => withDraft(state, place, both))
    await persistOr(live, 'drafts', (state) => withDraftOver(state, place, both, typed))
  }

  const commands = {
    async loadConversation({ older, ...place }) {
      const { conversation } = followed(live.get(), place)
      await link(place.accountId).loadConversation(conversation, older)
    },

    async loadGap({ from, ...place }) {
      await link(place.accountId).loadGap(followed(live.get(), place).conversation, from)
    },

    showMessage: async ({ accountId, conversation, messageId }) =>
      link(accountId).showMessage(
        conversation && followed(live.get(), { accountId, conversation }).conversation,
        messageId,
      ),

    searchMessages: async ({ accountId, ...search }) => link(accountId).search(search),

    async saveDraft({ accountId, conversation, text, over, isBack }) {
      // A composer's last keystrokes may arrive after its account was removed.
      if (accountById(live.get(), accountId) === null) return
      refuseTooMuch(live.get().drafts, draftKey(accountId, conversation), text)
      const field = { accountId, conversation }
      live.update((state) => {
        const place = followed(state, field)
        return isBack === true
          ? withDraft(state, place, joinTexts(text, draftOf(state, place)))
          : withTyped(state, field, text, over)
      })
      await live.persist('drafts').catch(refuseUnsaved)
    },

    sendMessage: ({ text, ...place }) => send(place, text, true),

    async resendMessage({ localId }) {
      const message = entry(live.get(), localId)
      if (!needsUser(message)) throw invalid('message', 'It is already on its way.')
      const again = {
        ...followed(live.get(), message),
        state: 'queued' as const,
        failure: null,
        messageId: null,
        missing: null,
        heldUntil: null,
      }
      live.update((state) => withOutboxChange(state, localId, again))
      await persistOr(live, 'outbox', (state) => withOutboxChange(state, localId, message))
      // Its event may have confirmed it in the meantime.
      sendWaiting(message)
    },

    async discardMessage({ localId, keepText }) {
      const message = entry(live.get(), localId)
      if (message.state === 'sending' || message.state === 'sent')
        throw invalid('message', 'It is already on its way.')
      linkOrNone(link, message.accountId)?.forget(localId)
      if (message.state === 'queued') {
        // From here on, it isn't sent even after a crash.
        live.update((state) => withOutboxChange(state, localId, { state: 'rejected' }))
        await live.persist('outbox').catch(refuseUnsaved)
      }
      if (keepText) await restore(message)
      live.update((state) => withoutOutbox(state, localId))
      await live.persist('outbox').catch(refuseUnsaved)
    },

    async markRead({ upTo, ...place }) {
      await link(place.accountId).markRead(followed(live.get(), place).conversation, upTo)
    },

    async setReaction({ accountId, present, ...reaction }) {
      await link(accountId).setReaction(reaction, present)
    },
  } satisfies Partial<Commands>
  return {
    commands,
    /** Sends what was typed elsewhere, such as in a notification; the composer keeps its own text. */
    reply: (place: Place, text: string) => send(place, text, false),
  }
}

function linkOrNone(link: (accountId: string) => RealmLink, accountId: string): RealmLink | null {
  try {
    return link(accountId)
  } catch (error) {
    if (error instanceof RequestFailed) return null
    throw error
  }
}

/**
 * Saves what was typed over the text that the field had (`over`). If a draft from the server has
 * come in between, which the field has not shown, that one stays a separate draft.
 */
function withTyped(state: AppState, field: Place, typed: string, over?: string): AppState {
  const place = followed(state, field)
  if (place !== field)
    return withDraft(state, place, withEndTyped(draftOf(state, place), over ?? '', typed))
  const key = draftKey(place.accountId, place.conversation)
  const link = state.draftLinks.get(key)
  const now = draftOf(state, place)
  // Uploads that have ended since the field last got the draft.
  const links = over === undefined ? [] : addedLinks(`${over} ${typed}`, now)
  const text = links.reduce(withLink, typed)
  const isUnseen = over !== undefined && over !== now && text !== now && link?.base === now
  if (!isUnseen || link.id === null) return withDraft(state, place, text)
  const draftLinks = withEntry(state.draftLinks, key, null)
  return withDraft({ ...state, draftLinks }, place, text)
}

/** Refuses what the server would refuse or, worse, cut silently (chat API, "Send a message"). */
export function newMessage(
  state: AppState,
  place: Place,
  text: string,
  clock: Clock,
): Omit<OutboxMessage, 'fromNotification'> {
  const realm = state.realms.get(place.accountId)
  if (realm === undefined) throw invalid('account', 'This account is gone.')
  if (sentText(text).trim() === '') throw invalid('text', 'There is nothing to send yet.')
  if (text.includes('\0'))
    throw invalid('text', 'The text contains a NUL character, which the server refuses.')
  const length = codePointLength(sentText(text))
  if (length > realm.limits.messageLength)
    throw invalid(
      'text',
      `${length} characters are too many: this server accepts ${realm.limits.messageLength}.`,
    )
  const { conversation } = place
  return {
    localId: crypto.randomUUID(),
    accountId: place.accountId,
    conversation,
    text,
    queuedAt: clock.now(),
    state: 'queued',
    messageId: null,
    attempts: 0,
    afterMessageId: realm.conversations.get(conversationKey(conversation))?.lastMessageId ?? 0,
    failure: null,
  }
}

function entry(state: AppState, localId: string): OutboxMessage {
  const message = state.outbox.find((one) => one.localId === localId)
  if (message === undefined)
    throw invalid('message', 'This message has been sent or removed in the meantime.')
  return message
}

/** Writes a document to disk. If that fails, undoes the change in the state and throws. */
export function persistOr(
  live: LiveState,
  name: Parameters<LiveState['persist']>[0],
  undo: (state: AppState) => AppState,
): Promise<void> {
  return live.persist(name).catch(() => {
    live.update(undo)
    refuseUnsaved()
  })
}

export function refuseUnsaved(): never {
  throw invalid(
    'disk',
    'The text could not be saved on this computer (disk full or read-only), so it stays here unsent.',
  )
}

/** Hands an outage over to the chat. `link` returns a running connection, or throws why not. */
export function createDiscussCommands(parts: {
  live: LiveState
  clock: Clock
  link: (accountId: AccountId) => Pick<RealmLink, 'loadConversation'>
  /** Through the outbox, so that it is sent only once. */
  send: (place: Place, text: string) => Promise<void>
  record: Pick<HistoryRecord, 'acted'>
}) {
  const { live, clock, record } = parts
  /** By check: a second press while the first one is in progress gets the same result. */
  const posting = new Map<string, Promise<ReportOutcome>>()

  async function post(input: Parameters<Commands['postReport']>[0]): Promise<ReportOutcome> {
    const { accountId, checkId, text, anyway } = input
    const place = followed(live.get(), input.place)
    const outage = outageOf(live.get(), accountId, checkId, clock.now())
    const before = incidentOf(live.get(), accountId, checkId)
    if (!anyway && isNews(outage, before)) {
      // Our copy may be stale: a report that somebody posted seconds ago is found only by fetching.
      await parts.link(place.accountId).loadConversation(place.conversation, false)
      const posted = postedIn(live.get(), place, outage, clock.now())
      if (posted !== null) return posted
    }
    await parts.send(place, withMark(text, outageMark(checkId, outage.status, outage.since)))
    live.update((state) =>
      withoutReport(
        withIncident(state, incidentAfter(before, { ...input, place }, outage, clock.now())),
        accountId,
        checkId,
      ),
    )
    record.acted(accountId, checkId, { act: 'report', status: outage.status })
    return { kind: 'sent' }
  }

  return {
    saveReport: ({ accountId, checkId, text }) =>
      saveText(live, reportKey(accountId, checkId), text),

    postReport(input) {
      const subject = checkSubject(input.accountId, input.checkId)
      const going = posting.get(subject)
      if (going !== undefined) return going
      const one = post(input).finally(() => posting.delete(subject))
      posting.set(subject, one)
      return one
    },

    async joinReport({ accountId, checkId, place: given, messageId }) {
      const place = followed(live.get(), given)
      const { status, since } = outageOf(live.get(), accountId, checkId, clock.now())
      known(live.get(), place.accountId)
      const incident: Incident = {
        accountId,
        checkId,
        chatId: place.accountId,
        conversation: place.conversation,
        messageId,
        since,
        told: status,
        toldAt: clock.now(),
      }
      live.update((state) => withoutReport(withIncident(state, incident), accountId, checkId))
      record.acted(accountId, checkId, { act: 'joinReport' })
    },
  } satisfies Partial<Commands>
}

type Outage = Pick<Check, 'status'> & { readonly checkId: CheckId; readonly since: number }

function outageOf(state: AppState, accountId: AccountId, checkId: CheckId, now: number): Outage {
  known(state, accountId)
  const board = state.boards.get(accountId)
  const check = board?.checks.get(checkId)
  if (board === undefined || check === undefined)
    throw invalid('checkId', 'There is no such check.')
  return { checkId, status: check.status, since: check.since ?? now + board.serverOffsetMs }
}

/** What two people might post at once: that it is down, late or, after a report, well again. */
function isNews({ status }: Outage, before: Incident | null): boolean {
  return status === 'down' || isLate(status) || (before !== null && before.told !== status)
}

/** The first report of the outage, or ours that is being sent; null if there is none. */
function postedIn(
  state: AppState,
  place: Place,
  outage: Outage,
  now: number,
): Extract<ReportOutcome, { kind: 'posted' }> | null {
  const [first] = reportsOf(state, place, outage)
  if (first !== undefined)
    return {
      kind: 'posted',
      by: first.isMe ? null : first.senderName,
      messageId: first.id,
      at: first.sentAt,
    }
  return isOnItsWay(state, place, outage)
    ? { kind: 'posted', by: null, messageId: null, at: now }
    : null
}

/** An update keeps the first report's message and the time at which the outage began. */
function incidentAfter(
  before: Incident | null,
  { accountId, checkId, place }: Parameters<Commands['postReport']>[0],
  { status, since }: Outage,
  now: number,
): Incident {
  const isUpdate = before !== null && before.chatId === place.accountId && status !== 'down'
  return {
    accountId,
    checkId,
    chatId: place.accountId,
    conversation: place.conversation,
    messageId: isUpdate ? before.messageId : null,
    since: isUpdate ? before.since : since,
    told: status,
    toldAt: now,
  }
}

/** Far more than anyone leaves unsent; otherwise a compromised window could fill the disk. */
const mostDrafts = { count: 500, characters: 1_000_000 }

/** Throws `RequestFailed` of kind `invalid`. Accepts any text that has become shorter. */
function refuseTooMuch(drafts: AppState['drafts'], key: string, text: string): void {
  const before = drafts.get(key)
  if (text.length <= (before?.length ?? 0)) return
  const lengths = [...drafts.values()].map(({ length }) => length)
  const all = lengths.reduce((sum, one) => sum + one, text.length - (before?.length ?? 0))
  const isFull = before === undefined && drafts.size >= mostDrafts.count
  if (isFull || all > mostDrafts.characters)
    throw invalid(
      'text',
      'There are too many unsent texts to save this one. Send or empty some of them first.',
    )
}

/** Keeps a form's text until it is saved or sent. */
export async function saveText(live: LiveState, key: string, text: string): Promise<void> {
  refuseTooMuch(live.get().drafts, key, text)
  live.update((state) => withReport(state, key, text))
  await live.persist('drafts').catch(() => {
    throw invalid('disk', 'The text could not be saved on this computer (disk full or read-only).')
  })
}

function withReport(state: AppState, key: string, text: string): AppState {
  if ((state.drafts.get(key) ?? '') === text) return state
  return { ...state, drafts: withEntry(state.drafts, key, text || null) }
}

function withoutReport(state: AppState, accountId: AccountId, checkId: CheckId): AppState {
  return withReport(state, reportKey(accountId, checkId), '')
}
