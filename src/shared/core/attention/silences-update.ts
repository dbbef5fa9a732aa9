import type { AccountId } from '../account.ts'
import { conversationTitle } from '../chat/chat-names.ts'
import {
  type Conversation,
  conversationKey,
  conversationOf,
  topicKey,
} from '../chat/conversation.ts'
import { eyes, type Reaction } from '../chat/message.ts'
import { messageOf, noMessages } from '../chat/message-list.ts'
import { followed } from '../chat/places.ts'
import type { Realm, RealmsSlice } from '../chat/realm.ts'
import { type Board, notifiedStatus } from '../checks/board.ts'
import type { CheckId } from '../checks/check.ts'
import { isSameList, mapped } from '../identity.ts'
import type { OutagesSlice } from '../outages/incident.ts'
import { withTrouble } from '../trouble.ts'
import type { WatchedState } from './attention-slice.ts'
import { checkOfProject } from './check-news.ts'
import { type AttentionEvent, checkSubject } from './event.ts'
import {
  type OutageMessage,
  type OutageMessagesSlice,
  outageMessagesOf,
} from './outage-messages.ts'
import {
  eachOf,
  eachSilence,
  fullWords,
  isOfMany,
  type KeptSilence,
  ofChecks,
  type Silence,
  type SilencesSlice,
  silenceLimit,
  withChecks,
} from './silence.ts'
import { endedAmong } from './silences-on.ts'
import { whileAwaited } from './still-down.ts'

/**
 * Adds a silence, in place of older ones with the same scope by the same person. A maintenance
 * and another silence coexist, as they do when the maintenance is of a whole tag. Checks that return
 * to a silence of many are added to what is left of it.
 */
export function withSilence<State extends SilencesSlice>(
  state: State,
  silence: KeptSilence,
): State {
  return { ...state, silences: silencesWith(state.silences, silence) }
}

export function silencesWith(
  silences: readonly KeptSilence[],
  silence: KeptSilence,
): readonly KeptSilence[] {
  const scopes = new Set(eachOf(silence).map(scopeKey))
  const isLeft = (part: Silence): boolean => !scopes.has(scopeKey(part))
  const left = silences.flatMap((other) =>
    other.by === silence.by && isMaintenance(other) === isMaintenance(silence)
      ? (filtered(other, isLeft) ?? [])
      : other,
  )
  const rest = left.find((other) => other.id === silence.id)
  if (rest === undefined || !isOfMany(rest) || !isOfMany(silence)) return [...left, silence]
  const whole = withChecks(silence, new Map([...rest.checks, ...silence.checks]))
  return left.map((other) => (other === rest ? whole : other))
}

function isMaintenance({ how }: KeptSilence): boolean {
  return how === 'maintenance'
}

export function scopeKey({ scope }: Pick<Silence, 'scope'>): string {
  return scope.of === 'check' ? checkSubject(scope.accountId, scope.checkId) : JSON.stringify(scope)
}

/** Whether there is room for the silence, or it replaces one. */
export function hasRoomFor(state: SilencesSlice, silence: KeptSilence): boolean {
  if (state.silences.length < silenceLimit) return true
  return withSilence(state, silence).silences.length <= silenceLimit
}

/** Ends silences, or single ones of `eachSilence`. */
export function withoutSilences<State extends SilencesSlice>(
  state: State,
  ids: readonly string[],
): State {
  const silences = silencesWithout(state.silences, ids)
  return isSameList(silences, state.silences) ? state : { ...state, silences }
}

export function silencesWithout(
  silences: readonly KeptSilence[],
  ids: readonly string[],
): readonly KeptSilence[] {
  const gone = new Set(ids)
  return silences.flatMap((silence) =>
    gone.has(silence.id) ? [] : (filtered(silence, ({ id }) => !gone.has(id)) ?? []),
  )
}

/** A silence, or one of `eachSilence`, as it would be added again; null if there is none. */
export function silenceById(silences: readonly KeptSilence[], id: string): KeptSilence | null {
  const whole = silences.find((one) => one.id === id || id.startsWith(`${one.id}/`))
  if (whole === undefined || whole.id === id) return whole ?? null
  return filtered(whole, (one) => one.id === id)
}

/** The silence with some of its scopes changed, or without them (null); null if none is left. */
export function changed(
  silence: KeptSilence,
  change: (one: Silence) => Silence | null,
): KeptSilence | null {
  if (!isOfMany(silence)) return change(silence)
  return ofChecks(
    silence,
    eachOf(silence).flatMap((one) => change(one) ?? []),
  )
}

export function filtered(
  silence: KeptSilence,
  isIn: (one: Silence) => boolean,
): KeptSilence | null {
  return changed(silence, (one) => (isIn(one) ? one : null))
}

/** What of the silences `before` is not among those `after`, whole or in part. */
export function silencesGone(
  before: readonly KeptSilence[],
  after: readonly KeptSilence[],
): readonly KeptSilence[] {
  if (before === after) return []
  const known = new Map(after.map((one) => [one.id, one]))
  return before.flatMap((silence) => {
    const other = known.get(silence.id)
    if (other === undefined) return silence
    if (other === silence || !isOfMany(silence) || !isOfMany(other)) return []
    return filtered(silence, ({ scope }) => !other.checks.has(scopeKey({ scope }))) ?? []
  })
}

/** Keeps a silenced conversation silenced when its topic is renamed or moved, or named by the server. */
export function withSilencesMoved<State extends SilencesSlice & RealmsSlice>(state: State): State {
  const silences = mapped(state.silences, (silence) => {
    if (isOfMany(silence)) return silence
    const { scope } = silence
    if (scope.of !== 'conversation') return silence
    const realm = state.realms.get(scope.accountId)
    // The key has the topic in lower case, which may be another topic's name.
    const known = realm?.conversations.get(scope.key)
    const conversation = known?.conversation ?? spelledAsIn(silence)
    if (conversation === null) return silence
    const to = followed(state, { accountId: scope.accountId, conversation }).conversation
    if (realm === undefined || to === conversation) return silence
    const label = conversationTitle(realm, to)
    return { ...silence, scope: { ...scope, key: conversationKey(to) }, label }
  })
  return silences === state.silences ? state : { ...state, silences }
}

/** A key has its topic in lower case, in which it may be another topic's name; the label hasn't. */
function spelledAsIn({ scope, label }: Silence): Conversation | null {
  const lower = scope.of === 'conversation' ? conversationOf(scope.key) : null
  if (lower?.kind !== 'topic') return lower
  const topic = label.slice(label.length - lower.topic.length)
  return topicKey(topic) === lower.topic ? { ...lower, topic } : lower
}

/** Drops the silences that ended: by time, by an event, or because the check's status changed. */
export function withSilencesEnded<State extends WatchedState>(
  state: State,
  events: readonly AttentionEvent[],
  now: number,
): State {
  const ended = new Set(endedAmong(state.silences, events, now).map(({ id }) => id))
  const stillOn = (one: Silence): Silence | null => {
    if (hasChanged(state, one) || isAnswered(state, one, events)) return null
    return ended.has(one.id) ? whileAwaited(state, one, now) : one
  }
  const left = state.silences.flatMap((silence) => changed(silence, stillOn) ?? [])
  return isSameList(left, state.silences) ? state : { ...state, silences: left }
}

/**
 * Uses the last certain status (`notified`): a pause ends a silence as well, an unreadable answer
 * does not. Deleting a check ends any silence on it.
 */
function hasChanged(state: WatchedState, silence: Silence): boolean {
  const { scope, until, status } = silence
  if (scope.of !== 'check') return false
  const board = state.boards.get(scope.accountId)
  if (board?.notified == null || board.freshness.readAt === null) return false
  const notified = notifiedStatus(board, scope.checkId)
  if (notified === null) return true
  if (isOfNewOutage(board, scope.checkId, silence)) return false
  return until.kind !== 'time' && until.kind !== 'ever' && status !== null && notified !== status
}

/**
 * Whether the check was silenced when a read had shown it as down in the outage that only the flips
 * show to be a new one. A reaction is about its message's outage.
 */
function isOfNewOutage(
  { missed, serverOffsetMs }: Board,
  id: CheckId,
  { since, messageId }: Silence,
): boolean {
  const readAt = missed.again.get(id)?.readAt
  return readAt !== undefined && readAt - serverOffsetMs < since && messageId === null
}

/** Whether somebody wrote where the check's outage is reported or discussed. */
function isAnswered(
  state: WatchedState,
  { scope, until }: Silence,
  events: readonly AttentionEvent[],
): boolean {
  if (until.kind !== 'answer' || scope.of !== 'check') return false
  const people = events.filter((event) => event.of === 'message' && !event.isBot)
  if (people.length === 0) return false
  const subjects = discussions(state, scope.accountId, scope.checkId)
  return people.some(({ subject }) => subjects.has(subject))
}

/** The conversations in which a check's outage is discussed, as subjects of notices. */
export function discussions(
  { incidents, outageMessages, realms }: OutagesSlice & OutageMessagesSlice & RealmsSlice,
  projectId: AccountId,
  checkId: CheckId,
): ReadonlySet<string> {
  const subjects = new Set<string>()
  for (const { accountId, checkId: other, chatId, conversation } of incidents)
    if (accountId === projectId && other === checkId)
      subjects.add(`${chatId}/${conversationKey(conversation)}`)
  for (const { accountId, messageId } of outageMessagesOf(outageMessages, projectId, checkId)) {
    const key = messageOf(realms.get(accountId)?.messages ?? noMessages, messageId)?.key
    if (key !== undefined) subjects.add(`${accountId}/${key}`)
  }
  return subjects
}

/**
 * Adding 👀 to an outage's message acknowledges its check, and removing it ends that. It only ever
 * silences a check that is down and that the message certainly means.
 */
export function withSharedAcknowledgements<State extends WatchedState>(
  state: State,
  now: number,
): State {
  let next = state
  const outageMessages = mapped(state.outageMessages, (outage) => {
    const realm = state.realms.get(outage.accountId)
    const reactions = messageOf(realm?.messages ?? noMessages, outage.messageId)?.reactions
    if (realm === undefined || reactions === undefined) return outage
    const looking = [...new Set(reactions.filter(isEyes).map(({ userId }) => userId))]
    const came = looking.filter((id) => !outage.seen.includes(id))
    const went = outage.seen.filter((id) => !looking.includes(id))
    if (came.length + went.length === 0) return outage
    for (const userId of came) next = withTheirs(next, outage, realm, userId, now)
    for (const userId of went) next = withoutTheirs(next, outage, realm, userId, now)
    return { ...outage, seen: looking }
  })
  return outageMessages === state.outageMessages ? next : { ...next, outageMessages }
}

function isEyes({ code, type }: Reaction): boolean {
  return code === eyes.code && type === eyes.type
}

function withTheirs<State extends WatchedState>(
  state: State,
  outage: OutageMessage,
  realm: Realm,
  userId: number,
  now: number,
): State {
  const board = state.boards.get(outage.projectId)
  const check = board?.checks.get(outage.checkId)
  const user = realm.users.get(userId)
  if (check === undefined || board?.notified?.get(outage.checkId) !== 'down') return state
  if (user?.isBot === true || realm.mutedUsers.includes(userId)) return state
  const isMe = userId === realm.me?.id
  const isKnown = eachSilence(state.silences).some(
    (silence) =>
      silence.by === null && silence.how === 'acknowledge' && isAbout(silence, outage) && isMe,
  )
  if (isKnown) return state
  const label = checkOfProject(state, outage.projectId, check)
  const silence: Silence = {
    id: idOf(outage, userId),
    how: 'acknowledge',
    scope: { of: 'check', accountId: outage.projectId, checkId: outage.checkId },
    until: { kind: 'change' },
    since: now,
    by: isMe ? null : (user?.name ?? 'someone in the chat'),
    label,
    status: 'down',
    messageId: outage.messageId,
  }
  if (hasRoomFor(state, silence)) return withSilence(state, silence)
  return withTrouble(state, 'silences', `The 👀 on ${label} doesn’t silence it: ${fullWords}`)
}

function withoutTheirs<State extends WatchedState>(
  state: State,
  outage: OutageMessage,
  realm: Realm,
  userId: number,
  now: number,
): State {
  const id = idOf(outage, userId)
  if (userId !== realm.me?.id) {
    if (!state.silences.some((silence) => silence.id === id)) return state
    // Expires it, so that a user who relied on somebody else is reminded if the check is still
    // down.
    const until = { kind: 'time', at: now } as const
    const ended = (one: KeptSilence): KeptSilence => (one.id === id ? { ...one, until } : one)
    return { ...state, silences: state.silences.map(ended) }
  }
  const isTheirs = (one: Silence): boolean =>
    one.id === id || (one.by === null && one.messageId === outage.messageId && isAbout(one, outage))
  const silences = state.silences.flatMap((one) => filtered(one, (part) => !isTheirs(part)) ?? [])
  return isSameList(silences, state.silences) ? state : { ...state, silences }
}

function idOf({ messageId, checkId }: OutageMessage, userId: number): string {
  return `${messageId}-${userId}-${checkId}`
}

/** Whether the 👀 of somebody else's acknowledgement is still there; true of all other silences. */
export function isStillGiven({ outageMessages }: OutageMessagesSlice, silence: Silence): boolean {
  const { id, by, messageId } = silence
  if (by === null || messageId === null) return true
  return outageMessages.some(
    (outage) =>
      isAbout(silence, outage) && outage.seen.some((userId) => idOf(outage, userId) === id),
  )
}

function isAbout({ scope }: Silence, { projectId, checkId }: OutageMessage): boolean {
  return scope.of === 'check' && scope.accountId === projectId && scope.checkId === checkId
}
