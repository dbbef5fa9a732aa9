import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { accountById } from '#shared/core/account.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import { draftKey, draftOf } from '#shared/core/chat/drafts.ts'
import type { Message } from '#shared/core/chat/message.ts'
import { messageGoneWords } from '#shared/core/chat/narrow-link.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import { followed, type Place } from '#shared/core/chat/places.ts'
import type { ConversationInfo, Realm } from '#shared/core/chat/realm.ts'
import { writingRefusal } from '#shared/core/chat/writing-rules.ts'
import { call } from '../bridge.ts'
import { type PageAction, useSingleKeys } from '../parts/page-actions.ts'
import { toast, toastFailure, toastIfFailed } from '../toast.ts'
import { appState, goFrom, place, stillHere, visible } from '../window-state.ts'
import { Composer, composerLabel } from './composer.tsx'
import { chatActions, conversationActions } from './conversation-actions.tsx'
import {
  ConversationFrame,
  type ConversationProps,
  useConversationShown,
} from './conversation-frame.tsx'
import { createDraftText, type DraftText } from './draft-text.ts'
import { chooseReaction } from './message-actions.tsx'
import { secondsToSend } from './message-item.tsx'
import { aboutPerson } from './presence.tsx'

interface Props extends Place {
  /** The message to show and flash once; null for the newest. */
  readonly messageId: number | null
  readonly fromLink?: boolean | undefined
  /** Only selected in the list beside it. */
  readonly isPreview?: boolean
}

export function ConversationPane(props: Props) {
  const { accountId, isPreview = false } = props
  const account = accountById(appState.value, accountId)
  const realm = appState.value.realms.get(accountId)
  const { conversation } = followed(appState.value, props)
  const shown = isPreview ? conversation : props.conversation
  const key = draftKey(accountId, shown)
  const target = useMemo(() => ({ accountId, conversation: shown }), [key])
  useEffect(() => {
    // The topic was renamed or resolved: the reader and the draft go with it.
    if (conversation !== props.conversation && !isPreview)
      place.value = { view: 'conversation', ...props, conversation }
  }, [conversation])
  if (account?.kind !== 'chat' || realm === undefined)
    return <p class="column-note late-note">This chat account no longer exists.</p>
  const parts = { target, account, realm }
  return isPreview ? (
    <ConversationPreview key={key} {...parts} messageId={props.messageId} />
  ) : (
    <OpenConversation key={key} {...props} {...parts} />
  )
}

interface OpenProps extends ConversationProps, Pick<Props, 'messageId' | 'fromLink'> {}

function OpenConversation(props: OpenProps) {
  const { messageId, fromLink, account, realm, target } = props
  const { conversation } = target
  const state = appState.value
  const input = useRef<HTMLTextAreaElement>(null)
  const draft = useMemo(() => createDraftText(target), [target])
  const insert = (text: string): void => {
    draft.edit(withText(draft, text))
    // After the text is rendered, which leaves the caret behind it.
    queueMicrotask(() => input.current?.focus())
  }
  const shown = useConversationShown(props, { insert, open: null })
  const { info, title, messages, echoes } = shown
  const { times } = state.target
  const isLoaded = messageId === null || messages.some(({ id }) => id === messageId)
  const isLooking = useWanted(target, isLoaded ? null : messageId, realm, info)
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
    <ConversationFrame
      {...shown}
      // Each way here is a place of its own, even to the same message.
      wanted={messageId === null ? null : { messageId, request: place.value }}
      isLooking={isLooking}
      onSeen={onSeen}
      onEditAgain={(message) => void editAgain(message)}
    >
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
        context={shown.context}
        input={input}
        onUndo={() => {
          const pending = echoes.findLast((one) => secondsToSend(one, Date.now()) > 0)
          if (pending !== undefined) void editAgain(pending)
          return pending !== undefined
        }}
      />
    </ConversationFrame>
  )
}

/** What was typed, and below it what is put into it. */
function withText({ text }: DraftText, added: string): string {
  return text.peek() === '' ? added : `${text.peek()}\n${added}`
}

/** The conversation selected in the list beside it, as it would open: nothing is read or written. */
function ConversationPreview(props: ConversationProps & Pick<Props, 'messageId'>) {
  const { target, messageId } = props
  const open = (): void => goFrom('chat', { view: 'conversation', ...target, messageId })
  const insert = (text: string): void => {
    const draft = createDraftText(target)
    draft.edit(withText(draft, text))
    open()
  }
  const shown = useConversationShown(props, { insert, open })
  const { info, title, messages, echoes, context } = shown
  const draft = draftOf(appState.value, target)
  const label = { target, title, context, isBegun: isBegun(info, messages.length + echoes.length) }
  const wanted = useMemo(
    () => (messageId === null ? null : { messageId, request: {} }),
    [messageId],
  )
  useSingleKeys([
    ...chatActions,
    ...conversationActions(target, title, open),
    ...personActions(target, title),
  ])
  return (
    <ConversationFrame
      {...shown}
      // Shown if it is among those loaded: looking for it may take three requests.
      wanted={wanted}
      isLooking={false}
      onSeen={() => undefined}
      onEditAgain={({ localId }) => {
        open()
        toastIfFailed(call.discardMessage({ localId, keepText: true }))
      }}
    >
      <div class="composer">
        <button type="button" class="one-line composer-closed" onClick={open}>
          {draft === '' ? composerLabel(label) : draft}
        </button>
      </div>
    </ConversationFrame>
  )
}

/**
 * Loads the message that was asked for, once the newest ones are there, and follows it to where it
 * was moved: an answer belongs there. Returns whether it is still being looked for.
 */
function useWanted(
  target: Place,
  messageId: number | null,
  realm: Realm,
  info?: ConversationInfo,
): boolean {
  const [missing, setMissing] = useState<object | null>(null)
  const request = place.value
  const isReady = realm.phase === 'live' && info?.history === 'recent'
  const isOver = messageId === null || missing === request || info?.failure != null
  useEffect(() => {
    if (!isReady || isOver) return
    const isHere = stillHere()
    void call.showMessage({ ...target, messageId }).then((result) => {
      if (!isHere()) return
      const conversation = result.ok ? result.value : target.conversation
      if (!result.ok) toastFailure(result.failure)
      else if (conversation === null) toast(messageGoneWords)
      if (
        conversation === null ||
        conversationKey(conversation) === conversationKey(target.conversation)
      )
        setMissing(request)
      else
        place.value = { view: 'conversation', accountId: target.accountId, conversation, messageId }
    })
  }, [request, messageId, isReady, isOver])
  return !isOver && realm.phase === 'live'
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

/** Whether a conversation has messages; null as long as that is unknown. */
function isBegun(info: ConversationInfo | undefined, shown: number): boolean | null {
  if (shown > 0 || (info?.lastMessageId ?? null) !== null) return true
  return info?.history === 'recent' ? false : null
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
