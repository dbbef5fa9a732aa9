import { conversationTitle } from './conversation-title.ts'
import type { Message } from './message.ts'
import { interruption } from './message-rules.ts'
import { foldAbove, joined, type Notice, namesInFold } from './notice.ts'
import type { Realm, ToldMessages } from './realm.ts'
import type { AppState } from './state.ts'

/** Messages told of for the first time between two states of one realm, one notice for each conversation. */
export function realmNotices(state: AppState, before: Realm, after: Realm): Notice[] {
  if (before.told === null || after.told === null || !state.settings.notifyChat) return []
  const fresh = before.told === after.told ? [] : toldFirst(before.told, after.told, after)
  const worthy = fresh
    .concat(mentionedByEdit(before, after))
    .filter((message) => interruption(after, message).notify)
  const groups = Map.groupBy(worthy, (message) => message.key)
  if (groups.size > foldAbove) return [foldedMessages(state, after, worthy, groups.size)]
  return [...groups.values()].map((messages) => messageNotice(state, after, messages))
}

/** By the marks, and not by what is new in the state: a history fetched by hand is no news. */
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

function messageNotice(state: AppState, realm: Realm, messages: readonly Message[]): Notice {
  const last = messages.at(-1) as Message // groupBy makes no empty group
  const mention = messages.some(({ flags }) => flags.includes('mentioned'))
  const direct = last.conversation.kind === 'direct'
  const hidden = direct && !realm.settings.showDirectMessageText
  const title = direct
    ? `${last.senderName} (to you${last.conversation.userIds.length > 1 ? ' and others' : ''})`
    : `${last.senderName} (${conversationTitle(realm, last.conversation)})`
  const subject = `${realm.accountId}/${last.key}`
  return {
    id: `${subject}@${last.id}`,
    kind: mention ? 'mention' : direct ? 'direct' : 'message',
    accountId: realm.accountId,
    subject,
    title: hidden ? `New direct message from ${last.senderName}` : title,
    body: hidden
      ? ''
      : joined([messages.length > 1 ? `${messages.length} messages` : null, messageWords(last)]),
    at: last.sentAt,
    target: {
      view: 'conversation',
      accountId: realm.accountId,
      conversation: last.conversation,
      messageId: messages[0]?.id ?? last.id,
    },
    canReply: true,
    sound: state.settings.sounds && messages.some((message) => interruption(realm, message).sound),
  }
}

function messageWords(message: Message): string {
  return message.isAction ? `${message.senderName} ${message.text}` : message.text
}

function foldedMessages(
  state: AppState,
  realm: Realm,
  messages: readonly Message[],
  conversations: number,
): Notice {
  const senders = [...new Set(messages.map(({ senderName }) => senderName))]
  const mentions = messages.filter(({ flags }) => flags.includes('mentioned')).length
  const last = messages.at(-1) as Message // more than `foldAbove` groups are not empty
  const subject = `${realm.accountId}/messages`
  return {
    id: `${subject}@${last.id}`,
    kind: mentions > 0 ? 'mention' : 'message',
    accountId: realm.accountId,
    subject,
    title: `${messages.length} messages in ${conversations} conversations`,
    body: joined([
      mentions > 0 ? `${mentions} mention${mentions === 1 ? '' : 's'} of you` : null,
      `from ${senders.slice(0, namesInFold).join(', ')}${senders.length > namesInFold ? ' and others' : ''}`,
    ]),
    at: last.sentAt,
    target: { view: 'chat' },
    canReply: false,
    sound: state.settings.sounds && messages.some((message) => interruption(realm, message).sound),
  }
}
