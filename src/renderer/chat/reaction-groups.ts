import type { Reaction } from '#shared/core/chat/message.ts'
import { emojiCharacter } from './emoji-character.ts'

/** All reactions with one emoji. */
export interface ReactionGroup {
  readonly name: string
  readonly code: string
  readonly type: string
  /** The emoji itself, or ":name:" where it is an image of the realm. */
  readonly face: string
  readonly userIds: readonly number[]
}

/** One key away on every message. Names are the server's own for these codes (Zulip emoji names). */
export const quickReactions: readonly Omit<Reaction, 'userId'>[] = [
  { name: '+1', code: '1f44d', type: 'unicode_emoji' },
  { name: 'eyes', code: '1f440', type: 'unicode_emoji' },
  { name: 'check', code: '2705', type: 'unicode_emoji' },
]

export function reactionFace(reaction: Omit<Reaction, 'userId'>): string {
  const character = reaction.type === 'unicode_emoji' ? emojiCharacter(reaction.code) : null
  return character ?? `:${reaction.name}:`
}

/** Groups in the order in which their first reaction came. */
export function reactionGroups(reactions: readonly Reaction[]): readonly ReactionGroup[] {
  const groups = new Map<string, ReactionGroup>()
  for (const reaction of reactions) {
    const key = `${reaction.type}/${reaction.code}`
    const group = groups.get(key)
    const userIds = [...(group?.userIds ?? []), reaction.userId]
    const { name, code, type } = group ?? reaction
    groups.set(key, { name, code, type, face: reactionFace({ name, code, type }), userIds })
  }
  return [...groups.values()]
}
