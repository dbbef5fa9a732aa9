/** Helpers that keep unchanged objects identical: patch, tray and engine compare by identity. */

export function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at])
}

/** `items.map(change)`, but returns the same list if no item changed. */
export function mapped<Item>(
  items: readonly Item[],
  change: (item: Item) => Item,
): readonly Item[] {
  const next = items.map(change)
  return isSameList(next, items) ? items : next
}

/** A copy of the map with one entry set, or removed if the value is null or undefined. */
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

/** Caches the last value for each `of`, as long as the other arguments stay the same. */
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
