import {
  array,
  boolean,
  minValue,
  object,
  optional,
  picklist,
  pipe,
  record,
  string,
  transform,
  tuple,
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
  items,
  lenient,
  nameField,
  nonEmpty,
  textField,
  whole,
} from './chat-fields.ts'

const fragment = nameField('View', 'Its hash in the web app’s address, without the #.')
const pinned = flagField('Pinned', 'Shown in the sidebar; else in its menu.')
const viewName = textField('Name', 'For views of your own; built-in ones keep theirs.')

export const serverOperations = {
  /** The probe before an account is saved: needs no key and names the canonical address. */
  serverSettings: operation({
    service: 'chat',
    title: 'Get server settings',
    method: 'GET',
    path: '/api/v1/server_settings',
    params: object({}),
    reply: answer({
      zulip_version: lenient(string()),
      zulip_feature_level: lenient(whole),
      service_feature_level: lenient(whole),
      /** The address to use in place of what the user typed; absent on a host of several realms. */
      realm_url: lenient(string()),
      /** Older name of `realm_url`. */
      realm_uri: lenient(string()),
      realm_name: lenient(string()),
      /** Root-relative or absolute. */
      realm_icon: lenient(string()),
      realm_description: lenient(string()),
      is_incompatible: lenient(boolean()),
    }),
    effect: 'read',
    anonymous: true,
  }),
  listNavigationViews: operation({
    service: 'chat',
    title: 'Get navigation views',
    method: 'GET',
    path: '/api/v1/navigation_views',
    params: object({}),
    reply: answer({ navigation_views: items }),
    effect: 'read',
  }),
  addNavigationView: operation({
    service: 'chat',
    title: 'Add a navigation view',
    method: 'POST',
    path: '/api/v1/navigation_views',
    params: object({ fragment, is_pinned: pinned, name: optional(viewName) }),
    reply: done,
    effect: 'write',
  }),
  removeNavigationView: operation({
    service: 'chat',
    title: 'Remove a navigation view',
    method: 'DELETE',
    path: '/api/v1/navigation_views/{fragment}',
    params: object({ fragment }),
    reply: done,
    effect: 'destroy',
    destroys: 'the navigation view {fragment}',
  }),
  updateNavigationView: operation({
    service: 'chat',
    title: 'Update the navigation view',
    method: 'PATCH',
    path: '/api/v1/navigation_views/{fragment}',
    params: object({
      fragment,
      is_pinned: optional(pinned),
      name: optional(viewName),
    }),
    reply: done,
    effect: 'write',
  }),
  /** The documentation says `syntax_language`, the real server `pygments_language`: both are sent. */
  addPlayground: operation({
    service: 'chat',
    title: 'Add a code playground',
    method: 'POST',
    path: '/api/v1/realm/playgrounds',
    params: pipe(
      object({
        name: nameField('Name', 'How the menu of a code block offers it.'),
        syntax_language: nameField('Language', 'The name of the syntax highlighter’s lexer.'),
        url_template: nameField('URL template', 'RFC 6570, with exactly one variable: code.'),
      }),
      transform((given) => ({ ...given, pygments_language: given.syntax_language })),
    ),
    reply: answer({ id: lenient(id) }),
    effect: 'write',
  }),
  addLinkifier: operation({
    service: 'chat',
    title: 'Add a linkifier',
    method: 'POST',
    path: '/api/v1/realm/filters',
    params: object({
      pattern: nameField('Pattern', 'A regular expression; named groups are allowed.'),
      url_template: nameField('URL template', 'RFC 6570; named groups as {name}.'),
    }),
    reply: answer({ id: lenient(id) }),
    effect: 'write',
  }),
}

const queueId = textField('Queue', 'As registering named it.')

/** The snapshot of a realm with ten thousand users is some 20 MB. */
const snapshotMaxBytes = 64 * 1024 * 1024

export const queueOperations = {
  registerQueue: operation({
    service: 'chat',
    title: 'Register an event queue',
    method: 'POST',
    path: '/api/v1/register',
    params: object({
      apply_markdown: optional(flagField('Rendered', 'Contents as HTML, not Markdown.'), true),
      slim_presence: optional(
        flagField('Slim presence', 'Presence by user id, in its modern form.'),
      ),
      presence_history_limit_days: optional(
        field(
          pipe(whole, minValue(0)),
          'Presence of',
          'How far back; the server’s default is 14.',
          {
            unit: 'days',
          },
        ),
      ),
      include_subscribers: optional(
        field(
          picklist(['true', 'false', 'partial']),
          'Subscribers',
          'Whether to list who follows each channel; partial needs feature level 412.',
        ),
      ),
      event_types: optional(
        field(
          array(string()),
          'Event types',
          'Such as message or subscription; all when not given.',
        ),
      ),
      fetch_event_types: optional(
        field(
          array(string()),
          'Initial data',
          'Types to tell the state of now; as above when not given.',
        ),
      ),
      all_public_streams: optional(
        flagField('All public channels', 'Messages of channels you don’t follow too.'),
      ),
      /** When sent, real servers demand the key `notification_settings_null`. */
      client_capabilities: optional(
        field(
          record(string(), boolean()),
          'Capabilities',
          'What the client understands; real servers demand notification_settings_null in it.',
        ),
      ),
      narrow: optional(
        field(
          array(tuple([string(), string()])),
          'Narrow',
          'Pairs of operator and operand; only messages that fit.',
        ),
      ),
      ...avatarAddresses,
    }),
    /** The rest is read by `readSnapshot`. */
    reply: answer({ queue_id: string(), last_event_id: whole }),
    effect: 'read',
    maxBytes: snapshotMaxBytes,
    // People, most of all.
    maxItems: 200_000,
    deadlineMs: 60_000,
  }),
  /** Answers when something happens, or with a heartbeat after some 50 s. One poll per queue at a time. */
  getEvents: operation({
    service: 'chat',
    title: 'Get events from an event queue',
    method: 'GET',
    path: '/api/v1/events',
    params: object({
      queue_id: queueId,
      last_event_id: field(
        pipe(whole, minValue(-1)),
        'Last event',
        'The id of the last one received, or what registering said: -1 or more.',
      ),
      dont_block: optional(flagField('At once', 'Answer at once, also when nothing happened.')),
    }),
    reply: answer({ events: items, queue_id: lenient(string()) }),
    effect: 'read',
    maxBytes: 64 * 1024 * 1024,
    // More is a queue that is cheaper to give up and catch up with.
    maxItems: 20_000,
    deadlineMs: 90_000,
  }),
  deleteQueue: operation({
    service: 'chat',
    title: 'Delete an event queue',
    method: 'DELETE',
    path: '/api/v1/events',
    params: object({ queue_id: queueId }),
    reply: done,
    effect: 'destroy',
    destroys: 'the event queue {queue_id}: whoever polls it must register anew',
    deadlineMs: 3_000,
  }),
}

/** Which file: the name that main gave to what the user chose. Its content never passes a window. */
const file = nameField('File', 'A file on this computer.', { picker: 'file' })

const uploaded = {
  /** Root-relative: `/user_uploads/…`. */
  url: nonEmpty,
  filename: lenient(string()),
}

export const fileOperations = {
  /** Below 25 MB; larger ones may not come through in one piece (chat API, "Limits"). */
  uploadFile: operation({
    service: 'chat',
    title: 'Upload a file',
    method: 'POST',
    path: '/api/v1/user_uploads',
    params: object({ file }),
    /** `uri` is the older name of `url`. */
    reply: answer({ ...uploaded, uri: lenient(string()) }),
    effect: 'write',
    sends: 'multipart',
    deadlineMs: 10 * 60_000,
  }),
  /** By tus 1.0, in parts: the last part's answer says where the file is. */
  resumableUpload: operation({
    service: 'chat',
    title: 'Resumable upload',
    method: 'POST',
    path: '/api/v1/tus',
    params: object({ file }),
    reply: answer(uploaded),
    effect: 'write',
    sends: 'tus',
    deadlineMs: 5 * 60_000,
  }),
  /** An address that opens without a key for 60 seconds. */
  getTemporaryFileUrl: operation({
    service: 'chat',
    title: 'Get a temporary address of a file',
    method: 'GET',
    path: '/api/v1/user_uploads/{realm_id}/{filename}',
    params: object({
      realm_id: idField('Realm', 'The number after /user_uploads/ in the file’s address.'),
      filename: nameField('File', 'The rest of its address.'),
    }),
    reply: answer({ url: nonEmpty }),
    effect: 'read',
  }),
  /** Times in it are epoch ms, unlike everywhere else in this API. */
  listAttachments: operation({
    service: 'chat',
    title: 'Get attachments',
    method: 'GET',
    path: '/api/v1/attachments',
    params: object({}),
    reply: answer({ attachments: items, upload_space_used: lenient(whole) }),
    effect: 'read',
  }),
  deleteAttachment: operation({
    service: 'chat',
    title: 'Delete an attachment',
    method: 'DELETE',
    path: '/api/v1/attachments/{attachment_id}',
    params: object({
      attachment_id: idField('Attachment', 'By its id; only your own.', { picker: 'attachment' }),
    }),
    reply: done,
    effect: 'destroy',
    destroys: 'the file {attachment_id}, also from all messages that link it',
  }),
}
