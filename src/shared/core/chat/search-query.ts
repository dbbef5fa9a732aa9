import { folded } from '../wording.ts'
import { directConversation, mentionName } from './conversation.ts'
import type { Realm } from './realm.ts'

/** A filter of `getMessages`, with ids in place of names. */
interface SearchTerm {
  readonly operator: string
  readonly operand: string | number | number[]
  readonly negated: boolean
}

export interface SearchQuery {
  readonly terms: readonly SearchTerm[]
  /** From `near:`: the message to look around. */
  readonly near: number | null
  /** What was not understood, as whole sentences. */
  readonly problems: readonly string[]
}

const isOperands = [
  'alerted',
  'dm',
  'followed',
  'mentioned',
  'muted',
  'resolved',
  'starred',
  'unread',
]
const hasOperands = ['attachment', 'image', 'link', 'reaction']
/** `home` excludes muted conversations. */
const inOperands = ['all', 'home']

/** The operators of the server's own search; `olderNames` has their former names. */
const operators = [
  'channel',
  'topic',
  'sender',
  'dm',
  'dm-including',
  'is',
  'in',
  'has',
  'near',
  'id',
] as const
type Operator = (typeof operators)[number]
const olderNames: Readonly<Record<string, Operator>> = {
  stream: 'channel',
  subject: 'topic',
  from: 'sender',
  'pm-with': 'dm',
}

interface Word {
  readonly negated: boolean
  readonly operator: Operator | null
  readonly text: string
  /** Where it begins in the query. */
  readonly at: number
}

/** Splits a query at white space; quotes keep a name or phrase together: `sender:"Ana Kovač"`. */
function wordsOf(query: string): readonly Word[] {
  return [...query.matchAll(/(-?)(?:([a-z-]+):)?((?:"[^"]*"?|[^\s"])*)/giu)].flatMap(
    (found): readonly Word[] => {
      const [whole, minus = '', name = '', quoted = ''] = found
      if (whole === '') return []
      const operator =
        olderNames[name.toLowerCase()] ?? operators.find((one) => one === name.toLowerCase())
      const text = quoted.replaceAll('"', '')
      const negated = minus !== ''
      // Anything else before a colon, such as in a URL, makes it an ordinary word.
      return operator === undefined
        ? [{ negated: false, operator: null, text: whole, at: found.index }]
        : [{ negated, operator, text, at: found.index }]
    },
  )
}

/** Parses a query as the web app's search box does: operators, and words that must all occur. */
export function parseSearch(query: string, realm: Realm): SearchQuery {
  const terms: SearchTerm[] = []
  const problems: string[] = []
  const plain: string[] = []
  let near: number | null = null
  for (const { operator, text, negated } of wordsOf(query)) {
    if (operator === null) plain.push(text)
    else {
      const operand = operandOf(operator, text, realm)
      if (operand === null) problems.push(problemOf(operator, text))
      else if (operator === 'near') near = Number(operand)
      else terms.push({ operator, operand, negated })
    }
  }
  if (plain.length > 0) terms.push({ operator: 'search', operand: plain.join(' '), negated: false })
  return { terms, near, problems }
}

function operandOf(operator: Operator, text: string, realm: Realm): SearchTerm['operand'] | null {
  switch (operator) {
    case 'channel':
      return named(realm.channels, text) ?? otherChannel(text, realm)
    case 'sender':
    case 'dm-including':
      return personOf(text, realm)
    case 'dm': {
      const ids = peopleOf(text, realm)
      const talk = ids && directConversation(ids, realm.me?.id ?? -1)
      return talk?.kind === 'direct' ? [...talk.userIds] : null
    }
    case 'is':
      return isOperands.find((one) => one === text.toLowerCase()) ?? null
    case 'has':
      return hasOperands.find((one) => one === text.toLowerCase().replace(/s$/, '')) ?? null
    case 'in':
      return inOperands.find((one) => one === text.toLowerCase()) ?? null
    case 'near':
    case 'id':
      return /^\d{1,15}$/.test(text) ? Number(text) : null
    case 'topic':
      return text === '' ? null : topicOf(text, realm)
  }
}

/** A known topic, if its name has quotes or is the server's name for the empty topic. */
function topicOf(text: string, realm: Realm): string {
  const known = topicsOf(realm).find((topic) => written(topic || realm.emptyTopicName) === text)
  return known ?? text
}

/** A name as written in a query, where quotes only group words. */
function written(name: string): string {
  return name.replaceAll('"', '')
}

/** Of a name with commas: "Kovač, Ana, PhD". Limited, since each keystroke compares thousands. */
const mostParts = 3

/** People separated by commas. Names may contain commas too: the longest match wins. */
function peopleOf(text: string, realm: Realm): readonly number[] | null {
  const parts = text.split(',')
  for (let count = Math.min(parts.length, mostParts); count > 0; count -= 1) {
    const id = personOf(parts.slice(0, count).join(',').trim(), realm)
    const others = parts.slice(count)
    const rest = id === null || others.length === 0 ? [] : peopleOf(others.join(','), realm)
    if (id !== null && rest !== null) return [id, ...rest]
  }
  return null
}

/** An archived or unsubscribed channel, by its whole name: its messages can still be searched. */
function otherChannel(text: string, { otherChannels }: Realm): number | null {
  const found = [...otherChannels.values()].filter(
    ({ name }) => folded(written(name)) === folded(text),
  )
  return found.length === 1 ? (found[0]?.id ?? null) : null
}

function personOf(text: string, realm: Realm): number | null {
  // "Ana Kovač|12" is one of several with that name, as in a mention.
  const id = Number(/\|(\d+)$/.exec(text)?.[1])
  if (realm.users.has(id)) return id
  return text.toLowerCase() === 'me' ? (realm.me?.id ?? null) : named(realm.users, text)
}

type Named = { readonly id: number; readonly name: string }

/** The id of the only exact match, or else of the only match by prefix; null otherwise. */
function named(all: ReadonlyMap<number, Named>, text: string): number | null {
  const found = [...all.values()].filter(({ name }) => begins(name, text))
  const exact = found.filter(({ name }) => folded(written(name)) === folded(text))
  const [one, ...others] = exact.length > 0 ? exact : found
  return one === undefined || others.length > 0 ? null : one.id
}

/** Whether a name, or a word in it, begins with the text. */
function begins(name: string, text: string): boolean {
  const whole = folded(written(name))
  return text !== '' && (whole.startsWith(folded(text)) || whole.includes(` ${folded(text)}`))
}

function problemOf(operator: Operator, text: string): string {
  const not = text === '' ? '' : `, not “${text}”`
  switch (operator) {
    case 'is':
      return `“is:” takes ${isOperands.join(', ')}${not}.`
    case 'has':
      return `“has:” takes ${hasOperands.join(', ')}${not}.`
    case 'channel':
      return `“channel:” takes the name of one of your channels${not}.`
    case 'topic':
      return `“topic:” takes a topic${not}.`
    case 'in':
      return `“in:” takes ${inOperands.join(' or ')}${not}.`
    case 'near':
    case 'id':
      return `“${operator}:” takes the number of a message${not}.`
    case 'sender':
    case 'dm-including':
      return `“${operator}:” takes the name of one person${not}.`
    case 'dm':
      return `“dm:” takes names of people, separated by commas${not}.`
  }
}

const mostHints = 8

/** Completions of the last word, each as the whole query, best first. */
export function searchHints(query: string, realm: Realm): readonly string[] {
  const last = wordsOf(query).at(-1)
  if (last === undefined || /\s$/.test(query)) return []
  const sign = last.negated ? '-' : ''
  const before = query.slice(0, last.at)
  if (last.operator === null)
    return operators
      .filter((name) => name.startsWith(last.text.toLowerCase()) && last.text.length > 1)
      .map((name) => `${before}${name}:`)
  const said = `${before}${sign}${last.operator}:`
  // Of several people, the last one is being typed.
  const others = last.operator === 'dm' ? last.text.slice(0, last.text.lastIndexOf(',') + 1) : ''
  const typed = last.text.slice(others.length).trim()
  return valuesOf(last.operator, realm)
    .flatMap((value) => [
      ...(last.text === '' || begins(value, last.text) ? [written(value)] : []),
      ...(others !== '' && (typed === '' || begins(value, typed)) ? [others + written(value)] : []),
    ])
    .filter((value) => value !== last.text)
    .slice(0, mostHints)
    .map((value) => `${said}${/\s/.test(value) ? `"${value}"` : value}`)
}

function topicsOf(realm: Realm): readonly string[] {
  const topics = [...realm.conversations.values()].flatMap(({ conversation }) =>
    conversation.kind === 'topic' ? conversation.topic : [],
  )
  return [...new Set(topics)]
}

function valuesOf(operator: Operator, realm: Realm): readonly string[] {
  switch (operator) {
    case 'is':
      return isOperands
    case 'has':
      return hasOperands
    case 'in':
      return inOperands
    case 'channel':
      return [...realm.channels.values(), ...realm.otherChannels.values()].map(({ name }) => name)
    case 'sender':
    case 'dm':
    case 'dm-including':
      return ['me', ...[...realm.users.values()].map((user) => mentionName(realm, user))]
    case 'topic':
      return topicsOf(realm).map((topic) => topic || realm.emptyTopicName)
    case 'near':
    case 'id':
      return []
  }
}
