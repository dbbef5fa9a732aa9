import { conversationTitle } from '#shared/core/chat/chat-names.ts'
import { followed } from '#shared/core/chat/places.ts'
import {
  type DiscussPlace,
  type DiscussRule,
  defaultTopic,
  topicOf,
} from '#shared/core/outages/discuss.ts'
import type { AppState } from '#shared/core/state.ts'
import { Field, SelectField } from '../parts/field.tsx'
import { ChannelField } from '../parts/known-fields.tsx'
import { appState } from '../window-state.ts'

export interface PickedPlace {
  readonly chatId: string
  readonly channelId: number | null
  readonly topic: string
}

/** Fields for the account (if there are several), channel and topic. */
export function PlacePicker(props: {
  readonly value: PickedPlace
  readonly onChange: (value: PickedPlace) => void
  readonly topicHelp?: string
}) {
  const { value, onChange, topicHelp } = props
  const state = appState.value
  const chats = state.accounts.filter(({ kind }) => kind === 'chat')
  const realm = state.realms.get(value.chatId)
  const topics = [...(realm?.conversations.values() ?? [])].flatMap(({ conversation }) =>
    conversation.kind === 'topic' && conversation.channelId === value.channelId
      ? [conversation.topic || (realm?.emptyTopicName ?? '')]
      : [],
  )
  return (
    <>
      {chats.length > 1 && (
        <SelectField
          label="Chat account"
          value={value.chatId}
          options={chats.map((account) => [account.id, account.label])}
          onChange={(chatId) => onChange({ ...value, chatId, channelId: null })}
        />
      )}
      <ChannelField
        any="Choose a channel"
        accountId={value.chatId}
        value={value.channelId}
        onValue={(channelId) => onChange({ ...value, channelId })}
      />
      <Field
        label="Topic"
        name="topic"
        value={value.topic}
        suggestions={topics}
        onInput={(topic) => onChange({ ...value, topic })}
        help={topicHelp}
      />
    </>
  )
}

/** The place to start from; without one, the default topic with `name` for the check. */
export function pickedOf(place: DiscussPlace | null, name = ''): PickedPlace {
  const firstChat = appState.peek().accounts.find(({ kind }) => kind === 'chat')
  const chatId = place?.accountId ?? firstChat?.id ?? ''
  const at = place?.conversation
  const realm = appState.peek().realms.get(chatId)
  if (at?.kind === 'topic')
    return { chatId, channelId: at.channelId, topic: at.topic || (realm?.emptyTopicName ?? '') }
  return {
    chatId,
    channelId: null,
    topic: topicOf(defaultTopic, { check: name, project: '' }, realm?.limits.topicLength),
  }
}

/** Null until a channel and a topic are chosen. */
export function placePicked({ chatId, channelId, topic }: PickedPlace): DiscussPlace | null {
  if (chatId === '' || channelId === null || topic.trim() === '') return null
  const conversation = { kind: 'topic', channelId, topic } as const
  return followed(appState.peek(), { accountId: chatId, conversation })
}

/** The rule that links the checks of `which` to the place; null until it is complete. */
export function ruleOf(
  picked: PickedPlace,
  which: Pick<DiscussRule, 'accountId' | 'tag' | 'checkId'>,
): DiscussRule | null {
  const { chatId, channelId, topic } = picked
  if (placePicked(picked) === null || channelId === null) return null
  return { id: crypto.randomUUID(), ...which, chatId, channelId, topic: topic.trim() }
}

/** "# ops › db-backup"; only the topic if the realm isn't there yet. */
export function placeWords(state: AppState, { accountId, conversation }: DiscussPlace): string {
  const realm = state.realms.get(accountId)
  if (realm !== undefined) return conversationTitle(realm, conversation)
  return conversation.kind === 'topic' ? conversation.topic : 'a direct message'
}
