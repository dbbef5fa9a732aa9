import { createHash } from 'node:crypto'

/**
 * The `unique_key` that a read-only key would see for this uuid: the SHA-1 of the text of its first
 * 16 hex digits. Computing it gives a check the same identity whichever kind of key reads it.
 */
export function uniqueKeyOf(uuid: string): string {
  const digits = uuid.replaceAll('-', '').slice(0, 16)
  return createHash('sha1').update(digits, 'ascii').digest('hex')
}
