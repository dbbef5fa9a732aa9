import {
  array,
  boolean,
  minLength,
  object,
  optional,
  picklist,
  pipe,
  string,
  transform,
} from 'valibot'
import { answer, done, id, items, lenient, whole } from './chat-fields.ts'
import { operation } from './operation.ts'

const nonEmpty = pipe(string(), minLength(1))

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
  updateNavigationView: operation({
    service: 'chat',
    title: 'Update the navigation view',
    method: 'PATCH',
    path: '/api/v1/navigation_views/{fragment}',
    params: object({
      fragment: nonEmpty,
      is_pinned: optional(boolean()),
      name: optional(string()),
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
      object({ name: nonEmpty, syntax_language: nonEmpty, url_template: nonEmpty }),
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
    params: object({ pattern: nonEmpty, url_template: nonEmpty }),
    reply: answer({ id: lenient(id) }),
    effect: 'write',
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
    params: object({ attachment_id: id }),
    reply: done,
    effect: 'destroy',
  }),
  /** An `id` inside the draft is refused. 404 when it is gone. */
  editDraft: operation({
    service: 'chat',
    title: 'Edit a draft',
    method: 'PATCH',
    path: '/api/v1/drafts/{draft_id}',
    params: object({
      draft_id: id,
      draft: object({
        type: picklist(['', 'stream', 'private']),
        to: array(id),
        topic: string(),
        content: string(),
        timestamp: optional(id),
      }),
    }),
    reply: done,
    effect: 'write',
  }),
  createSavedSnippet: operation({
    service: 'chat',
    title: 'Create a saved snippet',
    method: 'POST',
    path: '/api/v1/saved_snippets',
    params: object({ title: nonEmpty, content: nonEmpty }),
    reply: answer({ saved_snippet_id: id }),
    effect: 'write',
  }),
}
