import * as v from 'valibot'
import { type AccountId, accountById } from '../account.ts'
import type { Message } from '../chat/message.ts'
import {
  allMessages,
  hasMessage,
  messageOf,
  messagesBetween,
  noMessages,
} from '../chat/message-list.ts'
import type { Realm, RealmsSlice } from '../chat/realm.ts'
import type { Board } from '../checks/board.ts'
import type { Check, CheckId, CheckStatus } from '../checks/check.ts'
import { differenceOf } from '../map-difference.ts'
import type { OutagesSlice } from '../outages/incident.ts'
import { type Immutable, numberId } from '../schemas.ts'
import { type CheckNewsState, checkNews, type IdOfUuid } from './check-news.ts'
import { isNewsOf, sameEventMs } from './same-event.ts'

/**
 * A chat message that certainly reports this check as down: the monitoring bot's, or our own
 * report. Reacting to it with 👀 acknowledges the check.
 */
export const outageMessageSchema = v.object({
  /** The check's project. */
  projectId: v.string(),
  checkId: v.string(),
  /** The chat account. */
  accountId: v.string(),
  messageId: numberId,
  /** Users whose 👀 was handled: an old reaction must not restore a silence ended by hand. */
  seen: v.array(numberId),
})
export type OutageMessage = Immutable<v.InferOutput<typeof outageMessageSchema>>

/** The messages as a part of the app's state. */
export interface OutageMessagesSlice {
  readonly outageMessages: readonly OutageMessage[]
}

type Known = CheckNewsState & RealmsSlice & OutagesSlice

const outageLimit = 500

/** Adds messages about checks that are down, and drops those about checks that no longer are. */
export function withOutageMessages<State extends Known & OutageMessagesSlice>(
  before: Known,
  after: State,
  now: number,
  idOfUuid: IdOfUuid,
): State {
  if (!mayConcern(before, after)) return after
  const found = [
    ...ofFlips(before, after, now, idOfUuid),
    ...ofMessages(before, after, now, idOfUuid),
    ...ofReports(after),
  ]
  const known = after.outageMessages.filter((one) => holds(after, one))
  const fresh = found.filter((one) => !known.some((other) => isSame(one, other)))
  if (fresh.length === 0 && known.length === after.outageMessages.length) return after
  return { ...after, outageMessages: [...known, ...fresh].slice(-outageLimit) }
}

/** Whether anything changed that acknowledgements in the chat depend on. */
export function mayConcern(before: Known, after: Known): boolean {
  return (
    before.boards !== after.boards ||
    before.realms !== after.realms ||
    before.incidents !== after.incidents
  )
}

/** Our own reports of checks that are down now. */
function ofReports({ incidents, boards }: Known): OutageMessage[] {
  return incidents.flatMap(
    ({ accountId: projectId, checkId, chatId: accountId, messageId, told }) =>
      messageId !== null &&
      told === 'down' &&
      boards.get(projectId)?.notified?.get(checkId) === 'down'
        ? [{ projectId, checkId, accountId, messageId, seen: [] }]
        : [],
  )
}

function isSame(one: OutageMessage, other: OutageMessage): boolean {
  return (
    one.messageId === other.messageId &&
    one.accountId === other.accountId &&
    one.checkId === other.checkId &&
    one.projectId === other.projectId
  )
}

/** Keeps a message until its check is certainly no longer down. */
function holds(state: Known, { accountId, projectId, checkId }: OutageMessage): boolean {
  if (accountById(state, accountId) === null || accountById(state, projectId) === null) return false
  const board = state.boards.get(projectId)
  if (board?.notified == null || board.freshness.readAt === null) return true
  return board.notified.get(checkId) === 'down'
}

/** For checks that have just gone down: what bots wrote about them before. */
function ofFlips(before: Known, after: Known, now: number, idOfUuid: IdOfUuid): OutageMessage[] {
  const fallen = [...after.boards.values()].flatMap((board) => {
    const known = before.boards.get(board.accountId)
    const old = known?.notified ?? new Map<CheckId, CheckStatus>()
    const { changed } = differenceOf(old, board.notified ?? old)
    return downChecks(board, changed, now).map((one) => {
      const wasUpFrom = known?.checks.get(one.checkId)?.since ?? Number.NEGATIVE_INFINITY
      // What was said before that is about the outage that it ended.
      return { ...one, from: Math.max(one.from, wasUpFrom) }
    })
  })
  if (fallen.length === 0) return []
  return [...after.realms.values()].flatMap((realm) =>
    matches(after, fallen, realm, allMessages(realm.messages), idOfUuid),
  )
}

/** For new messages: which of the checks that are down they report. */
function ofMessages(before: Known, after: Known, now: number, idOfUuid: IdOfUuid): OutageMessage[] {
  const { boards } = after
  if (![...boards.values()].some(({ notified }) => notified !== null && notified.size > 0))
    return []
  return [...after.realms.values()].flatMap((realm) => {
    const known = before.realms.get(realm.accountId)?.messages ?? noMessages
    if (realm.messages === known) return []
    const fresh = messagesBetween(known, realm.messages).changed.flatMap((id) =>
      hasMessage(known, id) ? [] : (messageOf(realm.messages, id) ?? []),
    )
    if (fresh.length === 0) return []
    const down = [...boards.values()].flatMap((board) =>
      downChecks(board, board.notified?.keys() ?? [], now),
    )
    return matches(after, down, realm, fresh, idOfUuid)
  })
}

interface DownCheck {
  readonly accountId: AccountId
  readonly checkId: CheckId
  /** Epoch ms, by the service: earlier messages are about another outage. This computer's clock may be wrong. */
  readonly from: number
}

function downChecks(board: Board, ids: Iterable<CheckId>, now: number): DownCheck[] {
  const down: DownCheck[] = []
  for (const checkId of ids) {
    const check: Check | undefined =
      board.notified?.get(checkId) === 'down' ? board.checks.get(checkId) : undefined
    if (check === undefined) continue
    const from = (check.since ?? now) - sameEventMs
    down.push({ accountId: board.accountId, checkId, from })
  }
  return down
}

/** A bot's later reminder that a check is still down counts as well. */
function matches(
  state: Known,
  down: readonly DownCheck[],
  realm: Realm,
  messages: readonly Message[],
  idOfUuid: IdOfUuid,
): OutageMessage[] {
  const byId = Map.groupBy(down, ({ checkId }) => checkId)
  const earliest = down.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY)
  return messages.flatMap((message) => {
    if (message.sentAt < earliest) return []
    const news = checkNews(state, realm, message, idOfUuid)
    if (news?.state !== 'down') return []
    return (byId.get(news.checkId) ?? []).flatMap((check) =>
      message.sentAt >= check.from && isNewsOf(news, check)
        ? [
            {
              projectId: check.accountId,
              checkId: check.checkId,
              accountId: realm.accountId,
              messageId: message.id,
              seen: [],
            },
          ]
        : [],
    )
  })
}

/** The messages about a check's outage, newest first. */
export function outageMessagesOf(
  outages: readonly OutageMessage[],
  projectId: AccountId,
  checkId: CheckId,
): readonly OutageMessage[] {
  return outages
    .filter((one) => one.projectId === projectId && one.checkId === checkId)
    .toReversed()
}
