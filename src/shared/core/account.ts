import * as v from 'valibot'
import { type Failure, invalid } from './failure.ts'
import type { Immutable } from './schemas.ts'

/** Our own identifier of an account, made when it is added; never shown. */
export type AccountId = string

/**
 * Whether this account's key can be used now.
 * - `present`: main has it.
 * - `missing`: none was saved (it was kept for one session only), or the saved one can't be used.
 * - `locked`: the keyring holds it and is locked for now; nothing is lost.
 * - `rejected`: the service itself refused it; it is retried now and then, and on request.
 */
const keyState = v.picklist(['present', 'missing', 'locked', 'rejected'])
export type KeyState = v.InferOutput<typeof keyState>

/**
 * - `os`: in the system's secure storage.
 * - `session`: in memory only, since there is no secure storage here.
 * - `weak`: on disk without protection, with the user's consent.
 */
const keyProtection = v.picklist(['os', 'session', 'weak'])
export type KeyProtection = v.InferOutput<typeof keyProtection>

/** Why a saved key can't be used. */
export interface KeyLoss {
  /** It was saved with another keyring, program name or encryption; or it can't be decrypted. */
  readonly why: 'otherKeyring' | 'damaged'
  /** Electron's name of the keyring, such as `gnome_libsecret`; null when it was not recorded. */
  readonly savedWith: string | null
}

/** CA certificates trusted for one account's origin, in addition to the system's. Not secret. */
const authority = v.object({
  /** At most 64 kB. */
  pem: v.string(),
  /** The name in the certificate. */
  name: v.string(),
  /** Epoch ms; of several certificates the earliest expiry. */
  until: v.number(),
})
export type Authority = Immutable<v.InferOutput<typeof authority>>

/**
 * An origin other than the project's own server that the user allowed its pings to go to.
 * `network`: what the name resolved to when it was used; absent until then.
 */
const pingOrigin = v.object({
  origin: v.string(),
  network: v.optional(v.picklist(['public', 'private'])),
})
export type PingOrigin = Immutable<v.InferOutput<typeof pingOrigin>>

const base = {
  id: v.string(),
  /** The user's name for a project, or the realm's name. */
  label: v.string(),
  /** Origin and path, without a trailing slash. */
  baseUrl: v.string(),
  key: keyState,
  protection: keyProtection,
  /**
   * Absent: only the system's authorities are trusted. One that can't be read counts as absent, so
   * the account then fails with an unknown authority.
   */
  authority: v.fallback(v.optional(authority), undefined),
  /** The user agreed to plain http for this server; the account keeps showing it. */
  insecure: v.boolean(),
  /** Served by the demo in this process: no sockets, nothing stored. */
  demo: v.boolean(),
}

/** Minutes between two reads of a whole list where its counts are asked for in between. */
export const wholeReadMinutes = v.pipe(v.number(), v.integer(), v.minValue(2), v.maxValue(60))

/** No colon: in basic authentication the user name ends at the first one. */
export const emailPattern = /^[^\s:\p{Cc}]+$/u

export const accountSchema = v.variant('kind', [
  /** The project that a monitoring key opens. The API doesn't return its name: the user sets it. */
  v.object({
    ...base,
    kind: v.literal('monitoring'),
    keyKind: v.picklist(['readWrite', 'readOnly', 'unknown']),
    pingOrigins: v.fallback(v.optional(v.array(pingOrigin)), undefined),
    /**
     * The longest time between two reads of the whole list, if the project's badge is asked in
     * between whether its counts have changed; absent: each poll reads the list.
     */
    wholeReadMinutes: v.fallback(v.optional(wholeReadMinutes), undefined),
  }),
  /** A realm, as one of its users sees it. */
  v.object({
    ...base,
    kind: v.literal('chat'),
    /** The address that goes with the key, not the dummy one in the server's user record. */
    email: v.pipe(v.string(), v.regex(emailPattern)),
    /** Whether to fetch the pictures in messages from this realm: off by default. */
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

/** How recently an account was read. */
export interface Freshness {
  /** Epoch ms of the last complete, successful answer; null before the first. */
  readonly readAt: number | null
  /**
   * Epoch ms of the last answer since then that said only how many checks are late and down: as many
   * as in what was read. Absent if there was none.
   */
  readonly seenAt?: number
  /** Epoch ms of the next planned request; null while one is in flight or the loop is stopped. */
  readonly nextAt: number | null
  /** The intended time between two reads, in ms. */
  readonly intervalMs: number
  /** Why the last request failed; null after a success. */
  readonly failure: Failure | null
  /** Epoch ms of the first failure since the last success; null after a success. */
  readonly failedAt: number | null
  /** The last failure since Belfry started, kept after it is over, and its time in epoch ms. */
  readonly lastFailure: { readonly failure: Failure; readonly at: number } | null
  /** `readAt` is the previous run's last read: this one has read nothing yet. Only in a window. */
  readonly isOfLastRun?: true
}

export const neverRead: Freshness = {
  readAt: null,
  nextAt: null,
  intervalMs: 60_000,
  failure: null,
  failedAt: null,
  lastFailure: null,
}

/** Whether this run has read it. */
export function isRead({ readAt, isOfLastRun }: Freshness): boolean {
  return readAt !== null && isOfLastRun !== true
}

/** The freshness after a failed read at `now` (epoch ms); `readAt` stays, so the data ages. */
export function withFailure(freshness: Freshness, failure: Failure, now: number): Freshness {
  const failedAt = freshness.failedAt ?? now
  return { ...freshness, failure, failedAt, lastFailure: { failure, at: now } }
}

/** Small clock corrections are routine; only a larger step back counts as the clock being set. */
const clockGrainMs = 5_000

/** Allows for a slow answer, or the retry of a failed read, before the account counts as stale. */
const readSlackMs = 10_000

/** Epoch ms until which an account counts as fresh without another read; null if never read. */
export function freshUntil(freshness: Freshness): number | null {
  const { intervalMs, failedAt } = freshness
  const heardAt = heardAtOf(freshness)
  if (heardAt === null) return null
  return Math.min(heardAt + intervalMs, failedAt ?? Number.POSITIVE_INFINITY) + readSlackMs
}

/** Epoch ms of the last answer that said how things are, if only by its counts. */
export function heardAtOf({ readAt, seenAt = 0 }: Freshness): number | null {
  return readAt === null ? null : Math.max(readAt, seenAt)
}

/**
 * The rule behind "never a false green": the data counts for one interval, and only briefly once a
 * read has failed.
 */
export function isFresh(freshness: Freshness, now: number): boolean {
  if (freshness.isOfLastRun === true) return false
  const until = freshUntil(freshness)
  // A read in the future means that the clock was set back, so the data's age is unknown.
  return until !== null && now <= until && now >= (heardAtOf(freshness) ?? 0) - clockGrainMs
}

/** The contents of a zuliprc file, or every reason why it can't be used. */
export type Zuliprc =
  | { readonly ok: true; readonly site: string; readonly email: string; readonly key: string }
  | { readonly ok: false; readonly problems: readonly string[] }

const needed = [
  ['site', 'the address of the server'],
  ['email', 'your e-mail'],
  ['key', 'the API key'],
] as const

/**
 * Reads the file that the web app offers as "Download zuliprc": an INI file as Python's
 * configparser reads it, with a section `[api]`, comments on lines of their own, and `=` or `:`
 * between name and value, which may be quoted. Ignores names other than the three needed ones.
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
 * V8 represents a substring as a view of the whole string, so keeping the e-mail would keep the
 * file, and with it the key, in the page's memory. Joining characters makes a new string.
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
    // Not one regex with spaces around the sign: backtracking over a long line takes minutes.
    const at = line.search(/[=:]/)
    if (section !== null && at > 0)
      section.set(line.slice(0, at).trim().toLowerCase(), unquoted(line.slice(at + 1).trim()))
  }
  return sections
}

function unquoted(value: string): string {
  return (/^(["'])(.*)\1$/.exec(value)?.[2] ?? value).trim()
}

/** The service refused to let its key write. A key can write until that is known. */
export function onlyReads(account: Account): boolean {
  return account.kind === 'monitoring' && account.keyKind === 'readOnly'
}

/** The accounts as a part of the app's state. */
export interface AccountsSlice {
  readonly accounts: readonly Account[]
}

export function accountById({ accounts }: AccountsSlice, id: AccountId): Account | null {
  return accounts.find((account) => account.id === id) ?? null
}

/** The state with one account changed; the same state if the account is gone. */
export function withAccount<State extends AccountsSlice>(
  state: State,
  id: AccountId,
  change: (account: Account) => Account,
): State {
  if (accountById(state, id) === null) return state
  return { ...state, accounts: state.accounts.map((one) => (one.id === id ? change(one) : one)) }
}

/** The account that a command is about; throws if it has been removed. */
export function known(state: AccountsSlice, id: AccountId): Account {
  const account = accountById(state, id)
  if (account === null) throw invalid('account', 'This account is gone.')
  return account
}

/** What is read of the accounts, in either service. */
interface Read {
  readonly boards: ReadonlyMap<AccountId, { readonly freshness: Freshness }>
  readonly realms: ReadonlyMap<AccountId, { readonly freshness: Freshness }>
}

/** The freshness of an account's data; null if it has no board or realm yet. */
export function freshnessOf(state: Read, accountId: AccountId): Freshness | null {
  return (state.boards.get(accountId) ?? state.realms.get(accountId))?.freshness ?? null
}
