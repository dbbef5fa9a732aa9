import {
  array,
  boolean,
  entriesFromList,
  type GenericSchema,
  integer,
  literal,
  maxLength,
  maxValue,
  minLength,
  minValue,
  nullable,
  number,
  object,
  picklist,
  pipe,
  regex,
  string,
  trim,
  variant,
} from 'valibot'
import type { EventKind } from './event.ts'
import { type AttentionSettings, type Rule, ruleLimits } from './rules.ts'
import type { Scope, Until } from './silence.ts'

const id = pipe(string(), minLength(1), maxLength(64))
const number0 = pipe(number(), integer(), minValue(0))
const tag = pipe(string(), trim(), minLength(1), maxLength(100))
/** Epoch ms; up to the year 2200, far beyond any sensible snooze. */
const moment = pipe(number(), integer(), minValue(0), maxValue(7_258_118_400_000))
/** All of them: the type of `ways` below tells when one is missing. */
export const eventKinds = [
  'down',
  'late',
  'recovered',
  'missed',
  'direct',
  'mention',
  'alertWord',
  'message',
  'trouble',
] as const satisfies readonly EventKind[]
export const wayInput = picklist(['sound', 'banner', 'tray', 'nothing'])
const minutes = pipe(number(), integer(), minValue(0), maxValue(ruleLimits.afterMinutes))
const clock = pipe(string(), regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:30'))

export const ruleInput: GenericSchema<unknown, Rule> = object({
  id,
  kinds: array(picklist(eventKinds)),
  accountId: nullable(id),
  tag: nullable(tag),
  checkId: nullable(id),
  channelId: nullable(number0),
  topic: nullable(pipe(string(), maxLength(1_000))),
  senderId: nullable(number0),
  way: nullable(wayInput),
  afterMinutes: nullable(minutes),
})

const quietHours = object({
  enabled: boolean(),
  zone: nullable(pipe(string(), maxLength(100))),
  windows: pipe(
    array(
      object({
        days: pipe(array(pipe(number(), integer(), minValue(0), maxValue(6))), maxLength(7)),
        from: clock,
        to: clock,
      }),
    ),
    maxLength(50),
  ),
  exceptTags: pipe(array(tag), maxLength(50)),
  exceptPeople: pipe(array(object({ accountId: id, userId: number0 })), maxLength(50)),
})

/** What the attention page sends, and what is kept of it on disk. */
export const attentionInput: GenericSchema<unknown, AttentionSettings> = object({
  ways: object(entriesFromList(eventKinds, wayInput)),
  afterMinutes: minutes,
  rules: pipe(array(ruleInput), maxLength(ruleLimits.rules)),
  quietHours,
  followSystem: boolean(),
})

export const scopeInput: GenericSchema<unknown, Scope> = variant('of', [
  object({ of: literal('check'), accountId: id, checkId: id }),
  object({ of: literal('tag'), tag }),
  object({ of: literal('project'), accountId: id }),
  object({ of: literal('conversation'), accountId: id, key: pipe(string(), maxLength(1_100)) }),
  object({ of: literal('channel'), accountId: id, channelId: number0 }),
  object({ of: literal('everything') }),
])

export const untilInput: GenericSchema<unknown, Until> = variant('kind', [
  object({ kind: literal('time'), at: moment }),
  object({ kind: literal('change') }),
  object({ kind: literal('answer') }),
  object({ kind: literal('ever') }),
])
