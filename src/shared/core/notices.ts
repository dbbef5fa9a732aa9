import type { Board } from './board.ts'
import { boardNotices, checkSubject } from './check-notices.ts'
import type { ConversationKey } from './conversation.ts'
import { realmNotices } from './message-notices.ts'
import type { Notice } from './notice.ts'
import { outboxNotices } from './outbox-notices.ts'
import type { Realm } from './realm.ts'
import { type AppState, accountById } from './state.ts'

/**
 * What happened between two states that is worth interrupting the user for.
 *
 * An account seen for the first time is only a baseline: someone who adds a project with nine
 * checks down, or whose laptop wakes to a new event queue, knows it already from the board and
 * should not be told nine times. What was told is in the state (`told`) and on disk, so a restart
 * neither repeats nor forgets.
 */
export function noticesBetween(before: AppState, after: AppState, now: number): Notice[] {
  const notices: Notice[] = []
  for (const [id, board] of after.boards) {
    const old = before.boards.get(id)
    if (old !== undefined && old.told !== board.told)
      notices.push(...boardNotices(after, old, board, now))
  }
  for (const [id, realm] of after.realms) {
    const old = before.realms.get(id)
    if (old !== undefined && (old.told !== realm.told || old.messages !== realm.messages))
      notices.push(...realmNotices(after, old, realm))
  }
  if (before.accounts !== after.accounts) notices.push(...keyNotices(before, after, now))
  if (before.outbox !== after.outbox) notices.push(...outboxNotices(before, after, now))
  return notices
}

/** Subjects whose notifications no longer hold: a check that is not down any more, a conversation read elsewhere. */
export function withdrawnBetween(before: AppState, after: AppState): string[] {
  const subjects: string[] = []
  for (const [id, old] of before.boards) {
    const board = after.boards.get(id)
    if (board !== old) subjects.push(...boardWithdrawn(old, board))
  }
  for (const [id, old] of before.realms) {
    const realm = after.realms.get(id)
    if (realm?.conversations !== old.conversations) subjects.push(...realmWithdrawn(old, realm))
  }
  for (const { id, key } of before.accounts)
    if (key !== 'present' && accountById(after, id)?.key === 'present') subjects.push(`${id}/key`)
  return subjects
}

function boardWithdrawn(old: Board, board: Board | undefined): string[] {
  if (board?.told === old.told) return []
  const over = [...(old.told ?? [])]
    .filter(([id, status]) => status === 'down' && board?.told?.get(id) !== 'down')
    .map(([id]) => checkSubject(old.accountId, id))
  const calm = old.counts.down > 0 && (board?.counts.down ?? 0) === 0
  return calm ? [...over, `${old.accountId}/checks/down`] : over
}

function realmWithdrawn(old: Realm, realm: Realm | undefined): string[] {
  const isUnread = (of: Realm | undefined, key: ConversationKey): boolean =>
    (of?.conversations.get(key)?.unread.length ?? 0) > 0
  const over = [...old.conversations.keys()].filter(
    (key) => isUnread(old, key) && !isUnread(realm, key),
  )
  const calm =
    over.length > 0 && ![...(realm?.conversations.keys() ?? [])].some((key) => isUnread(realm, key))
  const subjects = over.map((key) => `${old.accountId}/${key}`)
  return calm ? [...subjects, `${old.accountId}/messages`] : subjects
}

function keyNotices(before: AppState, after: AppState, now: number): Notice[] {
  return after.accounts
    .filter((account) => {
      const old = accountById(before, account.id)
      return old !== null && old.key !== account.key && account.key === 'rejected'
    })
    .map((account) => ({
      id: `${account.id}/key@${now}`,
      kind: 'account',
      accountId: account.id,
      subject: `${account.id}/key`,
      title: `${account.label}: key rejected`,
      body: 'The server no longer accepts this key, so nothing new is read. Click to enter a new one.',
      at: now,
      target: { view: 'replaceKey', accountId: account.id },
      canReply: false,
      sound: false,
    }))
}
