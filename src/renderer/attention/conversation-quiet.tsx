import type { AccountId } from '#shared/core/account.ts'
import {
  type KeptSilence,
  type Silence,
  silenceOnConversation,
} from '#shared/core/attention/silence.ts'
import { type Conversation, conversationKey } from '#shared/core/chat/conversation.ts'
import type { PageAction } from '../parts/page-actions.ts'
import { appState, now } from '../window-state.ts'
import { asking, EndButton, opposite, QuietMark } from './quiet-menu.tsx'

interface Props {
  readonly accountId: AccountId
  readonly conversation: Conversation
}

/** Mutes a conversation in Belfry for a while, which is separate from the chat's own mute, or ends that. */
export function muteAction({ accountId, conversation }: Props, name: string): PageAction {
  const scope = { of: 'conversation', accountId, key: conversationKey(conversation) } as const
  const act = () => {
    asking.value = { scope, name }
  }
  return (
    opposite(scope, 'mute', { key: 's', name: `${name} in Belfry` }) ?? {
      key: 's',
      title: `Mute ${name} for a while…`,
      act,
    }
  )
}

/** Shown under the head of a conversation that is muted in Belfry. */
export function QuietConversation(place: Props) {
  const silence = silenceHere(place, appState.value.silences)
  if (silence === null) return null
  return (
    <p class="row quiet-here quiet-conversation">
      <QuietMark silence={silence} />
      <span class="note">
        {silence.scope.of === 'channel' ? `all of ${silence.label}, ` : ''}only in Belfry
      </span>
      <EndButton silence={silence} />
    </p>
  )
}

export function silenceHere(
  { accountId, conversation }: Props,
  silences: readonly KeptSilence[],
): Silence | null {
  const channelId = conversation.kind === 'topic' ? conversation.channelId : null
  const key = conversationKey(conversation)
  return silenceOnConversation(silences, accountId, key, channelId, now.value)
}
