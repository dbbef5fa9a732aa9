import type { AccountId } from '../account.ts'
import {
  conversationKey,
  conversationOf,
  conversationTitle,
  followed,
} from '../chat/conversation.ts'
import { eyes, type Reaction } from '../chat/message.ts'
import { messageOf, noMessages } from '../chat/message-list.ts'
import type { Realm } from '../chat/realm.ts'
import { notifiedStatus } from '../checks/board.ts'
import type { CheckId } from '../checks/check.ts'
import { isSameList, mapped } from '../identity.ts'
import { type AppState, withTrouble } from '../state.ts'
import { checkOfProject } from './check-news.ts'
import type { AttentionEvent } from './event.ts'
import { type OutageMessage, outageMessagesOf } from './outage-messages.ts'
import { endedAmong, fullWords, type Silence, silenceLimit, withTwins } from './silence.ts'
import { whileAwaited } from './still-down.ts'

/**
 * Adds a silence, in place of an older one with the same scope by the same person. A maintenance
 * and another silence coexist, as they do when the maintenance is of a whole tag.
 */
export function withSilence(state: AppState, silence: Silence): AppState {
  const scope = JSON.stringify(silence.scope)
  const others = state.silences.filter(
    (other) =>
      other.by !== silence.by ||
      (other.how === 'maintenance') !== (silence.how === 'maintenance') ||
      JSON.stringify(other.scope) !== scope,
  )
  return { ...state, silences: [...others, silence] }
}

/** Whether there is room for the silence, or it replaces one. */
export function hasRoomFor(state: AppState, silence: Silence): boolean {
  if (state.silences.length < silenceLimit) return true
  return withSilence(state, silence).silences.length <= silenceLimit
}

export function withoutSilence(state: AppState, id: string): AppState {
  const silences = state.silences.filter((silence) => silence.id !== id)
  return silences.length === state.silences.length ? state : { ...state, silences }
}

/** Keeps a silenced conversation silenced when its topic is renamed or moved. */
export function withSilencesMoved(state: AppState): AppState {
  const silences = mapped(state.silences, (silence) => {
    const { scope } = silence
    const conversation = scope.of === 'conversation' ? conversationOf(scope.key) : null
    if (scope.of !== 'conversation' || conversation === null) return silence
    const realm = state.realms.get(scope.accountId)
    const to = followed(state, { accountId: scope.accountId, conversation }).conversation
    if (realm === undefined || to === conversation) return silence
    const label = conversationTitle(realm, to)
    return { ...silence, scope: { ...scope, key: conversationKey(to) }, label }
  })
  return silences === state.silences ? state : { ...state, silences }
}

/** Drops the silences that ended: by time, by an event, or because the check's status changed. */
export function withSilencesEnded(
  state: AppState,
  events: readonly AttentionEvent[],
  now: number,
): AppState {
  const all = withTwins(state.silences, state.accounts)
  const ended = new Set(endedAmong(all, events, now).map(({ id }) => id))
  const left = state.silences.flatMap((silence) => {
    if (hasChanged(state, silence) || isAnswered(state, silence, events)) return []
    return (ended.has(silence.id) ? whileAwaited(state, silence, now) : silence) ?? []
  })
  return isSameList(left, state.silences) ? state : { ...state, silences: left }
}

/**
 * Uses the last certain status (`notified`): a pause ends a silence as well, an unreadable answer
 * does not. Deleting a check ends any silence on it.
 */
function hasChanged(state: AppState, { scope, until, status }: Silence): boolean {
  if (scope.of !== 'check') return false
  const board = state.boards.get(scope.accountId)
  if (board?.notified == null || board.freshness.readAt === null) return false
  const notified = notifiedStatus(board, scope.checkId)
  if (notified === null) return true
  return until.kind !== 'time' && until.kind !== 'ever' && status !== null && notified !== status
}

/** Whether somebody wrote where the check's outage is reported or discussed. */
function isAnswered(
  state: AppState,
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
  { incidents, outageMessages, realms }: AppState,
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
export function withSharedAcknowledgements(state: AppState, now: number): AppState {
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

function withTheirs(
  state: AppState,
  outage: OutageMessage,
  realm: Realm,
  userId: number,
  now: number,
): AppState {
  const board = state.boards.get(outage.projectId)
  const check = board?.checks.get(outage.checkId)
  const user = realm.users.get(userId)
  if (check === undefined || board?.notified?.get(outage.checkId) !== 'down') return state
  if (user?.isBot === true || realm.mutedUsers.includes(userId)) return state
  const isMe = userId === realm.me?.id
  const isKnown = state.silences.some(
    (silence) =>
      silence.by === null && silence.how === 'acknowledge' && isAbout(silence, outage) && isMe,
  )
  if (isKnown) return state
  const label = checkOfProject(state, outage.projectId, check)
  const silence: Silence = {
    id: `${outage.messageId}-${userId}-${outage.checkId}`,
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

function withoutTheirs(
  state: AppState,
  outage: OutageMessage,
  realm: Realm,
  userId: number,
  now: number,
): AppState {
  const id = `${outage.messageId}-${userId}-${outage.checkId}`
  if (userId !== realm.me?.id) {
    if (!state.silences.some((silence) => silence.id === id)) return state
    // Expires it, so that a user who relied on somebody else is reminded if the check is still
    // down.
    const until = { kind: 'time', at: now } as const
    const ended = (one: Silence): Silence => (one.id === id ? { ...one, until } : one)
    return { ...state, silences: state.silences.map(ended) }
  }
  const silences = state.silences.filter(
    (silence) =>
      silence.id !== id &&
      !(silence.by === null && silence.messageId === outage.messageId && isAbout(silence, outage)),
  )
  return silences.length === state.silences.length ? state : { ...state, silences }
}

function isAbout({ scope }: Silence, { projectId, checkId }: OutageMessage): boolean {
  return scope.of === 'check' && scope.accountId === projectId && scope.checkId === checkId
}
