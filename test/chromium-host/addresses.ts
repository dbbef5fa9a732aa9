import { running } from './running.ts'

/**
 * Chromium aborts requests to an unknown scheme before anything can answer them, so `app://main/x`
 * is served, by interception, as `https://main.app.localhost/x`: a secure context of its own, in
 * which CSP's `'self'` works. A page's own `location` therefore differs from Electron's; main sees
 * the same.
 */
export function toPage(url: string): string {
  const parts = /^([\w+.-]+):\/\/([^/?#]*)(.*)$/.exec(url)
  const [, scheme = '', host = '', rest = ''] = parts ?? []
  return running.schemes.has(scheme) ? `https://${host}.${scheme}.localhost${rest}` : url
}

/** Converts every such address within a text. */
export function toPageAddresses(text: string): string {
  return text.replace(/[\w+.-]+:\/\/[\w.-]+\//g, toPage)
}

/** The reverse: the address as the app knows it. */
export function fromPage(url: string): string {
  const parts = /^https:\/\/([^/?#]*)\.([\w+-]+)\.localhost(.*)$/.exec(url)
  const [, host = '', scheme = '', rest = ''] = parts ?? []
  return running.schemes.has(scheme) ? `${scheme}://${host}${rest}` : url
}

/** The request patterns that a window must answer itself. */
export function servedPatterns(): { urlPattern: string }[] {
  return Array.from(running.schemes, (scheme) => ({
    urlPattern: `https://*.${scheme}.localhost/*`,
  }))
}
