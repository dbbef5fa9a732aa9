import { useEffect, useMemo, useState } from 'preact/hooks'
import { readFlips } from '#shared/api/monitoring/read-history.ts'
import type { Place } from '#shared/contract.ts'
import { checkSubject } from '#shared/core/attention/check-subject.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import { checkName } from '#shared/core/checks/check.ts'
import type { Flip } from '#shared/core/checks/flip.ts'
import type { HistoryEntry } from '#shared/core/checks/history.ts'
import { checksAt, type LinkedCheck } from '#shared/core/outages/discuss.ts'
import { timelineOf } from '#shared/core/views/timeline.ts'
import { call } from '../bridge.ts'
import type { ColumnFlip } from '../chat/column-items.tsx'
import { run } from '../run.ts'
import { appState, now } from '../window-state.ts'

/** In the head of a conversation, and between its messages: more would be a board. */
const mostShown = 3

/** The checks that are talked about in a conversation, worst first, and how many more there are. */
export function useLinkedChecks(target: Place): {
  readonly linked: readonly LinkedCheck[]
  readonly more: number
} {
  const state = appState.value
  const { accounts, boards, realms, settings, incidents } = state
  const moved = realms.get(target.accountId)?.movedTo
  const all = useMemo(
    () => checksAt(state, target),
    // What rules and links are made of; messages that come change none of it.
    [
      accounts,
      boards,
      settings.discuss,
      incidents,
      moved,
      target.accountId,
      conversationKey(target.conversation),
    ],
  )
  return { linked: all.slice(0, mostShown), more: Math.max(0, all.length - mostShown) }
}

interface ReadFlips {
  readonly flips: readonly Flip[]
  readonly entries: readonly HistoryEntry[]
}

/** How far back what Belfry saw itself is asked for. */
const seenMs = 7 * 24 * 3_600_000

/** Their flips, for between the messages: read when the conversation is opened, and when a check changed. */
export function useColumnFlips(linked: readonly LinkedCheck[]): readonly ColumnFlip[] {
  const [read, setRead] = useState<ReadonlyMap<string, ReadFlips>>(new Map())
  const wanted = linked.map(({ accountId, check }) => `${accountId} ${check.id} ${check.status}`)
  useEffect(() => {
    if (linked.length === 0) return
    let current = true
    const asked = linked.map(async (one) => {
      const { accountId, check } = one
      const [result, entries] = await Promise.all([
        run(accountId, 'listFlips', { id: check.id }),
        call.history({
          accountId,
          subject: checkSubject(accountId, check.id),
          from: now.peek() - seenMs,
        }),
      ])
      const flips = result.ok ? readFlips(result.value).items : []
      // Flips know only up and not up; down, paused or new is what Belfry saw itself.
      return [
        keyOf(one),
        { flips, entries: entries.ok ? entries.value.filter(isStatus) : [] },
      ] as const
    })
    void Promise.all(asked).then((all) => current && setRead(new Map(all)))
    return () => {
      current = false
    }
  }, [wanted.join('\n')])
  return useMemo(
    () => linked.flatMap((one) => flipsOf(one, read.get(keyOf(one)))),
    [wanted.join('\n'), read],
  )
}

function keyOf({ accountId, check }: LinkedCheck): string {
  return `${accountId}/${check.id}`
}

function isStatus({ kind }: HistoryEntry): boolean {
  return kind === 'status'
}

function flipsOf({ accountId, check }: LinkedCheck, read: ReadFlips | undefined): ColumnFlip[] {
  if (read === undefined) return []
  const { flips, entries } = read
  const offsetMs = appState.peek().boards.get(accountId)?.serverOffsetMs ?? 0
  const all = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  const lines = timelineOf({ check, flips, entries, pings: [], messages: [], offsetMs, ...all })
  return lines.flatMap(({ at, status, text }) =>
    // That it was late is said on its page; between messages it would only be noise.
    status === null || status === 'grace'
      ? []
      : [{ at, accountId, checkId: check.id, name: checkName(check), status, words: text }],
  )
}
