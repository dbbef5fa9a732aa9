import { allMessages, isMessageList, noMessages } from '../../../shared/core/chat/message-list.ts'
import {
  type Edit,
  entriesIn,
  firstOf,
  hasMaps,
  isLargePatch,
  type Key,
  ownEntries,
  type Patch,
  weightOf,
} from '../../../shared/core/patch.ts'

/**
 * Sends patches one after the other: a small one at once, a large one in parts with turns of the
 * event loop in between. Later patches queue behind it.
 */
export function createPatchStream(parts: {
  /** `isLast`: this part completes its patch. */
  readonly send: (part: Patch, isLast: boolean) => void
  /** The page is about to draw a lot. */
  readonly onLarge: () => void
}) {
  let queue: { readonly part: Patch; readonly isLast: boolean }[] = []
  let next: NodeJS.Immediate | null = null
  /** Electron may run promise callbacks while it sends; what those push is sent afterwards. */
  let isSending = false

  const sendNext = (): void => {
    next = null
    const one = queue.shift()
    if (one === undefined) return
    isSending = true
    try {
      parts.send(one.part, one.isLast)
    } finally {
      isSending = false
      if (queue.length > 0) next = setImmediate(sendNext)
    }
  }

  return {
    push(patch: Patch) {
      const isLarge = isLargePatch(patch)
      if (isLarge) parts.onLarge()
      const pieces = isLarge ? partsOf(patch) : [patch]
      queue.push(...pieces.map((part, n) => ({ part, isLast: n === pieces.length - 1 })))
      if (next === null && !isSending) sendNext()
    },
    /** Drops what is queued: its page is gone. */
    clear() {
      if (next !== null) clearImmediate(next)
      next = null
      queue = []
    },
  }
}

type Path = Edit['path']

/** Entries per part, by weight: sending these takes main a few ms. */
const partEntries = 1_000

/**
 * The same patch in parts to be sent one by one, because sending 50,000 checks at once blocks main
 * for 0.3 s. Applied together they lead to the same state, in the same order.
 */
export function partsOf(patch: Patch): readonly Patch[] {
  const parts: Edit[][] = [[]]
  for (const edit of patch.flatMap(withoutLargeMaps).flatMap(inPieces)) {
    if (!('set' in edit) || ownEntries(edit) < partEntries) parts.at(-1)?.push(edit)
    else parts.push([edit], [])
  }
  const full = parts.filter((part) => part.length > 0)
  return full.length === 0 ? [patch] : full
}

/** Edits of at most this many entries each. */
function inPieces(edit: Edit): Edit[] {
  if (!('set' in edit) || ownEntries(edit) <= partEntries) return [edit]
  const { path, set, change, drop } = edit
  return [
    ...piecesOf(set).map((piece) => ({ path, set: piece, change: [], drop: [] })),
    ...piecesOf(change).map((piece) => ({ path, set: [], change: piece, drop: [] })),
    ...piecesOf(drop).map((piece) => ({ path, set: [], change: [], drop: piece })),
  ]
}

function piecesOf<T extends Key | readonly [Key, unknown]>(list: readonly T[]): T[][] {
  const pieces: T[][] = []
  let left = 0
  for (const one of list) {
    if (left <= 0) {
      pieces.push([])
      left = partEntries
    }
    pieces.at(-1)?.push(one)
    left -= typeof one === 'object' ? weightOf(one[1]) : 1
  }
  return pieces
}

/** Values without maps are small. */
function mayBeLarge(value: unknown): boolean {
  return value instanceof Map || hasMaps(value)
}

/** An edit without the entries of the large maps in its values, and a separate edit for each of these. */
function withoutLargeMaps(edit: Edit): Edit[] {
  const taken: Edit[] = []
  if ('value' in edit) {
    const value = withoutLarge(edit.value, edit.path, taken)
    return [{ path: edit.path, value }, ...taken]
  }
  if (!('set' in edit) || !mayBeLarge(edit.set[0]?.[1])) return [edit]
  const set = edit.set.map(
    ([key, value]) => [key, withoutLarge(value, [...edit.path, key], taken)] as const,
  )
  return [{ ...edit, set }, ...taken]
}

function withoutLarge(value: unknown, path: Path, taken: Edit[]): unknown {
  if (isMessageList(value)) {
    if (entriesIn(value) <= partEntries) return value
    const set = allMessages(value).map((message) => [message.id, message] as const)
    taken.push({ path, set, change: [], drop: [] })
    return noMessages
  }
  if (hasMaps(value)) {
    const pairs = Object.entries(value).map(([key, item]) => [
      key,
      withoutLarge(item, [...path, key], taken),
    ])
    return Object.fromEntries(pairs)
  }
  if (!(value instanceof Map)) return value
  // Keys of the state's maps are ids.
  const map = value as ReadonlyMap<Key, unknown>
  if (map.size > partEntries) {
    taken.push({ path, set: [...map], change: [], drop: [] })
    return new Map()
  }
  if (!mayBeLarge(firstOf(map))) return map
  return new Map([...map].map(([key, item]) => [key, withoutLarge(item, [...path, key], taken)]))
}
