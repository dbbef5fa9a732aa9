import { mapped } from '../../identity.ts'
import { defined } from '../../schemas.ts'
import { withTrouble } from '../../trouble.ts'
import type { WatchedState } from '../attention-slice.ts'
import { eachSilence, fullWords, type Silence } from '../silence.ts'
import { hasRoomFor, scopeKey, withSilence } from '../silences-update.ts'
import { nextTimes, type PlannedMaintenance, type Times } from './planned.ts'

/** Begins what is planned for now: from then on it is a maintenance like any other. */
export function withPlannedBegun<State extends WatchedState>(state: State, now: number): State {
  if (state.planned.length === 0) return state
  let next = state
  const planned = mapped(state.planned, (plan) => {
    const times = nextTimes(plan, now)
    if (times === null || times.from > now) return plan
    next = withBegun(next, plan, times, now)
    return { ...plan, lastUntil: times.until }
  })
  const ahead = planned.filter((plan) => nextTimes(plan, now) !== null)
  if (ahead.length < planned.length) return { ...next, planned: ahead }
  return planned === state.planned ? next : { ...next, planned }
}

function withBegun<State extends WatchedState>(
  state: State,
  plan: PlannedMaintenance,
  { from, until }: Times,
  now: number,
): State {
  const { scope: what, label: name } = plan
  const silence: Silence = {
    ...{ id: `${plan.id}-${from}`, how: 'maintenance', scope: what, label: name },
    ...{ until: { kind: 'time', at: until }, since: now, by: null, status: null, messageId: null },
    ...defined({ reason: plan.reason }),
  }
  const isLonger = eachSilence(state.silences).some(
    (other) =>
      other.how === 'maintenance' &&
      scopeKey(other) === scopeKey(silence) &&
      other.until.kind === 'time' &&
      other.until.at >= until,
  )
  if (isLonger) return state
  if (hasRoomFor(state, silence)) return withSilence(state, silence)
  return withTrouble(state, 'silences', `The maintenance of ${name} doesn’t begin: ${fullWords}`)
}
