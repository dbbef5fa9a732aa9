import { expect, onTestFinished, test } from 'vitest'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import { isMuted } from '#shared/core/chat/interruption.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { TopicPolicy } from '#shared/core/chat/realm.ts'
import { conversationActions, resolve } from '../../../src/renderer/chat/conversation-actions.tsx'
import { dismissToast, shownToast, takeOffer } from '../../../src/renderer/toast.ts'
import * as eg from '../../support/eg.ts'
import { withBridge, withState } from '../mount.ts'

const actionOf = (key: string, place: Place) =>
  conversationActions(place, 'web', () => {}).find((one) => one.key === key)

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
    actionOf('m', place)?.act()
    const params = { muted_user_id: 2 }
    expect(bridge.inputsOf('run')).toEqual(
      does === null ? [] : [{ accountId: eg.chatId, operation: does, params }],
    )
  },
)

test('muting a person by a single key is taken back by Undo', async () => {
  onTestFinished(dismissToast)
  const bridge = withBridge()
  withState(eg.state({ realms: new Map([[eg.chatId, eg.realm()]]) }))
  const conversation = { kind: 'direct', userIds: [2] } as const
  actionOf('m', { accountId: eg.chatId, conversation })?.act()
  await expect.poll(() => shownToast.value?.text).toMatch(/is muted in the chat/)
  takeOffer()
  const params = { muted_user_id: 2 }
  expect(bridge.inputsOf('run')).toEqual([
    { accountId: eg.chatId, operation: 'muteUser', params },
    { accountId: eg.chatId, operation: 'unmuteUser', params },
  ])
})

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
    const mute = actionOf('m', { accountId: eg.chatId, conversation: eg.topic })
    mute?.act()
    const [sent] = bridge.inputsOf('run') as { params: { visibility_policy: number } }[]
    const after = realmWith(numbered[sent?.params.visibility_policy ?? -1])
    const heard = { conversation: eg.topic, key }
    expect(isMuted(after, heard)).toBe(!isMuted(before, heard))
    expect(mute?.title.startsWith('Unmute')).toBe(isMuted(before, heard))
  },
)

test.each(policies)('what was chosen for a topic, %s, is as before after Undo', async (policy) => {
  onTestFinished(dismissToast)
  const bridge = withBridge()
  const topicPolicies = new Map(policy && [[conversationKey(eg.topic), policy]])
  withState(eg.state({ realms: new Map([[eg.chatId, { ...eg.realm(), topicPolicies }]]) }))
  for (const key of ['m', 'f']) {
    actionOf(key, { accountId: eg.chatId, conversation: eg.topic })?.act()
    await expect.poll(() => shownToast.value?.action?.label).toBe('Undo')
    takeOffer()
  }
  const sent = bridge.inputsOf('run') as { params: { visibility_policy: number } }[]
  const before = policies.indexOf(policy)
  expect(sent.map(({ params }) => params.visibility_policy === before)).toEqual(
    // Each change differs from what was there, and is followed by it.
    [false, true, false, true],
  )
})

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
