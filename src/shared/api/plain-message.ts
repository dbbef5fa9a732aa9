import { htmlMaxLength } from './chat-fields.ts'
import type { WireMessage, WireReaction } from './read-message.ts'

type Fields = Readonly<Record<string, unknown>>

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.length <= most
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= 8.64e12
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

/** Whether the schema takes what is there and changes nothing that is read, as with `isPlainCheck`. */
export function isPlainMessage(wire: unknown): wire is WireMessage {
  if (!isObject(wire)) return false
  return (
    isId(wire['id']) &&
    isKind(wire['type']) &&
    (wire['stream_id'] === undefined || isId(wire['stream_id'])) &&
    (wire['subject'] === undefined || isText(wire['subject'], 1_000)) &&
    isText(wire['content'], htmlMaxLength) &&
    isId(wire['sender_id']) &&
    isText(wire['sender_full_name'], 500) &&
    isTime(wire['timestamp']) &&
    (wire['last_edit_timestamp'] == null || isTime(wire['last_edit_timestamp'])) &&
    (wire['is_me_message'] === undefined || typeof wire['is_me_message'] === 'boolean') &&
    isRecipient(wire['display_recipient'])
  )
}

function isKind(type: unknown): boolean {
  return type === 'stream' || type === 'private' || type === 'channel' || type === 'direct'
}

/** A channel's name, or people. */
function isRecipient(value: unknown): boolean {
  if (!Array.isArray(value)) return typeof value === 'string'
  return value.length <= 1_000 && value.every((person) => isObject(person) && isId(person['id']))
}

/** The same of a reaction. Older servers say by whom in another way. */
export function isPlainReaction(wire: unknown): wire is WireReaction {
  if (!isObject(wire)) return false
  return (
    isText(wire['emoji_name'], 200) &&
    isText(wire['emoji_code'], 200) &&
    isText(wire['reaction_type'], 200) &&
    isId(wire['user_id']) &&
    wire['user'] === undefined
  )
}
