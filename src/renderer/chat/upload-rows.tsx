import type { RefObject } from 'preact'
import type { Place } from '#shared/contract.ts'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import type { Upload } from '#shared/core/chat/upload.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { say, sayIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'

interface Props {
  readonly target: Place
  /** Has the focus when a row and its button go. */
  readonly input: RefObject<HTMLTextAreaElement | null>
}

/** The files that are on their way into this conversation, or did not get there. */
export function UploadRows({ target, input }: Props) {
  const key = conversationKey(target.conversation)
  const shown = appState.value.uploads.filter(
    ({ accountId, conversation, state }) =>
      accountId === target.accountId &&
      conversation !== null &&
      conversationKey(conversation) === key &&
      (state === 'sending' || state === 'failed'),
  )
  if (shown.length === 0) return null
  return (
    <ul class="uploads" aria-label="Uploads">
      {shown.map((upload) => (
        <UploadRow key={upload.id} upload={upload} onEnd={() => input.current?.focus()} />
      ))}
    </ul>
  )
}

interface RowProps {
  readonly upload: Upload
  readonly onEnd: () => void
}

function UploadRow({ upload, onEnd }: RowProps) {
  const { id, name, sent, total, state, failure } = upload
  const end = (): void => {
    const ended = call.cancelUpload({ id })
    sayIfFailed(ended)
    if (state === 'sending')
      void ended.then(({ ok }) => {
        if (ok) say(`The upload of ${name} was cancelled.`)
      })
    onEnd()
  }
  const percent = total === 0 ? 100 : Math.floor((sent / total) * 100)
  return (
    <li class="upload">
      <span class="upload-name">{name}</span>
      {state === 'sending' ? (
        <>
          <progress class="upload-bar" max={100} value={percent} aria-label={`Sending ${name}`} />
          <span class="upload-percent">{percent} %</span>
        </>
      ) : (
        <span class="upload-failure" role="alert">
          {failure === null ? 'It was not sent.' : failureSentence(failure)}
        </span>
      )}
      <button
        type="button"
        class="small-button"
        aria-label={`${state === 'sending' ? 'Cancel' : 'Dismiss'} ${name}`}
        onClick={end}
      >
        {state === 'sending' ? 'Cancel' : 'Dismiss'}
      </button>
    </li>
  )
}
