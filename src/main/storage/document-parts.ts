import {
  array,
  type GenericSchema,
  integer,
  literal,
  nullable,
  number,
  object,
  picklist,
  pipe,
  safeParse,
  string,
  unknown,
  variant,
} from 'valibot'
import { statusOrder } from '../../shared/core/checks/check.ts'

/** Of a message, a channel or a user of the chat. */
export const numberId = pipe(number(), integer())
export const checkStatus = picklist(statusOrder)

export const conversation = variant('kind', [
  object({ kind: literal('topic'), channelId: numberId, topic: string() }),
  object({ kind: literal('direct'), userIds: array(numberId) }),
])

export const target = variant('view', [
  object({ view: picklist(['checks', 'chat', 'notices', 'accounts', 'settings', 'attention']) }),
  object({ view: literal('check'), accountId: string(), checkId: string() }),
  object({ view: literal('discuss'), accountId: string(), checkId: string() }),
  object({ view: literal('timeline'), accountId: string(), checkId: string() }),
  object({ view: literal('editCheck'), accountId: string(), checkId: nullable(string()) }),
  object({
    view: literal('conversation'),
    accountId: string(),
    conversation,
    messageId: nullable(numberId),
  }),
  object({ view: literal('replaceKey'), accountId: string() }),
])

/** The items that can be read: one bad entry of an older or newer version never costs the others. */
export function readable<T>(list: unknown, schema: GenericSchema<unknown, T>): T[] {
  const items = safeParse(array(unknown()), list)
  if (!items.success) return []
  return items.output.flatMap((item) => {
    const read = safeParse(schema, item)
    return read.success ? [read.output] : []
  })
}
