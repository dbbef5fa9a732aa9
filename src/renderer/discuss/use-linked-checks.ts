import { useEffect, useMemo, useState } from 'preact/hooks'
import { readFlips } from '#shared/api/read-history.ts'
import type { Place } from '#shared/contract.ts'
import { checkName } from '#shared/core/check.ts'
import { conversationKey } from '#shared/core/conversation.ts'
import { checksAt, type LinkedCheck } from '#shared/core/discuss.ts'
import type { Flip } from '#shared/core/flip.ts'
import { flipWords, toldFlips } from '#shared/core/timeline.ts'
import type { ColumnFlip } from '../chat/column-items.ts'
import { run } from '../run.ts'
import { appState } from '../state.ts'

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

/** Their flips, for between the messages: read when the conversation is opened, and when a check changed. */
export function useColumnFlips(linked: readonly LinkedCheck[]): readonly ColumnFlip[] {
  const [read, setRead] = useState<ReadonlyMap<string, readonly Flip[]>>(new Map())
  const wanted = linked.map(({ accountId, check }) => `${accountId} ${check.id} ${check.status}`)
  useEffect(() => {
    if (linked.length === 0) return
    let current = true
    const asked = linked.map(async ({ accountId, check }) => {
      const result = await run(accountId, 'listFlips', { id: check.uuid ?? check.id })
      return [`${accountId}/${check.id}`, result.ok ? readFlips(result.value).items : []] as const
    })
    void Promise.all(asked).then((all) => current && setRead(new Map(all)))
    return () => {
      current = false
    }
  }, [wanted.join('\n')])
  return useMemo(
    () => linked.flatMap((one) => flipsOf(one, read.get(`${one.accountId}/${one.check.id}`) ?? [])),
    [wanted.join('\n'), read],
  )
}

function flipsOf({ accountId, check }: LinkedCheck, flips: readonly Flip[]): ColumnFlip[] {
  const offset = appState.peek().boards.get(accountId)?.serverOffsetMs ?? 0
  return toldFlips(check, flips, offset).map(({ at, status, forMs }) => ({
    at,
    accountId,
    checkId: check.id,
    name: checkName(check),
    status,
    words: flipWords(status, forMs),
  }))
}
