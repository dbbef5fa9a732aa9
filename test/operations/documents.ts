/**
 * The operations of the two API documents, as these list them: the thirteen of "Monitoring Management
 * API, version 3", the twenty-three of "Team Chat Service REST API", and those that the second names
 * without describing them. Kept apart from the catalogue, which is held against it.
 */
export interface DocumentedOperation {
  readonly title: string
  /** Method and path; null where the document does not show them. */
  readonly address: string | null
  /** The documented parameters, path included, with spaces between. */
  readonly fields: string
}

export const monitoringDocument: readonly DocumentedOperation[] = [
  { title: 'List existing checks', address: 'GET /api/v3/checks/', fields: 'slug tag' },
  { title: 'Get a single check', address: 'GET /api/v3/checks/{id}', fields: 'id' },
  {
    title: 'Create a new check',
    address: 'POST /api/v3/checks/',
    fields:
      'name slug tags desc timeout grace schedule tz manual_resume methods channels unique start_kw success_kw failure_kw filter_subject filter_body filter_http_body filter_default_fail',
  },
  {
    title: 'Update an existing check',
    address: 'POST /api/v3/checks/{uuid}',
    fields:
      'uuid name slug tags desc timeout grace schedule tz manual_resume methods channels start_kw success_kw failure_kw filter_subject filter_body filter_http_body filter_default_fail',
  },
  {
    title: 'Pause monitoring of a check',
    address: 'POST /api/v3/checks/{uuid}/pause',
    fields: 'uuid',
  },
  {
    title: 'Resume monitoring of a check',
    address: 'POST /api/v3/checks/{uuid}/resume',
    fields: 'uuid',
  },
  { title: 'Delete a check', address: 'DELETE /api/v3/checks/{uuid}', fields: 'uuid' },
  {
    title: "List a check's logged pings",
    address: 'GET /api/v3/checks/{uuid}/pings/',
    fields: 'uuid',
  },
  {
    title: "Get a ping's logged body",
    address: 'GET /api/v3/checks/{uuid}/pings/{n}/body',
    fields: 'uuid n',
  },
  {
    title: "List a check's status changes",
    address: 'GET /api/v3/checks/{id}/flips/',
    fields: 'id',
  },
  { title: 'List existing integrations', address: 'GET /api/v3/channels/', fields: '' },
  { title: "List the project's badges", address: 'GET /api/v3/badges/', fields: '' },
  { title: 'Check database connectivity', address: 'GET /api/v3/status/', fields: '' },
]

export const chatDocument: readonly DocumentedOperation[] = [
  {
    title: 'Send a message',
    address: 'POST /api/v1/messages',
    fields: 'type to content topic queue_id local_id read_by_sender',
  },
  {
    title: 'Fetch a single message',
    address: 'GET /api/v1/messages/{message_id}',
    fields: 'message_id apply_markdown allow_empty_topic_name',
  },
  {
    title: 'Set typing status for message editing',
    address: 'POST /api/v1/messages/{message_id}/typing',
    fields: 'message_id op',
  },
  {
    title: 'Add an emoji reaction',
    address: 'POST /api/v1/messages/{message_id}/reactions',
    fields: 'message_id emoji_name emoji_code reaction_type',
  },
  {
    title: 'Create a scheduled message',
    address: 'POST /api/v1/scheduled_messages',
    fields: 'type to content topic scheduled_delivery_timestamp read_by_sender',
  },
  {
    title: 'Update settings',
    address: 'PATCH /api/v1/settings',
    fields:
      'full_name email old_password new_password twenty_four_hour_time web_channel_default_view starred_message_counts receives_typing_notifications web_suggest_update_timezone fluid_layout_width high_contrast_mode web_font_size_px web_line_height_percent color_scheme enable_drafts_synchronization translate_emoticons display_emoji_reaction_users default_language web_home_view web_escape_navigates_to_home_view left_side_userlist emojiset demote_inactive_streams user_list_style web_animate_image_previews web_stream_unreads_count_display_policy hide_ai_features timezone enable_stream_desktop_notifications enable_stream_email_notifications enable_stream_push_notifications enable_stream_audible_notifications notification_sound enable_desktop_notifications enable_sounds email_notifications_batching_period_seconds enable_offline_email_notifications enable_offline_push_notifications enable_online_push_notifications enable_followed_topic_desktop_notifications enable_followed_topic_email_notifications enable_followed_topic_push_notifications enable_followed_topic_audible_notifications',
  },
  {
    title: 'Create a channel',
    address: 'POST /api/v1/channels/create',
    fields:
      'name description subscribers announce invite_only is_web_public is_default_stream folder_id topics_policy history_public_to_subscribers message_retention_days can_add_subscribers_group can_delete_any_message_group can_delete_own_message_group can_remove_subscribers_group can_administer_channel_group can_move_messages_out_of_channel_group can_move_messages_within_channel_group can_send_message_group',
  },
  {
    title: 'Get a user by email',
    address: 'GET /api/v1/users/{email}',
    fields: 'email client_ext_avatar include_custom_profile_fields',
  },
  {
    title: 'Get a user',
    address: 'GET /api/v1/users/{user_id}',
    fields: 'user_id client_ext_avatar include_custom_profile_fields',
  },
  {
    title: 'Update a user by email (organization administrators only)',
    address: 'PATCH /api/v1/users/{email}',
    fields: 'email full_name role profile_data new_email',
  },
  {
    title: 'Update user status (organization administrators only)',
    address: 'POST /api/v1/users/{user_id}/status',
    fields: 'user_id status_text emoji_name emoji_code reaction_type',
  },
  {
    title: 'Add a push device token (deprecated)',
    address: 'POST /api/v1/users/me/push_device_token',
    fields: 'token appid',
  },
  { title: 'Edit a draft', address: 'PATCH /api/v1/drafts/{draft_id}', fields: 'draft_id draft' },
  {
    title: 'Create a saved snippet',
    address: 'POST /api/v1/saved_snippets',
    fields: 'title content',
  },
  {
    title: 'Update user group members',
    address: 'POST /api/v1/user_groups/{user_group_id}/members',
    fields: 'user_group_id add delete add_subgroups delete_subgroups',
  },
  {
    title: 'Update the navigation view',
    address: 'PATCH /api/v1/navigation_views/{fragment}',
    fields: 'fragment is_pinned name',
  },
  {
    title: 'Add a code playground',
    address: 'POST /api/v1/realm/playgrounds',
    fields: 'name syntax_language url_template',
  },
  {
    title: 'Add a linkifier',
    address: 'POST /api/v1/realm/filters',
    fields: 'pattern url_template',
  },
  {
    title: 'Delete an attachment',
    address: 'DELETE /api/v1/attachments/{attachment_id}',
    fields: 'attachment_id',
  },
  { title: 'Upload a file', address: 'POST /api/v1/user_uploads', fields: 'file' },
  { title: 'Resumable upload', address: 'POST /api/v1/tus', fields: 'file' },
  {
    title: 'Register an event queue',
    address: 'POST /api/v1/register',
    fields:
      'apply_markdown client_ext_avatar include_subscribers slim_presence presence_history_limit_days event_types fetch_event_types all_public_streams client_capabilities narrow',
  },
  { title: 'Delete an event queue', address: 'DELETE /api/v1/events', fields: 'queue_id' },
]

/** Referenced in the chat document without description. */
export const chatNamed: readonly DocumentedOperation[] = [
  { title: 'Get attachments', address: 'GET /api/v1/attachments', fields: '' },
  { title: 'Get all users', address: 'GET /api/v1/users', fields: '' },
  { title: 'Set "typing" status', address: 'POST /api/v1/typing', fields: '' },
  { title: 'Get events from an event queue', address: 'GET /api/v1/events', fields: '' },
  { title: 'Register E2EE push device', address: null, fields: '' },
]
