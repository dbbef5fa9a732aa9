import { object, optional, picklist, pipe, transform, union } from 'valibot'
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import {
  answer,
  channelId,
  done,
  flagField,
  groupSetting,
  id,
  idField,
  idsField,
  items,
  lenient,
  nameField,
  textField,
} from './chat-fields.ts'

/** A number of days, or a word that the server wants as JSON text, quotes included. */
const retentionDays = union([
  id,
  pipe(
    picklist(['realm_default', 'unlimited']),
    transform((word) => JSON.stringify(word)),
  ),
])

const emptyTopicAllowed = optional(
  flagField('Empty topic as such', 'Else it comes under the name shown for it.'),
  true,
)

function group(label: string) {
  return optional(
    field(groupSetting, label, 'A group by its id, or direct_members and direct_subgroups.'),
  )
}

export const channelOperations = {
  /** Those that one may see, followed or not. */
  listChannels: operation({
    service: 'chat',
    title: 'Get all channels',
    method: 'GET',
    path: '/api/v1/streams',
    params: object({
      include_public: optional(flagField('Public', 'Public channels; on by default.')),
      include_web_public: optional(flagField('Web-public', 'Channels that are public on the web.')),
      include_subscribed: optional(flagField('Subscribed', 'Channels you follow; on by default.')),
      exclude_archived: optional(
        flagField('No archived', 'Leave archived ones out; on by default.'),
      ),
      include_all: optional(flagField('All', 'Every channel you have metadata access to.')),
      include_default: optional(flagField('Default', 'Channels that new users follow.')),
      include_owner_subscribed: optional(
        flagField('Of my owner', 'For bots: channels that the owner follows.'),
      ),
      include_can_access_content: optional(
        flagField('Readable', 'Channels whose messages you may read.'),
      ),
    }),
    reply: answer({ streams: items }),
    effect: 'read',
  }),
  listSubscriptions: operation({
    service: 'chat',
    title: 'Get subscribed channels',
    method: 'GET',
    path: '/api/v1/users/me/subscriptions',
    params: object({
      include_subscribers: optional(flagField('Subscribers', 'List who follows each channel.')),
    }),
    reply: answer({ subscriptions: items }),
    effect: 'read',
  }),
  /** Newest first. */
  listTopics: operation({
    service: 'chat',
    title: 'Get topics in a channel',
    method: 'GET',
    path: '/api/v1/users/me/{stream_id}/topics',
    params: object({ stream_id: channelId, allow_empty_topic_name: emptyTopicAllowed }),
    reply: answer({ topics: items }),
    effect: 'read',
  }),
  updateTopicPolicy: operation({
    service: 'chat',
    title: 'Update personal preferences for a topic',
    method: 'POST',
    path: '/api/v1/user_topics',
    params: object({
      stream_id: channelId,
      topic: textField('Topic', 'Its name.'),
      visibility_policy: field(
        picklist([0, 1, 2, 3]),
        'Policy',
        '0 none, 1 muted, 2 unmuted, 3 followed.',
      ),
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
      name: nameField('Name', 'As long as the server allows; no two channels share one.'),
      description: optional(
        textField('Description', 'Markdown: what the channel is for.', { multiline: true }),
      ),
      subscribers: idsField('Subscribers', 'Who follows it from the start.', { picker: 'users' }),
      announce: optional(flagField('Announce', 'The notification bot tells of the new channel.')),
      invite_only: optional(flagField('Private', 'Only subscribers can read it.')),
      is_web_public: optional(flagField('Public on the web', 'Readable without an account.')),
      is_default_stream: optional(flagField('Default', 'New users follow it by themselves.')),
      folder_id: optional(idField('Folder', 'The channel folder, by its id.')),
      topics_policy: optional(
        field(
          picklist(['inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only']),
          'Empty topic',
          'Whether messages need a topic here; inherit takes the organization’s rule.',
        ),
      ),
      history_public_to_subscribers: optional(
        flagField('Shared history', 'New subscribers can read what was said before.'),
      ),
      message_retention_days: optional(
        field(retentionDays, 'Keep messages', 'A number of days, realm_default or unlimited.', {
          unit: 'days',
        }),
      ),
      send_new_subscription_messages: optional(
        flagField('Tell subscribers', 'Each subscriber gets a message that they were added.'),
      ),
      can_add_subscribers_group: group('Who may add subscribers'),
      can_delete_any_message_group: group('Who may delete any message'),
      can_delete_own_message_group: group('Who may delete their own messages'),
      can_remove_subscribers_group: group('Who may remove subscribers'),
      can_administer_channel_group: group('Who may administer the channel'),
      can_move_messages_out_of_channel_group: group('Who may move messages out'),
      can_move_messages_within_channel_group: group('Who may move messages within'),
      can_send_message_group: group('Who may send messages'),
      can_subscribe_group: group('Who may subscribe'),
      can_resolve_topics_group: group('Who may resolve topics'),
    }),
    reply: answer({ id: lenient(id) }),
    effect: 'write',
  }),
}
