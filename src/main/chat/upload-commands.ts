import type { Operation } from '../../shared/api/operation.ts'
import type { Commands } from '../../shared/contract.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { Conversation } from '../../shared/core/chat/conversation.ts'
import { draftOf, withDraft } from '../../shared/core/chat/drafts.ts'
import { followed } from '../../shared/core/chat/places.ts'
import {
  type Upload,
  uploadLink,
  withLink,
  withNewUpload,
  withUpload,
} from '../../shared/core/chat/upload.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import { defined } from '../../shared/core/schemas.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock, Desktop, KeptFiles, LocalFile } from '../base/ports.ts'
import type { Client } from '../http/client.ts'
import { validParams } from '../http/request-encoding.ts'
import { wait } from '../http/wait.ts'
import type { LiveState } from '../state/store.ts'
import { dataImage } from './pictures.ts'
import { demandSize, type Uploaded } from './upload-job.ts'

/** How often an upload that a restart interrupted looks for a connection. */
const connectedLookMs = 1_000
/** The largest file whose content may come from the window, piece by piece. */
const mostPut = 100 * 1024 * 1024
const mostThumbnail = 8 * 1024 * 1024

/** Chosen files that are remembered, so that a form can be sent again. */
const maxChosen = 20
/** Progress is reported in this many steps: a window need not draw every packet. */
const steps = 100

export type Uploads = ReturnType<typeof createUploads>

interface Sending {
  readonly file: LocalFile
  readonly client: Client
  readonly how?: 'multipart' | 'tus' | undefined
  readonly isAgain?: boolean
}

interface Begin {
  readonly accountId: AccountId
  readonly fileId: string
  readonly conversation: Conversation | null
  readonly how?: 'multipart' | 'tus' | undefined
}

/** Uploads to chat servers. `client` returns an account's client, or throws why there is none. */
export function createUploads(parts: {
  live: LiveState
  desktop: Pick<Desktop, 'chooseFile' | 'chooseFiles'>
  files: KeptFiles
  clock: Pick<Clock, 'now'>
  client: (accountId: AccountId) => Client
  onBug: (where: string, error: unknown) => void
}) {
  const { live, desktop, files } = parts
  const stopped = new AbortController()
  const chosen = new Map<string, LocalFile>()
  const running = new Map<string, AbortController>()

  const change = (id: string, fields: Partial<Upload>): void =>
    live.update((state) => ({ ...state, uploads: withUpload(state.uploads, id, fields) }))

  /** A file that the user chose; throws if it is no longer remembered. */
  function chosenFile(fileId: string): LocalFile {
    const file = chosen.get(fileId)
    if (file === undefined) throw invalid('file', 'Choose the file again.')
    return file
  }

  function remember(file: LocalFile, fileId: string = crypto.randomUUID()) {
    chosen.delete(fileId)
    chosen.set(fileId, file)
    const [oldest] = chosen.keys()
    if (chosen.size > maxChosen && oldest !== undefined) chosen.delete(oldest)
    return { fileId, name: file.name, size: file.size }
  }

  function begin(wanted: Begin): { id: string; done: Promise<Uploaded> } {
    const { accountId, conversation, fileId } = wanted
    const file = chosenFile(fileId)
    const id = crypto.randomUUID()
    demandSize(file, live.get().realms.get(accountId)?.limits.uploadMib)
    const upload: Upload = {
      ...{ id, accountId, fileId, conversation, name: file.name, total: file.size },
      ...{ sent: 0, state: 'sending', startedAt: parts.clock.now(), url: null, failure: null },
    }
    const client = parts.client(accountId)
    live.update((state) => ({ ...state, uploads: withNewUpload(state.uploads, upload) }))
    return { id, done: send(upload, { file, client, how: wanted.how }) }
  }

  /** `isAgain`: the server may already have the file from an earlier request. */
  function send(
    upload: Upload,
    { file, client, how, isAgain = false }: Sending,
  ): Promise<Uploaded> {
    const abort = new AbortController()
    running.set(upload.id, abort)
    change(upload.id, { state: 'sending', sent: 0, failure: null })
    const sending = async (): Promise<Uploaded> => {
      // Not imported at startup: most runs never need it.
      const { findUploaded, sendFile } = await import('./upload-file.ts')
      const { uploads, realms } = live.get()
      const found = isAgain ? await findUploaded(client, upload, uploads, abort.signal) : null
      if (found !== null) return found
      const maxMib = realms.get(upload.accountId)?.limits.uploadMib
      const onProgress = (bytes: number) => progress(upload, bytes)
      const job = { client, file, maxMib, signal: abort.signal, onProgress }
      return sendFile({ ...job, ...defined({ how }) })
    }
    return settled(upload, sending())
  }

  /** Resolves once it is being sent again, or the state says why not. */
  async function resend(upload: Upload): Promise<void> {
    const file = await files.find(upload.fileId)
    if (file === null) {
      const failure = invalid('file', 'The file is gone or was changed: attach it again.').failure
      return change(upload.id, { state: 'failed', failure })
    }
    const client = parts.client(upload.accountId)
    if (running.has(upload.id)) return
    // The state shows how it ends.
    send(upload, { file, client, isAgain: true }).catch(() => undefined)
  }

  async function resendOnceLive(upload: Upload): Promise<void> {
    const now = (): Upload | undefined => live.get().uploads.find(({ id }) => id === upload.id)
    while (now()?.state === 'waiting') {
      if (live.get().realms.get(upload.accountId)?.phase === 'live') return resend(upload)
      if ((await wait(connectedLookMs, stopped.signal)) === 'aborted') return
    }
  }

  function progress({ id, total }: Upload, sent: number): void {
    const known = live.get().uploads.find((one) => one.id === id)
    // Its account has been removed.
    if (known === undefined) running.get(id)?.abort()
    else if (sent === total || Math.abs(sent - known.sent) * steps >= total) change(id, { sent })
  }

  async function settled(upload: Upload, sending: Promise<Uploaded>): Promise<Uploaded> {
    const { id, name, total } = upload
    try {
      const uploaded = await sending
      const link = uploadLink(uploaded.filename || name, uploaded.url)
      change(id, { state: 'done', sent: total, url: uploaded.url })
      live.update((state) => withLinkInDraft(state, upload, link))
      return uploaded
    } catch (error) {
      if (error instanceof RequestFailed) change(id, { state: 'failed', failure: error.failure })
      else if (stopped.signal.aborted) change(id, { state: 'sending' })
      else if (running.get(id)?.signal.aborted === true) change(id, { state: 'cancelled' })
      else {
        const { failure } = invalid('file', 'Belfry could not send this file. Try again.')
        change(id, { state: 'failed', failure })
        parts.onBug('upload', error)
      }
      throw error
    } finally {
      running.delete(id)
    }
  }

  return {
    commands: {
      async chooseFile() {
        const file = await desktop.chooseFile()
        return file && remember(file)
      },
      chooseFiles: async () => (await desktop.chooseFiles()).map((file) => remember(file)),
      async putFile({ fileId, name, bytes }) {
        const id = fileId ?? crypto.randomUUID()
        if (fileId !== null && chosenFile(id).name !== name)
          throw invalid('file', 'Attach the file again.')
        if ((chosen.get(fileId ?? '')?.size ?? 0) + bytes.length > mostPut)
          throw invalid('file', 'Use the button to attach a file of this size.')
        return remember(await files.append(id, name, bytes), id)
      },
      async thumbnail({ fileId }) {
        const file = chosen.get(fileId) ?? (await files.find(fileId))
        if (file === null || file.size > mostThumbnail) return null
        const content = await files.content(file)
        return content && dataImage(content)
      },
      async startUpload({ accountId, fileId, place, by }) {
        if (place !== null) await files.keep(fileId, chosenFile(fileId))
        const { id, done } = begin({ accountId, fileId, conversation: place, how: by })
        // The state shows how it ends.
        done.catch(() => undefined)
        return { id }
      },
      async retryUpload({ id }) {
        const upload = live.get().uploads.find((one) => one.id === id)
        if (upload?.state === 'failed') await resend(upload)
      },
      async cancelUpload({ id }) {
        const abort = running.get(id)
        if (abort !== undefined) return abort.abort()
        live.update((state) => ({
          ...state,
          uploads: state.uploads.filter((upload) => upload.id !== id),
        }))
      },
    } satisfies Partial<Commands>,
    chosen: chosenFile,
    /** Runs an operation that sends a file; settles with the upload. */
    run: async (accountId: AccountId, operation: Operation, params: unknown) => {
      const fileId = String(validParams(operation, params)['file'])
      const how = operation.sends === 'tus' ? 'tus' : 'multipart'
      const { done } = begin({ accountId, fileId, conversation: null, how })
      return done.catch((error: unknown) => {
        if (error instanceof DOMException) throw invalid('file', 'The upload was cancelled.')
        throw error
      })
    },
    /** Deletes kept files that no upload needs any more. */
    forgetOthers() {
      files
        .sweep(new Set(live.get().uploads.map(({ fileId }) => fileId)))
        .catch((error: unknown) => parts.onBug('kept files', error))
    },
    /** Continues uploads that a restart interrupted. */
    resume() {
      for (const upload of live.get().uploads)
        if (upload.state === 'waiting')
          resendOnceLive(upload).catch((error: unknown) => parts.onBug('upload', error))
    },
    /** Interrupts all uploads. */
    stop() {
      stopped.abort()
      for (const abort of running.values()) abort.abort()
    },
  }
}

function withLinkInDraft(state: AppState, upload: Upload, link: string): AppState {
  const { accountId, conversation } = upload
  if (conversation === null || !state.accounts.some(({ id }) => id === accountId)) return state
  const place = followed(state, { accountId, conversation })
  const typed = draftOf(state, place)
  // A crash may have come after the draft was saved, but before the upload was marked as done.
  if (typed.includes(link)) return state
  return withDraft(state, place, withLink(typed, link))
}
