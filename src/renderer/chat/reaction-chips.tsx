import type { Message, Reaction } from '#shared/core/chat/message.ts'
import { emojiCharacter } from './emoji-character.ts'
import type { ItemContext } from './message-context.ts'

interface Props {
  readonly message: Message
  readonly context: ItemContext
}

/** Who reacted with what, as small chips; one's own are pressed. */
export function ReactionChips({ message, context: { myId, nameOf, onReact } }: Props) {
  const groups = reactionGroups(message.reactions)
  if (groups.length === 0) return null
  return (
    <div class="reactions">
      {groups.map((group) => {
        const mine = myId !== null && group.userIds.includes(myId)
        const names = group.userIds.map((id) => (id === myId ? 'You' : (nameOf(id) ?? 'Someone')))
        return (
          <button
            key={`${group.type}/${group.code}`}
            type="button"
            class="reaction"
            aria-pressed={mine}
            aria-label={`${group.name}, ${group.userIds.length}`}
            title={`${names.join(', ')}: ${group.name}`}
            onClick={() => onReact(message, group, !mine)}
          >
            <span aria-hidden="true">{group.face}</span>
            <span aria-hidden="true">{group.userIds.length}</span>
          </button>
        )
      })}
    </div>
  )
}

/** 👍 👀 ✅ beside a message while it is pointed at or has the focus. */
export function QuickReactions({ message, context: { myId, onReact } }: Props) {
  return (
    <div class="quick-reactions" role="toolbar" aria-label="React">
      {quickReactions.map((reaction) => {
        const mine = message.reactions.some(
          ({ code, userId }) => code === reaction.code && userId === myId,
        )
        return (
          <button
            key={reaction.code}
            type="button"
            class="quick-reaction"
            aria-pressed={mine}
            aria-label={`React with ${reaction.name}`}
            onClick={() => onReact(message, reaction, !mine)}
          >
            {reactionFace(reaction)}
          </button>
        )
      })}
    </div>
  )
}

/** All reactions with one emoji. */
interface ReactionGroup {
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

function reactionFace(reaction: Omit<Reaction, 'userId'>): string {
  const character = reaction.type === 'unicode_emoji' ? emojiCharacter(reaction.code) : null
  return character ?? `:${reaction.name}:`
}

/** Groups in the order in which their first reaction came. */
function reactionGroups(reactions: readonly Reaction[]): readonly ReactionGroup[] {
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
