import type { Transport } from '../../src/main/base/ports.ts'
import type { HttpReply, HttpRequest } from '../../src/shared/http.ts'

export interface Scripted {
  readonly transport: Transport
  /** Every request that was made. */
  readonly requests: HttpRequest[]
}

/** A transport that answers as scripted and records the requests. */
export function scripted(
  answer: (request: HttpRequest, signal: AbortSignal) => HttpReply | Promise<HttpReply>,
): Scripted {
  const requests: HttpRequest[] = []
  return {
    requests,
    transport: async (request, signal) => {
      requests.push(request)
      return answer(request, signal)
    },
  }
}

export function reply(
  status: number,
  body: string | Uint8Array = '',
  headers: Record<string, string> = {},
): HttpReply {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return { status, headers, body: bytes }
}

export function json(value: unknown, status = 200): HttpReply {
  return reply(status, JSON.stringify(value), { 'content-type': 'application/json' })
}
