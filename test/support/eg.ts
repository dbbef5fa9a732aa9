import type {
  AccountId,
  ChatAccount,
  Freshness,
  MonitoringAccount,
} from '../../src/shared/core/account.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import {
  type Conversation,
  type ConversationKey,
  conversationKey,
} from '../../src/shared/core/chat/conversation.ts'
import type { Message } from '../../src/shared/core/chat/message.ts'
import { messageList } from '../../src/shared/core/chat/message-list.ts'
import type { OutboxMessage } from '../../src/shared/core/chat/outbox.ts'
import {
  type Channel,
  type ConversationInfo,
  emptyRealm,
  type Realm,
  type User,
} from '../../src/shared/core/chat/realm.ts'
import type { Upload } from '../../src/shared/core/chat/upload.ts'
import { type Board, nothingMissed } from '../../src/shared/core/checks/board.ts'
import {
  type Check,
  type CheckDetails,
  type CheckStatus,
  noChecks,
} from '../../src/shared/core/checks/check.ts'
import type { Ping } from '../../src/shared/core/checks/ping.ts'
import { type AppState, emptyState } from '../../src/shared/core/state.ts'
import { actionsFor } from '../../src/shared/core/views/notice-actions.ts'

/** The time of all examples: Tuesday 17 March 2026, 14:25:00 UTC. */
export const now = Date.UTC(2026, 2, 17, 14, 25)
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const opsId: AccountId = 'ops'
export const chatId: AccountId = 'chat'

let made = 0

/**
 * A check that is up, pinged 10 minutes ago, expected every hour; each with its own id and name.
 */
export function check(change: Partial<Check> = {}): Check {
  made += 1
  const id = change.id ?? made.toString(16).padStart(40, '0')
  const status = change.status ?? 'up'
  return {
    id,
    writable: true,
    name: `check-${made}`,
    slug: '',
    tags: [],
    rawStatus: status,
    started: false,
    ...times(status),
    schedule: { kind: 'period', periodSeconds: 3600 },
    graceSeconds: 600,
    pingCount: status === 'new' ? 0 : 1_240,
    lastDurationSeconds: null,
    manualResume: false,
    hasRunbook: false,
    ...change,
    status,
  }
}

/** The same with all its details. */
export function details(change: Partial<CheckDetails> = {}): CheckDetails {
  return {
    ...check(change),
    uuid: `00000000-0000-4000-8000-${made.toString(16).padStart(12, '0')}`,
    slug: '',
    description: '',
    methods: 'any',
    keywords: { start: '', success: '', failure: '' },
    filters: [],
    integrationIds: [],
    pingUrl: null,
    badgeUrl: null,
    ...change,
  }
}

/**
 * What the server would send for a check in this state, by its rules for `last_ping` and
 * `next_ping`.
 */
function times(status: CheckStatus): Pick<Check, 'lastPingAt' | 'nextPingAt' | 'since'> {
  switch (status) {
    case 'up':
      return { lastPingAt: now - 10 * minute, nextPingAt: now + 50 * minute, since: now - 3 * day }
    case 'grace':
      return {
        lastPingAt: now - 62 * minute,
        nextPingAt: now - 2 * minute,
        since: now - 2 * minute,
      }
    case 'down':
      return {
        lastPingAt: now - 3 * hour - 23 * minute,
        nextPingAt: null,
        since: now - 2 * hour - 13 * minute,
      }
    case 'paused':
      return { lastPingAt: now - 2 * day, nextPingAt: null, since: now - 2 * day }
    case 'new':
    case 'unknown':
      return { lastPingAt: null, nextPingAt: null, since: null }
  }
}

export const fresh: Freshness = {
  failedAt: null,
  lastFailure: null,
  readAt: now - 12_000,
  nextAt: now + 31_000,
  intervalMs: 60_000,
  failure: null,
}

export function board(checks: readonly Check[] = [], change: Partial<Board> = {}): Board {
  const counts = { ...noChecks }
  for (const item of checks) counts[item.status] += 1
  return {
    accountId: opsId,
    checks: new Map(checks.map((item) => [item.id, item])),
    unreadable: 0,
    counts,
    notified: new Map(
      checks.filter(({ status }) => status !== 'up').map(({ id, status }) => [id, status]),
    ),
    missed: nothingMissed,
    logs: new Map(),
    freshness: fresh,
    last: null,
    serverOffsetMs: 0,
    ...change,
  }
}

export function account(change: Partial<MonitoringAccount> = {}): MonitoringAccount {
  return {
    kind: 'monitoring',
    id: opsId,
    label: 'ops-project',
    baseUrl: 'https://hc.example.org',
    key: 'present',
    protection: 'os',
    insecure: false,
    demo: false,
    keyKind: 'readWrite',
    ...change,
  }
}

export function chatAccount(change: Partial<ChatAccount> = {}): ChatAccount {
  return {
    kind: 'chat',
    id: chatId,
    label: 'Example',
    baseUrl: 'https://chat.example.org',
    key: 'present',
    protection: 'os',
    insecure: false,
    demo: false,
    email: 'me@example.org',
    images: false,
    ...change,
  }
}

export const me: User = { id: 1, name: 'Maria', isBot: false }
export const ana: User = { id: 2, name: 'Ana', isBot: false }
const boris: User = { id: 3, name: 'Boris', isBot: false }

export function channel(change: Partial<Channel> = {}): Channel {
  return {
    id: 10,
    name: 'ops',
    muted: false,
    desktopNotifications: null,
    audibleNotifications: null,
    wildcardMentionsNotify: null,
    ...change,
  }
}

export const topic: Conversation = { kind: 'topic', channelId: 10, topic: 'db-backup is DOWN' }
export const direct: Conversation = { kind: 'direct', userIds: [2] }

/** From Ana in `topic` two minutes ago, unread. Each has the next id. */
export function message(change: Partial<Omit<Message, 'key'>> = {}): Message {
  made += 1
  const conversation = change.conversation ?? topic
  const text = change.text ?? 'restarting it now'
  return {
    id: 1_000 + made,
    senderId: ana.id,
    senderName: ana.name,
    html: `<p>${text}</p>`,
    sentAt: now - 2 * minute,
    editedAt: null,
    isMe: false,
    isAction: false,
    flags: [],
    reactions: [],
    ...change,
    conversation,
    key: conversationKey(conversation),
    text,
  }
}

/**
 * A live realm with these messages, and the conversations and unread counts that follow from them.
 */
export function realm(messages: readonly Message[] = [], change: Partial<Realm> = {}): Realm {
  return {
    ...emptyRealm(chatId, { floor: 0, ids: messages.map(({ id }) => id) }),
    phase: 'live',
    freshness: { ...fresh, intervalMs: 90_000 },
    me: { id: me.id, name: me.name },
    users: new Map([me, ana, boris].map((user) => [user.id, user])),
    channels: new Map([
      [10, channel()],
      [11, channel({ id: 11, name: 'general', muted: true })],
    ]),
    messages: messageList(messages),
    conversations: conversationsOf(messages),
    ...change,
  }
}

function conversationsOf(
  messages: readonly Message[],
): ReadonlyMap<ConversationKey, ConversationInfo> {
  const infos = new Map<ConversationKey, ConversationInfo>()
  for (const item of [...messages].sort((a, b) => a.id - b.id)) {
    const info = infos.get(item.key) ?? conversation({ conversation: item.conversation })
    const isUnread = !item.flags.includes('read') && !item.isMe
    infos.set(item.key, {
      ...info,
      unread: isUnread ? [...info.unread, item.id] : info.unread,
      mentions:
        isUnread && item.flags.includes('mentioned') ? [...info.mentions, item.id] : info.mentions,
      lastMessageId: item.id,
    })
  }
  return infos
}

function conversation(change: Partial<ConversationInfo> = {}): ConversationInfo {
  return {
    conversation: topic,
    unread: [],
    mentions: [],
    calls: [],
    lastMessageId: null,
    history: 'recent',
    complete: true,
    failure: null,
    ...change,
  }
}

export function outboxMessage(change: Partial<OutboxMessage> = {}): OutboxMessage {
  made += 1
  return {
    localId: `local-${made}`,
    accountId: chatId,
    conversation: topic,
    text: 'on my way',
    queuedAt: now - 3_000,
    state: 'sending',
    messageId: null,
    attempts: 1,
    afterMessageId: 0,
    fromNotification: false,
    failure: null,
    ...change,
  }
}

export function notice(change: Partial<Notice> = {}): Notice {
  made += 1
  return {
    id: `notice-${made}`,
    kind: 'down',
    accountId: opsId,
    subject: `subject-${made}`,
    title: 'db-backup is down',
    body: 'ops-project · last ping 3 h 23 min ago, expected every hour · #prod #db',
    at: now - 2 * hour,
    target: { view: 'checks' },
    sound: true,
    outcome: 'shown',
    reasons: [],
    lines: [],
    ...change,
  }
}

/** The keys and labels of a notice's buttons, alternating. */
function buttonsOf(about: Pick<Notice, 'kind' | 'target'>): string[] {
  return actionsFor(about).flatMap(({ key, label }) => [key, label])
}

export const checkButtons = buttonsOf({
  kind: 'down',
  target: { view: 'check', accountId: opsId, checkId: 'check' },
})
export const messageButtons = buttonsOf({
  kind: 'direct',
  target: { view: 'conversation', accountId: chatId, conversation: direct, messageId: null },
})

/**
 * One project with three checks (down, late, up) and one realm without messages, all read 12 s ago.
 */
export function state(change: Partial<AppState> = {}): AppState {
  return {
    ...emptyState,
    accounts: [account(), chatAccount()],
    boards: new Map([
      [
        opsId,
        board([
          check({ name: 'db-backup', status: 'down', tags: ['prod', 'db'] }),
          check({ name: 'report-mailer', status: 'grace' }),
          check({ name: 'cert-renew' }),
        ]),
      ],
    ]),
    realms: new Map([[chatId, realm()]]),
    environment: {
      protection: 'os',
      demo: false,
      version: '0.1.0',
      standIn: false,
      systemLocale: '',
    },
    ...change,
  }
}

/** A file half uploaded. */
export function upload(change: Partial<Upload> = {}): Upload {
  return {
    id: 'upload-1',
    fileId: 'file-1',
    startedAt: now,
    accountId: chatId,
    conversation: null,
    name: 'report.pdf',
    sent: 50,
    total: 100,
    state: 'sending',
    url: null,
    failure: null,
    ...change,
  }
}

/** A success half an hour ago. */
export function ping(change: Partial<Ping> = {}): Ping {
  return {
    n: 1,
    kind: 'success',
    rawKind: change.kind ?? 'success',
    at: now - 30 * minute,
    scheme: 'https',
    remoteAddress: null,
    method: 'POST',
    userAgent: 'curl',
    runId: null,
    hasBody: false,
    durationSeconds: null,
    ...change,
  }
}
