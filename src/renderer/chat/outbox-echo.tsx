import { useSignal } from '@preact/signals'
import type { KeyState } from '#shared/core/account.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { echoWords } from './echo-words.ts'

interface Props {
  readonly message: OutboxMessage
  readonly keyState: KeyState
  /** Takes the text back into the composer. */
  readonly onEditAgain: (message: OutboxMessage) => void
}

/** A message of one's own on its way, at the end of the column, with what became of it. */
export function OutboxEcho({ message, keyState, onEditAgain }: Props) {
  const note = useSignal('')
  const tell = async (answer: Promise<Awaited<ReturnType<typeof call.resendMessage>>>) => {
    const result = await answer
    note.value = result.ok ? '' : failureSentence(result.failure)
  }
  const look = async () => {
    const { accountId, conversation } = message
    note.value = 'looking…'
    const result = await call.loadConversation({ accountId, conversation, older: false })
    // Where it was found, this echo is gone by now.
    note.value = result.ok ? 'not there so far' : failureSentence(result.failure)
  }
  const { localId, state } = message
  const troubled = state === 'rejected' || state === 'unconfirmed'
  return (
    <article class={`message message-first echo echo-${state}`} data-echo={localId}>
      <div class="message-head">
        <span class="sender sender-me">You</span>
        <span class="echo-words" role="status">
          {echoWords(message, keyState)}
        </span>
      </div>
      <div class="echo-text">{message.text}</div>
      {troubled && (
        <div class="echo-actions">
          {state === 'rejected' ? (
            <button type="button" class="small-button" onClick={() => onEditAgain(message)}>
              Edit again
            </button>
          ) : (
            <>
              <button type="button" class="small-button" onClick={() => void look()}>
                Look again
              </button>
              <button
                type="button"
                class="small-button"
                onClick={() => void tell(call.resendMessage({ localId }))}
              >
                Send again
              </button>
            </>
          )}
          <button
            type="button"
            class="small-button"
            onClick={() => void tell(call.discardMessage({ localId, keepText: false }))}
          >
            Discard
          </button>
          <span class="quiet" role="status">
            {note.value}
          </span>
        </div>
      )}
    </article>
  )
}
