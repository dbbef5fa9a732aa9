import type { DemoPlace, TopicPlace } from './demo-message.ts'
import {
  directPlaceOf,
  emailsOf,
  emptyTopicName,
  isInGroup,
  limits,
  type RealmData,
  renderContext,
  roleGroups,
  samePlace,
  setTopicPolicy,
  subscribersOf,
} from './realm-data.ts'
import { type Call, type Params, parseJson, Refusal, shapes } from './realm-http.ts'
import { postMessage } from './realm-messages.ts'
import { renderMarkdown } from './realm-render.ts'

export const recipientKinds = ['direct', 'channel', 'stream', 'private'] as const

/** `onSent` lets the demo's people reply. */
export function sendMessage(
  data: RealmData,
  { params, client }: Call,
  onSent: (place: DemoPlace) => void,
) {
  const kind = params.word('type', recipientKinds)
  const to = params.maybeText('to')
  if (to === undefined) throw new Refusal('Missing recipients')
  const topic = params.maybeText('topic', 'subject')
  const content = readContent(params)
  const queueId = params.maybeText('queue_id')
  const localId = params.maybeText('local_id')
  // By default, the real server marks messages as read only for its own apps.
  const read = params.maybe('read_by_sender', shapes.boolean) ?? false
  const place =
    kind === 'channel' || kind === 'stream'
      ? topicPlace(data, channelOf(data, to), topic)
      : directPlace(data, peopleOf(data, to))
  refuseUnlessAllowed(data, place, content)
  const startsTopic = ![...data.messages.values()].some((old) => samePlace(old.place, place))
  const echo = queueId !== undefined && localId !== undefined ? { queueId, localId } : null
  const message = postMessage(data, { sender: data.me, place, content, read, client }, echo)
  const follows = place.kind === 'topic' && startsTopic
  if (follows) setTopicPolicy(data, place, 3)
  onSent(place)
  return { id: message.id, ...(follows ? { automatic_new_visibility_policy: 3 } : {}) }
}

/** A mention of more people than this requires a permission. */
const manyPeople = 15

function refuseUnlessAllowed(data: RealmData, place: DemoPlace, content: string): void {
  if (place.kind === 'direct') refuseDirect(data, place)
  else refuseTopic(data, place, content)
}

function refuseDirect(data: RealmData, place: Extract<DemoPlace, { kind: 'direct' }>): void {
  const { me, rules, people } = data
  const others = place.userIds.filter((id) => id !== me.id)
  if (others.every((id) => people.get(id)?.isBot === true)) return
  if (!place.userIds.some((id) => isInGroup(data, rules.direct, id)))
    throw new Refusal(
      rules.direct === roleGroups.nobody
        ? 'Direct messages are disabled in this organization.'
        : 'This conversation does not include any users who can authorize it.',
    )
  const isBegun = [...data.messages.values()].some((old) => samePlace(old.place, place))
  if (!isBegun && !isInGroup(data, rules.startDirect, me.id))
    throw new Refusal('You do not have permission to initiate direct message conversations.')
}

function refuseTopic(data: RealmData, { channelId, topic }: TopicPlace, content: string): void {
  const { me, rules } = data
  const channel = data.channels.get(channelId)
  if (channel === undefined) return
  if (!isInGroup(data, channel.maySend ?? roleGroups.everyone, me.id))
    throw new Refusal('You do not have permission to post in this channel.')
  if (channel.archived === true)
    throw new Refusal(`Not authorized to send to channel '${channel.name}'`)
  const inherited = rules.mandatoryTopics ? 'disable_empty_topic' : 'allow_empty_topic'
  const { topicsPolicy = 'inherit' } = channel
  const policy = topicsPolicy === 'inherit' ? inherited : topicsPolicy
  if (topic === '' && policy === 'disable_empty_topic')
    throw new Refusal('Topics are required in this organization.')
  if (topic !== '' && policy === 'empty_topic_only')
    throw new Refusal('Only the general chat topic is allowed in this channel.')
  const isWide = renderMarkdown(content, renderContext(data)).includes('channel-wildcard-mention')
  const isOfMany = isWide && subscribersOf(data, channel).length > manyPeople
  if (isOfMany && !isInGroup(data, rules.mentionMany, me.id))
    throw new Refusal(
      'You do not have permission to use channel wildcard mentions in this channel.',
      { code: 'STREAM_WILDCARD_MENTION_NOT_ALLOWED' },
    )
}

/** Each renders to almost a hundred characters, and this many take too long. */
const tooManyEmoji = 10_000

export function readContent(params: Params): string {
  return normalContent(params.text('content'))
}

/** Trims and silently truncates, as the real server does. */
export function normalContent(given: string): string {
  const content = given.trimEnd().replace(/^\n+/, '')
  if (content.trim() === '') throw new Refusal('Message must not be empty')
  if (content.includes('\0')) throw new Refusal('Message must not contain null bytes')
  if ((content.match(/\p{Emoji_Presentation}/gu)?.length ?? 0) >= tooManyEmoji)
    throw new Refusal('Unable to render message')
  return cut(content, limits.message, '\n[message truncated]')
}

export function cut(text: string, limit: number, mark: string): string {
  const points = [...text]
  return points.length <= limit ? text : points.slice(0, limit - [...mark].length).join('') + mark
}

export function topicPlace(
  data: RealmData,
  channelId: number,
  given: string | undefined,
): DemoPlace {
  if (given === undefined) throw new Refusal('Missing topic')
  // Python's white space, not JavaScript's.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it counts the separators
  const stripped = given.replace(/^[\p{White_Space}\x1c-\x1f]+|[\p{White_Space}\x1c-\x1f]+$/gu, '')
  const bad = [...stripped].findIndex((sign) => /[\p{Cc}\p{Cs}\p{Cn}]/u.test(sign))
  if (bad !== -1) throw new Refusal(`Invalid character in topic, at position ${bad + 1}!`)
  const topic = cut(stripped, limits.topic, '...')
  const isEmpty = topic === '(no topic)' || topic === emptyTopicName
  return { kind: 'topic', channelId: channelOrRefuse(data, channelId), topic: isEmpty ? '' : topic }
}

function channelOrRefuse(data: RealmData, id: number): number {
  if (data.channels.has(id)) return id
  throw noChannel(`Channel with ID '${id}'`, { stream_id: id })
}

/** JSON with an id or a name, or a list of one of these; anything else is a name. */
function channelOf(data: RealmData, to: string): number {
  const parsed = parseJson(to)
  const one: unknown = Array.isArray(parsed) && parsed.length === 1 ? parsed[0] : parsed
  if (shapes.whole.fits(one)) return one
  const name = typeof one === 'string' ? one : to
  const found = [...data.channels.values()].find(
    (channel) => channel.name.toLowerCase() === name.toLowerCase(),
  )
  if (found) return found.id
  throw noChannel(`Channel '${name}'`, { stream: name })
}

function noChannel(what: string, extra: Record<string, unknown>): Refusal {
  return new Refusal(`${what} does not exist`, { code: 'STREAM_DOES_NOT_EXIST', extra })
}

function peopleOf(data: RealmData, to: string): number[] {
  const parsed = parseJson(to)
  const given: unknown = parsed === undefined ? to.split(',').map((one) => one.trim()) : parsed
  const list: unknown[] = Array.isArray(given) ? given : [given]
  if (shapes.wholes.fits(list)) return list.map((id) => userId(data, id))
  if (!shapes.texts.fits(list))
    throw new Refusal('Recipient list may contain emails or user IDs, but not both.')
  return list.map((email) => {
    const found = [...data.people.values()].find((person) => emailsOf(data, person).includes(email))
    if (!found) throw new Refusal(`Invalid email '${email}'`)
    return found.id
  })
}

export function userId(data: RealmData, id: number): number {
  if (!data.people.has(id)) throw new Refusal(`Invalid user ID ${id}`)
  return id
}

export function directPlace(data: RealmData, ids: readonly number[]): DemoPlace {
  if (ids.length === 0) throw new Refusal('Message must have recipients')
  return directPlaceOf(data, ids)
}
