import { visibleName } from '../visible-text.ts'

/** A check's `unique_key`: computed from the uuid with a read-write key, so that both kinds of key name the same check. */
export type CheckId = string

/** `unknown` is any status that this version does not know; `started` is a flag beside it, not a status. */
export type CheckStatus = 'new' | 'up' | 'grace' | 'down' | 'paused' | 'unknown'

/** The one place that knows how the service calls what is late: a ping is overdue, its grace runs. */
export const late = 'grace' satisfies CheckStatus

export function isLate(status: CheckStatus | null | undefined): status is typeof late {
  return status === late
}

/** Not down: what is late has not failed yet. */
export function isWell(status: CheckStatus | null | undefined): boolean {
  return status === 'up' || isLate(status)
}

export type Schedule =
  | { kind: 'period'; periodSeconds: number }
  | { kind: 'cron' | 'onCalendar'; expression: string; zone: string }

/** A watched job, as one poll saw it. Times are epoch ms by the server's clock. */
export interface Check {
  readonly id: CheckId
  /** Whether the key may change it. A read-only one gets neither its pings nor its address. */
  readonly writable: boolean
  /** May be empty: show `checkName(check)`. */
  readonly name: string
  /** Null where it is what the service makes of the name: see `slugOf`. */
  readonly slug: string | null
  readonly tags: readonly string[]
  readonly status: CheckStatus
  /** The status as the server wrote it, for statuses we do not know. */
  readonly rawStatus: string
  /** A start signal without an ending signal is pending. Can stand beside every status. */
  readonly started: boolean
  /** The last success or failure; null until the first and after a resume. */
  readonly lastPingAt: number | null
  /** Not "null iff down": see `goesDownAt` in check-words.ts for what follows from it. */
  readonly nextPingAt: number | null
  readonly schedule: Schedule
  readonly graceSeconds: number
  readonly pingCount: number
  /** Whole seconds; null when the last signal did not end a measured run. */
  readonly lastDurationSeconds: number | null
  readonly manualResume: boolean
  /** When the present status began, if we know: from a flip, or from the last ping and the deadline. */
  readonly since: number | null
}

/**
 * All that the service said of a check. Its page, its editor and what is done to it ask for it, one
 * check at a time: most of it is of no use to a board, and the secrets are in no window's state.
 */
export interface CheckDetails extends Check {
  /** As good as the ping address. Null with a read-only key. */
  readonly uuid: string | null
  readonly slug: string
  readonly description: string
  readonly methods: 'any' | 'POST'
  readonly keywords: { readonly start: string; readonly success: string; readonly failure: string }
  readonly filters: readonly ('subject' | 'body' | 'httpBody' | 'defaultFail')[]
  /** Uuids of integrations; null with a read-only key. */
  readonly integrationIds: readonly string[] | null
  /**
   * Where its job reports to: a live trigger and a secret, since whoever knows it can send signals.
   * Never a link, never fetched by a window. Null with a read-only key.
   */
  readonly pingUrl: string | null
  /** Its picture with two states, up and down. Null with servers that have none of a single check. */
  readonly badgeUrl: string | null
}

/** What to call a check: its name, or something that tells it apart when it has none. */
export function checkName(check: Check): string {
  return visibleName(check.name.trim()) || check.slug || `unnamed check ${check.id.slice(0, 6)}`
}

/** A check's page on the service's web site. Without the uuid, which is a secret: it is found by its key as well. */
export function checkPage(baseUrl: string, id: CheckId): string {
  return `${baseUrl.replace(/\/+$/, '')}/cloaked/${id}/`
}

export function slugOf({ name, slug }: Pick<Check, 'name' | 'slug'>): string {
  return slug ?? slugOfName(name)
}

/** Worst first: the order of the board and of every list of trouble. */
export const statusOrder: readonly CheckStatus[] = ['down', late, 'unknown', 'new', 'up', 'paused']

export type StatusCounts = Readonly<Record<CheckStatus, number>>

export const noChecks: StatusCounts = { new: 0, up: 0, grace: 0, down: 0, paused: 0, unknown: 0 }

/**
 * The slug that the service makes of a name (Django's `slugify`), and that most checks have: then it is
 * not kept beside the name. Of names with accents, or with hyphens at their ends, it makes others.
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
