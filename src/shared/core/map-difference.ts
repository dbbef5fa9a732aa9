/** Keys of a map that came or have another value, and those that went. */
export interface MapDifference<K> {
  readonly changed: readonly K[]
  readonly gone: readonly K[]
}

interface Found {
  /** Weak: a map must not keep all those before it. */
  readonly before: WeakRef<ReadonlyMap<unknown, unknown>>
  readonly difference: MapDifference<unknown>
}

const found = new WeakMap<ReadonlyMap<unknown, unknown>, Found>()

/**
 * What is different in `after`, by identity of the values. Found once for a pair of maps: the patch,
 * the news, the history and the search for missed flips all ask for it, and looking 50,000 checks up
 * takes longer than anything that is done with those that changed.
 */
export function differenceOf<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
): MapDifference<K> {
  if (before === after) return { changed: [], gone: [] }
  const known = found.get(after)
  // What is remembered of these maps was found in maps of such keys.
  if (known?.before.deref() === before) return known.difference as MapDifference<K>
  const difference = compared(before, after)
  rememberDifference(before, after, difference)
  return difference
}

/** For whoever made one map of the other and knows already what differs. */
export function rememberDifference<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
  difference: MapDifference<K>,
): void {
  found.set(after, { before: new WeakRef(before), difference })
}

function compared<K, V>(before: ReadonlyMap<K, V>, after: ReadonlyMap<K, V>): MapDifference<K> {
  const changed: K[] = []
  let added = 0
  for (const [key, value] of after) {
    const old = before.get(key)
    if (old === undefined && !before.has(key)) added += 1
    else if (old === value) continue
    changed.push(key)
  }
  // Looking for keys that are gone costs as much as all of the above.
  const isWhole = before.size + added === after.size
  return { changed, gone: isWhole ? [] : [...before.keys()].filter((key) => !after.has(key)) }
}
