import { accountById } from '../account.ts'
import { mentionName } from '../chat/chat-names.ts'
import { type Conversation, permalink } from '../chat/conversation.ts'
import type { Realm, User } from '../chat/realm.ts'
import { type Check, checkName } from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { nameInMarkdown } from '../markdown.ts'
import { chatTime } from '../outages/outage-report.ts'
import type { AppState } from '../state.ts'
import {
  joinedIndex,
  type PaletteIndex,
  type PaletteItem,
  paletteIndex,
  paletteResults,
} from './palette-search.ts'
import { peopleOf, usualRecipients } from './recipients.ts'

/** A completion of the word before the cursor. */
export interface Completion {
  readonly label: string
  readonly hint: string
  /** Replaces the text from `from` to the cursor. */
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
  /** `face`: the character, or '' if it is a picture. */
  readonly emoji: readonly { readonly name: string; readonly face: string }[]
}

const mostShown = 8
/** Longer than any name, to limit the search after an @ that mentions nobody. */
const longestWord = 60

/** Completions of the word before the cursor, best first; null if there are none. */
export function completionsAt(text: string, cursor: number, facts: Facts): Completions | null {
  if (isCode(text.slice(0, cursor))) return null
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

/** Whether the text ends in a code block, where "@Override" is no mention. */
function isCode(text: string): boolean {
  const open: { fence: string; isCode: boolean }[] = []
  for (const [, fence = '', info = ''] of text.matchAll(/^(`{3,}|~{3,}) *(.*)$/gm)) {
    const last = open.at(-1)
    if (fence === last?.fence && info === '') open.pop()
    else if (last?.isCode !== true) open.push({ fence, isCode: !/^(quote|spoiler)\b/.test(info) })
  }
  return open.at(-1)?.isCode === true
}

const finders: Readonly<Record<string, (word: string, facts: Facts) => readonly Completion[]>> = {
  '@': people,
  '#': places,
  '&': checks,
  ':': emoji,
  '/': commands,
}

function people(typed: string, { realm, conversation }: Facts): readonly Completion[] {
  const [, silent = '', word = ''] = /^(_?)(.*)$/s.exec(typed) ?? []
  // An already completed name, or a sentence.
  if (word.includes('*') || word.split(' ').length > 4) return []
  const index = joinedIndex([
    peopleOf(realm),
    listOf(realm.groups, () => groupNames(realm.groups)),
    ...(conversation.kind === 'topic' ? [wildcards] : []),
  ])
  const found = paletteResults(index, word, usualRecipients(realm)).flatMap((item) => [
    ...usersOf(realm, item).map((user) => ({
      label: user.name,
      hint: item.hint,
      text: `@**${mentionName(realm, user)}** `,
    })),
    ...completionOf(item),
  ])
  // Exact matches first, so that "@all" isn't hidden behind people called Allan.
  const isWhole = ({ label }: Completion): boolean => label === word.toLowerCase()
  return [...found.filter(isWhole), ...found.filter((one) => !isWhole(one))].map((one) => ({
    ...one,
    text: one.text.replace('@', `@${silent}`),
  }))
}

/** System groups ("role:members") can't be mentioned. */
function groupNames(groups: Realm['groups']): readonly Named[] {
  return [...groups.values()].flatMap(({ name = '', isOff }) =>
    name === '' || name.startsWith('role:') || isOff === true
      ? []
      : named(name, 'group', () => `@*${name}* `),
  )
}

/** The service's mentions of everybody who gets the message. */
const wildcards = namedIndex([
  named('all', 'everyone in the channel', () => '@**all** '),
  named('topic', 'everyone who wrote in the topic', () => '@**topic** '),
])

function usersOf(realm: Realm, { action }: PaletteItem): readonly User[] {
  const target =
    action.does === 'go' && action.target.view === 'conversation' ? action.target : null
  const ids = target?.conversation.kind === 'direct' ? target.conversation.userIds : []
  return ids.flatMap((id) => realm.users.get(id) ?? [])
}

/** Channels, and topics after `>`, which may also be part of a channel's name. */
function places(word: string, { realm, state }: Facts): readonly Completion[] {
  const typed = word.replace(/^\*+/, '')
  const { channels, conversations } = realm
  const baseUrl = accountById(state, realm.accountId)?.baseUrl ?? ''
  const topics = [...channels.values()].flatMap(({ id, name }) => {
    const isNamed = typed.slice(0, name.length).toLowerCase() === name.toLowerCase()
    const topic = /^\**>(.*)$/.exec(isNamed ? typed.slice(name.length) : '')?.[1]
    if (topic === undefined) return []
    const all = [...conversations.values()].flatMap(({ conversation: one }) =>
      one.kind === 'topic' && one.channelId === id && one.topic !== ''
        ? named(one.topic, `# ${name}`, () => placeText(name, one, baseUrl))
        : [],
    )
    return matching(topic, namedIndex(all))
  })
  const list = listOf(channels, () =>
    [...channels.values()].map(({ id, name }) =>
      named(name, 'channel', () => placeText(name, { kind: 'channel', channelId: id }, baseUrl)),
    ),
  )
  const found = matching(typed, list).filter(
    ({ label }) => !typed.includes('>') || label.includes('>'),
  )
  return [...topics, ...found]
}

type ChannelPlace = Exclude<Parameters<typeof permalink>[2], { kind: 'direct' }>

/** As the web app does: a plain link if a character in a name would break the short form. */
function placeText(channel: string, place: ChannelPlace, baseUrl: string): string {
  const topic = place.kind === 'topic' ? place.topic : null
  if (!/[`>*&[\]]|\$\$/.test(channel + (topic ?? '')))
    return `#**${channel}${topic === null ? '' : `>${topic}`}** `
  const words = `#${channel}${topic === null ? '' : ` > ${topic}`}`
  const safe = words.replace(/[^\p{L}\p{N}\s#-]/gu, (sign) => `&#${sign.codePointAt(0)};`)
  return `[${safe}](${permalink(baseUrl, () => channel, place, null)}) `
}

/** Checks, with their state in words and a link to their page. */
function checks(word: string, { state }: Facts): readonly Completion[] {
  if (word === '') return []
  const { boards } = state
  return matching(
    word,
    listOf(boards, () =>
      [...state.boards.values()].flatMap(({ accountId, checks: all }) =>
        [...all.values()].map((check) =>
          named(checkName(check), statusWord(check.status), () =>
            checkText(check, accountById(state, accountId)?.baseUrl ?? ''),
          ),
        ),
      ),
    ),
  )
}

function checkText(check: Check, baseUrl: string): string {
  const since = check.since === null ? '' : ` since ${chatTime(check.since)}`
  const page = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/cloaked/${check.id}/`
  return `${nameInMarkdown(checkName(check))} is **${statusWord(check.status)}**${since} ([open](${page})) `
}

/** Searches all names of each emoji: one person's ":tada" is another's ":party_popper". */
function emoji(word: string, { emoji: all }: Facts): readonly Completion[] {
  const list = listOf(all, () =>
    all.map(({ name, face }) => named(name.replaceAll('_', ' '), face, () => `:${name}: `)),
  )
  return matching(word.replaceAll('_', ' '), list, usualEmoji).map(({ label, hint, text }) => ({
    label: `${hint} ${label}`.trim(),
    hint: '',
    text,
  }))
}

const usualEmoji = ['+1', 'tada', 'smile', 'heart', 'eyes', 'check']

const commandList = namedIndex([
  named('/me', 'say what you do', () => '/me '),
  named('/poll', 'a question, then an option on each line', () => '/poll '),
  named('/todo', 'a title, then a task on each line', () => '/todo '),
])

function commands(word: string): readonly Completion[] {
  return matching(word, commandList)
}

interface Named {
  readonly name: string
  readonly hint: string
  /** Only called for the completions shown. */
  readonly text: () => string
}

function named(name: string, hint: string, text: () => string): Named {
  return { name, hint, text }
}

const lists = new WeakMap<object, PaletteIndex>()

/** Folding thousands of names takes longer than finding one: done once for each `source`. */
function listOf(source: object, all: () => readonly Named[]): PaletteIndex {
  const list = lists.get(source) ?? namedIndex(all())
  lists.set(source, list)
  return list
}

function namedIndex(all: readonly Named[]): PaletteIndex {
  return paletteIndex(
    all.map(({ name, hint, text }) => ({
      id: name,
      kind: 'command',
      title: name,
      hint,
      key: '',
      keywords: '',
      action: { does: 'here', act: text },
    })),
  )
}

function matching(
  word: string,
  list: PaletteIndex,
  usual: readonly string[] = [],
): readonly Completion[] {
  return paletteResults(list, word, usual).slice(0, mostShown).flatMap(completionOf)
}

function completionOf({ title, hint, action }: PaletteItem): readonly Completion[] {
  return action.does === 'here' ? [{ label: title, hint, text: String(action.act()) }] : []
}
