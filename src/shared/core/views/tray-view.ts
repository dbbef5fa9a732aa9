import { type Account, freshnessOf, freshUntil, isFresh, neverRead } from '../account.ts'
import { outageWords } from '../attention/dependencies/dependency.ts'
import { howWords } from '../attention/silence.ts'
import { type Check, type CheckStatus, checkName, isLate, late } from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { hasTrouble } from '../checks/status-counts.ts'
import type { AppState } from '../state.ts'
import type { Target } from '../target.ts'
import { cut } from '../text-length.ts'
import { atClockWords, clockUntilWords, clockWords } from '../time.ts'
import { visibleName } from '../visible-text.ts'
import { capitalised, counted, lowerFirst, numberWords } from '../wording.ts'
import { type UnreadTotals, unreadTotals } from './conversation-rows.ts'
import { oldestRead, readAgeWords } from './read-words.ts'
import type { TrayMenuItem } from './tray.ts'
import {
  maxLabel,
  type Problem,
  problemCause,
  problemsOf,
  problemsWithin,
  quietEnd,
  trayMenu,
  type Unread,
} from './tray-menu.ts'
import { type IconScope, iconScope, hasNoChecks as isWithoutChecks } from './viewed-state.ts'

/** Windows truncates tooltips to 127 characters. */
const maxTooltip = 127

const isUnknown = some((check) => check.status === 'unknown')

type Seen<T> = (problems: readonly Problem[], state: AppState, now: number) => T

interface Shape {
  readonly holds: Seen<boolean>
  /** Why the icon isn't green then, in words. */
  readonly reasons: Seen<readonly (string | null)[]>
}

/**
 * The icon's shapes, worst first: the first one that holds is shown, else `good`. Bad news wins
 * over missing news, and missing news over good news: `down` because it is certain, however old;
 * `good` only if every account is fresh, that is, read within its interval with no failure since.
 */
export const trayShapes = {
  empty: {
    holds: (_problems, { accounts }) => accounts.length === 0,
    reasons: () => ['no account yet'],
  },
  down: {
    holds: some((check) => check.status === 'down'),
    reasons: (problems) => [problemWords(problems, 'down', { noun: 'check' })],
  },
  key: {
    holds: (_problems, { accounts }) => !accounts.every(hasKey),
    reasons: (_problems, { accounts }) =>
      accounts
        .filter((account) => !hasKey(account))
        .map(({ label }) => `the key of ${label} can’t be used`),
  },
  stale: {
    holds: (problems, state, now) =>
      // An unreadable check may be down, and an unknown status is no good news.
      unreadableChecks(state) > 0 ||
      state.accounts.some((account) => !isAccountFresh(state, account, now)) ||
      isUnknown(problems, state, now),
    reasons: (problems, state, now) => [
      problemWords(problems, 'unknown', { noun: 'check' }),
      ...unreadAccounts(state, now)
        .filter(({ account }) => hasKey(account))
        .map((unread) => unreadWords(state, unread, now)),
      countOf(unreadableChecks(state), 'unreadable', 'check'),
    ],
  },
  late: {
    holds: some((check) => isLate(check.status) && !check.started),
    reasons: (problems) => [problemWords(problems, late, { noun: 'check' })],
  },
  // Late after a start signal: the job is running and should have finished by now.
  overrun: {
    holds: some((check) => isLate(check.status) && check.started),
    reasons: (problems) => [problemWords(problems, late, { noun: 'check' })],
  },
  silenced: {
    holds: (problems) => problems.some(({ silence }) => silence !== null),
    reasons: (problems) =>
      (['down', late, 'unknown'] as const).map((status) =>
        problemWords(problems, status, { noun: 'check' }),
      ),
  },
  paused: {
    holds: (problems, state) =>
      problems.length === 0 &&
      total(state, 'paused') > 0 &&
      total(state, 'up') + total(state, 'new') === 0,
    reasons: () => ['all checks are paused'],
  },
} satisfies Record<string, Shape>

/** One per state, independent of colour. */
export type TrayShape = keyof typeof trayShapes | 'good'

/** Whether a check that isn't silenced satisfies the condition. */
function some(holds: (check: Check) => boolean): Seen<boolean> {
  return (problems) => problems.some(({ check, silence }) => silence === null && holds(check))
}

/** Chat has its own mark in the corner, so that a mention never hides a check that is down. */
export type TrayMark = 'none' | 'unread' | 'mention'

/** What the icon shows. */
export interface TrayLook {
  readonly shape: TrayShape
  /** Number of checks that are down and not silenced; drawn on the icon as 1 to 9 or 9+. */
  readonly count: number
  readonly mark: TrayMark
  /** There are silenced problems that the shape doesn't show: drawn as a hollow dot. */
  readonly hidden: boolean
  /** Quiet hours or do not disturb: drawn as a z. */
  readonly quiet: boolean
}

/** Everything that the tray shows. */
export interface TrayView extends TrayLook {
  /** At most 127 characters, most urgent first. */
  readonly tooltip: string
  readonly menu: readonly TrayMenuItem[]
}

/**
 * Silenced checks aren't counted but leave a mark: a shape of their own if nothing else is in
 * trouble, else a hollow dot. Chat and quiet hours have own marks, so as never to hide a check that
 * is down.
 */
export function trayView(state: AppState, now: number): TrayView {
  const all = problemsOf(state, now)
  const quiet = quietEnd(state, now)
  const scope = iconScope(state, now)
  const problems = scope.view === null ? all : problemsWithin(all, scope.state)
  const seen = shapeOf(problems, scope.state, now)
  // A view of nothing, whose filter may be mistyped, is no good news.
  const shape = seen === 'good' && hasNoChecks(scope) ? 'empty' : seen
  return {
    shape,
    count: loudlyDown(problems),
    mark: mark(state),
    hidden: shape !== 'silenced' && problems.some(({ silence }) => silence !== null),
    quiet: quiet !== null,
    tooltip: tooltip(scope, problems, loudlyDown(all) - loudlyDown(problems), quiet, now),
    menu: trayMenu(state, all, unreadAccounts(state, now), now),
  }
}

/** How many checks are down and not silenced. */
function loudlyDown(problems: readonly Problem[]): number {
  return problems.filter(({ check, silence }) => check.status === 'down' && silence === null).length
}

/** A scope of everything has no checks either while no project is connected, which is no mistake. */
function hasNoChecks({ view, state }: IconScope): boolean {
  return view !== null && isWithoutChecks(state)
}

/** The same as `iconWords` for what the icon speaks of, which it says. */
export function shownIconWords(state: AppState, now: number): string {
  const scope = iconScope(state, now)
  const all = problemsOf(state, now)
  if (scope.view === null) return iconWords(state, now, all)
  const about = `The icon counts only the view “${scope.view.name}”`
  return hasNoChecks(scope)
    ? `${about}, which has no checks.`
    : `${about}. ${iconWords(scope.state, now, problemsWithin(all, scope.state))}`
}

/** What the icon shows and why: "Green: all 3 accounts were updated within their interval." */
export function iconWords(state: AppState, now: number, problems = problemsOf(state, now)): string {
  const shapes = Object.values(trayShapes).filter(({ holds }) => holds(problems, state, now))
  const [only, ...others] = state.accounts
  if (shapes.length === 0)
    return others.length === 0
      ? `Green: ${only?.label ?? ''} was updated within its interval${countedWords(state, now)}.`
      : `Green: all ${state.accounts.length} accounts were updated within their interval${countedWords(state, now)}.`
  const reasons = shapes.flatMap((shape) => shape.reasons(problems, state, now))
  // Several shapes may give the same reason.
  const said = new Set(reasons.filter((reason) => reason !== null))
  const words = [...said].join('; ')
  // A label is written as its user wrote it.
  const isNamed = state.accounts.some(({ label }) => words.startsWith(label))
  return `${isNamed ? words : capitalised(words)}.`
}

/** ", Big by its counts, its list at 14:02"; nothing if all lists were read. */
function countedWords(state: AppState, now: number): string {
  const counted = state.accounts.flatMap(({ id, label }) => {
    const { readAt = null, seenAt } = freshnessOf(state, id) ?? {}
    if (readAt === null || seenAt === undefined) return []
    return [`, ${label} by its counts, its list ${atClockWords(readAt, now)}`]
  })
  return counted.join('')
}

function unreadWords(state: AppState, { account, readAt }: Unread, now: number): string {
  const { id, label } = account
  const failedAt = freshnessOf(state, id)?.failedAt ?? null
  const since = failedAt ?? readAt
  return readAt === null || since === null
    ? `${label} has not been updated yet`
    : `${label} ${failedAt === null ? 'not updated' : 'unreachable'} since ${clockWords(since, now)}`
}

export function unreadableChecks({ boards }: AppState): number {
  return [...boards.values()].reduce((sum, board) => sum + board.unreadable, 0)
}

/** The shape for these problems, which are those of the state. */
export function shapeOf(...seen: Parameters<Shape['holds']>): TrayShape {
  const shapes = Object.keys(trayShapes) as Exclude<TrayShape, 'good'>[]
  return shapes.find((shape) => trayShapes[shape].holds(...seen)) ?? 'good'
}

function total(state: AppState, status: CheckStatus): number {
  let sum = 0
  for (const { counts } of state.boards.values()) sum += counts[status]
  return sum
}

function hasKey({ key }: Account): boolean {
  return key === 'present'
}

/** Whether an account's data may be taken as good news: its key works, and it was read in time. */
export function isAccountFresh(state: AppState, account: Account, now: number): boolean {
  const freshness = freshnessOf(state, account.id)
  return hasKey(account) && freshness !== null && isFresh(freshness, now)
}

function unreadAccounts(state: AppState, now: number): readonly Unread[] {
  return state.accounts
    .filter((account) => !isAccountFresh(state, account, now))
    .map((account) => ({ account, readAt: freshnessOf(state, account.id)?.readAt ?? null }))
}

/** Epoch ms when the first account becomes stale unless it is read before; null if none will. */
export function nextStaleAt(state: AppState, now: number): number | null {
  let next: number | null = null
  for (const { id } of state.accounts) {
    const until = freshUntil(freshnessOf(state, id) ?? neverRead)
    if (until !== null && until >= now && (next === null || until < next)) next = until + 1
  }
  return next
}

function mark(state: AppState): TrayMark {
  const { unread, mentions } = chatTotals(state)
  return mentions > 0 ? 'mention' : unread > 0 ? 'unread' : 'none'
}

function tooltip(
  { state, view }: IconScope,
  problems: readonly Problem[],
  downElsewhere: number,
  quiet: number | null,
  now: number,
): string {
  if (state.accounts.length === 0) return 'Belfry: no account yet'
  const trouble = (['down', late, 'unknown'] as const).map((status) =>
    problemWords(problems, status, { isNameless: state.settings.hideNames }),
  )
  const up = countOf(total(state, 'up'), 'up')
  const checks = [
    ...trouble,
    up,
    [...trouble, up].every((part) => part === null)
      ? countOf(total(state, 'paused'), 'paused')
      : null,
    countOf(unreadableChecks(state), 'unreadable'),
  ]
  const { hideNames } = state.settings
  const counts = checks.filter((part) => part !== null).join(', ')
  const worst = [
    hideNames ? 'names hidden' : null,
    view === null
      ? null
      : hideNames
        ? 'only one view'
        : `Only “${cut(visibleName(view.name), maxViewName)}”`,
    notReadWords(state, now, hideNames),
    view !== null && counts === '' ? 'no checks' : counts,
    countOf(downElsewhere, `${statusWord('down')} elsewhere`),
  ]
  const rest = [
    chatWords(state),
    quiet === null ? null : `quiet ${clockUntilWords(quiet, now)}`,
    readWords(state, now),
  ]
  // The rest is short; the cause gets the remaining room.
  const room = maxTooltip - joined([...worst, ...rest]).length - separator.length
  const cause = hideNames ? null : causeWords(problems, now)
  const shown = cause === null || room < leastCause ? null : cut(cause, room)
  return cut(joined([...worst, shown, ...rest]), maxTooltip)
}

const separator = ' · '
const maxViewName = 24
/** A shorter cause would be meaningless. */
const leastCause = 20

function joined(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(separator)
}

/** The name and cause of the worst check that isn't silenced, and of none that depends on another. */
function causeWords(problems: readonly Problem[], now: number): string | null {
  const worst = problems.find(({ silence, outage }) => silence === null && outage === null)
  const cause = worst === undefined ? null : problemCause(worst, now)
  return worst === undefined || cause === null
    ? null
    : `${visibleName(checkName(worst.check))}: ${cause}`
}

/** "3 down (1 acknowledged, 1 snoozed)"; with `noun`, "3 checks down (…)". */
function problemWords(
  problems: readonly Problem[],
  status: CheckStatus,
  { noun, isNameless = false }: { readonly noun?: 'check'; readonly isNameless?: boolean },
): string | null {
  const these = problems.filter(({ check }) => check.status === status)
  const silenced = (['acknowledge', 'snooze', 'mute', 'maintenance'] as const)
    .map((how) =>
      countOf(these.filter(({ silence }) => silence?.how === how).length, howWords[how]),
    )
    .filter((part) => part !== null)
  const words = countOf(these.length, statusWord(status), noun)
  const why = [...silenced, ...outagesOf(these, isNameless)]
  return words === null || why.length === 0 ? words : `${words} (${why.join(', ')})`
}

/** "3 because gateway is down"; without names, "3 because of another check". */
function outagesOf(problems: readonly Problem[], isNameless: boolean): readonly string[] {
  const outages = problems.flatMap(({ silence, outage }) =>
    silence === null && outage !== null ? [outageWords(outage)] : [],
  )
  const [first, ...more] = [...new Set(outages)]
  if (first === undefined) return []
  const one = isNameless ? 'of another check' : cut(visibleName(first), maxLabel)
  const what = more.length === 0 ? one : 'others are down'
  return [`${numberWords(outages.length)} because ${what}`]
}

function notReadWords(state: AppState, now: number, isNameless: boolean): string | null {
  const key = state.accounts.filter((account) => !hasKey(account))
  // Checks that are down follow, and must not be cut off.
  const name = (account: Account | undefined) => cut(account?.label ?? '', maxLabel)
  if (key.length > 0) return isNameless ? 'key problem' : `${name(key[0])}: key problem`
  const stale = state.accounts.filter((account) => !isAccountFresh(state, account, now))
  if (stale.length === 0) return null
  return stale.length === 1 && !isNameless
    ? `no fresh data from ${name(stale[0])}`
    : `no fresh data from ${counted(stale.length, 'account')}`
}

function countOf(count: number, word: string, noun?: 'check'): string | null {
  if (count === 0) return null
  return `${noun === undefined ? numberWords(count) : counted(count, noun)} ${word}`
}

export function chatTotals(state: AppState): UnreadTotals {
  const totals = [...state.realms.values()].map(unreadTotals)
  const sum = (of: keyof UnreadTotals) => totals.reduce((all, one) => all + one[of], 0)
  return { unread: sum('unread'), mentions: sum('mentions') }
}

function chatWords(state: AppState): string | null {
  const { unread, mentions } = chatTotals(state)
  if (mentions > 0) return counted(mentions, 'mention')
  return unread > 0 ? `${numberWords(unread)} unread` : null
}

/** The age of the oldest read. */
function readWords(state: AppState, now: number): string | null {
  const oldest = oldestRead(state.accounts.map(({ id }) => freshnessOf(state, id)))
  return lowerFirst(readAgeWords(oldest ?? neverRead, now))
}

/** Where the window opens without a target: the worst news, or else what there is. */
export function worstPlace(state: AppState): Target {
  const hasProject = state.accounts.some(({ kind }) => kind === 'monitoring')
  const hasChat = state.accounts.some(({ kind }) => kind === 'chat')
  // A project that hasn't been read yet may have a check that is down.
  const troubled = [...state.boards.values()].some(
    ({ counts, freshness }) => hasTrouble(counts) || freshness.readAt === null,
  )
  const waiting = [...state.realms.values()].some((realm) => unreadTotals(realm).unread > 0)
  if (!hasChat || troubled) return { view: 'checks' }
  return waiting || !hasProject ? { view: 'chat' } : { view: 'checks' }
}
