import { chatOperations } from '../../shared/api/chat/chat-operations.ts'
import { isKnownZone } from '../../shared/core/wall-clock.ts'
import { type Person, type RealmData, wireGroups } from './realm-data.ts'
import { type Call, type Handlers, pathId, Refusal, shapes } from './realm-http.ts'

const schema = chatOperations.updateSettings.params
const { full_name, email, old_password, new_password, ...settings } = schema.entries

/** The server's defaults for a new user; most are on. */
export const usualSettings = () => ({
  ...Object.fromEntries(Object.keys(settings).map((name) => [name, true])),
  web_channel_default_view: 1,
  allow_private_data_export: false,
  email_address_visibility: 1,
  fluid_layout_width: false,
  high_contrast_mode: false,
  web_font_size_px: 16,
  web_line_height_percent: 140,
  color_scheme: 1,
  translate_emoticons: false,
  default_language: 'en',
  web_home_view: 'inbox',
  left_side_userlist: false,
  emojiset: 'google',
  demote_inactive_streams: 1,
  user_list_style: 2,
  web_animate_image_previews: 'on_hover',
  web_stream_unreads_count_display_policy: 2,
  web_mark_read_on_scroll_policy: 1,
  hide_ai_features: false,
  timezone: '',
  enable_stream_desktop_notifications: false,
  enable_stream_email_notifications: false,
  enable_stream_push_notifications: false,
  enable_stream_audible_notifications: false,
  notification_sound: 'zulip',
  email_notifications_batching_period_seconds: 120,
  realm_name_in_email_notifications_policy: 1,
  desktop_icon_count_display: 1,
  automatically_follow_topics_policy: 3,
  automatically_unmute_topics_in_muted_streams_policy: 2,
  resolved_topic_notice_auto_read_policy: 'except_followed',
})

/** Settings, the user group, and the realm's configuration. */
export function settingsHandlers(data: RealmData) {
  return {
    updateSettings: (call) => updateSettings(data, call),
    listUserGroups({ params }) {
      params.maybe('include_deactivated_groups', shapes.boolean)
      return { user_groups: wireGroups(data) }
    },
    updateUserGroupMembers: (call) => updateGroup(data, call),
    addPlayground({ params }) {
      params.text('name')
      params.text('pygments_language')
      const variables = params.text('url_template').match(/\{[^}]*\}/g) ?? []
      if (!/^\{[+#./;?&]?code\}$/.test(variables.join('')))
        throw new Refusal('"code" must be the only variable present in the URL template')
      return { id: data.nextId() }
    },
    addLinkifier({ params }) {
      const pattern = params.text('pattern')
      const template = params.text('url_template')
      checkLinkifier(pattern, template)
      return { id: data.nextId() }
    },
  } satisfies Partial<Handlers>
}

function updateGroup(data: RealmData, call: Call) {
  const add = call.params.maybe('add', shapes.wholes) ?? []
  const remove = call.params.maybe('delete', shapes.wholes) ?? []
  const subgroups = [
    ...(call.params.maybe('add_subgroups', shapes.wholes) ?? []),
    ...(call.params.maybe('delete_subgroups', shapes.wholes) ?? []),
  ]
  const group = data.groups.get(pathId(call, 'user_group_id'))
  if (!group || subgroups.some((id) => !data.groups.has(id)))
    throw new Refusal('Invalid user group')
  if (add.length + remove.length + subgroups.length === 0)
    throw new Refusal(
      'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
    )
  const unknown = [...add, ...remove].find((id) => !data.people.has(id))
  if (unknown !== undefined) throw new Refusal(`Invalid user ID: ${unknown}`)
  for (const id of add) group.add(id)
  for (const id of remove) group.delete(id)
  const event = { type: 'user_group', group_id: pathId(call, 'user_group_id') }
  if (add.length > 0) data.queues.send({ ...event, op: 'add_members', user_ids: add })
  if (remove.length > 0) data.queues.send({ ...event, op: 'remove_members', user_ids: remove })
}

function checkLinkifier(pattern: string, template: string): void {
  const groups = [...pattern.matchAll(/\(\?P?<(\w+)>/g)].map(([, name]) => name)
  try {
    new RegExp(pattern.replaceAll('(?P<', '(?<'))
  } catch {
    throw new Refusal('Bad regular expression: invalid syntax')
  }
  const variables = [...template.matchAll(/\{[+#./;?&]?(\w+)[^}]*\}/g)].map(([, name]) => name)
  const missing = variables.find((name) => !groups.includes(name))
  if (missing !== undefined)
    throw new Refusal(`Group '${missing}' in URL template is not present in linkifier pattern.`)
}

type Setting = boolean | number | string

function updateSettings(data: RealmData, call: Call) {
  const { params } = call
  const changed = Object.keys(data.settings).flatMap((name): [string, Setting][] => {
    const given = readSetting(data, call, name)
    return given === undefined ? [] : [[name, given]]
  })
  const fullName = params.maybeText('full_name')
  params.maybeText('email')
  const newPassword = params.maybeText('new_password')
  if (newPassword !== undefined && params.maybeText('old_password') === undefined)
    throw new Refusal('Wrong password!')
  if (fullName !== undefined) data.me.name = fullName
  for (const [property, value] of changed) changeSetting(data, property, value)
}

export function changeSetting(data: RealmData, property: string, value: Setting): void {
  data.settings[property] = value
  if (property === 'enable_drafts_synchronization' && value === false) data.forgetDrafts()
  data.queues.send({ type: 'user_settings', op: 'update', property, value })
}

export function renamePerson(data: RealmData, person: Person, name: string): void {
  person.name = name
  const row = { user_id: person.id, full_name: name }
  data.queues.send({ type: 'realm_user', op: 'update', person: row })
}

function readSetting(data: RealmData, { params }: Call, name: string): Setting | undefined {
  const now = data.settings[name]
  if (typeof now === 'boolean') return params.maybe<boolean>(name, shapes.boolean)
  const given =
    typeof now === 'string' ? params.maybeText(name) : params.maybe<number>(name, shapes.whole)
  if (given === undefined) return undefined
  const checked = schema['~standard'].validate({ [name]: given })
  const other = data.featureLevel < 454 ? 'recent' : 'recent_topics'
  const fits =
    !('issues' in checked && checked.issues) &&
    (name !== 'timezone' || isKnownZone(String(given))) &&
    (name !== 'web_home_view' || given !== other)
  if (!fits) throw new Refusal(`Invalid ${name}`)
  return given
}
