import {
  array,
  boolean,
  looseObject,
  minLength,
  nullable,
  object,
  optional,
  picklist,
  pipe,
  string,
  unknown,
} from 'valibot'
import {
  answer,
  avatarAddresses,
  done,
  id,
  items,
  lenient,
  reactionType,
  textUpTo,
  whole,
} from './chat-fields.ts'
import { operation } from './operation.ts'

const profileFields = { include_custom_profile_fields: optional(boolean()) }

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

const nonEmpty = pipe(string(), minLength(1))

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
    params: object({ user_id: id, ...avatarAddresses, ...profileFields }),
    reply: answer({ user: looseObject(userFields) }),
    effect: 'read',
  }),
  getUserByEmail: operation({
    service: 'chat',
    title: 'Get a user by email',
    method: 'GET',
    path: '/api/v1/users/{email}',
    params: object({ email: nonEmpty, ...avatarAddresses, ...profileFields }),
    reply: answer({ user: looseObject(userFields) }),
    effect: 'read',
  }),
  listUsers: operation({
    service: 'chat',
    title: 'Get all users',
    method: 'GET',
    path: '/api/v1/users',
    params: object({ ...avatarAddresses, ...profileFields, user_ids: optional(array(id)) }),
    reply: answer({ members: items }),
    effect: 'read',
    maxBytes: 32 * 1024 * 1024,
  }),
  updateUserByEmail: operation({
    service: 'chat',
    title: 'Update a user by email (organization administrators only)',
    method: 'PATCH',
    path: '/api/v1/users/{email}',
    params: object({
      email: nonEmpty,
      full_name: optional(nonEmpty),
      role: optional(picklist([100, 200, 300, 400, 600])),
      profile_data: optional(array(looseObject({ id, value: unknown() }))),
      new_email: optional(string()),
    }),
    reply: done,
    effect: 'write',
  }),
  setUserStatus: operation({
    service: 'chat',
    title: 'Update user status (organization administrators only)',
    method: 'POST',
    path: '/api/v1/users/{user_id}/status',
    params: object({
      user_id: id,
      /** Empty clears it. */
      status_text: optional(textUpTo(60)),
      emoji_name: optional(string()),
      emoji_code: optional(string()),
      reaction_type: optional(reactionType),
    }),
    reply: done,
    effect: 'write',
  }),
  addPushDeviceToken: operation({
    service: 'chat',
    title: 'Add a push device token (deprecated)',
    method: 'POST',
    path: '/api/v1/users/me/push_device_token',
    params: object({ token: nonEmpty, appid: nonEmpty }),
    reply: done,
    effect: 'write',
  }),
  updateUserGroupMembers: operation({
    service: 'chat',
    title: 'Update user group members',
    method: 'POST',
    path: '/api/v1/user_groups/{user_group_id}/members',
    params: object({
      user_group_id: id,
      add: optional(array(id)),
      delete: optional(array(id)),
      add_subgroups: optional(array(id)),
      delete_subgroups: optional(array(id)),
    }),
    reply: done,
    effect: 'write',
  }),
}
