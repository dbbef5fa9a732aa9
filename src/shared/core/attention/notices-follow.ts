import type { AccountId } from '../account.ts'
import type { ChatEvent } from '../chat/chat-event.ts'
import type { Conversation } from '../chat/conversation.ts'
import { type Message, saidText } from '../chat/message.ts'
import { messageOf } from '../chat/message-list.ts'
import type { RealmsSlice } from '../chat/realm.ts'
import { mapped } from '../identity.ts'
import { type AttentionEvent, isChange } from './event.ts'
import { type AttentionMemory, byKey } from './memory.ts'
import {
  joined,
  type Notice,
  type NoticeLine,
  type NoticesSlice,
  parted,
  subjectOnScreen,
} from './notice.ts'

const gone = 'This message was deleted.'

/**
 * Keeps the listed notices true to the messages they are about: edited text is replaced, and the
 * text of a deleted message is kept neither in the list nor on disk. Reminders have none.
 */
export function withNoticesFollowing<State extends NoticesSlice & RealmsSlice>(
  before: RealmsSlice,
  after: State,
  accountId: AccountId,
  events: readonly ChatEvent[],
): State {
  const changes = events.flatMap((event): readonly Change[] => {
    if (event.type === 'edited') return [{ id: event.messageId, text: event.text }]
    return event.type === 'deleted' ? event.messageIds.map((id) => ({ id, text: null })) : []
  })
  if (changes.length === 0 || after.notices.length === 0) return after
  const notices = changes.reduce<readonly Notice[]>((list, { id, text }) => {
    const old = saidBy(before, accountId, id)
    // Of a poll, the summary rather than its command.
    const next = text === null ? gone : (saidBy(after, accountId, id) ?? text)
    const isOf = ({ target, isReminder }: Pick<NoticeLine, 'target' | 'isReminder'>): boolean =>
      isReminder !== true &&
      target.view === 'conversation' &&
      target.accountId === accountId &&
      target.messageId === id
    return mapped(list, (notice) => {
      if (notice.kind === 'reminder') return notice
      // A line says who wrote, and of several messages how many; it has no text.
      const lines = mapped(notice.lines, (line) =>
        text === null && isOf(line) && parted(line.text).length === 1
          ? { ...line, text: gone }
          : line,
      )
      const body = bodyAfter(notice, isOf, old, next)
      return body === notice.body && lines === notice.lines ? notice : { ...notice, body, lines }
    })
  }, after.notices)
  return notices === after.notices ? after : { ...after, notices }
}

function saidBy({ realms }: RealmsSlice, accountId: AccountId, id: number): string | undefined {
  const realm = realms.get(accountId)
  const message = realm && messageOf(realm.messages, id)
  return message && saidText(message)
}

/** What it says once a message of it (`isOf`) says `next`, and not `old`. */
function bodyAfter(
  { target, body, lines }: Notice,
  isOf: (line: Pick<NoticeLine, 'target'>) => boolean,
  old: string | undefined,
  next: string,
): string {
  const last = lines.at(-1)
  if (last === undefined) return isOf({ target }) && body !== '' ? next : body
  if (target.view === 'conversation') {
    const [count = '', ...said] = parted(body)
    return isOf(last) && said.length > 0 ? joined([count, next]) : body
  }
  // Of everything at once: who wrote, and what. Where that ends is known only with the old text.
  return lines.filter(isOf).reduce((words, { text }) => {
    const at = words.indexOf(`${text}: `)
    if (at < 0) return words
    const from = at + `${text}: `.length
    const rest =
      old !== undefined && words.startsWith(old, from) ? words.slice(from + old.length) : ''
    return `${words.slice(0, from)}${next}${rest}`
  }, body)
}

/** The messages that listed notices are about, those of the newest notices first. */
export function noticedMessages(
  { notices }: NoticesSlice,
  accountId: AccountId,
): readonly NoticedMessage[] {
  const found = new Map<number, NoticedMessage>()
  for (const { kind, target: of, lines } of notices)
    for (const { target, isReminder } of [
      ...lines,
      { target: of, isReminder: kind === 'reminder' },
    ]) {
      if (isReminder === true) continue
      if (target.view !== 'conversation' || target.accountId !== accountId) continue
      const { messageId: id, conversation } = target
      if (id !== null) found.set(id, { id, conversation })
    }
  return [...found.values()]
}

export interface NoticedMessage {
  readonly id: number
  readonly conversation: Conversation
}

/**
 * What became of the messages of notices while there was no event queue, as its events would have
 * said. `found`: those that are still there. What was unsubscribed from can't be read, but may be there.
 */
export function missedChanges(
  noticed: readonly NoticedMessage[],
  found: ReadonlyMap<number, Message>,
  channels: ReadonlyMap<number, unknown>,
): readonly ChatEvent[] {
  return noticed.flatMap(({ id, conversation }): readonly ChatEvent[] => {
    const message = found.get(id)
    if (message === undefined) {
      const isReadable = conversation.kind === 'direct' || channels.has(conversation.channelId)
      return isReadable ? [{ type: 'deleted', messageIds: [id] }] : []
    }
    const { html, editedAt } = message
    if (editedAt === null) return []
    const text = saidText(message)
    return [{ type: 'edited', messageId: id, html, text, editedAt, flags: null, isAction: null }]
  })
}

/** The notices that were shown last about their subjects, and have said something else since. */
export function noticesChanged(before: NoticesSlice, after: NoticesSlice): readonly Notice[] {
  if (before.notices === after.notices) return []
  // Lists of older versions may have two of one id, of which the newest, the first one, counts.
  const old = new Map(before.notices.toReversed().map((notice) => [notice.id, notice]))
  // Newest first: what was shown before about the same subject is not on the screen any more.
  const last = new Map(
    after.notices
      .filter(({ outcome }) => outcome === 'shown')
      .toReversed()
      .map((notice) => [subjectOnScreen(notice), notice]),
  )
  return [...last.values()].filter(({ id, body, lines }) => {
    const was = old.get(id)
    return was !== undefined && (was.body !== body || was.lines !== lines)
  })
}

/** What was shown last about these subjects says what is known of them now. */
export function withCorrected<State extends NoticesSlice>(
  state: State,
  corrected: readonly Notice[],
): State {
  if (corrected.length === 0) return state
  const bodies = new Map(corrected.map(({ subject, body }) => [subject, body]))
  const notices = state.notices.map((notice) => {
    const { subject, outcome, lines } = notice
    const body = outcome === 'shown' ? bodies.get(subject) : undefined
    if (body === undefined) return notice
    bodies.delete(subject)
    return notice.kind === 'down' && lines.length === 0 ? { ...notice, body } : notice
  })
  return { ...state, notices }
}

/** Subjects of checks that went down: a notice on the screen may still say that they are up. */
export function fallen(events: readonly AttentionEvent[]): string[] {
  return events.flatMap((event) => {
    if (!isChange(event) || event.kind !== 'down') return []
    return event.from === 'down' || event.isReminder === true ? [] : [event.subject]
  })
}

/** The memory in which messages that wait to be shown say what their entries in the list say now, or wait no longer. */
export function withWaitsFollowing(
  memory: AttentionMemory,
  before: NoticesSlice,
  after: NoticesSlice,
): AttentionMemory {
  const { waits, recentMessages } = memory
  if (before.notices === after.notices || waits.size + recentMessages.length === 0) return memory
  const old = new Map(before.notices.map(({ id, body }) => [id, body]))
  const bodies = new Map(
    after.notices.flatMap(({ id, body }) => ((old.get(id) ?? body) === body ? [] : [[id, body]])),
  )
  if (bodies.size === 0) return memory
  const isLeft = ({ id }: AttentionEvent): boolean => bodies.get(id) !== gone
  const following = <E extends AttentionEvent>(event: E): E => {
    const body = event.of === 'message' ? bodies.get(event.id) : undefined
    return body === undefined ? event : { ...event, body, text: body }
  }
  return {
    ...memory,
    waits: byKey(
      [...waits.values()]
        .filter(({ event }) => isLeft(event))
        .map((one) => ({ ...one, event: following(one.event) })),
    ),
    recentMessages: recentMessages.filter(isLeft).map(following),
  }
}

/** All messages of the notice were deleted. */
export function isAllDeleted({ body, lines }: Notice): boolean {
  return lines.length === 0 ? body.includes(gone) : lines.every(({ text }) => text.includes(gone))
}

interface Change {
  readonly id: number
  /** Null: deleted. */
  readonly text: string | null
}
