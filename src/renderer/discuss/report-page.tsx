import './discuss.css'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { readPings } from '#shared/api/monitoring/read-history.ts'
import type { ReportOutcome } from '#shared/contract.ts'
import { accountById, type MonitoringAccount } from '#shared/core/account.ts'
import { causeOf, evidenceIn, lastFailure } from '#shared/core/checks/cause.ts'
import { type Check, type CheckId, checkName, checkPage } from '#shared/core/checks/check.ts'
import { lineThatMatters } from '#shared/core/checks/line-that-matters.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import {
  type DiscussPlace,
  discussedAt,
  reportKey,
  suggestedPlaces,
} from '#shared/core/outages/discuss.ts'
import { updateDue } from '#shared/core/outages/incident.ts'
import { reportText, updateText } from '#shared/core/outages/outage-report.ts'
import { codePointLength } from '#shared/core/text-length.ts'
import { relativeWords } from '#shared/core/time.ts'
import { useBody } from '../board/run-output.tsx'
import { readsPings } from '../board/use-details.ts'
import { call } from '../bridge.ts'
import { createKeptText } from '../chat/draft-text.ts'
import { Button, SmallButton } from '../parts/button.tsx'
import { submits } from '../parts/form.ts'
import { EmptyPage, PageBar } from '../parts/page-bar.tsx'
import { run, useRun } from '../run.ts'
import { toast, toastFailure } from '../toast.ts'
import { appState, go, now, stillHere } from '../window-state.ts'
import { PlacePicker, pickedOf, placePicked, placeWords } from './place-picker.tsx'

/** The prepared report on a check, to edit, and where to post it. */
export function ReportPage({ accountId, checkId }: { accountId: string; checkId: CheckId }) {
  const state = appState.value
  const account = accountById(state, accountId)
  const check = state.boards.get(accountId)?.checks.get(checkId)
  const hasChat = state.accounts.some(({ kind }) => kind === 'chat')
  if (!hasChat)
    return (
      <EmptyPage title="Share to chat" why="No chat account yet">
        <p>Connect one to share outages there.</p>
        <Button kind="primary" onClick={() => go({ view: 'addAccount', kind: 'chat' })}>
          Connect a chat account
        </Button>
      </EmptyPage>
    )
  if (account?.kind !== 'monitoring' || check === undefined)
    return <EmptyPage title="Share to chat" why="This check no longer exists" />
  return <Report key={`${accountId}/${checkId}`} account={account} check={check} />
}

interface ReportProps {
  readonly account: MonitoringAccount
  readonly check: Check
}

/** Used if the server gave no limit (chat API, "max_message_length"). */
const usualLimit = 10_000

function Report({ account, check }: ReportProps) {
  const state = appState.value
  const [picked, setPicked] = useState(() => firstPlace(account, check))
  const [choosing, setChoosing] = useState(() => placePicked(picked) === null)
  const place = placePicked(picked)
  const limit = state.realms.get(picked.chatId)?.limits.messageLength ?? usualLimit
  const report = useReport(account, check, limit)
  const post = usePost(account, check, place, report)
  const form = useRef<HTMLFormElement>(null)
  // What is still to be chosen, else what was begun, else the button: the message is written already.
  useLayoutEffect(() => {
    const find = (what: string) => [...(form.current?.querySelectorAll<HTMLElement>(what) ?? [])]
    const next = choosing
      ? find('select').at(-1)
      : (find('textarea').find(() => report.startOver !== null) ?? find('.button-primary')[0])
    next?.focus({ preventScroll: true })
    if (next instanceof HTMLTextAreaElement) next.setSelectionRange(0, 0)
  }, [])
  const length = codePointLength(report.text ?? '')
  const why = whyNot(report.text, place, length, limit)
  const send = () => why === null && void post.send(false)
  return (
    <section class="page" aria-label={`Share ${checkName(check)} to chat`}>
      <PageBar title={`Share ${checkName(check)} to chat`} />
      <form ref={form} class="stack page-scroll discuss-form" {...submits(send)}>
        {place !== null && (
          <div class="row report-place">
            <span>To</span>
            <strong dir="auto">{placeWords(state, place)}</strong>
            {!choosing && <SmallButton onClick={() => setChoosing(true)}>Change</SmallButton>}
          </div>
        )}
        {choosing && <PlacePicker value={picked} onChange={setPicked} />}
        {report.text === null ? (
          <p class="note" role="status">
            Preparing the message…
          </p>
        ) : (
          <textarea
            class="report-text"
            aria-label="Message"
            dir="auto"
            value={report.text}
            onInput={(typed) => report.edit(typed.currentTarget.value)}
          />
        )}
        <PostTrouble post={post} place={place} account={account} check={check} />
        <div class="button-row button-row-end">
          <span
            id="report-why"
            class={`raw report-why ${length > limit ? 'note-failed' : ''}`}
            role="status"
          >
            {why !== null && `${why}.`}
          </span>
          {report.startOver !== null && <Button onClick={report.startOver}>Start over</Button>}
          <Button
            kind="primary"
            type="submit"
            busy={post.busy}
            disabled={why !== null}
            title={why ?? 'Key: Ctrl+Enter'}
            {...(why !== null && { describedBy: 'report-why' })}
          >
            Send
          </Button>
        </div>
      </form>
    </section>
  )
}

function firstPlace(account: MonitoringAccount, check: Check) {
  const state = appState.peek()
  const place = discussedAt(state, account.id, check) ?? suggestedPlaces(state, check)[0] ?? null
  return pickedOf(place, checkName(check))
}

function whyNot(
  text: string | null,
  place: DiscussPlace | null,
  length: number,
  limit: number,
): string | null {
  if (text === null) return 'It is still being prepared'
  if (place === null) return 'Choose a channel and a topic'
  if (text.trim() === '') return 'There is nothing to send yet'
  return length > limit ? `It is too long for this server: ${length} of ${limit} characters` : null
}

function usePost(
  account: MonitoringAccount,
  check: Check,
  place: DiscussPlace | null,
  report: ReturnType<typeof useReport>,
) {
  const [failure, setFailure] = useState<Failure | null>(null)
  const [posted, setPosted] = useState<Extract<ReportOutcome, { kind: 'posted' }> | null>(null)
  const send = async (anyway: boolean) => {
    if (place === null || report.text === null || report.isSending) return
    setFailure(null)
    setPosted(null)
    const isHere = stillHere()
    const ids = { accountId: account.id, checkId: check.id }
    const text = report.hold()
    const result = await call.postReport({ ...ids, place, text, anyway })
    const isSent = result.ok && result.value.kind === 'sent'
    const isAll = report.release(isSent)
    if (!isSent && !isHere())
      return toast(
        `The message about ${checkName(check)} was not sent. Your text is saved: choose “Share to chat” to send it again.`,
        'failed',
      )
    if (!result.ok) return setFailure(result.failure)
    if (result.value.kind === 'posted') return setPosted(result.value)
    if (isHere()) go({ view: 'conversation', ...place, messageId: null })
    toast(
      isAll
        ? 'The message is on its way.'
        : 'The message is on its way, without what you typed since then: that is under “Share to chat”.',
    )
  }
  return { busy: report.isSending, failure, posted, send }
}

interface TroubleProps extends ReportProps {
  readonly post: ReturnType<typeof usePost>
  readonly place: DiscussPlace | null
}

/** Says that somebody has already posted this, or why it wasn't sent, with what to do next. */
function PostTrouble({ post, place, account, check }: TroubleProps) {
  const { posted, failure } = post
  const box = useRef<HTMLDivElement>(null)
  // Scrolled to, since nobody would see it below a long report.
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [posted, failure])
  if (place === null || (posted === null && failure === null)) return null
  const join = async () => {
    if (posted?.messageId != null) {
      const ids = { accountId: account.id, checkId: check.id }
      const result = await call.joinReport({ ...ids, place, messageId: posted.messageId })
      if (!result.ok) return toastFailure(result.failure)
    }
    go({ view: 'conversation', ...place, messageId: posted?.messageId ?? null })
  }
  return (
    <div class="stack report-trouble" role="alert" ref={box}>
      <p>
        {posted === null
          ? failure !== null && `Not sent. ${failureSentence(failure)}`
          : `${posted.by ?? 'You'} posted this ${relativeWords(posted.at, now.value)}.`}
      </p>
      <div class="button-row">
        {posted !== null && (
          <Button kind="primary" onClick={() => void join()}>
            {posted.by === null ? 'Open the conversation' : 'Join the conversation'}
          </Button>
        )}
        {failure?.kind !== 'invalid' && (
          <Button busy={post.busy} onClick={() => void post.send(true)}>
            {posted === null ? 'Send without checking' : 'Post anyway'}
          </Button>
        )}
      </div>
    </div>
  )
}

/** The prepared report, or the user's version of it, which closing the page doesn't lose. */
function useReport(account: MonitoringAccount, check: Check, limit: number) {
  const { id: accountId } = account
  const [draft] = useState(() =>
    createKeptText(reportKey(accountId, check.id), (text) =>
      call.saveReport({ accountId, checkId: check.id, text }),
    ),
  )
  const [isTyped, setTyped] = useState(draft.text.peek() !== '')
  const prepared = usePrepared(account, check, limit)
  useEffect(() => () => draft.stop(), [])
  return {
    isSending: draft.isSending.value,
    /** Null while it is being prepared. */
    text: isTyped ? draft.text.value : prepared,
    edit(text: string) {
      setTyped(true)
      draft.edit(text)
    },
    /** Discards what was typed for a new report; null if nothing was typed. */
    startOver: isTyped
      ? () => {
          setTyped(false)
          draft.edit('')
          void draft.flush()
        }
      : null,
    /** Begins to send the report, and returns it. */
    hold(): string {
      if (!isTyped) this.edit(prepared ?? '')
      return draft.hold()
    },
    /** Keeps the report or, if it was `sent`, what was typed since; true if that is nothing. */
    release(sent: boolean): boolean {
      draft.release(sent)
      return draft.text.peek() === ''
    },
  }
}

/** Written once, when everything it needs has been fetched: it must not change under the reader. */
function usePrepared(account: MonitoringAccount, check: Check, limit: number): string | null {
  const [text, setText] = useState<string | null>(null)
  const reads = readsPings(account, check)
  const pings = useRun(
    reads ? 'pings' : null,
    () => run(account.id, 'listPings', { uuid: check.id }),
    (reply) => readPings(reply).items,
  )
  const withBody = (pings.value ?? []).filter(({ hasBody, n }) => hasBody && n !== null)
  const n = (withBody.find(({ kind }) => kind === 'fail') ?? withBody[0])?.n ?? null
  const body = useBody(account.id, check.id, n)
  const isOfFailure = n !== null && n === lastFailure(pings.value ?? [])?.n
  const line = isOfFailure && body.value !== null ? lineThatMatters(body.value) : null
  const ready =
    (!reads || pings.value !== null || pings.failure !== null) &&
    (n === null || body.value !== null || body.failure !== null)
  useEffect(() => {
    if (!ready || text !== null) return
    const state = appState.peek()
    const serverNow = now.peek() + (state.boards.get(account.id)?.serverOffsetMs ?? 0)
    const incident = updateDue(state, account.id, check, now.peek())
    setText(
      incident === null
        ? reportText({
            check,
            cause: causeOf(check, pings.value && evidenceIn(check, pings.value, line), serverNow),
            project: account.label,
            webUrl: checkPage(account.baseUrl, check.id),
            serverNow,
            pings: pings.value ?? [],
            output: body.value,
            limit,
          })
        : updateText(check, incident.since, serverNow),
    )
  }, [ready])
  return text
}
