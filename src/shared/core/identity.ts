/** What stays the very same object while nothing of it changed: the patch, the tray and the engine compare by it. */

export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at])
}

/** The very same list where no item changed. */
export function mapped<Item>(
  items: readonly Item[],
  change: (item: Item) => Item,
): readonly Item[] {
  const next = items.map(change)
  return isSameList(next, items) ? items : next
}

/** A copy of a map with one entry; null or undefined: without it. */
export function withEntry<Key, Value>(
  map: ReadonlyMap<Key, Value> | undefined,
  key: Key,
  value: Value | null | undefined,
): ReadonlyMap<Key, Value> {
  const next = new Map(map)
  if (value == null) next.delete(key)
  else next.set(key, value)
  return next
}

/** Computes it once for each object, and anew where what else it is made of is not as the last time. */
export function memoized<Of extends object, Rest extends readonly unknown[], Value>(
  make: (of: Of, ...rest: Rest) => Value,
): (of: Of, ...rest: Rest) => Value {
  const known = new WeakMap<Of, { readonly rest: Rest; readonly value: Value }>()
  return (of, ...rest) => {
    const before = known.get(of)
    if (before !== undefined && isSameList(before.rest, rest)) return before.value
    const value = make(of, ...rest)
    known.set(of, { rest, value })
    return value
  }
}
