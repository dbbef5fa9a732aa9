/**
 * The first entry of a proxy list as Chromium writes it (`PROXY host:port; DIRECT`) that undici can
 * use; null for a direct connection. SOCKS is not among them, and is passed over.
 */
export function firstProxy(list: string): string | null {
  for (const entry of list.split(';')) {
    const [kind = '', host = ''] = entry.trim().split(/\s+/)
    if (kind === 'DIRECT') return null
    if (kind === 'PROXY' && host !== '') return `http://${host}`
    if (kind === 'HTTPS' && host !== '') return `https://${host}`
  }
  return null
}
