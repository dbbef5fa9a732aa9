import { hasMaps, type Patch } from './patch.ts'

type Edit = Patch[number]
type Path = Edit['path']

/** Entries of one part: handing these over takes main a few ms. */
const partEntries = 1_000

/**
 * The same patch in parts that are handed over one by one, since handing over 50,000 checks at once
 * keeps main from everything else for 0.3 s. Applied as one they lead to the same state, in the same order.
 */
export function partsOf(patch: Patch): readonly Patch[] {
  const edits = patch.flatMap((edit) =>
    'value' in edit && mayBeLarge(edit.value) ? taken(edit.path, edit.value) : [edit],
  )
  const parts: Patch[] = []
  for (let at = 0; at < edits.length; at += partEntries)
    parts.push(edits.slice(at, at + partEntries))
  return parts.length === 0 ? [patch] : parts
}

/** A state holds boards, a board holds checks; what holds no map is small. */
function mayBeLarge(value: unknown): boolean {
  return value instanceof Map || hasMaps(value)
}

/** An edit without the entries of its large maps, and an edit for each of them. */
function taken(path: Path, value: unknown): Edit[] {
  const entries: Edit[] = []
  const rest = withoutLarge(value, path, entries)
  return [{ path, value: rest }, ...entries]
}

function withoutLarge(value: unknown, path: Path, entries: Edit[]): unknown {
  if (hasMaps(value)) {
    const pairs = Object.entries(value).map(([key, item]) => [
      key,
      withoutLarge(item, [...path, key], entries),
    ])
    return Object.fromEntries(pairs)
  }
  if (!(value instanceof Map)) return value
  // Keys of the state's maps are ids.
  const map = value as ReadonlyMap<string | number, unknown>
  if (map.size > partEntries) {
    for (const [key, item] of map) entries.push({ path: [...path, key], value: item })
    return new Map()
  }
  return new Map([...map].map(([key, item]) => [key, withoutLarge(item, [...path, key], entries)]))
}
