import { counted } from '../wording.ts'
import { channelName } from './chat-names.ts'
import { type Conversation, conversationKey } from './conversation.ts'
import { allMessages } from './message-list.ts'
import {
  type Allowed,
  type Channel,
  isWhole,
  myGroups,
  type Realm,
  type UserGroup,
} from './realm.ts'

/** From this many people on, a mention counts as wide (API, `can_mention_many_users_group`). */
const wideMentionFrom = 16

/** Unknown groups count as allowed: the server decides anyway. */
export function isAllowed({ groups, me }: Pick<Realm, 'groups' | 'me'>, allowed: Allowed): boolean {
  if (allowed === null) return true
  const mine = myGroups(groups)
  if (typeof allowed === 'string') return isAllowed({ groups, me }, groupNamed(groups, allowed))
  if (typeof allowed === 'number') return mine.has(allowed) || !groups.has(allowed)
  return (
    allowed.users.includes(me?.id ?? -1) ||
    allowed.groups.some((id) => mine.has(id) || !groups.has(id))
  )
}

function groupNamed(groups: Realm['groups'], name: string): number | null {
  return [...groups].find(([, group]) => group.name === name)?.[0] ?? null
}

/** Who may post in a channel. */
export function postersOf({ maySend, postPolicy }: Channel): Allowed {
  return maySend ?? postPolicy ?? null
}

const roleWords: Readonly<Record<string, string>> = {
  'role:nobody': 'nobody',
  'role:owners': 'owners',
  'role:administrators': 'administrators',
  'role:moderators': 'moderators',
  'role:fullmembers': 'full members',
  'role:members': 'members',
}

function nameOf(groups: Realm['groups'], allowed: Allowed): string {
  if (typeof allowed === 'string') return allowed
  return typeof allowed === 'number' ? (groups.get(allowed)?.name ?? '') : ''
}

/** "Only moderators can post in # news." */
function onlyWords({ groups }: Realm, allowed: Allowed, deed: string): string {
  const name = nameOf(groups, allowed)
  if (name === 'role:nobody') return `Nobody can ${deed}.`
  const who = Object.hasOwn(roleWords, name) ? roleWords[name] : name && `the group ${name}`
  return who ? `Only ${who} can ${deed}.` : `You can’t ${deed}.`
}

/** Why the server would refuse a message there, as far as known; null if it would accept it. */
export function writingRefusal(realm: Realm, conversation: Conversation): string | null {
  return conversation.kind === 'topic'
    ? topicRefusal(realm, conversation)
    : directRefusal(realm, conversation)
}

type Topic = Extract<Conversation, { kind: 'topic' }>
type Direct = Extract<Conversation, { kind: 'direct' }>

function topicRefusal(realm: Realm, { channelId, topic }: Topic): string | null {
  const channel = realm.channels.get(channelId)
  if (realm.otherChannels.get(channelId)?.archived === true)
    return 'This channel is archived: nothing can be posted in it.'
  if (channel === undefined) return null
  const name = `# ${channelName(realm, channelId)}`
  const posters = postersOf(channel)
  if (!isAllowed(realm, posters)) return onlyWords(realm, posters, `post in ${name}`)
  const rule = channel.emptyTopic ?? realm.rules.emptyTopic
  if (rule === 'refused' && topic === '') return `${name} requires a topic.`
  if (rule === 'only' && topic !== '') return `${name} only takes messages without a topic.`
  return null
}

function directRefusal(realm: Realm, conversation: Direct): string | null {
  const { rules, users, me, conversations } = realm
  const others = conversation.userIds.filter((id) => id !== me?.id)
  const former = others.flatMap((id) => users.get(id) ?? []).find(({ isFormer }) => isFormer)
  if (former !== undefined) return `The account of ${former.name} is deactivated.`
  if (others.every((id) => users.get(id)?.isBot === true)) return null
  // One permitted participant suffices, and we only know our own groups.
  if (nameOf(realm.groups, rules.direct) === 'role:nobody')
    return 'Direct messages are switched off on this server.'
  const isBegun = conversations.get(conversationKey(conversation))?.lastMessageId != null
  if (!isBegun && !isAllowed(realm, rules.startDirect))
    return onlyWords(realm, rules.startDirect, 'start direct messages here')
  return null
}

/** A mention of many people: everyone in the channel or topic, or a user group. */
export interface WideMention {
  readonly of: 'channel' | 'topic' | 'group'
  /** As written, without its asterisks. */
  readonly name: string
  /** For a group an upper bound, since subgroups may overlap; null if it has to be requested. */
  readonly people: number | null
  /** Why the server would refuse it; null if it wouldn't. */
  readonly refusal: string | null
}

/** The server's fence: its mark, and the language of the block; backticks after it are inline code. */
const fence = /^(`{3,}|~{3,}) *(?:\{?\.?([\w+.\-/#]+)(?:[^~`\w+.\-/#][^~`]*)?)?$/

/** The lines of a text in which mentions notify: those not in code or quotes, but in spoilers. */
function notifyingText(text: string): string {
  const open: { readonly mark: string; readonly kind: string }[] = []
  const lines = text.split('\n').filter((line) => {
    const inside = open.at(-1)
    if (inside !== undefined && line.trimEnd() === inside.mark) {
      open.pop()
      return false
    }
    const [, mark, kind = ''] = fence.exec(line) ?? []
    // Fences inside of code are code.
    if (mark !== undefined && /^(?:quote|quoted|spoiler)?$/.test(inside?.kind ?? '')) {
      open.push({ mark, kind: kind || 'code' })
      return false
    }
    return open.every(({ kind: one }) => one === 'spoiler') && !/^ {0,3}>/.test(line)
  })
  return lines.map(withoutCode).join('\n')
}

/** A line without its inline code: what is between two runs of as many backticks. */
function withoutCode(line: string): string {
  const runs = [...line.matchAll(/(?<!`)`+/g)]
  /** Of each length, the runs from the last one back. */
  const left = new Map<number, number[]>()
  for (const { 0: run, index } of runs.toReversed()) {
    const same = left.get(run.length)
    if (same === undefined) left.set(run.length, [index])
    else same.push(index)
  }
  let text = ''
  let from = 0
  for (const { 0: run, index } of runs) {
    const same = left.get(run.length) ?? []
    while ((same.at(-1) ?? Number.POSITIVE_INFINITY) <= index) same.pop()
    const end = same.at(-1)
    if (index < from || line[index - 1] === '\\' || end === undefined) continue
    text += line.slice(from, index)
    from = end + run.length
  }
  return text + line.slice(from)
}

/** The wide mentions in a text that notify anybody. */
export function wideMentions(
  realm: Realm,
  conversation: Conversation,
  text: string,
): readonly WideMention[] {
  // In direct messages, a mention reaches only people who get the message anyway.
  if (conversation.kind === 'direct' || !text.includes('@*')) return []
  const found = notifyingText(text).matchAll(
    /(?<![\w*])@(?:\*\*(all|everyone|channel|stream|topic)\*\*|\*([^*\n]+)\*(?!\*))/g,
  )
  const mentions = new Map<string, WideMention>()
  for (const [, wildcard, group] of found) {
    const mention =
      wildcard === undefined
        ? groupMention(realm, group ?? '')
        : wildcardMention(wildcard, realm, conversation)
    if (mention !== null) mentions.set(mention.name, mention)
  }
  return [...mentions.values()]
}

function wildcardMention(name: string, realm: Realm, conversation: Topic): WideMention {
  const of = name === 'topic' ? 'topic' : 'channel'
  const people = of === 'topic' ? participants(realm, conversation) : null
  return { of, name, people, refusal: null }
}

/** How many others wrote or reacted in a topic; null if only part of it was read. */
function participants({ conversations, messages, me }: Realm, conversation: Topic): number | null {
  const key = conversationKey(conversation)
  const info = conversations.get(key)
  if (info === undefined || !isWhole(info)) return null
  const own = allMessages(messages).filter((message) => message.key === key)
  const people = own.flatMap(({ senderId, reactions }) => [
    senderId,
    ...reactions.map(({ userId }) => userId),
  ])
  return new Set(people.filter((id) => id !== me?.id)).size
}

function groupMention(realm: Realm, name: string): WideMention | null {
  const id = groupNamed(realm.groups, name)
  const group = realm.groups.get(id ?? -1)
  if (id === null || group === undefined || group.isOff === true) return null
  const { canMention = null } = group
  const refusal = isAllowed(realm, canMention)
    ? null
    : onlyWords(realm, canMention, `mention @${name}`)
  return { of: 'group', name, people: sizeOf(realm.groups, id, new Set()), refusal }
}

function sizeOf(groups: ReadonlyMap<number, UserGroup>, id: number, seen: Set<number>): number {
  const group = groups.get(id)
  if (group === undefined || seen.has(id)) return 0
  seen.add(id)
  return group.subgroups.reduce((sum, one) => sum + sizeOf(groups, one, seen), group.size ?? 0)
}

/** Whom a wide mention reaches; `people` of a channel or topic is set once known. */
export function reachWords(realm: Realm, { channelId }: Topic, mention: WideMention): string {
  const { of, name, people } = mention
  const known = people === null ? 'everyone' : counted(people, 'person', 'people')
  if (of === 'topic') return `@topic notifies ${known} who wrote or reacted in this topic.`
  if (of === 'group') return `@${name} notifies ${people === 1 ? '' : 'up to '}${known}.`
  return `@${name} notifies ${known} in # ${channelName(realm, channelId)}.`
}

/** Why the server's rules refuse a mention of so many; null if they allow it. */
export function manyRefusal(realm: Realm, { of, people, refusal }: WideMention): string | null {
  if (of === 'group' || (people ?? 0) < wideMentionFrom) return refusal
  const { mentionMany } = realm.rules
  return isAllowed(realm, mentionMany)
    ? null
    : onlyWords(realm, mentionMany, `notify more than ${wideMentionFrom - 1} people at once`)
}

/** Whether to ask first: it reaches many people, or an unknown number. */
export function isWide({ people }: WideMention): boolean {
  return people === null || people >= wideMentionFrom
}
