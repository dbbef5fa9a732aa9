import { gzipSync } from 'node:zlib'
import type { Fault } from './faults.ts'

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export type Framing = 'length' | 'chunks' | 'close'

/** The head as text. `close`: without a length, so the end of the connection ends the body. */
export function head({ status, headers, body }: Reply, framing: Framing): string {
  const frame = {
    length: `content-length: ${body.length}`,
    chunks: 'transfer-encoding: chunked',
    close: 'connection: close',
  }
  const lines = Object.entries(headers)
    .filter(([name]) => !['content-length', 'transfer-encoding', 'connection'].includes(name))
    .flatMap(([name, value]) => [value ?? ''].flat().map((one) => `${name}: ${one}`))
  return [`HTTP/1.1 ${status} Whatever`, ...lines, frame[framing], '', ''].join('\r\n')
}

function json(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.from(body) }
}

const queueGone = JSON.stringify({
  result: 'error',
  code: 'BAD_EVENT_QUEUE_ID',
  msg: 'Bad event queue ID',
  queue_id: 'gone',
})

export function statusReply(fault: Extract<Fault, { kind: 'status' }>): Reply {
  const body = fault.body ?? `<html><h1>${fault.status}</h1></html>`
  const isJson = body.startsWith('{')
  return {
    status: fault.status,
    headers: {
      'content-type': isJson ? 'application/json' : 'text/html',
      // By the clock that a Retry-After date is made with, unlike Node's own header.
      date: new Date(Date.now()).toUTCString(),
      ...(fault.basic === undefined ? {} : { 'www-authenticate': 'Basic realm="proxy"' }),
      ...(fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }),
    },
    body: Buffer.from(body),
  }
}

export function portalReply(by: 200 | 302 | 307 | 511): Reply {
  const isRedirect = by === 302 || by === 307
  return {
    status: by,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...(isRedirect ? { location: 'http://127.0.0.1:9/login?back=1' } : {}),
    },
    body: Buffer.from('<!doctype html><title>Hotel Wi-Fi</title><form>Room number</form>'),
  }
}

function encoded(body: Buffer, encoding: string): Reply {
  return { ...json(200, ''), headers: { 'content-encoding': encoding }, body }
}

const mebibyte = 2 ** 20
const member = gzipSync(Buffer.alloc(mebibyte, ' '), { level: 1 })

/** A gzip file may be any number of members in a row: a bomb that costs nothing to make. */
function bomb(bytes: number): Buffer {
  return Buffer.concat(Array<Buffer>(Math.ceil(bytes / mebibyte)).fill(member))
}

function stacked(times: number): Buffer {
  let body: Buffer = Buffer.from('{"checks":[]}')
  for (let n = 0; n < times; n += 1) body = gzipSync(body, { level: 1 })
  return body
}

export function bombReply(bytes: number): Reply {
  return encoded(bomb(bytes), 'gzip')
}

export function stackedReply(times: number): Reply {
  return encoded(stacked(times), Array<string>(times).fill('gzip').join(', '))
}

export function deepReply(depth: number): Reply {
  return json(200, '['.repeat(depth) + ']'.repeat(depth))
}

export const queueGoneReply: Reply = json(400, queueGone)
