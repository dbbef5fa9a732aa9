import {
  agreement,
  aQueue,
  bad,
  badNaming,
  type ChatCase,
  get,
  holding,
  isAbsent,
  isNumber,
  isText,
  missing,
  mySettings,
  ok,
  poll,
  post,
  rows,
  send,
  someEvent,
  whoAmI,
  whoElse,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const yesNo = [
  'twenty_four_hour_time',
  'starred_message_counts',
  'receives_typing_notifications',
  'web_suggest_update_timezone',
  'fluid_layout_width',
  'high_contrast_mode',
  'enable_drafts_synchronization',
  'translate_emoticons',
  'display_emoji_reaction_users',
  'web_escape_navigates_to_home_view',
  'left_side_userlist',
  'hide_ai_features',
  'enable_desktop_notifications',
  'enable_sounds',
  'enable_offline_email_notifications',
  'enable_offline_push_notifications',
  'enable_online_push_notifications',
  ...['stream', 'followed_topic'].flatMap((kind) =>
    ['desktop', 'email', 'push', 'audible'].map((how) => `enable_${kind}_${how}_notifications`),
  ),
]
const everySetting: Fields = {
  ...Object.fromEntries(yesNo.map((name) => [name, true])),
  web_channel_default_view: 2,
  web_font_size_px: 14,
  web_line_height_percent: 120,
  color_scheme: 1,
  default_language: 'en',
  web_home_view: 'inbox',
  emojiset: 'google',
  demote_inactive_streams: 1,
  user_list_style: 1,
  web_animate_image_previews: 'never',
  web_stream_unreads_count_display_policy: 1,
  timezone: 'Europe/Ljubljana',
  notification_sound: 'none',
  email_notifications_batching_period_seconds: 60,
}

const set = (fields: Fields, expect = ok()) => send('PATCH', '/settings', fields, expect)

const settings: readonly ChatCase[] = [
  agreement('updateSettings', 'a setting can be set to what it is', [
    mySettings,
    set({ color_scheme: '{scheme}' }),
  ]),
  agreement('updateSettings', 'a setting that was removed is ignored', [
    mySettings,
    set(
      { color_scheme: '{scheme}', dense_mode: true },
      ok({ ignored_parameters_unsupported: ['dense_mode'] }),
    ),
  ]),
  agreement('updateSettings', 'a boolean is strict', [
    set({ enable_sounds: 'yes' }, badNaming('enable_sounds')),
  ]),
  agreement('updateSettings', 'a number is strict', [
    set({ color_scheme: '"2"' }, badNaming('color_scheme')),
  ]),
  ...[
    { color_scheme: 9 },
    { demote_inactive_streams: 4 },
    { user_list_style: 0 },
    { web_home_view: 'garden' },
    { emojiset: 'stone' },
    { web_animate_image_previews: 'sometimes' },
    { timezone: 'Mars/Olympus' },
    // A new user's value, which can't be set.
    { timezone: '' },
  ].map((fields) =>
    agreement('updateSettings', `an invalid value is refused: ${JSON.stringify(fields)}`, [
      set(fields, bad),
    ]),
  ),
  agreement(
    'updateSettings',
    'the home view of recent conversations has its older name',
    [
      set({ web_home_view: 'recent' }, bad),
      mySettings,
      set({ web_home_view: 'recent_topics' }),
      set({ web_home_view: '{home}' }),
    ],
    { before: '454' },
  ),
  agreement(
    'updateSettings',
    'the home view of recent conversations has its newer name',
    [
      set({ web_home_view: 'recent_topics' }, bad),
      mySettings,
      set({ web_home_view: 'recent' }),
      set({ web_home_view: '{home}' }),
    ],
    { since: '454' },
  ),
  agreement('updateSettings', 'every documented setting is known', [
    whoAmI,
    mySettings,
    set(
      { ...everySetting, email: '{mail}', full_name: '{name}' },
      ok({ ignored_parameters_unsupported: isAbsent }),
    ),
  ]),
  agreement('updateSettings', 'a new password needs the old one', [
    set({ new_password: 'x' }, bad),
  ]),
  agreement('updateSettings', 'each changed setting is an event of its own', [
    mySettings,
    set({ enable_sounds: true, color_scheme: 1 }),
    aQueue({ event_types: ['user_settings'] }),
    set({ enable_sounds: false, color_scheme: 2 }),
    poll(
      someEvent('user_settings', (e) => e['property'] === 'enable_sounds' && e['value'] === false),
    ),
    poll(someEvent('user_settings', (e) => e['property'] === 'color_scheme' && e['value'] === 2)),
  ]),
  agreement('updateSettings', 'a setting is in the next registration', [
    mySettings,
    set({ twenty_four_hour_time: false }),
    post(
      '/register',
      { event_types: ['user_settings'] },
      ok({ user_settings: { twenty_four_hour_time: false } }),
    ),
  ]),
]

const group = { needs: 'group' }
const members = (fields: Fields, expect = ok(), id = '{group}') =>
  post(`/user_groups/${id}/members`, fields, expect)

const groups: readonly ChatCase[] = [
  agreement(
    'updateUserGroupMembers',
    'members can be added and removed',
    [whoElse, members({ add: '[{other}]' }), members({ delete: '[{other}]' })],
    group,
  ),
  agreement('updateUserGroupMembers', 'an empty change is refused', [members({}, bad)], group),
  agreement(
    'updateUserGroupMembers',
    'a missing person is refused',
    [members({ add: [999_999] }, bad)],
    group,
  ),
  agreement(
    'updateUserGroupMembers',
    'a missing subgroup is refused',
    [members({ add_subgroups: [999_999] }, bad)],
    group,
  ),
  agreement('updateUserGroupMembers', 'a missing group is refused', [
    members({ add: [1] }, bad, '999999999'),
  ]),
]

const token = {
  token_kind: 'fcm',
  bouncer_public_key: 'x',
  encrypted_push_registration: 'x',
}
const account = { ...token, push_account_id: 1 }
const device = { ...token, device_id: 1, token_id: 'x', push_key: 'x', push_key_id: 1 }
const phone = { worldOnly: 'needs a server with a push service' }

const lists: readonly ChatCase[] = [
  agreement('listUserGroups', 'groups are listed with their members', [
    get(
      '/user_groups',
      {},
      holding('each has an id, a name and members', (body) =>
        rows(body, 'user_groups').every(
          ({ id, name, members: list }) => isNumber(id) && isText(name) && Array.isArray(list),
        ),
      ),
    ),
  ]),
  agreement(
    'registerE2eePushDevice',
    'a phone can be registered',
    [post('/mobile_push/register', { ...account, push_public_key: 'x' }, ok())],
    { ...phone, before: '432' },
  ),
  agreement(
    'registerE2eePushDevice',
    'a phone can be registered, its key under another name',
    [post('/mobile_push/register', { ...account, push_key: 'x' }, ok())],
    { ...phone, since: '432', before: '468' },
  ),
  agreement(
    'registerE2eePushDevice',
    'a phone that the server knows can be registered',
    [
      post('/mobile_push/register', device, ok()),
      post('/mobile_push/register', account, missing('device_id')),
    ],
    { ...phone, since: '468' },
  ),
  agreement(
    'registerE2eePushDevice',
    'an invalid kind of token is refused',
    [post('/mobile_push/register', { ...device, ...account, token_kind: 'fax' }, bad)],
    phone,
  ),
]

export const settingsCases: readonly ChatCase[] = [...settings, ...groups, ...lists]
