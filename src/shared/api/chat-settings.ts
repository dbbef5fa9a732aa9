import { boolean, object, optional, picklist, string } from 'valibot'
import { done, whole } from './chat-fields.ts'
import { operation } from './operation.ts'

const yesNo = optional(boolean())
const text = optional(string())

export const settingsOperations = {
  /** Every field on its own; those that a server does not know come back as ignored. */
  updateSettings: operation({
    service: 'chat',
    title: 'Update settings',
    method: 'PATCH',
    path: '/api/v1/settings',
    params: object({
      full_name: text,
      /** Takes effect when the user follows the link sent there. */
      email: text,
      old_password: text,
      new_password: text,
      twenty_four_hour_time: yesNo,
      web_channel_default_view: optional(picklist([1, 2, 3, 4])),
      starred_message_counts: yesNo,
      receives_typing_notifications: yesNo,
      web_suggest_update_timezone: yesNo,
      fluid_layout_width: yesNo,
      high_contrast_mode: yesNo,
      web_font_size_px: optional(whole),
      web_line_height_percent: optional(whole),
      color_scheme: optional(picklist([1, 2, 3])),
      /** False deletes all drafts stored on the server. */
      enable_drafts_synchronization: yesNo,
      translate_emoticons: yesNo,
      display_emoji_reaction_users: yesNo,
      default_language: text,
      web_home_view: optional(picklist(['recent_topics', 'inbox', 'all_messages'])),
      web_escape_navigates_to_home_view: yesNo,
      left_side_userlist: yesNo,
      emojiset: optional(picklist(['google', 'twitter', 'text'])),
      demote_inactive_streams: optional(picklist([1, 2, 3])),
      user_list_style: optional(picklist([1, 2, 3])),
      web_animate_image_previews: optional(picklist(['always', 'on_hover', 'never'])),
      web_stream_unreads_count_display_policy: optional(picklist([1, 2, 3])),
      hide_ai_features: yesNo,
      timezone: text,
      enable_stream_desktop_notifications: yesNo,
      enable_stream_email_notifications: yesNo,
      enable_stream_push_notifications: yesNo,
      enable_stream_audible_notifications: yesNo,
      notification_sound: text,
      enable_desktop_notifications: yesNo,
      enable_sounds: yesNo,
      email_notifications_batching_period_seconds: optional(whole),
      enable_offline_email_notifications: yesNo,
      enable_offline_push_notifications: yesNo,
      enable_online_push_notifications: yesNo,
      enable_followed_topic_desktop_notifications: yesNo,
      enable_followed_topic_email_notifications: yesNo,
      enable_followed_topic_push_notifications: yesNo,
      enable_followed_topic_audible_notifications: yesNo,
      /** Not in the document, but what the real server decides pop-ups by. */
      wildcard_mentions_notify: yesNo,
      enable_followed_topic_wildcard_mentions_notify: yesNo,
      pm_content_in_desktop_notifications: yesNo,
    }),
    reply: done,
    effect: 'write',
  }),
}
