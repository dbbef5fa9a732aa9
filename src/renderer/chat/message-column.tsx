import { useComputed, useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Place } from '#shared/contract.ts'
import type { KeyState } from '#shared/core/account.ts'
import type { Message } from '#shared/core/chat/message.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import type { ConversationInfo } from '#shared/core/chat/realm.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { now } from '../window-state.ts'
import { dayOf, dayTitle } from './chat-time.ts'
import { type ColumnFlip, columnItems } from './column-items.tsx'
import { FlipDivider } from './flip-divider.tsx'
import type { MessageContext } from './message-context.ts'
import { MessageItem } from './message-item.tsx'
import { OutboxEcho } from './outbox-echo.tsx'
import type { React } from './reaction-chips.tsx'
import { quickReactions } from './reaction-groups.ts'
import { useColumnScroll } from './use-column-scroll.ts'
import { useGradually } from './use-gradually.ts'

/** So near to the top the messages before are fetched, to be there when one arrives. */
const olderPx = 120

interface Props {
  readonly target: Place
  readonly messages: readonly Message[]
  readonly echoes: readonly OutboxMessage[]
  readonly info: ConversationInfo | undefined
  readonly firstNewId: number | null
  /** Of the checks that the conversation is about. */
  readonly flips: readonly ColumnFlip[]
  readonly wanted: { readonly messageId: number; readonly request: number } | null
  readonly mutedUsers: readonly number[]
  readonly keyState: KeyState
  readonly context: MessageContext
  readonly onReact: React
  readonly onEditAgain: (message: OutboxMessage) => void
}

/** The messages of one conversation, oldest first, one's own unsent ones at the end. */
export function MessageColumn(props: Props) {
  const { target, echoes, info, firstNewId, wanted, context, onReact } = props
  const messages = useGradually(props.messages, wanted?.messageId ?? firstNewId)
  const isWhole = messages.length === props.messages.length
  const today = useComputed(() => dayOf(now.value))
  const older = useOlder(target, info)
  const flips = useFlipsInSight(props.flips, messages, info)
  const items = useMemo(
    () => columnItems(messages, firstNewId, flips),
    [messages, firstNewId, flips],
  )
  const { scroller, onScroll, below, toBottom, flashId } = useColumnScroll({
    ids: props.messages.map(({ id }) => id),
    echoes: echoes.length,
    firstNewId,
    wanted,
    ready: info?.history === 'recent',
  })
  const onKeyDown = (key: KeyboardEvent): void => {
    if (key.altKey || key.ctrlKey || key.metaKey) return
    const focused = focusedMessage(key.target)
    if (key.key === '+' && focused !== null) {
      const message = messages.find(({ id }) => id === focused)
      const [thumb] = quickReactions
      if (message === undefined || thumb === undefined) return
      onReact(message, thumb, !hasOwn(message, thumb.code, context.myId))
    } else if (!moveFocus(key)) return
    key.preventDefault()
  }
  return (
    <div class="column-frame">
      <div
        ref={scroller}
        class="message-column"
        role="log"
        aria-label="Messages"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={(scroll) => {
          onScroll()
          if (isWhole && scroll.currentTarget.scrollTop < olderPx) void older.load()
        }}
        onKeyDown={onKeyDown}
      >
        {isWhole && (
          <ColumnTop
            info={info}
            keyState={props.keyState}
            isEmpty={messages.length + echoes.length === 0}
            older={older}
            target={target}
          />
        )}
        {items.map((item) => {
          if (item.kind === 'day')
            return (
              <div key={item.key} class="day-divider" data-today={today.value}>
                <span>{dayTitle(item.at, now.peek())}</span>
              </div>
            )
          if (item.kind === 'new')
            return (
              <div key={item.key} class="day-divider new-divider">
                <span>new</span>
              </div>
            )
          if (item.kind === 'flip') return <FlipDivider key={item.key} flip={item.flip} />
          return (
            <MessageItem
              key={item.key}
              message={item.message}
              first={item.first}
              flash={flashId === item.message.id}
              senderMuted={props.mutedUsers.includes(item.message.senderId)}
              context={context}
              onReact={onReact}
            />
          )
        })}
        {echoes.map((message) => (
          <OutboxEcho
            key={message.localId}
            message={message}
            keyState={props.keyState}
            onEditAgain={props.onEditAgain}
          />
        ))}
      </div>
      {below > 0 && (
        <button
          type="button"
          class="below-button"
          onClick={() => {
            toBottom()
            // The button goes with what it told of.
            scroller.current?.focus()
          }}
        >
          {below} new message{below === 1 ? '' : 's'} <span aria-hidden="true">↓</span>
        </button>
      )}
    </div>
  )
}

const hour = 3_600_000

/** Those of the time that the loaded messages are of: older ones come with older messages. */
function useFlipsInSight(
  flips: readonly ColumnFlip[],
  messages: readonly Message[],
  info: ConversationInfo | undefined,
): readonly ColumnFlip[] {
  const oldest = messages[0]?.sentAt
  // What led to the first message belongs to it.
  const from = oldest === undefined ? null : oldest - (info?.complete === true ? hour : 0)
  return useMemo(() => (from === null ? [] : flips.filter(({ at }) => at >= from)), [flips, from])
}

interface Older {
  readonly loading: boolean
  readonly problem: string
  readonly load: () => Promise<void>
}

/** One request for older messages at a time, and none past the beginning. */
function useOlder(target: Place, info: ConversationInfo | undefined): Older {
  const loading = useSignal(false)
  const problem = useSignal('')
  const load = async (): Promise<void> => {
    if (loading.peek() || info?.history !== 'recent' || info.complete) return
    loading.value = true
    const result = await call.loadConversation({ ...target, older: true })
    problem.value = result.ok ? '' : failureSentence(result.failure)
    loading.value = false
  }
  return { loading: loading.value, problem: problem.value, load }
}

interface TopProps {
  readonly keyState: KeyState
  readonly info: ConversationInfo | undefined
  readonly isEmpty: boolean
  readonly older: Older
  readonly target: Place
}

/** What stands above the oldest message: the beginning, a way further back, or why there is none. */
function ColumnTop({ info, keyState, isEmpty, older, target }: TopProps) {
  // What to do about the key is said above the messages; to try again would lead to the same.
  if (keyState !== 'present' && info?.history !== 'recent')
    return <p class="column-note">Messages can be read once the key works.</p>
  if (info !== undefined && info.failure !== null && info.history !== 'recent')
    return (
      <p class="column-note" role="status">
        {failureSentence(info.failure)}{' '}
        <button
          type="button"
          class="small-button"
          onClick={() => void call.loadConversation({ ...target, older: false })}
        >
          Try again
        </button>
      </p>
    )
  if (info?.history !== 'recent') return <p class="column-note late-note">Loading messages…</p>
  if (info.complete)
    return (
      <p class="column-note">
        {isEmpty ? 'No messages here yet.' : 'The beginning of this conversation.'}
      </p>
    )
  return (
    <p class="column-note">
      {older.loading ? (
        'Loading older messages…'
      ) : (
        <button type="button" class="small-button" onClick={() => void older.load()}>
          Older messages
        </button>
      )}
      <span role="status">{older.problem}</span>
    </p>
  )
}

function hasOwn(message: Message, code: string, myId: number | null): boolean {
  return message.reactions.some((one) => one.code === code && one.userId === myId)
}

function focusedMessage(target: EventTarget | null): number | null {
  if (!(target instanceof HTMLElement)) return null
  const id = target.dataset['message']
  return id === undefined ? null : Number(id)
}

/** ↑↓ and k j go from message to message; true when they did. */
function moveFocus(key: KeyboardEvent): boolean {
  const step = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1 }[key.key]
  const { currentTarget, target } = key
  if (step === undefined || !(currentTarget instanceof HTMLElement)) return false
  const all = [...currentTarget.querySelectorAll<HTMLElement>('[data-message]')]
  const inside = target instanceof Element ? target.closest<HTMLElement>('[data-message]') : null
  const at = inside === null ? -1 : all.indexOf(inside)
  const next = at === -1 ? all.at(-1) : all[at + step]
  next?.focus()
  return next !== undefined
}
