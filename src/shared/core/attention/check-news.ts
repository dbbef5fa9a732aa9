import { type AccountId, type AccountsSlice, accountById } from '../account.ts'
import type { Message } from '../chat/message.ts'
import type { Realm } from '../chat/realm.ts'
import type { ChecksSlice } from '../checks/board.ts'
import { type Check, type CheckId, checkName } from '../checks/check.ts'
import { memoized } from '../identity.ts'
import { type DiscussRule, ruleFits } from '../outages/discuss.ts'
import type { SettingsSlice } from '../settings.ts'
import type { CheckNews } from './event.ts'
import { saysState, wordsOf } from './same-event.ts'

/** Computes a check's id from its uuid, which links may contain. */
export type IdOfUuid = (uuid: string) => CheckId

/** What names of checks, and rules that lead to a channel, are looked up in. */
export type CheckNewsState = AccountsSlice & ChecksSlice & SettingsSlice

/**
 * Several checks may share a name, so a name alone proves nothing. A message is about a check if it
 * links to it; or, without a link to any check, if the user's rules lead from a project to its
 * channel and only one check is named. Null if in doubt: an alarm shown twice is better than a lost
 * one.
 */
export function checkNews(
  state: CheckNewsState,
  realm: Realm,
  message: Message,
  idOfUuid: IdOfUuid,
): CheckNews | null {
  if (message.conversation.kind !== 'topic' || realm.users.get(message.senderId)?.isBot !== true)
    return null
  const links = checkLinks(message.html, idOfUuid)
  const found = links.length > 0 ? linked(state, links) : namedIn(state, realm, message)
  if (found === null) return null
  const changes = found.flatMap((one) => {
    const said = stateSaid(message, checkName(one.check))
    return said === null ? [] : [{ ...one, said }]
  })
  const [first] = changes
  if (first === undefined || first.said === 'both') return null
  if (changes.some((one) => !isSame(one, first))) return null
  const accountIds = changes.map(({ accountId }) => accountId)
  const { id: checkId, tags } = first.check
  return { accountIds, checkId, tags, state: first.said }
}

interface Found {
  readonly accountId: AccountId
  /** The service's base address: a copy of a service has checks with the same ids. */
  readonly site: string
  readonly check: Check
}

function isSame(one: Found, other: Found): boolean {
  return one.check.id === other.check.id && one.site === other.site
}

/** Prefers the text: the topic may be from an outage that is over. */
function stateSaid({ conversation, text }: Message, name: string): Said | null {
  const topic = conversation.kind === 'topic' ? conversation.topic : ''
  return saidIn(text, name) ?? saidIn(topic, name)
}

type Said = 'down' | 'up' | 'both'

function saidIn(text: string, name: string): Said | null {
  const isUp = saysState(text, name, 'up')
  if (saysState(text, name, 'down')) return isUp ? 'both' : 'down'
  return isUp ? 'up' : null
}

interface CheckLink {
  readonly url: string
  readonly checkId: CheckId
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const toCheck = new RegExp(`/(?:cloaked/([0-9a-f]{40})|checks/(${uuid}))(?![^/?#])`, 'i')

/** Links to checks' pages on the service's web site (monitoring API, "Links"). */
function checkLinks(html: string, idOfUuid: IdOfUuid): readonly CheckLink[] {
  if (!/\/(?:cloaked|checks)\//i.test(html)) return []
  return [...html.matchAll(/\shref="([^"]*)"/g)].flatMap(([, url = '']) => {
    const [, key, id] = toCheck.exec(url) ?? []
    if (key !== undefined) return [{ url, checkId: key.toLowerCase() }]
    return id === undefined ? [] : [{ url, checkId: idOfUuid(id) }]
  })
}

/** Null if a link leads to an unknown check, which may be the one that is meant. */
function linked(state: CheckNewsState, links: readonly CheckLink[]): readonly Found[] | null {
  const all: Found[] = []
  for (const { url, checkId } of links) {
    const found = [...state.boards].flatMap(([accountId, { checks }]) => {
      const check = checks.get(checkId)
      return check === undefined ? [] : [{ accountId, site: siteOf(state, accountId), check }]
    })
    // The web site's address may differ from the API's: it only decides if several have the check.
    const isOne = new Set(found.map(({ site }) => site)).size === 1
    const meant = isOne ? found : found.filter(({ site }) => url.startsWith(`${site}/`))
    if (meant.length === 0) return null
    for (const one of meant) {
      const isTwice = all.some(
        (two) => two.accountId === one.accountId && two.check.id === one.check.id,
      )
      if (!isTwice) all.push(one)
    }
  }
  return all
}

function siteOf(state: CheckNewsState, accountId: AccountId): string {
  return accountById(state, accountId)?.baseUrl.replace(/(?<!\/)\/+$/, '') ?? accountId
}

/**
 * The check that the message names, among all in the projects that the user's rules link to its
 * channel. Null if no rule does, one of the projects isn't fully read, several checks are named, or
 * no rule matches the one that is.
 */
function namedIn(state: CheckNewsState, realm: Realm, message: Message): readonly Found[] | null {
  const { conversation } = message
  if (conversation.kind !== 'topic') return null
  const rules = state.settings.discuss.filter(
    (rule) => rule.chatId === realm.accountId && rule.channelId === conversation.channelId,
  )
  if (rules.length === 0) return null
  const words = wordsOf(`${conversation.topic}\n${message.text}`.toLowerCase())
  const named: Found[] = []
  for (const accountId of linkedProjects(state, rules)) {
    const board = state.boards.get(accountId)
    if (board === undefined || board.unreadable > 0 || board.freshness.readAt === null) return null
    const site = siteOf(state, accountId)
    for (const { check } of mayBeNamed(board.checks, words)) {
      if (stateSaid(message, checkName(check)) === null) continue
      const one = { accountId, site, check }
      if (named[0] !== undefined && !isSame(one, named[0])) return null
      named.push(one)
    }
  }
  const isLinked = ({ accountId, check }: Found): boolean =>
    rules.some((rule) => ruleFits(rule, accountId, check))
  return named.some(isLinked) ? named : null
}

function linkedProjects(
  { accounts }: CheckNewsState,
  rules: readonly DiscussRule[],
): Iterable<AccountId> {
  if (rules.some(({ accountId }) => accountId === null))
    return accounts.flatMap(({ id, kind }) => (kind === 'monitoring' ? [id] : []))
  return new Set(rules.flatMap(({ accountId }) => accountId ?? []))
}

/** Checks whose rarest word is in the text, or whose name has no word at all. */
function* mayBeNamed(
  checks: ReadonlyMap<CheckId, Check>,
  words: readonly string[],
): Generator<{ readonly check: Check }> {
  const byWord = byRarestWord(checks)
  for (const word of new Set(['', ...words])) yield* byWord.get(word) ?? []
}

/** An index, so that a thousand messages needn't each be compared with ten thousand checks. */
const byRarestWord = memoized((checks: ReadonlyMap<CheckId, Check>) => {
  const all = [...checks.values()].map((check) => ({
    check,
    words: wordsOf(checkName(check).toLowerCase()),
  }))
  const counts = new Map<string, number>()
  for (const { words } of all)
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const count = (word: string): number => counts.get(word) ?? 0
  const rarest = (words: readonly string[]): string =>
    words.reduce((one, other) => (count(other) < count(one) ? other : one), words[0] ?? '')
  return Map.groupBy(all, ({ words }) => rarest(words))
})

/** "db-backup of Production": tells checks with the same name apart. */
export function checkOfProject(state: AccountsSlice, accountId: AccountId, check: Check): string {
  return `${checkName(check)} of ${accountById(state, accountId)?.label ?? 'a project'}`
}
