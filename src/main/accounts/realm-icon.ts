import { RequestFailed } from '../../shared/core/failure.ts'
import { dataImage } from '../chat/pictures.ts'
import type { Transport } from '../http/transport.ts'

const maxBytes = 100_000
const deadlineMs = 10_000

/**
 * A realm's icon as a `data:` image, or null where there is none that may be shown. Fetched from the
 * realm's own origin only and without credentials: the address comes from the server, and could
 * otherwise point a key, or this computer's view of the network, anywhere.
 */
export async function fetchRealmIcon(options: {
  readonly baseUrl: string
  readonly icon: string | null
  readonly transport: Transport
  readonly userAgent: string
  readonly signal: AbortSignal
}): Promise<string | null> {
  const { baseUrl, icon, transport, userAgent, signal } = options
  const { origin } = new URL(baseUrl)
  if (icon === null || icon === '' || !URL.canParse(icon, origin)) return null
  const url = new URL(icon, origin)
  if (url.origin !== origin || url.username !== '' || url.password !== '') return null
  const headers = { accept: 'image/*', 'user-agent': userAgent }
  try {
    const reply = await transport(
      { method: 'GET', url: url.href, headers, body: null, deadlineMs, maxBytes },
      signal,
    )
    return reply.status === 200 ? dataImage(reply.body) : null
  } catch (error) {
    // An account without a picture is as good as one with it.
    if (error instanceof RequestFailed) return null
    throw error
  }
}
