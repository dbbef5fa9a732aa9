import type { Operation, ParamsOf, ReplyOf } from '../../shared/api/operation.ts'
import type { Exchange } from '../../shared/core/diagnosis.ts'
import { type Failure, failureCode, RequestFailed } from '../../shared/core/failure.ts'
import type { HttpReply, HttpRequest } from '../../shared/http.ts'
import type { Clock, Transport } from '../base/ports.ts'
import type { Budget, Priority } from './rate-limit.ts'
import { readReply, readReplyYielding } from './reply-reading.ts'
import {
  authorize,
  type ClientAccount,
  checkEmail,
  checkKey,
  encodeRequest,
  validParams,
} from './request-encoding.ts'

export interface ClientOptions {
  readonly account: ClientAccount
  readonly key: string
  readonly transport: Transport
  /** Shared by all clients of the same key and address. */
  readonly budget?: Budget
  readonly clock: Clock
  /** Such as `Belfry/1.2.3`; chat servers store the program's name with each message. */
  readonly userAgent: string
  /** Server clock minus ours in ms, to half a second; after each prompt reply with a Date. */
  readonly onServerOffset?: (offsetMs: number) => void
  /** Called when a request has ended, unless it was aborted. */
  readonly onExchange?: (exchange: Exchange) => void
}

interface CallOptions {
  readonly signal?: AbortSignal
  /** Defaults to `interactive` for operations that only read, else `act`. */
  readonly priority?: Priority
  /** Used instead of the client's own. */
  readonly budget?: Budget | undefined
  /** Overrides the operation's own: the server decides how long a poll for events stays open. */
  readonly deadlineMs?: number
  /** An earlier reply to the same call: its body is reused if the same bytes come again. */
  readonly before?: HttpReply | undefined
  /** Called when the budget lets the request through. */
  readonly onGranted?: () => void
  /** Sends `Cache-Control: no-cache`, so that no cache on the way answers. */
  readonly uncached?: boolean
  /** Its date says nothing of the server's clock. */
  readonly isUndated?: boolean
}

export type Client = ReturnType<typeof createClient>

type FileRequest = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body' | 'deadlineMs'> &
  Pick<HttpRequest, 'onSent' | 'stallMs'>

const defaultDeadlineMs = 20_000
/** How much later than its deadline a reply may still arrive on a busy computer. */
const graceMs = 5_000
const defaultMaxBytes = 8 * 1024 * 1024

/**
 * Calls operations of the catalogue for one account. The only holder of its key. Throws
 * `RequestFailed` of kind `invalid` for a key or e-mail that no header could carry.
 */
export function createClient(options: ClientOptions) {
  const { account, key, clock } = options
  checkKey(key)
  if (account.kind === 'chat') checkEmail(account.email)
  const neverAborted = new AbortController().signal

  const observed = observing(options)
  const exchange = async (
    operation: Operation,
    params: unknown,
    given: CallOptions,
  ): Promise<HttpReply> => {
    const { signal = neverAborted } = given
    const priority = given.priority ?? (operation.effect === 'read' ? 'interactive' : 'act')
    const { deadlineMs, before, uncached, isUndated } = given
    const encoded = encodeRequest(account, key, operation, validParams(operation, params))
    await (given.budget ?? options.budget)?.take(priority, signal)
    given.onGranted?.()
    const limitMs = deadlineMs ?? operation.deadlineMs ?? defaultDeadlineMs
    const sentAt = clock.monotonic()
    const reply = await observed(
      operation,
      {
        method: operation.method,
        url: encoded.url,
        headers: {
          ...encoded.headers,
          'user-agent': options.userAgent,
          ...(uncached === true ? { 'cache-control': 'no-cache' } : {}),
        },
        body: encoded.body,
        deadlineMs: limitMs,
        maxBytes: operation.maxBytes ?? defaultMaxBytes,
        before,
      },
      signal,
    )
    const tookMs = clock.monotonic() - sentAt
    // From before a sleep, in which the timer of the deadline stood still: it says nothing about
    // now. A long poll looks itself.
    if (operation.effect === 'read' && deadlineMs === undefined && tookMs > limitMs + graceMs)
      throw new RequestFailed({
        kind: 'network',
        reason: 'timeout',
        host: new URL(encoded.url).host,
        reached: 'maybe',
      })
    const offset = offsetBetween(reply.headers['date'], tookMs, clock.now())
    if (offset !== null && isUndated !== true) options.onServerOffset?.(offset)
    return reply
  }
  /**
   * Interprets a reply of `send` or `answer` to this operation. Throws `RequestFailed`. The cast is
   * safe: the reply was parsed by this operation's schema, whose output type this is.
   */
  const read = <O extends Operation>(operation: O, reply: HttpReply) =>
    readReply(account, operation, reply, clock.now()) as ReplyOf<O>
  /** Rejects with `RequestFailed`, or with the signal's reason when that aborts. */
  const call = async <O extends Operation>(
    operation: O,
    params: ParamsOf<O>,
    given: CallOptions = {},
  ) => {
    const reply = await exchange(operation, params, given)
    const value = await readReplyYielding(account, operation, reply, clock.now())
    given.signal?.throwIfAborted()
    return value as ReplyOf<O>
  }
  /**
   * Sends one request whose body is a file or a part of one, unencoded. `url` is a path below the
   * account's address, or absolute; rejects if it leaves that address. Any status is a reply.
   */
  const send = async (request: FileRequest, signal: AbortSignal): Promise<HttpReply> => {
    const { url, headers } = authorize(account, key, request.url)
    await options.budget?.take('interactive', signal)
    const named = { accept: 'application/json', 'user-agent': options.userAgent }
    return observed(
      { method: request.method, path: 'part of a file' },
      {
        ...request,
        url,
        headers: { ...named, ...request.headers, ...headers },
        maxBytes: defaultMaxBytes,
      },
      signal,
    )
  }
  return {
    /** The account's address: no request goes anywhere else. */
    baseUrl: account.baseUrl,
    /** Ms until the next request of this priority may be sent, if no other is waiting. */
    waitMs: (priority: Priority) => options.budget?.waitMs(priority) ?? 0,
    call,
    /** Like `call`, but returns the raw reply, whatever its status; `read` interprets it. */
    answer: <O extends Operation>(operation: O, params: ParamsOf<O>, given: CallOptions = {}) =>
      exchange(operation, params, given),
    send,
    read,
  }
}

/** Sends requests and reports each by its operation's path, never by its full URL. */
function observing({ transport, clock, budget, onExchange }: ClientOptions) {
  return async (
    { method, path }: Pick<Operation, 'path'> & { readonly method: string },
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<HttpReply> => {
    const [at, sentAt] = [clock.now(), clock.monotonic()]
    const record = (outcome: number | string, bytes: number): void => {
      const left = budget?.left() ?? null
      onExchange?.({ at, method, path, outcome, ms: clock.monotonic() - sentAt, bytes, left })
    }
    try {
      const reply = await transport(request, signal)
      record(reply.status, reply.body.length)
      return reply
    } catch (error) {
      if (error instanceof RequestFailed) record(failureCode(error.failure), 0)
      throw error
    }
  }
}

/** Wraps a client so that it reports when the service refuses the key. */
export function reportingRefusals(client: Client, onRefused: (failure: Failure) => void): Client {
  const rethrown = (error: unknown): never => {
    if (error instanceof RequestFailed && error.failure.kind === 'badKey') onRefused(error.failure)
    throw error
  }
  return {
    ...client,
    call: (operation, params, options) => client.call(operation, params, options).catch(rethrown),
    read(operation, reply) {
      try {
        return client.read(operation, reply)
      } catch (error) {
        return rethrown(error)
      }
    },
  }
}

/**
 * Server clock minus ours. Adds half a second, as the Date header is truncated to whole seconds,
 * and assumes that it was written halfway between request and reply. Null for a slow reply: a long
 * poll may have been dated when it began.
 */
function offsetBetween(
  date: string | undefined,
  tookMs: number,
  receivedAt: number,
): number | null {
  const serverAt = Date.parse(date ?? '')
  if (Number.isNaN(serverAt) || tookMs > 5_000) return null
  return Math.round(serverAt + 500 - (receivedAt - tookMs / 2))
}
