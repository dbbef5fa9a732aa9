import { RequestFailed } from '../../shared/core/failure.ts'
import type { Transport } from './transport.ts'

const maxBytes = 100_000
const deadlineMs = 10_000

/** No SVG: that is a document with scripts and loads of its own. */
const signatures: readonly (readonly [type: string, signature: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the length field may hold any bytes.
  ['image/webp', /^RIFF[\x00-\xff]{4}WEBP/],
]

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

/** The type is told by the bytes: a header would be believed by us and not by the decoder. */
function dataImage(body: Uint8Array): string | null {
  const bytes = Buffer.from(body)
  const start = bytes.subarray(0, 16).toString('latin1')
  const type = signatures.find(([, signature]) => signature.test(start))?.[0]
  return type === undefined ? null : `data:${type};base64,${bytes.toString('base64')}`
}
