import type { Account, AccountId } from '#shared/core/account.ts'
import { userName } from '#shared/core/chat/chat-names.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import { isMuted } from '#shared/core/chat/interruption.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { type Failure, mayHaveHappened } from '#shared/core/failure.ts'
import { viewKeys } from '#shared/core/settings.ts'
import { type ChatListName, chatLists } from '#shared/core/target.ts'
import type { ChannelRow, ChatRow } from '#shared/core/views/conversation-rows.ts'
import { counted } from '#shared/core/wording.ts'
import { chatNote } from '../accounts/account-words.ts'
import { muteAction } from '../attention/conversation-quiet.tsx'
import { call } from '../bridge.ts'
import { copyLink } from '../copy-link.tsx'
import { beginMessage } from '../palette-shown.ts'
import { IconButton, Segments, SmallButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { MenuButton, type MenuItem } from '../parts/menu-button.tsx'
import { type PageAction, useKeys, useSingleKeys } from '../parts/page-actions.ts'
import { EmptyState } from '../parts/page-bar.tsx'
import { failedWords, run } from '../run.ts'
import { toast, toastFailure, toastIfFailed, toastResult, undo } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { askForStatus, ownStatusWords } from './asked-status.ts'
import { OwnStatuses } from './status-dialog.tsx'

const search = () => go({ view: 'search', accountId: null, query: '' })

/** The actions that the chat's pages share. */
export const chatActions: readonly PageAction[] = [
  { key: 'n', title: 'New message…', act: () => beginMessage() },
  { key: '/', title: 'Search messages…', act: search },
  { key: 'd', title: 'Drafts, scheduled messages and snippets', act: () => go({ view: 'later' }) },
]

const sections = [
  [undefined, 'Recent'],
  ['direct', 'Direct'],
  ['channels', 'Channels'],
] as const

/** What the recent conversations can be narrowed down to. */
const filters = [
  ['mentions', 'Mentions'],
  ['followed', 'Followed'],
  ['starred', 'Starred'],
] as const

/** In the order of their keys. */
const lists: readonly (ChatListName | undefined)[] = [undefined, ...chatLists]

const keyOfList = (list: ChatListName | undefined) => viewKeys[lists.indexOf(list)] ?? '9'

function showList(list: ChatListName | undefined): void {
  go({ view: 'chat', ...(list && { list }) })
}

/** Buttons to write and search, the choice of list, and one's own status. */
export function ChatBar({ list }: { readonly list: ChatListName | undefined }) {
  useSingleKeys([...chatActions, { key: 'M', title: 'Mark all as read', act: markAllRead }])
  useKeys(lists.map((one) => ({ key: keyOfList(one), act: () => showList(one) })))
  const filter = filters.find(([one]) => one === list)?.[0]
  const section = sections.find(([one]) => one === list)?.[0]
  return (
    <>
      <div class="row chat-bar">
        <Segments
          label="List"
          options={sections}
          value={section}
          onChange={showList}
          keys={sections.map(([one]) => keyOfList(one))}
        />
        <span class="chat-tools">
          <IconButton icon="add" label="New message (n)" onClick={() => beginMessage()} />
          <IconButton icon="search" label="Search messages (/)" onClick={search} />
          <MenuButton label="More of the chat" items={barItems()} />
        </span>
      </div>
      {section === undefined && (
        <fieldset class="chat-filters" aria-label="Only these">
          {filters.map(([one, words]) => (
            <SmallButton
              key={one}
              title={`${words} (${keyOfList(one)})`}
              aria-pressed={one === filter}
              onClick={() => showList(one === filter ? undefined : one)}
            >
              {words}
            </SmallButton>
          ))}
        </fieldset>
      )}
      <OwnStatuses />
    </>
  )
}

function barItems(): readonly MenuItem[] {
  return [
    { label: 'Drafts & scheduled', hint: 'd', act: () => go({ view: 'later' }) },
    ...statusItems(),
    { label: 'Mark all as read', hint: 'M', act: () => void markAllRead() },
  ]
}

/** One for each chat; its hint is what others see now. */
function statusItems(): readonly MenuItem[] {
  const { realms, accounts } = appState.value
  return [...realms.values()].map((realm) => ({
    label:
      realms.size === 1
        ? 'Your status…'
        : `Your status in ${accounts.find(({ id }) => id === realm.accountId)?.label ?? ''}…`,
    hint: ownStatusWords(realm),
    act: () => askForStatus(realm),
  }))
}

/** Why a chat isn't up to date, with a button to enter a new key if that helps. */
export function AccountNotes() {
  return (
    <>
      {appState.value.accounts.map((account) => {
        if (account.kind !== 'chat') return null
        const needsKey = account.key !== 'present' && account.key !== 'locked'
        const words = chatNote(appState.value, account, now.value)
        return words === null ? null : (
          <p key={account.id} class="row pane-note" role="status">
            {account.label}: {words}
            {needsKey && <KeyButton account={account} />}
          </p>
        )
      })}
    </>
  )
}

/** Shown when there are no conversations. */
export function NoRows() {
  const needy = accountWithoutKey()
  if (needy === null)
    return (
      <EmptyState title={nothingUnreadWords()}>
        <p>Conversations show up here as people write.</p>
      </EmptyState>
    )
  const locked = needy.key === 'locked'
  return (
    <EmptyState title="Not connected">
      <p>
        {needy.label}{' '}
        {locked
          ? 'is waiting for the keyring to be unlocked.'
          : 'can only be read with a working key.'}
      </p>
    </EmptyState>
  )
}

/** The first chat account if none has a usable key, else null. */
function accountWithoutKey(): Account | null {
  const chats = appState.value.accounts.filter(({ kind }) => kind === 'chat')
  return chats.every(({ key }) => key !== 'present') ? (chats[0] ?? null) : null
}

export function nothingUnreadWords(): string {
  if (accountWithoutKey() !== null) return 'Not connected.'
  const realms = [...appState.value.realms.values()]
  const read = realms.length > 0 && realms.every(({ freshness }) => freshness.readAt !== null)
  return read ? 'Nothing unread.' : 'Connecting…'
}

export function KeyButton({ account: { id, key } }: { readonly account: Account }) {
  return (
    <SmallButton onClick={() => go({ view: 'replaceKey', accountId: id })}>
      {key === 'rejected' ? 'Replace key' : 'Enter key'}
    </SmallButton>
  )
}

/** As the service numbers them ("Update personal preferences for a topic"). */
const policies = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const

/** Mutes or unmutes a person in the chat itself, for every client. */
export function personMute(realm: Realm, userId: number): PageAction {
  const { accountId } = realm
  const name = userName(realm, userId)
  const isOn = realm.mutedUsers.includes(userId)
  const words = isOn
    ? `${name} is no longer muted in the chat.`
    : `${name} is muted in the chat: what they write counts as read.`
  const ask = (mutes: boolean) =>
    run(accountId, mutes ? 'muteUser' : 'unmuteUser', { muted_user_id: userId })
  const act = (): void => {
    const offer = undo(() => toastIfFailed(ask(isOn), failedWords))
    toastResult(ask(!isOn), words, failedWords, offer)
  }
  return { key: 'm', title: `${isOn ? 'Unmute' : 'Mute'} ${name} in the chat, everywhere`, act }
}

/** What can be done with a conversation, on its page and in the list. */
export function conversationActions(
  { accountId, conversation }: Place,
  title: string,
  reply: () => void,
): readonly PageAction[] {
  const here = { accountId, conversation }
  const realm = appState.peek().realms.get(accountId)
  const unread = realm?.conversations.get(conversationKey(conversation))?.unread ?? []
  const read = {
    key: '' as const,
    title: `Mark ${title} as read`,
    act: () => toastIfFailed(call.markRead(here), failedWords),
  }
  return [
    { key: 'r', title: `Reply in ${title}`, act: reply },
    ...(unread.length > 0 ? [read] : []),
    muteAction(here, title),
    ...topicActions(here, title),
    {
      key: '',
      title: `Copy app link to ${title}`,
      act: () => copyLink({ view: 'conversation', ...here, messageId: null }),
    },
  ]
}

/**
 * Changes in the chat itself, for every client: muting, following and resolving a topic, or muting
 * the one person of direct messages.
 */
function topicActions({ accountId, conversation }: Place, title: string): readonly PageAction[] {
  const realm = appState.peek().realms.get(accountId)
  if (realm === undefined) return []
  if (conversation.kind === 'direct') {
    const [userId = -1, ...others] = conversation.userIds
    return others.length > 0 || userId === realm.me?.id ? [] : [personMute(realm, userId)]
  }
  const { channelId, topic } = conversation
  const key = conversationKey(conversation)
  const isChannelMuted = realm.channels.get(channelId)?.muted ?? true
  const muted = isMuted(realm, { conversation, key })
  const policy = realm.topicPolicies.get(key) ?? 'none'
  const followed = policy === 'followed'
  const last = realm.conversations.get(key)?.lastMessageId ?? null
  const ask = (to: keyof typeof policies) =>
    run(accountId, 'updateTopicPolicy', {
      stream_id: channelId,
      topic,
      visibility_policy: policies[to],
    })
  const change = (to: keyof typeof policies, words: string): void => {
    const offer = undo(() => toastIfFailed(ask(policy), failedWords))
    toastResult(ask(to), `${title} ${words}`, failedWords, offer)
  }
  // A topic without a policy of its own is muted if its channel is.
  const mute = () => change(isChannelMuted ? 'none' : 'muted', 'is muted in the chat.')
  const unmute = () =>
    change(isChannelMuted ? 'unmuted' : 'none', 'is no longer muted in the chat.')
  const follow = () => change('followed', 'is followed.')
  const unfollow = () => change('none', 'is no longer followed.')
  return [
    {
      key: 'm',
      title: `${muted ? 'Unmute' : 'Mute'} ${title} in the chat, everywhere`,
      act: muted ? unmute : mute,
    },
    {
      key: 'f',
      title: `${followed ? 'Stop following' : 'Follow'} ${title}`,
      act: followed ? unfollow : follow,
    },
    ...(topic === '' || last === null
      ? []
      : [
          {
            key: '' as const,
            title: `${isResolved(topic) ? 'Reopen' : 'Resolve'} ${title}`,
            act: () => resolve(accountId, last, topic),
          },
        ]),
  ]
}

/** The service's own mark of a resolved topic. */
const resolvedSign = '✔ '

export function isResolved(topic: string): boolean {
  return topic.startsWith(resolvedSign)
}

/** Resolves or reopens a topic with all of its messages; `messageId` is any of them. */
export function resolve(accountId: AccountId, messageId: number, topic: string): void {
  const most = appState.peek().realms.get(accountId)?.limits.topicLength
  toastIfFailed(
    run(accountId, 'editMessage', {
      message_id: messageId,
      // With the mark, a long topic may have to be cut.
      topic: isResolved(topic)
        ? topic.slice(resolvedSign.length)
        : [...(resolvedSign + topic)].slice(0, most).join(''),
      propagate_mode: 'change_all',
      send_notification_to_old_thread: false,
    }),
  )
}

/** Message ids in one request. */
const idsAtOnce = 1_000

interface Part {
  readonly accountId: AccountId
  readonly messages: readonly number[]
}

function countOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { messages }) => sum + messages.length, 0)
}

/** Stops at each account's first failure; `unsure`: parts that may have been changed regardless. */
async function mark(op: 'add' | 'remove', parts: readonly Part[]) {
  const done: Part[] = []
  const unsure: Part[] = []
  const failures = new Map<AccountId, Failure>()
  for (const part of parts) {
    const { accountId, messages } = part
    if (failures.has(accountId)) continue
    const change = { messages: [...messages], op, flag: 'read' }
    const result = await run(accountId, 'updateMessageFlags', change)
    if (result.ok) done.push(part)
    else failures.set(accountId, result.failure)
    if (!result.ok && mayHaveHappened(result.failure)) unsure.push(part)
  }
  const all = [...failures.values()]
  return { done, unsure, failure: all.find(mayHaveHappened) ?? all[0] ?? null }
}

/** Marks everything in all chats as read, and offers to undo it. */
export async function markAllRead(): Promise<void> {
  const parts = [...appState.value.realms.values()].flatMap(({ accountId, conversations }) => {
    const ids = [...conversations.values()].flatMap((info) => info.unread)
    return Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, at) => ({
      accountId,
      messages: ids.slice(at * idsAtOnce, (at + 1) * idsAtOnce),
    }))
  })
  if (parts.length === 0) return toast('Nothing is unread.')
  const { done, unsure, failure } = await mark('add', parts)
  // Also undoes a part whose response was lost: harmless if its messages are still unread.
  const tried = [...done, ...unsure]
  const markUnread = async (): Promise<void> => {
    const { realms } = appState.peek()
    const undone = await mark(
      'remove',
      tried.filter(({ accountId }) => realms.has(accountId)),
    )
    if (undone.failure !== null) toastFailure(undone.failure, failedWords)
  }
  const offer = tried.length === 0 ? null : undo(markUnread)
  const marked = counted(countOf(done), 'message')
  if (failure === null) toast(`${marked} marked as read.`, 'done', offer)
  else if (done.length === 0) toast(failedWords(failure), 'failed', offer)
  else {
    const why = failedWords(failure, 'More may have been marked.', 'The others are still unread.')
    toast(`Only ${marked} marked as read. ${why}`, 'failed', offer)
  }
}

/** How much is unread of a conversation or channel, or that it is muted. */
export function UnreadMark({ row }: { readonly row: ChannelRow | ChatRow }) {
  if (row.unread > 0)
    return (
      <span class={row.mention ? 'row-count row-count-mention' : 'row-count'}>
        {row.mention && <span aria-hidden="true">@</span>}
        {row.unread}
        <span class="visually-hidden">{row.mention ? ' unread, mentions you' : ' unread'}</span>
      </span>
    )
  if (row.muted)
    return (
      <span class="raw quiet-mark row-muted">
        <Icon name="muted" />
        muted
      </span>
    )
  return null
}

/** Tells apart several chats: by letters and a colour, and by name for screen readers. */
export function AccountMark({ accountId }: { readonly accountId: AccountId }) {
  const chats = appState.value.accounts.filter(({ kind }) => kind === 'chat')
  const at = chats.findIndex(({ id }) => id === accountId)
  const label = chats[at]?.label
  if (label === undefined || chats.length === 1) return null
  const [first = '', second] = label.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  const letters = second === undefined ? [...first].slice(0, 2) : [...first].slice(0, 1)
  const [next = ''] = second ?? ''
  return (
    <span class={`account-mark account-mark-${at % 5}`} title={label}>
      <span aria-hidden="true">{[...letters, next].join('').toUpperCase() || at + 1}</span>
      <span class="visually-hidden">{label}: </span>
    </span>
  )
}
