import * as v from 'valibot'
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
      push_account_id: field(id, 'Push account', 'A number chosen by the device.'),
      token_kind: field(
        v.picklist(['fcm', 'apns']),
        'Kind',
        'The push service that issued the token.',
      ),
      push_public_key: nameField('Device key', 'The device’s public key, Base64.'),
      bouncer_public_key: nameField('Bouncer key', 'The public key it was encrypted for, Base64.'),
      encrypted_push_registration: nameField('Registration', 'The encrypted registration, Base64.'),
    },
    {},
    { since: 406 },
  ),
}
