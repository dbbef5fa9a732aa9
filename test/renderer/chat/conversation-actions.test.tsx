import { expect, test } from 'vitest'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import { isMuted } from '#shared/core/chat/message.ts'
import type { TopicPolicy } from '#shared/core/chat/realm.ts'
import { resolve, topicActions } from '../../../src/renderer/chat/conversation-actions.tsx'
import * as eg from '../../support/eg.ts'
import { withBridge, withState } from '../mount.ts'

test.each([
  { muted: [], userIds: [2], does: 'muteUser' },
  { muted: [2], userIds: [2], does: 'unmuteUser' },
  { muted: [3], userIds: [2], does: 'muteUser' },
  { muted: [2], userIds: [2, 3], does: null },
  { muted: [], userIds: [eg.me.id], does: null },
])(
  'muting toggles a person: $muted in direct messages with $userIds',
  ({ muted: mutedUsers, userIds, does }) => {
    const bridge = withBridge()
    const realm = eg.realm([], { mutedUsers })
    withState(eg.state({ realms: new Map([[eg.chatId, realm]]) }))
    const place = { accountId: eg.chatId, conversation: { kind: 'direct', userIds } } as const
    const [mute] = topicActions(place, 'Ana')
    mute?.act()
    const params = { muted_user_id: 2 }
    expect(bridge.inputsOf('run')).toEqual(
      does === null ? [] : [{ accountId: eg.chatId, operation: does, params }],
    )
  },
)

const channelId = 10
const policies = [undefined, 'muted', 'unmuted', 'followed'] as const
/** As the service numbers them ("Update personal preferences for a topic"). */
const numbered: readonly (TopicPolicy | undefined)[] = policies

test.each([true, false].flatMap((muted) => policies.map((policy) => ({ muted, policy }))))(
  'muting toggles a topic: channel muted $muted, topic $policy',
  (given) => {
    const bridge = withBridge()
    const key = conversationKey(eg.topic)
    const channel = { ...eg.realm().channels.get(channelId)!, muted: given.muted }
    const realmWith = (policy: TopicPolicy | undefined) => ({
      ...eg.realm(),
      channels: new Map([[channelId, channel]]),
      topicPolicies: new Map(policy === undefined ? [] : [[key, policy]]),
    })
    const before = realmWith(given.policy)
    withState(eg.state({ realms: new Map([[eg.chatId, before]]) }))
    const [mute] = topicActions({ accountId: eg.chatId, conversation: eg.topic }, 'web')
    mute?.act()
    const [sent] = bridge.inputsOf('run') as { params: { visibility_policy: number } }[]
    const after = realmWith(numbered[sent?.params.visibility_policy ?? -1])
    const heard = { conversation: eg.topic, key }
    expect(isMuted(after, heard)).toBe(!isMuted(before, heard))
    expect(mute?.title.startsWith('Unmute')).toBe(isMuted(before, heard))
  },
)

test('resolving a topic keeps its name within the server’s limit', () => {
  const bridge = withBridge()
  const limits = { messageLength: 10_000, topicLength: 10 }
  const realm = eg.realm([], { limits })
  withState(eg.state({ realms: new Map([[eg.chatId, realm]]) }))
  for (const topic of ['web', '0123456789', '✔ web']) resolve(eg.chatId, 7, topic)
  const topics = bridge
    .inputsOf('run')
    .map((input) => (input as { params: { topic: string } }).params.topic)
  expect(topics).toEqual(['✔ web', '✔ 01234567', 'web'])
})
