import { parsedUrl } from '../parsed-url.ts'
import { visibleName } from '../visible-text.ts'

/** `unique_key`, computed from the uuid with a read-write key: the same id with any key. */
export type CheckId = string

/** `unknown`: any that this version does not know. `started` is a flag beside it, not a status. */
export type CheckStatus = 'new' | 'up' | 'grace' | 'down' | 'paused' | 'unknown'

/** The service's name for "late": a ping is overdue, and its grace time is running. */
export const late = 'grace' satisfies CheckStatus

export function isLate(status: CheckStatus | null | undefined): status is typeof late {
  return status === late
}

/** Up or late: a late check has not failed yet. */
export function isWell(status: CheckStatus | null | undefined): boolean {
  return status === 'up' || isLate(status)
}

export type Schedule =
  | { kind: 'period'; periodSeconds: number }
  | { kind: 'cron' | 'onCalendar'; expression: string; zone: string }

/** A watched job, as one poll saw it. Times are epoch ms by the server's clock. */
export interface Check {
  readonly id: CheckId
  /** Whether the key may change it. A read-only key can't read its pings or ping address either. */
  readonly writable: boolean
  /** May be empty: show `checkName(check)`. */
  readonly name: string
  /** Null if it is the one that the service derives from the name: see `slugOf`. */
  readonly slug: string | null
  readonly tags: readonly string[]
  readonly status: CheckStatus
  /** The status as the server wrote it, for unknown ones. */
  readonly rawStatus: string
  /** A start signal is pending, without an end. Possible with any status. */
  readonly started: boolean
  /** The last success or failure; null until the first and after a resume. */
  readonly lastPingAt: number | null
  /** Not "null iff down": for its meaning, see `goesDownAt` in check-words.ts. */
  readonly nextPingAt: number | null
  readonly schedule: Schedule
  readonly graceSeconds: number
  readonly pingCount: number
  /** Whole seconds; null when the last signal did not end a measured run. */
  readonly lastDurationSeconds: number | null
  readonly manualResume: boolean
  /** Whether its description, which a board doesn't keep, has a `runbookIn`. */
  readonly hasRunbook: boolean
  /** When the present status began, if known: by a flip, or by the last ping and the deadline. */
  readonly since: number | null
}

/**
 * Everything the service said about a check. Pages, editor and actions request it one check at a
 * time: a board doesn't need most of it, and the secrets must not be in a window's state.
 */
export interface CheckDetails extends Check {
  /** As secret as the ping address. Null with a read-only key. */
  readonly uuid: string | null
  readonly slug: string
  readonly description: string
  readonly methods: 'any' | 'POST'
  readonly keywords: { readonly start: string; readonly success: string; readonly failure: string }
  readonly filters: readonly ('subject' | 'body' | 'httpBody' | 'defaultFail')[]
  /** Uuids of integrations; null with a read-only key. */
  readonly integrationIds: readonly string[] | null
  /**
   * Where its job reports to. A secret, since whoever knows it can send signals: never shown as a
   * link, never fetched by a window. Null with a read-only key.
   */
  readonly pingUrl: string | null
  /** Its badge with two states, up and down. Null if the server has no badges of single checks. */
  readonly badgeUrl: string | null
}

/** A check's name, or something else to identify it if it has none. */
export function checkName(check: Check): string {
  return visibleName(check.name.trim()) || check.slug || `unnamed check ${check.id.slice(0, 6)}`
}

/**
 * The first https address in a description that Belfry would open: what to do when the check is
 * down; null if there is none.
 */
export function runbookIn(description: string): string | null {
  for (let at = description.indexOf(scheme); at >= 0; at = description.indexOf(scheme, at + 1)) {
    // One character more tells that it is too long.
    const rest = description.slice(at, at + longestRunbook + 1)
    const [word = ''] = rest.split(/[\s<>"'`|]/u, 1)
    if (word.length > longestRunbook || /[\p{Cc}\\]/u.test(word)) continue
    const link = withoutStops(word)
    const url = link === scheme ? null : parsedUrl(link)
    if (url !== null && url.username === '' && url.password === '') return link
  }
  return null
}

const scheme = 'https://'
const longestRunbook = 2_000

/** Without what ends the sentence or the bracket around it. */
function withoutStops(word: string): string {
  let end = word.length
  let unopened = word.split(')').length - word.split('(').length
  for (; end > 0; end -= 1) {
    const last = word.charAt(end - 1)
    if (last === ')' && unopened > 0) unopened -= 1
    else if (!'.,;:!?*_]}'.includes(last)) break
  }
  return word.slice(0, end)
}

/** A check's page on the service's web site, by its unique key, as the uuid is a secret. */
export function checkPage(baseUrl: string, id: CheckId): string {
  return `${baseUrl.replace(/(?<!\/)\/+$/, '')}/cloaked/${id}/`
}

export function slugOf({ name, slug }: Pick<Check, 'name' | 'slug'>): string {
  return slug ?? slugOfName(name)
}

/** Worst first: the order of the board and of every list of trouble. */
export const statusOrder: readonly CheckStatus[] = ['down', late, 'unknown', 'new', 'up', 'paused']

export type StatusCounts = Readonly<Record<CheckStatus, number>>

export const noChecks: StatusCounts = { new: 0, up: 0, grace: 0, down: 0, paused: 0, unknown: 0 }

/**
 * The slug that the service derives from a name (Django's `slugify`), except from one with accents
 * or with hyphens at the ends. Most checks have this slug, so it isn't stored with the name.
 */
export function slugOfName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\w\s-]+/g, '')
    .replace(/[\s-]+/g, '-')
}

/** A way in which the monitoring service itself notifies (wire: `channel`). */
export interface Integration {
  readonly id: string
  /** May be empty: show `integrationName(integration)`. */
  readonly name: string
  /** "email", "slack", …: an open list. */
  readonly kind: string
}

export function integrationName(integration: Integration): string {
  return integration.name.trim() || integration.kind
}
