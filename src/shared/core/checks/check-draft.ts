import { codePointLength } from '../text-length.ts'
import { everyWords, periodWords, readDuration } from '../time.ts'
import { findZone } from '../wall-clock.ts'
import type { CheckDetails, Schedule } from './check.ts'
import { isCronExpression, parseCron } from './cron.ts'

/** A check as in its form: durations and expressions as typed, valid or not. */
export interface CheckDraft {
  readonly name: string
  readonly slug: string
  /** Separated by spaces. */
  readonly tags: string
  readonly description: string
  readonly kind: Schedule['kind']
  /** "1 h", "90 s", "3600". */
  readonly period: string
  readonly grace: string
  readonly expression: string
  readonly zone: string
  /** Null while unknown: a new check gets all, an existing one keeps its own. */
  readonly integrationIds: readonly string[] | null
  readonly keywords: CheckDetails['keywords']
  readonly filters: CheckDetails['filters']
  readonly methods: CheckDetails['methods']
  readonly manualResume: boolean
}

/** A field of the form that can have an error. */
export type DraftField = Exclude<keyof CheckDraft, 'keywords'> | keyof CheckDetails['keywords']

export type DraftErrors = Readonly<Partial<Record<DraftField, string>>>

/** The service's own defaults (monitoring API, "Create a new check"). The form sets the zone. */
export const newCheckDraft: CheckDraft = {
  name: '',
  slug: '',
  tags: '',
  description: '',
  kind: 'period',
  period: '1 day',
  grace: '1 h',
  expression: '',
  zone: 'UTC',
  integrationIds: null,
  keywords: { start: '', success: '', failure: '' },
  filters: [],
  methods: 'any',
  manualResume: false,
}

export function draftOf(check: CheckDetails): CheckDraft {
  const { schedule } = check
  const isPeriod = schedule.kind === 'period'
  return {
    name: check.name,
    slug: check.slug,
    tags: check.tags.join(' '),
    description: check.description,
    kind: schedule.kind,
    period: isPeriod ? durationText(schedule.periodSeconds) : newCheckDraft.period,
    grace: durationText(check.graceSeconds),
    expression: isPeriod ? '' : schedule.expression,
    zone: isPeriod ? newCheckDraft.zone : schedule.zone,
    integrationIds: check.integrationIds,
    keywords: check.keywords,
    filters: check.filters,
    methods: check.methods,
    manualResume: check.manualResume,
  }
}

/** In words if they are exact, else in seconds: an untouched field must parse to the same value. */
function durationText(seconds: number): string {
  const words = periodWords(seconds)
  return readDuration(words) === seconds ? words : `${seconds} s`
}

/** Monitoring API, "Limits". */
const limits = {
  seconds: { min: 60, max: 31_536_000 },
  short: 100,
  keywords: 200,
  tags: 500,
}

/**
 * Finds what the server would refuse before sending it; OnCalendar isn't parsed, only checked for
 * what the server would take for cron. `saved`: the check as the server has it, null for a new one.
 * Its expression is not validated again: another version of the server may have accepted it.
 */
export function draftErrors(draft: CheckDraft, saved: CheckDraft | null = null): DraftErrors {
  const { kind, keywords, expression } = draft
  const isSaved = saved !== null && saved.kind === kind && saved.expression === expression
  const found: Partial<Record<DraftField, string | null>> = {
    name: tooLong(draft.name, limits.short),
    slug: slugError(draft.slug),
    tags: tooLong(draft.tags, limits.tags),
    period: kind === 'period' ? durationError(draft.period) : null,
    grace: durationError(draft.grace),
    expression: kind === 'period' || isSaved ? null : expressionError(kind, expression),
    zone: kind === 'period' || saved?.zone === draft.zone ? null : zoneError(draft.zone),
    start: tooLong(keywords.start, limits.keywords),
    success: tooLong(keywords.success, limits.keywords),
    failure: tooLong(keywords.failure, limits.keywords),
  }
  const wrong = Object.entries(found).filter(([, error]) => error !== null)
  return Object.fromEntries(wrong) as DraftErrors // the same entries, without the nulls
}

function tooLong(text: string, most: number): string | null {
  const length = codePointLength(text)
  return length > most ? `At most ${most} characters; this has ${length}.` : null
}

function slugError(slug: string): string | null {
  if (!/^[a-z0-9_-]*$/.test(slug)) return 'Only a-z, 0-9, hyphens and underscores.'
  return tooLong(slug, limits.short)
}

function durationError(text: string): string | null {
  const seconds = readDuration(text)
  if (seconds === null) return 'A length of time, such as 90 s, 1 h 30 min or 3600 (seconds).'
  if (seconds < limits.seconds.min) return 'At least 1 min.'
  return seconds > limits.seconds.max ? 'At most 365 days.' : null
}

export const unknownZone = 'No time zone has this name. Try a city, such as Berlin.'

function zoneError(zone: string): string | null {
  if (zone.trim() === '') return 'Enter a time zone, such as Europe/Berlin.'
  return findZone(zone) === null ? unknownZone : null
}

function expressionError(kind: 'cron' | 'onCalendar', text: string): string | null {
  const expression = text.trim()
  if (expression === '')
    return kind === 'cron' ? 'Five fields, such as 0 3 * * *.' : 'Such as Mon..Fri 9:00.'
  if (kind === 'onCalendar' && isCronExpression(expression))
    return 'The server reads five parts on one line as a cron expression: choose Cron for it.'
  const read = kind === 'cron' ? parseCron(expression) : null
  return read !== null && 'error' in read ? read.error : tooLong(expression, limits.short)
}

/** One line of "what will change". */
interface CheckChange {
  readonly what: string
  readonly from: string
  readonly to: string
}

/** Where the service looks for a check's keywords. */
const filterWords: Readonly<Record<CheckDetails['filters'][number], string>> = {
  subject: 'e-mail subjects',
  body: 'e-mail bodies',
  httpBody: 'bodies of HTTP pings',
  defaultFail: 'anything else is a failure',
}

const nothing = 'none'

/** What differs between two drafts, in the form's order. `nameOf` gives an integration's name. */
export function checkChanges(
  was: CheckDraft,
  is: CheckDraft,
  nameOf: (integrationId: string) => string,
): readonly CheckChange[] {
  const before = linesOf(was, nameOf)
  return linesOf(is, nameOf).flatMap(([what, to], n) => {
    const from = before[n]?.[1] ?? ''
    return from === to ? [] : [{ what, ...shortened(from || nothing, to || nothing) }]
  })
}

/** One line of what somebody else changed while a form was open. */
interface Meanwhile {
  readonly what: string
  readonly theirs: string
  /** What the form has instead; null if it left the line unchanged, or has the same. */
  readonly mine: string | null
}

/** `theirs`: the check as the service has it now. */
export function changedMeanwhile(
  was: CheckDraft,
  mine: CheckDraft,
  theirs: CheckDraft,
  nameOf: (integrationId: string) => string,
): readonly Meanwhile[] {
  const [before, ours] = [linesOf(was, nameOf), linesOf(mine, nameOf)]
  return linesOf(theirs, nameOf).flatMap(([what, now], n) => {
    const [then = '', here = ''] = [before[n]?.[1], ours[n]?.[1]]
    if (now === then) return []
    const { from, to } = shortened(now || nothing, here || nothing)
    return [{ what, theirs: from, mine: here === then || here === now ? null : to }]
  })
}

type Line = readonly [what: string, words: string]

function linesOf(draft: CheckDraft, nameOf: (id: string) => string): readonly Line[] {
  const { keywords, filters, integrationIds } = draft
  return [
    ['Name', draft.name.trim()],
    ['Slug', draft.slug],
    ['Tags', draft.tags.split(/\s+/).filter(Boolean).join(' ')],
    ['Description', draft.description],
    ['Expected', expectedWords(draft)],
    ['Grace', durationWords(draft.grace)],
    ['Integrations', (integrationIds ?? []).map(nameOf).toSorted().join(', ')],
    ['Start keywords', keywords.start],
    ['Success keywords', keywords.success],
    ['Failure keywords', keywords.failure],
    [
      'Keywords in',
      filters
        .map((filter) => filterWords[filter])
        .toSorted()
        .join(', '),
    ],
    ['Accepts', draft.methods === 'POST' ? 'POST only' : 'any HTTP method'],
    ['After a pause', draft.manualResume ? 'resumed by hand only' : 'the next ping ends it'],
  ]
}

function expectedWords({ kind, period, expression, zone }: CheckDraft): string {
  if (kind === 'period') return everyWords(durationWords(period))
  const lines = expression.trim().split('\n').join('; ')
  return `${kind === 'cron' ? 'cron' : 'calendar'} ${lines} (${zone.trim()})`
}

function durationWords(text: string): string {
  const seconds = readDuration(text)
  return seconds === null ? text : durationText(seconds)
}

/** Characters: enough to recognise a text. */
const mostShown = 60
/** Characters shown before a change, if the whole text is too long. */
const leadShown = 20

/** Cuts two texts to the place where they differ. */
function shortened(from: string, to: string): { readonly from: string; readonly to: string } {
  const [was, is] = [[...from], [...to]]
  const same = was.findIndex((character, n) => character !== is[n])
  const first = same === -1 ? was.length : same
  const cut = (text: readonly string[]) => {
    const start = text.length <= mostShown || first < mostShown ? 0 : first - leadShown
    const end = start + mostShown
    return `${start > 0 ? '…' : ''}${text.slice(start, end).join('')}${end < text.length ? '…' : ''}`
  }
  return { from: cut(was), to: cut(is) }
}
