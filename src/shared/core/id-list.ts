/** Sorted and without duplicates. Usually a no-op, since new items have the highest ids. */
export function ascending(ids: readonly number[]): readonly number[] {
  const isSorted = ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? id))
  return isSorted ? ids : [...new Set(ids)].sort((a, b) => a - b)
}

/** Binary search: `ids` must be ascending. */
export function hasId(ids: readonly number[], id: number): boolean {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ids[middle] ?? id) < id) low = middle + 1
    else high = middle
  }
  return ids[low] === id
}

/** The ids that are not in `others`; both lists must be ascending. */
export function idsBeyond(ids: readonly number[], others: readonly number[]): number[] {
  const beyond: number[] = []
  let at = 0
  for (const id of ids) {
    while ((others[at] ?? id) < id) at += 1
    if (others[at] !== id) beyond.push(id)
  }
  return beyond
}

/** Adds or removes an id; `ids` must be ascending. Usually the id is new, so it is appended. */
export function withId(ids: readonly number[], id: number, present: boolean): readonly number[] {
  // `[...ids, id]` would over-allocate, and V8 is slow at `concat(id)`.
  if (id > (ids.at(-1) ?? -1)) return present ? ids.concat([id]) : ids
  if (ids.includes(id) === present) return ids
  return present ? ascending([...ids, id]) : ids.filter((other) => other !== id)
}
