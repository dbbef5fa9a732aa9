import { avifArea, gifArea, jpegArea, type PictureArea, pngArea, webpArea } from './picture-size.ts'

interface Kind {
  readonly type: string
  readonly signature: RegExp
  readonly area: (bytes: Buffer) => PictureArea
}

/** No SVG: that is a document with scripts and loads of its own. */
const kinds: readonly Kind[] = [
  { type: 'image/png', signature: /^\x89PNG\r\n/, area: pngArea },
  { type: 'image/jpeg', signature: /^\xff\xd8\xff/, area: jpegArea },
  { type: 'image/gif', signature: /^GIF8[79]a/, area: gifArea },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the length field may hold any bytes.
  { type: 'image/webp', signature: /^RIFF[\x00-\xff]{4}WEBP/, area: webpArea },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the box's size may be any bytes.
  { type: 'image/avif', signature: /^[\x00-\xff]{4}ftypavi[fs]/, area: avifArea },
]

/**
 * Decoded, each pixel takes four bytes of the window's memory, however few bytes the file has:
 * 40 megapixels are 160 MB, and more than any camera's picture that a realm makes thumbnails of.
 */
const mostPixels = 40_000_000

/**
 * A picture as a `data:` address, or null for what is none, does not tell its size, or is too large
 * once it is decoded. The type is told by the bytes: a header would be believed by us and not by the
 * decoder.
 */
export function dataImage(body: Uint8Array): string | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const start = bytes.subarray(0, 16).toString('latin1')
  const kind = kinds.find(({ signature }) => signature.test(start))
  const area = kind?.area(bytes) ?? null
  if (kind === undefined || area === null || area > mostPixels) return null
  return `data:${kind.type};base64,${bytes.toString('base64')}`
}
