import type { AccountId, MonitoringAccount } from '../../shared/core/account.ts'
import type { AttentionMemory } from '../../shared/core/attention/memory.ts'
import { type RunMemory, runsJoined } from '../../shared/core/attention/runs/usual-runs.ts'
import { type Board, emptyBoard, type MissedFlips } from '../../shared/core/checks/board.ts'
import { type CheckId, type CheckStatus, late } from '../../shared/core/checks/check.ts'
import { readAtOf, snapshotsOf } from '../../shared/core/checks/missed-flips.ts'
import { fieldsOf } from '../../shared/core/schemas.ts'
import { longestPollMs } from '../../shared/core/settings.ts'
import type { AppState } from '../../shared/core/state.ts'

/**
 * Two accounts that turn out to be one project are joined here: everything that names one then names
 * the other. Nothing else in the program knows that there can be two.
 */
interface Kept {
  readonly state: AppState
  readonly memory: AttentionMemory
  readonly runs: RunMemory
}

const keyOrder: readonly MonitoringAccount['keyKind'][] = ['readWrite', 'unknown', 'readOnly']

/** Of the accounts of one project, the one to keep first: the better key, else the older account. */
export function bestFirst(accounts: readonly MonitoringAccount[]): readonly MonitoringAccount[] {
  const place = (one: MonitoringAccount) => keyOrder.indexOf(one.keyKind)
  return accounts.toSorted((one, other) => place(one) - place(other))
}

/**
 * Joins `gone` into `stays`: nothing is notified twice, and nothing is lost, of what either was
 * notified about.
 */
export function withJoined(kept: Kept, gone: AccountId, stays: AccountId): Kept {
  const { state, ...others } = withHandedOver(kept, gone, stays)
  const boards = new Map(state.boards)
  boards.delete(gone)
  const accounts = state.accounts.filter(({ id }) => id !== gone)
  return { ...others, state: { ...state, accounts, boards } }
}

/**
 * Hands everything of `from`, which can't be read, to `to`, which can. `from` stays connected: once
 * it can be read, the two are joined.
 */
export function withHandedOver(kept: Kept, from: AccountId, to: AccountId): Kept {
  const { state } = kept
  const label = (id: AccountId) => state.accounts.find((one) => one.id === id)?.label ?? ''
  const change = renaming({ from, to, labels: [label(from), label(to)] })
  const { accounts, boards, realms, environment, drafts, settings, ...rest } = state
  const named = {
    ...change(rest),
    ...{ accounts, realms, environment },
    boards: withUnited(kept, from, to),
    drafts: draftsOf(drafts, change),
    settings: { ...change(settings), views: viewsOf(settings, label(from), label(to)) },
  }
  const runs = runsJoined(kept.runs, from, to)
  return { memory: change(kept.memory), runs, state: withoutDoubles(named) }
}

/** After a join: the difference between what was notified and what the project's board says is news. */
export function withCaughtUp(state: AppState, id: AccountId): AppState {
  const board = state.boards.get(id)
  if (board?.notified == null) return state
  const notified = new Map(board.notified)
  for (const [checkId, { status }] of board.checks)
    if (status === 'up') notified.delete(checkId)
    else if (status !== 'unknown') notified.set(checkId, status)
  return { ...state, boards: new Map(state.boards).set(id, { ...board, notified }) }
}

interface Renaming {
  readonly from: AccountId
  readonly to: AccountId
  readonly labels: readonly [from: string, to: string]
}

/**
 * Replaces an account's id wherever it stands in plain data, within keys and texts too: it is random,
 * so it stands for nothing else. Returns the same object if it doesn't.
 */
function renaming({ from, to, labels }: Renaming): <T>(value: T) => T {
  const id = new RegExp(`(?<![\\w-])${from.replaceAll(/[^\w-]/g, '\\$&')}(?![\\w-])`, 'g')
  const text = (value: string): string => (value.includes(from) ? value.replace(id, to) : value)
  const all = (values: Iterable<unknown>) => [...values].map(walked)
  function walked(value: unknown): unknown {
    if (typeof value === 'string') return text(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return sameOr(value, all(value), (items) => items)
    if (value instanceof Set) return sameOr(value, all(value), (items) => new Set(items))
    if (value instanceof Map)
      return sameOr(value, all(value), (pairs) => new Map(pairs as [unknown, unknown][]))
    const fields = Object.entries(value)
    const made = fields.map(([name, field]): [string, unknown] => [text(name), walked(field)])
    if (made.every(([name, field], at) => fields[at]?.[0] === name && fields[at][1] === field))
      return value
    return Object.fromEntries(
      made.map(([name, field]) =>
        (name === 'label' || name === 'project') && field === labels[0]
          ? [name, labels[1]]
          : [name, field],
      ),
    )
  }
  // Only strings become other strings, so the type stays.
  return <T>(value: T) => walked(value) as T
}

function sameOr(
  before: Iterable<unknown>,
  after: readonly unknown[],
  make: (items: readonly unknown[]) => unknown,
): unknown {
  let at = 0
  for (const one of before) {
    if (after[at] !== one) return make(after)
    at += 1
  }
  return before
}

/** Both may have an unsent report on the same check: neither text is lost. */
function draftsOf(drafts: AppState['drafts'], change: <T>(value: T) => T): AppState['drafts'] {
  const kept = new Map<string, string>()
  for (const [before, text] of drafts) {
    const key = change(before)
    const other = kept.get(key)
    kept.set(key, other === undefined || other === text ? text : `${other}\n\n${text}`)
  }
  return kept
}

/** A view may name the project that goes by its label: `project:"web 2"`. */
function viewsOf({ views }: AppState['settings'], from: string, to: string) {
  const isIn = (label: string, name: string) => label.toLowerCase().includes(name.toLowerCase())
  return views.map((view) => {
    const filter = view.filter.replace(/(?<=(?:^|\s)-?project:)("[^"]*"|\S+)/gi, (name) => {
      const bare = name.replaceAll('"', '')
      return isIn(from, bare) && !isIn(to, bare) ? (/\s/.test(to) ? `"${to}"` : to) : name
    })
    return filter === view.filter ? view : { ...view, filter }
  })
}

/** Drops what is there twice now. */
function withoutDoubles(state: AppState): AppState {
  const { settings, silences, incidents, outageMessages, notices } = state
  const seen = Map.groupBy(outageMessages, ({ seen: _seen, ...rest }) => JSON.stringify(rest))
  return {
    ...state,
    settings: {
      ...settings,
      pins: distinct(settings.pins, (pin) => JSON.stringify([pin.accountId, pin.checkId])),
      recentPalette: distinct(settings.recentPalette, (id) => id),
    },
    silences: distinct(silences, ({ id: _id, since: _since, ...rest }) => textOf(rest)),
    incidents: distinct(incidents, (one) => `${one.accountId}/${one.checkId}`),
    outageMessages: [...seen.values()].flatMap((same) => {
      const [first] = same
      return first === undefined
        ? []
        : [{ ...first, seen: [...new Set(same.flatMap((one) => one.seen))] }]
    }),
    notices: distinct(notices, ({ id }) => id),
  }
}

function textOf(value: object): string {
  return JSON.stringify(value, (_name, part: unknown) => (part instanceof Map ? [...part] : part))
}

/** The first of each. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const known = new Map(items.toReversed().map((item) => [keyOf(item), item]))
  return known.size === items.length
    ? items
    : items.filter((item) => known.get(keyOf(item)) === item)
}

/** A project's two boards as one; what is left of `from` has yet to be read. */
function withUnited(kept: Kept, from: AccountId, to: AccountId): AppState['boards'] {
  const { state } = kept
  const [own, other] = [state.boards.get(to), state.boards.get(from)]
  if (own === undefined || other === undefined) return state.boards
  const base = knowingBest(state, own, other)
  const rest = base === own ? other : own
  const united = {
    ...base,
    accountId: to,
    notified: notifiedThrough(kept, base, rest),
    missed: withNotifiedBy(base.missed, rest.missed),
  }
  const shell = { ...other.missed, since: readAtOf(other), snapshots: snapshotsOf(other) }
  return new Map(state.boards)
    .set(to, united)
    .set(from, emptyBoard(from, united.notified, { ...shell, pending: new Map(), found: [] }))
}

/**
 * The board that was read last. After a start, when neither has been, the one that the user was
 * notified through: by the better key, unless that could not be read when the last run ended.
 */
function knowingBest(state: AppState, own: Board, other: Board): Board {
  const [mine, theirs] = [readAtOf(own) ?? 0, readAtOf(other) ?? 0]
  const isUnread = own.freshness.readAt === null && other.freshness.readAt === null
  const lagMs = isUnread ? Math.max(shortestLagMs, 2 * longestPollMs(state.settings)) : 0
  if (Math.abs(mine - theirs) > lagMs) return mine > theirs ? own : other
  const both = state.accounts.filter(({ id }) => id === own.accountId || id === other.accountId)
  const [best] = bestFirst(both.filter((one) => one.kind === 'monitoring'))
  return best?.id === other.accountId ? other : own
}

const shortestLagMs = 5 * 60_000

/** The status of each check as last notified through either account. */
function notifiedThrough(kept: Kept, base: Board, rest: Board): Board['notified'] {
  if (base.notified === null || rest.notified === null) return base.notified ?? rest.notified
  const notified = new Map<CheckId, CheckStatus>()
  const last = lastNotified(kept, [base.accountId, rest.accountId])
  for (const id of new Set([...base.notified.keys(), ...rest.notified.keys()])) {
    const [ours, theirs] = [statusIn(base, id), statusIn(rest, id)]
    const known = isBaseline(base) && !isBaseline(rest) ? theirs : ours
    const status =
      ours === theirs || theirs === null ? ours : ours === null ? theirs : (last(id) ?? known)
    if (status !== null && status !== 'up') notified.set(id, status)
  }
  return notified
}

/** Whether the account was first read in this run, which notified nobody. */
function isBaseline({ missed }: Board): boolean {
  return missed.since === null
}

/** Lists no outage again that the other board's lookups found. */
function withNotifiedBy(missed: MissedFlips, other: MissedFlips): MissedFlips {
  const notifiedUpTo = new Map(missed.notifiedUpTo)
  for (const [id, at] of other.notifiedUpTo)
    notifiedUpTo.set(id, Math.max(at, notifiedUpTo.get(id) ?? 0))
  const pending = new Map(missed.pending)
  for (const [id, entry] of pending) {
    const theirs = other.pending.get(id)
    const at = (theirs === undefined ? other.notifiedUpTo.get(id) : theirs.notifiedUpTo) ?? 0
    if (at > (entry.notifiedUpTo ?? 0)) pending.set(id, { ...entry, notifiedUpTo: at })
  }
  return { ...missed, notifiedUpTo, pending }
}

/** Null if the board doesn't know the check. */
function statusIn({ notified, checks, missed }: Board, id: CheckId): CheckStatus | null {
  return notified?.get(id) ?? (checks.has(id) || missed.snapshots.has(id) ? 'up' : null)
}

const statusAfter = { down: 'down', late, recovered: 'up' } as const

/**
 * What a check's last notice says, or, if no notice is about it, its last event that still waits to
 * become one. Notices are in their order: their times are those of clocks that may have been set back.
 */
function lastNotified({ state, memory }: Kept, accountIds: readonly AccountId[]) {
  const statusesIn = ({ kind, target, lines }: Readonly<Record<string, unknown>>) => {
    if (!isKey(statusAfter, kind)) return []
    const others = Array.isArray(lines) ? lines.map((line) => fieldsOf(line)['target']) : []
    return [target, ...others].flatMap((about) => {
      const { accountId, checkId } = fieldsOf(about)
      const isTheirs = accountIds.some((id) => id === accountId)
      return typeof checkId === 'string' && isTheirs ? [{ checkId, status: statusAfter[kind] }] : []
    })
  }
  const said = new Map<CheckId, CheckStatus>()
  visit(state.notices, (one) => {
    for (const { checkId, status } of statusesIn(one))
      if (!said.has(checkId)) said.set(checkId, status)
  })
  const waiting = new Map<CheckId, { readonly at: number; readonly status: CheckStatus }>()
  visit(memory, (one) => {
    const at = Number(one['at'])
    for (const { checkId, status } of statusesIn(one))
      if ((waiting.get(checkId)?.at ?? 0) < at) waiting.set(checkId, { at, status })
  })
  return (id: CheckId): CheckStatus | null => said.get(id) ?? waiting.get(id)?.status ?? null
}

function isKey<T extends object>(of: T, name: unknown): name is keyof T {
  return typeof name === 'string' && Object.hasOwn(of, name)
}

/** Every object in plain data. */
function visit(value: unknown, note: (one: Readonly<Record<string, unknown>>) => void): void {
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value) || value instanceof Map || value instanceof Set
  if (!isList) note(fieldsOf(value))
  for (const one of isList ? value : Object.values(value)) visit(one, note)
}
