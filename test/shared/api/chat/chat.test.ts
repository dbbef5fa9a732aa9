import { parse } from 'valibot'
import { describe, expect, test } from 'vitest'
import { chatOperations } from '../../../../src/shared/api/chat/chat-operations.ts'
import { schemaFacts } from '../../../../src/shared/api/form-fields.ts'
import type { Operation } from '../../../../src/shared/api/operation.ts'

/** The document's table of endpoints: operation, method, path below /api/v1. */
const documented = `
Send a message | POST | /messages
Fetch a single message | GET | /messages/{message_id}
Set typing status for message editing | POST | /messages/{message_id}/typing
Add an emoji reaction | POST | /messages/{message_id}/reactions
Create a scheduled message | POST | /scheduled_messages
Update settings | PATCH | /settings
Create a channel | POST | /channels/create
Get a user by email | GET | /users/{email}
Get a user | GET | /users/{user_id}
Update a user by email (organization administrators only) | PATCH | /users/{email}
Update user status (organization administrators only) | POST | /users/{user_id}/status
Add a push device token (deprecated) | POST | /users/me/push_device_token
Edit a draft | PATCH | /drafts/{draft_id}
Create a saved snippet | POST | /saved_snippets
Update user group members | POST | /user_groups/{user_group_id}/members
Update the navigation view | PATCH | /navigation_views/{fragment}
Add a code playground | POST | /realm/playgrounds
Add a linkifier | POST | /realm/filters
Delete an attachment | DELETE | /attachments/{attachment_id}
Upload a file | POST | /user_uploads
Resumable upload | (tus protocol) | /api/v1/tus
Register an event queue | POST | /register
Delete an event queue | DELETE | /events
`
  .trim()
  .split('\n')

/** The document, "Update settings": its table. */
const documentedSettings = `
full_name email old_password
new_password twenty_four_hour_time web_channel_default_view
starred_message_counts receives_typing_notifications web_suggest_update_timezone
fluid_layout_width high_contrast_mode web_font_size_px
web_line_height_percent color_scheme enable_drafts_synchronization
translate_emoticons display_emoji_reaction_users default_language
web_home_view web_escape_navigates_to_home_view left_side_userlist
emojiset demote_inactive_streams user_list_style
web_animate_image_previews web_stream_unreads_count_display_policy hide_ai_features
timezone enable_stream_desktop_notifications enable_stream_email_notifications
enable_stream_push_notifications enable_stream_audible_notifications notification_sound
enable_desktop_notifications enable_sounds email_notifications_batching_period_seconds
enable_offline_email_notifications enable_offline_push_notifications enable_online_push_notifications
enable_followed_topic_desktop_notifications enable_followed_topic_email_notifications enable_followed_topic_push_notifications
enable_followed_topic_audible_notifications
`
  .trim()
  .split(/\s+/)

const operations = Object.values(chatOperations)

describe('the chat catalogue', () => {
  test('has every operation of the document, with the same titles', () => {
    const declared = operations.map((operation) =>
      'sends' in operation && operation.sends === 'tus'
        ? `${operation.title} | (tus protocol) | ${operation.path}`
        : `${operation.title} | ${operation.method} | ${operation.path.replace('/api/v1', '')}`,
    )
    expect(documented.filter((line) => !declared.includes(line))).toEqual([])
  })

  test('declares every parameter that its paths name', () => {
    const unfilled = operations.filter(({ path, params }) =>
      [...path.matchAll(/\{(\w+)\}/g)].some(([, name]) => !(name! in params.entries)),
    )
    expect(unfilled).toEqual([])
  })

  test('has no two operations with the same title or the same method and path', () => {
    const titles = operations.map(({ title }) => title)
    const routes = operations.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(titles).size).toBe(titles.length)
    expect(new Set(routes).size).toBe(routes.length)
  })

  test('requires a key for everything except the probe', () => {
    const anonymous = operations.filter((operation) => 'anonymous' in operation)
    expect(anonymous.map(({ title }) => title)).toEqual(['Get server settings'])
  })
})

describe('the parameters', () => {
  test('each have a label and help', () => {
    const silent = Object.entries(chatOperations).flatMap(([name, { params }]) =>
      Object.entries(params.entries)
        .filter(([, schema]) => {
          const { title, description } = schemaFacts(schema)
          return !title || !description
        })
        .map(([param]) => `${name}.${param}`),
    )
    expect(silent).toEqual([])
  })

  test('of Update settings include all those in the document', () => {
    const named = Object.keys(chatOperations.updateSettings.params.entries)
    expect(documentedSettings.filter((name) => !named.includes(name))).toEqual([])
  })
})

describe('an operation that deletes', () => {
  test('asks first, and names what will be deleted', () => {
    const deleting = Object.values<Operation>(chatOperations).filter(
      ({ title, method }) => method === 'DELETE' && /^(Delete|Remove a nav)/.test(title),
    )
    expect(deleting).toHaveLength(8)
    expect(deleting.map(({ effect }) => effect)).toEqual(deleting.map(() => 'destroy'))
    const unfilled = deleting.filter(({ destroys = '', params }) =>
      [...destroys.matchAll(/\{(\w+)\}/g)].some(([, name]) => !(name! in params.entries)),
    )
    expect(unfilled).toEqual([])
    expect(deleting.filter(({ destroys }) => destroys === undefined)).toEqual([])
  })
})

describe('a parameter with a different name on older servers', () => {
  test('is sent under both names', () => {
    const playground = {
      name: 'Try it',
      syntax_language: 'python',
      url_template: 'https://x/{code}',
    }
    expect(parse(chatOperations.addPlayground.params, playground)).toMatchObject({
      syntax_language: 'python',
      pygments_language: 'python',
    })
    expect(parse(chatOperations.getUser.params, { user_id: 12 })).toMatchObject({
      client_ext_avatar: false,
      client_gravatar: false,
    })
  })
})

describe("a channel's message retention given in words", () => {
  test('is sent as JSON text, quotes included', () => {
    const channel = { name: 'new', subscribers: [], message_retention_days: 'unlimited' as const }
    expect(parse(chatOperations.createChannel.params, channel)).toMatchObject({
      message_retention_days: '"unlimited"',
    })
  })
})

describe('a status text', () => {
  test('has its limit counted in code points', () => {
    const status = (text: string) => ({ user_id: 12, status_text: text })
    const { params } = chatOperations.setUserStatus
    expect(parse(params, status('🔔'.repeat(60))).status_text).toHaveLength(120)
    expect(() => parse(params, status('🔔'.repeat(61)))).toThrow('at most 60 characters')
  })
})

describe('a reply', () => {
  test('keeps fields we do not name, and drops unreadable ones that nothing depends on', () => {
    const sent = { id: 7, automatic_new_visibility_policy: 'odd', more: [1] }
    expect(parse(chatOperations.sendMessage.reply, sent)).toEqual({
      id: 7,
      automatic_new_visibility_policy: undefined,
      more: [1],
    })
  })

  test('without a field that everything depends on is refused', () => {
    expect(() => parse(chatOperations.registerQueue.reply, { last_event_id: -1 })).toThrow()
  })
})
