import * as v from 'valibot'
import { attentionSchema, defaultAttention } from './attention/rules.ts'
import { boardOrderChoices } from './checks/board-orders.ts'
import { discussLimits, discussRule } from './outages/discuss.ts'
import { type Immutable, idSchema, isFields, readable } from './schemas.ts'

export const recentPaletteLimit = 50
export const recentSearchLimit = 10

/** Percent, as Ctrl + and − go through them. */
export const zoomSteps = [80, 90, 100, 110, 125, 150, 175, 200] as const

/** What the user can choose, each with its limits and its default. All that follows derives from it. */
const schema = v.object({
  theme: v.optional(v.picklist(['system', 'light', 'dark']), 'system'),
  /** Percent: how large everything in the window is. */
  zoom: v.optional(v.pipe(v.number(), v.integer(), v.minValue(80), v.maxValue(200)), 100),
  /** Seconds between two reads of a project while all is well. */
  pollSeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(15), v.maxValue(3_600)), 60),
  /** Minutes for which an account can't be read before that is notified. */
  blindMinutes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(24 * 60)), 10),
  /** The check that is pinged for as long as Belfry watches; null: none. */
  selfWatch: v.optional(v.nullable(v.object({ accountId: idSchema, checkId: idSchema })), null),
  /** What may interrupt, when, and how loud. */
  attention: v.optional(attentionSchema, defaultAttention),
  /** Where outages are talked about: the first rule that fits. */
  discuss: v.optional(v.pipe(v.array(discussRule), v.maxLength(discussLimits.rules)), []),
  /** The master switch for all sounds. */
  sounds: v.optional(v.boolean(), true),
  groupBy: v.optional(v.picklist(['project', 'tag', 'none']), 'project'),
  sortBy: v.optional(v.picklist(boardOrderChoices.map(([name]) => name)), 'status'),
  sendKey: v.optional(v.picklist(['enter', 'ctrlEnter']), 'enter'),
  /** Opening a conversation marks it as read. */
  markReadOnOpen: v.optional(v.boolean(), true),
  /** Ids of the palette's items used last, newest first. */
  recentPalette: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_200))), v.maxLength(recentPaletteLimit)),
    [],
  ),
  /** What was searched for in the chat, newest first. */
  recentSearches: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_000))), v.maxLength(recentSearchLimit)),
    [],
  ),
  /** Keys may be kept on disk where no keyring protects them. Changed by `allowWeakStorage` alone. */
  weakStorage: v.optional(v.boolean(), false),
})

export type Settings = Immutable<v.InferOutput<typeof schema>>

/** The default, the input of `updateSettings` and the reader of `settings.json`, from one schema. */
export function settingsOf(settingsSchema: typeof schema) {
  const defaultSettings: Settings = v.getDefaults(settingsSchema)
  return {
    settingsSchema,
    defaultSettings,
    settingsInput: v.partial(v.omit(settingsSchema, ['weakStorage'])),
    readSettings: (document: unknown): Settings =>
      readable<Settings>(settingsSchema, upgraded(document), defaultSettings),
  }
}

export const { settingsSchema, defaultSettings, settingsInput, readSettings } = settingsOf(schema)
export type SettingsChange = Partial<Pick<Settings, keyof typeof settingsInput.entries>>

const switches = {
  notifyDown: ['down', 'missed'],
  notifyRecovered: ['recovered'],
  notifyChat: ['direct', 'mention', 'alertWord', 'message'],
}

/** The first version had three switches and no rules: what was off stays quiet. */
function upgraded(document: unknown): unknown {
  if (!isFields(document) || 'attention' in document) return document
  const off = Object.entries(switches).filter(([name]) => document[name] === false)
  const ways = off.flatMap(([, kinds]) => kinds.map((kind) => [kind, 'tray']))
  return { ...document, attention: { ways: Object.fromEntries(ways) as unknown } }
}
