import { Readable } from 'node:stream'
import type { InputType } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { type NetworkReason, RequestFailed } from '../../shared/core/failure.ts'
import type { HttpReply, HttpRequest } from '../../shared/http.ts'
import type { Transport } from '../base/ports.ts'
import {
  createDispatchers,
  type HttpOptions,
  isHandshake,
  ProxyFault,
  reasonOf,
  TooLarge,
} from './dispatchers.ts'
import { isSamePacked, spareBytes, unpackedBytes } from './gzip.ts'
import { longestTimerMs } from './wait.ts'

/**
 * Real HTTP on undici's plain dispatchers, which follow no redirects: following one would carry
 * `X-Api-Key` to another host (undici drops only `Authorization` and `Cookie`).
 */
export function createHttpTransport(options: HttpOptions = {}): Transport {
  const dispatchers = createDispatchers(options)
  return async (request, signal) => {
    signal.throwIfAborted()
    const deadline = createDeadline(request, signal)
    try {
      const work = async (): Promise<HttpReply> => {
        // Undici alone takes half of main's load time, so the first request loads it.
        const { dispatcher, proxy } = await dispatchers.dispatcherFor(
          await import('undici'),
          request,
        )
        try {
          return await exchange(dispatcher, request, deadline.onSent, deadline.signal)
        } catch (error) {
          throw dispatchers.proxyFault(error, proxy) ?? error
        }
      }
      return await untilAborted(work, deadline.signal)
    } catch (error) {
      signal.throwIfAborted()
      if (deadline.signal.aborted) throw networkFailure(request, 'timeout', 'maybe')
      if (error instanceof ProxyFault) throw networkFailure(error, 'proxy', 'no')
      const reason = reasonOf(error)
      const unsent = isHandshake(reason) || dispatchers.failedConnecting(error)
      throw networkFailure(request, reason, unsent ? 'no' : 'maybe')
    } finally {
      deadline.clear()
    }
  }
}

/**
 * Aborts when the caller does, or when the exchange takes too long: as a whole, or, while a body
 * with `stallMs` is being sent, without progress.
 */
function createDeadline({ body, onSent, deadlineMs, stallMs }: HttpRequest, caller: AbortSignal) {
  const abort = new AbortController()
  const giveUp = (): void => abort.abort()
  caller.addEventListener('abort', giveUp, { once: true })
  const start = (ms: number) => setTimeout(giveUp, Math.min(ms, longestTimerMs))
  const size = body instanceof Uint8Array && stallMs !== undefined ? body.length : 0
  let timer = start(size === 0 ? deadlineMs : (stallMs ?? deadlineMs))
  const onProgress = (sent: number): void => {
    onSent?.(sent)
    if (size === 0) return
    clearTimeout(timer)
    timer = start(sent < size ? (stallMs ?? deadlineMs) : deadlineMs)
  }
  return {
    signal: abort.signal,
    onSent: onSent === undefined && size === 0 ? undefined : onProgress,
    clear() {
      clearTimeout(timer)
      caller.removeEventListener('abort', giveUp)
    },
  }
}

/**
 * Rejects at once on an abort. Undici notices one only when it has connected, which a server that
 * hangs during the TLS handshake can delay for long; it then sends nothing.
 */
function untilAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')))
    work().then(resolve, reject)
  })
}

function networkFailure(
  { url }: Pick<HttpRequest, 'url'>,
  reason: NetworkReason,
  reached: 'no' | 'maybe',
): RequestFailed {
  // No `cause`: undici's errors can hold sockets, headers and the URL with its query.
  return new RequestFailed({ kind: 'network', reason, host: new URL(url).host, reached })
}

async function exchange(
  dispatcher: Dispatcher,
  request: HttpRequest,
  onSent: OnSent | undefined,
  signal: AbortSignal,
): Promise<HttpReply> {
  const { status, headers, raw } = await dispatch(dispatcher, request, onSent, signal)
  const { before } = request
  const isSameEncoding = before?.headers['content-encoding'] === headers['content-encoding']
  if (before?.packed !== undefined && isSameEncoding && isSamePacked(raw, before.packed))
    return { ...before, status, headers }
  const body = await decoded(raw, headers['content-encoding'] ?? '', request.maxBytes)
  return { status, headers, body, ...(body === raw ? {} : { packed: raw }) }
}

interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Not decoded. */
  readonly raw: Buffer
}

/**
 * Sends the request and collects the reply itself: undici's own `request` wraps the body in a
 * stream, which costs as much again as the exchange. A truncated body (fewer bytes than announced,
 * an unfinished chunk) is an error.
 */
function dispatch(
  dispatcher: Dispatcher,
  { url, method, headers, body, maxBytes }: HttpRequest,
  onSent: OnSent | undefined,
  signal: AbortSignal,
): Promise<RawReply> {
  const { origin, pathname, search } = new URL(url)
  const sent = bodyOf(body, onSent)
  const options = {
    origin,
    path: `${pathname}${search}`,
    method,
    headers: { 'accept-encoding': 'gzip', ...headers, ...lengthOf(body, onSent) },
    body: sent,
  }
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(
      options,
      collector(maxBytes, signal, resolve, (error) => {
        if (sent instanceof Readable) sent.destroy()
        reject(error)
      }),
    )
  })
}

/** Collects a reply in memory, up to `maxBytes`. Aborting the signal also closes the connection. */
function collector(
  maxBytes: number,
  signal: AbortSignal,
  onReply: (reply: RawReply) => void,
  onError: (error: Error) => void,
): Dispatcher.DispatchHandler {
  let status = 0
  let headers: Readonly<Record<string, string>> = {}
  const chunks: Buffer[] = []
  let size = 0
  return {
    onRequestStart(controller) {
      const stop = (): void => controller.abort(new Error('aborted'))
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop)
    },
    onResponseStart(_controller, code, fields) {
      status = code
      headers = joined(fields)
    },
    onResponseData(controller, chunk) {
      size += chunk.length
      const announced = Number(headers['content-length']) || 0
      if (Math.max(size, announced) > maxBytes) controller.abort(new TooLarge())
      else chunks.push(chunk)
    },
    onResponseEnd: () => onReply({ status, headers, raw: Buffer.concat(chunks, size) }),
    onResponseError: (_controller, error) => onError(error),
  }
}

function joined(
  fields: Readonly<Record<string, string | readonly string[] | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  )
}

const sliceBytes = 64 * 1024

type OnSent = (bytes: number) => void

/** In slices if progress is reported: undici asks for the next one when one has been sent. */
function bodyOf(
  body: HttpRequest['body'],
  onSent: OnSent | undefined,
): string | Uint8Array | Readable | null {
  return body instanceof Uint8Array && onSent !== undefined
    ? Readable.from(slices(body, onSent))
    : body
}

/** Servers want a Content-Length, which undici doesn't know for a stream. */
function lengthOf(body: HttpRequest['body'], onSent: OnSent | undefined): Record<string, string> {
  return body instanceof Uint8Array && onSent !== undefined
    ? { 'content-length': String(body.length) }
    : {}
}

async function* slices(body: Uint8Array, onSent: OnSent) {
  for (let at = 0; at < body.length; at += sliceBytes) {
    yield body.subarray(at, at + sliceBytes)
    onSent(Math.min(at + sliceBytes, body.length))
  }
}

/** Loaded by the first compressed reply, not at startup. */
function zlib(): typeof import('node:zlib') {
  return process.getBuiltinModule('node:zlib')
}

type Decode = (
  raw: InputType,
  limits: { chunkSize: number; maxOutputLength: number },
  done: (error: Error | null, result: Buffer) => void,
) => void

/**
 * Decodes in one call off the main thread. By default each 16 kB costs a round trip; with one chunk
 * for the whole body, a list of 10,000 checks takes a third of the time and is not copied together.
 */
async function decoded(raw: Buffer, encoding: string, maxBytes: number): Promise<Uint8Array> {
  const wanted = Math.max(unpackedBytes(raw) + spareBytes, 16_384)
  const chunkSize = Math.min(wanted, maxBytes + spareBytes)
  const limits = { chunkSize, maxOutputLength: maxBytes }
  const inThread = (decode: Decode) =>
    new Promise<Buffer>((resolve, reject) => {
      decode(raw, limits, (error, result) => (error === null ? resolve(result) : reject(error)))
    })
  switch (raw.length === 0 ? 'identity' : encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return raw
    case 'gzip':
    case 'x-gzip':
      return inThread(zlib().gunzip)
    case 'br':
      return inThread(zlib().brotliDecompress)
    default:
      // Also for several encodings, which are an attack (CVE-2026-22036): we ask for gzip alone.
      throw new Error('unknown content-encoding')
  }
}
