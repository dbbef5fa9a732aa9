/** A service has 10,000 checks at most, and none changes its uuid; what is beyond is computed anew. */
const mostKept = 100_000
const kept = new Map<string, string>()

/**
 * The `unique_key` that a read-only key would see for this uuid: the SHA-1 of the text of its first
 * 16 hex digits. Computing it gives a check the same identity whichever kind of key reads it.
 */
export function uniqueKeyOf(uuid: string): string {
  const known = kept.get(uuid)
  if (known !== undefined) return known
  const key = process
    .getBuiltinModule('node:crypto')
    .hash('sha1', uuid.replaceAll('-', '').slice(0, 16))
  if (kept.size < mostKept) kept.set(uuid, key)
  return key
}
