import {
  array,
  boolean,
  getDefaults,
  type InferOutput,
  integer,
  maxLength,
  maxValue,
  minValue,
  number,
  object,
  omit,
  optional,
  partial,
  picklist,
  pipe,
  string,
} from 'valibot'
import { attentionSchema, defaultAttention } from './attention/rules.ts'
import { boardOrderChoices } from './checks/board-orders.ts'
import { discussLimits, discussRule } from './outages/discuss.ts'
import { type Immutable, isFields, readable } from './schemas.ts'

export const recentPaletteLimit = 50

/** What the user can choose, each with its limits and its default. All that follows derives from it. */
const schema = object({
  theme: optional(picklist(['system', 'light', 'dark']), 'system'),
  /** Seconds between two reads of a project while all is well. */
  pollSeconds: optional(pipe(number(), integer(), minValue(15), maxValue(3_600)), 60),
  /** What may interrupt, when, and how loud. */
  attention: optional(attentionSchema, defaultAttention),
  /** Where outages are talked about: the first rule that fits. */
  discuss: optional(pipe(array(discussRule), maxLength(discussLimits.rules)), []),
  /** The master switch for all sounds. */
  sounds: optional(boolean(), true),
  groupBy: optional(picklist(['project', 'tag', 'none']), 'project'),
  sortBy: optional(picklist(boardOrderChoices.map(([name]) => name)), 'status'),
  sendKey: optional(picklist(['enter', 'ctrlEnter']), 'enter'),
  /** Opening a conversation marks it as read. */
  markReadOnOpen: optional(boolean(), true),
  /** Ids of the palette's items used last, newest first. */
  recentPalette: optional(
    pipe(array(pipe(string(), maxLength(1_200))), maxLength(recentPaletteLimit)),
    [],
  ),
  /** Keys may be kept on disk where no keyring protects them. Changed by `allowWeakStorage` alone. */
  weakStorage: optional(boolean(), false),
})

export type Settings = Immutable<InferOutput<typeof schema>>

/** The default, the input of `updateSettings` and the reader of `settings.json`, from one schema. */
export function settingsOf(settingsSchema: typeof schema) {
  const defaultSettings: Settings = getDefaults(settingsSchema)
  return {
    settingsSchema,
    defaultSettings,
    settingsInput: partial(omit(settingsSchema, ['weakStorage'])),
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
