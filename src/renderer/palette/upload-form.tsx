import { useEffect, useRef, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import type { Upload } from '#shared/core/upload.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { appState } from '../state.ts'

interface Props {
  readonly accountId: AccountId
  /** Why the account can't do this now; null when it can. */
  readonly blocked: string | null
}

/** In place of fields where an operation sends a file: choose one, see it go, stop it. */
export function UploadForm({ accountId, blocked }: Props) {
  const [id, setId] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.querySelector('button')?.focus(), [])
  const upload = appState.value.uploads.find((one) => one.id === id) ?? null
  const choose = async () => {
    setProblem(null)
    const chosen = await call.chooseFile({})
    if (!chosen.ok) setProblem(failureSentence(chosen.failure))
    if (!chosen.ok || chosen.value === null) return
    const started = await call.startUpload({
      accountId,
      fileId: chosen.value.fileId,
      place: null,
    })
    if (started.ok) setId(started.value.id)
    else setProblem(failureSentence(started.failure))
  }
  return (
    <div ref={box} class="operation-scroll">
      {blocked !== null && <p class="operation-note">{blocked}</p>}
      <div class="button-row">
        <Button
          kind="primary"
          disabled={blocked !== null}
          busy={upload?.state === 'sending'}
          onClick={() => void choose()}
        >
          Choose a file…
        </Button>
      </div>
      {problem !== null && (
        <p class="operation-failed" role="alert">
          {problem}
        </p>
      )}
      {upload !== null && <Progress upload={upload} />}
    </div>
  )
}

function Progress({ upload }: { readonly upload: Upload }) {
  const { id, name, sent, total, state, url, failure } = upload
  const percent = total === 0 ? 100 : Math.floor((100 * sent) / total)
  return (
    <section class="result" aria-label="Upload">
      <p dir="auto" class="result-text">
        {name}
      </p>
      {state === 'sending' && (
        <div class="upload-progress">
          <progress max={100} value={percent} aria-label={`Upload of ${name}`} />
          <span>{percent} %</span>
          <Button kind="quiet" onClick={() => void call.cancelUpload({ id })}>
            Cancel
          </Button>
        </div>
      )}
      <p role="status">{wordsOf(state)}</p>
      {state === 'done' && url !== null && <CopyButton text={url} label={`Copy ${url}`} />}
      {failure !== null && <p class="operation-failed">{failureSentence(failure)}</p>}
    </section>
  )
}

function wordsOf(state: Upload['state']): string {
  switch (state) {
    case 'sending':
      return ''
    case 'done':
      return 'Uploaded.'
    case 'failed':
      return 'Not uploaded.'
    case 'cancelled':
      return 'Cancelled.'
  }
}
