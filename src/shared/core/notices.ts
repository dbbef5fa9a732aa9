import { boardNotices, checkSubject } from './check-notices.ts'
import { realmNotices } from './message-notices.ts'
import type { Notice } from './notice.ts'
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
  return notices
}

/** Subjects whose notifications no longer hold: a check that is not down any more, a conversation read elsewhere. */
export function withdrawnBetween(before: AppState, after: AppState): string[] {
  const subjects: string[] = []
  for (const [id, old] of before.boards) {
    const board = after.boards.get(id)
    if (board?.told === old.told) continue
    for (const [checkId, status] of old.told ?? [])
      if (status === 'down' && board?.told?.get(checkId) !== 'down')
        subjects.push(checkSubject(id, checkId))
  }
  for (const [id, old] of before.realms) {
    const realm = after.realms.get(id)
    if (realm?.conversations === old.conversations) continue
    for (const [key, info] of old.conversations)
      if (info.unread.length > 0 && (realm?.conversations.get(key)?.unread.length ?? 0) === 0)
        subjects.push(`${id}/${key}`)
  }
  return subjects
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
