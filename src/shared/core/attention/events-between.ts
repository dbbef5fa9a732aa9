import { accountById, freshnessOf } from '../account.ts'
import { conversationTitle } from '../chat/chat-names.ts'
import { type ConversationKey, conversationKey } from '../chat/conversation.ts'
import { interruption } from '../chat/interruption.ts'
import { type Message, saidText } from '../chat/message.ts'
import { messageOf, messagesBetween, messagesWithin } from '../chat/message-list.ts'
import { needsUser, type OutboxMessage } from '../chat/outbox.ts'
import type { NotifiedMessages, Realm } from '../chat/realm.ts'
import { type Board, type MissedOutage, notifiedStatus } from '../checks/board.ts'
import { causeOf } from '../checks/cause.ts'
import {
  type Check,
  type CheckId,
  type CheckStatus,
  checkName,
  isLate,
  isWell,
} from '../checks/check.ts'
import { shareASecond } from '../checks/history.ts'
import type { Failure } from '../failure.ts'
import { failureSentence, refusalWords } from '../failure-words.ts'
import { hasId, idsBeyond } from '../id-list.ts'
import { changesBetween, differenceOf } from '../map-difference.ts'
import { againTitle, pastTitle } from './as-now.ts'
import type { WatchedState } from './attention-slice.ts'
import { checkNews, type IdOfUuid } from './check-news.ts'
import {
  type AttentionEvent,
  type CheckEvent,
  type CheckNews,
  checkSubject,
  factsOf,
  type MessageEvent,
  troubleEvent,
} from './event.ts'
import { joined } from './notice.ts'
import { reminds } from './remind-me/bot-reminder.ts'

/**
 * Everything that happened between two states and may be worth a notification. Compares what was
 * notified, which is kept on disk, and not what was read: a restart neither repeats nor forgets
 * anything, and loading old messages isn't news.
 */
export function eventsBetween(
  before: WatchedState,
  after: WatchedState,
  now: number,
  idOfUuid: IdOfUuid,
): AttentionEvent[] {
  const events: AttentionEvent[][] = []
  for (const [id, board] of after.boards) {
    const old = before.boards.get(id)
    if (old === undefined) continue
    if (old.notified !== board.notified) events.push(checkEvents(after, old, board, now))
    events.push(missedEvents(after, old, board, now))
  }
  for (const [id, realm] of after.realms) {
    const old = before.realms.get(id)
    if (old !== undefined && (old.notified !== realm.notified || old.messages !== realm.messages))
      events.push(messageEvents(old, realm, now, (said) => checkNews(after, realm, said, idOfUuid)))
  }
  if (before.accounts !== after.accounts || before.outbox !== after.outbox)
    events.push(troubleEvents(before, after, now))
  const none: AttentionEvent[] = []
  return none.concat(...events)
}

function checkEvents(state: WatchedState, before: Board, after: Board, now: number): CheckEvent[] {
  if (before.notified === null || after.notified === null) return []
  const events: CheckEvent[] = []
  const eventOf = eventMaker(state, before, after, now)
  // An existing check without an entry is up.
  for (const { key: id, was: notified, is: status = 'up' } of changesBetween(
    before.notified,
    after.notified,
  )) {
    // Its new outage follows at once, and is notified in place of both.
    if (after.missed.again.has(id)) continue
    const was = notified ?? notifiedStatus(before, id) ?? 'new'
    const kind = kindOf(was, status)
    const check = after.checks.get(id)
    if (kind === null || check === undefined) continue
    // Few of thousands at once are ever read.
    events.push(eventOf(check, kind, was, events.length < mostCauses))
  }
  return events
}

/** Makes the events of one answer. `hasCause`: whether the cause is to be determined. */
function eventMaker(state: WatchedState, before: Board, after: Board, now: number) {
  const project = accountById(state, after.accountId)?.label ?? 'a project'
  const serverNow = now + after.serverOffsetMs
  const idEnds = { down: `/down@${now}`, late: `/late@${now}`, recovered: `/recovered@${now}` }
  // V8 concatenates lazily, and few of thousands of subjects are ever read.
  const prefix = checkSubject(after.accountId, '')
  return (
    check: Check,
    kind: keyof typeof isWords,
    was: CheckStatus,
    hasCause: boolean,
  ): CheckEvent => {
    const { id, tags } = check
    const again = before.missed.again.get(id)
    const subject = prefix + id
    const name = checkName(check)
    const event = {
      of: 'check',
      kind,
      id: subject + idEnds[kind],
      at: now,
      accountId: after.accountId,
      subject,
      title: `${name}${isWords[kind]}`,
      body: factsOf(check, {
        since: kind === 'recovered' ? (before.checks.get(id)?.since ?? null) : check.since,
        cause: hasCause ? causeOf(check, after.logs.get(id) ?? null, serverNow) : null,
        serverNow,
        offsetMs: after.serverOffsetMs,
      }),
      target: { view: 'check', accountId: after.accountId, checkId: id },
      checkId: id,
      name,
      project,
      tags,
      from: was,
      ...(check.hasRunbook ? ({ hasRunbook: true } as const) : {}),
    } as const
    if (again === undefined) return event
    const { upForMs } = again
    const readAt = again.readAt - after.serverOffsetMs
    return { ...event, title: againTitle(name, upForMs), from: 'down', upForMs, readAt }
  }
}

/** The cause is determined for at most so many events of one read. */
const mostCauses = 300

/** With the space, so that each of thousands of titles takes one concatenation. */
const isWords = { down: ' is down', late: ' is late', recovered: ' is up again' } as const

/** A new check that is down is news; a new one that is up is not. */
function kindOf(was: CheckStatus, status: CheckStatus): keyof typeof isWords | null {
  if (status === 'down') return 'down'
  if (was === 'down' && isWell(status)) return 'recovered'
  return isLate(status) ? 'late' : null
}

type NewsOf = (message: Message) => CheckNews | null

function messageEvents(before: Realm, after: Realm, now: number, newsOf: NewsOf): MessageEvent[] {
  if (before.notified === null || after.notified === null) return []
  const fresh =
    before.notified === after.notified ? [] : notifiedFirst(before.notified, after.notified, after)
  return [
    ...fresh.filter(isForUser).map((message) => messageEvent(after, message, now, newsOf)),
    ...mentionedByEdit(before, after)
      .filter(isForUser)
      .map((message) => ({
        ...messageEvent(after, message, now, newsOf),
        id: `${after.accountId}/message/${message.id}/edited`,
      })),
  ]
}

/** The user's own messages, and those already read elsewhere, aren't news. */
function isForUser(message: Message): boolean {
  return !message.isMe && !message.flags.includes('read')
}

/** Newly notified messages. Looks only at those, since a realm holds thousands. */
function notifiedFirst(before: NotifiedMessages, after: NotifiedMessages, realm: Realm): Message[] {
  const ids = idsBeyond(after.ids, before.ids)
  if (after.floor > before.floor)
    for (const { id } of messagesWithin(realm.messages, before.floor, after.floor))
      if (!hasId(before.ids, id)) ids.push(id)
  return ids.flatMap((id) => messageOf(realm.messages, id) ?? []).sort((a, b) => a.id - b.id)
}

/** Messages to which an edit added a mention: notified once more, as by the web app. */
function mentionedByEdit(before: Realm, after: Realm): Message[] {
  if (before.messages === after.messages) return []
  return messagesBetween(before.messages, after.messages).changed.flatMap((id) => {
    const old = messageOf(before.messages, id)
    const message = messageOf(after.messages, id)
    if (old === undefined || message === undefined || message.editedAt === null) return []
    return message.flags.includes('mentioned') && !old.flags.includes('mentioned') ? message : []
  })
}

function messageEvent(realm: Realm, message: Message, now: number, newsOf: NewsOf): MessageEvent {
  const { conversation, senderName, key } = message
  const direct = conversation.kind === 'direct'
  const hidden = direct && !realm.settings.showDirectMessageText
  const text = saidText(message)
  const kind = messageKind(message)
  // A message to the user personally is more than news about a check.
  const news = kind === 'mention' || direct ? null : newsOf(message)
  return {
    of: 'message',
    kind,
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
    topic: conversation.kind === 'topic' ? conversation.topic || realm.emptyTopicName : null,
    senderId: message.senderId,
    senderName,
    isBot: realm.users.get(message.senderId)?.isBot ?? false,
    text: hidden ? '' : text,
    ...(news === null ? {} : { news }),
    ...(reminds(realm, message) ? { reminds: true as const } : {}),
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
  if (reminds(realm, message)) return `Reminder from ${senderName}`
  if (conversation.kind === 'topic')
    return `${senderName} (${conversationTitle(realm, conversation)})`
  if (hidden) return `New direct message from ${senderName}`
  return `${senderName} (to you${conversation.userIds.length > 1 ? ' and others' : ''})`
}

/** Subjects of outdated notices: a check is no longer down, late or watched, a conversation was read. */
export function overBetween(before: WatchedState, after: WatchedState): string[] {
  const subjects: string[] = []
  for (const [id, old] of before.boards) {
    const board = after.boards.get(id)
    if (old !== board) subjects.push(...boardWithdrawn(old, board))
  }
  for (const [id, old] of before.realms) {
    const realm = after.realms.get(id)
    if (realm?.conversations !== old.conversations) subjects.push(...realmWithdrawn(old, realm))
  }
  return [...subjects, ...troublesOver(before, after)]
}

function boardWithdrawn(old: Board, board: Board | undefined): readonly string[] {
  const { notified: before } = old
  if (before === null) return []
  const after = board?.notified ?? new Map<CheckId, CheckStatus>()
  const over = changesBetween(before, after)
    .filter(({ key, was, is }) => isOver(was, is) && board?.missed.again.has(key) !== true)
    .map(({ key }) => key)
  const gone = board === undefined ? [...old.checks.keys()] : goneBetween(old, board)
  // A list that may lack some leaves their status as it was.
  const deleted = gone.filter((key) => !after.has(key))
  return [...new Set([...over, ...deleted])].map((key) => checkSubject(old.accountId, key))
}

/** Checks that are no longer there; with the first list since a start, those of the previous run. */
function goneBetween(old: Board, board: Board): readonly CheckId[] {
  if (old.freshness.readAt !== null) return differenceOf(old.checks, board.checks).gone
  if (board.freshness.readAt === null) return []
  return [...old.missed.snapshots.keys()].filter((id) => !board.checks.has(id))
}

/** Whether what was said of a check with the one status is no longer so with the other. */
function isOver(was: CheckStatus | undefined, is: CheckStatus | undefined): boolean {
  if (is === 'paused' || is === 'new') return true
  return was === 'down' || (isLate(was) && is !== 'down')
}

function realmWithdrawn(old: Realm, realm: Realm | undefined): string[] {
  const isUnread = (key: ConversationKey): boolean =>
    (realm?.conversations.get(key)?.unread.length ?? 0) > 0
  const empty = [...old.conversations].filter(
    ([key, info]) => info.unread.length > 0 && !isUnread(key),
  )
  if (empty.length === 0) return []
  const unread = new Set([...(realm?.conversations.values() ?? [])].flatMap((info) => info.unread))
  // Messages that were moved to another topic are still unread.
  const over = empty.flatMap(([key, info]) => (info.unread.some((id) => unread.has(id)) ? [] : key))
  return withFormer(over, realm ?? old).map((key) => `${old.accountId}/${key}`)
}

/** Adds the topics' former names, under which their messages may have been notified. */
function withFormer(keys: readonly ConversationKey[], { movedTo }: Realm): ConversationKey[] {
  const former = Map.groupBy(movedTo.keys(), (key) => nowOf(key, movedTo))
  return keys.flatMap((key) => [key, ...(former.get(key) ?? [])])
}

function nowOf(key: ConversationKey, movedTo: Realm['movedTo']): ConversationKey {
  const to = movedTo.get(key)
  return to === undefined ? key : nowOf(conversationKey(to), movedTo)
}

/** Checks that went down and came back while Belfry wasn't looking. */
function missedEvents(state: WatchedState, before: Board, board: Board, now: number): CheckEvent[] {
  if (before.missed.found === board.missed.found) return []
  const byCheck = Map.groupBy(board.missed.found, ({ checkId }) => checkId)
  return [...byCheck].flatMap(([id, outages]) => missedEvent(state, board, id, outages, now) ?? [])
}

function missedEvent(
  state: WatchedState,
  board: Board,
  id: CheckId,
  outages: readonly MissedOutage[],
  now: number,
): CheckEvent | null {
  const check = board.checks.get(id)
  const last = outages.at(-1)
  if (last === undefined || check === undefined) return null
  const { accountId } = board
  const subject = checkSubject(accountId, id)
  const name = checkName(check)
  const project = accountById(state, accountId)?.label ?? 'a project'
  const from = last.from - board.serverOffsetMs
  const place = joined([project, check.tags.map((tag) => `#${tag}`).join(' ')])
  const ended = {
    endedAt: last.to - board.serverOffsetMs,
    last: { what: whatWords(outages), from, place },
  }
  return {
    of: 'check',
    kind: 'missed',
    id: `${subject}/missed@${last.from}`,
    at: now,
    accountId,
    subject,
    title: pastTitle(name, ended, now),
    body: joined([presentWords[check.status], place]),
    target: { view: 'check', accountId, checkId: id },
    checkId: id,
    name,
    project,
    tags: check.tags,
    from: check.status,
    ...(check.hasRunbook ? ({ hasRunbook: true } as const) : {}),
    ...ended,
    lastedMs: Math.max(...outages.map(({ from, to }) => to - from)),
  }
}

const presentWords: Readonly<Record<CheckStatus, string>> = {
  up: 'it is up again',
  grace: 'it is up again',
  down: 'it is down again',
  paused: 'it is paused now',
  new: 'it was resumed',
  unknown: 'its present status is unknown',
}

function whatWords(outages: readonly MissedOutage[]): string {
  const unsure = outages.filter(({ kind }) => kind === 'unsure').length
  const what = unsure === outages.length ? 'was possibly down' : 'was down'
  if (outages.length === 1) return what
  const isFast = shareASecond(outages.flatMap(({ from, to }) => [from, to]))
  const many = isFast ? 'several' : outages.length
  const isPartly = unsure > 0 && unsure < outages.length
  return `${what}${isPartly ? ', possibly' : ''} ${many} times, last`
}

/** Problems that no window may be there to show: rejected keys, replies to notifications. */
function troubleEvents(before: WatchedState, after: WatchedState, now: number): AttentionEvent[] {
  const keys = before.accounts === after.accounts ? [] : keyEvents(before, after, now)
  if (before.outbox === after.outbox) return keys
  const replies = after.outbox
    .filter((entry) => isReplyInTrouble(entry) && !wasTrouble(before, entry))
    .map((entry) => replyEvent(after, entry, now))
  return [...keys, ...replies]
}

function troublesOver(before: WatchedState, after: WatchedState): readonly string[] {
  const keys = before.accounts.filter(
    ({ id, key }) => key !== 'present' && (accountById(after, id)?.key ?? 'present') === 'present',
  )
  const left = new Set(after.outbox.filter(isReplyInTrouble).map(({ localId }) => localId))
  const replies = before.outbox.filter((one) => isReplyInTrouble(one) && !left.has(one.localId))
  return [
    ...keys.map(({ id }) => `${id}/key`),
    ...replies.map(({ accountId, localId }) => `${accountId}/outbox/${localId}`),
  ]
}

/** Prefers the server's own words: after "Account is deactivated" no new key would help. */
function keyWords(failure: Failure | null | undefined): string {
  return (failure?.kind === 'badKey' && failure.message) || 'key rejected'
}

function keyEvents(before: WatchedState, after: WatchedState, now: number): AttentionEvent[] {
  return after.accounts
    .filter(({ id, key }) => {
      const old = accountById(before, id)
      return old !== null && old.key !== key && key === 'rejected'
    })
    .map(({ id, label }) =>
      troubleEvent(id, 'key', now, {
        title: `${label}: ${keyWords(freshnessOf(after, id)?.failure)}`,
        body: `${refusalWords(freshnessOf(after, id)?.failure, 'The server no longer accepts this key.')} Belfry can’t read anything new. Click to enter a new key.`,
        target: { view: 'replaceKey', accountId: id },
      }),
    )
}

function replyEvent(state: WatchedState, entry: OutboxMessage, now: number): AttentionEvent {
  const { accountId, conversation, localId } = entry
  const realm = state.realms.get(accountId)
  const place = realm === undefined ? 'the chat' : conversationTitle(realm, conversation)
  const words = entry.failure === null ? '' : failureSentence(entry.failure)
  return troubleEvent(accountId, `outbox/${localId}`, now, {
    title:
      entry.state === 'rejected'
        ? `Not sent to ${place}`
        : `Unsure whether ${place} got your reply`,
    body: [words, entry.text].filter((part) => part !== '').join(' · '),
    target: { view: 'conversation', accountId, conversation, messageId: null },
  })
}

function isReplyInTrouble(entry: OutboxMessage): boolean {
  return entry.fromNotification && needsUser(entry)
}

function wasTrouble(before: WatchedState, { localId }: OutboxMessage): boolean {
  const old = before.outbox.find((entry) => entry.localId === localId)
  return old === undefined || needsUser(old)
}
