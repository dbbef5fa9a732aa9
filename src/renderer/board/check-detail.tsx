import { useLayoutEffect, useRef } from 'preact/hooks'
import { readFlips, readPings } from '#shared/api/monitoring/read-history.ts'
import { isFresh, type MonitoringAccount } from '#shared/core/account.ts'
import type { Board } from '#shared/core/checks/board.ts'
import { type Check, type CheckId, checkName } from '#shared/core/checks/check.ts'
import { longSentence, statusWord } from '#shared/core/checks/check-words.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import { clockWords } from '#shared/core/clock-words.ts'
import { accountById } from '#shared/core/state.ts'
import { CheckDiscussion } from '../discuss/check-discussion.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { run, useRun } from '../run.ts'
import { appState, now } from '../window-state.ts'
import { CheckActions } from './check-actions.tsx'
import { CheckFacts } from './check-facts.tsx'
import { CheckStrip } from './check-strip.tsx'
import { PingAddress } from './ping-address.tsx'
import { PingList } from './ping-list.tsx'
import { rowShape } from './row-words.ts'
import { useDetails } from './use-details.ts'

interface Props {
  readonly accountId: string
  readonly checkId: CheckId
}

/** One check: what it is now, what it was, and what can be done about it. */
export function CheckDetail({ accountId, checkId }: Props) {
  const account = accountById(appState.value, accountId)
  const board = appState.value.boards.get(accountId)
  const check = board?.checks.get(checkId)
  if (account?.kind !== 'monitoring' || board === undefined || check === undefined)
    return <GoneCheck />
  return <Detail key={`${accountId}/${checkId}`} account={account} board={board} check={check} />
}

function GoneCheck() {
  return (
    <section class="page" aria-label="Check">
      <PageBar title="Check" />
      <EmptyState title="This check is no longer there">
        <p>It was deleted, or its project was removed from Belfry.</p>
      </EmptyState>
    </section>
  )
}

interface DetailProps {
  readonly account: MonitoringAccount
  readonly board: Board
  readonly check: Check
}

function Detail({ account, board, check }: DetailProps) {
  const page = useRef<HTMLElement>(null)
  useLayoutEffect(() => page.current?.focus(), [])
  const { value: details } = useDetails(account.id, check.id)
  const { flips, pings } = useHistory(account, check)
  const serverNow = now.value + board.serverOffsetMs
  const stale = !isFresh(board.freshness, now.value)
  const staleSince = stale ? (board.freshness.readAt ?? 0) + board.serverOffsetMs : null
  return (
    <section class="page" aria-label={checkName(check)}>
      <PageBar title={account.label} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable. */}
      <section class="page-scroll detail" ref={page} tabIndex={0} aria-label="Details">
        <header class={`detail-head is-${stale ? 'stale' : check.status}`}>
          <StatusShape shape={rowShape(check, stale)} size={20} />
          <h2 dir="auto" title={checkName(check)}>
            {checkName(check)}
          </h2>
        </header>
        <p class={`detail-sentence ${isTrouble(check) && !stale ? 'is-trouble' : ''}`}>
          {stale
            ? `It was ${statusWord(check.status)} when last read${readWords(board, now.value)}.`
            : longSentence(check, serverNow)}
        </p>
        <CheckActions account={account} check={check} details={details} />
        <CheckDiscussion account={account} check={check} />
        <CheckStrip check={check} flips={flips} serverNow={serverNow} staleSince={staleSince} />
        <CheckFacts account={account} check={check} details={details} serverNow={serverNow} />
        <Description text={details?.description.trim() ?? ''} />
        {details !== null && (
          <PingAddress account={account} check={{ ...details, ...check, slug: details.slug }} />
        )}
        <PingList account={account} check={check} pings={pings} serverNow={serverNow} />
      </section>
    </section>
  )
}

function Description({ text }: { readonly text: string }) {
  return text === '' ? null : (
    <p class="detail-description" dir="auto">
      {text}
    </p>
  )
}

function readWords({ freshness }: Board, at: number): string {
  return freshness.readAt === null ? '' : `, at ${clockWords(freshness.readAt, at)}`
}

/** Flips and pings of the check, asked for again when the board shows that it moved. */
function useHistory(account: MonitoringAccount, check: Check) {
  const { id } = account
  const moved = `${id} ${check.id} ${check.status} ${check.pingCount} ${check.lastPingAt}`
  const reads = account.keyKind !== 'readOnly' && check.writable
  const flips = useRun(
    moved,
    () => run(id, 'listFlips', { id: check.id }),
    (reply) => readFlips(reply).items,
  )
  const pings = useRun(
    reads ? moved : null,
    () => run(id, 'listPings', { uuid: check.id }),
    (reply) => readPings(reply).items,
  )
  return { flips, pings }
}
