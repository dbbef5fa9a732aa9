import type { Done } from '../../shared/api/chat/chat-fields.ts'
import type { ChatOperationId, chatOperations } from '../../shared/api/chat/chat-operations.ts'
import type { ReplyOf } from '../../shared/api/operation.ts'
import { isRecord } from '../../shared/core/schemas.ts'
import type { HttpReply } from '../../shared/http.ts'
import { answer, asText, headerOf, type RawRequest, withHeaders } from '../answers.ts'

/** Thrown to refuse a request; the router turns it into an error response. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly extra: Readonly<Record<string, unknown>>

  constructor(
    message: string,
    options: { status?: number; code?: string; extra?: Record<string, unknown> } = {},
  ) {
    super(message)
    this.status = options.status ?? 400
    this.code = options.code ?? 'BAD_REQUEST'
    this.extra = options.extra ?? {}
  }
}

/** As strict as the real server: `1` and `"true"` are not booleans, `2.5` is not an integer. */
interface Shape<T> {
  readonly what: string
  readonly fits: (value: unknown) => value is T
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const listOf =
  <T>(fits: (value: unknown) => value is T) =>
  (value: unknown): value is T[] =>
    Array.isArray(value) && value.every(fits)

export const shapes = {
  whole: { what: 'integer', fits: isWhole },
  boolean: {
    what: 'boolean',
    fits: (value: unknown): value is boolean => typeof value === 'boolean',
  },
  wholes: { what: 'list of integers', fits: listOf(isWhole) },
  texts: { what: 'list of strings', fits: listOf(isText) },
  list: { what: 'list', fits: (value: unknown): value is unknown[] => Array.isArray(value) },
  record: { what: 'dict', fits: isRecord },
  any: { what: 'value', fits: (value: unknown): value is unknown => value !== undefined },
} satisfies Record<string, Shape<unknown>>

/** The parameters of one request. Those never read are reported as ignored. */
export class Params {
  readonly #given: URLSearchParams
  readonly #asked = new Set<string>()
  readonly #later: ReadonlySet<string>

  /** `later`: parameters that this server's level doesn't know, handled like unknown names. */
  constructor(given: URLSearchParams, later: ReadonlySet<string>) {
    this.#given = given
    this.#later = later
  }

  /** A plain-text parameter; undefined if it was not sent. */
  maybeText(name: string, alias?: string): string | undefined {
    const value = this.#take(name)
    const other = alias === undefined ? undefined : this.#take(alias)
    if (value !== undefined && other !== undefined)
      throw new Refusal(`Can't decide between '${name}' and '${alias}' arguments`, {
        code: 'REQUEST_CONFUSING_VAR',
        extra: { var_name1: name, var_name2: alias },
      })
    return value ?? other
  }

  text(name: string, alias?: string): string {
    return this.maybeText(name, alias) ?? missing(name)
  }

  word<const Word extends string>(name: string, words: readonly Word[]): Word {
    const value = this.text(name)
    const word = words.find((candidate) => candidate === value)
    if (word === undefined) throw new Refusal(`Invalid ${name}`)
    return word
  }

  /** A JSON parameter; undefined if it was not sent. */
  maybe<T>(name: string, shape: Shape<T>): T | undefined {
    const text = this.#take(name)
    if (text === undefined) return undefined
    const value = parseJson(text)
    if (value === undefined) throw new Refusal(`${name} is not valid JSON`)
    if (!shape.fits(value)) throw new Refusal(`${name} is not a valid ${shape.what}`)
    return value
  }

  json<T>(name: string, shape: Shape<T>): T {
    return this.maybe(name, shape) ?? missing(name)
  }

  /** Validates parameters that have no effect here. */
  check(shape: Shape<unknown>, ...names: string[]): void {
    for (const name of names) this.maybe(name, shape)
  }

  ignored(): string[] {
    return [...new Set(this.#given.keys())].filter((name) => !this.#asked.has(name)).sort()
  }

  #take(name: string): string | undefined {
    if (this.#later.has(name)) return undefined
    this.#asked.add(name)
    return this.#given.getAll(name).at(-1)
  }
}

function missing(name: string): never {
  throw new Refusal(`Missing '${name}' argument`, {
    code: 'REQUEST_VARIABLE_MISSING',
    extra: { var_name: name },
  })
}

/** Undefined, which JSON can't express, if the text is invalid. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    // The caller refuses the request in its own words.
    return undefined
  }
}

/** Reads form fields and the query string for any method, as the real server does. */
export function paramsOf(request: RawRequest, url: URL, later: ReadonlySet<string>): Params {
  const given = new URLSearchParams(url.search)
  const type = headerOf(request, 'content-type') ?? ''
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const { body } = asText(request)
    for (const [name, value] of new URLSearchParams(body ?? '')) given.append(name, value)
  }
  return new Params(given, later)
}

/** This server sends JSON in UTF-8 and forbids caching. */
export function jsonReply(status: number, body: Readonly<Record<string, unknown>>): HttpReply {
  return withHeaders(answer(status, 'application/json', JSON.stringify(body)), {
    'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
  })
}

export function errorReply({ status, code, message, extra }: Refusal): HttpReply {
  return jsonReply(status, { result: 'error', msg: message, code, ...extra })
}

/** An authenticated request for a known operation. */
export interface Call {
  /** Decoded path parameters, by their names in the catalogue. */
  readonly path: Readonly<Record<string, string>>
  readonly params: Params
  /** For bodies that are not forms: uploads. */
  readonly request: RawRequest
  readonly signal: AbortSignal
  /** The client's name: its user agent up to the version. */
  readonly client: string
}

/** All but tus, a separate protocol: see `createTus`. */
export type HandledId = Exclude<ChatOperationId, 'resumableUpload'>

/** Typed by the catalogue, so that the pretend server and the declarations can't drift apart. */
export type Handlers = { readonly [Id in HandledId]: Handler<(typeof chatOperations)[Id]> }

/** Returns the response's fields; nothing if there are none. */
type Handler<O extends { readonly reply: unknown }> = Done extends O['reply']
  ? (call: Call) => void
  : (call: Call) => ReplyOf<O> | Promise<ReplyOf<O>>

export function pathId(call: Call, name: string): number {
  return Number(call.path[name])
}
