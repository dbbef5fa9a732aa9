import type { ConversationKey } from '../chat/conversation.ts'
import type { Realm } from '../chat/realm.ts'
import type { Board } from '../checks/board.ts'
import type { CheckId, CheckStatus } from '../checks/check.ts'
import { changesBetween } from '../map-difference.ts'
import { type AppState, accountById } from '../state.ts'
import { checkSubject } from './check-subject.ts'

/** Subjects whose notifications no longer hold: a check that is not down any more, a conversation read elsewhere. */
export function overBetween(before: AppState, after: AppState): string[] {
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
  const before = old.told ?? new Map<CheckId, CheckStatus>()
  const after = board?.told ?? new Map<CheckId, CheckStatus>()
  if (before === after) return []
  const over = changesBetween(before, after)
    .filter(({ was }) => was === 'down')
    .map(({ key }) => checkSubject(old.accountId, key))
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
