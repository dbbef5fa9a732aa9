import { folded } from '../wording.ts'
import { mentionName } from './chat-names.ts'
import { directConversation } from './conversation.ts'
import type { Realm } from './realm.ts'
import { serverTopic } from './topic-name.ts'

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

/** An operator of the server's own search. */
interface Operator {
  /** What follows it, in words. */
  readonly takes: string
  /** Null if it was not understood. */
  readonly operand: (text: string, realm: Realm) => SearchTerm['operand'] | null
  /** Completions. */
  readonly values: (realm: Realm) => readonly string[]
}

function oneOf(words: readonly string[], and = ', '): Operator {
  return {
    takes: words.join(and),
    operand: (text) => words.find((one) => one === text.toLowerCase()) ?? null,
    values: () => words,
  }
}

const has = oneOf(['attachment', 'image', 'link', 'reaction'])

const person: Operator = {
  takes: 'the name of one person',
  operand: personOf,
  values(realm) {
    const users = [...realm.users.values()]
    const muted = new Set(realm.mutedUsers)
    const inOrder = [
      ...users.filter(({ id }) => !muted.has(id)),
      ...users.filter(({ id }) => muted.has(id)),
    ]
    return ['me', ...inOrder.map((user) => mentionName(realm, user))]
  },
}

const message: Operator = {
  takes: 'the number of a message',
  operand: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : null),
  values: () => [],
}

const operators: ReadonlyMap<string, Operator> = new Map(
  Object.entries<Operator>({
    channel: {
      takes: 'the name of one of your channels',
      operand: (text, realm) => named(realm.channels, text) ?? otherChannel(text, realm),
      values: ({ channels, otherChannels }) =>
        [...channels.values(), ...otherChannels.values()].map(({ name }) => name),
    },
    topic: {
      takes: 'a topic',
      operand: (text, realm) => (text === '' ? null : topicOf(text, realm)),
      values: (realm) => topicsOf(realm).map((topic) => topic || realm.emptyTopicName),
    },
    sender: person,
    dm: {
      takes: 'names of people, separated by commas',
      operand(text, realm) {
        const ids = peopleOf(text, realm)
        const talk = ids && directConversation(ids, realm.me?.id ?? -1)
        return talk?.kind === 'direct' ? [...talk.userIds] : null
      },
      values: person.values,
    },
    'dm-including': person,
    is: oneOf('alerted dm followed mentioned muted resolved starred unread'.split(' ')),
    // `home` excludes muted conversations.
    in: oneOf(['all', 'home'], ' or '),
    has: { ...has, operand: (text, realm) => has.operand(text.replace(/s$/i, ''), realm) },
    near: message,
    id: message,
  }),
)

const olderNames: Readonly<Record<string, string>> = {
  stream: 'channel',
  subject: 'topic',
  from: 'sender',
  'pm-with': 'dm',
}

interface Word {
  readonly negated: boolean
  /** One of `operators`; '' for an ordinary word. */
  readonly operator: string
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
      const operator = olderNames[name.toLowerCase()] ?? name.toLowerCase()
      const text = quoted.replaceAll('"', '')
      const negated = minus !== ''
      // Anything else before a colon, such as in a URL, makes it an ordinary word.
      return !operators.has(operator)
        ? [{ negated: false, operator: '', text: whole, at: found.index }]
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
    const rule = operators.get(operator)
    if (rule === undefined) plain.push(text)
    else {
      const operand = rule.operand(text, realm)
      const not = text === '' ? '' : `, not “${text}”`
      if (operand === null) problems.push(`“${operator}:” takes ${rule.takes}${not}.`)
      else if (operator === 'near') near = Number(operand)
      else terms.push({ operator, operand, negated })
    }
  }
  if (plain.length > 0) terms.push({ operator: 'search', operand: plain.join(' '), negated: false })
  return { terms, near, problems }
}

/** A known topic, if its name has quotes; else the server's name for what was typed. */
function topicOf(text: string, realm: Realm): string {
  const known = topicsOf(realm).find((topic) => written(topic || realm.emptyTopicName) === text)
  return known ?? serverTopic(realm, text)
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

/**
 * The id of the only match: spelled exactly so, or else the same but for case and accents, or else
 * by prefix; null otherwise.
 */
function named(all: ReadonlyMap<number, Named>, text: string): number | null {
  const found = [...all.values()].filter(({ name }) => begins(name, text))
  const exact = found.filter(({ name }) => folded(written(name)) === folded(text))
  const spelled = exact.filter(({ name }) => written(name) === text)
  const [one, ...others] = [spelled, exact, found].find(({ length }) => length > 0) ?? []
  return one === undefined || others.length > 0 ? null : one.id
}

/** Whether a name, or a word in it, begins with the text. */
function begins(name: string, text: string): boolean {
  const whole = folded(written(name))
  return text !== '' && (whole.startsWith(folded(text)) || whole.includes(` ${folded(text)}`))
}

const mostHints = 8

/** Completions of the last word, each as the whole query, best first. */
export function searchHints(query: string, realm: Realm): readonly string[] {
  const last = wordsOf(query).at(-1)
  if (last === undefined || /\s$/.test(query)) return []
  const sign = last.negated ? '-' : ''
  const before = query.slice(0, last.at)
  const rule = operators.get(last.operator)
  if (rule === undefined)
    return [...operators.keys()]
      .filter((name) => name.startsWith(last.text.toLowerCase()) && last.text.length > 1)
      .map((name) => `${before}${name}:`)
  const said = `${before}${sign}${last.operator}:`
  // Of several people, the last one is being typed.
  const others = last.operator === 'dm' ? last.text.slice(0, last.text.lastIndexOf(',') + 1) : ''
  const typed = last.text.slice(others.length).trim()
  return rule
    .values(realm)
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
