import type { AccountId } from '../account.ts'
import type { ConversationKey } from '../chat/conversation.ts'
import type { Check } from '../checks/check.ts'
import type { Silence } from './silence.ts'

/** What keeps a check quiet now, or null. Of several, the one that is about it alone. */
export type QuietCheck = (accountId: AccountId, check: Pick<Check, 'id' | 'tags'>) => Silence | null

const none: QuietCheck = () => null

/** The same answers as `silenceOnCheck`, for 10,000 rows at once. */
export function quietChecks(silences: readonly Silence[], now: number): QuietCheck {
  const checks = new Map<string, Silence>()
  const tags = new Map<string, Silence>()
  const projects = new Map<AccountId, Silence>()
  for (const silence of silences) {
    const { scope, until } = silence
    if (until.kind === 'time' && until.at <= now) continue
    if (scope.of === 'check') checks.set(`${scope.accountId}/${scope.checkId}`, silence)
    if (scope.of === 'tag') tags.set(scope.tag, silence)
    if (scope.of === 'project') projects.set(scope.accountId, silence)
  }
  if (checks.size + tags.size + projects.size === 0) return none
  return (accountId, { id, tags: own }) =>
    checks.get(`${accountId}/${id}`) ??
    own.map((tag) => tags.get(tag)).find((silence) => silence !== undefined) ??
    projects.get(accountId) ??
    null
}

/** What keeps a conversation quiet in Belfry, by itself or with its channel; null: nothing does. */
export function silenceOnConversation(
  silences: readonly Silence[],
  accountId: AccountId,
  key: ConversationKey,
  channelId: number | null,
  now: number,
): Silence | null {
  const ours = silences.filter(({ until }) => until.kind !== 'time' || until.at > now)
  return (
    ours.find(
      ({ scope }) =>
        scope.of === 'conversation' && scope.accountId === accountId && scope.key === key,
    ) ??
    ours.find(
      ({ scope }) =>
        scope.of === 'channel' && scope.accountId === accountId && scope.channelId === channelId,
    ) ??
    null
  )
}
