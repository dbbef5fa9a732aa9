import * as v from 'valibot'
import { field, flag, optionalField } from '../schema-field.ts'
import {
  avatarAddresses,
  choice,
  del,
  flagField,
  get,
  id,
  idField,
  items,
  lenient,
  nameField,
  nonEmpty,
  patch,
  post,
  rendered,
  textField,
  whole,
} from './chat-fields.ts'

const fragment = nameField('View', 'The part after the # in the web app’s address.')
const pinned = flagField('Pinned', 'Shown in the sidebar; otherwise in its menu.')
const viewName = textField('Name', 'For your own views; built-in ones keep their names.')

const viewsSince = { since: 390 }

const addPlayground = post(
  'Add a code playground',
  '/realm/playgrounds',
  {
    name: nameField('Name', 'Shown in the menu of code blocks.'),
    syntax_language: nameField('Language', 'The name of the syntax highlighter’s lexer.'),
    url_template: nameField('URL template', 'RFC 6570, with exactly one variable: code.'),
  },
  { id: lenient(id) },
)

export const serverOperations = {
  /** Called before an account is saved: needs no key and returns the canonical URL. */
  serverSettings: get(
    'Get server settings',
    '/server_settings',
    {},
    {
      zulip_version: lenient(v.string()),
      zulip_feature_level: lenient(whole),
      service_feature_level: lenient(whole),
      /** Replaces the URL that the user entered; absent on a host of several realms. */
      realm_url: lenient(v.string()),
      /** Older name of `realm_url`. */
      realm_uri: lenient(v.string()),
      realm_name: lenient(v.string()),
      /** Root-relative or absolute. */
      realm_icon: lenient(v.string()),
      realm_description: lenient(v.string()),
      is_incompatible: lenient(v.boolean()),
    },
    { anonymous: true },
  ),
  listNavigationViews: get(
    'Get navigation views',
    '/navigation_views',
    {},
    { navigation_views: items },
    viewsSince,
  ),
  addNavigationView: post(
    'Add a navigation view',
    '/navigation_views',
    {
      fragment,
      is_pinned: pinned,
      name: v.optional(viewName),
    },
    {},
    viewsSince,
  ),
  removeNavigationView: del(
    'Remove a navigation view',
    '/navigation_views/{fragment}',
    { fragment },
    'the navigation view {fragment}',
    viewsSince,
  ),
  updateNavigationView: patch(
    'Update the navigation view',
    '/navigation_views/{fragment}',
    {
      fragment,
      is_pinned: v.optional(pinned),
      name: v.optional(viewName),
    },
    {},
    viewsSince,
  ),
  /** Documented as `syntax_language`; the real server wants `pygments_language`: sends both. */
  addPlayground: {
    ...addPlayground,
    params: v.pipe(
      addPlayground.params,
      v.transform((given) => ({ ...given, pygments_language: given.syntax_language })),
    ),
  },
  addLinkifier: post(
    'Add a linkifier',
    '/realm/filters',
    {
      pattern: nameField('Pattern', 'A regular expression; named groups are allowed.'),
      url_template: nameField('URL template', 'RFC 6570; named groups as {name}.'),
    },
    { id: lenient(id) },
  ),
}

const queueId = textField('Queue', 'The id of the queue, from registering it.')

/** The snapshot of a realm with ten thousand users is about 20 MB. */
const snapshotMaxBytes = 64 * 1024 * 1024

export const queueOperations = {
  registerQueue: post(
    'Register an event queue',
    '/register',
    {
      apply_markdown: rendered,
      slim_presence: flag('Slim presence', 'Presence keyed by user id, the modern format.'),
      presence_history_limit_days: optionalField(
        v.pipe(whole, v.minValue(0)),
        'Presence history',
        'How far back to look; 14 by default.',
        { unit: 'days' },
      ),
      include_subscribers: choice(
        ['true', 'false', 'partial'],
        'Subscribers',
        'Whether to list subscribers; partial needs feature level 412.',
      ),
      event_types: optionalField(
        v.array(v.string()),
        'Event types',
        'Such as message or subscription; all if empty.',
      ),
      fetch_event_types: optionalField(
        v.array(v.string()),
        'Initial data',
        'Types whose current state to return; as above if empty.',
      ),
      all_public_streams: flag(
        'All public channels',
        'Include channels you are not subscribed to.',
      ),
      client_capabilities: optionalField(
        v.record(v.string(), v.boolean()),
        'Capabilities',
        'What the client supports; servers require notification_settings_null in it.',
      ),
      narrow: optionalField(
        v.array(v.tuple([v.string(), v.string()])),
        'Narrow',
        'Pairs of operator and operand; only matching messages.',
      ),
      ...avatarAddresses,
    } /** The rest is read by `readSnapshot`. */,
    { queue_id: v.string(), last_event_id: whole },
    { effect: 'read', maxBytes: snapshotMaxBytes, maxItems: 200_000, deadlineMs: 60_000 },
  ),
  /** Answers on events, or with a heartbeat after about 50 s. One poll per queue at a time. */
  getEvents: get(
    'Get events from an event queue',
    '/events',
    {
      queue_id: queueId,
      last_event_id: field(
        v.pipe(whole, v.minValue(-1)),
        'Last event',
        'The id of the last event received; -1 or the one from registering at first.',
      ),
      dont_block: flag('Don’t wait', 'Answer at once even if nothing happened.'),
    },
    { events: items, queue_id: lenient(v.string()) },
    {
      maxBytes: 64 * 1024 * 1024, // Beyond this, registering again and catching up is cheaper.
      maxItems: 20_000,
      deadlineMs: 90_000,
    },
  ),
  deleteQueue: del(
    'Delete an event queue',
    '/events',
    { queue_id: queueId },
    'the event queue {queue_id}: whoever polls it must register again',
    { deadlineMs: 3_000 },
  ),
}

/** The name that main gave the chosen file; its content never reaches a window. */
const file = nameField('File', 'A file on this computer.', { picker: 'file' })

const uploaded = {
  /** Root-relative: `/user_uploads/…`. */
  url: nonEmpty,
  filename: lenient(v.string()),
}

export const fileOperations = {
  /** For files below 25 MB; larger ones may not arrive whole (chat API, "Limits"). */
  uploadFile: post(
    'Upload a file',
    '/user_uploads',
    { file } /** `uri` is the older name of `url`. */,
    { ...uploaded, uri: lenient(v.string()) },
    { sends: 'multipart', deadlineMs: 10 * 60_000 },
  ),
  /** In parts, with tus 1.0; the response to the last part has the file's URL. */
  resumableUpload: post('Resumable upload', '/tus', { file }, uploaded, {
    sends: 'tus',
    deadlineMs: 5 * 60_000,
  }),
  /** A URL that works without a key for 60 seconds. */
  getTemporaryFileUrl: get(
    'Get a temporary address of a file',
    '/user_uploads/{realm_id}/{filename}',
    {
      realm_id: idField('Organization', 'The number after /user_uploads/ in the file’s address.'),
      filename: nameField('File', 'The rest of the address.'),
    },
    { url: nonEmpty },
  ),
  /** Times in it are epoch ms, unlike everywhere else in this API. */
  listAttachments: get(
    'Get attachments',
    '/attachments',
    {},
    { attachments: items, upload_space_used: lenient(whole) },
  ),
  deleteAttachment: del(
    'Delete an attachment',
    '/attachments/{attachment_id}',
    {
      attachment_id: idField('Attachment', 'Its id; only your own.', { picker: 'attachment' }),
    },
    'the file {attachment_id}, also in every message that links to it',
  ),
}
