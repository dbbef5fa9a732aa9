import {
  array,
  boolean,
  check,
  fallback,
  type GenericSchema,
  looseObject,
  maxValue,
  minLength,
  minValue,
  number,
  type ObjectEntries,
  object,
  optional,
  picklist,
  pipe,
  safeInteger,
  string,
  union,
  unknown,
} from 'valibot'
import { type About, field, textCut } from '../schema-field.ts'

/** A message, user, channel, … id. Below 2^53 on every known server. */
export const id = pipe(number(), safeInteger(), minValue(0))

export const whole = pipe(number(), safeInteger())

/** Unix seconds, as far as a `Date` reaches: beyond, formatting one would throw. */
export const seconds = pipe(number(), minValue(-8.64e12), maxValue(8.64e12))

/** Names of people and channels; the servers allow 100 and 60 characters. */
export const nameText = textCut(500)
/** The servers allow 60 characters; a longer one than this would be refused by our own commands. */
export const topicText = textCut(1_000)
/** Of emoji: names, codes and kinds. */
export const shortText = textCut(200)
/** Rendered content: the default limit is 10,000 characters, and markup can be fifty times that. */
export const htmlMaxLength = 512 * 1024
export const htmlText = textCut(htmlMaxLength)

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

export const nonEmpty = pipe(string(), minLength(1))

export function textField(label: string, help: string, about: About = {}) {
  return field(string(), label, help, about)
}

export function nameField(label: string, help: string, about: About = {}) {
  return field(nonEmpty, label, help, about)
}

export function flagField(label: string, help: string, about: About = {}) {
  return field(boolean(), label, help, about)
}

export function idField(label: string, help: string, about: About = {}) {
  return field(id, label, help, about)
}

export function idsField(label: string, help: string, about: About = {}) {
  return field(array(id), label, help, about)
}

/**
 * Asks for addresses of avatars in place of null for those that the client is to compute from the
 * e-mail (which would tell another company who reads). The documentation and the real server spell
 * it differently; the one that a server does not know is only reported as ignored.
 */
export const avatarAddresses = {
  client_ext_avatar: optional(
    flagField('Compute avatars', 'Leave addresses of computed avatars out.', { hidden: true }),
    false,
  ),
  client_gravatar: optional(
    flagField('Compute avatars', 'The same, as the real server spells it.', { hidden: true }),
    false,
  ),
}

export const messageId = idField('Message', 'The message, by its id.', { picker: 'message' })
export const userId = idField('User', 'The user, by their id.', { picker: 'user' })
export const channelId = idField('Channel', 'The channel, by its id.', { picker: 'channel' })

export const markdownContent = field(
  nonEmpty,
  'Text',
  'Markdown. A real server silently cuts what is longer than its limit.',
  { multiline: true },
)

export const topicField = textField('Topic', 'For channel messages only; ignored in direct ones.')

/** `stream` and `private` are the older names of `channel` and `direct`. */
export const recipientKind = field(
  picklist(['direct', 'channel', 'stream', 'private']),
  'Kind',
  'Stream and private are the older names of channel and direct.',
)

export const readBySender = flagField('Read by me', 'Whether your own message counts as read.')

export const emojiFields = {
  emoji_name: textField('Emoji', 'Its name, such as thumbs_up.'),
  emoji_code: textField('Emoji code', 'Code points in hex, or the id of a custom emoji.'),
  reaction_type: textField(
    'Emoji kind',
    'unicode_emoji, realm_emoji, or the server’s name for its extra emoji.',
  ),
}

/** API, "Group-setting value": a user group, or an unnamed one made of its members. */
export const groupSetting = union([
  id,
  object({
    direct_members: idsField('Users', 'Users that are in it by themselves.', { picker: 'users' }),
    direct_subgroups: idsField('Groups', 'Groups that are in it, by their ids.'),
  }),
])

/** One filter over messages. Ids are allowed as operands and preferred: names change. */
const narrowTerm = object({
  operator: textField('Operator', 'Such as channel, topic, dm, sender, is, has or search.'),
  operand: field(
    union([string(), whole, array(union([string(), whole]))]),
    'Operand',
    'What the operator looks for; ids work and outlast names.',
  ),
  negated: optional(flagField('Not', 'All messages that do not fit.')),
})

export const narrowField = field(
  array(narrowTerm),
  'Narrow',
  'Only messages that fit all of these filters.',
)
