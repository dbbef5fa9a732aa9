import './discuss.css'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { readFlips } from '#shared/api/monitoring/read-history.ts'
import { type AccountId, isFresh } from '#shared/core/account.ts'
import { checkSubject } from '#shared/core/attention/event.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import type { Place } from '#shared/core/chat/places.ts'
import { type Check, checkName, isLate } from '#shared/core/checks/check.ts'
import { statusWord } from '#shared/core/checks/check-words.ts'
import type { Flip, HistoryEntry } from '#shared/core/checks/history.ts'
import { checksAt, type LinkedCheck } from '#shared/core/outages/discuss.ts'
import { type Incident, updateDue } from '#shared/core/outages/incident.ts'
import { updateText } from '#shared/core/outages/outage-report.ts'
import { durationWords } from '#shared/core/time.ts'
import { timelineOf } from '#shared/core/views/timeline.ts'
import { counted } from '#shared/core/wording.ts'
import { rowShape, rowWords } from '../board/row-words.ts'
import { call } from '../bridge.ts'
import type { ColumnFlip } from '../chat/column-items.tsx'
import { Button } from '../parts/button.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { run, useBusy } from '../run.ts'
import { toast, toastFailure } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

/** The checks that a conversation is about; `more`: how many of them are not shown. */
interface Linked {
  readonly linked: readonly LinkedCheck[]
  readonly more: number
}

export function ConversationChecks({ linked, more }: Linked) {
  if (linked.length === 0) return null
  return (
    <section class="conversation-checks" aria-label="Checks of this conversation">
      {linked.map(({ accountId, check }) => {
        const board = appState.value.boards.get(accountId)
        const stale = board === undefined || !isFresh(board.freshness, now.value)
        const serverNow = now.value + (board?.serverOffsetMs ?? 0)
        return (
          <div key={`${accountId}/${check.id}`} class="conversation-check">
            <button
              type="button"
              class={`conversation-check-state is-${stale ? 'stale' : check.status}`}
              onClick={() => go({ view: 'check', accountId, checkId: check.id })}
            >
              <StatusShape shape={rowShape(check, stale)} />
              <span class="one-line conversation-check-name" dir="auto">
                {checkName(check)}
              </span>
              <span class="one-line check-status">
                {rowWords({ accountId, check, stale }, serverNow)}
              </span>
            </button>
            <UpdateOffer accountId={accountId} check={check} />
          </div>
        )
      })}
      {more > 0 && <p class="raw">and {counted(more, 'more check')}</p>}
    </section>
  )
}

/** When the check has changed since its report: posts an update, or opens it for editing. */
export function UpdateOffer({ accountId, check }: { accountId: AccountId; check: Check }) {
  const [busy, during] = useBusy()
  const incident = updateDue(appState.value, accountId, check, now.value)
  if (incident === null) return null
  const offset = appState.value.boards.get(accountId)?.serverOffsetMs ?? 0
  const post = async () => {
    const place = { accountId: incident.chatId, conversation: incident.conversation }
    const text = updateText(check, incident.since, now.peek() + offset)
    const report = { accountId, checkId: check.id, place, text, anyway: false }
    const result = await during(call.postReport(report))
    if (!result.ok) toastFailure(result.failure)
    else if (result.value.kind === 'sent') toast('The update is on its way.')
    else toast(`${result.value.by ?? 'You'} already posted this.`)
  }
  return (
    <div class="update-offer button-row">
      <Button kind="primary" busy={busy} onClick={() => void post()}>
        Post update: {changeWords(check, incident, now.value + offset)}
      </Button>
      <Button onClick={() => go({ view: 'discuss', accountId, checkId: check.id })}>
        Edit update
      </Button>
    </div>
  )
}

function changeWords(check: Check, { since }: Incident, serverNow: number): string {
  return check.status === 'up'
    ? `up again after ${durationWords((check.since ?? serverNow) - since)}`
    : statusWord(check.status)
}

/** How many checks are shown at the top of a conversation, and their flips between its messages. */
const mostShown = 3

/** The checks that a conversation is about, worst first. */
export function useLinkedChecks(target: Place): Linked {
  const state = appState.value
  const { accounts, boards, realms, settings, incidents } = state
  const moved = realms.get(target.accountId)?.movedTo
  const all = useMemo(
    () => checksAt(state, target),
    // Everything that the links depend on; new messages change none of it.
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

/** How far back to read the statuses that Belfry itself saw. */
const seenMs = 7 * 24 * 3_600_000

/**
 * The checks' flips, to show between messages; fetched on opening and when a status changes, and of a
 * conversation that is only previewed as a glance.
 */
export function useColumnFlips(
  linked: readonly LinkedCheck[],
  isPreview: boolean,
): readonly ColumnFlip[] {
  const [read, setRead] = useState<ReadonlyMap<string, ReadFlips>>(new Map())
  const wanted = linked.map(({ accountId, check }) => `${accountId} ${check.id} ${check.status}`)
  useEffect(() => {
    if (linked.length === 0) return
    let current = true
    const asked = linked.map(async (one) => {
      const { accountId, check } = one
      const [result, entries] = await Promise.all([
        run(accountId, 'listFlips', { id: check.id }, isPreview ? { glance: true } : {}),
        call.history({
          accountId,
          subject: checkSubject(accountId, check.id),
          from: now.peek() - seenMs,
        }),
      ])
      const flips = result.ok ? readFlips(result.value).items : []
      // Flips only say "up" or "not up"; Belfry's own history has the exact status.
      const seen = entries.ok ? entries.value.filter(({ kind }) => kind === 'status') : []
      return [keyOf(one), { flips, entries: seen }] as const
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

function flipsOf({ accountId, check }: LinkedCheck, read: ReadFlips | undefined): ColumnFlip[] {
  if (read === undefined) return []
  const { flips, entries } = read
  const offsetMs = appState.peek().boards.get(accountId)?.serverOffsetMs ?? 0
  const all = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }
  const lines = timelineOf({ check, flips, entries, pings: [], messages: [], offsetMs, ...all })
  return lines.flatMap(({ at, status, text }) =>
    // Being late would only be noise between messages.
    status === null || isLate(status)
      ? []
      : [{ at, accountId, checkId: check.id, name: checkName(check), status, words: text }],
  )
}
