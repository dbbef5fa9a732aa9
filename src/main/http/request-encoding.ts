import { type GenericIssue, getDotPath, safeParse } from 'valibot'
import type { Operation } from '../../shared/api/operation.ts'
import type { RequestPreview } from '../../shared/contract.ts'
import {
  type Account,
  type ChatAccount,
  emailPattern,
  type MonitoringAccount,
} from '../../shared/core/account.ts'
import { invalid } from '../../shared/core/failure.ts'
import type { HttpRequest } from '../../shared/http.ts'

/** What a request needs to know about an account. */
export type ClientAccount =
  | Pick<MonitoringAccount, 'kind' | 'baseUrl' | 'keyKind'>
  | Pick<ChatAccount, 'kind' | 'baseUrl' | 'email'>

type Values = Readonly<Record<string, unknown>>

/** Validates params, so that a mistake shows at its field and not as the server's cryptic 400. */
export function validParams(operation: Operation, params: unknown): Values {
  const parsed = safeParse(operation.params, params)
  if (parsed.success) {
    const wrong = operation.refuses?.(parsed.output)
    if (wrong != null) throw invalid(wrong.field, wrong.message)
    return parsed.output
  }
  const issue = parsed.issues[0]
  throw invalid(getDotPath(issue) ?? '', issueWords(issue))
}

/** A violated limit in words: a schema's own, but not valibot's ("Invalid length: …"). */
function issueWords(issue: GenericIssue): string {
  if (!issue.message.startsWith('Invalid ')) return issue.message
  const limit = typeof issue.requirement === 'number' ? String(issue.requirement) : ''
  const size = typeof issue.input === 'string' ? 'characters' : 'items'
  switch (issue.type) {
    case 'max_length':
      return `at most ${limit} ${size}`
    case 'min_length':
    case 'non_empty':
      return limit === '' || limit === '1' ? 'must not be empty' : `at least ${limit} ${size}`
    case 'max_value':
      return `at most ${limit}`
    case 'min_value':
      return `at least ${limit}`
    case 'integer':
      return 'must be a whole number'
    case 'object':
    case 'strict_object':
    case 'loose_object':
      return issue.received === 'undefined' ? 'is required' : `must be ${issue.expected ?? 'other'}`
    default:
      if (issue.received === 'undefined') return 'is required'
      return issue.expected === null ? 'has the wrong format' : `must be ${issue.expected}`
  }
}

/**
 * A key goes into a header: anything outside visible ASCII is a pasting mistake at best, and HTTP
 * libraries quote the offending value in their error messages.
 */
export function checkKey(key: string): void {
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw invalid('key', 'A key has no spaces, line breaks or special characters in it.')
  }
}

export function checkEmail(email: string): void {
  if (!emailPattern.test(email)) throw invalid('email', 'This is not an e-mail address.')
}

export function encodeRequest(
  account: ClientAccount,
  key: string,
  operation: Operation,
  values: Values,
): Pick<HttpRequest, 'url' | 'headers' | 'body'> {
  const { path, rest } = filledPath(operation.path, values)
  const inQuery = operation.method === 'GET'
  const query = inQuery ? formFields(account.kind, rest).toString() : ''
  const url = `${account.baseUrl}${path}${query === '' ? '' : `?${query}`}`
  demandWithin(account.baseUrl, url)
  const headers: Record<string, string> = {
    accept: operation.replyAs === 'text' ? '*/*' : 'application/json',
    ...(operation.anonymous ? {} : credentials(account, key)),
  }
  const body = inQuery ? null : encodedBody(account.kind, operation.method, rest)
  if (body !== null) headers['content-type'] = bodyType[account.kind]
  return { url, headers, body }
}

/** URL and credentials for a request outside the catalogue. Throws like `demandWithin`. */
export function authorize(
  account: ClientAccount,
  key: string,
  url: string,
): Pick<HttpRequest, 'url' | 'headers'> {
  const absolute = url.startsWith('/') ? `${account.baseUrl}${url}` : url
  demandWithin(account.baseUrl, absolute)
  return { url: absolute, headers: credentials(account, key) }
}

function credentials(account: ClientAccount, key: string): Record<string, string> {
  if (account.kind === 'monitoring') return { 'x-api-key': key }
  const pair = Buffer.from(`${account.email}:${key}`, 'utf8')
  return { authorization: `Basic ${pair.toString('base64')}` }
}

/**
 * Throws if a request would leave the address that its key belongs to. Paths are constants and
 * their values are encoded, so this is a second line of defence: it catches a path such as
 * `@evil.example/`, which would turn the account's host into a user name, and any `..` upwards.
 */
export function demandWithin(baseUrl: string, url: string): void {
  const base = new URL(baseUrl)
  const target = new URL(url)
  const within = `${base.pathname.replace(/(?<!\/)\/+$/, '')}/`
  if (
    target.origin !== base.origin ||
    target.username !== '' ||
    target.password !== '' ||
    !target.pathname.startsWith(within)
  ) {
    throw new Error('the request would send credentials outside of their address')
  }
}

/** Fills each `{name}` in the path; the remaining values go into the query or the body. */
function filledPath(template: string, values: Values): { path: string; rest: Values } {
  const rest: Record<string, unknown> = { ...values }
  const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = rest[name]
    delete rest[name]
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    // A dot segment survives the encoding and would be resolved into another path.
    if (text === '' || text === '.' || text === '..') throw invalid(name, 'is required')
    return encodeURIComponent(text)
  })
  return { path, rest }
}

const bodyType = {
  monitoring: 'application/json',
  chat: 'application/x-www-form-urlencoded',
} as const

function encodedBody(
  kind: ClientAccount['kind'],
  method: Operation['method'],
  rest: Values,
): string | null {
  if (kind === 'chat') return formFields(kind, rest).toString()
  // Monitoring API: DELETE takes the key in the header only and has no body.
  return method === 'DELETE' ? null : JSON.stringify(rest)
}

/**
 * Chat: a string is sent as is, anything else as JSON text. Monitoring: a list repeats its field
 * (`tag=a&tag=b`).
 */
function formFields(kind: ClientAccount['kind'], values: Values): URLSearchParams {
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    const repeated: readonly unknown[] =
      kind === 'monitoring' && Array.isArray(value) ? value : [value]
    for (const item of repeated) {
      fields.append(name, typeof item === 'string' ? item : JSON.stringify(item))
    }
  }
  return fields
}

/** Stands in for the key; a shell expands it to the user's own. */
const placeholder = '$KEY'

/**
 * The request that `run` would send, encoded in the same way but with `$KEY` for the key: the real
 * one is not even needed. Throws `RequestFailed` of kind `invalid` as `run` would.
 */
export function previewOf(
  account: Account,
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
): RequestPreview {
  const values = withoutPasswords(validParams(operation, params))
  if (operation.sends !== undefined) return filePreview(account, operation)
  const { url, headers, body } = encodeRequest(account, placeholder, operation, values)
  const shown =
    account.kind === 'chat' && 'authorization' in headers
      ? { ...headers, authorization: `Basic ${account.email}:${placeholder}` }
      : headers
  const text = typeof body === 'string' ? body : null
  const curl = curlOf(account, operation, { url, headers, body: text })
  return { method: operation.method, url, headers: shown, body: text, curl }
}

/** A preview is shown on screen, and its curl command is copied to the clipboard. */
function withoutPasswords(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name.endsWith('password') ? '$PASSWORD' : value,
    ]),
  )
}

/** Doesn't read the file: `FILE` stands in for its path. */
function filePreview(account: Account, operation: Operation): RequestPreview {
  const { method, path } = operation
  const url = `${account.baseUrl}${path}`
  const user = account.kind === 'chat' ? account.email : ''
  const headers = { authorization: `Basic ${user}:${placeholder}` }
  const login = `-u ${quoted(`${user}:`)}"${placeholder}"`
  const parts =
    operation.sends === 'multipart'
      ? [`curl -X ${method} ${quoted(url)}`, login, `-F 'file=@FILE'`]
      : [
          `curl -X ${method} ${quoted(`${url}/`)}`,
          login,
          `-H 'Tus-Resumable: 1.0.0'`,
          `-H "Upload-Length: $(wc -c < FILE)"`,
        ]
  const body = operation.sends === 'multipart' ? 'The file, as multipart/form-data.' : null
  return { method, url, headers, body, curl: parts.join(' \\\n  ') }
}

function curlOf(
  account: Account,
  { method }: Operation,
  { url, headers, body }: Pick<RequestPreview, 'url' | 'headers' | 'body'>,
): string {
  const parts = [`curl -X ${method} ${quoted(url)}`]
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'authorization' && account.kind === 'chat')
      parts.push(`-u ${quoted(`${account.email}:`)}"${placeholder}"`)
    else if (value === placeholder) parts.push(`-H ${quoted(`${name}: `)}"${placeholder}"`)
    else parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  }
  if (body !== null) parts.push(`--data-raw ${quoted(body)}`)
  return parts.join(' \\\n  ')
}

/** Quotes for a POSIX shell: within single quotes, only the quote itself is special. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
