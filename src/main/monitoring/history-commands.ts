import type { Commands } from '../../shared/contract.ts'
import { type AccountId, accountById, isFresh, known } from '../../shared/core/account.ts'
import { dependencyProblem, isIn } from '../../shared/core/attention/dependencies/dependency.ts'
import { type Fall, fallenTogether } from '../../shared/core/attention/dependencies/suggestions.ts'
import { checkSubject } from '../../shared/core/attention/event.ts'
import type { Board } from '../../shared/core/checks/board.ts'
import { causeOf } from '../../shared/core/checks/cause.ts'
import {
  type Check,
  type CheckDetails,
  type CheckId,
  checkName,
  isWell,
} from '../../shared/core/checks/check.ts'
import type { HistoryEntry } from '../../shared/core/checks/history.ts'
import { outagesIn, pastKinds, recordedFrom } from '../../shared/core/checks/past.ts'
import { type Finding, findingsOf, lookMs, weekOf } from '../../shared/core/checks/weekly-look.ts'
import type { ListedOutage, OutageGap, OutageList } from '../../shared/core/outages/outage-list.ts'
import { fieldsOf } from '../../shared/core/schemas.ts'
import { matchesFilter, parseCheckFilter } from '../../shared/core/views/check-filter.ts'
import { dayMs, hourMs } from '../../shared/core/wall-clock.ts'
import type { Clock } from '../base/ports.ts'
import { createYielding } from '../http/wait.ts'
import type { HistoryRecord } from '../state/history-record.ts'
import type { LiveState } from '../state/store.ts'

/** History entries in one answer (the newest): a longer timeline would not be readable. */
const mostEntries = 500
/** The same of one check, if only some kinds are asked for. */
const mostOfSome = 5_000
/** History entries of an account that are looked at: more than a storm a day makes in a week. */
const mostLooked = 30_000
/** How much of the past is read at once. */
const stepMs = 6 * hourMs
/** Outages in one answer. */
const mostListed = 10_000
/** Checks that are named for their flips to be read. */
const mostUnread = 50

interface HistoryCommandsParts {
  live: Pick<LiveState, 'get'>
  record: Pick<HistoryRecord, 'entries' | 'recentRuns'>
  details: (accountId: AccountId, checkId: CheckId) => CheckDetails | null
  clock: Clock
}

/** What was recorded here: as a timeline, as outages, and as the weekly look at what could be better. */
export class HistoryCommands {
  readonly #parts: HistoryCommandsParts

  constructor(parts: HistoryCommandsParts) {
    this.#parts = parts
  }

  readonly history: Commands['history'] = async ({ accountId, subject, kinds, from }) => {
    known(this.#parts.live.get(), accountId)
    const about = { ...(subject !== undefined && { subject }), ...(kinds && { kinds }) }
    const limit = kinds === undefined ? mostEntries : mostOfSome
    return this.#parts.record.entries({ accountId, ...about, from, limit })
  }

  readonly outages: Commands['outages'] = async ({ from, words }) => {
    const lists: OutageList[] = []
    for (const [accountId, board] of this.#parts.live.get().boards)
      if (board.notified !== null) lists.push(await this.#listOf(accountId, board, from, words))
    const all = lists.flatMap(({ outages }) => outages)
    all.sort((one, other) => other.from - one.from)
    return {
      outages: all.slice(0, mostListed),
      more: Math.max(0, all.length - mostListed),
      gaps: lists.flatMap(({ gaps }) => gaps),
      unread: lists.flatMap(({ unread }) => unread),
    }
  }

  readonly weeklyLook: Commands['weeklyLook'] = async () => {
    const yielding = createYielding(new AbortController().signal)
    const found: Finding[] = []
    const falls: Fall[] = []
    const from = this.#parts.clock.now() - lookMs
    for (const [accountId, board] of this.#parts.live.get().boards) {
      const kinds = [...pastKinds, 'watched', 'notice', 'runs']
      const { first, bySubject } = await this.#recordedSince(accountId, from, kinds)
      const watched = this.#watchedFrom(accountId, from, first)
      for (const check of board.checks.values()) {
        if (yielding.isOver()) await yielding.next()
        const subject = checkSubject(accountId, check.id)
        const entries = bySubject.get(subject) ?? []
        const week = weekOf(entries)
        const runs = [...week.runs, ...this.#parts.record.recentRuns(subject)]
        const outages = this.#outagesOf(board, check, entries, watched).filter(
          ({ to }) => to >= from,
        )
        const integrationIds = this.#parts.details(accountId, check.id)?.integrationIds ?? null
        found.push(...findingsOf(accountId, check, integrationIds, { ...week, runs, outages }))
        const about = { accountId, checkId: check.id, name: checkName(check) }
        for (const { from: at, kind } of outages) if (kind === 'down') falls.push({ ...about, at })
      }
    }
    return [...found, ...fallenTogether(falls).filter((one) => this.#isNew(one))]
  }

  /** Not if the check already depends on that one, or that one on it. */
  #isNew({ accountId, checkId, change }: Finding): boolean {
    if (change?.do !== 'depend') return true
    const state = this.#parts.live.get()
    const tags = state.boards.get(accountId)?.checks.get(checkId)?.tags ?? []
    const { on } = change
    const isSet = state.dependencies.some(
      (one) =>
        one.on.accountId === on.accountId &&
        one.on.checkId === on.checkId &&
        isIn(one.scope, accountId, checkId, tags),
    )
    const scope = { of: 'check', accountId, checkId } as const
    return !isSet && dependencyProblem(state, { scope, on }) === null
  }

  /**
   * What was recorded of an account since `from`, ascending by time for each subject: read step by
   * step, so that other work gets its turn. `since`: from when on everything is there.
   */
  async #recordedSince(accountId: AccountId, from: number, kinds: readonly string[]) {
    const yielding = createYielding(new AbortController().signal)
    const days: (readonly HistoryEntry[])[] = []
    let [left, to] = [mostLooked, this.#parts.clock.now() + dayMs]
    while (to > from && left > 0) {
      const begin = Math.max(from, to - stepMs)
      const asked = { accountId, kinds, from: begin, to, limit: left }
      const day = this.#parts.record.entries(asked)
      days.push(day)
      left -= day.length
      to = begin
      if (yielding.isOver()) await yielding.next()
    }
    const entries = days.reverse().flat()
    const since = left > 0 ? from : (entries[0]?.at ?? from)
    return { since, first: entries[0], bySubject: Map.groupBy(entries, ({ subject }) => subject) }
  }

  /** Since when changes of the project have been recorded, or `from` if that is later. */
  #watchedFrom(accountId: AccountId, from: number, first: HistoryEntry | undefined) {
    const isOld = this.#parts.record.entries({ accountId, from: 0, to: from, limit: 1 }).length > 0
    return isOld ? from : (first?.at ?? this.#parts.clock.now())
  }

  /** The outages of one check, as its own page shows them. */
  #outagesOf(board: Board, check: Check, entries: readonly HistoryEntry[], watched: number) {
    const now = this.#parts.clock.now()
    // Nearly all checks of a large project.
    if (entries.length === 0 && isWell(check.status)) return []
    const all = outagesIn({
      check,
      flips: null,
      pings: [],
      entries,
      offsetMs: board.serverOffsetMs,
      now,
      from: 0,
      knownUntil: isFresh(board.freshness, now) ? now : (board.freshness.readAt ?? 0),
      watchedFrom: watched,
    })
    // Of one that Belfry did not see begin, the list and the log show the reason.
    const present = causeOf(check, board.logs.get(check.id) ?? null, now + board.serverOffsetMs)
    return all.map((one) => (one.isOver || one.cause !== null ? one : { ...one, cause: present }))
  }

  async #listOf(
    accountId: AccountId,
    board: Board,
    from: number,
    words: string,
  ): Promise<OutageList> {
    const yielding = createYielding(new AbortController().signal)
    const now = this.#parts.clock.now()
    const project = accountById(this.#parts.live.get(), accountId)?.label ?? ''
    const kinds = [...pastKinds, 'watched']
    const { since, first, bySubject } = await this.#recordedSince(accountId, from, kinds)
    const watched = this.#watchedFrom(accountId, from, first)
    const outages: ListedOutage[] = []
    const unread: Check[] = []
    for (const check of board.checks.values()) {
      if (yielding.isOver()) await yielding.next()
      const { id: checkId, tags } = check
      const subject = checkSubject(accountId, checkId)
      const entries = bySubject.get(subject) ?? []
      bySubject.delete(subject)
      if (watched > from && check.pingCount > 0 && recordedFrom(entries) === null)
        unread.push(check)
      const about = { accountId, checkId, name: checkName(check), tags, project }
      const all = this.#outagesOf(board, check, entries, watched)
      outages.push(...all.filter(({ to }) => to >= from).map((one) => ({ ...one, ...about })))
    }
    for (const [subject, entries] of bySubject)
      outages.push(...ofDeleted(accountId, subject, entries).filter(({ to }) => to >= from))
    const gaps = gapsOf({ board, project, now, from, watched, since, unread: unread.length })
    const filter = parseCheckFilter(words)
    const isWanted = (check: Check): boolean =>
      matchesFilter(filter, check, project, now + board.serverOffsetMs)
    const wanted = unread.filter(isWanted).slice(0, mostUnread)
    const others = unread.filter((check) => !wanted.includes(check))
    const asked = [...wanted, ...others].slice(0, mostUnread)
    return {
      ...{ outages, gaps, more: 0 },
      unread: asked.map(({ id: checkId }) => ({ accountId, checkId })),
    }
  }
}

/** The outages of a check that is no longer there, by what was recorded while it was. */
function ofDeleted(
  accountId: AccountId,
  subject: string,
  entries: readonly HistoryEntry[],
): readonly ListedOutage[] {
  const last = entries.findLast(({ kind }) => kind === 'status')
  const { name, tags, project } = fieldsOf(last?.data)
  if (last === undefined || typeof name !== 'string') return []
  const end = entries.at(-1)?.at ?? last.at
  const about = {
    accountId,
    checkId: subject.slice(accountId.length + 1),
    name,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    project: typeof project === 'string' ? project : '',
  }
  const check = { ...deleted, since: null, graceSeconds: 0 }
  const times = { offsetMs: 0, now: end, from: 0, knownUntil: end, watchedFrom: end }
  const all = outagesIn({ check, flips: null, pings: [], entries, ...times })
  return all.map((one) => ({ ...one, ...about, isOver: true }))
}

const deleted = {
  status: 'unknown',
  schedule: { kind: 'period', periodSeconds: 1 },
} as const

/** What is not known of a project's outages since `from`. */
function gapsOf(it: {
  readonly board: Board
  readonly project: string
  readonly now: number
  readonly from: number
  /** Since when the project has been watched, and since when all that was recorded is looked at. */
  readonly watched: number
  readonly since: number
  /** How many checks' flips were not read. */
  readonly unread: number
}): readonly OutageGap[] {
  const { board, project, now, from, watched, since, unread } = it
  const { accountId, checks, freshness, missed, serverOffsetMs } = board
  const gap = (why: OutageGap['why'], begin: number, to: number, count: number): OutageGap => {
    return { accountId, project, why, from: begin, to, checks: count }
  }
  const lookedAt = [...missed.pending.values()].map(({ at }) => at - serverOffsetMs)
  const gaps: OutageGap[] = []
  if (!isFresh(freshness, now))
    gaps.push(gap('stale', freshness.readAt ?? watched, now, checks.size))
  if (lookedAt.length > 0) gaps.push(gap('owed', Math.min(...lookedAt), now, lookedAt.length))
  if (unread > 0) gaps.push(gap('unread', from, watched, unread))
  if (since > from) gaps.push(gap('many', from, since, checks.size))
  return gaps
}
