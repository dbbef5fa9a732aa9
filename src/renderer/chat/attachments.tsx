import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { conversationKey } from '#shared/core/chat/conversation.ts'
import type { Place } from '#shared/core/chat/places.ts'
import type { Upload } from '#shared/core/chat/upload.ts'
import { type Failure, mayHaveHappened, type Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { percentWords } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { SmallButton } from '../parts/button.tsx'
import { toast, toastFailure, toastIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'
import type { DraftText } from './draft-text.ts'

type Input = RefObject<HTMLTextAreaElement | null>

/** How much of a file's content goes into one command. */
const pieceBytes = 128 * 1024
/** The wait before a refused piece is retried: main limits how much a window sends per second. */
const pauseMs = 500

/** Uploads the files that are chosen, pasted or dropped, whose links then appear in the draft. */
export function useAttach(target: Place, isBlocked: boolean, draft: DraftText, input: Input) {
  const isChoosing = useSignal(false)
  /** The files whose content has still to be handed to main, in order. */
  const reading = useSignal<readonly File[]>([])
  const start = async (fileId: string): Promise<void> => {
    const { accountId, conversation } = target
    const started = await call.startUpload({ accountId, fileId, place: conversation })
    if (!started.ok) toastFailure(started.failure)
  }
  const choose = async (): Promise<void> => {
    if (isChoosing.peek()) return
    isChoosing.value = true
    // Saved first, so that the links come after what was typed.
    await draft.flush()
    const chosen = await call.chooseFiles({})
    isChoosing.value = false
    input.current?.focus()
    if (!chosen.ok) return toastFailure(chosen.failure)
    for (const { fileId } of chosen.value) await start(fileId)
  }
  const takeAll = async (files: readonly File[]): Promise<void> => {
    // At once: whoever sends now is told to wait.
    reading.value = [...reading.peek(), ...files]
    await draft.flush()
    for (const file of files) {
      const put = await putFile(file)
      if (put.ok) await start(put.value)
      else toastFailure(put.failure)
      reading.value = reading.peek().filter((one) => one !== file)
    }
  }
  /**
   * Uploads the files in `data`; returns false if it has none. Ignores files beside text: office
   * programs add an image of the text that they copy.
   */
  const take = (data: DataTransfer | null): boolean => {
    const files = [...(data?.files ?? [])]
    const isText = data?.types.includes('text/plain') === true
    if (files.length === 0 || isText) return false
    if (isBlocked) toast('Nothing can be attached here.', 'failed')
    else void takeAll(files)
    return true
  }
  // Files can be dropped anywhere in the window, since there is only one composer.
  useEffect(() => {
    const onDrop = (drop: DragEvent): void => {
      if (take(drop.dataTransfer)) drop.preventDefault()
    }
    document.addEventListener('drop', onDrop)
    return () => document.removeEventListener('drop', onDrop)
  }, [target, isBlocked])
  const isUnderWay = (): boolean =>
    reading.value.length > 0 ||
    uploadsOf(appState.value.uploads, target).some(({ state }) => isSending(state))
  return {
    choose,
    take,
    isBusy: isChoosing.value || reading.value.length > 0,
    reading: reading.value[0]?.name ?? null,
    isUnderWay,
  }
}

const isSending = (state: Upload['state']): boolean => state === 'sending' || state === 'waiting'

function uploadsOf(uploads: readonly Upload[], target: Place): readonly Upload[] {
  const key = conversationKey(target.conversation)
  return uploads.filter(
    ({ accountId, conversation }) =>
      accountId === target.accountId &&
      conversation !== null &&
      conversationKey(conversation) === key,
  )
}

async function putFile(file: File): Promise<Result<string>> {
  let fileId: string | null = null
  for (let at = 0; at === 0 || at < file.size; at += pieceBytes) {
    const piece = await contentOf(file.slice(at, at + pieceBytes))
    if (!piece.ok) return piece
    const put = await putPiece({ fileId, name: file.name || 'file', bytes: piece.value })
    if (!put.ok) return put
    fileId = put.value.fileId
  }
  return { ok: true, value: fileId ?? '' }
}

/** Fails for a folder and for a file that was deleted meanwhile. */
async function contentOf(blob: Blob): Promise<Result<Uint8Array<ArrayBuffer>>> {
  try {
    return { ok: true, value: new Uint8Array(await blob.arrayBuffer()) }
  } catch {
    const message = 'This could not be read. Only files can be attached.'
    return { ok: false, failure: { kind: 'invalid', field: 'file', message } }
  }
}

async function putPiece(piece: Parameters<typeof call.putFile>[0]) {
  for (;;) {
    const put = await call.putFile(piece)
    if (put.ok || put.failure.kind !== 'invalid' || put.failure.field !== 'command') return put
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs)
    })
  }
}

/**
 * The uploads of this conversation that are in progress, have failed, or are linked in the draft.
 * `input` gets the focus when a row disappears.
 */
export function UploadRows(props: {
  readonly target: Place
  readonly input: Input
  readonly draft: DraftText
}) {
  const { target, input, draft } = props
  const text = draft.text.value
  const shown = uploadsOf(appState.value.uploads, target).filter(({ state, url }) =>
    state === 'done' ? url !== null && text.includes(url) : state !== 'cancelled',
  )
  if (shown.length === 0) return null
  return (
    <ul class="stack uploads" aria-label="Uploads">
      {shown.map((upload) => (
        <UploadRow key={upload.id} upload={upload} onEnd={() => input.current?.focus()} />
      ))}
    </ul>
  )
}

function UploadRow({ upload, onEnd }: { readonly upload: Upload; readonly onEnd: () => void }) {
  const { id, name, sent, total, state, failure } = upload
  const isUnderWay = isSending(state)
  const end = (): void => {
    const ended = call.cancelUpload({ id })
    toastIfFailed(ended)
    if (isUnderWay)
      void ended.then(({ ok }) => {
        if (ok) toast(`The upload of ${name} was cancelled.`)
      })
    onEnd()
  }
  const percent = total === 0 ? 100 : Math.floor((sent / total) * 100)
  return (
    <li class="row upload">
      <Thumbnail upload={upload} />
      <span class="one-line" title={name}>
        {name}
      </span>
      {state === 'sending' && (
        <>
          <progress class="upload-bar" max={100} value={percent} aria-label={`Sending ${name}`} />
          <span class="upload-percent">{percentWords(percent)}</span>
        </>
      )}
      {state === 'waiting' && <span class="quiet">waiting for the connection</span>}
      {state === 'done' && <span class="quiet">uploaded</span>}
      {state === 'failed' && (
        <>
          <span class="upload-failure" role="alert">
            {failureWords(failure)}
          </span>
          <SmallButton
            aria-label={`Try ${name} again`}
            onClick={() => {
              toastIfFailed(call.retryUpload({ id }))
              onEnd()
            }}
          >
            Try again
          </SmallButton>
        </>
      )}
      {state !== 'done' && (
        <SmallButton aria-label={`${isUnderWay ? 'Cancel' : 'Dismiss'} ${name}`} onClick={end}>
          {isUnderWay ? 'Cancel' : 'Dismiss'}
        </SmallButton>
      )}
    </li>
  )
}

function failureWords(failure: Failure | null): string {
  if (failure === null) return 'It was not uploaded.'
  const unsure = 'The server may already have it: trying again checks that first.'
  return mayHaveHappened(failure)
    ? `${failureSentence(failure)} ${unsure}`
    : failureSentence(failure)
}

/** A small version of an uploaded image; nothing for other files. */
function Thumbnail({ upload: { fileId } }: { readonly upload: Upload }) {
  const [picture, setPicture] = useState<string | null>(null)
  useEffect(() => {
    void call.thumbnail({ fileId }).then((result) => {
      if (result.ok) setPicture(result.value)
    })
  }, [fileId])
  return picture === null ? null : <img class="upload-picture" src={picture} alt="" />
}
