import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { readFlips, readPings } from '#shared/api/monitoring/read-history.ts'
import { isFresh, type MonitoringAccount } from '#shared/core/account.ts'
import type { Board } from '#shared/core/checks/board.ts'
import {
  type Check,
  type CheckDetails,
  type CheckId,
  checkName,
} from '#shared/core/checks/check.ts'
import { longSentence, statusWord } from '#shared/core/checks/check-words.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import { accountById } from '#shared/core/state.ts'
import { clockWords } from '#shared/core/time.ts'
import { QuietButtons, QuietHere, quietActs } from '../attention/check-quiet.tsx'
import { call } from '../bridge.ts'
import { DeleteCheck } from '../check-editor/delete-check.tsx'
import { editAct, whyNotWritable } from '../check-editor/editor-access.ts'
import { CheckDiscussion } from '../discuss/check-discussion.tsx'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { useSingleKeys } from '../parts/page-actions.ts'
import { PageBar } from '../parts/page-bar.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { run, useRun } from '../run.ts'
import { say, sayIfFailed } from '../toast.ts'
import { appState, now } from '../window-state.ts'
import { CheckFacts, CheckStrip } from './check-facts.tsx'
import { PingAddress } from './ping-address.tsx'
import { PingList } from './ping-list.tsx'
import { type PauseOutcome, pauseChoice, pauseOrResume } from './row-keys.ts'
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

interface CheckActionsProps {
  readonly account: MonitoringAccount
  readonly check: Check
  /** Null until they are there. */
  readonly details: CheckDetails | null
}

/** What can be done about the check as a whole. What came of a pause is said under the buttons. */
function CheckActions({ account, check, details }: CheckActionsProps) {
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<PauseOutcome | null>(null)
  const choice = pauseChoice(account, check)
  const offer = choice.can === 'neither' ? choice.offer : choice.can
  const act = () => {
    if (choice.can === 'neither') return say(choice.why, 'failed')
    setBusy(true)
    setOutcome(null)
    void pauseOrResume(account.id, check, choice.can).then((came) => {
      setBusy(false)
      setOutcome(came)
    })
  }
  const [deleting, setDeleting] = useState(false)
  const why = whyNotWritable(account, check)
  const edit = editAct(account.id, check)
  const quiet = { accountId: account.id, check }
  const name = checkName(check)
  useSingleKeys([
    ...quietActs(quiet),
    {
      key: 'p',
      title: `${offer === 'pause' ? 'Pause' : 'Resume'} ${name}`,
      act: () => !busy && act(),
    },
    edit,
  ])
  return (
    <div class="detail-actions">
      <QuietHere {...quiet} />
      <div class="button-row">
        <QuietButtons {...quiet} />
        <Button
          disabled={choice.can === 'neither'}
          busy={busy}
          describedBy="pause-note"
          title={choice.can === 'neither' ? choice.why : 'Key: p'}
          onClick={act}
        >
          {offer === 'pause' ? 'Pause' : 'Resume'}
        </Button>
        <Button disabled={why !== null} title={why ?? 'Key: e'} onClick={edit.act}>
          Edit
        </Button>
        <Button
          icon="external"
          onClick={() =>
            sayIfFailed(
              call.openWeb({
                target: { view: 'check', accountId: account.id, checkId: check.id },
              }),
            )
          }
        >
          Open in browser
        </Button>
        <Button
          kind="danger"
          disabled={why !== null}
          {...(why === null ? {} : { title: why })}
          onClick={() => setDeleting(true)}
        >
          Delete
        </Button>
      </div>
      <p id="pause-note" class={`note ${outcome?.ok === false ? 'note-failed' : ''}`} role="status">
        {choice.can === 'neither' ? choice.why : (outcome?.text ?? '')}
      </p>
      {deleting && (
        <DeleteCheck
          account={account}
          check={check}
          details={details}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  )
}
