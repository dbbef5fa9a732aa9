import type { Board } from '../board.ts'
import { type Check, type CheckStatus, checkName } from '../check.ts'
import { scheduleWords } from '../check-words.ts'
import { conversationTitle } from '../conversation-title.ts'
import { differenceOf } from '../map-difference.ts'
import type { Message } from '../message.ts'
import { interruption } from '../message-rules.ts'
import { joined } from '../notice.ts'
import type { Realm, ToldMessages } from '../realm.ts'
import { type AppState, accountById } from '../state.ts'
import { durationWords, relativeWords } from '../time-words.ts'
import { checkSubject } from './check-subject.ts'
import type { AttentionEvent, CheckEvent, MessageEvent } from './event.ts'
import { missedEvents } from './missed-events.ts'
import { troubleEvents } from './trouble-events.ts'

/**
 * All that happened between two states and may be worth a word. By the marks of what was told
 * (`told`), which are on disk, and not by what is new in the state: a restart neither repeats nor
 * forgets, and a history fetched by hand is no news.
 */
export function eventsBetween(before: AppState, after: AppState, now: number): AttentionEvent[] {
  const events: AttentionEvent[] = []
  for (const [id, board] of after.boards) {
    const old = before.boards.get(id)
    if (old === undefined) continue
    if (old.told !== board.told) events.push(...checkEvents(after, old, board, now))
    events.push(...missedEvents(after, old, board, now))
  }
  for (const [id, realm] of after.realms) {
    const old = before.realms.get(id)
    if (old !== undefined && (old.told !== realm.told || old.messages !== realm.messages))
      events.push(...messageEvents(old, realm, now))
  }
  if (before.accounts !== after.accounts || before.outbox !== after.outbox)
    events.push(...troubleEvents(before, after, now))
  return events
}

function checkEvents(state: AppState, before: Board, after: Board, now: number): CheckEvent[] {
  if (before.told === null || after.told === null) return []
  const events: CheckEvent[] = []
  for (const id of differenceOf(before.told, after.told).changed) {
    const status = after.told.get(id)
    const was = before.told.get(id) ?? 'new'
    const check = after.checks.get(id)
    if (status === undefined || was === status || check === undefined) continue
    const kind = kindOf(was, status)
    if (kind !== null)
      events.push(checkEvent({ state, before, board: after, check, was, kind, now }))
  }
  return events
}

/** A check that appears while we watch and is down is news; one that appears well is not. */
function kindOf(was: CheckStatus, status: CheckStatus): StatusKind | null {
  if (status === 'down') return 'down'
  if (was === 'down' && (status === 'up' || status === 'grace')) return 'recovered'
  return status === 'grace' ? 'late' : null
}

type StatusKind = Exclude<CheckEvent['kind'], 'missed'>

interface Changed {
  readonly state: AppState
  readonly before: Board
  readonly board: Board
  readonly check: Check
  readonly was: CheckStatus
  readonly kind: StatusKind
  readonly now: number
}

function checkEvent({ state, before, board, check, was, kind, now }: Changed): CheckEvent {
  const subject = checkSubject(board.accountId, check.id)
  const project = accountById(state, board.accountId)?.label ?? 'a project'
  const name = checkName(check)
  const serverNow = now + board.serverOffsetMs
  return {
    of: 'check',
    kind,
    id: `${subject}/${kind}@${now}`,
    at: now,
    accountId: board.accountId,
    subject,
    title: { down: `${name} is down`, late: `${name} is late`, recovered: `${name} is up again` }[
      kind
    ],
    body: joined([
      project,
      kind === 'recovered'
        ? downForWords(before.checks.get(check.id)?.since ?? null, serverNow)
        : sinceWords(kind, check.since, serverNow),
      lastPing(check, serverNow),
      check.tags.length === 0 ? null : check.tags.map((tag) => `#${tag}`).join(' '),
    ]),
    target: { view: 'check', accountId: board.accountId, checkId: check.id },
    checkId: check.id,
    name,
    project,
    tags: check.tags,
    from: was,
  }
}

function downForWords(since: number | null, serverNow: number): string | null {
  return since === null ? null : `was down for ${durationWords(serverNow - since)}`
}

function sinceWords(kind: 'down' | 'late', since: number | null, serverNow: number): string | null {
  if (since === null || serverNow - since < 60_000) return null
  return `${kind} for ${durationWords(serverNow - since)}`
}

function lastPing(check: Check, serverNow: number): string {
  // After a resume the time is gone, although there were pings.
  if (check.lastPingAt === null) return check.pingCount === 0 ? 'never pinged' : ''
  const ago = relativeWords(check.lastPingAt, serverNow)
  return `last ping ${ago}, expected ${scheduleWords(check.schedule)}`
}

function messageEvents(before: Realm, after: Realm, now: number): MessageEvent[] {
  if (before.told === null || after.told === null) return []
  const fresh = before.told === after.told ? [] : toldFirst(before.told, after.told, after)
  return [
    ...fresh.filter(isForUser).map((message) => messageEvent(after, message, now)),
    ...mentionedByEdit(before, after)
      .filter(isForUser)
      .map((message) => ({
        ...messageEvent(after, message, now),
        id: `${after.accountId}/message/${message.id}/edited`,
      })),
  ]
}

/** Own messages, and those read elsewhere before we saw them, are no news to anybody. */
function isForUser(message: Message): boolean {
  return !message.isMe && !message.flags.includes('read')
}

function toldFirst(before: ToldMessages, after: ToldMessages, realm: Realm): Message[] {
  const known = new Set(before.ids)
  const told = new Set(after.ids)
  const fresh: Message[] = []
  for (const [id, message] of realm.messages)
    if (id > before.floor && !known.has(id) && (id <= after.floor || told.has(id)))
      fresh.push(message)
  return fresh.sort((a, b) => a.id - b.id)
}

/** An edit may add a mention: told once, as the web app does; the message itself was told (or not) before. */
function mentionedByEdit(before: Realm, after: Realm): Message[] {
  if (before.messages === after.messages) return []
  const found: Message[] = []
  for (const [id, message] of after.messages) {
    const old = before.messages.get(id)
    if (old === undefined || old === message || message.editedAt === null) continue
    if (message.flags.includes('mentioned') && !old.flags.includes('mentioned')) found.push(message)
  }
  return found
}

function messageEvent(realm: Realm, message: Message, now: number): MessageEvent {
  const { conversation, senderName, key } = message
  const direct = conversation.kind === 'direct'
  const hidden = direct && !realm.settings.showDirectMessageText
  const text = message.isAction ? `${senderName} ${message.text}` : message.text
  return {
    of: 'message',
    kind: messageKind(message),
    id: `${realm.accountId}/message/${message.id}`,
    at: now,
    accountId: realm.accountId,
    subject: `${realm.accountId}/${key}`,
    title: messageTitle(realm, message, hidden),
    body: hidden ? '' : text,
    target: {
      view: 'conversation',
      accountId: realm.accountId,
      conversation,
      messageId: message.id,
    },
    messageId: message.id,
    key,
    channelId: conversation.kind === 'topic' ? conversation.channelId : null,
    topic: conversation.kind === 'topic' ? conversation.topic : null,
    senderId: message.senderId,
    senderName,
    isBot: realm.users.get(message.senderId)?.isBot ?? false,
    text: hidden ? '' : text,
    chat: interruption(realm, message),
  }
}

function messageKind({ conversation, flags }: Message): MessageEvent['kind'] {
  if (flags.includes('mentioned')) return 'mention'
  if (conversation.kind === 'direct') return 'direct'
  return flags.includes('alerted') ? 'alertWord' : 'message'
}

function messageTitle(realm: Realm, message: Message, hidden: boolean): string {
  const { conversation, senderName } = message
  if (conversation.kind === 'topic')
    return `${senderName} (${conversationTitle(realm, conversation)})`
  if (hidden) return `New direct message from ${senderName}`
  return `${senderName} (to you${conversation.userIds.length > 1 ? ' and others' : ''})`
}
