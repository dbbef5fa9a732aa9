import type { Operation } from '../../shared/api/operation.ts'
import type { Commands } from '../../shared/contract.ts'
import type { AccountId } from '../../shared/core/account.ts'
import { type Conversation, draftKey } from '../../shared/core/chat/conversation.ts'
import {
  type Upload,
  uploadLink,
  withLink,
  withNewUpload,
  withUpload,
} from '../../shared/core/chat/upload.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Client } from '../http/client.ts'
import { validParams } from '../http/request-encoding.ts'
import type { Desktop, LocalFile } from '../ports.ts'
import type { LiveState } from '../store.ts'
import { withDraft } from './chat-commands.ts'
import { badFile, demandSize, type Uploaded, type UploadJob } from './upload-job.ts'

/** Chosen files that are remembered, so that a form can be sent again. */
const maxChosen = 20
/** Progress is reported in this many steps: a window need not draw every packet. */
const steps = 100

export interface Uploads {
  readonly commands: Pick<Commands, 'chooseFile' | 'startUpload' | 'cancelUpload'>
  /** A file that the user chose; throws where none of this name is remembered. */
  chosen(fileId: string): LocalFile
  /** Runs an operation that sends a file; settles with the upload. */
  run(accountId: AccountId, operation: Operation, params: unknown): Promise<Uploaded>
  /** Cancels all uploads. */
  stop(): void
}

interface Begin {
  readonly accountId: AccountId
  readonly fileId: string
  readonly conversation: Conversation | null
  readonly how?: 'multipart' | 'tus' | undefined
}

/** Uploads to chat servers. `client` finds an account's, or throws why there is none. */
export function createUploads(parts: {
  live: LiveState
  desktop: Pick<Desktop, 'chooseFile'>
  client: (accountId: AccountId) => Client
  onBug: (where: string, error: unknown) => void
}): Uploads {
  const { live, desktop } = parts
  const chosen = new Map<string, LocalFile>()
  const running = new Map<string, AbortController>()

  const change = (id: string, fields: Partial<Upload>): void =>
    live.update((state) => ({ ...state, uploads: withUpload(state.uploads, id, fields) }))

  function chosenFile(fileId: string): LocalFile {
    const file = chosen.get(fileId)
    if (file === undefined) throw badFile('Choose the file again.')
    return file
  }

  function begin(wanted: Begin): { id: string; done: Promise<Uploaded> } {
    const { accountId, conversation } = wanted
    const file = chosenFile(wanted.fileId)
    const client = parts.client(accountId)
    const maxMib = live.get().realms.get(accountId)?.limits.uploadMib
    demandSize(file, maxMib)
    const id = crypto.randomUUID()
    const abort = new AbortController()
    running.set(id, abort)
    const upload = newUpload({ id, accountId, conversation, name: file.name, total: file.size })
    live.update((state) => ({ ...state, uploads: withNewUpload(state.uploads, upload) }))
    const { how } = wanted
    const sending = sendingFile({
      client,
      file,
      ...(how === undefined ? {} : { how }),
      maxMib,
      signal: abort.signal,
      onProgress: (sent) => progress(upload, sent),
    })
    return { id, done: settled(upload, sending) }
  }

  function progress({ id, total }: Upload, sent: number): void {
    const known = live.get().uploads.find((one) => one.id === id)
    // Its account was removed meanwhile.
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
      else if (running.get(id)?.signal.aborted === true) change(id, { state: 'cancelled' })
      else {
        change(id, {
          state: 'failed',
          failure: {
            kind: 'invalid',
            field: 'file',
            message: 'Belfry could not send this file. Try again.',
          },
        })
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
        if (file === null) return null
        const fileId = crypto.randomUUID()
        chosen.set(fileId, file)
        const [oldest] = chosen.keys()
        if (chosen.size > maxChosen && oldest !== undefined) chosen.delete(oldest)
        return { fileId, name: file.name, size: file.size }
      },
      async startUpload({ accountId, fileId, place, by }) {
        const { id, done } = begin({ accountId, fileId, conversation: place, how: by })
        // The state shows how it ends.
        done.catch(() => undefined)
        return { id }
      },
      async cancelUpload({ id }) {
        const abort = running.get(id)
        if (abort !== undefined) return abort.abort()
        live.update((state) => ({
          ...state,
          uploads: state.uploads.filter((upload) => upload.id !== id),
        }))
      },
    },
    chosen: chosenFile,
    run: async (accountId, operation, params) => {
      const fileId = String(validParams(operation, params)['file'])
      const how = operation.sends === 'tus' ? 'tus' : 'multipart'
      const { done } = begin({ accountId, fileId, conversation: null, how })
      return done.catch((error: unknown) => {
        if (error instanceof DOMException) throw badFile('The upload was cancelled.')
        throw error
      })
    },
    stop() {
      for (const abort of running.values()) abort.abort()
    },
  }
}

/** Most starts never need it. */
async function sendingFile(job: UploadJob): Promise<Uploaded> {
  const { sendFile } = await import('./upload-file.ts')
  return sendFile(job)
}

function newUpload(
  fields: Pick<Upload, 'id' | 'accountId' | 'conversation' | 'name' | 'total'>,
): Upload {
  return { ...fields, sent: 0, state: 'sending', url: null, failure: null }
}

function withLinkInDraft(state: AppState, upload: Upload, link: string): AppState {
  const { accountId, conversation } = upload
  if (conversation === null || !state.accounts.some(({ id }) => id === accountId)) return state
  const typed = state.drafts.get(draftKey(accountId, conversation)) ?? ''
  return withDraft(state, { accountId, conversation }, withLink(typed, link))
}
