import type { CheckDetails } from '../../core/checks/check.ts'
import {
  type CheckDraft,
  type DraftErrors,
  type DraftField,
  draftOf,
  newCheckDraft,
} from '../../core/checks/check-draft.ts'
import type { Failure } from '../../core/failure.ts'
import { readDuration } from '../../core/time.ts'
import { findZone } from '../../core/wall-clock.ts'
import type { ParamsOf } from '../operation.ts'
import type { monitoringOperations } from './monitoring-operations.ts'
import { filterFields } from './read-check.ts'

/** The fields for create and update. Forms don't send `unique`. */
export type CheckFields = Omit<ParamsOf<typeof monitoringOperations.createCheck>, 'unique'>

/**
 * The fields that differ from the defaults, and always schedule and grace: an empty request would
 * create an unnamed check (monitoring API, "Create"). All integrations while none are chosen, as on
 * the service's own page: without `channels` the check would notify nobody.
 */
export function createFields(draft: CheckDraft): CheckFields {
  return {
    name: draft.name.trim(),
    ...(draft.integrationIds === null ? { channels: '*' } : {}),
    ...changedFields(newCheckDraft, draft),
    ...scheduleFields(draft),
    grace: secondsOf(draft.grace),
  }
}

/**
 * Only the changed fields, since whatever is sent takes effect: a period turns a cron check into a
 * simple one, an empty `channels` removes all integrations, a slug reverts a change made elsewhere.
 * `now`: the check's current state on the server, which may already include some of the changes.
 */
export function updateFields(
  before: CheckDetails,
  draft: CheckDraft,
  now: CheckDetails = before,
): CheckFields {
  const mine = changedFields(draftOf(before), draft)
  const ofSchedule = ['timeout', 'schedule', 'tz']
  // If the kind of schedule was changed elsewhere meanwhile, sends the schedule as a whole.
  const asWhole =
    (before.schedule.kind === 'period') !== (now.schedule.kind === 'period') &&
    ofSchedule.some((name) => name in mine)
  return Object.fromEntries(
    Object.entries(changedFields(draftOf(now), draft)).filter(
      ([name]) => name in mine || (asWhole && ofSchedule.includes(name)),
    ),
  )
}

function changedFields(was: CheckDraft, is: CheckDraft): CheckFields {
  return {
    ...(was.name.trim() === is.name.trim() ? {} : { name: is.name.trim() }),
    ...(was.slug === is.slug ? {} : { slug: is.slug }),
    ...(words(was.tags) === words(is.tags) ? {} : { tags: words(is.tags) }),
    ...(was.description === is.description ? {} : { desc: is.description }),
    ...(sameSeconds(was.grace, is.grace) ? {} : { grace: secondsOf(is.grace) }),
    ...changedSchedule(was, is),
    ...changedIntegrations(was, is),
    ...changedRules(was, is),
  }
}

const words = (text: string) => text.trim().replace(/\s+/g, ' ')

function secondsOf(text: string): number {
  const seconds = readDuration(text)
  if (seconds === null) throw new Error('a draft with errors is never written')
  return seconds
}

function sameSeconds(was: string, is: string): boolean {
  return was === is || readDuration(was) === readDuration(is)
}

function scheduleFields(draft: CheckDraft): CheckFields {
  return draft.kind === 'period'
    ? { timeout: secondsOf(draft.period) }
    : { schedule: draft.expression.trim(), tz: findZone(draft.zone) ?? draft.zone.trim() }
}

function changedSchedule(was: CheckDraft, is: CheckDraft): CheckFields {
  // A simple check shows no zone, so a schedule that replaces it is sent with its zone.
  if ((was.kind === 'period') !== (is.kind === 'period')) return scheduleFields(is)
  if (is.kind === 'period') return sameSeconds(was.period, is.period) ? {} : scheduleFields(is)
  const { schedule, tz } = scheduleFields(is)
  return {
    ...(was.expression.trim() === schedule || schedule === undefined ? {} : { schedule }),
    ...(was.zone === is.zone || was.zone === tz || tz === undefined ? {} : { tz }),
  }
}

function changedIntegrations(was: CheckDraft, is: CheckDraft): CheckFields {
  if (is.integrationIds === null) return {}
  const before = new Set(was.integrationIds ?? [])
  const same =
    before.size === is.integrationIds.length && is.integrationIds.every((id) => before.has(id))
  return same ? {} : { channels: [...is.integrationIds].sort().join(',') }
}

function changedRules(was: CheckDraft, is: CheckDraft): CheckFields {
  const fields: { -readonly [Name in keyof CheckFields]: CheckFields[Name] } = {}
  if (was.keywords.start !== is.keywords.start) fields.start_kw = is.keywords.start
  if (was.keywords.success !== is.keywords.success) fields.success_kw = is.keywords.success
  if (was.keywords.failure !== is.keywords.failure) fields.failure_kw = is.keywords.failure
  for (const [filter, field] of filterFields) {
    const wanted = is.filters.includes(filter)
    if (was.filters.includes(filter) !== wanted) fields[field] = wanted
  }
  if (was.methods !== is.methods) fields.methods = is.methods === 'POST' ? 'POST' : ''
  if (was.manualResume !== is.manualResume) fields.manual_resume = is.manualResume
  return fields
}

const draftFields: Readonly<Record<string, DraftField>> = {
  name: 'name',
  slug: 'slug',
  tags: 'tags',
  desc: 'description',
  timeout: 'period',
  grace: 'grace',
  schedule: 'expression',
  tz: 'zone',
  channels: 'integrationIds',
  manual_resume: 'manualResume',
  methods: 'methods',
  start_kw: 'start',
  success_kw: 'success',
  failure_kw: 'failure',
  filter_subject: 'filters',
  filter_body: 'filters',
  filter_http_body: 'filters',
  filter_default_fail: 'filters',
}

/** The field that a refusal is about, with the server's message; null if it is about none. */
export function fieldErrors(failure: Failure): DraftErrors | null {
  if (failure.kind === 'invalid') return under(failure.field, failure.message)
  if (failure.kind !== 'refused' || failure.httpStatus !== 400) return null
  // Monitoring API, "Error shapes": "json validation error: timeout is too small".
  const [, field = '', reason = ''] =
    /^json validation error: (\w+) (.+)$/s.exec(failure.message) ?? []
  if (field !== '') return under(field, `The server says: ${reason}.`)
  return / channel identifier/.test(failure.message)
    ? { integrationIds: `The server says: ${failure.message}.` }
    : null
}

function under(field: string, message: string): DraftErrors | null {
  const name = Object.hasOwn(draftFields, field) ? draftFields[field] : undefined
  return name === undefined ? null : { [name]: message }
}
