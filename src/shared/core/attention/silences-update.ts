import type { AccountId } from '../account.ts'
import type { Check } from '../check.ts'
import type { AppState } from '../state.ts'
import type { AttentionEvent } from './event.ts'
import { type Silence, silenceLimit, withoutEnded } from './silence.ts'

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
  const left = withoutEnded(state.silences, events, now).filter(
    (silence) => !hasChanged(state, silence),
  )
  return left.length === state.silences.length ? state : { ...state, silences: left }
}

/** By the last status that was certain (`told`): a pause ends it as well, an unreadable answer does not. */
function hasChanged(state: AppState, { scope, until, status }: Silence): boolean {
  if (until.kind !== 'change' || scope.of !== 'check' || status === null) return false
  const board = state.boards.get(scope.accountId)
  if (board?.told == null || board.freshness.readAt === null) return false
  return board.told.get(scope.checkId) !== status
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
