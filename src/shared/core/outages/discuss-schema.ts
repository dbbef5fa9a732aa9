import {
  type GenericSchema,
  integer,
  maxLength,
  minLength,
  minValue,
  nullable,
  number,
  object,
  pipe,
  string,
  trim,
} from 'valibot'
import { type DiscussRule, discussLimits } from './discuss.ts'

const id = pipe(string(), minLength(1), maxLength(64))

/** What the settings send, and what is kept of it on disk. */
export const discussRule: GenericSchema<unknown, DiscussRule> = object({
  id,
  accountId: nullable(id),
  tag: nullable(pipe(string(), trim(), minLength(1), maxLength(100))),
  checkId: nullable(id),
  chatId: id,
  channelId: pipe(number(), integer(), minValue(0)),
  topic: pipe(string(), trim(), minLength(1), maxLength(discussLimits.topic)),
})
