import * as v from 'valibot'
import type { Failure } from './failure.ts'
import type { Immutable } from './schemas.ts'

/** Our own identifier of an account, made when it is added; never shown. */
export type AccountId = string

/**
 * Whether this account's key can be used now.
 * - `present`: main has it.
 * - `missing`: it was kept for one session only and that session is over.
 * - `locked`: the keyring holds it and is locked for now; nothing is lost.
 * - `rejected`: the service itself refused it; it is tried again now and then, and on request.
 */
const keyState = v.picklist(['present', 'missing', 'locked', 'rejected'])
export type KeyState = v.InferOutput<typeof keyState>

/**
 * - `os`: in the system's secure storage.
 * - `session`: in memory only, since nothing here protects it.
 * - `weak`: on disk though nothing protects it there, since the user agreed to that.
 */
const keyProtection = v.picklist(['os', 'session', 'weak'])
export type KeyProtection = v.InferOutput<typeof keyProtection>

/** Why a key that was saved can't be used: with what it was saved, as far as is known. */
export interface KeyLoss {
  /** Another keyring, program name or kind of encryption than is here now; or bytes that open nothing. */
  readonly why: 'otherKeyring' | 'damaged'
  /** Electron's name of the keyring, such as `gnome_libsecret`; null when it was not recorded. */
  readonly savedWith: string | null
}

/** Certificates of an account's own, trusted for its origin alone beside the system's. No secret. */
const authority = v.object({
  /** As PEM, 64 kB at most. */
  pem: v.string(),
  /** Whose it is, as it says itself. */
  name: v.string(),
  /** Epoch ms; of several certificates the first that ends. */
  until: v.number(),
})
export type Authority = Immutable<v.InferOutput<typeof authority>>

/**
 * Where pings of a project may go beside its own server, as its user confirmed. `network`: where the
 * name led when it was used; absent until then.
 */
const pingOrigin = v.object({
  origin: v.string(),
  network: v.optional(v.picklist(['public', 'private'])),
})
export type PingOrigin = Immutable<v.InferOutput<typeof pingOrigin>>

const base = {
  id: v.string(),
  /** The user's own word for a project, or the realm's name. */
  label: v.string(),
  /** Origin and path, without a trailing slash. */
  baseUrl: v.string(),
  key: keyState,
  protection: keyProtection,
  /**
   * Absent: the system's authorities alone are trusted. One that can't be read is not trusted either:
   * the account then says that its authority is unknown.
   */
  authority: v.fallback(v.optional(authority), undefined),
  /** The user agreed to plain http for this server; shown for as long as it is so. */
  insecure: v.boolean(),
  /** Served by the demo world in this process: no socket, nothing stored. */
  demo: v.boolean(),
}

/** Basic authentication ends the user name at the first colon. */
export const emailPattern = /^[^\s:\p{Cc}]+$/u

export const accountSchema = v.variant('kind', [
  /** What one monitoring key opens: a project. The API does not return its name, hence the user's label. */
  v.object({
    ...base,
    kind: v.literal('monitoring'),
    keyKind: v.picklist(['readWrite', 'readOnly', 'unknown']),
    pingOrigins: v.fallback(v.optional(v.array(pingOrigin)), undefined),
  }),
  /** What one chat address serves: a realm, seen as one of its users. */
  v.object({
    ...base,
    kind: v.literal('chat'),
    /** The address that belongs to the key; never the dummy one of the user record. */
    email: v.pipe(v.string(), v.regex(emailPattern)),
    /** The user wants the pictures in messages fetched from this realm: off unless asked for. */
    images: v.fallback(v.boolean(), false),
  }),
])

export type Account = Immutable<v.InferOutput<typeof accountSchema>> & {
  /** With `key: 'missing'`: why the saved key could not be used; absent when none was saved. */
  readonly keyLoss?: KeyLoss | undefined
}
export type AccountKind = Account['kind']
export const accountKinds = accountSchema.options.map(({ entries }) => entries.kind.literal)
export type MonitoringAccount = Extract<Account, { kind: 'monitoring' }>
export type ChatAccount = Extract<Account, { kind: 'chat' }>

/** How recently an account was really read. */
export interface Freshness {
  /** Epoch ms of the last complete, successful answer; null before the first. */
  readonly readAt: number | null
  /** Epoch ms of the next planned request; null while one is in flight or the loop is stopped. */
  readonly nextAt: number | null
  /** The interval that was promised for this account, in ms. */
  readonly intervalMs: number
  /** Why the last request failed; null after a success. */
  readonly failure: Failure | null
  /** Epoch ms of the first failure since the last success; null after a success. */
  readonly failedAt: number | null
  /** The last failure since the program started, also when it is over, and its time in epoch ms. */
  readonly lastFailure: { readonly failure: Failure; readonly at: number } | null
}

export const neverRead: Freshness = {
  readAt: null,
  nextAt: null,
  intervalMs: 60_000,
  failure: null,
  failedAt: null,
  lastFailure: null,
}

/** The same account after a failed read at `now` (epoch ms): what was read stays, and ages. */
export function withFailure(freshness: Freshness, failure: Failure, now: number): Freshness {
  const failedAt = freshness.failedAt ?? now
  return { ...freshness, failure, failedAt, lastFailure: { failure, at: now } }
}

/** Clocks are corrected by fractions of a second all day; only more than this is a jump. */
const clockGrainMs = 5_000

/** What an answer may take, and what a failed read is tried again in, before the account counts as stale. */
const readSlackMs = 10_000

/** Epoch ms up to which an account counts as fresh if nothing is read before; null: it was never read. */
export function freshUntil({ readAt, intervalMs, failedAt }: Freshness): number | null {
  if (readAt === null) return null
  return Math.min(readAt + intervalMs, failedAt ?? Number.POSITIVE_INFINITY) + readSlackMs
}

/**
 * Good news may be drawn from what was read an interval ago, but not for long after a read that
 * failed: the rule behind "never a false green".
 */
export function isFresh(freshness: Freshness, now: number): boolean {
  const until = freshUntil(freshness)
  // A reading from the future means that the clock was set back: its age is not known any more.
  return until !== null && now <= until && now >= (freshness.readAt ?? 0) - clockGrainMs
}

/** What a zuliprc file says, or every reason why it can't be used. */
export type Zuliprc =
  | { readonly ok: true; readonly site: string; readonly email: string; readonly key: string }
  | { readonly ok: false; readonly problems: readonly string[] }

const needed = [
  ['site', 'the address of the server'],
  ['email', 'your e-mail'],
  ['key', 'the API key'],
] as const

/**
 * Reads the file that the web app offers as "Download zuliprc": INI with a section `[api]`, whole
 * lines of comment, values perhaps in quotes, `=` or `:` between name and value (Python's
 * configparser writes and reads it). Names other than the three needed ones are ignored.
 */
export function readZuliprc(text: string): Zuliprc {
  const sections = readSections(text)
  const api = sections.get('api')
  if (api === undefined) {
    return { ok: false, problems: ['There is no section [api]: this is not a zuliprc file.'] }
  }
  const problems = needed
    .filter(([name]) => !api.get(name))
    .map(([name, meaning]) => `"${name}" (${meaning}) is missing from the section [api].`)
  if (problems.length > 0) return { ok: false, problems }
  return {
    ok: true,
    site: ownCopy(api.get('site') ?? ''),
    email: ownCopy(api.get('email') ?? ''),
    key: ownCopy(api.get('key') ?? ''),
  }
}

/**
 * V8 makes a part of a long string a view of the whole, so that keeping the e-mail would keep the
 * file, and the key with it, in the page's memory. What is joined is new.
 */
function ownCopy(text: string): string {
  return Array.from(text).join('')
}

function readSections(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>()
  let section: Map<string, string> | null = null
  for (const raw of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue
    const heading = /^\[([^\]]*)\]$/.exec(line)?.[1]
    if (heading !== undefined) {
      const name = heading.trim().toLowerCase()
      section = sections.get(name) ?? new Map<string, string>()
      sections.set(name, section)
      continue
    }
    // By position: an expression that allows spaces around the sign takes minutes over a long line of them.
    const at = line.search(/[=:]/)
    if (section !== null && at > 0)
      section.set(line.slice(0, at).trim().toLowerCase(), unquoted(line.slice(at + 1).trim()))
  }
  return sections
}

function unquoted(value: string): string {
  return (/^(["'])(.*)\1$/.exec(value)?.[2] ?? value).trim()
}
