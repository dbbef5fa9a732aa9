import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import {
  type Conversation,
  type ConversationKey,
  conversationKey,
  conversationSchema,
} from '../chat/conversation.ts'
import type { Message } from '../chat/message.ts'
import { allMessages, messageOf, noMessages } from '../chat/message-list.ts'
import type { OutboxSlice } from '../chat/outbox.ts'
import { followed } from '../chat/places.ts'
import type { RealmsSlice } from '../chat/realm.ts'
import { type Check, type CheckId, type CheckStatus, late, statusOrder } from '../checks/check.ts'
import { mapped } from '../identity.ts'
import { type Immutable, numberId, timeSchema } from '../schemas.ts'
import { reportsOutage } from './outage-report.ts'

/** An outage discussed in the chat: our report, or one that we joined. Only a check's last one. */
export const incidentSchema = v.object({
  accountId: v.string(),
  checkId: v.string(),
  /** The chat account. */
  chatId: v.string(),
  conversation: conversationSchema,
  /** The report's message; null until ours has arrived. */
  messageId: v.nullable(numberId),
  /** When the outage began, epoch ms by the monitoring server's clock. */
  since: timeSchema,
  /** The status last reported to the conversation. */
  told: v.picklist(statusOrder),
  /** Epoch ms, our clock. */
  toldAt: timeSchema,
})
export type Incident = Immutable<v.InferOutput<typeof incidentSchema>>

/** The incidents as a part of the app's state. */
export interface OutagesSlice {
  /** Newest first, bounded. */
  readonly incidents: readonly Incident[]
}

const incidentLimit = 200

/** A report may seem to predate its outage, as two servers have two clocks. */
const slackMs = 60_000
/** After this, a change is no longer offered as an update. */
const updatesForMs = 24 * 60 * 60_000

export function incidentOf(
  state: OutagesSlice,
  accountId: AccountId,
  checkId: CheckId,
): Incident | null {
  return (
    state.incidents.find((one) => one.accountId === accountId && one.checkId === checkId) ?? null
  )
}

export function withIncident<State extends OutagesSlice>(state: State, incident: Incident): State {
  const { accountId, checkId } = incident
  const others = state.incidents.filter(
    (one) => one.accountId !== accountId || one.checkId !== checkId,
  )
  return { ...state, incidents: [incident, ...others].slice(0, incidentLimit) }
}

/** The loaded messages that report this status of the check since it began; lowest id first. */
export function reportsOf(
  state: RealmsSlice,
  place: { readonly accountId: AccountId; readonly conversation: Conversation },
  outage: { readonly checkId: CheckId; readonly status: CheckStatus; readonly since: number },
): readonly Message[] {
  const key: ConversationKey = conversationKey(place.conversation)
  const found: Message[] = []
  for (const message of allMessages(state.realms.get(place.accountId)?.messages ?? noMessages))
    if (
      message.key === key &&
      message.sentAt >= outage.since - slackMs &&
      reportsOutage(message.text, outage.checkId, outage.status)
    )
      found.push(message)
  return found.sort((one, other) => one.id - other.id)
}

/** Whether a report of ours that says the same is still in the outbox. */
export function isOnItsWay(
  state: OutboxSlice,
  place: { readonly accountId: AccountId; readonly conversation: Conversation },
  outage: { readonly checkId: CheckId; readonly status: CheckStatus; readonly since: number },
): boolean {
  const key = conversationKey(place.conversation)
  return state.outbox.some(
    ({ accountId, conversation, text, queuedAt }) =>
      accountId === place.accountId &&
      conversationKey(conversation) === key &&
      queuedAt >= outage.since - slackMs &&
      reportsOutage(text, outage.checkId, outage.status),
  )
}

const worthAnUpdate: ReadonlySet<CheckStatus> = new Set(['up', late, 'down', 'paused'])

/** The check's incident, if nobody has reported its present status there yet; else null. */
export function updateDue(
  state: OutagesSlice & RealmsSlice & OutboxSlice,
  accountId: AccountId,
  check: Check,
  now: number,
): Incident | null {
  const incident = incidentOf(state, accountId, check.id)
  if (incident === null || check.status === incident.told || !worthAnUpdate.has(check.status))
    return null
  // There is nothing to update if the report itself has not arrived.
  if (incident.messageId === null || now - incident.toldAt > updatesForMs) return null
  const place = { accountId: incident.chatId, conversation: incident.conversation }
  const outage = { checkId: check.id, status: check.status, since: check.since ?? incident.toldAt }
  const isReported = reportsOf(state, place, outage).length > 0 || isOnItsWay(state, place, outage)
  return isReported ? null : incident
}

/** Somebody else's report of the same outage that came before ours, as both were sent at once. */
export function earlierReport(
  state: RealmsSlice,
  incident: Incident,
  status: CheckStatus,
): Message | null {
  const messages = state.realms.get(incident.chatId)?.messages ?? noMessages
  const ours = messageOf(messages, incident.messageId ?? -1)
  if (ours === undefined || !ours.isMe) return null
  const { chatId, conversation, checkId, since } = incident
  const all = reportsOf(state, { accountId: chatId, conversation }, { checkId, status, since })
  return all.find(({ id, isMe }) => !isMe && id < ours.id) ?? null
}

/**
 * Fills in the ids of our reports once they arrive, which reactions and deletion need, and follows
 * reports into other topics. Returns the same state if nothing changed.
 */
export function withReportsFound<State extends OutagesSlice & RealmsSlice>(
  before: OutagesSlice & RealmsSlice,
  state: State,
): State {
  if (before.realms === state.realms && before.incidents === state.incidents) return state
  const incidents = mapped(state.incidents, (incident) => {
    const messages = state.realms.get(incident.chatId)?.messages
    const isNews = before.realms.get(incident.chatId)?.messages !== messages
    return isNews || before.incidents !== state.incidents ? seen(state, incident) : incident
  })
  return incidents === state.incidents ? state : { ...state, incidents }
}

function seen(state: RealmsSlice, incident: Incident): Incident {
  const { chatId, conversation, checkId, messageId, told: status, since } = incident
  if (messageId === null) {
    const place = { accountId: chatId, conversation }
    const ours = reportsOf(state, place, { checkId, status, since }).find(({ isMe }) => isMe)
    return ours === undefined ? incident : { ...incident, messageId: ours.id }
  }
  const message = messageOf(state.realms.get(chatId)?.messages ?? noMessages, messageId)
  return message === undefined || message.key === conversationKey(conversation)
    ? incident
    : { ...incident, conversation: message.conversation }
}

/** Moves incidents along with their conversations, when a topic is renamed or named by the server. */
export function withIncidentsMoved<State extends OutagesSlice & RealmsSlice>(state: State): State {
  const incidents = mapped(state.incidents, (incident) => {
    const { chatId, conversation } = incident
    const to = followed(state, { accountId: chatId, conversation }).conversation
    return to === conversation ? incident : { ...incident, conversation: to }
  })
  return incidents === state.incidents ? state : { ...state, incidents }
}
