import { errorAnswer, htmlAnswer, type Random, Refused, randomUuid } from '../answers.ts'
import { defaultFields, type Fields, type StoredCheck } from './project-check.ts'
import { isKnownZone, parseSchedule } from './schedule.ts'

/** A validated create or update; only has the fields that were sent. */
export interface Written {
  readonly fields: Partial<Fields>
  readonly channels: string | null
  readonly unique: readonly UniqueField[]
}

type Body = Readonly<Record<string, unknown>>
type Rule = (value: unknown) => string | null

const isString: Rule = (value) => (typeof value === 'string' ? null : 'is not a string')
const isBoolean: Rule = (value) => (typeof value === 'boolean' ? null : 'is not a boolean')

/** Accepts a text unless `reason` returns why not. */
function textThat(reason: (text: string) => string | false): Rule {
  return (value) => (typeof value === 'string' ? reason(value) || null : 'is not a string')
}

const tooLong = (text: string, limit: number) => [...text].length > limit && 'is too long'
const atMost = (limit: number) => textThat((text) => tooLong(text, limit))

/** In Python `true` is the integer 1, which is too small. */
const isPeriod: Rule = (value) => {
  const seconds = typeof value === 'boolean' ? Number(value) : value
  if (typeof seconds !== 'number' || !Number.isInteger(seconds)) return 'is not a number'
  if (seconds < 60) return 'is too small'
  return seconds > 31_536_000 ? 'is too large' : null
}

const isSlug = textThat(
  (text) => tooLong(text, 100) || (!/^[a-z0-9_-]*$/.test(text) && 'does not match pattern'),
)
const isMethods: Rule = (value) =>
  value === '' || value === 'POST' ? null : 'has unexpected value'
const isZone = textThat((text) => !isKnownZone(text) && 'is not a valid timezone')
const isSchedule = textThat(
  (text) =>
    tooLong(text, 100) ||
    (parseSchedule(text, 'UTC') === null && 'is not a valid cron or OnCalendar expression'),
)

/** In the server's order, which decides which error is reported. */
const rules: Readonly<Record<string, Rule>> = {
  channels: isString,
  desc: isString,
  failure_kw: atMost(200),
  filter_body: isBoolean,
  filter_default_fail: isBoolean,
  filter_http_body: isBoolean,
  filter_subject: isBoolean,
  grace: isPeriod,
  manual_resume: isBoolean,
  methods: isMethods,
  name: atMost(100),
  schedule: isSchedule,
  slug: isSlug,
  start_kw: atMost(200),
  subject: atMost(200),
  subject_fail: atMost(200),
  success_kw: atMost(200),
  tags: isString,
  timeout: isPeriod,
  tz: isZone,
}

const uniqueFields = ['name', 'slug', 'tags', 'timeout', 'grace'] as const
type UniqueField = (typeof uniqueFields)[number]

function isUniqueField(field: unknown): field is UniqueField {
  return uniqueFields.some((unique) => unique === field)
}

/** A duration in seconds that overflows the server's timedelta. */
const largestDuration = 86_399_999_999_999

/** Checks types strictly, reports only the first invalid field, ignores unknown ones. */
export function validate(body: Body, apiVersion: number): Written {
  const tooLarge = ['timeout', 'grace'].some((field) => Number(body[field]) > largestDuration)
  if (tooLarge) throw new Refused(htmlAnswer(500, 'Server Error (500)'))
  for (const [field, rule] of Object.entries(rules)) {
    const reason = field in body ? rule(body[field]) : null
    if (reason !== null) throw invalid(`json validation error: ${field} ${reason}`)
  }
  const unique = body['unique'] ?? []
  if (!Array.isArray(unique) || body['unique'] === null)
    throw invalid('json validation error: unique is not an array')
  const fields: unknown[] = unique
  if (!fields.every(isUniqueField))
    throw invalid("json validation error: an item in 'unique' has unexpected value")
  return readBody(body, fields, apiVersion)
}

const invalid = (error: string) => new Refused(errorAnswer(400, error))

function readBody(body: Body, unique: readonly UniqueField[], apiVersion: number): Written {
  const known = Object.keys(defaultFields).filter((field) => field in body)
  const fields: Partial<Fields> = Object.fromEntries(known.map((field) => [field, body[field]]))
  const schedule = fields.schedule ?? null
  // A schedule takes precedence; a period alone makes it a simple check.
  if (schedule === null && fields.timeout !== undefined) fields.schedule = null
  if (fields.tz !== undefined) fields.tz = renamedZones[fields.tz] ?? fields.tz
  if (apiVersion < 3 && fields.name !== undefined && fields.slug === undefined)
    fields.slug = slugOf(fields.name)
  return {
    fields: { ...legacySubject(body), ...fields },
    channels: typeof body['channels'] === 'string' ? body['channels'] : null,
    unique,
  }
}

/** Two legacy fields for keywords and the subject filter; an explicit filter overrides them. */
function legacySubject({ subject, subject_fail: fail }: Body): Partial<Fields> {
  const fields: Partial<Fields> = {}
  if (typeof subject === 'string') fields.success_kw = subject
  if (typeof fail === 'string') fields.failure_kw = fail
  if (Object.keys(fields).length > 0) fields.filter_subject = Boolean(subject) || Boolean(fail)
  return fields
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .trim()
    .replace(/[-\s]+/g, '-')
}

/** Renamed zones; two examples stand for the whole list. */
const renamedZones: Readonly<Record<string, string>> = {
  'Europe/Kiev': 'Europe/Kyiv',
  'Asia/Calcutta': 'Asia/Kolkata',
}

export interface StoredIntegration {
  readonly id: string
  readonly name: string
  readonly kind: string
}

/** The ids of the integrations in a `channels` value; refuses the first one it can't resolve. */
export function findIntegrations(text: string, all: readonly StoredIntegration[]): Set<string> {
  if (text === '*') return new Set(all.map(({ id }) => id))
  const ids = new Set<string>()
  for (const part of text === '' ? [] : text.split(',')) {
    if (part === '') throw invalid('empty channel identifier')
    const matches = all.filter(({ id, name }) => id === part || name === part)
    const [match] = matches
    if (match === undefined) throw invalid(`invalid channel identifier: ${part}`)
    if (matches.length > 1) throw invalid(`non-unique channel identifier: ${part}`)
    ids.add(match.id)
  }
  return ids
}

/**
 * The check that an upsert updates: the oldest with the same values in all listed fields. A listed
 * field missing from the body matches none, and silently creates a new check.
 */
export function findUnique(checks: Iterable<StoredCheck>, written: Written): StoredCheck | null {
  const { unique, fields } = written
  if (unique.length === 0) return null
  const same = (check: StoredCheck) => unique.every((name) => fields[name] === check.fields[name])
  return [...checks].find(same) ?? null
}

export interface ProjectOptions {
  /**
   * Origin and path, no trailing slash. Below a path the server treats every call as version 1, as
   * real ones do.
   */
  readonly baseUrl: string
  readonly name: string
  /** 32 characters; any other length counts as missing. */
  readonly readWriteKey: string
  /** Null: this project has no read-only key. */
  readonly readOnlyKey: string | null
  /** Epoch ms. */
  readonly now: () => number
  readonly seed: number
  readonly integrations?: readonly StoredIntegration[]
  /** Uuids of checks that another project of the same server has: 403 instead of 404. */
  readonly foreignUuids?: readonly string[]
  /** Default: what a self-hosted server without billing allows. */
  readonly checkLimit?: number
  /** Which of the service's versions it answers as; the newest unless given. */
  readonly version?: 3.13 | 4.3
}

export interface ProjectTable extends Required<ProjectOptions> {
  /** First part of the slug form of ping addresses. */
  readonly pingKey: string
  readonly badgeKey: string
  readonly random: Random
  /** By uuid, in the order of creation. */
  readonly checks: Map<string, StoredCheck>
}

export function newCheck(table: ProjectTable, fields: Partial<StoredCheck['fields']>): StoredCheck {
  const all = { ...defaultFields, ...fields }
  const check: StoredCheck = {
    uuid: randomUuid(table.random),
    badgeKey: randomUuid(table.random),
    fields: all,
    nextRun: all.schedule === null ? null : parseSchedule(all.schedule, all.tz),
    integrationIds: new Set(),
    status: 'new',
    lastPingAt: null,
    startedAt: null,
    startedRunId: null,
    lastDurationMs: null,
    pingCount: 0,
    pings: [],
    flips: [],
    attended: true,
  }
  table.checks.set(check.uuid, check)
  return check
}

/** Updates or creates a check; refuses unknown integrations before changing anything. */
export function writeCheck(
  table: ProjectTable,
  written: Written,
  check: StoredCheck | null,
): StoredCheck {
  const { channels } = written
  const ids = channels === null ? null : findIntegrations(channels, table.integrations)
  const target = check ?? newCheck(table, {})
  target.fields = { ...target.fields, ...written.fields }
  const { schedule, tz } = target.fields
  target.nextRun = schedule === null ? null : parseSchedule(schedule, tz)
  if (ids !== null) target.integrationIds = ids
  return target
}
