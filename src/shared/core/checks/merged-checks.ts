import { rememberDifference } from '../map-difference.ts'
import type { Check, CheckId } from './check.ts'

/** So many checks are taken in between two moments at which somebody else may have a turn. */
export const checksAStep = 256
/** Rows that changed move in some databases: so many that may be gone from a place are passed by. */
const mostPassed = 16

/** The checks that a list of them became: the very same list, read again, changes nothing. */
const takenIn = new WeakMap<readonly Check[], ReadonlyMap<CheckId, Check>>()
/** The list that a board's checks were read from last. */
const readFrom = new WeakMap<ReadonlyMap<CheckId, Check>, readonly Check[]>()

/**
 * The checks of a board after a list of them was read, in steps. What did not change stays the same
 * object, and the map too where none did; what differs is remembered (`differenceOf`). Each keeps its
 * place in the map: a copy that is changed costs half of one that is put together in the list's order.
 */
export function* mergedChecks(
  before: ReadonlyMap<CheckId, Check>,
  list: readonly Check[],
  serverNow: number,
): Generator<undefined, ReadonlyMap<CheckId, Check>> {
  if (takenIn.get(list) === before) return before
  const changed: CheckId[] = []
  const next = new Map(before)
  const last = alongside(readFrom.get(before) ?? [...before.values()])
  const others = new Set<CheckId>()
  // By place, since going through it otherwise leaves an object behind for each step.
  for (let place = 0; place < list.length; place += 1) {
    if (place % checksAStep === 0) yield
    const check = list[place]
    if (check === undefined || last.has(check)) continue
    const { id } = check
    others.add(id)
    const old = before.get(id)
    if (old === check) continue
    const seen = withBeginning(old, check, serverNow)
    const kept = old === undefined ? seen : sharing(old, seen)
    if (kept === old) continue
    next.set(id, kept)
    changed.push(kept.id)
  }
  const gone = last.passed().flatMap(({ id }) => (others.has(id) ? [] : [id]))
  for (const id of gone) next.delete(id)
  if (list.length > next.size) return yield* lastOfEachMerged(before, list, serverNow)
  const after = changed.length + gone.length === 0 ? before : next
  takenIn.set(list, after)
  readFrom.set(after, list)
  if (after !== before) rememberDifference(before, after, { changed, gone })
  return after
}

/** A list that has a check twice: what it said last counts, also where that is as before. */
function* lastOfEachMerged(
  before: ReadonlyMap<CheckId, Check>,
  list: readonly Check[],
  serverNow: number,
): Generator<undefined, ReadonlyMap<CheckId, Check>> {
  const lastOfEach = new Map(list.map((check) => [check.id, check]))
  const after = yield* mergedChecks(before, [...lastOfEach.values()], serverNow)
  takenIn.set(list, after)
  return after
}

/**
 * Finds checks of the last list in the next one. Nearly all are the same and come in the same order:
 * going through both side by side spares looking them up, and even looking at them.
 */
function alongside(last: readonly Check[]): {
  has(check: Check): boolean
  /** Those that were not found: they changed, moved far or went. */
  passed(): readonly Check[]
} {
  const passed: Check[] = []
  let expected = 0
  return {
    has(check) {
      const end = Math.min(expected + mostPassed, last.length)
      for (let place = expected; place < end; place += 1) {
        if (last[place] !== check) continue
        if (place > expected) passed.push(...last.slice(expected, place))
        expected = place + 1
        return true
      }
      return false
    },
    passed: () => [...passed, ...last.slice(expected)],
  }
}

function withBeginning(old: Check | undefined, check: Check, serverNow: number): Check {
  const since = beginning(old, check, serverNow)
  return since === check.since ? check : { ...check, since }
}

/**
 * The earliest moment known for as long as the status lasts: a later answer may only guess from the
 * deadline, and a failure signal to a check that is down moves its last ping but ends nothing.
 */
export function beginning(old: Check | undefined, check: Check, serverNow: number): number | null {
  if (old === undefined) return check.since
  if (old.status !== check.status) return check.since ?? serverNow
  if (old.since === null || check.since === null) return check.since ?? old.since
  return Math.min(old.since, check.since)
}

/**
 * The check as it was where it says the same, else as it is now. What is equal in it stays the same
 * object: it is neither kept twice nor handed to a window again.
 */
export function sharing(old: Check, check: Check): Check {
  let isSame = true
  // The map of the board has the text of the id already.
  const kept: Record<keyof Check, unknown> = { ...check, id: old.id }
  let key: keyof Check
  for (key in old) {
    if (old[key] === check[key]) continue
    if (sameValue(old[key], check[key])) kept[key] = old[key]
    else isSame = false
  }
  // Of the one or the other, field by field.
  return isSame ? old : (kept as Check & typeof kept)
}

/** Fields are flat or short lists, so comparing them is cheaper than any text made of them. */
function sameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, place) => item === other[place])
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Reflect.get(one, key) === Reflect.get(other, key))
  )
}
