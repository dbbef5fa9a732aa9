import type * as v from 'valibot'
import { type AccountId, accountById } from '../../shared/core/account.ts'
import type { EventKind } from '../../shared/core/attention/event.ts'
import type { AttentionMemory } from '../../shared/core/attention/memory.ts'
import type { RunMemory } from '../../shared/core/attention/runs/usual-runs.ts'
import { readableItems } from '../../shared/core/schemas.ts'
import type { AppState } from '../../shared/core/state.ts'
import { counter } from '../storage/left-out.ts'
import type { Persisted } from '../storage/persister.ts'

/**
 * Everything that documents are made from: the state, the attention engine's memory, and that of
 * runs; and where the user's own sounds and programs are, which no window learns.
 */
export interface Kept {
  readonly state: AppState
  readonly memory: AttentionMemory
  readonly runs: RunMemory
  /** Absent: as before. */
  readonly soundPaths?: ReadonlyMap<EventKind, string>
  readonly programPaths?: ReadonlyMap<string, string>
}

/** Whether items of an account are included. */
type IsIn = (id: AccountId) => boolean

/** What was read, the rest being unchanged; and how many parts fit no schema, or belong to no account. */
interface Restored extends Omit<Kept, 'runs'>, Partial<Pick<Kept, 'runs'>> {
  readonly unreadable?: number
  readonly orphans?: number
}

export interface StoredDocument extends Persisted<Kept> {
  /** The file name, without extension. */
  readonly file: string
  /** A copy is kept even if only its accounts could not be read. */
  readonly isPrecious?: boolean | undefined
  /** Returns the content, to be stored as JSON. */
  readonly write: (kept: Kept, isIn: IsIn) => unknown
  readonly read: (kept: Kept, document: unknown, isInDoubt: boolean) => Restored
  readonly without: (state: AppState, id: AccountId) => AppState
}

/** How many of these pairs, each of an account's id and something, are of accounts that aren't there. */
export function strangersAmong(
  state: Pick<AppState, 'accounts'>,
  ...all: readonly Iterable<readonly [AccountId, unknown]>[]
): number {
  const ids = new Set(all.flatMap((pairs) => [...pairs].map(([id]) => id)))
  return [...ids].filter((id) => accountById(state, id) === null).length
}

type ItemOf<Part> =
  Part extends ReadonlyMap<infer Key, infer Value>
    ? readonly [Key, Value]
    : Part extends readonly (infer Item)[]
      ? Item
      : never

/**
 * A list in the state, or a map as pairs, in a file of the same name. Items that can't be read are
 * left out one by one.
 */
export function listDocument<Name extends keyof AppState>(
  name: Name,
  row: Pick<StoredDocument, 'words' | 'isPrecious' | 'after'> & {
    readonly item: v.GenericSchema<unknown, ItemOf<AppState[Name]>>
    /** The accounts that an item belongs to; it is dropped with the first that is removed. */
    readonly accountsOf: (item: ItemOf<AppState[Name]>) => readonly AccountId[]
    /** What of an item belongs to such accounts; by default all or nothing. */
    readonly within?: (item: ItemOf<AppState[Name]>, isIn: IsIn) => ItemOf<AppState[Name]> | null
    /** The item without fields that only this run needs. */
    readonly saved?: (item: ItemOf<AppState[Name]>) => unknown
    readonly restored?: (
      items: readonly ItemOf<AppState[Name]>[],
      isInDoubt: boolean,
    ) => readonly ItemOf<AppState[Name]>[]
    /** Whether the write of an added item may be deferred. */
    readonly mayWait?: (added: ItemOf<AppState[Name]>) => boolean
  },
): StoredDocument {
  type Item = ItemOf<AppState[Name]>
  const { words, isPrecious, after, mayWait } = row
  // Only for parts of the state that are lists or maps: no others have items.
  const itemsOf = (part: unknown): Item[] => [...(part as Iterable<Item>)]
  const filtered = (items: readonly Item[], isIn: IsIn): Item[] =>
    row.within === undefined
      ? items.filter((item) => row.accountsOf(item).every(isIn))
      : items.map((item) => row.within?.(item, isIn) ?? null).filter((item) => item !== null)
  const withItems = (state: AppState, items: readonly unknown[]): AppState => ({
    ...state,
    [name]: state[name] instanceof Map ? new Map(items as [unknown, unknown][]) : items,
  })
  return {
    words,
    isPrecious,
    after,
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
      const lost = counter()
      const read = readableItems(row.item, document ?? [], lost.add)
      const items = row.restored?.(read, isInDoubt) ?? read
      const all = withItems(state, items)
      const known = filtered(items, (id) => accountById(all, id) !== null)
      return {
        state: withItems(state, known),
        memory,
        unreadable: lost.count(),
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

/** The content to store: everything except the demo. */
export function documentOf(row: StoredDocument, kept: Kept): unknown {
  const demos = new Set(kept.state.accounts.filter(({ demo }) => demo).map(({ id }) => id))
  return row.write(kept, (id) => !demos.has(id))
}
