import type { PingByHand, PingOutcome } from '../../shared/core/checks/ping-outcome.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import type { HttpReply, Transport } from '../http/transport.ts'

export interface PingInput extends PingByHand {
  /** The check's own ping address: of a form that `isPingAddress` knows. */
  readonly pingUrl: string
}

const deadlineMs = 20_000
/** An answer is a word or two; what is longer is another program's page. */
const maxBytes = 64 * 1024

/** Address and body of a ping. */
export function pingRequest(input: PingInput): { url: string; body: string | null } {
  const run = input.runId === null ? '' : `?rid=${encodeURIComponent(input.runId)}`
  const url = `${input.pingUrl}${suffixOf(input)}${run}`
  return { url, body: input.body === '' ? null : input.body }
}

function suffixOf({ signal, exitStatus }: PingInput): string {
  if (signal === 'success') return ''
  return signal === 'exitStatus' ? `/${exitStatus ?? 0}` : `/${signal}`
}

/**
 * Sends a ping as a job would, without the key: the address may be another host's. Null when the
 * answer was exactly OK, which says that it came in, not that anything came of it. Rejects with
 * `RequestFailed` where there was no answer, or one that no ping address gives.
 */
export async function sendPing(
  transport: Transport,
  userAgent: string,
  input: PingInput,
  signal: AbortSignal,
): Promise<PingOutcome | null> {
  const { url, body } = pingRequest(input)
  const headers = { accept: '*/*', 'user-agent': userAgent }
  const reply = await transport(
    {
      // A check may ignore every other method.
      method: 'POST',
      url,
      headers:
        body === null ? headers : { ...headers, 'content-type': 'text/plain; charset=utf-8' },
      body,
      deadlineMs,
      maxBytes,
    },
    signal,
  )
  return outcomeOf(reply)
}

/** Longer refusals are pages, not words. */
const longestMessage = 200

function outcomeOf(reply: HttpReply): PingOutcome | null {
  const { status } = reply
  const text = new TextDecoder().decode(reply.body).trim()
  const isPage = text.startsWith('<')
  if (status === 200 && text === 'OK') return null
  // Monitoring API, "Limits": the hosted service answers 200 with other words to a ping it drops.
  if (status === 429 || (status === 200 && /rate.?limit/i.test(text) && !isPage))
    return { kind: 'rateLimited' }
  if (status === 404) return { kind: 'notFound' }
  if (status >= 500) throw new RequestFailed({ kind: 'serverFault', httpStatus: status })
  if (status < 200 || (status >= 300 && status < 400)) throw malformed('redirect')
  if (status < 300) throw malformed(isPage ? 'html' : 'shape')
  const message = isPage || text.length > longestMessage ? '' : text
  return { kind: 'refused', httpStatus: status, message }
}

function malformed(what: 'html' | 'redirect' | 'shape'): RequestFailed {
  return new RequestFailed({ kind: 'malformed', what, where: '' })
}
