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

interface UploadsParts {
  live: LiveState
  desktop: Pick<Desktop, 'chooseFile' | 'chooseFiles'>
  files: KeptFiles
  clock: Pick<Clock, 'now'>
  client: (accountId: AccountId) => Client
  onBug: (where: string, error: unknown) => void
}

/** Uploads to chat servers. `client` returns an account's client, or throws why there is none. */
export class Uploads {
  readonly #parts: UploadsParts
  readonly #stopped = new AbortController()
  readonly #chosen = new Map<string, LocalFile>()
  readonly #running = new Map<string, AbortController>()

  constructor(parts: UploadsParts) {
    this.#parts = parts
  }

  /** Runs an operation that sends a file; settles with the upload. */
  async run(accountId: AccountId, operation: Operation, params: unknown) {
    const fileId = String(validParams(operation, params)['file'])
    const how = operation.sends === 'tus' ? 'tus' : 'multipart'
    const { done } = this.#begin({ accountId, fileId, conversation: null, how })
    return done.catch((error: unknown) => {
      if (error instanceof DOMException) throw invalid('file', 'The upload was cancelled.')
      throw error
    })
  }

  /** Deletes kept files that no upload needs any more. */
  forgetOthers() {
    this.#parts.files
      .sweep(new Set(this.#parts.live.get().uploads.map(({ fileId }) => fileId)))
      .catch((error: unknown) => this.#parts.onBug('kept files', error))
  }

  /** Continues uploads that a restart interrupted. */
  resume() {
    for (const upload of this.#parts.live.get().uploads)
      if (upload.state === 'waiting')
        this.#resendOnceLive(upload).catch((error: unknown) => this.#parts.onBug('upload', error))
  }

  /** Interrupts all uploads. */
  stop() {
    this.#stopped.abort()
    for (const abort of this.#running.values()) abort.abort()
  }

  readonly commands = {
    chooseFile: async () => {
      const file = await this.#parts.desktop.chooseFile()
      return file && this.#remember(file)
    },

    chooseFiles: async () =>
      (await this.#parts.desktop.chooseFiles()).map((file) => this.#remember(file)),

    putFile: async ({ fileId, name, bytes }) => {
      const id = fileId ?? crypto.randomUUID()
      if (fileId !== null && this.chosen(id).name !== name)
        throw invalid('file', 'Attach the file again.')
      if ((this.#chosen.get(fileId ?? '')?.size ?? 0) + bytes.length > mostPut)
        throw invalid('file', 'Use the button to attach a file of this size.')
      return this.#remember(await this.#parts.files.append(id, name, bytes), id)
    },

    thumbnail: async ({ fileId }) => {
      const file = this.#chosen.get(fileId) ?? (await this.#parts.files.find(fileId))
      if (file === null || file.size > mostThumbnail) return null
      const content = await this.#parts.files.content(file)
      return content && dataImage(content)
    },

    startUpload: async ({ accountId, fileId, place, by }) => {
      if (place !== null) await this.#parts.files.keep(fileId, this.chosen(fileId))
      const { id, done } = this.#begin({ accountId, fileId, conversation: place, how: by })
      // The state shows how it ends.
      done.catch(() => undefined)
      // The window shows it as begun: from then on, not even a kill loses it.
      await this.#parts.live.persist('uploads').catch(() => undefined)
      return { id }
    },

    retryUpload: async ({ id }) => {
      const upload = this.#parts.live.get().uploads.find((one) => one.id === id)
      if (upload?.state === 'failed') await this.#resend(upload)
    },

    cancelUpload: async ({ id }) => {
      const abort = this.#running.get(id)
      if (abort !== undefined) return abort.abort()
      this.#parts.live.update((state) => ({
        ...state,
        uploads: state.uploads.filter((upload) => upload.id !== id),
      }))
    },
  } satisfies Partial<Commands>

  /** A file that the user chose; throws if it is no longer remembered. */
  readonly chosen = (fileId: string): LocalFile => {
    const file = this.#chosen.get(fileId)
    if (file === undefined) throw invalid('file', 'Choose the file again.')
    return file
  }

  #change(id: string, fields: Partial<Upload>): void {
    this.#parts.live.update((state) => ({
      ...state,
      uploads: withUpload(state.uploads, id, fields),
    }))
  }

  #remember(file: LocalFile, fileId: string = crypto.randomUUID()) {
    this.#chosen.delete(fileId)
    this.#chosen.set(fileId, file)
    const [oldest] = this.#chosen.keys()
    if (this.#chosen.size > maxChosen && oldest !== undefined) this.#chosen.delete(oldest)
    return { fileId, name: file.name, size: file.size }
  }

  #begin(wanted: Begin): { id: string; done: Promise<Uploaded> } {
    const { accountId, conversation, fileId } = wanted
    const file = this.chosen(fileId)
    const id = crypto.randomUUID()
    demandSize(file, this.#parts.live.get().realms.get(accountId)?.limits.uploadMib)
    const upload: Upload = {
      ...{ id, accountId, fileId, conversation, name: file.name, total: file.size },
      ...{
        sent: 0,
        state: 'sending',
        startedAt: this.#parts.clock.now(),
        url: null,
        failure: null,
      },
    }
    const client = this.#parts.client(accountId)
    this.#parts.live.update((state) => ({
      ...state,
      uploads: withNewUpload(state.uploads, upload),
    }))
    return { id, done: this.#send(upload, { file, client, how: wanted.how }) }
  }

  /** `isAgain`: the server may already have the file from an earlier request. */
  #send(upload: Upload, { file, client, how, isAgain = false }: Sending): Promise<Uploaded> {
    const abort = new AbortController()
    this.#running.set(upload.id, abort)
    this.#change(upload.id, { state: 'sending', sent: 0, failure: null })
    const sending = async (): Promise<Uploaded> => {
      // Not imported at startup: most runs never need it.
      const { findUploaded, sendFile } = await import('./upload-file.ts')
      const { uploads, realms } = this.#parts.live.get()
      const found = isAgain ? await findUploaded(client, upload, uploads, abort.signal) : null
      if (found !== null) return found
      const maxMib = realms.get(upload.accountId)?.limits.uploadMib
      const onProgress = (bytes: number) => this.#progress(upload, bytes)
      const job = { client, file, maxMib, signal: abort.signal, onProgress }
      return sendFile({ ...job, ...defined({ how }) })
    }
    return this.#settled(upload, sending())
  }

  /** Resolves once it is being sent again, or the state says why not. */
  async #resend(upload: Upload): Promise<void> {
    const file = await this.#parts.files.find(upload.fileId)
    if (file === null) {
      const failure = invalid('file', 'The file is gone or was changed: attach it again.').failure
      return this.#change(upload.id, { state: 'failed', failure })
    }
    const client = this.#parts.client(upload.accountId)
    if (this.#running.has(upload.id)) return
    // The state shows how it ends.
    this.#send(upload, { file, client, isAgain: true }).catch(() => undefined)
  }

  async #resendOnceLive(upload: Upload): Promise<void> {
    const now = (): Upload | undefined =>
      this.#parts.live.get().uploads.find(({ id }) => id === upload.id)
    while (now()?.state === 'waiting') {
      if (this.#parts.live.get().realms.get(upload.accountId)?.phase === 'live')
        return this.#resend(upload)
      if ((await wait(connectedLookMs, this.#stopped.signal)) === 'aborted') return
    }
  }

  #progress({ id, total }: Upload, sent: number): void {
    const known = this.#parts.live.get().uploads.find((one) => one.id === id)
    // Its account has been removed.
    if (known === undefined) this.#running.get(id)?.abort()
    else if (sent === total || Math.abs(sent - known.sent) * steps >= total)
      this.#change(id, { sent })
  }

  async #settled(upload: Upload, sending: Promise<Uploaded>): Promise<Uploaded> {
    const { id, name, total } = upload
    try {
      const uploaded = await sending
      const link = uploadLink(uploaded.filename || name, uploaded.url)
      const ended = { state: 'done', sent: total, url: uploaded.url } as const
      this.#parts.live.update((state) => {
        const uploads = withUpload(state.uploads, id, ended)
        return withLinkInDraft({ ...state, uploads }, upload, link)
      })
      return uploaded
    } catch (error) {
      if (error instanceof RequestFailed)
        this.#change(id, { state: 'failed', failure: error.failure })
      else if (this.#stopped.signal.aborted) this.#change(id, { state: 'sending' })
      else if (this.#running.get(id)?.signal.aborted === true)
        this.#change(id, { state: 'cancelled' })
      else {
        const { failure } = invalid('file', 'Belfry could not send this file. Try again.')
        this.#change(id, { state: 'failed', failure })
        this.#parts.onBug('upload', error)
      }
      throw error
    } finally {
      this.#running.delete(id)
    }
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
