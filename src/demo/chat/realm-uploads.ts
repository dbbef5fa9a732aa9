import type { HttpReply } from '../../main/http/transport.ts'
import { bytesAnswer, htmlAnswer, withHeaders } from '../answers.ts'
import type { RealmData } from './realm-data.ts'
import { chart } from './realm-files.ts'
import { type Call, type Handlers, pathId } from './realm-handlers.ts'
import { jsonReply, Refusal } from './realm-http.ts'
import { filesOf, type SentFile } from './realm-multipart.ts'

const mebibyte = 1024 * 1024
/** How long an address without a key opens a file (chat API, "Files"). */
const temporaryMs = 60_000
/** What a browser shows in place; all else is offered for saving. */
const inlineTypes = /^(image\/(png|jpeg|gif|webp)|application\/pdf|text\/plain|audio\/|video\/)/

interface StoredFile {
  readonly id: number
  readonly name: string
  readonly type: string
  /** Below `/user_uploads/`. */
  readonly path: string
  readonly bytes: Uint8Array
  /** Epoch ms. */
  readonly createdAt: number
}

/** The files of the realm. */
export interface Uploads {
  /** Why a file of this size is not taken; null when it is. */
  refusal(size: number): Refusal | null
  /** Keeps a file; its address. */
  store(file: SentFile): string
  /** An uploaded file's answer; null when the path is none of a file. */
  file(path: string): HttpReply | null
  /** The answer of an address that needs no key; null when the path is none. */
  temporary(path: string): HttpReply | null
  grant(path: string): string | null
  rows(): readonly StoredFile[]
  remove(id: number): boolean
}

export function createUploads(data: RealmData): Uploads {
  const files = new Map<string, StoredFile>()
  const grants = new Map<string, { readonly path: string; readonly until: number }>()
  const used = () => [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)
  const first = '2/a1/latency.png'
  const createdAt = data.now() - 7_200_000
  const type = 'image/png'
  files.set(first, { id: 31, name: 'latency.png', type, path: first, bytes: chart, createdAt })

  return {
    refusal(size) {
      if (size > data.uploadLimits.mib * mebibyte) {
        const { mib } = data.uploadLimits
        return new Refusal(`Uploaded file is larger than the allowed limit of ${mib} MiB`)
      }
      if (used() + size <= data.uploadLimits.quotaBytes) return null
      return new Refusal('Upload would exceed your organization’s upload quota.', {
        code: 'REALM_UPLOAD_QUOTA',
      })
    },
    store({ name, type: given, bytes }) {
      const random = Math.floor(data.random() * 2 ** 40).toString(36)
      const path = `2/${random}/${safeName(name)}`
      const file = { id: data.nextId(), name, type: given, path, bytes, createdAt: data.now() }
      files.set(path, file)
      data.queues.push(() => ({ type: 'attachment', op: 'add', attachment: wireFile(data, file) }))
      return `/user_uploads/${path}`
    },
    file(path) {
      if (!path.startsWith('/user_uploads/')) return null
      const below = decodeURI(path).replace(/^\/user_uploads\/(thumbnail\/|download\/)?/, '')
      // A thumbnail's address ends with its format.
      const found = files.get(below) ?? files.get(below.replace(/\/[^/]+$/, ''))
      return found === undefined ? htmlAnswer(404, 'Not Found') : served(found)
    },
    temporary(path) {
      const token = /^\/user_uploads\/temporary\/([^/]+)\//.exec(path)?.[1]
      if (token === undefined) return null
      const grant = grants.get(token)
      const found = files.get(grant?.path ?? '')
      if (grant === undefined || grant.until < data.now() || found === undefined) {
        const body = { result: 'error', msg: 'Invalid or expired token', code: 'BAD_REQUEST' }
        return jsonReply(400, body)
      }
      return served(found)
    },
    grant(path) {
      const file = files.get(path)
      if (file === undefined) return null
      const token = Math.floor(data.random() * 2 ** 50).toString(36)
      grants.set(token, { path, until: data.now() + temporaryMs })
      return `/user_uploads/temporary/${token}/${path.split('/').at(-1)}`
    },
    rows: () => [...files.values()],
    remove(id) {
      const found = [...files.values()].find((file) => file.id === id)
      return found !== undefined && files.delete(found.path)
    },
  }
}

function served({ type, bytes }: StoredFile): HttpReply {
  const known = type === '' ? 'application/octet-stream' : type
  const reply = bytesAnswer(200, known, bytes)
  return inlineTypes.test(known)
    ? reply
    : withHeaders(reply, { 'content-disposition': 'attachment' })
}

/** As the real server does: letters, digits, dots and dashes of any script. */
function safeName(name: string): string {
  const kept = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}_\s.-]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-')
  return ['', '.', '..'].includes(kept) ? 'uploaded-file' : kept
}

function wireFile(data: RealmData, { id, name, path, bytes, createdAt }: StoredFile) {
  const linking = [...data.messages.values()].filter(({ content }) => content.includes(path))
  return {
    id,
    name,
    path_id: path,
    size: bytes.length,
    // Milliseconds, here alone in this API.
    create_time: createdAt,
    messages: linking.map((message) => ({ id: message.id, date_sent: message.sentAt * 1_000 })),
  }
}

export function uploadHandlers(data: RealmData, uploads: Uploads) {
  return {
    uploadFile({ request }: Call) {
      const [file, ...more] = filesOf(request)
      if (file === undefined) throw new Refusal('You must specify a file to upload')
      if (more.length > 0) throw new Refusal('You may only upload one file at a time')
      const refusal = uploads.refusal(file.bytes.length)
      if (refusal !== null) throw refusal
      const url = uploads.store(file)
      return { url, uri: url, filename: file.name }
    },
    getTemporaryFileUrl({ path }: Call) {
      const url = uploads.grant(`${path['realm_id']}/${path['filename']}`)
      if (url === null) throw new Refusal('No such file', { status: 404 })
      return { url }
    },
    listAttachments() {
      const rows = uploads.rows().map((file) => wireFile(data, file))
      return {
        attachments: rows,
        upload_space_used: rows.reduce((sum, { size }) => sum + size, 0),
      }
    },
    deleteAttachment(call: Call) {
      const id = pathId(call, 'attachment_id')
      if (!uploads.remove(id)) throw new Refusal('Invalid attachment')
      data.queues.push(() => ({ type: 'attachment', op: 'remove', attachment: { id } }))
      return {}
    },
  } satisfies Partial<Handlers>
}
