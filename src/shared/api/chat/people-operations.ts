import {
  array,
  boolean,
  looseObject,
  minValue,
  nullable,
  object,
  optional,
  picklist,
  pipe,
  string,
  unknown,
} from 'valibot'
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import {
  answer,
  avatarAddresses,
  done,
  emojiFields,
  flagField,
  id,
  idField,
  idsField,
  items,
  lenient,
  nameField,
  textField,
  textUpTo,
  userId,
  whole,
} from './chat-fields.ts'

const profileFields = {
  include_custom_profile_fields: optional(
    flagField('Profile', 'With their custom profile fields.'),
  ),
}

const userFields = {
  user_id: id,
  full_name: string(),
  email: lenient(string()),
  /** The real address; null when hidden from us. */
  delivery_email: lenient(nullable(string())),
  is_bot: lenient(boolean()),
  is_active: lenient(boolean()),
  role: lenient(whole),
  timezone: lenient(string()),
  avatar_url: lenient(nullable(string())),
}

const email = nameField('E-mail', 'Their real address, or the one the server made up.')

export const userOperations = {
  getOwnUser: operation({
    service: 'chat',
    title: 'Get own user',
    method: 'GET',
    path: '/api/v1/users/me',
    params: object({}),
    reply: answer(userFields),
    effect: 'read',
  }),
  getUser: operation({
    service: 'chat',
    title: 'Get a user',
    method: 'GET',
    path: '/api/v1/users/{user_id}',
    params: object({ user_id: userId, ...avatarAddresses, ...profileFields }),
    reply: answer({ user: looseObject(userFields) }),
    effect: 'read',
  }),
  getUserByEmail: operation({
    service: 'chat',
    title: 'Get a user by email',
    method: 'GET',
    path: '/api/v1/users/{email}',
    params: object({ email, ...avatarAddresses, ...profileFields }),
    reply: answer({ user: looseObject(userFields) }),
    effect: 'read',
  }),
  listUsers: operation({
    service: 'chat',
    title: 'Get all users',
    method: 'GET',
    path: '/api/v1/users',
    params: object({
      ...avatarAddresses,
      ...profileFields,
      user_ids: optional(
        idsField('Users', 'These alone; all when not given.', { picker: 'users' }),
      ),
    }),
    reply: answer({ members: items }),
    effect: 'read',
    maxBytes: 32 * 1024 * 1024,
    maxItems: 200_000,
  }),
  updateUserByEmail: operation({
    service: 'chat',
    title: 'Update a user by email (organization administrators only)',
    method: 'PATCH',
    path: '/api/v1/users/{email}',
    params: object({
      email,
      full_name: optional(nameField('New name', 'Their full name.')),
      role: optional(
        field(
          picklist([100, 200, 300, 400, 600]),
          'Role',
          '100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.',
        ),
      ),
      profile_data: optional(
        field(
          array(looseObject({ id, value: unknown() })),
          'Profile',
          'Custom profile fields: each with its id and value.',
        ),
      ),
      new_email: optional(textField('New e-mail', 'Owners only, with the permission for it.')),
    }),
    reply: done,
    effect: 'write',
  }),
  listUserGroups: operation({
    service: 'chat',
    title: 'Get user groups',
    method: 'GET',
    path: '/api/v1/user_groups',
    params: object({
      include_deactivated_groups: optional(flagField('Deactivated', 'These too.')),
    }),
    reply: answer({ user_groups: items }),
    effect: 'read',
  }),
  updateUserGroupMembers: operation({
    service: 'chat',
    title: 'Update user group members',
    method: 'POST',
    path: '/api/v1/user_groups/{user_group_id}/members',
    params: object({
      user_group_id: idField('Group', 'By its id.'),
      add: optional(idsField('Add', 'Users to add.', { picker: 'users' })),
      delete: optional(idsField('Remove', 'Users to remove.', { picker: 'users' })),
      add_subgroups: optional(idsField('Add groups', 'Groups to add, by their ids.')),
      delete_subgroups: optional(idsField('Remove groups', 'Groups to remove, by their ids.')),
    }),
    reply: done,
    effect: 'write',
  }),
}

const status = {
  status_text: optional(field(textUpTo(60), 'Status', 'Empty clears it.', { maxCodePoints: 60 })),
  emoji_name: optional(textField('Emoji', 'Its name; empty clears it.')),
  emoji_code: optional(emojiFields.emoji_code),
  reaction_type: optional(emojiFields.reaction_type),
}

/** Who is here and what they are up to; whom one does not want to hear; which phones to push to. */
export const presenceOperations = {
  getUserStatus: operation({
    service: 'chat',
    title: 'Get a user’s status',
    method: 'GET',
    path: '/api/v1/users/{user_id}/status',
    params: object({ user_id: userId }),
    reply: answer({ status: unknown() }),
    effect: 'read',
  }),
  setOwnStatus: operation({
    service: 'chat',
    title: 'Update your status',
    method: 'POST',
    path: '/api/v1/users/me/status',
    params: object(status),
    reply: done,
    effect: 'write',
  }),
  setUserStatus: operation({
    service: 'chat',
    title: 'Update user status (organization administrators only)',
    method: 'POST',
    path: '/api/v1/users/{user_id}/status',
    params: object({ user_id: userId, ...status }),
    reply: done,
    effect: 'write',
  }),
  /** `active` says "would see a notification now": the server then pushes and mails nothing. */
  updatePresence: operation({
    service: 'chat',
    title: 'Update your presence',
    method: 'POST',
    path: '/api/v1/users/me/presence',
    params: object({
      status: field(
        picklist(['active', 'idle']),
        'Status',
        'Active keeps push notifications and e-mails about missed messages away.',
      ),
      new_user_input: optional(flagField('Input', 'Keyboard or mouse were used just now.')),
      ping_only: optional(flagField('Tell only', 'Don’t answer with the presence of others.')),
      last_update_id: optional(
        field(pipe(whole, minValue(-1)), 'Since', 'The last update known; -1 for all.'),
      ),
      history_limit_days: optional(
        field(pipe(whole, minValue(0)), 'Presence of', 'How far back.', { unit: 'days' }),
      ),
      slim_presence: optional(flagField('Slim', 'The older switch for the modern form.')),
    }),
    reply: answer({
      presences: optional(unknown()),
      presence_last_update_id: lenient(whole),
      server_timestamp: optional(unknown()),
    }),
    effect: 'write',
  }),
  /** Their messages come as read and stay folded. */
  muteUser: operation({
    service: 'chat',
    title: 'Mute a user',
    method: 'POST',
    path: '/api/v1/users/me/muted_users/{muted_user_id}',
    params: object({ muted_user_id: userId }),
    reply: done,
    effect: 'write',
  }),
  unmuteUser: operation({
    service: 'chat',
    title: 'Unmute a user',
    method: 'DELETE',
    path: '/api/v1/users/me/muted_users/{muted_user_id}',
    params: object({ muted_user_id: userId }),
    reply: done,
    effect: 'write',
  }),
  addPushDeviceToken: operation({
    service: 'chat',
    title: 'Add a push device token (deprecated)',
    method: 'POST',
    path: '/api/v1/users/me/push_device_token',
    params: object({
      token: nameField('Token', 'As the phone’s system gave it.'),
      appid: nameField('App', 'The app’s id.'),
    }),
    reply: done,
    effect: 'write',
  }),
  /** Named in the document without a description; the fields are those of the real server. */
  registerE2eePushDevice: operation({
    service: 'chat',
    title: 'Register E2EE push device',
    method: 'POST',
    path: '/api/v1/mobile_push/register',
    params: object({
      push_account_id: field(id, 'Push account', 'A number that the device chose.'),
      token_kind: field(picklist(['fcm', 'apns']), 'Kind', 'Whose push service the token is of.'),
      push_public_key: nameField('Device key', 'The device’s public key, Base64.'),
      bouncer_public_key: nameField('Bouncer key', 'The public key it was encrypted for, Base64.'),
      encrypted_push_registration: nameField('Registration', 'The encrypted registration, Base64.'),
    }),
    reply: done,
    effect: 'write',
  }),
}
