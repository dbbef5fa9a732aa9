import {
  array,
  boolean,
  minLength,
  object,
  optional,
  picklist,
  pipe,
  string,
  transform,
  union,
} from 'valibot'
import { answer, done, groupSetting, id, items, lenient } from './chat-fields.ts'
import { operation } from './operation.ts'

/** A number of days, or a word that the server wants as JSON text, quotes included. */
const retentionDays = union([
  id,
  pipe(
    picklist(['realm_default', 'unlimited']),
    transform((word) => JSON.stringify(word)),
  ),
])

export const channelOperations = {
  listSubscriptions: operation({
    service: 'chat',
    title: 'Get subscribed channels',
    method: 'GET',
    path: '/api/v1/users/me/subscriptions',
    params: object({}),
    reply: answer({ subscriptions: items }),
    effect: 'read',
  }),
  /** Newest first. */
  listTopics: operation({
    service: 'chat',
    title: 'Get topics in a channel',
    method: 'GET',
    path: '/api/v1/users/me/{stream_id}/topics',
    params: object({ stream_id: id, allow_empty_topic_name: optional(boolean(), true) }),
    reply: answer({ topics: items }),
    effect: 'read',
  }),
  updateTopicPolicy: operation({
    service: 'chat',
    title: 'Update personal preferences for a topic',
    method: 'POST',
    path: '/api/v1/user_topics',
    params: object({
      stream_id: id,
      topic: string(),
      /** 0 none, 1 muted, 2 unmuted, 3 followed. */
      visibility_policy: picklist([0, 1, 2, 3]),
    }),
    reply: done,
    effect: 'write',
  }),
  createChannel: operation({
    service: 'chat',
    title: 'Create a channel',
    method: 'POST',
    path: '/api/v1/channels/create',
    params: object({
      name: pipe(string(), minLength(1)),
      description: optional(string()),
      subscribers: array(id),
      announce: optional(boolean()),
      invite_only: optional(boolean()),
      is_web_public: optional(boolean()),
      is_default_stream: optional(boolean()),
      folder_id: optional(id),
      topics_policy: optional(
        picklist(['inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only']),
      ),
      history_public_to_subscribers: optional(boolean()),
      message_retention_days: optional(retentionDays),
      can_add_subscribers_group: optional(groupSetting),
      can_delete_any_message_group: optional(groupSetting),
      can_delete_own_message_group: optional(groupSetting),
      can_remove_subscribers_group: optional(groupSetting),
      can_administer_channel_group: optional(groupSetting),
      can_move_messages_out_of_channel_group: optional(groupSetting),
      can_move_messages_within_channel_group: optional(groupSetting),
      can_send_message_group: optional(groupSetting),
    }),
    reply: answer({ id: lenient(id) }),
    effect: 'write',
  }),
}
