import type { HttpReply } from '../shared/http.ts'

/** Any method: real sockets also bring HEAD, PUT and OPTIONS. */
export interface ServedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** The same with a body that may be bytes, as the app's own transport sends it. */
export interface RawRequest extends Omit<ServedRequest, 'body'> {
  readonly body: string | Uint8Array | null
}

export function asText(request: RawRequest): ServedRequest {
  const { body } = request
  return { ...request, body: body instanceof Uint8Array ? new TextDecoder().decode(body) : body }
}

export function bodyBytes({ body }: RawRequest): Uint8Array {
  return body instanceof Uint8Array ? body : encoder.encode(body ?? '')
}

const htmlType = 'text/html; charset=utf-8'
const encoder = new TextEncoder()

/** The real server writes its JSON in ASCII and names no charset. */
export function jsonAnswer(status: number, value: unknown): HttpReply {
  const ascii = JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return answer(status, 'application/json', ascii)
}

export function errorAnswer(status: number, error: string): HttpReply {
  return jsonAnswer(status, { error })
}

/** Django sends its default type even with empty and plain-text answers. */
export const textAnswer = (status: number, text: string) => answer(status, htmlType, text)
export const emptyAnswer = (status: number) => textAnswer(status, '')

export function htmlAnswer(status: number, heading: string): HttpReply {
  const page = `<!doctype html>\n<html lang="en">\n<head>\n  <title>${heading}</title>\n</head>\n<body>\n  <h1>${heading}</h1><p></p>\n</body>\n</html>\n`
  return answer(status, htmlType, page)
}

export const notFound = () => htmlAnswer(404, 'Not Found')

export function redirectAnswer(status: number, location: string): HttpReply {
  return withHeaders(emptyAnswer(status), { location })
}

export function bytesAnswer(status: number, type: string, body: Uint8Array): HttpReply {
  return { status, headers: { 'content-type': type, 'content-length': String(body.length) }, body }
}

export function answer(status: number, type: string, body: string): HttpReply {
  return bytesAnswer(status, type, encoder.encode(body))
}

export function withHeaders(
  reply: HttpReply,
  headers: Readonly<Record<string, string>>,
): HttpReply {
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/** Thrown to answer a request early. */
export class Refused extends Error {
  readonly reply: HttpReply

  constructor(reply: HttpReply) {
    super(`refused with ${reply.status}`)
    this.reply = reply
  }
}

/** Case-insensitive; undefined if it was not sent, unlike empty. */
export function headerOf({ headers }: Pick<ServedRequest, 'headers'>, name: string) {
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
}

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** In [0, 1), reproducible from the seed (mulberry32). */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function randomHex(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('')
}

/** Looks like a version 4 UUID. */
export function randomUuid(random: Random): string {
  return randomHex(random, 30).replace(/(.{8})(.{4})(...)(...)(.*)/, '$1-$2-4$3-a$4-$5')
}
