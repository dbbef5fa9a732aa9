import { useCallback, useMemo } from 'preact/hooks'
import { type Conversation, userName } from '#shared/core/chat/conversation.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { writingRefusal } from '#shared/core/chat/writing-rules.ts'
import { codePointLength } from '#shared/core/text-length.ts'
import {
  joinedIndex,
  type PaletteItem,
  paletteIndex,
  paletteResults,
  type Recipients,
} from '#shared/core/views/palette-search.ts'
import { chosenConversation, recipientList, topicItem } from '#shared/core/views/recipients.ts'
import { run, topicNames, useRun } from '../run.ts'
import { appState } from '../window-state.ts'
import { beginMessage } from './palette-button.tsx'
import { SearchList } from './search-list.tsx'

interface Props {
  readonly chosen: Recipients
  readonly onChoose: (item: PaletteItem) => void
}

/**
 * Asks who a new message is for. Enter opens the conversation; a comma after a person asks for further
 * people; a channel leads to its topics, where whatever else is typed is a new topic.
 */
export function RecipientList({ chosen, onChoose }: Props) {
  const state = appState.value
  const { index, usual } = recipientList(state, chosen)
  const realm = chosen.to === 'anyone' ? undefined : state.realms.get(chosen.accountId)
  const topics = useTopics(chosen, realm)
  const find = useCallback(
    (query: string): readonly PaletteItem[] => {
      const known = topics === null ? index : joinedIndex([topics, index])
      const found = [
        ...new Map(paletteResults(known, query, usual).map((one) => [one.id, one])).values(),
      ]
      if (realm === undefined || chosen.to === 'anyone') return found
      if (chosen.to === 'people')
        return query.trim() === '' ? [...group(realm, chosen), ...found] : found
      return withNewTopic(realm, chosen.channelId, query, found)
    },
    [index, topics],
  )
  const onKey = (key: KeyboardEvent, query: string, active: PaletteItem | undefined): boolean => {
    if (key.key === 'Backspace' && query === '' && chosen.to !== 'anyone') {
      beginMessage(chosen.to === 'people' ? withoutLast(chosen) : { to: 'anyone' })
      return true
    }
    if (key.key !== ',' || query.trim() === '' || active?.action.does !== 'go') return false
    const { target } = active.action
    if (target.view !== 'conversation' || target.conversation.kind !== 'direct') return false
    const userIds = [
      ...(chosen.to === 'people' ? chosen.userIds : []),
      ...target.conversation.userIds,
    ]
    beginMessage({ to: 'people', accountId: target.accountId, userIds: [...new Set(userIds)] })
    return true
  }
  return (
    <SearchList
      label="New message to"
      placeholder={placeholders[chosen.to]}
      find={find}
      before={realm !== undefined && <Chosen chosen={chosen} realm={realm} />}
      onKey={onKey}
      onChoose={(item) => onChoose(chosen.to === 'people' ? together(item, realm, chosen) : item)}
    />
  )
}

const placeholders: Readonly<Record<Recipients['to'], string>> = {
  anyone: 'Person, channel or topic; “,” adds people',
  people: 'Another person, or Enter to write',
  channel: 'A topic, or the name of a new one',
}

function Chosen({ chosen, realm }: { readonly chosen: Recipients; readonly realm: Realm }) {
  const names =
    chosen.to === 'people'
      ? chosen.userIds.map((id) => userName(realm, id))
      : chosen.to === 'channel'
        ? [`# ${realm.channels.get(chosen.channelId)?.name ?? ''}`]
        : []
  return names.map((name) => (
    <span key={name} class="palette-chosen" dir="auto">
      {name}
    </span>
  ))
}

/** The service's own list of the channel's topics, newest first; null until it is there. */
function useTopics(chosen: Recipients, realm: Realm | undefined) {
  const channel = chosen.to === 'channel' ? chosen : null
  const asked = useRun(
    channel === null ? null : `${channel.accountId}/${channel.channelId}`,
    () =>
      run(channel?.accountId ?? '', 'listTopics', {
        stream_id: channel?.channelId ?? 0,
        allow_empty_topic_name: true,
      }),
    ({ topics }) => topics,
  )
  return useMemo(() => {
    if (channel === null || realm === undefined || asked.value === null) return null
    const { channelId } = channel
    return paletteIndex(
      topicNames(asked.value).map((topic) => topicItem(realm, { kind: 'topic', channelId, topic })),
    )
  }, [asked.value])
}

/** The typed text as a topic of its own, unless there is one of that name: after what it may mean. */
function withNewTopic(
  realm: Realm,
  channelId: number,
  query: string,
  found: readonly PaletteItem[],
): readonly PaletteItem[] {
  const topic = query.trim()
  const isKnown = found.some(({ title }) => title.toLowerCase() === topic.toLowerCase())
  if (topic === '' || isKnown) return found
  const tooLong = codePointLength(topic) - realm.limits.topicLength
  const refusal =
    tooLong > 0
      ? `${tooLong} over this server’s limit`
      : writingRefusal(realm, { kind: 'topic', channelId, topic })
  const item = topicItem(realm, { kind: 'topic', channelId, topic })
  const fresh: PaletteItem = {
    ...item,
    title: `New topic “${topic}”`,
    ...(refusal === null ? {} : { hint: refusal, action: { does: 'here', act: () => null } }),
  }
  return found.length > 0 && found[0]?.title.toLowerCase().startsWith(topic.toLowerCase()) === true
    ? [...found, fresh]
    : [fresh, ...found]
}

type People = Extract<Recipients, { to: 'people' }>

/** Those chosen so far, as the first line: Enter writes to them. */
function group(realm: Realm, chosen: People): readonly PaletteItem[] {
  const conversation = chosenConversation(realm, chosen)
  if (conversation === null) return []
  const names = chosen.userIds.map((id) => userName(realm, id)).join(', ')
  return [
    {
      id: 'chosen',
      kind: 'person',
      title: `Write to ${names}`,
      hint: '',
      key: '',
      keywords: '',
      action: { does: 'go', target: placeOf(realm, conversation) },
    },
  ]
}

/** The chosen person with those chosen before. */
function together(item: PaletteItem, realm: Realm | undefined, chosen: People): PaletteItem {
  if (realm === undefined || item.id === 'chosen' || item.action.does !== 'go') return item
  const { target } = item.action
  if (target.view !== 'conversation' || target.conversation.kind !== 'direct') return item
  const userIds = [...chosen.userIds, ...target.conversation.userIds]
  const conversation = chosenConversation(realm, { ...chosen, userIds })
  if (conversation === null) return item
  return { ...item, action: { does: 'go', target: placeOf(realm, conversation) } }
}

function placeOf({ accountId }: Realm, conversation: Conversation) {
  return { view: 'conversation', accountId, conversation, messageId: null } as const
}

function withoutLast({ accountId, userIds }: People): Recipients {
  return userIds.length > 1
    ? { to: 'people', accountId, userIds: userIds.slice(0, -1) }
    : { to: 'anyone' }
}
