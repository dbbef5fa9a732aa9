import {
  array,
  boolean,
  type GenericSchema,
  nullable,
  object,
  optional,
  record,
  safeParse,
  string,
  union,
  unknown,
} from 'valibot'

/** A ciphertext, and what is to know to tell later why it can't be opened. */
export interface Blob {
  /** Base64. Its first three bytes tell how it was encrypted: see `prefixOf`. */
  readonly blob: string
  /** Electron's name of the keyring; null where the system has one only, or it was not recorded. */
  readonly backend: string | null
  /** The program's name, by which a keyring files what it keeps. */
  readonly app: string | null
}

/** What is on disk of one key. */
export interface SavedKey extends Blob {
  /** On disk without protection, by consent. */
  readonly weak: boolean
  /** Earlier blobs that could not be opened: a keyring that comes back may still open them. */
  readonly kept: readonly Blob[]
}

/** Of the earlier blobs of a key. */
const keptLimit = 3

const blob = {
  blob: string(),
  backend: optional(nullable(string()), null),
  app: optional(nullable(string()), null),
}

/** The first documents had bare ciphertexts in `kept`, and nothing recorded beside them. */
const savedKey: GenericSchema<unknown, Omit<SavedKey, 'kept'> & { kept: (Blob | string)[] }> =
  object({
    ...blob,
    weak: optional(boolean(), false),
    kept: optional(array(union([object(blob), string()])), []),
  })

/** The keys that can be read; `bad` tells that some of the document could not. */
export function readKeys(document: unknown): { keys: Map<string, SavedKey>; bad: boolean } {
  const entries = safeParse(record(string(), unknown()), document ?? {})
  if (!entries.success) return { keys: new Map(), bad: true }
  const keys = new Map<string, SavedKey>()
  let bad = false
  for (const [name, entry] of Object.entries(entries.output)) {
    const read = safeParse(savedKey, entry)
    if (read.success) keys.set(name, { ...read.output, kept: read.output.kept.map(asBlob) })
    else bad = true
  }
  return { keys, bad }
}

function asBlob(kept: Blob | string): Blob {
  return typeof kept === 'string' ? { blob: kept, backend: null, app: null } : kept
}

/** As it is written: what says nothing is left out. */
export function keysDocument(keys: ReadonlyMap<string, SavedKey>): unknown {
  return Object.fromEntries(
    [...keys].map(([name, { weak, kept, ...own }]) => [
      name,
      {
        ...own,
        ...(weak ? { weak } : {}),
        ...(kept.length === 0 ? {} : { kept: kept.slice(-keptLimit) }),
      },
    ]),
  )
}

/** Chromium's mark of how it encrypted: on Linux `v10` is a constant key, `v11` the keyring's. */
export function prefixOf({ blob: text }: Pick<Blob, 'blob'>): string {
  return Buffer.from(text.slice(0, 4), 'base64').toString('latin1')
}
