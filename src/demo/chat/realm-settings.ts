import { isKnownZone } from '../../shared/core/wall-clock.ts'
import type { RealmData } from './realm-data.ts'
import { type Call, type Handlers, Refusal, shapes } from './realm-http.ts'

/** A new user's settings, by the server's defaults: the document's, and what the tray needs beside them. */
export const usualSettings = () => ({
  twenty_four_hour_time: true,
  web_channel_default_view: 1,
  starred_message_counts: true,
  receives_typing_notifications: true,
  send_private_typing_notifications: true,
  send_stream_typing_notifications: true,
  send_read_receipts: true,
  presence_enabled: true,
  allow_private_data_export: false,
  email_address_visibility: 1,
  web_suggest_update_timezone: true,
  fluid_layout_width: false,
  high_contrast_mode: false,
  web_font_size_px: 16,
  web_line_height_percent: 140,
  color_scheme: 1,
  enable_drafts_synchronization: true,
  translate_emoticons: false,
  display_emoji_reaction_users: true,
  default_language: 'en',
  web_home_view: 'inbox',
  web_escape_navigates_to_home_view: true,
  left_side_userlist: false,
  emojiset: 'google',
  demote_inactive_streams: 1,
  user_list_style: 2,
  web_animate_image_previews: 'on_hover',
  web_stream_unreads_count_display_policy: 2,
  web_mark_read_on_scroll_policy: 1,
  web_navigate_to_sent_message: true,
  enter_sends: true,
  hide_ai_features: false,
  timezone: 'Europe/Ljubljana',
  enable_stream_desktop_notifications: false,
  enable_stream_email_notifications: false,
  enable_stream_push_notifications: false,
  enable_stream_audible_notifications: false,
  notification_sound: 'zulip',
  enable_desktop_notifications: true,
  enable_sounds: true,
  email_notifications_batching_period_seconds: 120,
  enable_offline_email_notifications: true,
  enable_offline_push_notifications: true,
  enable_online_push_notifications: true,
  enable_followed_topic_desktop_notifications: true,
  enable_followed_topic_email_notifications: true,
  enable_followed_topic_push_notifications: true,
  enable_followed_topic_audible_notifications: true,
  enable_followed_topic_wildcard_mentions_notify: true,
  wildcard_mentions_notify: true,
  pm_content_in_desktop_notifications: true,
  message_content_in_email_notifications: true,
  realm_name_in_email_notifications_policy: 1,
  desktop_icon_count_display: 1,
  enable_digest_emails: true,
  enable_marketing_emails: true,
  enable_login_emails: true,
  automatically_follow_topics_policy: 3,
  automatically_unmute_topics_in_muted_streams_policy: 2,
  automatically_follow_topics_where_mentioned: true,
  resolved_topic_notice_auto_read_policy: 'except_followed',
})

/** The values of settings that have but a few (chat API, "Update settings"). */
const choices: Readonly<Record<string, readonly (number | string)[]>> = {
  web_channel_default_view: [1, 2, 3, 4],
  email_address_visibility: [1, 2, 3, 4, 5],
  color_scheme: [1, 2, 3],
  web_home_view: ['recent_topics', 'inbox', 'all_messages'],
  emojiset: ['google', 'twitter', 'text'],
  demote_inactive_streams: [1, 2, 3],
  user_list_style: [1, 2, 3],
  web_animate_image_previews: ['always', 'on_hover', 'never'],
  web_stream_unreads_count_display_policy: [1, 2, 3],
  web_mark_read_on_scroll_policy: [1, 2, 3],
  realm_name_in_email_notifications_policy: [1, 2, 3],
  desktop_icon_count_display: [1, 2, 3, 4],
  automatically_follow_topics_policy: [1, 2, 3, 4],
  automatically_unmute_topics_in_muted_streams_policy: [1, 2, 3, 4],
  resolved_topic_notice_auto_read_policy: ['always', 'except_followed', 'never'],
}

export function settingsHandlers(data: RealmData) {
  return { updateSettings: (call) => updateSettings(data, call) } satisfies Partial<Handlers>
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
  if (newPassword !== undefined && params.maybeText('old_password') === undefined) {
    throw new Refusal('Wrong password!')
  }
  if (fullName !== undefined) data.me.name = fullName
  for (const [property, value] of changed) {
    data.settings[property] = value
    data.queues.push(() => ({ type: 'user_settings', op: 'update', property, value }))
  }
  return {}
}

function readSetting(data: RealmData, { params }: Call, name: string): Setting | undefined {
  const now = data.settings[name]
  const given =
    typeof now === 'string'
      ? params.maybeText(name)
      : params.maybe<boolean | number>(
          name,
          typeof now === 'boolean' ? shapes.boolean : shapes.whole,
        )
  if (given === undefined) return undefined
  const allowed = typeof given === 'boolean' ? undefined : choices[name]
  const fits = allowed?.some((value) => value === given) ?? true
  if (!fits || (name === 'timezone' && !isKnownZone(String(given))))
    throw new Refusal(`Invalid ${name}`)
  return given
}
