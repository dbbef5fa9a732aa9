import './chat.css'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { type AccountId, accountById, type ChatAccount, isFresh } from '#shared/core/account.ts'
import { conversationTitle } from '#shared/core/chat/chat-names.ts'
import { type ConversationKey, conversationKey } from '#shared/core/chat/conversation.ts'
import { draftKey } from '#shared/core/chat/drafts.ts'
import type { Message } from '#shared/core/chat/message.ts'
import { allMessages, noMessages } from '#shared/core/chat/message-list.ts'
import type { NarrowPlace } from '#shared/core/chat/narrow-link.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import { picturePath } from '#shared/core/chat/picture-path.ts'
import { followed, type Place } from '#shared/core/chat/places.ts'
import { type ConversationInfo, mustFetch, myGroups, type Realm } from '#shared/core/chat/realm.ts'
import { writingRefusal } from '#shared/core/chat/writing-rules.ts'
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
import { beginMessage, offerActions } from '../palette-shown.ts'
import { IconButton, SmallButton } from '../parts/button.tsx'
import { type PageAction, useSingleKeys } from '../parts/page-actions.ts'
import { PageBar } from '../parts/page-bar.tsx'
import { failedWords } from '../run.ts'
import { toastFailure, toastIfFailed } from '../toast.ts'
import { appState, go, now, place, visible } from '../window-state.ts'
import { Composer } from './composer.tsx'
import { chatActions, conversationActions, KeyButton } from './conversation-actions.tsx'
import { createDraftText } from './draft-text.ts'
import { chooseReaction, MessageQuestion, messageActions } from './message-actions.tsx'
import { MessageColumn } from './message-column.tsx'
import type { ItemContext } from './message-context.ts'
import { secondsHeld } from './message-item.tsx'
import { LargePicture } from './message-media.tsx'
import { aboutPerson, PresenceLine } from './presence.tsx'
import { openMessage, useWanted } from './wanted-message.ts'

interface Props extends Place {
  /** The message to show and flash once; null for the newest. */
  readonly messageId: number | null
  readonly fromLink?: boolean | undefined
}

export function ConversationPane(props: Props) {
  const account = accountById(appState.value, props.accountId)
  const realm = appState.value.realms.get(props.accountId)
  const { conversation } = followed(appState.value, props)
  useEffect(() => {
    // The topic was renamed or resolved: the reader and the draft go with it.
    if (conversation !== props.conversation)
      place.value = { view: 'conversation', ...props, conversation }
  }, [conversation])
  if (account?.kind !== 'chat' || realm === undefined)
    return <p class="column-note late-note">This chat account no longer exists.</p>
  const key = draftKey(props.accountId, props.conversation)
  return <OpenConversation key={key} {...props} account={account} realm={realm} />
}

interface OpenProps extends Props {
  readonly account: ChatAccount
  readonly realm: Realm
}

function OpenConversation(props: OpenProps) {
  const { accountId, conversation, messageId, fromLink, account, realm } = props
  const state = appState.value
  const key = conversationKey(conversation)
  const target = useMemo(() => ({ accountId, conversation }), [accountId, key])
  const info = realm.conversations.get(key)
  const title = conversationTitle(realm, conversation)
  const input = useRef<HTMLTextAreaElement>(null)
  const draft = useMemo(() => createDraftText(target), [target])
  const messages = useMessages(realm, key)
  const echoes = useEchoes(state.outbox, target, messages)
  const firstNewId = useFirstNew(info, visible.value)
  const { times } = state.target
  const insert = (text: string): void => {
    draft.edit(draft.text.peek() === '' ? text : `${draft.text.peek()}\n${text}`)
    // After the text is rendered, which leaves the caret behind it.
    queueMicrotask(() => input.current?.focus())
  }
  const context = useContext(account, realm, target, insert)
  const { linked, more } = useLinkedChecks(target)
  const flips = useColumnFlips(linked)
  useHistory(target, realm, info)
  const isHeld = messageId === null || messages.some(({ id }) => id === messageId)
  const isLooking = useWanted(target, isHeld ? null : messageId, realm, info)
  const marksRead =
    state.settings.markReadOnOpen && realm.settings.markReadWhenSeen && fromLink !== true
  const onSeen = useMarkRead(target, info, visible.value && marksRead)
  useEffect(() => () => draft.stop(), [draft])
  // Again when a notification or the tray asks for the conversation that is already open. Before
  // the next paint, since what is typed at once must not go elsewhere.
  useLayoutEffect(() => input.current?.focus(), [times])

  const editAgain = async (message: OutboxMessage): Promise<void> => {
    await draft.flush()
    draft.takeNext(true)
    const result = await call.discardMessage({ localId: message.localId, keepText: true })
    draft.takeNext(false)
    if (!result.ok) toastFailure(result.failure)
    input.current?.focus()
  }
  useSingleKeys([
    ...chatActions,
    ...conversationActions(target, title, () => input.current?.focus()),
    ...newestActions(target, messages.at(-1)),
    ...personActions(target, title),
  ])
  return (
    <section class="chat-frame conversation" aria-label={title}>
      <ConversationBar target={target} title={title} isUnread={(info?.unread.length ?? 0) > 0} />
      {conversation.kind === 'direct' && <PresenceLine target={target} realm={realm} />}
      <QuietConversation accountId={accountId} conversation={conversation} />
      <ConversationChecks linked={linked} more={more} />
      <RealmNote account={account} realm={realm} />
      <MessageColumn
        flips={flips}
        target={target}
        messages={messages}
        echoes={echoes}
        info={info}
        firstNewId={firstNewId}
        // Each way here is a place of its own, even to the same message.
        wanted={messageId === null ? null : { messageId, request: place.value }}
        isLooking={isLooking}
        keyState={account.key}
        context={context}
        onSeen={onSeen}
        onEditAgain={(message) => void editAgain(message)}
      />
      <Composer
        target={target}
        title={title}
        draft={draft}
        limits={realm.limits}
        isBegun={isBegun(info, messages.length + echoes.length)}
        blocked={
          account.key === 'present'
            ? writingRefusal(realm, conversation)
            : 'Nothing can be sent without a working key.'
        }
        context={context}
        input={input}
        onUndo={() => {
          const held = echoes.findLast((one) => secondsHeld(one, Date.now()) > 0)
          if (held !== undefined) void editAgain(held)
          return held !== undefined
        }}
      />
      <MessageQuestion realm={realm} />
      <LargePicture />
    </section>
  )
}

function newestActions(target: Place, newest: Message | undefined): readonly PageAction[] {
  if (newest === undefined) return []
  const title = 'React to the newest message with an emoji…'
  return [{ key: '', title, act: () => chooseReaction(target, newest) }]
}

/** For a conversation with one person. */
function personActions({ accountId, conversation }: Place, title: string): readonly PageAction[] {
  const [only, second] = conversation.kind === 'direct' ? conversation.userIds : []
  return only === undefined || second !== undefined
    ? []
    : [{ key: 'i', title: `About ${title}`, act: () => aboutPerson(accountId, only) }]
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

/** Whether a conversation has messages; null as long as that is unknown. */
function isBegun(info: ConversationInfo | undefined, shown: number): boolean | null {
  if (shown > 0 || (info?.lastMessageId ?? null) !== null) return true
  return info?.history === 'recent' ? false : null
}

const openWeb = (target: Place, messageId: number | null): void =>
  toastIfFailed(call.openWeb({ target: { view: 'conversation', ...target, messageId } }))

/** Stays the same object until something that messages show changes: none is drawn needlessly. */
function useContext(
  account: ChatAccount,
  realm: Realm,
  target: Place,
  insert: (text: string) => void,
): ItemContext {
  const { baseUrl, id, images } = account
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
      onShowPictures: () => toastIfFailed(call.setImages({ accountId: id, images: true })),
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
    [baseUrl, id, images, users, emoji, groups, mutedUsers, myId, target],
  )
}

/** Whether a place can be opened here, held or not. */
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
 * made those held doubtful. After a failure only the user retries, to spare a broken server. A
 * channel that the user isn't subscribed to sends no events, so opening it always fetches.
 */
function useHistory(target: Place, realm: Realm, info?: ConversationInfo): void {
  const doubtful = info === undefined || (info.history === 'none' && info.failure === null)
  const unheard = useRef(mustFetch(realm, target.conversation))
  const wanted = (doubtful || unheard.current) && realm.phase === 'live'
  useEffect(() => {
    unheard.current = false
    if (wanted) void call.loadConversation({ ...target, older: false })
  }, [wanted])
}

/**
 * Marks as read what the user has seen, but nothing further down. Sends one request per newest
 * message seen, so that a refusal doesn't turn into a stream of requests.
 */
function useMarkRead(
  target: Place,
  info: ConversationInfo | undefined,
  on: boolean,
): (seenId: number) => void {
  const seen = useRef(0)
  const asked = useRef<number | null>(null)
  const mark = (): void => {
    const unread = on && info?.history === 'recent' ? info.unread : []
    const upTo = unread.findLast((id) => id <= seen.current) ?? null
    if (upTo !== null && upTo !== asked.current) void call.markRead({ ...target, upTo })
    asked.current = upTo
  }
  useEffect(mark, [on, info])
  // Not state: drawing the column again would move it while it is scrolled.
  return (seenId) => {
    seen.current = seenId
    mark()
  }
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

/** The messages of a conversation that are held here, oldest first; none if `key` is null. */
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
 * messages unless they are held.
 */
export function useConversation(place: Place | null) {
  const realm = appState.value.realms.get(place?.accountId ?? '')
  const key = place === null ? null : conversationKey(place.conversation)
  const info = key === null ? undefined : realm?.conversations.get(key)
  useEffect(() => {
    if (place !== null && realm?.phase === 'live' && info?.history !== 'recent')
      void call.loadConversation({ ...place, older: false })
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

/** Characters of `data:` URLs that a window caches: some 500 thumbnails. */
const mostHeld = 32 * 1024 * 1024

/** The cached images, the least recently used first. */
const loaded = new Map<string, string>()
const underWay = new Map<string, Promise<string | null>>()
let held = 0

/** Loads an image through main, or null if there is none. Caches it while there is room. */
export function loadPicture(accountId: AccountId, path: string): Promise<string | null> {
  const name = `${accountId} ${path}`
  const known = loaded.get(name)
  if (known !== undefined) {
    loaded.delete(name)
    loaded.set(name, known)
    return Promise.resolve(known)
  }
  const asked = underWay.get(name)
  if (asked !== undefined) return asked
  const answer = call.loadImage({ accountId, path }).then((result) => {
    underWay.delete(name)
    const picture = result.ok ? result.value : null
    if (picture !== null) hold(name, picture)
    return picture
  })
  underWay.set(name, answer)
  return answer
}

function hold(name: string, picture: string): void {
  loaded.set(name, picture)
  held += picture.length
  for (const [oldest, old] of loaded) {
    if (held <= mostHeld || oldest === name) return
    loaded.delete(oldest)
    held -= old.length
  }
}

/** The size of the cache, in characters. */
export function heldPictures(): number {
  return held
}
