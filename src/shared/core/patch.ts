import type { Message } from './chat/message.ts'
import {
  allMessages,
  isMessageList,
  type MessageList,
  messageOf,
  messagesBetween,
  withChanged,
  withoutIds,
  withPut,
} from './chat/message-list.ts'
import { differenceOf, type MapDifference } from './map-difference.ts'
import type { AppState } from './state.ts'

export type Key = string | number
type Path = readonly Key[]

/** What to do with the entries of the map, or the messages of the list, at a path. */
export interface EntriesEdit {
  readonly path: Path
  readonly set: readonly (readonly [key: Key, value: unknown])[]
  /** Some fields of an object that is there: a check that was pinged differs in three of twenty. */
  readonly change: readonly (readonly [key: Key, fields: PlainObject])[]
  readonly drop: readonly Key[]
}

/** A list that got items at its front, and of which the first so many are still there: the notices. */
interface ListEdit {
  readonly path: Path
  readonly ahead: readonly unknown[]
  readonly kept: number
}

/** One change, at a path of keys through objects and maps. */
export type Edit = { readonly path: Path; readonly value: unknown } | ListEdit | EntriesEdit

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
  if (!isPlainObject(value)) return false
  for (const key in value) if (value[key] instanceof Map) return true
  return false
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

function compare(before: unknown, after: unknown, path: Path, edits: Edit[]): void {
  if (before === after) return
  if (before instanceof Map && after instanceof Map) {
    // Finding out of each of 100,000 that it is new takes longer than anything else that is done with them.
    if (2 * before.size < after.size) edits.push({ path, value: after })
    else compareEntries(entriesBetween(before, after), path, edits)
  } else if (isMessageList(before) && isMessageList(after))
    compareEntries(listedBetween(before, after), path, edits)
  else if (hasMaps(before) && hasMaps(after))
    for (const key of Object.keys(after)) {
      if (before[key] !== after[key]) compare(before[key], after[key], [...path, key], edits)
    }
  else edits.push(listEdit(before, after, path) ?? { path, value: after })
}

/** Null for what is no list, and for one that shares nothing with the one before. */
function listEdit(before: unknown, after: unknown, path: Path): ListEdit | null {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length === 0) return null
  const added = after.indexOf(before[0])
  if (added === -1) return null
  const kept = after.length - added
  if (kept > before.length) return null
  for (let at = 0; at < kept; at += 1) if (after[added + at] !== before[at]) return null
  return { path, ahead: after.slice(0, added), kept }
}

interface EntriesThatDiffer extends MapDifference<Key> {
  readonly was: (key: Key) => unknown
  readonly is: (key: Key) => unknown
  /** They hold maps of their own. */
  readonly isNested: boolean
}

function entriesBetween(
  before: ReadonlyMap<Key, unknown>,
  after: ReadonlyMap<Key, unknown>,
): EntriesThatDiffer {
  return {
    ...differenceOf(before, after),
    was: (key) => before.get(key),
    is: (key) => after.get(key),
    isNested: hasMaps(firstOf(after)),
  }
}

function listedBetween(before: MessageList, after: MessageList): EntriesThatDiffer {
  return {
    ...messagesBetween(before, after),
    was: (id) => messageOf(before, Number(id)),
    is: (id) => messageOf(after, Number(id)),
    isNested: false,
  }
}

function compareEntries(
  { changed, gone, was, is, isNested }: EntriesThatDiffer,
  path: Path,
  edits: Edit[],
): void {
  const set: [Key, unknown][] = []
  const change: [Key, PlainObject][] = []
  for (const key of changed) {
    const value = is(key)
    const old = was(key)
    if (isNested && hasMaps(value) && hasMaps(old)) {
      compare(old, value, [...path, key], edits)
      continue
    }
    const fields = changedFields(old, value)
    if (fields === null) set.push([key, value])
    else change.push([key, fields])
  }
  if (set.length + change.length + gone.length > 0) edits.push({ path, set, change, drop: gone })
}

/** The entries of one map are all of a kind: what one holds shows what the others may hold. */
export function firstOf(map: ReadonlyMap<Key, unknown>): unknown {
  return map.values().next().value
}

/** Null for what is no change of less than half of an object. */
function changedFields(before: unknown, after: unknown): PlainObject | null {
  if (!isPlainObject(before) || !isPlainObject(after)) return null
  const fields: Record<string, unknown> = {}
  let count = 0
  let all = 0
  for (const key in after) {
    all += 1
    const value = after[key]
    if (before[key] === value && value !== undefined) continue
    if (!(key in before)) return null
    fields[key] = value
    count += 1
  }
  // A field that came or went can't be said by fields.
  return 2 * count < all && all === Object.keys(before).length ? fields : null
}

/** The state after the patch, sharing all that the patch does not touch. */
export function applyPatch(state: AppState, patch: Patch): AppState {
  const copies = new Set<unknown>()
  let root: unknown = state
  for (const edit of patch) root = withEdit(root, edit, 0, copies)
  // A patch is made by `patchBetween` on two AppStates, so what it leads to is one.
  return root as AppState
}

/** `copies` remembers what this patch already copied, so that edits in the same map copy it once. */
function withEdit(node: unknown, edit: Edit, depth: number, copies: Set<unknown>): unknown {
  const key = edit.path[depth]
  if (key === undefined) return edited(node, edit, copies)
  if (node instanceof Map) {
    const copy = own<Map<unknown, unknown>>(node, copies, () => new Map(node))
    return copy.set(key, withEdit(copy.get(key), edit, depth + 1, copies))
  }
  const copy = own<Record<string, unknown>>(node, copies, () => ({ ...(node as PlainObject) }))
  copy[key] = withEdit(copy[key], edit, depth + 1, copies)
  return copy
}

function edited(node: unknown, edit: Edit, copies: Set<unknown>): unknown {
  if ('value' in edit) return edit.value
  if ('set' in edit) return withEntries(node, edit, copies)
  // Made by comparing two lists at this path.
  return edit.ahead.concat((node as readonly unknown[]).slice(0, edit.kept))
}

function withEntries(node: unknown, edit: EntriesEdit, copies: Set<unknown>): unknown {
  if (isMessageList(node)) return withMessageEntries(node, edit)
  const { set, change, drop } = edit
  // Made by comparing two maps at this path.
  const map = node as ReadonlyMap<Key, unknown>
  const copy = own<Map<Key, unknown>>(map, copies, () => new Map(map))
  for (const [key, value] of set) copy.set(key, value)
  for (const [key, fields] of change)
    copy.set(key, { ...(copy.get(key) as PlainObject), ...fields })
  for (const key of drop) copy.delete(key)
  return copy
}

function withMessageEntries(list: MessageList, { set, change, drop }: EntriesEdit): MessageList {
  // Made by comparing two lists of messages at this path.
  const put = set.map(([, message]) => message as Message)
  const ids = drop.map(Number)
  const changed = change.reduce(
    (next, [id, fields]) => withChanged(next, Number(id), (message) => ({ ...message, ...fields })),
    withPut(list, put),
  )
  return withoutIds(changed, new Set(ids))
}

function own<T>(node: unknown, copies: Set<unknown>, copyOf: () => T): T {
  if (copies.has(node)) return node as T
  const copy = copyOf()
  copies.add(copy)
  return copy
}

/** As many ordinary entries as one is worth: a message may hold half a megabyte. */
export function weightOf(entry: unknown): number {
  return isPlainObject(entry) && typeof entry['html'] === 'string'
    ? 1 + entry['html'].length / 1_000
    : 1
}

/** Entries from which drawing a patch may take a slow computer seconds. */
const largePatch = 1_000

/** Whether a window has much to do with it: a board that came whole, a storm. */
export function isLargePatch(patch: Patch): boolean {
  let entries = 0
  for (const edit of patch) {
    if ('value' in edit) entries += 1 + entriesIn(edit.value)
    else entries += 'set' in edit ? entriesOf(edit) : edit.ahead.length
    if (entries >= largePatch) return true
  }
  return false
}

export function ownEntries({ set, change, drop }: EntriesEdit): number {
  let weight = drop.length
  for (const entries of [set, change]) for (const [, value] of entries) weight += weightOf(value)
  return weight
}

function entriesOf(edit: EntriesEdit): number {
  const { set } = edit
  const own = ownEntries(edit)
  return own >= largePatch ? own : set.reduce((sum, [, value]) => sum + entriesIn(value), own)
}

/** Of the maps in a value, those below one another too: a state holds boards, a board holds checks. */
export function entriesIn(value: unknown): number {
  if (isMessageList(value))
    return allMessages(value).reduce((sum, message) => sum + weightOf(message), 0)
  if (!(value instanceof Map) && !hasMaps(value)) return 0
  const items: unknown[] = [...(value instanceof Map ? value.values() : Object.values(value))]
  const own = value instanceof Map ? value.size : 0
  return own >= largePatch ? own : items.reduce((sum: number, one) => sum + entriesIn(one), own)
}
