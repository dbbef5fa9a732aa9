import type { Commands, ReportOutcome } from '../../shared/contract.ts'
import { type AccountId, known } from '../../shared/core/account.ts'
import { checkSubject } from '../../shared/core/attention/event.ts'
import { followed, type Place } from '../../shared/core/chat/places.ts'
import { type Check, type CheckId, isLate } from '../../shared/core/checks/check.ts'
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
import type { Clock } from '../base/ports.ts'
import type { HistoryRecord } from '../state/history-record.ts'
import type { LiveState } from '../state/store.ts'

import { saveText, withUnsent } from './draft-commands.ts'
import type { RealmLink } from './realm-session.ts'
/** Hands an outage over to the chat. `link` returns a running connection, or throws why not. */
export function createDiscussCommands(parts: {
  live: LiveState
  clock: Clock
  link: (accountId: AccountId) => Pick<RealmLink, 'history'>
  /** Through the outbox, so that it is sent only once. */
  send: (place: Place, text: string) => Promise<void>
  record: Pick<HistoryRecord, 'acted'>
}) {
  const { live, clock, record } = parts
  /** By check: a second press while the first one is in progress gets the same result. */
  const posting = new Map<string, Promise<ReportOutcome>>()

  async function post(input: Parameters<Commands['postReport']>[0]): Promise<ReportOutcome> {
    const { accountId, checkId, text, anyway } = input
    const place = followed(live.get(), input.place)
    const outage = outageOf(live.get(), accountId, checkId, clock.now())
    const before = incidentOf(live.get(), accountId, checkId)
    if (!anyway && isNews(outage, before)) {
      // Our copy may be stale: a report that somebody posted seconds ago is found only by fetching.
      await parts.link(place.accountId).history.load(place.conversation, false, 'interactive')
      const posted = postedIn(live.get(), place, outage, clock.now())
      if (posted !== null) return posted
    }
    await parts.send(place, withMark(text, outageMark(checkId, outage.status, outage.since)))
    // Either may have been removed while the disk was busy.
    for (const id of [accountId, place.accountId]) known(live.get(), id)
    live.update((state) =>
      withoutReport(
        withIncident(state, incidentAfter(before, { ...input, place }, outage, clock.now())),
        accountId,
        checkId,
      ),
    )
    record.acted(accountId, checkId, { act: 'report', status: outage.status })
    return { kind: 'sent' }
  }

  return {
    saveReport: ({ accountId, checkId, text }) =>
      saveText(live, accountId, { key: reportKey(accountId, checkId), text }),

    postReport(input) {
      const subject = checkSubject(input.accountId, input.checkId)
      const going = posting.get(subject)
      if (going !== undefined) return going
      const one = post(input).finally(() => posting.delete(subject))
      posting.set(subject, one)
      return one
    },

    async joinReport({ accountId, checkId, place: given, messageId }) {
      const place = followed(live.get(), given)
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
  } satisfies Partial<Commands>
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

/** What two people might post at once: that it is down, late or, after a report, well again. */
function isNews({ status }: Outage, before: Incident | null): boolean {
  return status === 'down' || isLate(status) || (before !== null && before.told !== status)
}

/** The first report of the outage, or ours that is being sent; null if there is none. */
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

/** An update keeps the first report's message and the time at which the outage began. */
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

function withoutReport(state: AppState, accountId: AccountId, checkId: CheckId): AppState {
  return withUnsent(state, reportKey(accountId, checkId), '')
}
