import { useId } from 'preact/hooks'
import { conversationTitle } from '#shared/core/chat/conversation.ts'
import type { DiscussPlace } from '#shared/core/outages/discuss.ts'
import type { AppState } from '#shared/core/state.ts'
import { Field } from '../parts/field.tsx'
import { appState } from '../window-state.ts'

/** A topic as it is being chosen. */
interface PickedPlace {
  readonly chatId: string
  readonly channelId: number | null
  readonly topic: string
}

interface Props {
  readonly value: PickedPlace
  readonly onChange: (value: PickedPlace) => void
  readonly topicHelp?: string
}

/** Account (where there are several), channel and topic. */
export function PlacePicker({ value, onChange, topicHelp }: Props) {
  const id = useId()
  const state = appState.value
  const chats = state.accounts.filter(({ kind }) => kind === 'chat')
  const realm = state.realms.get(value.chatId)
  const channels = [...(realm?.channels.values() ?? [])].sort((one, other) =>
    one.name.localeCompare(other.name),
  )
  const topics = [...(realm?.conversations.values() ?? [])].flatMap(({ conversation }) =>
    conversation.kind === 'topic' && conversation.channelId === value.channelId
      ? [conversation.topic]
      : [],
  )
  return (
    <div class="place-picker">
      {chats.length > 1 && (
        <div class="field">
          <label for={`${id}-account`}>Chat account</label>
          <select
            id={`${id}-account`}
            value={value.chatId}
            onChange={(change) =>
              onChange({ ...value, chatId: change.currentTarget.value, channelId: null })
            }
          >
            {chats.map((account) => (
              <option key={account.id} value={account.id}>
                {account.label}
              </option>
            ))}
          </select>
        </div>
      )}
      <div class="field">
        <label for={`${id}-channel`}>Channel</label>
        <select
          id={`${id}-channel`}
          value={value.channelId ?? ''}
          onChange={(change) => {
            const chosen = change.currentTarget.value
            onChange({ ...value, channelId: chosen === '' ? null : Number(chosen) })
          }}
        >
          <option value="">Choose a channel</option>
          {channels.map((channel) => (
            <option key={channel.id} value={channel.id}>
              {channel.name}
            </option>
          ))}
        </select>
      </div>
      <Field
        label="Topic"
        name="topic"
        value={value.topic}
        list={`${id}-topics`}
        onInput={(topic) => onChange({ ...value, topic })}
        {...(topicHelp === undefined ? {} : { help: topicHelp })}
      />
      <datalist id={`${id}-topics`}>
        {topics.map((topic) => (
          <option key={topic} value={topic} />
        ))}
      </datalist>
    </div>
  )
}

export function pickedOf(place: DiscussPlace | null, topic = ''): PickedPlace {
  const chats = appState.peek().accounts.filter(({ kind }) => kind === 'chat')
  const conversation = place?.conversation
  return conversation?.kind === 'topic'
    ? {
        chatId: place?.accountId ?? '',
        channelId: conversation.channelId,
        topic: conversation.topic,
      }
    : { chatId: place?.accountId ?? chats[0]?.id ?? '', channelId: null, topic }
}

/** Null until channel and topic are there. */
export function placePicked({ chatId, channelId, topic }: PickedPlace): DiscussPlace | null {
  if (chatId === '' || channelId === null || topic.trim() === '') return null
  return { accountId: chatId, conversation: { kind: 'topic', channelId, topic: topic.trim() } }
}

/** "# ops › db-backup", also while the realm is not connected yet. */
export function placeWords(state: AppState, { accountId, conversation }: DiscussPlace): string {
  const realm = state.realms.get(accountId)
  if (realm !== undefined) return conversationTitle(realm, conversation)
  return conversation.kind === 'topic' ? conversation.topic : 'a direct conversation'
}
