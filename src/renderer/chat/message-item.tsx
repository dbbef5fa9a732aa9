import { useSignal } from '@preact/signals'
import type { Message } from '#shared/core/chat/message.ts'
import { exactTime } from '#shared/core/exact-time.ts'
import { timeOfDay } from './chat-time.ts'
import type { MessageContext } from './message-context.ts'
import { MessageHtml } from './message-html.tsx'
import { QuickReactions, type React, ReactionChips } from './reaction-chips.tsx'

interface Props {
  readonly message: Message
  readonly first: boolean
  readonly flash: boolean
  readonly senderMuted: boolean
  readonly context: MessageContext
  readonly onReact: React
}

/** One message: who and when at the start of a run, its content, reactions, what was done to it. */
export function MessageItem(props: Props) {
  const { message, first, flash, context, onReact } = props
  const { nameOf, myId } = context
  const shown = useSignal(!props.senderMuted)
  const pointedAt = useSignal(false)
  const point = (): void => {
    pointedAt.value = true
  }
  const mentioned = message.flags.some(
    (flag) => flag === 'mentioned' || flag === 'wildcardMentioned',
  )
  const sender = message.isMe ? 'You' : (nameOf(message.senderId) ?? message.senderName)
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
          <span class={message.isMe ? 'sender sender-me' : 'sender'}>{sender}</span>
          {!message.isAction && (
            <time
              dateTime={new Date(message.sentAt).toISOString()}
              title={exactTime(message.sentAt)}
            >
              {time}
            </time>
          )}
        </div>
      )}
      {shown.value ? (
        <MessageHtml
          html={message.html}
          text={message.text}
          isAction={message.isAction}
          context={context}
        />
      ) : (
        <p class="quiet">
          From someone you muted.{' '}
          <button
            type="button"
            class="small-button"
            onClick={() => {
              shown.value = true
            }}
          >
            Show
          </button>
        </p>
      )}
      {message.editedAt !== null && (
        <span class="edited" title={`Edited ${exactTime(message.editedAt)}`}>
          edited
        </span>
      )}
      <ReactionChips message={message} myId={myId} nameOf={nameOf} onReact={onReact} />
      {/* Most messages are never pointed at: theirs are not even made. */}
      {pointedAt.value && <QuickReactions message={message} myId={myId} onReact={onReact} />}
    </article>
  )
}
