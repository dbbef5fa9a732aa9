import { useEffect, useState } from 'preact/hooks'
import { createFields } from '#shared/api/monitoring/write-check.ts'
import { accountById, isFresh, isRead, type MonitoringAccount } from '#shared/core/account.ts'
import { type Board, countedSince } from '#shared/core/checks/board.ts'
import {
  type Check,
  type CheckDetails,
  type CheckId,
  checkName,
  checkPage,
} from '#shared/core/checks/check.ts'
import { draftOf } from '#shared/core/checks/check-draft.ts'
import { longSentence, statusWord } from '#shared/core/checks/check-words.ts'
import { atClockWords } from '#shared/core/time.ts'
import { counted } from '#shared/core/wording.ts'
import { QuietButtons, QuietHere, quietActions } from '../attention/check-quiet.tsx'
import { dependsAction } from '../attention/dependency-list.tsx'
import { limitsAction } from '../attention/run-limits.tsx'
import { call } from '../bridge.ts'
import { editAction, isOnlyRead, whyNotWritable } from '../check-editor/editor-access.ts'
import { editingKey, unsaved } from '../check-editor/use-check-form.ts'
import { copyLink } from '../copy-link.tsx'
import { CheckDiscussion } from '../discuss/check-discussion.tsx'
import { CheckTimeline } from '../discuss/check-timeline.tsx'
import { Button, CopyButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field, FormFoot } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import { MenuButton } from '../parts/menu-button.tsx'
import { type PageAction, usePageActions, useSingleKeys } from '../parts/page-actions.ts'
import { EmptyPage, PageBar, ScrollRegion, usePageFocus } from '../parts/page-bar.tsx'
import { StatusShape } from '../parts/status-shape.tsx'
import { failedWords, isNotFound, run, useBusy, useIsHere } from '../run.ts'
import { toast, toastIfFailed } from '../toast.ts'
import { appState, go, now, stillHere } from '../window-state.ts'
import { CauseEvidence, CheckFacts, Description, useCause } from './check-facts.tsx'
import { CheckHistory } from './check-history.tsx'
import { BadgeDialog, PingAddress } from './ping-address.tsx'
import {
  deleteActions,
  deleting,
  type PauseOutcome,
  pauseLabel,
  pauseOrResume,
  pinAction,
  showTimeline,
  toastPause,
} from './row-keys.ts'
import { rowShape } from './row-words.ts'
import { RunList } from './run-list.tsx'
import { useDetails, useHistory } from './use-details.ts'

/** The page of a check: its present state, its history, and its actions. */
export function CheckDetail({ accountId, checkId }: { accountId: string; checkId: CheckId }) {
  const account = accountById(appState.value, accountId)
  const board = appState.value.boards.get(accountId)
  const check = board?.checks.get(checkId)
  const isNotLoaded = board !== undefined && !isRead(board.freshness)
  if (account !== null && check === undefined && isNotLoaded)
    return (
      <EmptyPage title="Check" why="This check is not loaded yet">
        <p>{account.label} has not been read since Belfry started.</p>
      </EmptyPage>
    )
  if (account?.kind !== 'monitoring' || board === undefined || check === undefined)
    return (
      <EmptyPage title="Check" why="This check no longer exists">
        <p>It was deleted, or its project was removed from Belfry.</p>
      </EmptyPage>
    )
  return <Detail key={`${accountId}/${checkId}`} account={account} board={board} check={check} />
}

function Detail(props: { account: MonitoringAccount; board: Board; check: Check }) {
  const { account, board, check } = props
  const page = usePageFocus()
  const { value: details } = useDetails(account.id, check.id)
  const { flips, pings, past, outages } = useHistory(account, check)
  const serverNow = now.value + board.serverOffsetMs
  const stale = !isFresh(board.freshness, now.value)
  const cause = useCause({ account, board, check, pings, serverNow })
  const address = details !== null && (
    <PingAddress account={account} check={{ ...details, ...check, slug: details.slug }} />
  )
  // What one does next is to put the address into the job.
  const isUnused = check.status === 'new' && check.pingCount === 0
  return (
    <section class="page" aria-label={checkName(check)}>
      <PageBar title={checkName(check)} />
      <ScrollRegion class="page-scroll detail" label="Details" box={page}>
        <div class="detail-top">
          <header class={stale ? 'detail-head detail-stale' : 'detail-head'}>
            <StatusShape shape={rowShape(check, stale)} size={20} />
            <div>
              {!stale && cause.words !== null && (
                <p class="detail-cause" dir="auto">
                  {cause.words}
                </p>
              )}
              <p class="detail-sentence">
                {stale
                  ? `It was ${statusWord(check.status)} when last updated${readWords(board, now.value)}.`
                  : longSentence(check, serverNow, undefined, countedSince(board))}
              </p>
              <p class="raw" dir="auto">
                {account.label}
              </p>
            </div>
          </header>
          {isUnused && address}
          <CheckActions account={account} check={check} details={details} />
          <CauseEvidence account={account} check={check} serverNow={serverNow} {...cause} />
          <CheckDiscussion account={account} check={check} outages={outages ?? []} />
          <CheckHistory {...{ account, check, flips, pings, past, outages }} />
          <CheckTimeline {...{ account, check, flips, pings, outages }} />
        </div>
        <RunList account={account} check={check} pings={pings} serverNow={serverNow} />
        <div class="detail-side">
          <CheckFacts account={account} check={check} details={details} serverNow={serverNow} />
          {details !== null && details.description.trim() !== '' && (
            <Description text={details.description.trim()} />
          )}
          {!isUnused && address}
        </div>
      </ScrollRegion>
    </section>
  )
}

function readWords({ freshness }: Board, at: number): string {
  return freshness.readAt === null ? '' : `, ${atClockWords(freshness.readAt, at)}`
}

interface CheckActionsProps {
  readonly account: MonitoringAccount
  readonly check: Check
  /** Null until they have loaded. */
  readonly details: CheckDetails | null
}

/** What can be done with the check, by key and from the palette, and what came of a pause. */
function useCheckActions({ account, check }: Omit<CheckActionsProps, 'details'>) {
  const [busy, during] = useBusy()
  const isHere = useIsHere()
  const [outcome, setOutcome] = useState<PauseOutcome | null>(null)
  const why = whyNotWritable(account, check)
  const isReadOnly = isOnlyRead(account, check)
  const edit = editAction(account.id, check)
  const quiet = { accountId: account.id, check }
  const pin = pinAction([quiet])
  const ifWritable = (then: () => unknown) => () => {
    if (why === null) then()
    else toast(why, 'failed')
  }
  const pauseIt = ifWritable(() => {
    setOutcome(null)
    void during(pauseOrResume(account.id, check)).then((came) => {
      if (isHere()) setOutcome(came)
      else toastPause(came)
    })
  })
  const pause: PageAction = {
    key: 'p',
    title: `${pauseLabel(check)} ${checkName(check)}`,
    act: () => !busy && pauseIt(),
  }
  const remove = deleteActions(account.id, check)
  useSingleKeys([...quietActions(quiet), ...(isReadOnly ? [] : [pause, edit]), pin])
  usePageActions(() => [...remove, dependsAction(quiet), limitsAction(quiet)])
  return { busy, outcome, why, isReadOnly, edit, pin, pauseIt, ifWritable, remove }
}

/** The actions on the check as a whole and, below them, the outcome of a pause. */
function CheckActions({ account, check, details }: CheckActionsProps) {
  const { busy, outcome, why, isReadOnly, ...actions } = useCheckActions({ account, check })
  const { edit, pin, remove } = actions
  const [isBadge, setBadge] = useState(false)
  useEffect(
    () => () => {
      if (deleting.peek() === check.id) deleting.value = null
    },
    [check.id],
  )
  const quiet = { accountId: account.id, check }
  const here = { accountId: account.id, checkId: check.id }
  const clone = {
    view: 'editCheck',
    accountId: account.id,
    checkId: null,
    cloneOf: check.id,
  } as const
  return (
    <div class="detail-actions">
      <QuietHere {...quiet} />
      <div class="button-row">
        <QuietButtons {...quiet} />
        <Button title="Key: d" onClick={() => go({ view: 'discuss', ...here })}>
          Share to chat
        </Button>
      </div>
      <div class="button-row">
        {!isReadOnly && (
          <>
            <Button
              kind="quiet"
              disabled={why !== null}
              busy={busy}
              describedBy="pause-note"
              title={why ?? 'Key: p'}
              onClick={actions.pauseIt}
            >
              {pauseLabel(check)}
            </Button>
            <Button kind="quiet" disabled={why !== null} title={why ?? 'Key: e'} onClick={edit.act}>
              Edit
            </Button>
          </>
        )}
        <CopyButton label="Copy web link" text={checkPage(account.baseUrl, check.id)} />
        <MenuButton
          label="More actions"
          items={[
            {
              label: 'Open in browser',
              act: () => toastIfFailed(call.openWeb({ target: { view: 'check', ...here } })),
            },
            ...(details === null ? [] : [{ label: 'Badge', act: () => setBadge(true) }]),
            { label: 'Copy app link', act: () => copyLink({ view: 'check', ...here }) },
            ...(isReadOnly ? [] : [{ label: 'Clone', act: actions.ifWritable(() => go(clone)) }]),
            { label: pin.title, hint: 'f', act: pin.act },
            { label: 'Depends on…', act: dependsAction(quiet).act },
            { label: 'Run times…', act: limitsAction(quiet).act },
            { label: 'Timeline', hint: 't', act: () => showTimeline(account.id, check.id) },
            ...remove.map(({ act: ask }) => ({ label: 'Delete…', act: ask })),
          ]}
        />
      </div>
      <p id="pause-note" class={`note ${outcome?.ok === false ? 'note-failed' : ''}`} role="status">
        {(isReadOnly ? null : why) ?? outcome?.text ?? ''}
      </p>
      {isBadge && details !== null && (
        <BadgeDialog account={account} details={details} onClose={() => setBadge(false)} />
      )}
      {deleting.value === check.id && (
        <DeleteCheck
          account={account}
          check={check}
          details={details}
          onClose={() => {
            deleting.value = null
          }}
        />
      )}
    </div>
  )
}

/** Asks for the name first, since the service can't restore a check, not even its address. */
export function DeleteCheck(props: CheckActionsProps & { readonly onClose: () => void }) {
  const { account, check, details, onClose } = props
  const name = checkName(check)
  const count = check.pingCount
  const pings = count === 1 ? 'one ping' : counted(count, 'ping')
  const isMeant = (typed: string) => typed.trim() === name.trim()
  const form = useForm({
    title: `Delete ${name}`,
    start: { name: '' },
    check: (typed) => (isMeant(typed.name) ? {} : { name: 'Type its name first.' }),
    async send() {
      const isAtCheck = stillHere()
      const result = await run(account.id, 'deleteCheck', { uuid: check.id })
      // Not found: deleted by somebody else, or by a request whose answer was lost.
      if (!result.ok && !isNotFound(result.failure)) return result
      return { ok: true, value: isAtCheck }
    },
    failed: (failure) => ({ form: failedWords(failure, maybeDeleted, 'Nothing was deleted.') }),
    done(isAtCheck, isHere) {
      unsaved.drop(editingKey(account.id, check.id))
      if (isHere()) onClose()
      if (isAtCheck()) go({ view: 'checks' })
      toast(`Deleted ${name}.`)
    },
  })
  const meant = isMeant(form.draft.name)
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <p>This can’t be undone. You lose:</p>
      <ul class="delete-list">
        <li>{count === 0 ? 'its log' : `the log of its ${pings}`}</li>
        <li>the history of its changes</li>
        <li>its ping address, which stops working and can’t be used again</li>
      </ul>
      <div class="delete-definition">
        {details !== null && <CopyButton label="Copy definition" text={definitionOf(details)} />}
      </div>
      <form {...form.attributes}>
        <Field
          label="Type its name to delete it"
          placeholder={name}
          {...draftField(form, 'name')}
        />
        <FormFoot error={form.errors.form} onCancel={onClose}>
          <Button
            kind="danger"
            type="submit"
            busy={form.busy}
            disabled={!meant}
            title={meant ? undefined : 'Type its name first.'}
          >
            {form.busy ? 'Deleting' : 'Delete'}
          </Button>
        </FormFoot>
      </form>
    </Dialog>
  )
}

/** The input of the operation "Create a new check", to create another like it. */
function definitionOf(check: CheckDetails): string {
  return `${JSON.stringify(createFields(draftOf(check)), null, 2)}\n`
}

const maybeDeleted = 'It may have been deleted anyway: look under Checks.'
