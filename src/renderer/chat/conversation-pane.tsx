import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Place } from '#shared/contract.ts'
import { type ChatAccount, isFresh, type KeyState } from '#shared/core/account.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import { conversationTitle, draftKey } from '#shared/core/chat/conversation-title.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { clockWords } from '#shared/core/clock-words.ts'
import { failureSentence, refusalWords } from '#shared/core/failure-words.ts'
import { accountById } from '#shared/core/state.ts'
import { askToMute, MuteHere, QuietConversation } from '../attention/conversation-quiet.tsx'
import { call } from '../bridge.ts'
import { ConversationChecks } from '../discuss/conversation-checks.tsx'
import { useColumnFlips, useLinkedChecks } from '../discuss/use-linked-checks.ts'
import { IconButton } from '../parts/button.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { useSingleKeys } from '../parts/single-keys.ts'
import { say, sayIfFailed } from '../toast.ts'
import { appState, go, now, place } from '../window-state.ts'
import { Composer } from './composer.tsx'
import { createDraftText } from './draft-text.ts'
import { MessageColumn } from './message-column.tsx'
import type { MessageContext } from './message-context.ts'
import { loadPicture } from './picture-cache.ts'
import type { React } from './reaction-chips.tsx'
import {
  useEchoes,
  useFirstNew,
  useHistory,
  useMarkRead,
  useMessages,
  useVisible,
} from './use-conversation.ts'
import './chat.css'

interface Props extends Place {
  /** The message to show and flash once; null for the newest. */
  readonly messageId: number | null
}

/** One conversation: its messages and the place to answer. */
export function ConversationPane(props: Props) {
  const account = accountById(appState.value, props.accountId)
  const realm = appState.value.realms.get(props.accountId)
  const moved = realm?.movedTo.get(conversationKey(props.conversation))
  useEffect(() => {
    // The topic was renamed or resolved: the reader, and what they write, goes with it.
    if (moved !== undefined) place.value = { view: 'conversation', ...props, conversation: moved }
  }, [moved])
  if (account?.kind !== 'chat' || realm === undefined)
    return <p class="column-note late-note">This chat account is not there any more.</p>
  const key = draftKey(props.accountId, props.conversation)
  return <OpenConversation key={key} {...props} account={account} realm={realm} />
}

interface OpenProps extends Props {
  readonly account: ChatAccount
  readonly realm: Realm
}

function OpenConversation({ accountId, conversation, messageId, account, realm }: OpenProps) {
  const state = appState.value
  const key = conversationKey(conversation)
  const target = useMemo(() => ({ accountId, conversation }), [accountId, key])
  const info = realm.conversations.get(key)
  const title = conversationTitle(realm, conversation)
  const unread = info?.unread.length ?? 0
  const input = useRef<HTMLTextAreaElement>(null)
  const draft = useMemo(() => createDraftText(target), [target])
  const visible = useVisible()
  const messages = useMessages(realm, key)
  const echoes = useEchoes(state.outbox, target, messages)
  const firstNewId = useFirstNew(info, visible)
  const { times } = state.target
  const context = useContext(account, realm)
  const { linked, more } = useLinkedChecks(target)
  const flips = useColumnFlips(linked)
  useHistory(target, realm, info)
  useMarkRead(target, info, visible && state.settings.markReadOnOpen)
  useEffect(() => () => draft.stop(), [draft])
  // A notification or the tray may ask for the place where one already is: the focus comes again.
  // Before the first paint: what is typed at once must not go elsewhere.
  useLayoutEffect(() => input.current?.focus(), [times])

  const editAgain = async (message: OutboxMessage): Promise<void> => {
    await draft.flush()
    draft.takeNext(true)
    const result = await call.discardMessage({ localId: message.localId, keepText: true })
    if (!result.ok) {
      draft.takeNext(false)
      say(failureSentence(result.failure), 'failed')
    }
    input.current?.focus()
  }
  // The same each time, or each message would be drawn anew with each that comes.
  const onReact = useCallback<React>(
    (message, { name, code, type }, present) =>
      sayIfFailed(
        call.setReaction({ accountId, messageId: message.id, name, code, type, present }),
      ),
    [accountId],
  )
  useSingleKeys([
    { key: 'r', title: `Reply in ${title}`, act: () => input.current?.focus() },
    { key: 's', title: `Mute ${title} for a while…`, act: () => askToMute(target, title) },
  ])
  return (
    <section class="conversation" aria-label={title}>
      <PaneBar target={target} title={title} unread={unread} />
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
        wanted={messageId === null ? null : { messageId, request: times }}
        mutedUsers={realm.mutedUsers}
        keyState={account.key}
        context={context}
        onReact={onReact}
        onEditAgain={(message) => void editAgain(message)}
      />
      <Composer
        target={target}
        title={title}
        draft={draft}
        limits={realm.limits}
        sendKey={state.settings.sendKey}
        blocked={account.key === 'present' ? null : 'Nothing can be sent without a working key.'}
        input={input}
        onSent={() => input.current?.focus()}
      />
    </section>
  )
}

interface BarProps {
  readonly target: Place
  readonly title: string
  readonly unread: number
}

function PaneBar({ target, title, unread }: BarProps) {
  return (
    <PageBar title={title}>
      {unread > 0 && (
        <button
          type="button"
          class="small-button"
          onClick={() => sayIfFailed(call.markRead(target))}
        >
          Mark read
        </button>
      )}
      <MuteHere {...target} title={title} />
      <IconButton
        icon="external"
        label="Open in browser"
        onClick={() =>
          sayIfFailed(
            call.openWeb({
              target: { view: 'conversation', ...target, messageId: null },
            }),
          )
        }
      />
    </PageBar>
  )
}

/** Stays the same object while nothing that a drawn message shows changes, so none is drawn twice. */
function useContext(account: ChatAccount, realm: Realm): MessageContext {
  const { baseUrl, id, images } = account
  const { users } = realm
  const myId = realm.me?.id ?? null
  return useMemo(
    () => ({
      baseUrl,
      myId,
      nameOf: (userId) => users.get(userId)?.name ?? null,
      onLink: (url) => sayIfFailed(call.openLink({ url })),
      onPlace: ({ conversation, messageId }) => {
        const known = appState.peek().realms.get(id)?.conversations
        if (known?.has(conversationKey(conversation)) !== true) return false
        go({ view: 'conversation', accountId: id, conversation, messageId })
        return true
      },
      loadPicture: images ? (path) => loadPicture(id, path) : null,
      onShowPictures: () => sayIfFailed(call.setImages({ accountId: id, images: true })),
    }),
    [baseUrl, id, images, users, myId],
  )
}

/** Why what stands below may not be the newest; nothing while it is. */
function RealmNote({ account, realm }: { readonly account: ChatAccount; readonly realm: Realm }) {
  if (account.key !== 'present')
    return (
      <p class="pane-note" role="status">
        {account.key === 'rejected' ? refusalWords(realm.freshness.failure) : keyWords[account.key]}
        <button
          type="button"
          class="small-button"
          onClick={() => go({ view: 'replaceKey', accountId: account.id })}
        >
          {account.key === 'rejected' ? 'Replace key' : 'Enter key'}
        </button>
      </p>
    )
  // Why it is so is told at the foot of the window.
  const { readAt, failure } = realm.freshness
  if (readAt !== null && failure === null && isFresh(realm.freshness, now.value)) return null
  return (
    <p class="pane-note" role="status">
      {readAt === null
        ? 'Connecting. What you send waits.'
        : `Not connected. Messages up to ${clockWords(readAt, now.value)}; what you send waits.`}
    </p>
  )
}

const keyWords: Readonly<Record<Exclude<KeyState, 'present' | 'rejected'>, string>> = {
  missing: 'The key was not kept since the last session.',
  locked: 'The keyring is locked: unlock it, or enter the key again.',
}
