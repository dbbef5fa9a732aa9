import type { Target } from './target.ts'

/**
 * Sentences for the user about local problems, such as a full disk; newest last. `to`: the page
 * where the user can do something about it.
 */
export interface TroublesSlice {
  readonly troubles: readonly { readonly id: string; readonly text: string; readonly to?: Target }[]
}

/** The state with a trouble shown until it is dismissed; null: it is over. The same if nothing changes. */
export function withTrouble<State extends TroublesSlice>(
  state: State,
  id: string,
  text: string | null,
  to?: Target,
): State {
  const { troubles } = state
  const known = troubles.findIndex((one) => one.id === id)
  if ((troubles[known]?.text ?? null) === text) return state
  const made = text === null ? [] : [{ id, text, ...(to && { to }) }]
  const at = known === -1 ? troubles.length : known
  return { ...state, troubles: troubles.toSpliced(at, known === -1 ? 0 : 1, ...made) }
}
