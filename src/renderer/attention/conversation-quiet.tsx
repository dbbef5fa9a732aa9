import type { AccountId } from '#shared/core/account.ts'
import { type Silence, silenceOnConversation } from '#shared/core/attention/silence.ts'
import { type Conversation, conversationKey } from '#shared/core/chat/conversation.ts'
import { Icon } from '../parts/icon.tsx'
import { appState, now } from '../window-state.ts'
import { asking, endQuiet, QuietMark } from './quiet-menu.tsx'

interface Props {
  readonly accountId: AccountId
  readonly conversation: Conversation
}

export function askToMute({ accountId, conversation }: Props, name: string): void {
  asking.value = {
    scope: { of: 'conversation', accountId, key: conversationKey(conversation) },
    name,
  }
}

/** "Mute here": Belfry's own, for a while; the chat's mute is another thing. */
export function MuteHere({ title, ...place }: Props & { readonly title: string }) {
  const label = 'Mute here (s)'
  return (
    <button
      type="button"
      class="tool-button"
      aria-label={label}
      title={label}
      onClick={() => askToMute(place, title)}
    >
      <Icon name="muted" />
    </button>
  )
}

/** Under the head of a conversation that is quiet in Belfry. */
export function QuietConversation(place: Props) {
  const silence = silenceHere(place, appState.value.silences)
  if (silence === null) return null
  return (
    <p class="quiet-here quiet-conversation">
      <QuietMark silence={silence} />
      <span class="note">
        {silence.scope.of === 'channel' ? `all of ${silence.label}, ` : ''}only in Belfry
      </span>
      <button type="button" class="small-button" onClick={() => void endQuiet([silence])}>
        End
      </button>
    </p>
  )
}

export function silenceHere(
  { accountId, conversation }: Props,
  silences: readonly Silence[],
): Silence | null {
  const channelId = conversation.kind === 'topic' ? conversation.channelId : null
  const key = conversationKey(conversation)
  return silenceOnConversation(silences, accountId, key, channelId, now.value)
}
