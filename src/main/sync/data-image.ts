/** No SVG: that is a document with scripts and loads of its own. */
const signatures: readonly (readonly [type: string, signature: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the length field may hold any bytes.
  ['image/webp', /^RIFF[\x00-\xff]{4}WEBP/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the box's size may be any bytes.
  ['image/avif', /^[\x00-\xff]{4}ftypavi[fs]/],
]

/**
 * A picture as a `data:` address, or null for what is none. The type is told by the bytes: a header
 * would be believed by us and not by the decoder.
 */
export function dataImage(body: Uint8Array): string | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const start = bytes.subarray(0, 16).toString('latin1')
  const type = signatures.find(([, signature]) => signature.test(start))?.[0]
  return type === undefined ? null : `data:${type};base64,${bytes.toString('base64')}`
}
