import * as v from 'valibot'
import { optional, picklist } from 'valibot'
import { field, flag, optionalField, textUpTo } from '../schema-field.ts'
import {
  avatarAddresses,
  choice,
  del,
  emojiFields,
  get,
  id,
  idField,
  idsField,
  items,
  lenient,
  nameField,
  nonEmpty,
  patch,
  post,
  textField,
  userId,
  whole,
} from './chat-fields.ts'

const profileFields = {
  include_custom_profile_fields: flag('Profile', 'Include custom profile fields.'),
}

const userFields = {
  user_id: id,
  full_name: v.string(),
  email: lenient(v.string()),
  /** The real address; null when hidden from us. */
  delivery_email: lenient(v.nullable(v.string())),
  is_bot: lenient(v.boolean()),
  is_active: lenient(v.boolean()),
  role: lenient(whole),
  timezone: lenient(v.string()),
  avatar_url: lenient(v.nullable(v.string())),
}

const email = nameField('E-mail', 'Their real address, or the one the server made for them.')

export const userOperations = {
  getOwnUser: get('Get own user', '/users/me', {}, userFields),
  getUser: get(
    'Get a user',
    '/users/{user_id}',
    { user_id: userId, ...avatarAddresses, ...profileFields },
    { user: v.looseObject(userFields) },
  ),
  getUserByEmail: get(
    'Get a user by email',
    '/users/{email}',
    { email, ...avatarAddresses, ...profileFields },
    { user: v.looseObject(userFields) },
  ),
  listUsers: get(
    'Get all users',
    '/users',
    {
      ...avatarAddresses,
      ...profileFields,
      user_ids: v.optional(
        idsField('Users', 'Only these; all if empty.', { picker: 'users', since: 384 }),
      ),
    },
    { members: items },
    { maxBytes: 32 * 1024 * 1024, maxItems: 200_000 },
  ),
  updateUserByEmail: patch(
    'Update a user by email (organization administrators only)',
    '/users/{email}',
    {
      email,
      full_name: v.optional(nameField('New name', 'Their full name.')),
      role: choice(
        [100, 200, 300, 400, 600],
        'Role',
        '100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.',
      ),
      profile_data: optionalField(
        v.array(v.looseObject({ id, value: v.unknown() })),
        'Profile',
        'Custom profile fields: each with its id and value.',
      ),
      new_email: v.optional(textField('New e-mail', 'For owners who have that permission.')),
    },
  ),
  listUserGroups: get(
    'Get user groups',
    '/user_groups',
    {
      include_deactivated_groups: flag('Deactivated', 'Include deactivated groups.'),
    },
    { user_groups: items },
  ),
  updateUserGroupMembers: post(
    'Update user group members',
    '/user_groups/{user_group_id}/members',
    {
      user_group_id: idField('Group', 'The id of the group.'),
      add: v.optional(idsField('Add', 'Users to add.', { picker: 'users' })),
      delete: v.optional(idsField('Remove', 'Users to remove.', { picker: 'users' })),
      add_subgroups: v.optional(idsField('Add groups', 'Ids of the groups to add.')),
      delete_subgroups: v.optional(idsField('Remove groups', 'Ids of the groups to remove.')),
    },
  ),
}

const status = {
  status_text: optionalField(textUpTo(60), 'Status', 'Empty clears it.', { maxCodePoints: 60 }),
  emoji_name: v.optional(textField('Emoji', 'Its name; empty clears it.')),
  ...emojiFields,
}

/** The feature levels of two changes to the registration of devices for encrypted pushes. */
const pushKeyRenamed = 432
const e2eeRedesigned = 468

const setOwnStatus = post('Update your status', '/users/me/status', status)

/** Presence and statuses, muted users, and push devices. */
export const presenceOperations = {
  getUserStatus: get(
    'Get a user’s status',
    '/users/{user_id}/status',
    { user_id: userId },
    { status: v.unknown() },
  ),
  getUserPresence: get(
    'Get a user’s presence',
    '/users/{user_id}/presence',
    { user_id: userId },
    {
      presence: v.looseObject({
        aggregated: lenient(v.object({ status: v.string(), timestamp: whole })),
      }),
    },
  ),
  setOwnStatus,
  setUserStatus: post(
    'Update user status (organization administrators only)',
    '/users/{user_id}/status',
    { user_id: userId, ...status },
    {},
    {
      since: 407,
      older: ({ user_id, ...params }, me) =>
        user_id === me ? { operation: setOwnStatus, params } : null,
    },
  ),
  /** `active` means "would see a notification now": the server then sends no push and no e-mail. */
  updatePresence: post(
    'Update your presence',
    '/users/me/presence',
    {
      status: field(
        v.picklist(['active', 'idle']),
        'Status',
        'Active suppresses push notifications and e-mails about missed messages.',
      ),
      new_user_input: flag('Input', 'The keyboard or mouse was used just now.'),
      ping_only: flag('Send only', 'Don’t return the presence of others.'),
      last_update_id: optionalField(
        v.pipe(whole, v.minValue(-1)),
        'Since',
        'The last update you have; -1 for all.',
      ),
      history_limit_days: optionalField(
        v.pipe(whole, v.minValue(0)),
        'Presence history',
        'How far back to look.',
        {
          unit: 'days',
        },
      ),
      slim_presence: flag('Slim', 'The older switch to the modern format.'),
    },
    {
      presences: v.optional(v.unknown()),
      presence_last_update_id: lenient(whole),
      server_timestamp: v.optional(v.unknown()),
    },
  ),
  muteUser: post('Mute a user', '/users/me/muted_users/{muted_user_id}', {
    muted_user_id: userId,
  }),
  unmuteUser: del('Unmute a user', '/users/me/muted_users/{muted_user_id}', {
    muted_user_id: userId,
  }),
  addPushDeviceToken: post('Add a push device token (deprecated)', '/users/me/push_device_token', {
    token: nameField('Token', 'As issued by the phone’s system.'),
    appid: nameField('App', 'The app’s id.'),
  }),
  /** Undocumented beyond its name; the fields are those of the real server. */
  registerE2eePushDevice: post(
    'Register E2EE push device',
    '/mobile_push/register',
    {
      device_id: optionalField(id, 'Device', 'The id that the server gave the device.', {
        since: e2eeRedesigned,
      }),
      push_account_id: optionalField(id, 'Push account', 'A number chosen by the device.', {
        before: e2eeRedesigned,
      }),
      token_kind: field(
        v.picklist(['fcm', 'apns']),
        'Kind',
        'The push service that issued the token.',
      ),
      token_id: optionalField(nonEmpty, 'Token', 'The hash of the token, Base64.', {
        since: e2eeRedesigned,
      }),
      push_public_key: optionalField(nonEmpty, 'Device key', 'The device’s public key, Base64.', {
        before: pushKeyRenamed,
      }),
      push_key: optionalField(nonEmpty, 'Push key', 'The device’s key, Base64.', {
        since: pushKeyRenamed,
      }),
      push_key_id: optionalField(id, 'Push key id', 'A number chosen by the device.', {
        since: e2eeRedesigned,
      }),
      bouncer_public_key: nameField('Bouncer key', 'The public key it was encrypted for, Base64.'),
      encrypted_push_registration: nameField('Registration', 'The encrypted registration, Base64.'),
    },
    {},
    { since: 406 },
  ),
}

function number(label: string, help: string, unit?: 'seconds') {
  return optionalField(whole, label, help, unit === undefined ? {} : { unit })
}

const account = {
  full_name: optionalField(nonEmpty, 'Name', 'How others see you.'),
  email: optionalField(
    nonEmpty,
    'E-mail',
    'Changes once you follow the link sent to it; at most twice an hour.',
  ),
  old_password: optional(textField('Old password', 'Only needed to set a new one.')),
  new_password: optional(textField('New password', 'Also needs the old one.')),
  timezone: optional(textField('Time zone', 'IANA identifier, such as Europe/Ljubljana.')),
  default_language: optional(textField('Language', 'Language code, such as en or de.')),
  email_address_visibility: choice(
    [1, 2, 3, 4, 5],
    'Who sees my e-mail',
    '1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators.',
  ),
  presence_enabled: flag('Show presence', 'Others see when you are online.'),
  send_read_receipts: flag('Send read receipts', 'Others can see what you have read.'),
  send_private_typing_notifications: flag(
    'Send typing (direct)',
    'Others see when you type in direct messages.',
  ),
  send_stream_typing_notifications: flag(
    'Send typing (channels)',
    'Others see when you type in channels.',
  ),
  receives_typing_notifications: flag('See typing', 'See when others are typing.'),
  allow_private_data_export: flag('Allow export', 'Administrators may export your private data.'),
}

const appearance = {
  twenty_four_hour_time: flag('24-hour clock', 'Off: AM and PM.'),
  web_channel_default_view: choice(
    [1, 2, 3, 4],
    'Channel links open',
    '1 top topic, 2 channel feed, 3 list of topics, 4 top unread topic.',
  ),
  starred_message_counts: flag('Count starred', 'Show how many messages are starred.'),
  web_suggest_update_timezone: flag(
    'Suggest time zone',
    'Ask when the computer’s time zone differs.',
  ),
  fluid_layout_width: flag('Full width', 'Use the whole window.'),
  high_contrast_mode: flag('High contrast', 'Stronger colours.'),
  web_font_size_px: number('Font size', 'In pixels.'),
  web_line_height_percent: number('Line height', 'In percent: 120 is 1.2.'),
  color_scheme: choice([1, 2, 3], 'Theme', '1 automatic, 2 dark, 3 light.'),
  translate_emoticons: flag('Emoticons to emoji', 'Turn :) into an emoji on sending.'),
  display_emoji_reaction_users: flag('Names in reactions', 'Show who reacted.'),
  web_home_view: choice(
    ['recent', 'recent_topics', 'inbox', 'all_messages'],
    'Home view',
    'What opens first. Before feature level 454, recent is recent_topics.',
  ),
  web_escape_navigates_to_home_view: flag('Esc goes home', 'Esc opens the home view.'),
  left_side_userlist: flag('Users on the left', 'In narrow windows.'),
  emojiset: choice(['google', 'twitter', 'text'], 'Emoji style', 'How emoji look.'),
  demote_inactive_streams: choice(
    [1, 2, 3],
    'Inactive channels last',
    '1 automatic, 2 always, 3 never.',
  ),
  user_list_style: choice(
    [1, 2, 3],
    'User list',
    '1 compact, 2 with status, 3 with avatar and status.',
  ),
  web_animate_image_previews: choice(
    ['always', 'on_hover', 'never'],
    'Animated images',
    'When they play.',
  ),
  web_stream_unreads_count_display_policy: choice(
    [1, 2, 3],
    'Unread counts',
    '1 all channels, 2 unmuted channels and topics, 3 no channels.',
  ),
  web_mark_read_on_scroll_policy: choice(
    [1, 2, 3],
    'Mark read on scroll',
    '1 always, 2 in conversation views, 3 never.',
  ),
  web_navigate_to_sent_message: flag('Go to what I sent', 'Show the conversation after sending.'),
  enter_sends: flag('Enter sends', 'Off: Enter makes a new line.'),
  hide_ai_features: flag('Hide AI features', 'In all clients.'),
  enable_drafts_synchronization: flag(
    'Synchronise drafts',
    'Off deletes all drafts stored on the server.',
  ),
}

const notifications = {
  enable_stream_desktop_notifications: flag('Channels: desktop', 'Pop-ups for channel messages.'),
  enable_stream_email_notifications: flag('Channels: e-mail', 'E-mails for channel messages.'),
  enable_stream_push_notifications: flag('Channels: mobile', 'Push for channel messages.'),
  enable_stream_audible_notifications: flag('Channels: sound', 'Sounds for channel messages.'),
  notification_sound: optional(textField('Sound', 'The name of the sound.')),
  enable_desktop_notifications: flag(
    'Direct: desktop',
    'Pop-ups for direct messages and mentions.',
  ),
  enable_sounds: flag('Direct: sound', 'Sounds for direct messages and mentions.'),
  email_notifications_batching_period_seconds: number(
    'E-mail delay',
    'How long the server collects messages before sending an e-mail.',
    'seconds',
  ),
  enable_offline_email_notifications: flag('Offline: e-mail', 'Direct messages and mentions.'),
  enable_offline_push_notifications: flag('Offline: mobile', 'Direct messages and mentions.'),
  enable_online_push_notifications: flag('Online: mobile', 'Push even while you are online.'),
  enable_followed_topic_desktop_notifications: flag(
    'Followed: desktop',
    'Pop-ups for followed topics.',
  ),
  enable_followed_topic_email_notifications: flag(
    'Followed: e-mail',
    'E-mails for followed topics.',
  ),
  enable_followed_topic_push_notifications: flag('Followed: mobile', 'Push for followed topics.'),
  enable_followed_topic_audible_notifications: flag(
    'Followed: sound',
    'Sounds for followed topics.',
  ),
  enable_followed_topic_wildcard_mentions_notify: flag(
    'Followed: wildcard mentions',
    'Notify about @all and @topic in followed topics.',
  ),
  wildcard_mentions_notify: flag(
    'Wildcard mentions',
    'Notify about @all as if you were mentioned.',
  ),
  pm_content_in_desktop_notifications: flag('Text in pop-ups', 'Show the text of direct messages.'),
  message_content_in_email_notifications: flag('Text in e-mails', 'Show the text of messages.'),
  realm_name_in_email_notifications_policy: choice(
    [1, 2, 3],
    'Organization in subjects',
    '1 automatic, 2 always, 3 never.',
  ),
  desktop_icon_count_display: choice(
    [1, 2, 3, 4],
    'Badge counts',
    '1 all unread, 2 direct, mentions and followed, 3 direct and mentions, 4 nothing.',
  ),
  enable_digest_emails: flag('Digest e-mails', 'Sent after you have been away.'),
  enable_marketing_emails: flag('Marketing e-mails', 'On the hosted service.'),
  enable_login_emails: flag('Sign-in e-mails', 'Sent for each new sign-in.'),
  automatically_follow_topics_policy: choice(
    [1, 2, 3, 4],
    'Follow automatically',
    '1 topics you take part in, 2 post in, 3 start, 4 never.',
  ),
  automatically_unmute_topics_in_muted_streams_policy: choice(
    [1, 2, 3, 4],
    'Unmute automatically',
    'In muted channels: 1 topics you take part in, 2 post in, 3 start, 4 never.',
  ),
  automatically_follow_topics_where_mentioned: flag(
    'Follow where mentioned',
    'Follow topics where you are mentioned.',
  ),
  resolved_topic_notice_auto_read_policy: optionalField(
    picklist(['always', 'except_followed', 'never']),
    'Notices of resolved topics',
    'When they arrive already read.',
    { since: 385 },
  ),
}

export const settingsOperations = {
  /** All documented fields and those of the real server, which reports unknown ones as ignored. */
  updateSettings: patch(
    'Update settings',
    '/settings',
    { ...account, ...appearance, ...notifications },
    {},
    {
      refuses: (params) => {
        const given = Object.keys(params).filter((name) => params[name] !== undefined)
        if (given.length === 0)
          return { field: 'full_name', message: 'change at least one setting' }
        // Chat API, "Update settings": each of the two requires the other.
        if (given.includes('old_password') === given.includes('new_password')) return null
        const field = given.includes('old_password') ? 'new_password' : 'old_password'
        return { field, message: 'give both passwords or neither' }
      },
    },
  ),
}
