import type { AccountId } from '../account.ts'
import { conversationKey } from '../chat/conversation.ts'
import { messageOf, noMessages } from '../chat/message-list.ts'
import { toldStatus } from '../checks/board.ts'
import type { Check, CheckId } from '../checks/check.ts'
import type { AppState } from '../state.ts'
import type { AttentionEvent } from './event.ts'
import { outageMessagesOf } from './outage-messages.ts'
import { type Silence, silenceLimit, withoutEnded } from './silence.ts'
import { awaitsReading } from './still-down.ts'

/** A new silence, in place of an older one of the same scope by the same person. */
export function withSilence(state: AppState, silence: Silence): AppState {
  const scope = JSON.stringify(silence.scope)
  const others = state.silences.filter(
    (other) => other.by !== silence.by || JSON.stringify(other.scope) !== scope,
  )
  return { ...state, silences: [...others, silence].slice(-silenceLimit) }
}

export function withoutSilence(state: AppState, id: string): AppState {
  const silences = state.silences.filter((silence) => silence.id !== id)
  return silences.length === state.silences.length ? state : { ...state, silences }
}

/** Without the silences that ended: by time, by an event, or since their check is something else now. */
export function withSilencesEnded(
  state: AppState,
  events: readonly AttentionEvent[],
  now: number,
): AppState {
  const open = new Set(withoutEnded(state.silences, events, now))
  const left = state.silences.filter(
    (silence) =>
      (open.has(silence) || awaitsReading(state, silence, now)) &&
      !hasChanged(state, silence) &&
      !isAnswered(state, silence, events),
  )
  return left.length === state.silences.length ? state : { ...state, silences: left }
}

/**
 * By the last status that was certain (`told`): a pause ends it as well, an unreadable answer does
 * not. A check that was deleted needs no silence of any kind.
 */
function hasChanged(state: AppState, { scope, until, status }: Silence): boolean {
  if (scope.of !== 'check') return false
  const board = state.boards.get(scope.accountId)
  if (board?.told == null || board.freshness.readAt === null) return false
  const told = toldStatus(board, scope.checkId)
  if (told === null) return true
  return until.kind !== 'time' && until.kind !== 'ever' && status !== null && told !== status
}

/** Somebody wrote where the check's outage is told of or discussed. */
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

/** The conversations in which a check's outage is talked about, as subjects of their notices. */
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
 * What keeps a check from being told of now; null: nothing does. Such a check is drawn dimmed, does
 * not count on the icon, and leaves a mark there.
 */
export function silenceOnCheck(
  silences: readonly Silence[],
  accountId: AccountId,
  check: Pick<Check, 'id' | 'tags'>,
  now: number,
): Silence | null {
  return (
    silences.find(
      ({ scope, until }) =>
        (until.kind !== 'time' || until.at > now) &&
        ((scope.of === 'check' && scope.accountId === accountId && scope.checkId === check.id) ||
          (scope.of === 'tag' && check.tags.includes(scope.tag)) ||
          (scope.of === 'project' && scope.accountId === accountId)),
    ) ?? null
  )
}
