import * as v from 'valibot'
import { htmlMaxLength } from '../../core/text-length.ts'
import { visibleName } from '../../core/visible-text.ts'
import type { Operation, OperationExtras } from '../operation.ts'
import { type About, field, optionalField, textCut } from '../schema-field.ts'

/** A message, user, channel, … id. Below 2^53 on every known server. */
export const id = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

export const whole = v.pipe(v.number(), v.safeInteger())

/** Unix seconds within the range of a `Date`: formatting others would throw. */
export const seconds = v.pipe(v.number(), v.minValue(-8.64e12), v.maxValue(8.64e12))

/** Names of people and channels; the servers allow 100 and 60 characters. */
export const nameText = v.pipe(textCut(500), v.transform(visibleName))
/** The servers allow 60 characters; our own commands refuse more than this. */
export const topicText = textCut(1_000)
/** Names, codes and kinds of emoji. */
export const shortText = textCut(200)
export const htmlText = textCut(htmlMaxLength)

/** An expendable field: `undefined` if absent or unreadable. */
export function lenient<const Schema extends v.GenericSchema>(schema: Schema) {
  return v.fallback(v.optional(schema), undefined)
}

/**
 * The envelope of every chat response plus the named fields; others pass through. `result` isn't
 * required: a 2xx with readable JSON is a success (chat-api, "Envelope").
 */
function answer<const Entries extends v.ObjectEntries>(entries: Entries) {
  return v.looseObject({
    msg: lenient(v.string()),
    ignored_parameters_unsupported: lenient(v.array(v.string())),
    ...entries,
  })
}

type Reply<Entries extends v.ObjectEntries> = ReturnType<typeof answer<Entries>>
/** `reply` has the response's fields besides the envelope; `path` follows `/api/v1`. */
function declares(method: Operation['method'], effect: Operation['effect']) {
  return <const Params extends v.ObjectEntries, const Entries extends v.ObjectEntries = Empty>(
    title: string,
    path: string,
    params: Params,
    reply?: Entries,
    more?: OperationExtras,
  ): Operation<v.ObjectSchema<Params, undefined>, Reply<Entries>> => ({
    service: 'chat',
    title,
    method,
    path: `/api/v1${path}`,
    params: v.object(params),
    // Without `reply`, `Entries` is `Empty` by default.
    reply: answer(reply ?? ({} as Entries)),
    effect,
    ...more,
  })
}

type Empty = Record<never, v.GenericSchema>

/** A response of only the envelope. */
export type Done = Reply<Empty>

export const get = declares('GET', 'read')
export const post = declares('POST', 'write')
export const patch = declares('PATCH', 'write')

const deletes = declares('DELETE', 'write')

/** With `destroys` (what is lost), the app asks for confirmation. */
export function del<const Params extends v.ObjectEntries>(
  title: string,
  path: string,
  params: Params,
  destroys?: string,
  more?: OperationExtras,
) {
  const asks = destroys === undefined ? {} : ({ effect: 'destroy', destroys } as const)
  return deletes(title, path, params, undefined, { ...asks, ...more })
}

/** Read item by item, so that one unreadable item doesn't lose the others. */
export const items = v.array(v.unknown())

export const nonEmpty = v.pipe(v.string(), v.minLength(1))

export function textField(label: string, help: string, about: About = {}) {
  return field(v.string(), label, help, about)
}

export function nameField(label: string, help: string, about: About = {}) {
  return field(nonEmpty, label, help, about)
}

export function flagField(label: string, help: string, about: About = {}) {
  return field(v.boolean(), label, help, about)
}

/** One of a few values; may be left out. */
export function choice<const Value extends number | string>(
  values: readonly [Value, ...Value[]],
  label: string,
  help: string,
) {
  return optionalField(v.picklist(values), label, help)
}

export function idField(label: string, help: string, about: About = {}) {
  return field(id, label, help, about)
}

export function idsField(label: string, help: string, about: About = {}) {
  return field(v.array(id), label, help, about)
}

/**
 * Requests avatar URLs instead of computing them from e-mail addresses, which would tell a third
 * party who is reading. The documentation and the real server spell it differently; servers report
 * the unknown spelling as ignored.
 */
export const avatarAddresses = {
  client_ext_avatar: v.optional(
    flagField('Compute avatars', 'Leave addresses of computed avatars out.', { hidden: true }),
    false,
  ),
  client_gravatar: v.optional(
    flagField('Compute avatars', 'The same, under the name that servers use.', { hidden: true }),
    false,
  ),
}

export const messageId = idField('Message', 'The id of the message.', { picker: 'message' })
export const userId = idField('User', 'The id of the user.', { picker: 'user' })
export const channelId = idField('Channel', 'The id of the channel.', { picker: 'channel' })

export const markdownContent = field(
  nonEmpty,
  'Text',
  'Markdown. The server silently truncates text over its limit.',
  { multiline: true },
)

export const topicField = textField(
  'Topic',
  'For channel messages only; ignored for direct messages.',
)

export const rendered = v.optional(flagField('Rendered', 'Return HTML instead of Markdown.'), true)

export const emptyTopicAllowed = v.optional(
  flagField('Keep empty topic names', 'Otherwise an empty name is returned as its display name.'),
  true,
)

/** `stream` and `private` are the older names of `channel` and `direct`. */
export const recipientKind = field(
  v.picklist(['direct', 'channel', 'stream', 'private']),
  'Kind',
  'Stream and private are the older names of channel and direct.',
)

export const readBySender = flagField('Read by me', 'Whether your own message counts as read.')

/** Sent along with an emoji's name. */
export const emojiFields = {
  emoji_code: optionalField(
    v.string(),
    'Emoji code',
    'Code points in hex, or the id of a custom emoji.',
  ),
  reaction_type: optionalField(
    v.string(),
    'Emoji kind',
    'unicode_emoji, realm_emoji, or the server’s name for its extra emoji.',
  ),
}
