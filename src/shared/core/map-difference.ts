/** `changed`: keys that were added or have a new value. `gone`: keys that were removed. */
export interface MapDifference<K> {
  readonly changed: readonly K[]
  readonly gone: readonly K[]
}

/** An entry that differs. `was` is undefined for an added key, `is` for a removed one. */
export interface MapChange<K, V> {
  readonly key: K
  readonly was: V | undefined
  readonly is: V | undefined
}

interface Found {
  /** Weak, or each map would keep all earlier ones alive. */
  readonly before: WeakRef<object>
  readonly difference: MapDifference<unknown>
  /** Computed on demand. */
  changes: readonly MapChange<unknown, unknown>[] | null
}

const found = new WeakMap<object, Found>()

/**
 * The difference between two maps, by identity of the values. Cached for each pair: the patch, the
 * events, the history and the search for missed flips all need it, and comparing 50,000 checks
 * takes longer than anything done with the few that changed.
 */
export function differenceOf<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
): MapDifference<K> {
  return differenceBy(compared, before, after)
}

/** The same for any other keyed collection. */
export function differenceBy<T extends object, K>(
  compare: (before: T, after: T) => MapDifference<K>,
  before: T,
  after: T,
): MapDifference<K> {
  if (before === after) return { changed: [], gone: [] }
  // Whatever is cached for this pair came from this `compare`, so its keys have this type.
  return foundBetween(compare, before, after).difference as MapDifference<K>
}

/** The same with the values. The cache keeps old values alive, so only for maps of small ones. */
export function changesBetween<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
): readonly MapChange<K, V>[] {
  if (before === after) return []
  const known = foundBetween(compared, before, after)
  known.changes ??= [known.difference.changed, known.difference.gone]
    .flat()
    .map((key) => ({ key, was: before.get(key as K), is: after.get(key as K) }))
  return known.changes as readonly MapChange<K, V>[]
}

function foundBetween<T extends object>(
  compare: (before: T, after: T) => MapDifference<unknown>,
  before: T,
  after: T,
): Found {
  const known = found.get(after)
  if (known?.before.deref() === before) return known
  return remember(before, after, compare(before, after))
}

/** Fills the cache for a caller that made one map from the other and knows the difference. */
export function rememberDifference<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
  difference: MapDifference<K>,
): void {
  remember(before, after, difference)
}

function remember(before: object, after: object, difference: MapDifference<unknown>): Found {
  const one: Found = { before: new WeakRef(before), difference, changes: null }
  found.set(after, one)
  return one
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
  // Skips the search for removed keys, as slow as the loop above, if there can't be any.
  const isWhole = before.size + added === after.size
  return { changed, gone: isWhole ? [] : [...before.keys()].filter((key) => !after.has(key)) }
}
