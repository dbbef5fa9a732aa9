import {
  array,
  boolean,
  check,
  fallback,
  type GenericSchema,
  integer,
  looseObject,
  minValue,
  number,
  type ObjectEntries,
  object,
  optional,
  picklist,
  pipe,
  string,
  union,
  unknown,
} from 'valibot'

/** A message, user, channel, … id. Below 2^53 on every known server. */
export const id = pipe(number(), integer(), minValue(0))

export const whole = pipe(number(), integer())

/** A field that we can live without: absent or unreadable alike become `undefined`. */
export function lenient<const Schema extends GenericSchema>(schema: Schema) {
  return fallback(optional(schema), undefined)
}

/**
 * An answer: the envelope of every chat endpoint and the fields we name; all others pass unharmed.
 * `result` is not demanded: a 2xx with readable JSON is a success (chat-api, "Envelope").
 */
export function answer<const Entries extends ObjectEntries>(entries: Entries) {
  return looseObject({
    msg: lenient(string()),
    ignored_parameters_unsupported: lenient(array(string())),
    ...entries,
  })
}

/** An answer that says nothing but "done". */
export const done = answer({})

/** Lists are read item by item, so that one unreadable item does not take the others with it. */
export const items = array(unknown())

/** Text of at most `limit` code points: what the servers count, unlike JavaScript's `length`. */
export function textUpTo(limit: number) {
  return pipe(
    string(),
    check((text) => [...text].length <= limit, `at most ${limit} characters`),
  )
}

/**
 * Asks for addresses of avatars in place of null for those that the client is to compute from the
 * e-mail (which would tell another company who reads). The documentation and the real server spell
 * it differently; the one that a server does not know is only reported as ignored.
 */
export const avatarAddresses = {
  client_ext_avatar: optional(boolean(), false),
  client_gravatar: optional(boolean(), false),
}

/** `stream` and `private` are the older names of `channel` and `direct`. */
export const recipientKind = picklist(['direct', 'channel', 'stream', 'private'])

export const reactionType = string()

/** API, "Group-setting value": a user group, or an unnamed one made of its members. */
export const groupSetting = union([
  id,
  object({ direct_members: array(id), direct_subgroups: array(id) }),
])

/** One filter over messages. Ids are allowed as operands and preferred: names change. */
export const narrowTerm = object({
  operator: string(),
  operand: union([string(), whole, array(union([string(), whole]))]),
  negated: optional(boolean()),
})
