import { useState } from 'preact/hooks'
import { type Emoji, eyes, type Message, type Reaction } from '#shared/core/chat/message.ts'
import { SmallButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { emojiCharacter } from './emoji-character.ts'
import type { ItemContext } from './message-context.ts'
import { EmojiPicture } from './message-media.tsx'

interface Props {
  readonly message: Message
  readonly context: ItemContext
}

/** Chips that are shown without being asked for, and by each request for more. */
const chipsAtOnce = 50
/** The names that a chip gives when pointed at. */
const mostNames = 50

/** Who reacted with what, as small chips; those with the user's own reaction are pressed. */
export function ReactionChips({ message, context }: Props) {
  const { myId, nameOf, mutedUsers, onReact } = context
  // In the order of each emoji's first reaction.
  const groups = Map.groupBy(message.reactions, ({ type, code }) => `${type}/${code}`)
  const [most, setMost] = useState(chipsAtOnce)
  if (groups.size === 0) return null
  return (
    <div class="reactions">
      {[...groups].slice(0, most).map(([key, all]) => {
        const [first] = all
        if (first === undefined) return null
        const mine = hasOwn(all, first.code, myId)
        const names = all
          .slice(0, mostNames)
          .map(({ userId: id }) =>
            id === myId
              ? 'You'
              : mutedUsers.includes(id)
                ? 'someone muted'
                : (nameOf(id) ?? 'Someone'),
          )
        if (all.length > mostNames) names.push(`${all.length - mostNames} more`)
        return (
          <button
            key={key}
            type="button"
            class="reaction"
            aria-pressed={mine}
            aria-label={`${wordsOf(first)}, ${all.length}`}
            title={`${names.join(', ')}: ${wordsOf(first)}`}
            onClick={() => onReact(message, first, !mine)}
          >
            <span aria-hidden="true">
              <ReactionFace reaction={first} context={context} />
            </span>
            <span aria-hidden="true">{all.length}</span>
          </button>
        )
      })}
      {groups.size > most && (
        <SmallButton onClick={() => setMost(most + chipsAtOnce)}>Show more reactions</SmallButton>
      )}
    </div>
  )
}

/** 👍 👀 ✅ beside a message while it is hovered or has the focus. */
export function QuickReactions({ message, context }: Props) {
  const { myId, onReact, onActions } = context
  return (
    <fieldset class="quick-reactions" aria-label="React">
      {quickReactions.map((reaction, at) => {
        const mine = hasOwn(message.reactions, reaction.code, myId)
        const label = `React with ${wordsOf(reaction)}`
        return (
          <button
            key={reaction.code}
            type="button"
            class="quick-reaction"
            aria-pressed={mine}
            aria-label={label}
            title={at === 0 ? `${label} (+)` : label}
            onClick={() => onReact(message, reaction, !mine)}
          >
            <ReactionFace reaction={reaction} context={context} />
          </button>
        )
      })}
      <button
        type="button"
        class="quick-reaction"
        aria-label="More actions (m)"
        title="More actions (m)"
        aria-haspopup="dialog"
        onClick={() => onActions(message)}
      >
        <Icon name="more" />
      </button>
    </fieldset>
  )
}

function wordsOf({ name }: Emoji): string {
  return name.replaceAll('_', ' ')
}

export function hasOwn(all: readonly Reaction[], code: string, myId: number | null): boolean {
  return all.some((one) => one.code === code && one.userId === myId)
}

/** Offered on every message. The names are the server's own for these codes (Zulip emoji names). */
export const quickReactions: readonly Emoji[] = [
  { name: '+1', code: '1f44d', type: 'unicode_emoji' },
  eyes,
  { name: 'check', code: '2705', type: 'unicode_emoji' },
]

interface FaceProps {
  readonly reaction: Emoji
  readonly context: ItemContext
}

/** The emoji itself; for one of the realm's own, its image if images are shown, or ":name:". */
function ReactionFace({ reaction, context: { emojiPath, loadPicture } }: FaceProps) {
  const character = reaction.type === 'unicode_emoji' ? emojiCharacter(reaction.code) : null
  if (character !== null) return <>{character}</>
  const name = `:${reaction.name}:`
  const path = emojiPath(reaction)
  if (path === null || loadPicture === null) return <>{name}</>
  return <EmojiPicture name={name} path={path} load={loadPicture} />
}
