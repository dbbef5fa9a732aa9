type Hash = typeof import('node:crypto').hash

/** Loaded by the first check that needs it. */
let hash: Hash | undefined

/**
 * The `unique_key` that a read-only key would see for this uuid: the SHA-1 of the text of its first
 * 16 hex digits. Computing it gives a check the same identity whichever kind of key reads it.
 */
export function uniqueKeyOf(uuid: string): string {
  hash ??= process.getBuiltinModule('node:crypto').hash
  // A person may have pasted it.
  const own = uuid.trim().toLowerCase()
  return hash('sha1', own.slice(0, 8) + own.slice(9, 13) + own.slice(14, 18))
}

export function isUniqueKey(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text)
}
