import { session } from 'electron'
import { firstProxy } from './proxy.ts'

/** A proxy script that hangs must not hang every request with it. */
const resolveLimitMs = 3_000

/** The system's proxy for an address, as the browser would choose it (settings, PAC); null for none. */
export async function systemProxy(url: string): Promise<string | null> {
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve('DIRECT'), resolveLimitMs).unref()
  })
  return firstProxy(await Promise.race([session.defaultSession.resolveProxy(url), late]))
}
