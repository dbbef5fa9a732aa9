import * as v from 'valibot'
import {
  type Account,
  type AccountId,
  type AccountKind,
  type AccountsSlice,
  accountKinds,
} from './account.ts'
import { noticeTexts } from './attention/notice.ts'
import { attentionSchema, defaultAttention, oldLevelOf } from './attention/rules.ts'
import { boardGroupChoices, boardOrderChoices } from './checks/board-orders.ts'
import { invalid } from './failure.ts'
import { discussLimits, discussRule } from './outages/discuss.ts'
import { fieldsOf, type Immutable, idSchema, isFields, readable } from './schemas.ts'

export const recentPaletteLimit = 50
export const recentSearchLimit = 10

/** Percent: the steps of Ctrl + and −. */
export const zoomSteps = [80, 90, 100, 110, 125, 150, 175, 200] as const

const groupBy = v.picklist(boardGroupChoices.map(([name]) => name))
const sortBy = v.picklist(boardOrderChoices.map(([name]) => name))

export const pinLimit = 200
const pin = v.object({ accountId: idSchema, checkId: idSchema })

/** Pressed on the board, these keys open saved views. */
export const viewKeys = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const
const savedView = v.object({
  name: v.pipe(v.string(), v.maxLength(100)),
  key: v.picklist(viewKeys),
  filter: v.pipe(v.string(), v.maxLength(1_000)),
  groupBy,
  sortBy,
})
export type SavedView = Immutable<v.InferOutput<typeof savedView>>

/** The actions that can have a global shortcut, with their labels. */
export const globalActions = {
  board: 'Open board',
  reply: 'Quick reply',
  message: 'New message',
} as const
export type GlobalAction = keyof typeof globalActions

/** A shortcut such as "Ctrl+Alt+B"; null: none. */
const keysSchema = v.optional(v.nullable(v.pipe(v.string(), v.maxLength(40))), null)
const globalKeys = v.object({ board: keysSchema, reply: keysSchema, message: keysSchema })
export type GlobalKeys = Immutable<v.InferOutput<typeof globalKeys>>

const modifiers = ['Ctrl', 'Alt', 'Shift', 'Super']
const keyNames = /^([A-Z0-9]|F([1-9]|1\d|2[0-4])|Space|Home|End|Insert|Up|Down|Left|Right)$/

/** Why these keys can't be a global shortcut; null if they can. */
export function keysProblem(keys: string): string | null {
  const pressed = keys.split('+')
  const key = pressed.pop() ?? ''
  const inOrder = modifiers.filter((one) => pressed.includes(one)).join('+')
  if (inOrder !== pressed.join('+') || !keyNames.test(key))
    return `Belfry can’t use “${keys}”. Choose keys such as Ctrl+Alt+B.`
  if (pressed.length > 1 || pressed.includes('Super') || /^F(1[3-9]|2\d)$/.test(key)) return null
  return `Other programs use “${keys}”. Combine at least two of Ctrl, Alt and Shift, or use Super.`
}

/**
 * The settings, each with its limits and default; everything else is derived from them. These are
 * part of an exported settings file.
 */
const exported = {
  theme: v.optional(v.picklist(['system', 'light', 'dark']), 'system'),
  /** Percent. */
  zoom: v.optional(v.pipe(v.number(), v.integer(), v.minValue(80), v.maxValue(200)), 100),
  density: v.optional(v.picklist(['comfortable', 'compact']), 'comfortable'),
  /** Time between two reads of a project while all is well. */
  pollSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(15), v.maxValue(3_600)), 60),
  /** On battery, reads each project half as often while nothing is down. */
  sparesBattery: v.optional(v.boolean(), false),
  /** After so many minutes without a successful read of an account, the user is notified. */
  blindMinutes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(24 * 60)), 10),
  /** What may interrupt, when, and how loudly. */
  attention: v.optional(attentionSchema, defaultAttention),
  /** Where outages are discussed: the first rule that matches. */
  discuss: v.optional(v.pipe(v.array(discussRule), v.maxLength(discussLimits.rules)), []),
  /** The master switch for all sounds. */
  sounds: v.optional(v.boolean(), true),
  /** What notifications show; while the screen is locked, always the least. */
  noticeText: v.optional(v.picklist(noticeTexts), 'all'),
  groupBy: v.optional(groupBy, 'project'),
  sortBy: v.optional(sortBy, 'status'),
  views: v.optional(v.pipe(v.array(savedView), v.maxLength(viewKeys.length)), []),
  /** The name of the saved view whose checks alone the icon counts; null: it counts all. */
  iconView: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(100))), null),
  /** How long sending a message can be undone. */
  undoSendSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(60)), 0),
  sendKey: v.optional(v.picklist(['enter', 'ctrlEnter']), 'enter'),
  /** Shows the user as active to others while they use the window. */
  showAsActive: v.optional(v.boolean(), false),
  /** Opening a conversation marks it as read. */
  markReadOnOpen: v.optional(v.boolean(), true),
  /** Keeps the last messages of recent conversations on disk, for offline use and a quick start. */
  keepMessages: v.optional(v.boolean(), false),
}

/** Settings of this computer, which are not exported. */
const local = {
  /** While others see the screen, as in a call: nothing outside the window shows a name. */
  hideNames: v.optional(v.boolean(), false),
  /** The check that Belfry pings as long as it is watching; null: none. */
  selfWatch: v.optional(v.nullable(v.object({ accountId: idSchema, checkId: idSchema })), null),
  /** Global shortcuts. */
  globalKeys: v.optional(globalKeys, { board: null, reply: null, message: null }),
  /** Epoch ms: when the board and the notices were last looked at; null: never. */
  boardSeenAt: v.optional(v.nullable(v.number()), null),
  noticesSeenAt: v.optional(v.nullable(v.number()), null),
  /** Whether the user has answered the question about starting at login. */
  loginAsked: v.optional(v.boolean(), false),
  /** Checks pinned to the top of the board. */
  pins: v.optional(v.pipe(v.array(pin), v.maxLength(pinLimit)), []),
  /** Ids of the palette's items that were used last, newest first. */
  recentPalette: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_200))), v.maxLength(recentPaletteLimit)),
    [],
  ),
  /** Recent chat searches, newest first. */
  recentSearches: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_000))), v.maxLength(recentSearchLimit)),
    [],
  ),
  /** Keys may be kept on disk without a keyring's protection. Only `allowWeakStorage` sets it. */
  weakStorage: v.optional(v.boolean(), false),
}

const schema = v.object({ ...exported, ...local })

export type Settings = Immutable<v.InferOutput<typeof schema>>

/** Defaults, the input of `updateSettings` and the reader of `settings.json`, from one schema. */
export function settingsOf(settingsSchema: typeof schema) {
  const defaultSettings: Settings = v.getDefaults(settingsSchema)
  return {
    settingsSchema,
    defaultSettings,
    settingsInput: v.partial(v.omit(settingsSchema, ['weakStorage'])),
    readSettings: (document: unknown, onLost?: () => void): Settings =>
      readable<Settings>(settingsSchema, upgraded(document), defaultSettings, onLost),
  }
}

export const { settingsSchema, defaultSettings, settingsInput, readSettings } = settingsOf(schema)
/** The settings as a part of the app's state. */
export interface SettingsSlice {
  readonly settings: Settings
}

/** The longest time between two reads of a project that these settings lead to, in ms. */
export function longestPollMs({ pollSeconds, sparesBattery }: Settings): number {
  return 1_000 * pollSeconds * (sparesBattery ? 2 : 1)
}

export type SettingsChange = Partial<Pick<Settings, keyof typeof settingsInput.entries>>

const switches = {
  notifyDown: ['down', 'missed'],
  notifyRecovered: ['recovered'],
  notifyChat: ['direct', 'mention', 'alertWord', 'message'],
}

/** The first version had three switches instead of rules: what they turned off stays quiet. */
function upgraded(document: unknown): unknown {
  if (!isFields(document)) return document
  if (isFields(document['attention'])) return withLevelKept(document, document['attention'])
  if ('attention' in document) return document
  const off = Object.entries(switches).filter(([name]) => document[name] === false)
  const ways = off.flatMap(([, kinds]) => kinds.map((kind) => [kind, 'tray']))
  return { ...document, attention: { ways: Object.fromEntries(ways) as unknown } }
}

/** A version that knew fewer kinds wrote it: if its ways amount to a level, they still do. */
function withLevelKept(
  document: Readonly<Record<string, unknown>>,
  attention: Readonly<Record<string, unknown>>,
): unknown {
  const level = oldLevelOf(fieldsOf(attention['ways']))
  if (level === null) return document
  return { ...document, attention: { ...attention, ways: level.ways } }
}

const file = v.object({
  belfry: v.literal(1),
  settings: v.partial(v.object(exported)),
  /** Identifies the accounts that rules refer to, without keys and names. */
  accounts: v.array(
    v.object({
      id: v.string(),
      kind: v.picklist(accountKinds),
      baseUrl: v.string(),
      email: v.optional(v.string()),
    }),
  ),
})

/** Settings and rules as an export file, without keys. */
export function settingsFile({ settings, accounts }: SettingsSlice & AccountsSlice): string {
  const named = accounts.filter(({ demo }) => !demo).map(identity)
  return `${JSON.stringify({ belfry: 1, settings: shared(settings), accounts: named }, null, 2)}\n`
}

function identity(account: Account) {
  const { id, kind, baseUrl } = account
  return { id, kind, baseUrl, ...(account.kind === 'chat' ? { email: account.email } : {}) }
}

/**
 * Reads an export file. Settings missing from it get their defaults, and account ids in rules are
 * mapped to the same accounts here. `strangers` counts rules about accounts that don't exist here,
 * `programs` those that lost their program: no file brings one.
 */
export function readSettingsFile(
  text: string,
  accounts: readonly Account[],
): { readonly change: SettingsChange; readonly strangers: number; readonly programs: number } {
  const { settings, accounts: theirs } = parsed(text)
  const ids = new Map<AccountId, AccountId>()
  for (const one of accounts) ids.set(one.id, one.id)
  for (const one of theirs) {
    const same = accounts.filter((account) => isSame(identity(account), one))
    // With two projects at one address it is unknown which is meant.
    if (!ids.has(one.id) && same.length === 1 && same[0] !== undefined) ids.set(one.id, same[0].id)
  }
  const strange = new Set<object>()
  const here = <Id extends AccountId | null>(rule: object, id: Id): Id => {
    if (id === null) return id
    const known = ids.get(id)
    if (known === undefined) strange.add(rule)
    // `id` isn't null here, and an AccountId is what `Id` then stands for.
    return (known ?? id) as Id
  }
  const { attention = defaultSettings.attention, discuss = [] } = settings
  const rules = attention.rules.map(({ programId: _chosenThere, ...rule }) => ({
    ...rule,
    accountId: here(rule, rule.accountId),
  }))
  const exceptPeople = attention.quietHours.exceptPeople.map((one) => ({
    ...one,
    accountId: here(one, one.accountId),
  }))
  const change = {
    ...shared(defaultSettings),
    ...settings,
    attention: { ...attention, rules, quietHours: { ...attention.quietHours, exceptPeople } },
    discuss: discuss.map((rule) => ({
      ...rule,
      accountId: here(rule, rule.accountId),
      chatId: here(rule, rule.chatId),
    })),
  }
  // The types of optional fields include undefined, which JSON can't contain.
  const programs = attention.rules.filter(({ programId }) => programId != null).length
  return { change: change as SettingsChange, strangers: strange.size, programs }
}

/** The settings that are exported. */
function shared(settings: Settings): SettingsChange {
  const all = Object.entries(settings)
  // A subset of `settings`.
  return Object.fromEntries(all.filter(([name]) => name in exported)) as SettingsChange
}

/** Far above each limit of the schema, which reads whole lists before it counts them. */
const longestList = 1_000
const deepest = 10

function isTooLarge(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  const items = Object.values(value)
  if (depth > deepest || items.length > longestList) return true
  return items.some((item) => isTooLarge(item, depth + 1))
}

function parsed(text: string): v.InferOutput<typeof file> {
  let json: unknown
  try {
    // Editors on Windows add a byte order mark.
    json = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    throw invalid('file', 'This is not a Belfry settings file: it is not JSON.')
  }
  const version = fieldsOf(json)['belfry']
  if (typeof version === 'number' && version > 1)
    throw invalid(
      'file',
      'This settings file was written by a newer version of Belfry. Update Belfry here, then import it again.',
    )
  if (isTooLarge(json))
    throw invalid(
      'file',
      'Belfry can’t use this settings file: it has far more in it than Belfry writes.',
    )
  const settings = upgraded(fieldsOf(json)['settings'])
  const read = v.safeParse(file, { ...fieldsOf(json), settings }, { abortEarly: true })
  if (read.success) return read.output
  const at = read.issues[0].path?.map(({ key }) => String(key)).join('.') ?? ''
  throw invalid('file', `Belfry can’t use this settings file: ${at || 'it'} is not as expected.`)
}

interface Identity {
  readonly kind: AccountKind
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
