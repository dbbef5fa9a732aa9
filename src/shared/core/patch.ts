import { differenceOf } from './map-difference.ts'
import type { AppState } from './state.ts'

/**
 * One change at a path of keys through objects and maps: the value there, some of its fields, or
 * (`drop`) a map's entry gone.
 */
type Edit =
  | { readonly path: readonly (string | number)[]; readonly value: unknown }
  | { readonly path: readonly (string | number)[]; readonly fields: PlainObject }
  | { readonly path: readonly (string | number)[]; readonly drop: true }

/** What a window applies to its copy of the state. The first patch has one edit with an empty path: everything. */
export type Patch = readonly Edit[]

type PlainObject = Readonly<Record<string, unknown>>

function isPlainObject(value: unknown): value is PlainObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)
  )
}

/** Holds maps of its own, so it is worth sending parts of it; anything else goes over whole. */
export function hasMaps(value: unknown): value is PlainObject {
  return isPlainObject(value) && Object.values(value).some((item) => item instanceof Map)
}

/**
 * The changed entities between two states. Works by identity: what was not touched is not looked
 * into, so the cost is the number of entries in the maps that changed and the size of what changed.
 */
export function patchBetween(before: AppState, after: AppState): Patch {
  const edits: Edit[] = []
  compare(before, after, [], edits)
  return edits
}

function compare(
  before: unknown,
  after: unknown,
  path: readonly (string | number)[],
  edits: Edit[],
): void {
  if (before === after) return
  if (before instanceof Map && after instanceof Map) compareMaps(before, after, path, edits)
  else if (hasMaps(before) && hasMaps(after))
    for (const key of Object.keys(after)) compare(before[key], after[key], [...path, key], edits)
  else edits.push({ path, value: after })
}

function compareMaps(
  before: ReadonlyMap<string | number, unknown>,
  after: ReadonlyMap<string | number, unknown>,
  path: readonly (string | number)[],
  edits: Edit[],
): void {
  const { changed, gone } = differenceOf(before, after)
  for (const key of changed) {
    const value = after.get(key)
    const old = before.get(key)
    if (hasMaps(value) && hasMaps(old)) compare(old, value, [...path, key], edits)
    else {
      const fields = changedFields(old, value)
      edits.push(
        fields === null ? { path: [...path, key], value } : { path: [...path, key], fields },
      )
    }
  }
  for (const key of gone) edits.push({ path: [...path, key], drop: true })
}

/** Of a check that was pinged three of twenty; null for what is no such change of an object. */
function changedFields(before: unknown, after: unknown): PlainObject | null {
  if (!isPlainObject(before) || !isPlainObject(after)) return null
  const keys = Object.keys(after)
  if (keys.length !== Object.keys(before).length) return null
  const fields: Record<string, unknown> = {}
  let count = 0
  for (const key of keys) {
    if (!(key in before)) return null
    if (before[key] === after[key]) continue
    fields[key] = after[key]
    count += 1
  }
  return 2 * count < keys.length ? fields : null
}

/** The state after the patch, sharing all that the patch does not touch. */
export function applyPatch(state: AppState, patch: Patch): AppState {
  const copies = new Set<unknown>()
  let root: unknown = state
  for (const edit of patch) root = withEdit(root, edit, 0, copies)
  // A patch is made by `patchBetween` on two AppStates, so what it leads to is one.
  return root as AppState
}

/** `copies` remembers what this patch already copied, so that 1,000 edits copy a map once. */
function withEdit(node: unknown, edit: Edit, depth: number, copies: Set<unknown>): unknown {
  const key = edit.path[depth]
  if (key === undefined) return editedValue(edit, node)
  const last = depth === edit.path.length - 1
  if (node instanceof Map) {
    const copy = own<Map<unknown, unknown>>(node, copies, () => new Map(node))
    if (last && 'drop' in edit) copy.delete(key)
    else copy.set(key, withEdit(copy.get(key), edit, depth + 1, copies))
    return copy
  }
  const copy = own<Record<string, unknown>>(node, copies, () => ({ ...(node as PlainObject) }))
  copy[key] = withEdit(copy[key], edit, depth + 1, copies)
  return copy
}

function editedValue(edit: Edit, node: unknown): unknown {
  if ('value' in edit) return edit.value
  return 'fields' in edit ? { ...(node as PlainObject), ...edit.fields } : undefined
}

function own<T>(node: unknown, copies: Set<unknown>, copyOf: () => T): T {
  if (copies.has(node)) return node as T
  const copy = copyOf()
  copies.add(copy)
  return copy
}

/** Entries from which drawing a patch may take a slow computer seconds. */
const largePatch = 1_000

/** Whether a window has much to do with it: a board that came whole, a storm. */
export function isLargePatch(patch: Patch): boolean {
  let entries = patch.length
  for (const edit of patch) {
    if (entries >= largePatch) return true
    if ('value' in edit) entries += entriesIn(edit.value)
  }
  return entries >= largePatch
}

/** Of the maps in a value, those below one another too: a state holds boards, a board holds checks. */
function entriesIn(value: unknown, depth = 3): number {
  if (value instanceof Map) {
    if (value.size >= largePatch || depth === 0) return value.size
    return [...value.values()].reduce(
      (sum: number, item) => sum + 1 + entriesIn(item, depth - 1),
      0,
    )
  }
  if (depth === 0 || !isPlainObject(value)) return 0
  return Object.values(value).reduce((sum: number, item) => sum + entriesIn(item, depth - 1), 0)
}
