import type { Message } from './message.ts'
import type { Realm } from './realm.ts'

interface Interruption {
  readonly notify: boolean
  readonly sound: boolean
}

const silence: Interruption = { notify: false, sound: false }

/** Stands for a message whose sender the user muted. */
export const mutedWords = 'From someone you muted.'

/** Whether the topic's policy mutes it, or else the channel's; or the other person is muted. */
export function isMuted(realm: Realm, message: Pick<Message, 'conversation' | 'key'>): boolean {
  const { conversation, key } = message
  if (conversation.kind === 'direct')
    return (
      conversation.userIds.length === 1 && realm.mutedUsers.includes(conversation.userIds[0] ?? -1)
    )
  const policy = realm.topicPolicies.get(key)
  if (policy !== undefined) return policy === 'muted'
  return realm.channels.get(conversation.channelId)?.muted ?? true
}

/**
 * The web app's rules for desktop notifications (Zulip 10.2, message_notifications.ts): Belfry
 * notifies of exactly the messages that the web app would.
 *
 * A. Own messages never; a direct mention beats all muting; a followed topic beats a muted channel.
 * B. Only unread messages, and none from muted users: their messages mostly arrive already read.
 * C. One of the user's own settings must ask for it.
 */
export function interruption(realm: Realm, message: Message): Interruption {
  if (message.isMe || message.flags.includes('read')) return silence
  if (realm.mutedUsers.includes(message.senderId)) return silence
  const mentioned = message.flags.includes('mentioned')
  const followed = realm.topicPolicies.get(message.key) === 'followed'
  if (!mentioned && !followed && isMuted(realm, message)) return silence
  return {
    notify: wants(realm, message, {
      channel: 'desktopNotifications',
      channelDefault: realm.settings.channelDesktopNotifications,
      followed: realm.settings.followedTopicDesktopNotifications,
      direct: realm.settings.desktopNotifications,
    }),
    sound: wants(realm, message, {
      channel: 'audibleNotifications',
      channelDefault: realm.settings.channelSounds,
      followed: realm.settings.followedTopicSounds,
      direct: realm.settings.sounds,
    }),
  }
}

interface Wishes {
  readonly channel: 'desktopNotifications' | 'audibleNotifications'
  readonly channelDefault: boolean
  readonly followed: boolean
  /** Direct messages, mentions and alert words. */
  readonly direct: boolean
}

function wants(realm: Realm, message: Message, wishes: Wishes): boolean {
  const { conversation, flags } = message
  const mentioned = flags.includes('mentioned')
  const anyMention = mentioned || flags.includes('wildcardMentioned')
  const personal = conversation.kind === 'direct' || mentioned || flags.includes('alerted')
  if (personal && wishes.direct) return true
  if (conversation.kind === 'direct') return false
  const channel = realm.channels.get(conversation.channelId)
  const followed = realm.topicPolicies.get(message.key) === 'followed'
  if (channel !== undefined && (channel[wishes.channel] ?? wishes.channelDefault)) return true
  if (followed && wishes.followed) return true
  if (!anyMention || !wishes.direct) return false
  const wildcards = channel?.wildcardMentionsNotify ?? realm.settings.wildcardMentionsNotify
  return wildcards || (followed && realm.settings.followedTopicWildcardMentionsNotify)
}
