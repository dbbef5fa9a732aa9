import type { AccountId, AccountsSlice } from '../../account.ts'
import type { ChecksSlice } from '../../checks/board.ts'
import { type Check, type CheckId, checkName } from '../../checks/check.ts'
import { isTrouble } from '../../checks/status-counts.ts'
import { memoized } from '../../identity.ts'
import { differenceOf } from '../../map-difference.ts'
import { nameInMarkdown } from '../../markdown.ts'
import { type DiscussPlace, discussedAt, placeOf, ruleFor } from '../../outages/discuss.ts'
import { chatTime } from '../../outages/outage-report.ts'
import { defined } from '../../schemas.ts'
import { readDuration } from '../../time.ts'
import { readMoment } from '../../typed-time.ts'
import { dayMs } from '../../wall-clock.ts'
import { compareNames } from '../../wording.ts'
import type { WatchedState } from '../attention-slice.ts'
import { type ChecksScope, reasonLimit, type Scope } from '../silence.ts'
import { type Plan, type PlannedTimes, timesWords, zoneHere } from './planned.ts'
import { readPlannedTimes } from './planned-line.ts'

const longestMs = 30 * dayMs
export const usualMinutes = 20

/** What can be in maintenance: a tag, a project or a check, by its name. */
export interface MaintenanceScope {
  readonly scope: ChecksScope
  /** "#db", "ops-project" */
  readonly name: string
}

/** Read from "#db for 20 min: reindexing". */
export interface MaintenancePlan extends MaintenanceScope {
  /** Epoch ms. */
  readonly until: number
  /** May be empty. */
  readonly reason: string
}

/**
 * Parses "#db for 20 min", "ops-project until 14:30" or "db-backup 2 h: reindexing". A bare number
 * is minutes. `meant`: the chosen scope, if several share the name. `problem` says what to change.
 */
export function readMaintenance(
  text: string,
  state: WatchedState,
  now: number,
  meant: MaintenanceScope | null = null,
): MaintenancePlan | { readonly problem: string } {
  const words = text.trim().split(/\s+/)
  for (let at = 1; at < words.length; at += 1) {
    const rest = words.slice(at).join(' ')
    const colon = reasonColon.exec(rest)?.index ?? rest.length
    const until = endOf(rest.slice(0, colon).trim(), now)
    if (until === null) continue
    const found = namedScope(words.slice(0, at).join(' '), state, meant)
    return 'problem' in found ? found : planUntil(found, until, rest.slice(colon + 1), now)
  }
  const example = text.trim() === '' ? '#db' : words[0]
  return { problem: `Say what and for how long: “${example} for ${usualMinutes} min”.` }
}

/** Read from "#db every Sunday 02:00–04:00: reindexing". */
export interface PlannedLine extends MaintenanceScope, Pick<Plan, 'reason'> {
  readonly when: PlannedTimes
}

/**
 * Parses a line that plans a maintenance: what, as `readMaintenance` does, and when, as
 * `readPlannedTimes` does. Null if it names no such times.
 */
export function readPlanned(
  text: string,
  state: WatchedState,
  now: number,
  meant: MaintenanceScope | null = null,
): PlannedLine | { readonly problem: string } | null {
  const words = text.trim().split(/\s+/).slice(0, mostWords)
  let unknown: { readonly problem: string } | null = null
  for (let at = 1; at < words.length; at += 1) {
    // What follows is a reason.
    if (words[at - 1]?.endsWith(':') === true) break
    const rest = words.slice(at).join(' ')
    const colon = reasonColon.exec(rest)?.index ?? rest.length
    const when = readPlannedTimes(rest.slice(0, colon), now, zoneHere())
    if (when === null) continue
    const found = namedScope(words.slice(0, at).join(' '), state, meant)
    const reason = rest.slice(colon + 1).trim()
    if ('problem' in found) unknown ??= found
    else if ('problem' in when) return when
    else if (reason.length > reasonLimit) return { problem: reasonProblem }
    else return { ...found, when, ...defined({ reason: reason === '' ? undefined : reason }) }
  }
  return unknown
}

/** A longer text is something else, pasted. */
const mostWords = 100

/** The colon before a reason, not the one in "9:30". */
const reasonColon = /:(?!\d\d)|(?<!\d):/

export const reasonProblem = `The reason is too long: ${reasonLimit} characters at most.`

/** The plan for that scope, or what is wrong with it. */
export function planUntil(
  scope: MaintenanceScope,
  until: number,
  reason: string,
  now: number,
): MaintenancePlan | { readonly problem: string } {
  const why = reason.trim()
  if (until <= now) return { problem: 'It must last at least a minute.' }
  if (until > now + longestMs) return { problem: 'It can last at most 30 days.' }
  if (why.length > reasonLimit) return { problem: reasonProblem }
  return { ...scope, until, reason: why }
}

/** The scope by its name, or as the one meant if it has that name. */
export function namedScope(
  name: string,
  state: WatchedState,
  meant: MaintenanceScope | null,
): MaintenanceScope | { readonly problem: string } {
  return meant?.name === name ? meant : scopeNamed(state, name)
}

/** Epoch ms; null if the text is neither a duration nor "until" a time. A bare number is minutes. */
function endOf(length: string, now: number): number | null {
  if (length.startsWith('until ')) return readMoment(length, now)
  const bare = length.replace(/^for /, '')
  const seconds = readDuration(/^\d+$/.test(bare) ? `${bare} min` : bare)
  return seconds === null ? null : now + (seconds < 60 ? 0 : seconds * 1_000)
}

function scopeNamed(state: WatchedState, name: string): MaintenanceScope | { problem: string } {
  const isNamed = (other: string) => other.toLowerCase() === name.toLowerCase()
  const scopes = maintenanceScopes(state)
  const known = scopes.find((one) => one.name === name) ?? scopes.find((one) => isNamed(one.name))
  if (known !== undefined) return known
  if (name.startsWith('#')) return { problem: `No check is tagged ${name}.` }
  const checks = allChecks(state).filter(({ check }) => isNamed(checkName(check)))
  const [first, ...others] = checks
  if (first === undefined) return { problem: `There is no tag, project or check “${name}”.` }
  if (others.length > 0)
    return { problem: `${checks.length} checks are named ${name}: press m on the one you mean.` }
  return checkScopeOf(first)
}

interface OwnCheck {
  readonly accountId: AccountId
  readonly check: Check
}

function checkScopeOf({ accountId, check }: OwnCheck): MaintenanceScope {
  return { scope: { of: 'check', accountId, checkId: check.id }, name: checkName(check) }
}

/** The most likely scope for a check: its tag with the fewest checks, or without tags the check. */
export function likelyScope(state: WatchedState, own: OwnCheck): MaintenanceScope {
  const all = tagsOf(state)
  const [tag] = own.check.tags.toSorted(
    (one, other) => (all.get(one)?.checks ?? 0) - (all.get(other)?.checks ?? 0),
  )
  return tag === undefined ? checkScopeOf(own) : { scope: { of: 'tag', tag }, name: `#${tag}` }
}

/** All tags, those in trouble first, then all projects. */
export function maintenanceScopes(state: WatchedState): readonly MaintenanceScope[] {
  const { accounts, boards } = state
  return [
    ...tagScopes(tagsOf(state)),
    ...accounts.flatMap(({ id, label }) =>
      boards.has(id) ? [{ scope: { of: 'project', accountId: id }, name: label } as const] : [],
    ),
  ]
}

/** Cached, since hundreds of tags are sorted by name, and few reads change their order. */
const tagScopes = memoized((tags: ReadonlyMap<string, TagCount>): readonly MaintenanceScope[] =>
  [...tags]
    .sort(
      ([one, a], [other, b]) =>
        Number(b.trouble) - Number(a.trouble) || b.checks - a.checks || compareNames(one, other),
    )
    .map(([tag]) => ({ scope: { of: 'tag', tag }, name: `#${tag}` })),
)

interface TagCount {
  readonly checks: number
  /** Whether one of the checks is in trouble. */
  readonly trouble: boolean
}

let lastTags: ReadonlyMap<string, TagCount> = new Map()

/** All tags in use; the same map as before as long as nothing about them changes. */
export function tagsOf(state: AccountsSlice & ChecksSlice): ReadonlyMap<string, TagCount> {
  const all = new Map<string, TagCount>()
  for (const { accountId, checks } of state.boards.values())
    for (const [tag, own] of countedTags(accountId, checks)) {
      const before = all.get(tag)
      all.set(tag, {
        checks: own.checks + (before?.checks ?? 0),
        trouble: own.troubled > 0 || before?.trouble === true,
      })
    }
  const isSame = (tag: string, { checks, trouble }: TagCount): boolean => {
    const last = lastTags.get(tag)
    return last?.checks === checks && last.trouble === trouble
  }
  if (all.size !== lastTags.size || [...all].some(([tag, count]) => !isSame(tag, count)))
    lastTags = all
  return lastTags
}

/** How many checks of one project have the tag, and how many of these are in trouble. */
type OwnTags = ReadonlyMap<string, { readonly checks: number; readonly troubled: number }>

interface Counted {
  /** Weak, or the checks of a project would outlive it. */
  readonly checks: WeakRef<ReadonlyMap<CheckId, Check>>
  readonly tags: OwnTags
}

const counted = new Map<AccountId, Counted>()

/**
 * Counts what differs from the checks that were last asked for, since the tray asks after each
 * read: counting 10,000 checks anew takes longer than everything else that it shows.
 */
function countedTags(accountId: AccountId, checks: ReadonlyMap<CheckId, Check>): OwnTags {
  const last = counted.get(accountId)
  const before = last?.checks.deref()
  if (last !== undefined && before === checks) return last.tags
  const tags = new Map(before === undefined ? [] : last?.tags)
  const count = (check: Check | undefined, by: 1 | -1): void => {
    for (const tag of check?.tags ?? []) {
      const own = tags.get(tag) ?? { checks: 0, troubled: 0 }
      if (own.checks + by === 0) tags.delete(tag)
      else
        tags.set(tag, {
          checks: own.checks + by,
          troubled: own.troubled + (isTroubled(check) ? by : 0),
        })
    }
  }
  if (before === undefined) for (const check of checks.values()) count(check, 1)
  else {
    const { changed, gone } = differenceOf(before, checks)
    for (const id of [...changed, ...gone]) {
      const [was, is] = [before.get(id), checks.get(id)]
      if (was?.tags === is?.tags && isTroubled(was) === isTroubled(is)) continue
      count(was, -1)
      count(is, 1)
    }
  }
  counted.set(accountId, { checks: new WeakRef(checks), tags })
  return tags
}

function isTroubled(check: Check | undefined): boolean {
  return check !== undefined && isTrouble(check)
}

function allChecks(state: WatchedState): OwnCheck[] {
  return [...state.boards].flatMap(([accountId, { checks }]) =>
    [...checks.values()].map((check) => ({ accountId, check })),
  )
}

/** The checks that a maintenance covers now. */
export function checksIn(state: WatchedState, scope: Scope): readonly OwnCheck[] {
  return allChecks(state).filter(({ accountId, check }) =>
    scope.of === 'tag'
      ? check.tags.includes(scope.tag)
      : scope.of === 'project'
        ? scope.accountId === accountId
        : scope.of === 'check' && scope.accountId === accountId && scope.checkId === check.id,
  )
}

/** The place that the first matching rule names; `{check}` becomes the name of the scope. */
export function maintenancePlace(
  state: WatchedState,
  { scope, name }: MaintenanceScope,
  checks: readonly OwnCheck[],
): DiscussPlace | null {
  const [first] = checks
  if (first === undefined) return null
  if (scope.of === 'check') return discussedAt(state, first.accountId, first.check)
  if (state.settings.discuss.length === 0) return null
  for (const { accountId, check } of checks) {
    const rule = ruleFor(state, accountId, check)
    if (rule !== null) return placeOf(state, rule, accountId, name)
  }
  return null
}

/** The announcement in the chat of what is planned. */
export function plannedText({ name, when, reason }: PlannedLine): string {
  const times =
    when.of === 'once'
      ? `from ${chatTime(when.from)} to ${chatTime(when.until)}`
      : timesWords(when, true)
  return `Maintenance of ${nameInMarkdown(name)} ${times}${reason === undefined ? '.' : `: ${reason}`}`
}

/** The announcement in the chat. */
export function maintenanceText({ name, until, reason }: MaintenancePlan): string {
  const why = reason === '' ? '.' : `: ${reason}`
  return `Maintenance of ${nameInMarkdown(name)} until ${chatTime(until)}${why}`
}
