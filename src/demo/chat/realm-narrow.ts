import type { DemoMessage } from './demo-message.ts'
import {
  directPlaceOf,
  emailsOf,
  emptyTopicName,
  isMuted,
  type RealmData,
  samePlace,
  topicPolicyKey,
} from './realm-data.ts'
import { Refusal } from './realm-http.ts'
import { isFollowed } from './realm-messages.ts'

export type Filter = (message: DemoMessage) => boolean

function badNarrow(desc: string): never {
  throw new Refusal(`Invalid narrow operator: ${desc}`, { code: 'BAD_NARROW', extra: { desc } })
}

/** The filter for a narrow. Without a channel operator it covers only the user's own history. */
export function narrowFilter(data: RealmData, narrow: readonly unknown[]): Filter {
  const terms = narrow.map(readTerm)
  const filters = terms.map(({ operator, operand, negated }) => {
    const filter = termFilter(data, operator, operand)
    return negated ? (message: DemoMessage) => !filter(message) : filter
  })
  const namesChannel = terms.some(({ operator }) => isChannelOperator(operator))
  if (terms.some(isOfTopics) && terms.some(isOfDirect))
    badNarrow('No message can be both a channel message and direct message')
  return (message) =>
    (namesChannel || isFollowed(data, message.place)) && filters.every((filter) => filter(message))
}

/** The search words in a narrow. */
export function searchWords(narrow: readonly unknown[]): string[] {
  const searches = narrow.map(readTerm).filter((term) => term.operator === 'search')
  return searches.filter((term) => !term.negated).flatMap(({ operand }) => wordsOf(operand))
}

function wordsOf(operand: unknown): string[] {
  return String(operand).toLowerCase().split(/\s+/)
}

/** A real server indexes whole words, also of the topic, without their English endings. */
function stemsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.map((word) => word.replace(/(?:ing|ed|e?s)$/, '')))
}

const eventOperators = ['channel', 'stream', 'topic', 'subject', 'sender']
const eventKinds = ['dm', 'private', 'alerted', 'mentioned', 'starred', 'unread', 'resolved']

/** The filter for an event queue, whose narrows support fewer operators. Null: everything. */
export function eventFilter(data: RealmData, narrow: readonly unknown[]): Filter | null {
  for (const { operator, operand, negated } of narrow.map(readTerm)) {
    const known =
      operator === 'is' ? eventKinds.includes(String(operand)) : eventOperators.includes(operator)
    if (!known || negated) throw new Refusal(`Operator ${operator} not supported.`)
  }
  return narrow.length === 0 ? null : narrowFilter(data, narrow)
}

const isChannelOperator = (operator: string) => operator === 'channel' || operator === 'stream'

type Term = ReturnType<typeof readTerm>

function isOfTopics({ operator, negated }: Term): boolean {
  return !negated && (isChannelOperator(operator) || operator === 'topic')
}

function isOfDirect({ operator, operand, negated }: Term): boolean {
  const isKind = operator === 'is' && ['dm', 'private'].includes(String(operand))
  return !negated && (isKind || ['dm', 'pm-with', 'dm-including'].includes(operator))
}

function readTerm(term: unknown): { operator: string; operand: unknown; negated: boolean } {
  if (Array.isArray(term)) {
    const pair: unknown[] = term
    const [operator, operand] = pair
    if (typeof operator === 'string' && operand !== undefined)
      return { operator, operand, negated: false }
  } else if (typeof term === 'object' && term !== null) {
    const { operator, operand, negated }: Record<string, unknown> = { ...term }
    if (typeof operator === 'string' && operand !== undefined)
      return { operator, operand, negated: negated === true }
  }
  throw new Refusal('Invalid narrow')
}

function termFilter(data: RealmData, operator: string, operand: unknown): Filter {
  if (isChannelOperator(operator)) {
    const id = channelOperand(data, operand)
    return ({ place }) => place.kind === 'topic' && place.channelId === id
  }
  switch (operator) {
    case 'topic':
    case 'subject': {
      const topic = topicKey(String(operand))
      return ({ place }) => place.kind === 'topic' && place.topic.toLowerCase() === topic
    }
    case 'dm':
    case 'pm-with': {
      const wanted = directPlaceOf(data, peopleOperand(data, operand))
      return ({ place }) => samePlace(place, wanted)
    }
    case 'dm-including': {
      if (Array.isArray(operand)) throw new Refusal('operand is not a string or integer')
      const ids = peopleOperand(data, operand)
      return ({ place }) => place.kind === 'direct' && ids.every((id) => place.userIds.includes(id))
    }
    case 'sender': {
      const [id] = peopleOperand(data, operand)
      return (message) => message.senderId === id
    }
    case 'id':
      return (message) => message.id === Number(operand)
    case 'with': {
      const place = data.messages.get(Number(operand))?.place
      return (message) => place !== undefined && samePlace(place, message.place)
    }
    case 'near':
      return () => true
    case 'search': {
      const wanted = [...stemsOf(String(operand))]
      return ({ content, place }) => {
        const there = stemsOf(place.kind === 'topic' ? `${place.topic} ${content}` : content)
        return wanted.every((stem) => there.has(stem))
      }
    }
    case 'is':
      return named(isFilters, operator, operand)(data)
    case 'in':
      return named(inFilters, operator, operand)(data)
    case 'has':
      return named(hasFilters, operator, operand)
    default:
      return badNarrow(`unknown '${operator}' operator`)
  }
}

function named<T>(all: Readonly<Record<string, T>>, operator: string, operand: unknown): T {
  const found = Object.entries(all).find(([word]) => word === String(operand))
  return found?.[1] ?? badNarrow(`unknown '${operator}' operand ${String(operand)}`)
}

/** Topics are case-insensitive; the display name of the empty topic stands for it. */
function topicKey(topic: string): string {
  const key = topic.toLowerCase()
  return key === emptyTopicName || key === '(no topic)' ? '' : key
}

function channelOperand(data: RealmData, operand: unknown): number {
  const found = [...data.channels.values()].find(
    (channel) => channel.id === Number(operand) || channel.name === operand,
  )
  return found?.id ?? badNarrow('unknown channel')
}

function peopleOperand(data: RealmData, operand: unknown): number[] {
  const given: unknown[] = Array.isArray(operand)
    ? operand
    : typeof operand === 'string'
      ? operand.split(',')
      : [operand]
  return given.map((one) => {
    const found = [...data.people.values()].find(
      (person) => person.id === one || emailsOf(data, person).includes(one),
    )
    return found?.id ?? badNarrow('unknown user')
  })
}

const flagged =
  (...flags: string[]): Filter =>
  (message) =>
    flags.some((flag) => message.flags.has(flag))

const policyIs =
  (policy: number, { topicPolicies }: RealmData): Filter =>
  ({ place }) =>
    place.kind === 'topic' &&
    topicPolicies.get(topicPolicyKey(place.channelId, place.topic))?.visibility_policy === policy

const isDirect: Filter = ({ place }) => place.kind === 'direct'

const inFilters: Readonly<Record<string, (data: RealmData) => Filter>> = {
  all: () => () => true,
  home:
    (data) =>
    ({ place }) =>
      !isMuted(data, place),
}

const isFilters: Readonly<Record<string, (data: RealmData) => Filter>> = {
  dm: () => isDirect,
  private: () => isDirect,
  unread: () => (message) => !message.flags.has('read'),
  mentioned: () => flagged('mentioned', 'stream_wildcard_mentioned', 'topic_wildcard_mentioned'),
  alerted: () => flagged('has_alert_word'),
  starred: () => flagged('starred'),
  followed: (data) => policyIs(3, data),
  muted: (data) => policyIs(1, data),
  resolved:
    () =>
    ({ place }) =>
      place.kind === 'topic' && place.topic.startsWith('✔ '),
}

const hasFilters: Readonly<Record<string, Filter>> = {
  link: ({ html }) => html.includes('<a '),
  image: ({ html }) => html.includes('message_inline_image'),
  attachment: ({ html }) => html.includes('/user_uploads/'),
  reaction: ({ reactions }) => reactions.length > 0,
}
