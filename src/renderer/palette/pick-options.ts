import { catalogue, type OperationId } from '#shared/api/catalogue.ts'
import type { FieldInput, FormField } from '#shared/api/form-fields.ts'
import type { Operation } from '#shared/api/operation.ts'
import { type AccountId, accountById } from '#shared/core/account.ts'
import { mutedWords } from '#shared/core/chat/interruption.ts'
import { allMessages, noMessages } from '#shared/core/chat/message-list.ts'
import { isRecord } from '#shared/core/schemas.ts'
import type { AppState } from '#shared/core/state.ts'
import { call } from '../bridge.ts'
import { type Choice, channelChoices, checkChoices, personChoices } from '../parts/known-choices.ts'
import { useRun } from '../run.ts'
import { appState } from '../window-state.ts'
import { whyNot } from './operation-state.ts'

type Pick = Extract<FieldInput, { kind: 'pick' }>

/** The lists that only the server has, by the path of the operation that returns them. */
const listPaths: Partial<Readonly<Record<Pick['picker'], string>>> = {
  integration: '/api/v3/channels/',
  draft: '/api/v1/drafts',
  snippet: '/api/v1/saved_snippets',
  scheduledMessage: '/api/v1/scheduled_messages',
  reminder: '/api/v1/reminders',
  attachment: '/api/v1/attachments',
}

/** How many of the messages loaded here are offered: the newest, one of which is usually meant. */
const messagesOffered = 50

/** The options to choose from; null if the value can only be typed. */
export function usePickOptions(accountId: AccountId, input: Pick): readonly Choice[] | null {
  const listed = useListed(accountId, listPaths[input.picker] ?? null)
  const here = optionsHere(appState.value, accountId, input)
  const options = here ?? listed
  if (options === null || options.length === 0) return null
  if (input.picker !== 'integration') return options
  return input.count === 'joined' ? [['*', 'All'], ['', 'None'], ...options] : options
}

function optionsHere(
  state: AppState,
  accountId: AccountId,
  { picker, of }: Pick,
): readonly Choice[] | null {
  const realm = state.realms.get(accountId)
  switch (picker) {
    case 'check':
      return checkChoices(state, accountId)
    case 'channel':
      return channelChoices(state, accountId, of)
    case 'user':
    case 'users':
      return of === 'text' ? null : personChoices(state, accountId)
    case 'message':
      return [...allMessages(realm?.messages ?? noMessages)]
        .sort((a, b) => b.id - a.id)
        .slice(0, messagesOffered)
        .map(({ id, senderId, senderName, text }) => [
          String(id),
          realm?.mutedUsers.includes(senderId) === true
            ? mutedWords
            : `${senderName}: ${text.slice(0, 60)}`,
        ])
    case 'integration':
    case 'draft':
    case 'snippet':
    case 'scheduledMessage':
    case 'reminder':
    case 'attachment':
    case 'file':
      return null
  }
}

/** Values of fields that the schemas leave open, since servers know more of them. */
const likelyWords: Readonly<Record<string, readonly string[]>> = {
  flag: ['read', 'starred', 'collapsed'],
  reaction_type: ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji', 'service_extra_emoji'],
}

/** How many recipients that match what was typed are offered. */
const addresseesOffered = 50

/** Suggestions for a field that takes other values too. */
export function suggestionsFor(
  { name, input }: FormField,
  accountId: AccountId,
  typed: string,
): readonly Choice[] {
  if (input.kind === 'text' && Object.hasOwn(likelyWords, name))
    return (likelyWords[name] ?? []).map((word) => [word, word])
  if (input.kind !== 'either' || name !== 'to') return []
  const ids = { kind: 'pick', count: 'one', of: 'number' } as const
  const channels = optionsHere(appState.value, accountId, { ...ids, picker: 'channel' }) ?? []
  const users = optionsHere(appState.value, accountId, { ...ids, picker: 'user' }) ?? []
  const word = typed.trim().toLowerCase()
  // A direct message goes to a list of people, a channel message to one id.
  return [...channels, ...users.map(([id, name]) => [`[${id}]`, name] as const)]
    .filter(([, label]) => label.toLowerCase().includes(word))
    .slice(0, addresseesOffered)
}

function useListed(accountId: AccountId, path: string | null): readonly Choice[] | null {
  const operation = path === null ? null : operationAt(path)
  const account = accountById(appState.value, accountId)
  const isAble =
    operation !== null &&
    account !== null &&
    whyNot(appState.value, account, catalogue[operation]) === null
  // A failure isn't shown: what can't be listed can be typed.
  return useRun(
    isAble ? `${accountId} ${operation}` : null,
    () => call.run({ accountId, operation: operation ?? '', params: {} }),
    optionsIn,
  ).value
}

function operationAt(path: string): OperationId | null {
  const found = Object.entries<Operation>(catalogue).find(
    ([, operation]) => operation.method === 'GET' && operation.path === path,
  )
  // The keys of the catalogue are operation ids.
  return found === undefined ? null : (found[0] as OperationId)
}

/** The entries of the list in a response: the id, and whichever of the usual names it has. */
function optionsIn(reply: unknown): readonly Choice[] {
  const lists = isRecord(reply) ? Object.values(reply).filter(Array.isArray) : []
  return (lists[0] ?? []).filter(isRecord).flatMap((entry: Readonly<Record<string, unknown>>) => {
    const id = entry['id'] ?? entry['scheduled_message_id'] ?? entry['reminder_id']
    if (typeof id !== 'string' && typeof id !== 'number') return []
    const named = ['title', 'name', 'content'].map((name) => entry[name])
    const label = named.find((one) => typeof one === 'string' && one.trim() !== '')
    if (typeof label !== 'string') return [[String(id), `${id}`]]
    // A reminder's content begins like every other's, before it quotes its message.
    const words =
      'reminder_id' in entry ? label.split('```quote\n').at(-1)?.split('\n```')[0] : label
    return [[String(id), (words ?? label).slice(0, 80)]]
  })
}
