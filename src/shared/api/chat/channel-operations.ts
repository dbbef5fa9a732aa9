import {
  array,
  boolean,
  object,
  optional,
  picklist,
  pipe,
  transform,
  union,
  unknown,
} from 'valibot'
import { type About, field, flag, optionalField } from '../schema-field.ts'
import {
  channelId,
  emptyTopicAllowed,
  get,
  id,
  idField,
  idsField,
  items,
  lenient,
  nameField,
  post,
  textField,
} from './chat-fields.ts'

/** A number of days, or a word, which the server expects as JSON, quotes included. */
const retentionDays = union([
  id,
  pipe(
    picklist(['realm_default', 'unlimited']),
    transform((word) => JSON.stringify(word)),
  ),
])

/** API, "Group-setting value": a user group, or an unnamed one made of its members. */
const groupSetting = union([
  id,
  object({
    direct_members: idsField('Users', 'Users who are members themselves.', { picker: 'users' }),
    direct_subgroups: idsField('Groups', 'Ids of the groups that are members.'),
  }),
])

function group(label: string, about: About = {}) {
  const help = 'A group id, or direct_members and direct_subgroups.'
  return optionalField(groupSetting, label, help, about)
}

/** The feature level of `/channels/create`: the older request accepts no field marked with it. */
const createdSince = 417
const createOnly = { since: createdSince }

const creationFields = {
  announce: flag('Announce', 'The notification bot announces the new channel.'),
  invite_only: flag('Private', 'Only subscribers can read it.'),
  is_web_public: flag('Public on the web', 'Readable without an account.'),
  is_default_stream: flag('Default', 'New users are subscribed automatically.'),
  history_public_to_subscribers: flag(
    'Shared history',
    'New subscribers can read earlier messages.',
  ),
  message_retention_days: optionalField(
    retentionDays,
    'Keep messages',
    'A number of days, realm_default or unlimited.',
    { unit: 'days' },
  ),
  can_add_subscribers_group: group('Who may add subscribers'),
  can_remove_subscribers_group: group('Who may remove subscribers'),
  can_administer_channel_group: group('Who may administer the channel'),
  can_send_message_group: group('Who may send messages'),
  can_subscribe_group: group('Who may subscribe'),
}

const subscribe = post(
  'Subscribe to channels',
  '/users/me/subscriptions',
  {
    subscriptions: field(
      array(
        object({
          name: nameField('Name', 'A channel that does not exist yet is created.'),
          description: optional(textField('Description', 'Of a new channel.')),
        }),
      ),
      'Channels',
      'Each with its name; those that do not exist yet are created.',
    ),
    principals: optional(
      idsField('Subscribers', 'Who is subscribed; you if empty.', { picker: 'users' }),
    ),
    authorization_errors_fatal: flag(
      'All or none',
      'Fail if one of the channels can’t be subscribed to; on by default.',
    ),
    ...creationFields,
  },
  {
    subscribed: optional(unknown()),
    already_subscribed: optional(unknown()),
    unauthorized: optional(unknown()),
  },
)

export const channelOperations = {
  /** All channels that you may see, subscribed or not. */
  listChannels: get(
    'Get all channels',
    '/streams',
    {
      include_public: flag('Public', 'Public channels; on by default.'),
      include_web_public: flag('Web-public', 'Channels that are public on the web.'),
      include_subscribed: flag('Subscribed', 'Channels you are subscribed to; on by default.'),
      exclude_archived: flag('Exclude archived', 'Leave out archived channels; on by default.'),
      include_all: flag('All', 'Every channel you have metadata access to.'),
      include_default: flag('Default', 'Channels that new users are subscribed to.'),
      include_owner_subscribed: flag(
        'Of my owner',
        'For bots: channels their owner is subscribed to.',
      ),
      include_can_access_content: flag('Readable', 'Channels whose messages you can read.'),
    },
    { streams: items },
  ),
  listSubscribers: get(
    'Get channel subscribers',
    '/streams/{stream_id}/members',
    { stream_id: channelId },
    { subscribers: array(id) },
  ),
  listSubscriptions: get(
    'Get subscribed channels',
    '/users/me/subscriptions',
    {
      include_subscribers: flag('Subscribers', 'List the subscribers of each channel.'),
    },
    { subscriptions: items },
  ),
  /** Newest first. */
  listTopics: get(
    'Get topics in a channel',
    '/users/me/{stream_id}/topics',
    { stream_id: channelId, allow_empty_topic_name: emptyTopicAllowed },
    { topics: items },
  ),
  updateTopicPolicy: post('Update personal preferences for a topic', '/user_topics', {
    stream_id: channelId,
    topic: textField('Topic', 'The name of the topic.'),
    visibility_policy: field(
      picklist([0, 1, 2, 3]),
      'Policy',
      '0 none, 1 muted, 2 unmuted, 3 followed.',
    ),
  }),
  /** Also creates channels: the only way before feature level 417. */
  subscribe,
  createChannel: post(
    'Create a channel',
    '/channels/create',
    {
      name: nameField('Name', 'Must be unique; the server limits its length.'),
      description: optional(
        textField('Description', 'Markdown: what the channel is for.', { multiline: true }),
      ),
      subscribers: idsField('Subscribers', 'Who is subscribed from the start.', {
        picker: 'users',
      }),
      ...creationFields,
      folder_id: optional(idField('Folder', 'The id of the channel folder.', createOnly)),
      topics_policy: optionalField(
        picklist(['inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only']),
        'Empty topic',
        'Whether messages here need a topic; inherit uses the organization’s setting.',
        createOnly,
      ),
      send_new_subscription_messages: optionalField(
        boolean(),
        'Notify subscribers',
        'Send each subscriber a message that they were added.',
        createOnly,
      ),
      can_delete_any_message_group: group('Who may delete any message', createOnly),
      can_delete_own_message_group: group('Who may delete their own messages', createOnly),
      can_move_messages_out_of_channel_group: group('Who may move messages out', createOnly),
      can_move_messages_within_channel_group: group('Who may move messages within', createOnly),
      can_resolve_topics_group: group('Who may resolve topics', createOnly),
    },
    { id: lenient(id) },
    {
      since: createdSince,
      older: ({ name, description, subscribers, ...rest }) => ({
        operation: subscribe,
        params: {
          ...Object.fromEntries(Object.entries(rest).filter(([field]) => field in creationFields)),
          subscriptions: [{ name, ...(description === undefined ? {} : { description }) }],
          principals: subscribers,
        },
      }),
    },
  ),
}
