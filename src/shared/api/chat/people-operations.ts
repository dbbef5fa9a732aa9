import * as v from 'valibot'
import { operation } from '../operation.ts'
import { field, textUpTo } from '../schema-field.ts'
import {
  answer,
  avatarAddresses,
  emojiFields,
  flag,
  id,
  idField,
  idsField,
  items,
  lenient,
  nameField,
  reads,
  textField,
  userId,
  whole,
  writes,
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
  getOwnUser: operation({
    ...reads,
    title: 'Get own user',
    path: '/api/v1/users/me',
    params: v.object({}),
    reply: answer(userFields),
  }),
  getUser: operation({
    ...reads,
    title: 'Get a user',
    path: '/api/v1/users/{user_id}',
    params: v.object({ user_id: userId, ...avatarAddresses, ...profileFields }),
    reply: answer({ user: v.looseObject(userFields) }),
  }),
  getUserByEmail: operation({
    ...reads,
    title: 'Get a user by email',
    path: '/api/v1/users/{email}',
    params: v.object({ email, ...avatarAddresses, ...profileFields }),
    reply: answer({ user: v.looseObject(userFields) }),
  }),
  listUsers: operation({
    ...reads,
    title: 'Get all users',
    path: '/api/v1/users',
    params: v.object({
      ...avatarAddresses,
      ...profileFields,
      user_ids: v.optional(idsField('Users', 'Only these; all if empty.', { picker: 'users' })),
    }),
    reply: answer({ members: items }),
    maxBytes: 32 * 1024 * 1024,
    maxItems: 200_000,
  }),
  updateUserByEmail: operation({
    ...writes,
    title: 'Update a user by email (organization administrators only)',
    method: 'PATCH',
    path: '/api/v1/users/{email}',
    params: v.object({
      email,
      full_name: v.optional(nameField('New name', 'Their full name.')),
      role: v.optional(
        field(
          v.picklist([100, 200, 300, 400, 600]),
          'Role',
          '100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.',
        ),
      ),
      profile_data: v.optional(
        field(
          v.array(v.looseObject({ id, value: v.unknown() })),
          'Profile',
          'Custom profile fields: each with its id and value.',
        ),
      ),
      new_email: v.optional(textField('New e-mail', 'For owners who have that permission.')),
    }),
  }),
  listUserGroups: operation({
    ...reads,
    title: 'Get user groups',
    path: '/api/v1/user_groups',
    params: v.object({
      include_deactivated_groups: flag('Deactivated', 'Include deactivated groups.'),
    }),
    reply: answer({ user_groups: items }),
  }),
  updateUserGroupMembers: operation({
    ...writes,
    title: 'Update user group members',
    path: '/api/v1/user_groups/{user_group_id}/members',
    params: v.object({
      user_group_id: idField('Group', 'The id of the group.'),
      add: v.optional(idsField('Add', 'Users to add.', { picker: 'users' })),
      delete: v.optional(idsField('Remove', 'Users to remove.', { picker: 'users' })),
      add_subgroups: v.optional(idsField('Add groups', 'Ids of the groups to add.')),
      delete_subgroups: v.optional(idsField('Remove groups', 'Ids of the groups to remove.')),
    }),
  }),
}

const status = {
  status_text: v.optional(field(textUpTo(60), 'Status', 'Empty clears it.', { maxCodePoints: 60 })),
  emoji_name: v.optional(textField('Emoji', 'Its name; empty clears it.')),
  emoji_code: v.optional(emojiFields.emoji_code),
  reaction_type: v.optional(emojiFields.reaction_type),
}

/** Presence and statuses, muted users, and push devices. */
export const presenceOperations = {
  getUserStatus: operation({
    ...reads,
    title: 'Get a user’s status',
    path: '/api/v1/users/{user_id}/status',
    params: v.object({ user_id: userId }),
    reply: answer({ status: v.unknown() }),
  }),
  setOwnStatus: operation({
    ...writes,
    title: 'Update your status',
    path: '/api/v1/users/me/status',
    params: v.object(status),
  }),
  setUserStatus: operation({
    ...writes,
    title: 'Update user status (organization administrators only)',
    path: '/api/v1/users/{user_id}/status',
    params: v.object({ user_id: userId, ...status }),
  }),
  /** `active` means "would see a notification now": the server then sends no push and no e-mail. */
  updatePresence: operation({
    ...writes,
    title: 'Update your presence',
    path: '/api/v1/users/me/presence',
    params: v.object({
      status: field(
        v.picklist(['active', 'idle']),
        'Status',
        'Active suppresses push notifications and e-mails about missed messages.',
      ),
      new_user_input: flag('Input', 'The keyboard or mouse was used just now.'),
      ping_only: flag('Send only', 'Don’t return the presence of others.'),
      last_update_id: v.optional(
        field(v.pipe(whole, v.minValue(-1)), 'Since', 'The last update you have; -1 for all.'),
      ),
      history_limit_days: v.optional(
        field(v.pipe(whole, v.minValue(0)), 'Presence history', 'How far back to look.', {
          unit: 'days',
        }),
      ),
      slim_presence: flag('Slim', 'The older switch to the modern format.'),
    }),
    reply: answer({
      presences: v.optional(v.unknown()),
      presence_last_update_id: lenient(whole),
      server_timestamp: v.optional(v.unknown()),
    }),
  }),
  muteUser: operation({
    ...writes,
    title: 'Mute a user',
    path: '/api/v1/users/me/muted_users/{muted_user_id}',
    params: v.object({ muted_user_id: userId }),
  }),
  unmuteUser: operation({
    ...writes,
    title: 'Unmute a user',
    method: 'DELETE',
    path: '/api/v1/users/me/muted_users/{muted_user_id}',
    params: v.object({ muted_user_id: userId }),
  }),
  addPushDeviceToken: operation({
    ...writes,
    title: 'Add a push device token (deprecated)',
    path: '/api/v1/users/me/push_device_token',
    params: v.object({
      token: nameField('Token', 'As issued by the phone’s system.'),
      appid: nameField('App', 'The app’s id.'),
    }),
  }),
  /** Named in the document without a description; the fields are those of the real server. */
  registerE2eePushDevice: operation({
    ...writes,
    title: 'Register E2EE push device',
    path: '/api/v1/mobile_push/register',
    params: v.object({
      push_account_id: field(id, 'Push account', 'A number chosen by the device.'),
      token_kind: field(
        v.picklist(['fcm', 'apns']),
        'Kind',
        'The push service that issued the token.',
      ),
      push_public_key: nameField('Device key', 'The device’s public key, Base64.'),
      bouncer_public_key: nameField('Bouncer key', 'The public key it was encrypted for, Base64.'),
      encrypted_push_registration: nameField('Registration', 'The encrypted registration, Base64.'),
    }),
  }),
}
