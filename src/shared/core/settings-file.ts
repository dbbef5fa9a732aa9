import * as v from 'valibot'
import type { Account, AccountId } from './account.ts'
import { invalid } from './failure.ts'
import { defaultSettings, type Settings, type SettingsChange, settingsInput } from './settings.ts'
import type { AppState } from './state.ts'

/** What belongs to this computer alone, and is neither exported nor imported. */
const ownHere = [
  'recentPalette',
  'recentSearches',
  'selfWatch',
  'weakStorage',
] as const satisfies (keyof Settings)[]

const isOwnHere = (name: string): boolean => (ownHere as readonly string[]).includes(name)

const file = v.object({
  belfry: v.literal(1),
  settings: v.omit(settingsInput, ['recentPalette', 'recentSearches', 'selfWatch']),
  /** Whose rules these are, so that they find the same accounts elsewhere. No key, no name. */
  accounts: v.array(
    v.object({
      id: v.string(),
      kind: v.picklist(['monitoring', 'chat']),
      baseUrl: v.string(),
      email: v.optional(v.string()),
    }),
  ),
})

/** Settings and rules as a file for another computer, without keys. */
export function settingsFile({ settings, accounts }: AppState): string {
  const kept = Object.fromEntries(Object.entries(settings).filter(([name]) => !isOwnHere(name)))
  const named = accounts.filter(({ demo }) => !demo).map(identity)
  return `${JSON.stringify({ belfry: 1, settings: kept, accounts: named }, null, 2)}\n`
}

function identity(account: Account) {
  const { id, kind, baseUrl } = account
  return { id, kind, baseUrl, ...(account.kind === 'chat' ? { email: account.email } : {}) }
}

/**
 * What such a file changes here. Settings that it does not have get their defaults; rules about an account
 * are about the same one here. `strangers`: rules about accounts that are not here.
 */
export function readSettingsFile(
  text: string,
  accounts: readonly Account[],
): { readonly change: SettingsChange; readonly strangers: number } {
  const { settings, accounts: theirs } = parsed(text)
  const ids = new Map<AccountId, AccountId>()
  for (const one of accounts) ids.set(one.id, one.id)
  for (const one of theirs) {
    const same = accounts.filter((account) => isSame(identity(account), one))
    // Of two projects at one address nothing says which is meant.
    if (!ids.has(one.id) && same.length === 1 && same[0] !== undefined) ids.set(one.id, same[0].id)
  }
  let strangers = 0
  const here = <Id extends AccountId | null>(id: Id): Id => {
    if (id === null) return id
    const known = ids.get(id)
    if (known === undefined) strangers += 1
    // An id for an id.
    return (known ?? id) as Id
  }
  const { attention = defaultSettings.attention, discuss = [] } = settings
  const rules = attention.rules.map((rule) => ({ ...rule, accountId: here(rule.accountId) }))
  // JSON has no undefined.
  const change = {
    ...defaultsOfAll(),
    ...settings,
    attention: { ...attention, rules },
    discuss: discuss.map((rule) => ({
      ...rule,
      accountId: here(rule.accountId),
      chatId: here(rule.chatId),
    })),
  }
  return { change: change as SettingsChange, strangers }
}

function defaultsOfAll(): SettingsChange {
  const all = Object.entries(defaultSettings)
  // Its own fields, without some.
  return Object.fromEntries(all.filter(([name]) => !isOwnHere(name))) as SettingsChange
}

function parsed(text: string): v.InferOutput<typeof file> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw invalid('file', 'This is no settings file of Belfry: it is not JSON.')
  }
  const read = v.safeParse(file, json)
  if (read.success) return read.output
  const at = read.issues[0].path?.map(({ key }) => String(key)).join('.') ?? ''
  throw invalid(
    'file',
    `This is no settings file that Belfry can use: ${at || 'it'} is not as expected.`,
  )
}

interface Identity {
  readonly kind: Account['kind']
  readonly baseUrl: string
  readonly email?: string | undefined
}

function isSame(one: Identity, other: Identity): boolean {
  return (
    one.kind === other.kind &&
    one.baseUrl === other.baseUrl &&
    one.email?.toLowerCase() === other.email?.toLowerCase()
  )
}
