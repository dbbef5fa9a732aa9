import { type AccountId, neverRead } from '../account.ts'
import { noMessages } from './message-list.ts'
import type { ChatSettings, Realm, ToldMessages } from './realm.ts'

/** The server's defaults for a new user (zerver/models/users.py), for what it does not say. */
export const usualChatSettings: ChatSettings = {
  desktopNotifications: true,
  channelDesktopNotifications: false,
  followedTopicDesktopNotifications: true,
  wildcardMentionsNotify: true,
  followedTopicWildcardMentionsNotify: true,
  sounds: true,
  channelSounds: false,
  followedTopicSounds: true,
  showDirectMessageText: true,
}

/** A chat account before its first registration. `told` comes from disk when it is known from before. */
export function emptyRealm(accountId: AccountId, told: ToldMessages | null): Realm {
  return {
    accountId,
    phase: 'connecting',
    freshness: { ...neverRead, intervalMs: 90_000 },
    me: null,
    limits: { messageLength: 10_000, topicLength: 60 },
    emptyTopicName: 'general chat',
    users: new Map(),
    channels: new Map(),
    topicPolicies: new Map(),
    mutedUsers: [],
    settings: usualChatSettings,
    messages: noMessages,
    conversations: new Map(),
    movedTo: new Map(),
    told,
    emoji: new Map(),
  }
}
