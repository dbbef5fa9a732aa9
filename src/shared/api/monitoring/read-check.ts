import * as v from 'valibot'
import {
  type Check,
  type CheckDetails,
  type CheckStatus,
  runbookIn,
  type Schedule,
  slugOfName,
} from '../../core/checks/check.ts'
import { isCronExpression } from '../../core/checks/cron.ts'
import { isPingAddress } from '../../core/checks/ping.ts'
import { runAfter } from '../../core/checks/unseen-flips.ts'
import { reader, textCut } from '../schema-field.ts'
import { readTime } from './read-history.ts'

/** In lower case, as the service writes them. */
export const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** JSON may contain 1e999, which parses as Infinity; and times beyond a `Date` can't be shown. */
const amount = v.pipe(v.number(), v.minValue(-1e11), v.maxValue(1e11))
const text = v.nullish(textCut(2_000), '')
/** Not truncated: a truncated address is another address. */
const address = v.nullish(v.pipe(v.string(), v.maxLength(2_048)))
const flag = v.nullish(v.boolean(), false)

/**
 * A check as the server sends it. Little is required: servers before 3.5, 3.10 and 3.13 lack some
 * fields, and the last group depends on the kind of key.
 */
export const wireCheck = v.looseObject({
  name: textCut(1_000),
  /** Any text: an unknown status is kept as data. */
  status: textCut(200),
  grace: amount,
  slug: text,
  tags: v.nullish(textCut(5_000), ''),
  desc: v.nullish(textCut(50_000), ''),
  n_pings: v.nullish(amount, 0),
  started: flag,
  last_ping: v.nullish(v.string()),
  next_ping: v.nullish(v.string()),
  last_duration: v.nullish(amount),
  manual_resume: flag,
  methods: text,
  start_kw: text,
  success_kw: text,
  failure_kw: text,
  filter_subject: flag,
  filter_body: flag,
  filter_http_body: flag,
  filter_default_fail: flag,
  badge_url: address,
  timeout: v.nullish(amount),
  schedule: v.nullish(textCut(1_000)),
  tz: v.nullish(textCut(200)),
  uuid: v.nullish(v.string()),
  unique_key: v.nullish(v.string()),
  update_url: address,
  ping_url: address,
  channels: v.nullish(textCut(50_000)),
})

/** Without unknown fields that a server may add. */
const knownFields = v.object(wireCheck.entries)
/** What a board needs of them: reading all of a list of 10,000 would take a third longer. */
const boardFields = v.pick(knownFields, [
  ...['name', 'status', 'grace', 'slug', 'tags', 'n_pings', 'started', 'last_ping', 'next_ping'],
  ...['desc', 'last_duration', 'manual_resume', 'timeout', 'schedule', 'tz'],
  ...['uuid', 'unique_key', 'update_url'],
] as const)
type WireCheck = v.InferOutput<typeof boardFields>

/** Computes a check's `unique_key` from its uuid. */
type UniqueKeyOf = (uuid: string) => string

/**
 * Reads a check; null if it has no id or no schedule. An estimate of `since` must not be later than
 * `serverNow` (epoch ms by the server's clock); without it `since` is set only if certain.
 */
export function readCheck(
  wire: WireCheck,
  uniqueKeyOf: UniqueKeyOf,
  serverNow: number | null = null,
): Check | null {
  const uuid = readUuid(wire)
  const id = uuid === null ? wire.unique_key : uniqueKeyOf(uuid)
  const schedule = readSchedule(wire)
  if (id == null || id === '' || id.length > 64 || schedule === null) return null
  const lastPingAt = readTime(wire.last_ping)
  const nextPingAt = readTime(wire.next_ping)
  const graceSeconds = wire.grace
  const times = { lastPingAt, nextPingAt, schedule, graceSeconds }
  const status = statusOf(wire.status, times, serverNow)
  return {
    id,
    writable: uuid !== null,
    name: wire.name,
    slug: wire.slug === slugOfName(wire.name) ? null : wire.slug,
    tags: tagsOf(wire.tags),
    status,
    rawStatus: wire.status,
    started: wire.started || wire.status === 'started',
    lastPingAt,
    nextPingAt,
    schedule,
    graceSeconds,
    pingCount: wire.n_pings,
    lastDurationSeconds: wire.last_duration ?? null,
    manualResume: wire.manual_resume,
    hasRunbook: runbookIn(wire.desc) !== null,
    since: downSince(status, times, serverNow),
  }
}

/** Limits of the cache below; real projects stay well under them. */
const mostShared = 2_000
const longestShared = 1_000

/** Caches results by text, so that thousands of checks share equal values. */
function shared<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>()
  return (text) => {
    const known = made.get(text)
    if (known !== undefined) return known
    const value = make(text)
    if (made.size < mostShared && text.length <= longestShared) made.set(text, value)
    return value
  }
}

const tagOf = shared((tag) => tag)

/** Split at white space; a comma is part of a tag. */
const tagsOf = shared((tags): readonly string[] => [
  ...new Set(
    tags
      .split(/\s+/)
      .filter((tag) => tag !== '')
      .map(tagOf),
  ),
])

const periodOf = shared((seconds): Schedule => ({ kind: 'period', periodSeconds: Number(seconds) }))

const expressionOf = shared((text): Schedule => {
  // The cast is safe: `readSchedule` stringifies two strings.
  const [expression, zone] = JSON.parse(text) as [string, string]
  return { kind: isCronExpression(expression) ? 'cron' : 'onCalendar', expression, zone }
})

/** One item of a list; null if it can't be read, which doesn't spoil the others. */
export const readOneCheck = reader(boardFields, readCheck)

/** The check at a later time, when `since` may have become certain, or a hidden status another. */
export function atLaterTime(check: Check, serverNow: number | null): Check {
  if (check.status !== 'down' && check.rawStatus !== 'started') return check
  const status = statusOf(check.rawStatus, check, serverNow)
  if (status !== 'down' && status === check.status) return check
  const since = downSince(status, check, serverNow)
  return status === check.status && since === check.since ? check : { ...check, status, since }
}

/** Servers before 3.5 reveal the UUID only as the last part of `update_url`. */
function readUuid(wire: WireCheck): string | null {
  const candidate = (wire.uuid ?? wire.update_url?.split('/').at(-1) ?? '').toLowerCase()
  return uuidShape.test(candidate) ? candidate : null
}

function readSchedule(wire: WireCheck): Schedule | null {
  if (typeof wire.timeout === 'number') return periodOf(String(wire.timeout))
  const expression = wire.schedule?.trim() ?? ''
  return expression === '' ? null : expressionOf(JSON.stringify([expression, wire.tz ?? 'UTC']))
}

type Times = Pick<Check, 'lastPingAt' | 'nextPingAt' | 'schedule' | 'graceSeconds'>

const knownStatuses: ReadonlySet<string> = new Set(['new', 'up', 'grace', 'down', 'paused'])

function isKnownStatus(status: string): status is Exclude<CheckStatus, 'unknown'> {
  return knownStatuses.has(status)
}

/**
 * A server installed below a path answers as API version 1, where a pending start hides the status
 * behind "started", until it is overdue. A check stored as down has no `next_ping` even then; any
 * other has the earlier of its start and its expected ping, so that once the grace time after it is
 * over, it was the latter. A paused check looks like one that is up: `withPause` in board.ts.
 */
function statusOf(
  rawStatus: string,
  { lastPingAt, nextPingAt, schedule, graceSeconds }: Times,
  serverNow: number | null,
): CheckStatus {
  if (rawStatus !== 'started') return isKnownStatus(rawStatus) ? rawStatus : 'unknown'
  if (nextPingAt === null) return 'down'
  if (lastPingAt === null) return 'new'
  // Guessing "up" could be a false green.
  if (serverNow === null) return 'unknown'
  if (nextPingAt + graceSeconds * 1000 <= serverNow) return 'down'
  const expectedAt =
    schedule.kind === 'period'
      ? lastPingAt + schedule.periodSeconds * 1000
      : runAfter(schedule, lastPingAt)
  return expectedAt !== null && expectedAt <= serverNow ? 'grace' : 'up'
}

/**
 * When a check went down, as far as its record shows. While it has a `next_ping`, the missed
 * deadline is exactly `next_ping` + grace. Later, only a simple check's deadline is known, and only
 * if it has passed: after a failure signal it is still to come.
 */
function downSince(status: CheckStatus, check: Times, serverNow: number | null): number | null {
  if (status !== 'down') return null
  const graceMs = check.graceSeconds * 1000
  if (check.nextPingAt !== null) return check.nextPingAt + graceMs
  if (check.schedule.kind !== 'period' || check.lastPingAt === null || serverNow === null)
    return null
  const deadline = check.lastPingAt + check.schedule.periodSeconds * 1000 + graceMs
  return deadline <= serverNow ? deadline : null
}

/** A list item or a single response with all its fields; null if it can't be read. */
export const readCheckDetails = reader(
  knownFields,
  (wire, uniqueKeyOf: UniqueKeyOf, serverNow: number | null = null) => {
    const check = readCheck(wire, uniqueKeyOf, serverNow)
    if (check === null) return null
    const uuid = readUuid(wire)
    return {
      ...check,
      uuid,
      slug: wire.slug,
      description: wire.desc,
      methods: wire.methods === 'POST' ? 'POST' : 'any',
      keywords: { start: wire.start_kw, success: wire.success_kw, failure: wire.failure_kw },
      filters: filterFields.filter(([, field]) => wire[field]).map(([filter]) => filter),
      integrationIds: wire.channels?.split(',').filter((id) => id !== '') ?? null,
      pingUrl: readPingUrl(wire.ping_url, uuid),
      badgeUrl: wire.badge_url ?? null,
    } satisfies CheckDetails
  },
)

export const filterFields = [
  ['subject', 'filter_subject'],
  ['body', 'filter_body'],
  ['httpBody', 'filter_http_body'],
  ['defaultFail', 'filter_default_fail'],
] as const

/** May be on any host: hosted services have a separate one for pings. */
function readPingUrl(url: string | null | undefined, uuid: string | null): string | null {
  return url != null && uuid !== null && isPingAddress(url, uuid) ? url : null
}
