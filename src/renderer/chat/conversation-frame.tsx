import './chat.css'
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { type ChatAccount, isFresh } from '#shared/core/account.ts'
import { conversationTitle } from '#shared/core/chat/chat-names.ts'
import { type ConversationKey, conversationKey } from '#shared/core/chat/conversation.ts'
import type { Message } from '#shared/core/chat/message.ts'
import { allMessages, noMessages } from '#shared/core/chat/message-list.ts'
import type { NarrowPlace } from '#shared/core/chat/narrow-link.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import { picturePath } from '#shared/core/chat/picture-path.ts'
import type { Place } from '#shared/core/chat/places.ts'
import { type ConversationInfo, mustFetch, myGroups, type Realm } from '#shared/core/chat/realm.ts'
import { missingKeyWords, refusalWords } from '#shared/core/failure-words.ts'
import { clockWords } from '#shared/core/time.ts'
import { muteAction, QuietConversation } from '../attention/conversation-quiet.tsx'
import { call } from '../bridge.ts'
import { CopyLink } from '../copy-link.tsx'
import {
  ConversationChecks,
  useColumnFlips,
  useLinkedChecks,
} from '../discuss/conversation-checks.tsx'
import { openMessage } from '../open-message.ts'
import { beginMessage, offerActions } from '../palette-shown.ts'
import { IconButton, SmallButton } from '../parts/button.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { loadPicture } from '../picture-cache.ts'
import { failedWords } from '../run.ts'
import { toastIfFailed } from '../toast.ts'
import { appState, followsList, go, now, place as shown, visible } from '../window-state.ts'
import { KeyButton } from './conversation-actions.tsx'
import { MessageQuestion, messageActions } from './message-actions.tsx'
import { MessageColumn } from './message-column.tsx'
import type { ItemContext } from './message-context.ts'
import { LargePicture } from './message-media.tsx'
import { aboutPerson, PresenceLine } from './presence.tsx'

interface Ways {
  /** Puts a text into what is being written there. */
  readonly insert: (text: string) => void
  /** Opens what is only previewed; null for a conversation that is open. */
  readonly open: (() => void) | null
}

export interface ConversationProps {
  readonly target: Place
  readonly account: ChatAccount
  readonly realm: Realm
}

/** What a conversation shows, whether it is open or only previewed. */
export function useConversationShown({ target, account, realm }: ConversationProps, ways: Ways) {
  const isPreview = ways.open !== null
  const key = conversationKey(target.conversation)
  const info = realm.conversations.get(key)
  const messages = useMessages(realm, key)
  const { linked, more } = useLinkedChecks(target)
  useHistory(target, realm, info, isPreview)
  return {
    ...{ target, account, realm, isPreview, info, messages, linked, more },
    title: conversationTitle(realm, target.conversation),
    echoes: useEchoes(appState.value.outbox, target, messages),
    firstNewId: useFirstNew(info, visible.value),
    context: useContext(account, realm, target, ways),
    flips: useColumnFlips(linked, isPreview),
  }
}

type Shown = ReturnType<typeof useConversationShown>
type ColumnProps = Parameters<typeof MessageColumn>[0]

interface FrameProps
  extends Shown,
    Pick<ColumnProps, 'wanted' | 'isLooking' | 'onSeen' | 'onEditAgain'> {
  /** What is below the messages: where one writes. */
  readonly children: ComponentChildren
}

/** A conversation: what it is about, and its messages. */
export function ConversationFrame(props: FrameProps) {
  const { target, account, realm, title, info, isPreview, linked, more, children } = props
  return (
    <section class="chat-frame conversation" aria-label={title}>
      <ConversationBar target={target} title={title} isUnread={(info?.unread.length ?? 0) > 0} />
      {target.conversation.kind === 'direct' && (
        <PresenceLine target={target} realm={realm} isAsked={!isPreview} />
      )}
      <QuietConversation {...target} />
      <ConversationChecks linked={linked} more={more} />
      <RealmNote account={account} realm={realm} />
      <MessageColumn {...props} keyState={account.key} />
      {children}
      <MessageQuestion realm={realm} />
      <LargePicture />
    </section>
  )
}

function ConversationBar(props: { target: Place; title: string; isUnread: boolean }) {
  const { target, title, isUnread } = props
  const mute = muteAction(target, title)
  const isMuted = mute.title.startsWith('Un')
  return (
    <PageBar title={title}>
      {isUnread && (
        <SmallButton onClick={() => toastIfFailed(call.markRead(target), failedWords)}>
          Mark read
        </SmallButton>
      )}
      <IconButton
        icon={isMuted ? 'bell' : 'muted'}
        label={`${isMuted ? 'Unmute' : 'Mute'} in Belfry (s)`}
        onClick={mute.act}
      />
      <CopyLink target={{ view: 'conversation', ...target, messageId: null }} look="icon" />
      <IconButton icon="external" label="Open in browser" onClick={() => openWeb(target, null)} />
    </PageBar>
  )
}

const openWeb = (target: Place, messageId: number | null): void =>
  toastIfFailed(call.openWeb({ target: { view: 'conversation', ...target, messageId } }))

/** Stays the same object until something that messages show changes: none is drawn needlessly. */
function useContext(
  account: ChatAccount,
  realm: Realm,
  target: Place,
  { insert, open }: Ways,
): ItemContext {
  const { baseUrl, id } = account
  // A preview loads none: they would cost more than the messages.
  const images = account.images && open === null
  const { users, emoji, groups, mutedUsers } = realm
  const myId = realm.me?.id ?? null
  return useMemo(
    () => ({
      baseUrl,
      myId,
      myGroups: myGroups(groups),
      nameOf: (userId) => users.get(userId)?.name ?? null,
      onLink: (url) => toastIfFailed(call.openLink({ url })),
      onPlace: ({ conversation, messageId }) => {
        if (conversation === null) {
          if (messageId !== null) void openMessage(id, messageId)
          return messageId !== null
        }
        const known = appState.peek().realms.get(id)
        if (known === undefined || !isKnown(known, conversation)) return false
        if (conversation.kind === 'channel')
          beginMessage({ to: 'channel', accountId: id, channelId: conversation.channelId })
        else go({ view: 'conversation', accountId: id, conversation, messageId })
        return true
      },
      loadPicture: images ? (path) => loadPicture(id, path) : null,
      onShowPictures: () => {
        open?.()
        if (!account.images) toastIfFailed(call.setImages({ accountId: id, images: true }))
      },
      onOpenMessage: (messageId) => openWeb(target, messageId),
      onPerson: (userId) => aboutPerson(id, userId),
      onActions: (message) => {
        const now = appState.peek().realms.get(id)
        if (now !== undefined)
          offerActions(messageActions(message, { place: target, realm: now, baseUrl, insert }))
      },
      emojiPath: ({ code, type }) =>
        picturePath(emojiSource(emoji, code, type), baseUrl)?.path ?? null,
      mutedUsers,
      onReact: (message, { name, code, type }, present) =>
        toastIfFailed(
          call.setReaction({ accountId: id, messageId: message.id, name, code, type, present }),
          failedWords,
        ),
    }),
    [baseUrl, id, account.images, images, users, emoji, groups, mutedUsers, myId, target],
  )
}

/** Whether a place can be opened here, loaded or not. */
function isKnown(
  { channels, otherChannels, users }: Realm,
  conversation: NonNullable<NarrowPlace['conversation']>,
): boolean {
  if (conversation.kind === 'direct') return conversation.userIds.every((id) => users.has(id))
  const { channelId } = conversation
  return channels.has(channelId) || (conversation.kind === 'topic' && otherChannels.has(channelId))
}

/** The address of an emoji's image. Built-in ones have the same path on every server. */
function emojiSource(emoji: Realm['emoji'], code: string, type: string): string {
  if (type === 'realm_emoji') return emoji.get(code)?.source ?? ''
  return `/static/generated/emoji/images/emoji/unicode/${encodeURIComponent(code)}.png`
}

/** Why the messages below may be stale, or nothing. */
function RealmNote({ account, realm }: { readonly account: ChatAccount; readonly realm: Realm }) {
  const words = account.key === 'present' ? staleWords(realm) : keyWords(account, realm)
  if (words === null) return null
  return (
    <p class="row pane-note" role="status">
      {words}
      {account.key !== 'present' && <KeyButton account={account} />}
    </p>
  )
}

/** Leaves out the reason, which is at the foot of the window. */
function staleWords({ freshness, messages }: Realm): string | null {
  const { readAt, failure } = freshness
  if (readAt === null)
    return `Connecting.${messages.size > 0 ? ' Showing saved messages.' : ''} What you send will wait.`
  if (failure === null && isFresh(freshness, now.value)) return null
  return `Not connected. Showing messages up to ${clockWords(readAt, now.value)}; what you send will wait.`
}

function keyWords(account: ChatAccount, { freshness }: Realm): string {
  if (account.key === 'rejected') return refusalWords(freshness.failure)
  return account.key === 'missing'
    ? `${missingKeyWords(account)}.`
    : 'The keyring is locked: unlock it, or enter the key again.'
}

/**
 * Fetches the newest messages when the conversation is opened, and again whenever a lost event queue
 * made those here doubtful; as a glance if it is only previewed, which opening it doesn't wait for.
 * After a failure only the user retries, to spare a broken server. A channel that the user isn't
 * subscribed to sends no events, so opening it always fetches.
 */
function useHistory(
  target: Place,
  realm: Realm,
  info: ConversationInfo | undefined,
  isPreview: boolean,
): void {
  const doubtful = info === undefined || (info.history === 'none' && info.failure === null)
  const isGlance = !isPreview && info?.history === 'loading'
  const early = useRef(isGlance || mustFetch(realm, target.conversation))
  const wanted = (doubtful || early.current) && realm.phase === 'live'
  useEffect(() => {
    early.current = false
    const how = isPreview ? { glance: true } : {}
    if (wanted) void call.loadConversation({ ...target, older: false, ...how })
  }, [wanted])
}

/**
 * The first message that was unread when the user opened the conversation or came back to the
 * window. It keeps its mark once it is read, and one that arrives while the user looks gets none.
 */
function useFirstNew(info: ConversationInfo | undefined, isVisible: boolean): number | null {
  const firstNew = useRef<number | null>(null)
  const looking = useRef(false)
  if (!isVisible) looking.current = false
  else if (!looking.current && info?.history === 'recent') {
    looking.current = true
    firstNew.current = info.unread[0] ?? null
  }
  // While hidden or until the history has been read: the first unread message known so far.
  return looking.current ? firstNew.current : (info?.unread[0] ?? null)
}

/** The messages of a conversation that are loaded here, oldest first; none if `key` is null. */
function useMessages(realm: Realm | undefined, key: ConversationKey | null): readonly Message[] {
  const all = realm?.messages ?? noMessages
  return useMemo(
    () =>
      allMessages(all)
        .filter((one) => one.key === key)
        .sort((a, b) => a.id - b.id),
    [all, key],
  )
}

/**
 * A conversation shown on another page, without those whom the user muted: fetches its newest
 * messages unless they are loaded.
 */
export function useConversation(place: Place | null) {
  const realm = appState.value.realms.get(place?.accountId ?? '')
  const key = place === null ? null : conversationKey(place.conversation)
  const info = key === null ? undefined : realm?.conversations.get(key)
  useEffect(() => {
    // Merely selecting a check is a glance at its conversation, too.
    const how = followsList.peek() && shown.peek().view === 'checks' ? { glance: true } : {}
    if (place !== null && realm?.phase === 'live' && info?.history !== 'recent')
      void call.loadConversation({ ...place, older: false, ...how })
  }, [place?.accountId, key, realm?.phase])
  const messages = useMessages(realm, key)
  const heard = useMemo(
    () => messages.filter(({ senderId }) => realm?.mutedUsers.includes(senderId) !== true),
    [messages, realm?.mutedUsers],
  )
  return { realm, info, messages: heard }
}

/** The user's own messages being sent here, except those already in the column. */
function useEchoes(
  outbox: readonly OutboxMessage[],
  { accountId, conversation }: Place,
  messages: readonly Message[],
): readonly OutboxMessage[] {
  const key = conversationKey(conversation)
  return outbox.filter(
    (entry) =>
      entry.accountId === accountId &&
      conversationKey(entry.conversation) === key &&
      !messages.some(({ id }) => id === entry.messageId),
  )
}
