import type { Commands, Place, ReportOutcome } from '../../shared/contract.ts'
import type { AccountId } from '../../shared/core/account.ts'
import { checkSubject } from '../../shared/core/attention/check-subject.ts'
import type { Check, CheckId } from '../../shared/core/checks/check.ts'
import { invalid } from '../../shared/core/failure.ts'
import { reportKey } from '../../shared/core/outages/discuss.ts'
import {
  type Incident,
  incidentOf,
  isOnItsWay,
  reportsOf,
  withIncident,
} from '../../shared/core/outages/incident.ts'
import { outageMark, withMark } from '../../shared/core/outages/outage-report.ts'
import type { AppState } from '../../shared/core/state.ts'
import { known } from '../../shared/core/state.ts'
import type { HistoryRecord } from '../history-record.ts'
import type { Clock } from '../ports.ts'
import type { LiveState } from '../store.ts'
import type { RealmLink } from './realm-session.ts'

/** The hand-off of an outage to the chat. `link` finds a running connection, or throws why there is none. */
export function createDiscussCommands(parts: {
  live: LiveState
  clock: Clock
  link: (accountId: AccountId) => Pick<RealmLink, 'loadConversation'>
  /** Through the outbox: sent once. */
  send: (place: Place, text: string) => Promise<void>
  record: Pick<HistoryRecord, 'acted'>
}): Pick<Commands, 'saveReport' | 'postReport' | 'joinReport'> {
  const { live, clock, record } = parts
  /** By check: a second press while the first one is looking gets its answer. */
  const posting = new Map<string, Promise<ReportOutcome>>()

  async function post(input: Parameters<Commands['postReport']>[0]): Promise<ReportOutcome> {
    const { accountId, checkId, place, text, anyway } = input
    const outage = outageOf(live.get(), accountId, checkId, clock.now())
    const before = incidentOf(live.get(), accountId, checkId)
    if (!anyway && isNews(outage, before)) {
      // What is held may be old; what two people press within seconds is seen only by asking.
      await parts.link(place.accountId).loadConversation(place.conversation, false)
      const posted = postedIn(live.get(), place, outage, clock.now())
      if (posted !== null) return posted
    }
    await parts.send(place, withMark(text, outageMark(checkId, outage.status, outage.since)))
    live.update((state) =>
      withoutReport(
        withIncident(state, incidentAfter(before, input, outage, clock.now())),
        accountId,
        checkId,
      ),
    )
    record.acted(accountId, checkId, { act: 'report', status: outage.status })
    return { kind: 'sent' }
  }

  return {
    async saveReport({ accountId, checkId, text }) {
      const key = reportKey(accountId, checkId)
      live.update((state) => withReport(state, key, text))
      await live.keep('drafts').catch(() => {
        throw invalid(
          'disk',
          'The text could not be saved on this computer (disk full or read-only).',
        )
      })
    },

    postReport(input) {
      const subject = checkSubject(input.accountId, input.checkId)
      const going = posting.get(subject)
      if (going !== undefined) return going
      const one = post(input).finally(() => posting.delete(subject))
      posting.set(subject, one)
      return one
    },

    async joinReport({ accountId, checkId, place, messageId }) {
      const { status, since } = outageOf(live.get(), accountId, checkId, clock.now())
      known(live.get(), place.accountId)
      const incident: Incident = {
        accountId,
        checkId,
        chatId: place.accountId,
        conversation: place.conversation,
        messageId,
        since,
        told: status,
        toldAt: clock.now(),
      }
      live.update((state) => withoutReport(withIncident(state, incident), accountId, checkId))
      record.acted(accountId, checkId, { act: 'joinReport' })
    },
  }
}

type Outage = Pick<Check, 'status'> & { readonly checkId: CheckId; readonly since: number }

function outageOf(state: AppState, accountId: AccountId, checkId: CheckId, now: number): Outage {
  known(state, accountId)
  const board = state.boards.get(accountId)
  const check = board?.checks.get(checkId)
  if (board === undefined || check === undefined)
    throw invalid('checkId', 'There is no such check.')
  return { checkId, status: check.status, since: check.since ?? now + board.serverOffsetMs }
}

/** That all is well is told once as the end of an outage; to talk about it otherwise is nobody's double. */
function isNews({ status }: Outage, before: Incident | null): boolean {
  return status === 'down' || status === 'grace' || (before !== null && before.told !== status)
}

/** Somebody told it already, or one of ours is on its way. */
function postedIn(
  state: AppState,
  place: Place,
  outage: Outage,
  now: number,
): Extract<ReportOutcome, { kind: 'posted' }> | null {
  const [first] = reportsOf(state, place, outage)
  if (first !== undefined)
    return {
      kind: 'posted',
      by: first.isMe ? null : first.senderName,
      messageId: first.id,
      at: first.sentAt,
    }
  return isOnItsWay(state, place, outage)
    ? { kind: 'posted', by: null, messageId: null, at: now }
    : null
}

/** An update keeps the report and the moment at which the outage began. */
function incidentAfter(
  before: Incident | null,
  { accountId, checkId, place }: Parameters<Commands['postReport']>[0],
  { status, since }: Outage,
  now: number,
): Incident {
  const isUpdate = before !== null && before.chatId === place.accountId && status !== 'down'
  return {
    accountId,
    checkId,
    chatId: place.accountId,
    conversation: place.conversation,
    messageId: isUpdate ? before.messageId : null,
    since: isUpdate ? before.since : since,
    told: status,
    toldAt: now,
  }
}

function withReport(state: AppState, key: string, text: string): AppState {
  if ((state.drafts.get(key) ?? '') === text) return state
  const drafts = new Map(state.drafts)
  if (text === '') drafts.delete(key)
  else drafts.set(key, text)
  return { ...state, drafts }
}

function withoutReport(state: AppState, accountId: AccountId, checkId: CheckId): AppState {
  return withReport(state, reportKey(accountId, checkId), '')
}
