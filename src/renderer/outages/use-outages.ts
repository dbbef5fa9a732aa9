import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import type { OutageList } from '#shared/core/outages/outage-list.ts'
import { type Days, dayAt, daysBetween, weekUpTo } from '#shared/core/typed-day.ts'
import { filterProblems, isEmptyFilter } from '#shared/core/views/check-filter.ts'
import {
  matchesOutage,
  type OutageKind,
  parseOutageFilter,
  touches,
} from '#shared/core/views/outage-view.ts'
import { call } from '../bridge.ts'
import { type Asked, run, useRested, useRun } from '../run.ts'
import { appState, now, visible } from '../window-state.ts'

/** Requests for flips that are made at once for each project, and how soon another may follow. */
const atOnce = 20
/** 20 requests a minute: the rest of the 100 that the service allows is for what matters more. */
const requestGapMs = 3_000
/** How many are read before the list is asked for again: each time, main goes through all of it. */
const readsAtOnce = 10

/** What the filter asks for, the week that is shown around it, and what is listed of it. */
export function useFiltered(query: string, kind: OutageKind | 'all') {
  /** The last day of the week that is shown, where the filter names none; null: today. */
  const [shownTo, setShownTo] = useState<number | null>(null)
  const names = useNames()
  const { tags } = names
  const today = dayAt(now.value).from
  const { checks, days, words } = useMemo(
    () => parseOutageFilter(query, tags, now.peek()),
    [query, tags, today],
  )
  const end = shownTo ?? today
  const named = days === null ? end : dayAt(Math.min(days.to, now.value) - 1).from
  // A day of the week in view does not move it.
  const last = named <= end && daysBetween(named, end) < 7 ? end : named
  const week = useMemo(() => weekUpTo(last), [last])
  const shown: Days = days ?? { from: week[0]?.from ?? 0, to: week.at(-1)?.to ?? 0 }
  const asked = useOutages(Math.min(shown.from, week[0]?.from ?? 0), useRested(words, 300))
  const matching = useMemo(
    () => (asked.value?.outages ?? []).filter((one) => matchesOutage(checks, one)),
    [asked.value, checks],
  )
  const wanted = kind === 'all' ? matching : matching.filter((one) => one.kind === kind)
  const gaps = (asked.value?.gaps ?? []).filter(
    (gap) => gap.from < shown.to && gap.to >= shown.from,
  )
  return {
    asked,
    days,
    week,
    shown,
    /** Of the week and what is listed. */
    wanted,
    listed: wanted.filter((one) => touches(one, shown)),
    gaps,
    isFiltered: !isEmptyFilter(checks) || kind !== 'all',
    problems: filterProblems(checks, names, matching.length),
    isThisWeek: last >= today,
    showWeek: (by: number) => setShownTo(Math.min(today, dayAt(last, 7 * by).from)),
  }
}

function useNames() {
  const { boards, accounts } = appState.value
  return useMemo(() => {
    const tags = new Set<string>()
    for (const { checks } of boards.values())
      for (const check of checks.values()) for (const tag of check.tags) tags.add(tag)
    const projects = accounts.filter(({ kind }) => kind === 'monitoring').map(({ label }) => label)
    return { tags: [...tags], projects }
  }, [boards, accounts])
}

/**
 * The outages since `from`. As long as it is in view, reads the flips of checks about which too
 * little is known, those that the words of the filter match first.
 */
function useOutages(from: number, words: string): Asked<OutageList> & { reading: boolean } {
  const [reads, setReads] = useState(0)
  const { boards, silences } = appState.value
  const statuses = JSON.stringify([...boards.values()].map(({ counts }) => counts))
  const minute = Math.floor(now.value / 60_000)
  const asked = useRun(`${from} ${words} ${minute} ${reads} ${silences.length} ${statuses}`, () =>
    call.outages({ from, words }),
  )
  const reading = useReading(asked.value, () => setReads((times) => times + 1))
  return { ...asked, reading }
}

/** Reads flips of what the list names, within the budget. Returns whether there is more to read. */
function useReading(list: OutageList | null, onRead: () => void): boolean {
  const tried = useRef(new Set<string>())
  const granted = useRef(new Map<AccountId, number[]>())
  const isVisible = visible.value
  const next = (list?.unread ?? []).filter(
    ({ accountId, checkId }) => !tried.current.has(`${accountId}/${checkId}`),
  )
  const isDone = next.length === 0
  useEffect(() => {
    if (isDone || !isVisible) return
    let [isOn, read] = [true, 0]
    const waiting = [...next]
    const step = async (): Promise<void> => {
      while (isOn && waiting.length > 0 && read < readsAtOnce) {
        const place = waiting.findIndex(({ accountId }) => mayAsk(granted.current, accountId))
        const [one] = place === -1 ? [] : waiting.splice(place, 1)
        if (one === undefined) break
        tried.current.add(`${one.accountId}/${one.checkId}`)
        await run(one.accountId, 'listFlips', { id: one.checkId })
        read += 1
      }
      if (isOn && read > 0) onRead()
      else if (isOn) timer = setTimeout(() => void step(), requestGapMs)
    }
    let timer = setTimeout(() => void step())
    return () => {
      isOn = false
      clearTimeout(timer)
    }
  }, [list, isDone, isVisible])
  return !isDone
}

/** Notes the request, unless the project has had its share for now. */
function mayAsk(granted: Map<AccountId, number[]>, accountId: AccountId): boolean {
  const at = performance.now()
  const recent = (granted.get(accountId) ?? []).filter((one) => at - one < atOnce * requestGapMs)
  if (recent.length >= atOnce) return false
  granted.set(accountId, [...recent, at])
  return true
}
