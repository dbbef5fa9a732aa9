import { describe, expect, test } from 'vitest'
import { interruption } from '../../../../src/shared/core/chat/interruption.ts'
import type { Message } from '../../../../src/shared/core/chat/message.ts'
import { type Realm, usualChatSettings } from '../../../../src/shared/core/chat/realm.ts'
import * as eg from '../../../support/eg.ts'

const muted = { kind: 'topic', channelId: 11, topic: 'lunch' } as const
const settings = (change: Partial<Realm['settings']>) => ({
  settings: { ...usualChatSettings, ...change },
})
const policy = (key: string, value: 'muted' | 'unmuted' | 'followed') => ({
  topicPolicies: new Map([[key, value]]),
})
const topicKey = 'topic/10/db-backup is down'
const mutedKey = 'topic/11/lunch'

/** The web app's rules (chat API reference, "Which messages deserve a desktop notification"). */
const rules: [string, Partial<Omit<Message, 'key'>>, Partial<Realm>, boolean][] = [
  ['a direct message', { conversation: eg.direct }, {}, true],
  [
    'a direct message with their notifications switched off',
    { conversation: eg.direct },
    settings({ desktopNotifications: false }),
    false,
  ],
  ['one’s own message', { conversation: eg.direct, isMe: true }, {}, false],
  ['a message that is already read', { conversation: eg.direct, flags: ['read'] }, {}, false],
  ['a message in a channel', {}, {}, false],
  [
    'a message in a channel whose notifications are on',
    {},
    { channels: new Map([[10, eg.channel({ desktopNotifications: true })]]) },
    true,
  ],
  [
    'a message in a channel by the global setting',
    {},
    settings({ channelDesktopNotifications: true }),
    true,
  ],
  [
    'a message where the channel’s own setting beats the global one',
    {},
    {
      channels: new Map([[10, eg.channel({ desktopNotifications: false })]]),
      ...settings({ channelDesktopNotifications: true }),
    },
    false,
  ],
  ['a direct mention', { flags: ['mentioned'] }, {}, true],
  [
    'a direct mention by somebody who is muted',
    { senderId: 2, flags: ['mentioned'] },
    { mutedUsers: [2] },
    false,
  ],
  ['a direct mention in a muted channel', { conversation: muted, flags: ['mentioned'] }, {}, true],
  ['a wildcard mention', { flags: ['wildcardMentioned'] }, {}, true],
  [
    'a wildcard mention in a muted channel',
    { conversation: muted, flags: ['wildcardMentioned'] },
    {},
    false,
  ],
  [
    'a wildcard mention when those are off',
    { flags: ['wildcardMentioned'] },
    settings({ wildcardMentionsNotify: false }),
    false,
  ],
  ['an alert word', { flags: ['alerted'] }, {}, true],
  ['an alert word in a muted topic', { flags: ['alerted'] }, policy(topicKey, 'muted'), false],
  ['a followed topic', {}, policy(topicKey, 'followed'), true],
  [
    'a followed topic in a muted channel',
    { conversation: muted },
    policy(mutedKey, 'followed'),
    true,
  ],
  [
    'a followed topic when those are off',
    {},
    { ...policy(topicKey, 'followed'), ...settings({ followedTopicDesktopNotifications: false }) },
    false,
  ],
  [
    'an unmuted topic in a muted channel whose notifications are on',
    { conversation: muted },
    {
      ...policy(mutedKey, 'unmuted'),
      channels: new Map([[11, eg.channel({ id: 11, muted: true, desktopNotifications: true })]]),
    },
    true,
  ],
  [
    'a channel the user is not subscribed to',
    { conversation: { kind: 'topic', channelId: 99, topic: 'x' } },
    settings({ channelDesktopNotifications: true }),
    false,
  ],
]

describe('a notification', () => {
  test.each(rules)('follows the rules of the web app for %s', (_case, message, realm, notify) => {
    expect(interruption(eg.realm([], realm), eg.message(message)).notify).toBe(notify)
  })

  test('is silent when sounds are off, and still shown', () => {
    const realm = eg.realm([], settings({ sounds: false }))
    expect(interruption(realm, eg.message({ conversation: eg.direct }))).toEqual({
      notify: true,
      sound: false,
    })
  })
})
