import type { AccountKind } from './account.ts'
import { invalid, type RequestFailed } from './failure.ts'

/** The part of `URL` used here: `shared` has the types of neither Node nor the DOM. */
declare const URL: new (
  text: string,
) => {
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly hostname: string
  readonly host: string
  readonly pathname: string
}

export interface BaseUrl {
  /** Origin and path, lower-case host (punycode where it is not ASCII), no trailing slash. */
  readonly baseUrl: string
  /** Plain http to another machine: the key can be read on the way. */
  readonly insecure: boolean
}

/**
 * What people copy along with the address: paths of the API from the documentation, and pages of the
 * web app from the browser. The end of what follows the host.
 */
const copied: Readonly<Record<AccountKind, RegExp>> = {
  monitoring:
    /\/(?:api\/v[123](?:\/.*)?|projects\/[^/?#]+\/(?:checks|settings|badges|integrations|channels|events|log|metrics|members|overview|add_check)\b.*|projects\/[\da-f-]{36}|docs(?:\/.*)?|cloaked\/.*|ping\/[\da-f-]{36}.*|integrations|checks\/[\da-f-]{36}\/.*|accounts\/(?:login|profile)\b.*|\?[^@]+|#[\w-]*)$/i,
  chat: /(?:\/api(?:\/v1(?:\/.*)?)?|\/(?:login|accounts|join|register|help|user_uploads|integrations|new|stats|activity|devlogin|team|apps|json)(?:[/?].*)?|\/\?.+|\/?#[a-z][\w-]*(?:[/:?].*)?|\/#)$/i,
}

const longestAddress = 2_048

/**
 * Reads the address of a service as a user types or pastes it. Throws `RequestFailed` of kind
 * `invalid` for anything that could send the key somewhere its owner did not intend: an address
 * with a user name (`https://good.example@evil.example`), a query or a fragment, or one over plain
 * http.
 */
export function readBaseUrl(
  text: string,
  options: { readonly kind: AccountKind; readonly allowHttp: boolean },
): BaseUrl {
  if (text.length > longestAddress) throw unfit('is too long')
  const typed = withoutPage(text.trim(), options.kind)
  if (typed === '') throw unfit('is empty')
  // URL would silently turn a backslash into a slash and drop tabs and line breaks.
  if (/[\s\\]/.test(typed)) throw unfit('has a space or a backslash in it')
  const url = parse(withScheme(typed))
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw unfit('must begin with https://')
  }
  // Checks the text too, since URL drops an empty user name, query or fragment.
  const afterScheme = typed.replace(/^[a-z]+:\/\//i, '')
  if (url.username !== '' || url.password !== '' || /^[^/?#]*@/.test(afterScheme)) {
    throw unfit('must not have a user name in it: the text before "@" is not the server')
  }
  // `http://2130706433` and `http://a%2eexample` disguise the host.
  // So does `https:///h.example`: URL skips the slash and takes what reads as a path for the host.
  const server = /^[^/?#]*/.exec(afterScheme)?.[0] ?? ''
  const isPlain = /^[\x20-\x7e]*$/.test(server) && !url.hostname.startsWith('[')
  if (server === '' || (isPlain && !server.toLowerCase().startsWith(url.hostname))) {
    throw unfit('is written in a way that hides the server')
  }
  if (typed.includes('?')) throw unfit('must not have a "?" part')
  if (typed.includes('#')) throw unfit('must not have a "#" part')
  const insecure = url.protocol === 'http:' && !isLoopback(url.hostname)
  if (insecure && !options.allowHttp) {
    throw unfit('uses plain http, which lets others on the network read the key')
  }
  const path = url.pathname
  return { baseUrl: `${url.protocol}//${url.host}${path.replace(/(?<!\/)\/+$/, '')}`, insecure }
}

function withoutPage(typed: string, kind: AccountKind): string {
  const host = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*/i.exec(typed)?.[0] ?? ''
  const rest = typed.slice(host.length).replace(/(?<!\/)\/+$/, '')
  return `${host}${rest.replace(copied[kind], '')}`
}

/** A bare host means https, or http on this computer, where nobody can listen in. */
function withScheme(typed: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return typed
  const https = parse(`https://${typed}`)
  // A key pasted into the wrong field is a bare word, and must not go out in a DNS query.
  if (/^[a-z]+:/i.test(typed) && !/^[a-z0-9.-]+:\d/i.test(typed)) throw unfit('is not an address')
  if (!/[.:]/.test(https.host) && !isLoopback(https.hostname)) throw unfit('is not an address')
  return isLoopback(https.hostname) ? `http://${typed}` : `https://${typed}`
}

function parse(text: string) {
  try {
    return new URL(text)
  } catch {
    // The original error quotes the text, which may be a key pasted into the wrong field.
    throw unfit('is not an address')
  }
}

/** RFC 6761: names below `localhost` always mean this computer. */
function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
}

function unfit(problem: string): RequestFailed {
  return invalid('baseUrl', `The address ${problem}.`)
}
