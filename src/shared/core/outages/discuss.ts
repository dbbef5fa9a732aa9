import * as v from 'valibot'
import type { AccountId, AccountsSlice } from '../account.ts'
import { channelName } from '../chat/chat-names.ts'
import { type Conversation, conversationKey } from '../chat/conversation.ts'
import { followed } from '../chat/places.ts'
import type { Realm, RealmsSlice } from '../chat/realm.ts'
import type { ChecksSlice } from '../checks/board.ts'
import { boardOrders } from '../checks/board-orders.ts'
import { type Check, type CheckId, checkName } from '../checks/check.ts'
import { type Immutable, idSchema, numberId, tagSchema } from '../schemas.ts'
import { withoutSecrets } from '../secrets.ts'
import { codePointLength } from '../text-length.ts'
import { compareNames } from '../wording.ts'
import { incidentOf, type OutagesSlice } from './incident.ts'

export const discussLimits = { rules: 200, topic: 200 } as const

/** Where to discuss outages: the first rule that matches decides; null matches anything. */
export const discussRule = v.object({
  id: idSchema,
  accountId: v.nullable(idSchema),
  tag: v.nullable(tagSchema),
  checkId: v.nullable(idSchema),
  /** The chat account. */
  chatId: idSchema,
  channelId: numberId,
  /** May contain the placeholders `{check}` and `{project}`. */
  topic: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(discussLimits.topic)),
})
export type DiscussRule = Immutable<v.InferOutput<typeof discussRule>>

export const defaultTopic = '{check}'

/** A topic of one realm. */
export interface DiscussPlace {
  readonly accountId: AccountId
  readonly conversation: Conversation
}

/** A topic that seems to be about a check: it has its name, or is the monitoring bot's. */
export interface SuggestedPlace extends DiscussPlace {
  readonly why: 'bot' | 'name'
}

export interface LinkedCheck {
  readonly accountId: AccountId
  readonly check: Check
}

interface Known extends AccountsSlice, RealmsSlice, OutagesSlice {
  readonly settings: { readonly discuss: readonly DiscussRule[] }
}

/** The topic that the rules name for a check; null if none does, or its chat account is gone. */
export function placeFor(state: Known, accountId: AccountId, check: Check): DiscussPlace | null {
  const rule = ruleFor(state, accountId, check)
  return rule === null ? null : placeOf(state, rule, accountId, checkName(check))
}

/** Where a check is discussed: in the topic of its last report, whatever the rules say now. */
export function discussedAt(state: Known, accountId: AccountId, check: Check): DiscussPlace | null {
  const incident = incidentOf(state, accountId, check.id)
  if (incident === null || accountOf(state, incident.chatId) === null)
    return placeFor(state, accountId, check)
  return followed(state, { accountId: incident.chatId, conversation: incident.conversation })
}

export function ruleFor(state: Known, accountId: AccountId, check: Check): DiscussRule | null {
  const fitting = state.settings.discuss.find(
    (rule) => ruleFits(rule, accountId, check) && accountOf(state, rule.chatId) !== null,
  )
  return fitting ?? null
}

export function ruleFits(rule: DiscussRule, accountId: AccountId, check: Check): boolean {
  return (
    (rule.accountId === null || rule.accountId === accountId) &&
    (rule.checkId === null || rule.checkId === check.id) &&
    (rule.tag === null || check.tags.includes(rule.tag))
  )
}

function accountOf(state: Known, id: AccountId) {
  return state.accounts.find((one) => one.id === id && one.kind === 'chat') ?? null
}

/** The topic of a rule. `name` fills in `{check}`: a check's, or that of a maintenance. */
export function placeOf(
  state: Known,
  rule: DiscussRule,
  accountId: AccountId,
  name: string,
): DiscussPlace {
  const project = state.accounts.find(({ id }) => id === accountId)?.label ?? ''
  const limit = state.realms.get(rule.chatId)?.limits.topicLength
  const topic = topicOf(rule.topic, { check: name, project }, limit)
  const { channelId, chatId } = rule
  return followed(state, { accountId: chatId, conversation: { kind: 'topic', channelId, topic } })
}

/** For a server that does not say (chat API, "max_topic_length"). */
const usualTopicLength = 60

/** The template with the names filled in, as one line within the server's limit. */
export function topicOf(
  template: string,
  names: { readonly check: string; readonly project: string },
  limit: number = usualTopicLength,
): string {
  const filled = template
    .replace(/\{(check|project)\}/g, (_all, name: 'check' | 'project') =>
      withoutSecrets(names[name]),
    )
    // A topic is one line: control characters are refused (chat API, "Send a message").
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
  return codePointLength(filled) <= limit
    ? filled
    : `${[...filled].slice(0, Math.max(0, limit - 1)).join('')}…`
}

/** Topics that by their names are about this check, the monitoring bot's first. */
export function suggestedPlaces(state: RealmsSlice, check: Check): readonly SuggestedPlace[] {
  const name = checkName(check).toLowerCase()
  const found: SuggestedPlace[] = []
  for (const [accountId, realm] of state.realms)
    for (const { conversation } of realm.conversations.values()) {
      const why = conversation.kind === 'topic' ? whyAbout(conversation.topic, name) : null
      if (why !== null) found.push({ accountId, conversation, why })
    }
  return found.sort((one, other) => Number(other.why === 'bot') - Number(one.why === 'bot'))
}

/** The monitoring service's own integration writes to `NAME is DOWN`; ✔ marks a resolved topic. */
function whyAbout(topic: string, name: string): SuggestedPlace['why'] | null {
  const plain = topic.toLowerCase().replace(/^✔ /, '')
  if (plain === name) return 'name'
  return plain === `${name} is down` || plain === `${name} is up` ? 'bot' : null
}

/** The checks that are discussed in a conversation, worst first. */
export function checksAt(state: Known & ChecksSlice, place: DiscussPlace): readonly LinkedCheck[] {
  const key = conversationKey(place.conversation)
  const concerned =
    state.settings.discuss.some(({ chatId }) => chatId === place.accountId) ||
    state.incidents.some(({ chatId }) => chatId === place.accountId)
  if (!concerned) return []
  const linked: LinkedCheck[] = []
  for (const [accountId, board] of state.boards)
    for (const check of board.checks.values()) {
      const at = discussedAt(state, accountId, check)
      if (at?.accountId === place.accountId && conversationKey(at.conversation) === key)
        linked.push({ accountId, check })
    }
  return linked.sort(
    (one, other) =>
      boardOrders.status.compare(one.check, other.check) ||
      compareNames(checkName(one.check), checkName(other.check)),
  )
}

/** A rule in one line: "#prod of ops-project → # ops › {check}". */
export function discussRuleWords(
  state: AccountsSlice & ChecksSlice & RealmsSlice,
  rule: DiscussRule,
): string {
  const of = (id: AccountId) => state.accounts.find((one) => one.id === id)?.label
  const parts = [
    rule.checkId === null ? null : checkLabel(state, rule),
    rule.tag === null ? null : `#${rule.tag}`,
    rule.accountId === null ? null : `of ${of(rule.accountId) ?? 'a project that is gone'}`,
  ].filter((part) => part !== null)
  const realm: Realm | undefined = state.realms.get(rule.chatId)
  const channel = realm ? channelName(realm, rule.channelId) : `channel ${rule.channelId}`
  const what = parts.length === 0 ? 'Every check' : parts.join(' ')
  return `${what} → # ${channel} › ${rule.topic}`
}

function checkLabel(state: ChecksSlice, { accountId, checkId }: DiscussRule): string {
  const check = state.boards.get(accountId ?? '')?.checks.get(checkId ?? '')
  return check === undefined ? 'a check' : checkName(check)
}

/** Where the unsent report on a check is kept in `drafts`. */
export function reportKey(accountId: AccountId, checkId: CheckId): string {
  return `${accountId}/report/${checkId}`
}
