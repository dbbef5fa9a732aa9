/** A link that may be opened, with the host to show to the user. */
export interface MessageLink {
  readonly url: string
  /** "chat.example.org", or "mail to ana@example.org". */
  readonly host: string
}

/** As in `openLink` of main; checked here too so that nothing it refuses even looks like a link. */
const longestUrl = 2_048

/**
 * The full URL of a link in a message, or null for what must not be opened: a scheme other than
 * http, https and mailto, a user name or password, control characters. Root-relative URLs belong to
 * the realm that the message came from.
 */
export function messageLink(href: string, baseUrl: string): MessageLink | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (href === '' || href.length > longestUrl || /[\u0000-\u001f\u007f]/.test(href)) return null
  const url = URL.parse(href, `${baseUrl}/`)
  if (url === null || url.href.length > longestUrl) return null
  if (url.protocol === 'mailto:') return { url: url.href, host: `mail to ${url.pathname}` }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
  if (url.username !== '' || url.password !== '' || url.host === '') return null
  return { url: url.href, host: url.host }
}
