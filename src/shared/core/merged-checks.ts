import type { Check, CheckId } from './check.ts'
import { rememberDifference } from './map-difference.ts'

/** So many checks are taken in between two moments at which somebody else may have a turn. */
export const checksAStep = 256
/** Rows that changed move in some databases: so many that may be gone from a place are passed by. */
const mostPassed = 16

/** The checks that a list of them became: the very same list, read again, changes nothing. */
const takenIn = new WeakMap<readonly Check[], ReadonlyMap<CheckId, Check>>()

/**
 * The checks of a board after a list of them was read, in steps. What did not change stays the same
 * object, and the map too where none did; what differs is remembered (`differenceOf`).
 */
export function* mergedChecks(
  before: ReadonlyMap<CheckId, Check>,
  list: readonly Check[],
  serverNow: number,
): Generator<undefined, ReadonlyMap<CheckId, Check>> {
  if (takenIn.get(list) === before) return before
  const changed: CheckId[] = []
  const next = new Map<CheckId, Check>()
  const known = alongside(before)
  let added = 0
  let taken = 0
  for (const check of list) {
    if (taken % checksAStep === 0) yield
    taken += 1
    const { id } = check
    const old = known(check)
    if (old === check) {
      next.set(id, check)
      continue
    }
    const seen = withBeginning(old, check, serverNow)
    const kept = old === undefined ? seen : sharing(old, seen)
    if (old === undefined && !next.has(id)) added += 1
    next.set(id, kept)
    if (kept !== old) changed.push(id)
  }
  const isWhole = changed.length === 0 && next.size === before.size
  const after = isWhole ? before : next
  takenIn.set(list, after)
  if (isWhole) return before
  const gone = next.size - added === before.size ? [] : goneFrom(before, after)
  rememberDifference(before, after, { changed, gone })
  return after
}

/**
 * Finds what was known of each check of a list. Nearly all are the same and come in the order in which
 * they were known: going through both side by side spares looking them up. By place, since an iterator
 * leaves an object behind for each step.
 */
function alongside(before: ReadonlyMap<CheckId, Check>): (check: Check) => Check | undefined {
  const inOrder = [...before.values()]
  let expected = 0
  return (check) => {
    const old = inOrder[expected] === check ? check : before.get(check.id)
    if (old !== check) return old
    // Those before it changed, went or stand elsewhere now.
    const end = expected + mostPassed
    while (expected < end && inOrder[expected] !== check) expected += 1
    expected += 1
    return check
  }
}

function goneFrom<K>(
  before: ReadonlyMap<K, unknown>,
  after: ReadonlyMap<K, unknown>,
): readonly K[] {
  return [...before.keys()].filter((key) => !after.has(key))
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
  let kept: Record<keyof Check, unknown> | null = null
  let key: keyof Check
  for (key in old) {
    if (old[key] === check[key]) continue
    if (!sameValue(old[key], check[key])) isSame = false
    else {
      kept ??= { ...check }
      kept[key] = old[key]
    }
  }
  // Of the one or the other, field by field.
  return isSame ? old : ((kept as Check | null) ?? check)
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
