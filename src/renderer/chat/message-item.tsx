import type { ComponentChildren, VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { KeyState } from '#shared/core/account.ts'
import { mutedWords } from '#shared/core/chat/interruption.ts'
import type { Message } from '#shared/core/chat/message.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import { type Widget, widgetOf } from '#shared/core/chat/widget.ts'
import { failureSentence, failureWords } from '#shared/core/failure-words.ts'
import { exactTime } from '#shared/core/time.ts'
import { counted } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { SmallButton } from '../parts/button.tsx'
import { InParts } from '../parts/in-parts.tsx'
import type { Room } from '../parts/room.ts'
import { Timestamp } from '../parts/time-ago.tsx'
import { now } from '../window-state.ts'
import { timeOfDay } from './chat-time.ts'
import type { ItemContext } from './message-context.ts'
import { MessageHtml } from './message-html.tsx'
import { QuickReactions, ReactionChips } from './reaction-chips.tsx'

interface Props {
  readonly message: Message
  readonly first: boolean
  readonly flash: boolean
  readonly context: ItemContext
}

/** One message: sender and time at the start of a run, content, edited mark and reactions. */
export function MessageItem(props: Props) {
  const { message, first, flash, context } = props
  const [asked, setAsked] = useState(false)
  const shown = asked || !context.mutedUsers.includes(message.senderId)
  const [pointedAt, setPointedAt] = useState(false)
  const point = () => setPointedAt(true)
  const mentioned = message.flags.some(
    (flag) => flag === 'mentioned' || flag === 'wildcardMentioned',
  )
  const sender = message.isMe ? 'You' : (context.nameOf(message.senderId) ?? message.senderName)
  const time = timeOfDay(message.sentAt)
  const classes = ['message', first && 'message-first', mentioned && 'message-mention']
  if (message.isAction) classes.push('message-action')
  if (flash) classes.push('flash')
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      aria-label={`${sender}, ${time}${mentioned ? ', mentions you' : ''}`}
      tabIndex={-1}
      data-message={message.id}
      title={first ? undefined : exactTime(message.sentAt)}
      onPointerEnter={point}
      onFocusIn={point}
    >
      {(first || message.isAction) && (
        <div class="message-head">
          <button
            type="button"
            class={`one-line sender ${message.isMe ? 'sender-me' : ''}`}
            title={`About ${sender}`}
            // By keyboard, the card is one of the message's actions.
            tabIndex={-1}
            onClick={() => context.onPerson(message.senderId)}
          >
            {sender}
          </button>
          {!message.isAction && <Timestamp at={message.sentAt}>{time}</Timestamp>}
        </div>
      )}
      {shown ? (
        <MessageContent message={message} context={context} />
      ) : (
        <p class="quiet">
          {mutedWords} <SmallButton onClick={() => setAsked(true)}>Show</SmallButton>
        </p>
      )}
      {message.editedAt !== null && (
        <span class="edited" title={`Edited ${exactTime(message.editedAt)}`}>
          edited
        </span>
      )}
      <ReactionChips message={message} context={context} />
      {/* Most messages are never pointed at, so theirs are never created. */}
      {pointedAt && <QuickReactions message={message} context={context} />}
    </article>
  )
}

function MessageContent({ message, context }: Pick<Props, 'message' | 'context'>) {
  const widget = useMemo(() => widgetOf(message.submessages), [message.submessages])
  if (widget !== null) return <WidgetLines widget={widget} />
  const { id, html, text, isAction } = message
  return (
    <MessageHtml
      html={html}
      text={text}
      isAction={isAction}
      context={context}
      onOpen={() => context.onOpenMessage(id)}
    />
  )
}

/** The state of a poll or to-do list, which can be answered in the web app. */
function WidgetLines({ widget }: { readonly widget: Widget }) {
  return <InParts inputs={[widget]} draw={(room) => widgetLines(widget, room)} />
}

function widgetLines({ kind, title, lines }: Widget, room: Room): ComponentChildren {
  const shown: VNode[] = []
  const heading = room.text(title)
  for (const [at, { text, votes, isDone }] of lines.entries()) {
    if (!room.takeElement()) break
    const words = room.text(text)
    shown.push(
      <li key={at}>
        {kind === 'poll' ? (
          `${words} · ${counted(votes, 'vote')}`
        ) : isDone ? (
          <del>{words}</del>
        ) : (
          words
        )}
      </li>,
    )
  }
  return (
    <>
      <p dir="auto">
        <strong>{heading}</strong>{' '}
        <span class="quiet">{kind === 'poll' ? 'poll' : 'to-do list'}</span>
      </p>
      <ul dir="auto">{shown}</ul>
    </>
  )
}

interface OutboxEchoProps {
  readonly message: OutboxMessage
  readonly keyState: KeyState
  /** Takes the text back into the composer. */
  readonly onEditAgain: (message: OutboxMessage) => void
}

/** One of the user's own messages, still being sent or failed, at the end of the column. */
export function OutboxEcho({ message, keyState, onEditAgain }: OutboxEchoProps) {
  const [note, setNote] = useState('')
  const showOutcome = async (answer: Promise<Awaited<ReturnType<typeof call.resendMessage>>>) => {
    const result = await answer
    setNote(result.ok ? '' : failureSentence(result.failure))
  }
  const look = async () => {
    const { accountId, conversation } = message
    setNote('checking…')
    const result = await call.loadConversation({ accountId, conversation, older: false })
    // If it was found, this echo is gone by now.
    setNote(result.ok ? 'not found yet' : failureSentence(result.failure))
  }
  const { localId, state } = message
  // The window's clock ticks once a second: by it, a wait of 30 s that has just begun has 31 s left.
  const waitSeconds = secondsToSend(message, Math.max(now.value, Date.now()))
  const troubled = state === 'rejected' || state === 'unconfirmed'
  return (
    <article class={`message message-first echo echo-${state}`} data-echo={localId}>
      <div class="message-head">
        <span class="one-line sender sender-me">You</span>
        <span class="echo-words" role="status">
          {waitSeconds > 0 ? `sends in ${waitSeconds} s` : echoWords(message, keyState)}
        </span>
      </div>
      <div class="echo-text" dir="auto">
        {message.text}
      </div>
      {waitSeconds > 0 && (
        <div class="row echo-actions">
          <SmallButton title="Ctrl+Z while nothing is typed" onClick={() => onEditAgain(message)}>
            Undo
          </SmallButton>
        </div>
      )}
      {troubled && (
        <div class="row echo-actions">
          {state === 'rejected' ? (
            <SmallButton onClick={() => onEditAgain(message)}>Edit again</SmallButton>
          ) : (
            <>
              <SmallButton onClick={() => void look()}>Check again</SmallButton>
              <SmallButton onClick={() => void showOutcome(call.resendMessage({ localId }))}>
                Send again
              </SmallButton>
            </>
          )}
          <SmallButton
            onClick={() => void showOutcome(call.discardMessage({ localId, keepText: false }))}
          >
            Discard
          </SmallButton>
          <span class="quiet" role="status">
            {note}
          </span>
        </div>
      )}
    </article>
  )
}

/** Whole seconds for which sending can still be undone; 0 once it can't. */
export function secondsToSend({ state, heldUntil }: OutboxMessage, at: number): number {
  return state === 'queued' ? Math.max(0, Math.ceil(((heldUntil ?? 0) - at) / 1_000)) : 0
}

function echoWords(message: OutboxMessage, key: KeyState): string {
  switch (message.state) {
    case 'sending':
      return 'sending…'
    case 'sent':
      return 'sent'
    case 'queued':
      if (key !== 'present') return 'waiting for a working key, will be sent'
      if (message.failure === null) return 'sending…'
      return message.failure.kind === 'network'
        ? 'waiting for the network, will be sent'
        : 'waiting for the server, will be sent'
    case 'rejected':
      return message.failure === null
        ? 'not sent'
        : `not sent: ${failureWords(message.failure).what}`
    case 'unconfirmed':
      return message.missing?.isSure === true ? 'did not arrive' : 'may not have arrived'
  }
}
