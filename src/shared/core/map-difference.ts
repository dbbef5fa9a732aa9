/** Keys of a map that came or have another value, and those that went. */
export interface MapDifference<K> {
  readonly changed: readonly K[]
  readonly gone: readonly K[]
}

/** One entry that differs; undefined where there is none. */
export interface MapChange<K, V> {
  readonly key: K
  readonly was: V | undefined
  readonly is: V | undefined
}

interface Found {
  /** Weak: a map must not keep all those before it. */
  readonly before: WeakRef<object>
  readonly difference: MapDifference<unknown>
  /** Made when somebody asks for it. */
  changes: readonly MapChange<unknown, unknown>[] | null
}

const found = new WeakMap<object, Found>()

/**
 * What is different in `after`, by identity of the values. Found once for a pair of maps: the patch,
 * the news, the history and the search for missed flips all ask for it, and looking 50,000 checks up
 * takes longer than anything that is done with those that changed.
 */
export function differenceOf<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
): MapDifference<K> {
  return differenceBy(compared, before, after)
}

/** The same of whatever else holds entries by keys. */
export function differenceBy<T extends object, K>(
  compare: (before: T, after: T) => MapDifference<K>,
  before: T,
  after: T,
): MapDifference<K> {
  if (before === after) return { changed: [], gone: [] }
  // What is remembered of these two was found in such ones with such keys.
  return foundBetween(compare, before, after).difference as MapDifference<K>
}

/**
 * The same with the values, looked up once. It is kept with the values that were: for maps of small ones.
 */
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

/** For whoever made one map of the other and knows already what differs. */
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
  // Looking for keys that are gone costs as much as all of the above.
  const isWhole = before.size + added === after.size
  return { changed, gone: isWhole ? [] : [...before.keys()].filter((key) => !after.has(key)) }
}
