import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { OperationId } from '#shared/api/catalogue.ts'
import type { AccountId } from '#shared/core/account.ts'
import type { Upload } from '#shared/core/chat/upload.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { appState } from '../window-state.ts'
import { CopyAsCurl, RequestShown } from './request-shown.tsx'

interface Props {
  readonly id: OperationId
  readonly accountId: AccountId
  readonly by: 'multipart' | 'tus'
  /** Why the account can't do this now; null when it can. */
  readonly blocked: string | null
  /** The choice of the account, if there is one. */
  readonly children: ComponentChildren
}

/** A preview reads no file, so any name does. */
const anyFile = { ok: true, params: { file: 'FILE' } } as const

/** In place of fields where an operation sends a file: choose one, see it go, stop it. */
export function UploadForm({ id, accountId, by, blocked, children }: Props) {
  const [problem, setProblem] = useState<string | null>(null)
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => box.current?.querySelector('button')?.focus(), [])
  useEffect(() => setProblem(null), [accountId])
  const upload = appState.value.uploads.findLast(
    (one) => one.accountId === accountId && one.conversation === null,
  )
  const request = { accountId, operation: id }
  const choose = async () => {
    setProblem(null)
    const chosen = await call.chooseFile({})
    if (!chosen.ok) setProblem(failureSentence(chosen.failure))
    if (!chosen.ok || chosen.value === null) return
    const started = await call.startUpload({
      accountId,
      fileId: chosen.value.fileId,
      place: null,
      by,
    })
    if (!started.ok) setProblem(failureSentence(started.failure))
  }
  const cancel = (stopped: string) => {
    box.current?.querySelector<HTMLElement>('.button-primary')?.focus()
    void call.cancelUpload({ id: stopped }).then((result) => {
      if (!result.ok) setProblem(failureSentence(result.failure))
    })
  }
  return (
    <div ref={box} class="operation-scroll">
      {children}
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
        <CopyAsCurl request={request} collect={() => anyFile} onWrong={() => undefined} />
      </div>
      {problem !== null && (
        <p class="operation-failed" role="alert">
          {problem}
        </p>
      )}
      <RequestShown request={request} collected={anyFile} />
      {upload !== undefined && <Progress key={upload.id} upload={upload} onCancel={cancel} />}
    </div>
  )
}

interface ProgressProps {
  readonly upload: Upload
  readonly onCancel: (id: string) => void
}

function Progress({ upload, onCancel }: ProgressProps) {
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
          <Button kind="quiet" onClick={() => onCancel(id)}>
            Cancel
          </Button>
        </div>
      )}
      <p role="status">{wordsOf(upload)}</p>
      {state === 'done' && url !== null && <CopyButton text={url} label={`Copy ${url}`} />}
      {failure !== null && <p class="operation-failed">{failureSentence(failure)}</p>}
    </section>
  )
}

function wordsOf({ state, name }: Upload): string {
  switch (state) {
    case 'sending':
      return ''
    case 'done':
      return 'Uploaded.'
    case 'failed':
      return 'Not uploaded.'
    case 'cancelled':
      return `The upload of ${name} was cancelled.`
  }
}
