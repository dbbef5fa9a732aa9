import type * as v from 'valibot'
import type { AccountId } from '../shared/core/account.ts'
import type { AttentionMemory } from '../shared/core/attention/memory.ts'
import { readableItems } from '../shared/core/schemas.ts'
import { type AppState, accountById } from '../shared/core/state.ts'

/** All that documents are made from: the state, and what the attention engine remembers. */
export interface Kept {
  readonly state: AppState
  readonly memory: AttentionMemory
}

/** Whether something of an account belongs in. */
type IsIn = (id: AccountId) => boolean

/** What was read, and how many items were lost: no schema fits them, or their account is gone. */
interface Restored extends Kept {
  readonly unreadable?: number
  readonly orphans?: number
}

export interface StoredDocument {
  /** What a restart would lose, in the user's words, when the disk refuses. */
  readonly words: string
  /** Its name on disk, without an ending. */
  readonly file: string
  /** It is written when one of these has become another value. */
  readonly parts: (kept: Kept) => readonly unknown[]
  /** A change that may be lost in a crash: it is written together with those of the next 10 s. */
  readonly mayWait?:
    | ((before: readonly unknown[], after: readonly unknown[]) => boolean)
    | undefined
  /** It holds the time of the last read as well, so an explicit write happens even if no part changed. */
  readonly holdsTime?: true
  /** A copy is kept of a file of which something can't be used. */
  readonly isPrecious?: boolean | undefined
  /** As JSON. */
  readonly write: (kept: Kept, isIn: IsIn) => unknown
  readonly read: (kept: Kept, document: unknown, isInDoubt: boolean) => Restored
  readonly without: (state: AppState, id: AccountId) => AppState
}

type ItemOf<Part> =
  Part extends ReadonlyMap<infer Key, infer Value>
    ? readonly [Key, Value]
    : Part extends readonly (infer Item)[]
      ? Item
      : never

/** A list of the state, or a map as pairs, in a file of its name. What can't be read is left out item by item. */
export function listDocument<Name extends keyof AppState>(
  name: Name,
  row: Pick<StoredDocument, 'words' | 'isPrecious'> & {
    readonly item: v.GenericSchema<unknown, ItemOf<AppState[Name]>>
    /** The accounts that an item goes with. */
    readonly accountsOf: (item: ItemOf<AppState[Name]>) => readonly AccountId[]
    /** An item without what only this run knows. */
    readonly saved?: (item: ItemOf<AppState[Name]>) => unknown
    readonly restored?: (
      items: readonly ItemOf<AppState[Name]>[],
      isInDoubt: boolean,
    ) => readonly ItemOf<AppState[Name]>[]
    /** Whether what was added may wait for the disk. */
    readonly mayWait?: (added: ItemOf<AppState[Name]>) => boolean
  },
): StoredDocument {
  type Item = ItemOf<AppState[Name]>
  const { words, isPrecious, mayWait } = row
  // A part of the state that is a list or a map: no other has items.
  const itemsOf = (part: unknown): Item[] => [...(part as Iterable<Item>)]
  const filtered = (items: readonly Item[], isIn: IsIn): Item[] =>
    items.filter((item) => row.accountsOf(item).every(isIn))
  const withItems = (state: AppState, items: readonly unknown[]): AppState => ({
    ...state,
    [name]: state[name] instanceof Map ? new Map(items as [unknown, unknown][]) : items,
  })
  return {
    words,
    isPrecious,
    file: name,
    parts: ({ state }) => [state[name]],
    mayWait:
      mayWait &&
      (([before], [after]) => {
        const known = new Set(itemsOf(before))
        const added = itemsOf(after).filter((item) => !known.has(item))
        return added.length > 0 && added.every(mayWait)
      }),
    write: ({ state }, isIn) => {
      const items = filtered(itemsOf(state[name]), isIn)
      return row.saved === undefined ? items : items.map(row.saved)
    },
    read: ({ state, memory }, document, isInDoubt) => {
      const read = readableItems(row.item, document)
      const items = row.restored?.(read, isInDoubt) ?? read
      const all = withItems(state, items)
      const known = filtered(items, (id) => accountById(all, id) !== null)
      const count = Array.isArray(document) ? document.length : Number(document !== null)
      return {
        state: withItems(state, known),
        memory,
        unreadable: count - read.length,
        orphans: items.length - known.length,
      }
    },
    without: (state, gone) =>
      withItems(
        state,
        filtered(itemsOf(state[name]), (id) => id !== gone),
      ),
  }
}

/** A document of everything but the demo. */
export function documentOf(row: StoredDocument, kept: Kept): unknown {
  const demos = new Set(kept.state.accounts.filter(({ demo }) => demo).map(({ id }) => id))
  return row.write(kept, (id) => !demos.has(id))
}
