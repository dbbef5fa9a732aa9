import { boolean, object, optional, pipe, string, transform } from 'valibot'
import { operation } from '../operation.ts'
import {
  answer,
  done,
  flagField,
  id,
  items,
  lenient,
  nameField,
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
