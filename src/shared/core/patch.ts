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

export type Key = string | number
type Path = readonly Key[]

/** What to do with the entries of the map, or the messages of the list, at a path. */
export interface EntriesEdit {
  readonly path: Path
  readonly set: readonly (readonly [key: Key, value: unknown])[]
  /** Changed fields of existing objects: a ping changes three of a check's twenty fields. */
  readonly change: readonly (readonly [key: Key, fields: PlainObject])[]
  readonly drop: readonly Key[]
}

/** New items `put` into a list in place of the `gone` ones from `at`. */
interface ListEdit {
  readonly path: Path
  readonly at: number
  readonly gone: number
  readonly put: readonly unknown[]
}

/** One change, at a path of keys through objects and maps. */
export type Edit = { readonly path: Path; readonly value: unknown } | ListEdit | EntriesEdit

/** What a window applies to its copy of the state. The first patch sets all of it (empty path). */
export type Patch = readonly Edit[]

type PlainObject = Readonly<Record<string, unknown>>

function isPlainObject(value: unknown): value is PlainObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map)
  )
}

/** Whether an object contains maps, and so is sent in parts; anything else is sent whole. */
export function hasMaps(value: unknown): value is PlainObject {
  if (!isPlainObject(value)) return false
  for (const key in value) if (value[key] instanceof Map) return true
  return false
}

/**
 * The changes between two states. Compares by identity, so the cost depends only on the number of
 * entries in the maps that changed and the size of the changes.
 */
export function patchBetween<State extends object>(before: State, after: State): Patch {
  const edits: Edit[] = []
  compare(before, after, [], edits)
  return edits
}

function compare(before: unknown, after: unknown, path: Path, edits: Edit[]): void {
  if (before === after) return
  if (before instanceof Map && after instanceof Map) {
    // If most entries are new, sending the whole map is cheaper than comparing 100,000 of them.
    if (2 * before.size < after.size) edits.push({ path, value: after })
    else compareEntries(entriesBetween(before, after), path, edits)
  } else if (isMessageList(before) && isMessageList(after))
    compareEntries(listedBetween(before, after), path, edits)
  else if (hasMaps(before) && hasMaps(after) && haveSameKeys(before, after))
    for (const key of Object.keys(after)) {
      if (before[key] !== after[key]) compare(before[key], after[key], [...path, key], edits)
    }
  else if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, edits)
  else edits.push({ path, value: after })
}

function haveSameKeys(one: PlainObject, other: PlainObject): boolean {
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => key in other)
}

/** Finds one place where items came or went, besides old ones that left at the end: the notices. */
function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: Path,
  edits: Edit[],
): void {
  const ahead = before.length === 0 ? -1 : after.indexOf(before[0])
  const shared = before.slice(0, after.length - ahead)
  const isFront = ahead > 0 && shared.length === after.length - ahead
  if (isFront && shared.every((item, at) => item === after[ahead + at])) {
    edits.push({ path, at: 0, gone: 0, put: after.slice(0, ahead) })
    const left = before.length - shared.length
    if (left > 0) edits.push({ path, at: after.length, gone: left, put: [] })
    return
  }
  const shorter = Math.min(before.length, after.length)
  let same = 0
  while (same < shorter && before[same] === after[same]) same += 1
  let behind = 0
  while (behind < shorter - same && before.at(-1 - behind) === after.at(-1 - behind)) behind += 1
  const gone = before.length - same - behind
  const put = after.slice(same, after.length - behind)
  if (same + behind === 0 && gone !== 1) edits.push({ path, value: after })
  else if (gone === 1 && put.length === 1 && hasMaps(put[0]))
    compare(before[same], put[0], [...path, same], edits)
  else edits.push({ path, at: same, gone, put })
}

interface EntriesThatDiffer extends MapDifference<Key> {
  readonly was: (key: Key) => unknown
  readonly is: (key: Key) => unknown
  /** The values contain maps. */
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

/** A sample: the values of a map are all of the same kind. */
export function firstOf(map: ReadonlyMap<Key, unknown>): unknown {
  return map.values().next().value
}

/** Null unless fewer than half of an object's fields changed. */
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
  // Added or removed fields can't be expressed as changed ones.
  return 2 * count < all && all === Object.keys(before).length ? fields : null
}

/** The state after the patch, sharing everything the patch does not touch. */
export function applyPatch<State extends object>(state: State, patch: Patch): State {
  const copies = new Set<unknown>()
  let root: unknown = state
  for (const edit of patch) root = withEdit(root, edit, 0, copies)
  // `patchBetween` made the patch from two states, so the result is one.
  return root as State
}

/** `copies`: what this patch has copied, so that several edits in one map copy it only once. */
function withEdit(node: unknown, edit: Edit, depth: number, copies: Set<unknown>): unknown {
  const key = edit.path[depth]
  if (key === undefined) return edited(node, edit, copies)
  if (node instanceof Map) {
    const copy = own<Map<unknown, unknown>>(node, copies, () => new Map(node))
    return copy.set(key, withEdit(copy.get(key), edit, depth + 1, copies))
  }
  if (Array.isArray(node) && typeof key === 'number') {
    const copy = own<unknown[]>(node, copies, () => [...(node as unknown[])])
    copy[key] = withEdit(copy[key], edit, depth + 1, copies)
    return copy
  }
  const copy = own<Record<string, unknown>>(node, copies, () => ({ ...(node as PlainObject) }))
  copy[key] = withEdit(copy[key], edit, depth + 1, copies)
  return copy
}

function edited(node: unknown, edit: Edit, copies: Set<unknown>): unknown {
  if ('value' in edit) return edit.value
  if ('set' in edit) return withEntries(node, edit, copies)
  // `compareLists` compared two lists at this path.
  const items = node as readonly unknown[]
  return items.slice(0, edit.at).concat(edit.put, items.slice(edit.at + edit.gone))
}

function withEntries(node: unknown, edit: EntriesEdit, copies: Set<unknown>): unknown {
  if (isMessageList(node)) return withMessageEntries(node, edit)
  const { set, change, drop } = edit
  // `compareEntries` compared two maps at this path.
  const map = node as ReadonlyMap<Key, unknown>
  const copy = own<Map<Key, unknown>>(map, copies, () => new Map(map))
  for (const [key, value] of set) copy.set(key, value)
  for (const [key, fields] of change)
    copy.set(key, { ...(copy.get(key) as PlainObject), ...fields })
  for (const key of drop) copy.delete(key)
  return copy
}

function withMessageEntries(list: MessageList, { set, change, drop }: EntriesEdit): MessageList {
  // `compareEntries` compared two message lists at this path.
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

/** The cost of an entry, in ordinary entries: a message can have half a megabyte. */
export function weightOf(entry: unknown): number {
  return isPlainObject(entry) && typeof entry['html'] === 'string'
    ? 1 + entry['html'].length / 1_000
    : 1
}

/** A slow computer may take seconds to draw a patch of this many entries. */
const largePatch = 1_000

/** Whether a patch takes a window long to draw: a whole board, a storm. */
export function isLargePatch(patch: Patch): boolean {
  let entries = 0
  for (const edit of patch) {
    if ('value' in edit) entries += 1 + entriesIn(edit.value)
    else entries += 'set' in edit ? entriesOf(edit) : edit.put.length
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

/** Counts entries of nested maps too: a state contains boards, and a board contains checks. */
export function entriesIn(value: unknown): number {
  if (isMessageList(value))
    return allMessages(value).reduce((sum, message) => sum + weightOf(message), 0)
  if (!(value instanceof Map) && !hasMaps(value)) return 0
  const items: unknown[] = [...(value instanceof Map ? value.values() : Object.values(value))]
  const own = value instanceof Map ? value.size : 0
  return own >= largePatch ? own : items.reduce((sum: number, one) => sum + entriesIn(one), own)
}
