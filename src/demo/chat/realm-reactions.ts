import type { DemoMessage, DemoReaction, RealmData } from './realm-data.ts'
import { type Params, Refusal } from './realm-http.ts'
import { emojiCodes } from './realm-render.ts'

function emojiNamed(name: string): Pick<DemoReaction, 'emoji_code' | 'reaction_type'> | null {
  if (name === 'belfry') return { emoji_code: '1', reaction_type: 'realm_emoji' }
  if (name === 'zulip') return { emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
  const code = emojiCodes.get(name)
  return code === undefined ? null : { emoji_code: code, reaction_type: 'unicode_emoji' }
}

export function addReaction(data: RealmData, message: DemoMessage, params: Params) {
  const name = params.text('emoji_name')
  const code = params.maybeText('emoji_code')
  const type = params.maybeText('reaction_type')
  const earlier = message.reactions.find(
    (one) => one.emoji_code === code && (type === undefined || one.reaction_type === type),
  )
  // If someone already reacted with this emoji, their name for it wins unchecked.
  const emoji = earlier ?? validEmoji(name, code, type)
  const reaction: DemoReaction = {
    emoji_name: earlier?.emoji_name ?? name,
    emoji_code: emoji.emoji_code,
    reaction_type: emoji.reaction_type,
    user_id: data.me.id,
  }
  if (message.reactions.some((one) => sameReaction(one, reaction)))
    throw new Refusal('Reaction already exists.', { code: 'REACTION_ALREADY_EXISTS' })
  return changeReaction(data, message, reaction, true)
}

/** The emoji of that name; refuses a code or type that does not match. */
export function validEmoji(name: string, code: string | undefined, type: string | undefined) {
  const emoji = emojiNamed(name)
  if (!emoji) throw new Refusal(`Emoji '${name}' does not exist`)
  if (type !== undefined && type !== emoji.reaction_type) throw new Refusal('Invalid emoji type.')
  if (code !== undefined && code !== emoji.emoji_code) throw new Refusal('Invalid emoji name.')
  return emoji
}

export function removeReaction(data: RealmData, message: DemoMessage, params: Params) {
  const name = params.maybeText('emoji_name')
  const given = params.maybeText('emoji_code')
  const type = params.maybeText('reaction_type') ?? 'unicode_emoji'
  if (name === undefined && given === undefined)
    throw new Refusal(
      'At least one of the following arguments must be present: emoji_name, emoji_code',
    )
  const code = given ?? emojiNamed(name ?? '')?.emoji_code
  if (code === undefined) throw new Refusal(`Emoji '${name}' does not exist`)
  const mine = message.reactions.find(
    (one) => one.user_id === data.me.id && one.emoji_code === code && one.reaction_type === type,
  )
  if (!mine) throw new Refusal("Reaction doesn't exist.", { code: 'REACTION_DOES_NOT_EXIST' })
  return changeReaction(data, message, mine, false)
}

function sameReaction(a: DemoReaction, b: DemoReaction): boolean {
  return (
    a.user_id === b.user_id && a.emoji_code === b.emoji_code && a.reaction_type === b.reaction_type
  )
}

/** Changes a message's reactions, with an event. */
export function changeReaction(
  data: RealmData,
  message: DemoMessage,
  reaction: DemoReaction,
  present: boolean,
) {
  const others = message.reactions.filter((one) => !sameReaction(one, reaction))
  message.reactions = present ? [...others, reaction] : others
  data.queues.tell({
    type: 'reaction',
    op: present ? 'add' : 'remove',
    message_id: message.id,
    ...reaction,
  })
  return {}
}

export function demoReaction(userId: number, name: string): DemoReaction {
  const emoji = emojiNamed(name)
  if (!emoji) throw new Error(`the demo has no emoji ${name}`)
  return { emoji_name: name, ...emoji, user_id: userId }
}
