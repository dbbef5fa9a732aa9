import {
  type DemoPlace,
  directPlaceOf,
  emailsOf,
  emptyTopicName,
  limits,
  type RealmData,
  samePlace,
  setTopicPolicy,
} from './realm-data.ts'
import { type Call, type Params, parseJson, Refusal, shapes } from './realm-http.ts'
import { postMessage } from './realm-messages.ts'

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
  // The real server marks messages as read only for its own apps.
  const read = params.maybe('read_by_sender', shapes.boolean) ?? false
  const place =
    kind === 'channel' || kind === 'stream'
      ? topicPlace(data, channelOf(data, to), topic)
      : directPlace(data, peopleOf(data, to))
  const startsTopic = ![...data.messages.values()].some((old) => samePlace(old.place, place))
  const echo = queueId !== undefined && localId !== undefined ? { queueId, localId } : null
  const message = postMessage(data, { sender: data.me, place, content, read, client }, echo)
  const follows = place.kind === 'topic' && startsTopic
  if (follows) setTopicPolicy(data, place, 3)
  onSent(place)
  return { id: message.id, ...(follows ? { automatic_new_visibility_policy: 3 } : {}) }
}

/** Each is rendered to almost a hundred characters, and that many take too long. */
const tooManyEmoji = 10_000

/** Trims and silently truncates, as the real server does. */
export function readContent(params: Params): string {
  const content = params.text('content').trimEnd().replace(/^\n+/, '')
  if (content.trim() === '') throw new Refusal('Message must not be empty')
  if (content.includes('\0')) throw new Refusal('Message must not contain null bytes')
  if ((content.match(/\p{Emoji_Presentation}/gu)?.length ?? 0) >= tooManyEmoji)
    throw new Refusal('Unable to render message')
  return cut(content, limits.message, '\n[message truncated]')
}

function cut(text: string, limit: number, mark: string): string {
  const points = [...text]
  return points.length <= limit ? text : points.slice(0, limit - [...mark].length).join('') + mark
}

export function topicPlace(
  data: RealmData,
  channelId: number,
  given: string | undefined,
): DemoPlace {
  if (given === undefined) throw new Refusal('Missing topic')
  const bad = [...given.trim()].findIndex((sign) => /[\p{Cc}\p{Cs}\p{Cn}]/u.test(sign))
  if (bad !== -1) throw new Refusal(`Invalid character in topic, at position ${bad + 1}!`)
  const topic = cut(given.trim(), limits.topic, '...')
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
