/** In order, each once. Mostly they are that already, since what is new has the highest ids. */
export function ascending(ids: readonly number[]): readonly number[] {
  const isSorted = ids.every((id, at) => at === 0 || id > (ids[at - 1] ?? id))
  return isSorted ? ids : [...new Set(ids)].sort((a, b) => a - b)
}

/** Whether it is among ascending ids. */
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

/** Those that are not among the others; both ascending, and mostly the same but for their ends. */
export function idsBeyond(ids: readonly number[], others: readonly number[]): number[] {
  const beyond: number[] = []
  let at = 0
  for (const id of ids) {
    while ((others[at] ?? id) < id) at += 1
    if (others[at] !== id) beyond.push(id)
  }
  return beyond
}

/** `ids` ascending. What is newer than all of them, as most is, goes to the end without a look at the rest. */
export function withId(ids: readonly number[], id: number, present: boolean): readonly number[] {
  // Not `[...ids, id]`, which makes room for more that never come, nor `concat(id)`, which V8 does one by one.
  if (id > (ids.at(-1) ?? -1)) return present ? ids.concat([id]) : ids
  if (ids.includes(id) === present) return ids
  return present ? ascending([...ids, id]) : ids.filter((other) => other !== id)
}
