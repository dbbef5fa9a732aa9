import type { Conversation } from '../chat/conversation.ts'
import type { Realm, User } from '../chat/realm.ts'
import { type Check, checkName } from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { chatTime, nameInMessage } from '../outages/outage-report.ts'
import { projectsOf } from '../projects.ts'
import { type AppState, accountById } from '../state.ts'
import {
  type PaletteIndex,
  type PaletteItem,
  paletteIndex,
  paletteResults,
} from './palette-search.ts'
import { peopleOf, usualRecipients } from './recipients.ts'

/** What the word before the cursor may become. */
export interface Completion {
  readonly label: string
  readonly hint: string
  /** Takes the place of the text from `from` to the cursor. */
  readonly text: string
}

interface Completions {
  /** Where the word begins. */
  readonly from: number
  readonly items: readonly Completion[]
}

interface Facts {
  readonly state: AppState
  readonly realm: Realm
  readonly conversation: Conversation
  /** Names of the realm's user groups. */
  readonly groups: readonly string[]
  /** `face`: the character, or '' for one that is a picture. */
  readonly emoji: readonly { readonly name: string; readonly face: string }[]
}

const mostShown = 8
/** Longer than any name: what follows an @ that names nobody is not searched for ever. */
const longestWord = 60

/** What completes the word before the cursor, best first; null where nothing does. */
export function completionsAt(text: string, cursor: number, facts: Facts): Completions | null {
  const before = text.slice(Math.max(0, cursor - longestWord), cursor)
  const [, sign = '', word = ''] =
    /(?:^|[\s([{'"“])(@|#|&)(\S[^@#&\n]*|)$/u.exec(before) ??
    // Not ":)", ":p" or "12:30".
    /(?:^|[\s([{'"“])(:)([a-z0-9_+][a-z0-9_+-]+|-1)$/.exec(before) ??
    (before.length === cursor ? /^(\/)(\w*)$/.exec(before) : null) ??
    []
  const find = Object.hasOwn(finders, sign) ? finders[sign] : undefined
  const items = find?.(word, facts).slice(0, mostShown) ?? []
  return items.length === 0 ? null : { from: cursor - word.length - 1, items }
}

const finders: Readonly<Record<string, (word: string, facts: Facts) => readonly Completion[]>> = {
  '@': people,
  '#': places,
  '&': checks,
  ':': emoji,
  '/': commands,
}

function people(word: string, { realm, conversation, groups }: Facts): readonly Completion[] {
  // A name that was completed already, or a sentence.
  if (word.includes('*') || word.split(' ').length > 4) return []
  const found = paletteResults(peopleOf(realm), word, usualRecipients(realm)).flatMap(userOf(realm))
  const everyone = conversation.kind === 'topic' ? wildcards : []
  return [
    ...found.map((user) => ({
      label: user.name,
      hint: user.isBot ? 'bot' : '',
      text: `@**${user.name}${isOnlyOne(realm, user) ? '' : `|${user.id}`}** `,
    })),
    ...matching(word, [
      ...everyone,
      ...groups.map((name) => ({ name, hint: 'group', text: `@*${name}* ` })),
    ]),
  ]
}

/** The service's own words for everybody who gets the message. */
const wildcards = [
  { name: 'all', hint: 'everyone in the channel', text: '@**all** ' },
  { name: 'topic', hint: 'everyone who wrote in the topic', text: '@**topic** ' },
]

function userOf(realm: Realm): (item: PaletteItem) => readonly User[] {
  return ({ action }) => {
    const target =
      action.does === 'go' && action.target.view === 'conversation' ? action.target : null
    const ids = target?.conversation.kind === 'direct' ? target.conversation.userIds : []
    return ids.flatMap((id) => realm.users.get(id) ?? [])
  }
}

/** Two people of one name are told apart by their ids (chat help, "Mention a user or group"). */
function isOnlyOne(realm: Realm, { id, name }: User): boolean {
  return ![...realm.users.values()].some((other) => other.name === name && other.id !== id)
}

/** A channel, and behind `>` its topics. */
function places(word: string, { realm }: Facts): readonly Completion[] {
  const [, name, topic] = /^\**(.*?)\**>(.*)$/.exec(word) ?? []
  const channels = [...realm.channels.values()]
  if (name === undefined || topic === undefined)
    return matching(
      word.replace(/^\*+/, ''),
      channels.map((one) => ({ name: one.name, hint: 'channel', text: `#**${one.name}** ` })),
    )
  const channel = channels.find((one) => one.name.toLowerCase() === name.toLowerCase())
  const topics = [...realm.conversations.values()].flatMap(({ conversation: one }) =>
    one.kind === 'topic' && one.channelId === channel?.id && one.topic !== '' ? one.topic : [],
  )
  return matching(
    topic,
    topics.map((one) => ({ name: one, hint: `# ${name}`, text: `#**${name}>${one}** ` })),
  )
}

/** A check with its state, as others read it, and the address of its page. */
function checks(word: string, { state }: Facts): readonly Completion[] {
  if (word === '') return []
  const boards = [...projectsOf(state).boards.values()]
  return matching(
    word,
    boards.flatMap(({ accountId, checks: all }) =>
      [...all.values()].map((check) => ({
        name: checkName(check),
        hint: statusWord(check.status),
        text: checkText(check, accountById(state, accountId)?.baseUrl ?? ''),
      })),
    ),
  )
}

function checkText(check: Check, baseUrl: string): string {
  const since = check.since === null ? '' : ` since ${chatTime(check.since)}`
  const page = `${baseUrl.replace(/\/+$/, '')}/cloaked/${check.id}/`
  return `${nameInMessage(checkName(check))} is **${statusWord(check.status)}**${since} ([open](${page})) `
}

/** One person's ":tada" is another's ":party_popper": every name of an emoji is found. */
function emoji(word: string, { emoji: all }: Facts): readonly Completion[] {
  const known =
    emojiIndexes.get(all) ??
    namedIndex(
      all.map(({ name, face }) => ({
        name: name.replaceAll('_', ' '),
        hint: face,
        text: `:${name}: `,
      })),
    )
  emojiIndexes.set(all, known)
  return matchesIn(known, word.replaceAll('_', ' '), usualEmoji).map(({ label, hint, text }) => ({
    label: `${hint} ${label}`.trim(),
    hint: '',
    text,
  }))
}

const emojiIndexes = new WeakMap<Facts['emoji'], PaletteIndex>()
const usualEmoji = ['+1', 'tada', 'smile', 'heart', 'eyes', 'check'].map((name) => `:${name}: `)

function commands(word: string): readonly Completion[] {
  return matching(word, [
    { name: '/me', hint: 'say what you do', text: '/me ' },
    { name: '/poll', hint: 'a question, then an option on each line', text: '/poll ' },
    { name: '/todo', hint: 'a title, then a task on each line', text: '/todo ' },
  ])
}

interface Named {
  readonly name: string
  readonly hint: string
  readonly text: string
}

function matching(word: string, all: readonly Named[]): readonly Completion[] {
  return matchesIn(namedIndex(all), word, [])
}

function namedIndex(all: readonly Named[]): PaletteIndex {
  return paletteIndex(
    all.map(({ name, hint, text }) => ({
      id: text,
      kind: 'command',
      title: name,
      hint,
      key: '',
      keywords: '',
      action: { does: 'here', act: () => null },
    })),
  )
}

function matchesIn(
  index: PaletteIndex,
  word: string,
  usual: readonly string[],
): readonly Completion[] {
  return paletteResults(index, word, usual).map(({ id, title, hint }) => ({
    label: title,
    hint,
    text: id,
  }))
}
