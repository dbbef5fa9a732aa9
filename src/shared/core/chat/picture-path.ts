import { parsedUrl } from '../parsed-url.ts'

/** Uploads and their thumbnails: the server requires the key for them (chat API, "Files"). */
const uploads = /^\/user_uploads\/[^/]/
/** The realm's proxy for external pictures, avatars and custom emoji, built-in extra emoji. */
const openToAll = /^\/(?:external_content|user_avatars|static\/generated\/emoji)\/[^/]/
const longestPath = 2_048

/** A picture that a realm serves itself. */
export interface PicturePath {
  /** With its query, relative to the account's base URL. */
  readonly path: string
  readonly needsKey: boolean
}

/**
 * Where main may fetch a message's picture, or null: only from the message's own realm, and only
 * where realms keep pictures, so that no message can make us request anything else. The window
 * calls it to offer nothing in vain; main calls it again, since it trusts no window.
 */
export function picturePath(address: string, baseUrl: string): PicturePath | null {
  if (address.length > longestPath) return null
  const base = parsedUrl(baseUrl)
  const rooted = address.startsWith('/') && !address.startsWith('//')
  const url = parsedUrl(rooted ? `${baseUrl}${address}` : address)
  if (base === null || url === null || url.origin !== base.origin) return null
  if (url.username !== '' || url.password !== '') return null
  const above = base.pathname.replace(/(?<!\/)\/+$/, '')
  if (!url.pathname.startsWith(`${above}/`)) return null
  const path = url.pathname.slice(above.length)
  // Encoded separators mean one thing to us and may mean another to the server behind its proxy.
  if (/%(?:2f|5c|00)/i.test(path)) return null
  const needsKey = uploads.test(path)
  return needsKey || openToAll.test(path) ? { path: `${path}${url.search}`, needsKey } : null
}
