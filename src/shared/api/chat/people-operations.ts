import {
  array,
  boolean,
  looseObject,
  nullable,
  object,
  optional,
  picklist,
  string,
  unknown,
} from 'valibot'
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import {
  answer,
  avatarAddresses,
  done,
  flagField,
  id,
  idField,
  idsField,
  items,
  lenient,
  nameField,
  textField,
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
