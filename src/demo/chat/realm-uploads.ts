import type { HttpReply } from '../../shared/http.ts'
import {
  bodyBytes,
  bytesAnswer,
  emptyAnswer,
  headerOf,
  htmlAnswer,
  type RawRequest,
  textAnswer,
  withHeaders,
} from '../answers.ts'
import type { RealmData } from './realm-data.ts'
import { type Call, type Handlers, jsonReply, pathId, Refusal } from './realm-http.ts'
import { emojiCodes } from './realm-render.ts'

const mebibyte = 1024 * 1024
/** How long a temporary URL is valid (chat API, "Files"). */
const temporaryMs = 60_000
/** Shown inline by browsers; everything else is offered as a download. */
const inlineTypes = /^(image\/(png|jpeg|gif|webp)|application\/pdf|text\/plain|audio\/|video\/)/

interface SentFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

interface StoredFile extends SentFile {
  readonly id: number
  /** Below `/user_uploads/`. */
  readonly path: string
  /** Epoch ms. */
  readonly createdAt: number
}

export type Uploads = ReturnType<typeof createUploads>

export function createUploads(data: RealmData) {
  const files = new Map<string, StoredFile>()
  const grants = new Map<string, { readonly path: string; readonly until: number }>()
  const used = () => [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)
  const first = '2/a1/latency.png'
  const createdAt = data.now() - 7_200_000
  const type = 'image/png'
  files.set(first, { id: 31, name: 'latency.png', type, path: first, bytes: chart, createdAt })

  return {
    /** Why a file of this size is refused; null if it is accepted. */
    refusal(size: number): Refusal | null {
      if (size > data.uploadLimits.mib * mebibyte) {
        const { mib } = data.uploadLimits
        return new Refusal(`Uploaded file is larger than the allowed limit of ${mib} MiB`)
      }
      if (used() + size <= data.uploadLimits.quotaBytes) return null
      return new Refusal('Upload would exceed your organization’s upload quota.', {
        code: 'REALM_UPLOAD_QUOTA',
      })
    },
    /** Stores a file; returns its path. */
    store({ name, type: given, bytes }: SentFile): string {
      const random = Math.floor(data.random() * 2 ** 40).toString(36)
      const path = `2/${random}/${safeName(name)}`
      const file = { id: data.nextId(), name, type: given, path, bytes, createdAt: data.now() }
      files.set(path, file)
      data.queues.send({ type: 'attachment', op: 'add', attachment: wireFile(data, file) })
      return `/user_uploads/${path}`
    },
    /** Serves paths below `/user_uploads/`. */
    file(path: string): HttpReply {
      const below = decodeURI(path).replace(/^\/user_uploads\/(thumbnail\/|download\/)?/, '')
      // A thumbnail's path ends with its format.
      const found = files.get(below) ?? files.get(below.replace(/\/[^/]+$/, ''))
      return found === undefined ? htmlAnswer(404, 'Not Found') : served(found)
    },
    /** Serves temporary URLs, which need no key; null for any other path. */
    temporary(path: string): HttpReply | null {
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
    grant(path: string): string | null {
      const file = files.get(path)
      if (file === undefined) return null
      const token = Math.floor(data.random() * 2 ** 50).toString(36)
      grants.set(token, { path, until: data.now() + temporaryMs })
      return `/user_uploads/temporary/${token}/${path.split('/').at(-1)}`
    },
    rows: () => [...files.values()],
    remove(id: number): boolean {
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

/** As on the real server: letters, digits, dots and dashes in any script. */
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
  // Until level 443 in milliseconds, unlike everywhere else in this API.
  const isInMs = data.featureLevel < 443
  return {
    id,
    name,
    path_id: path,
    size: bytes.length,
    create_time: isInMs ? createdAt : Math.floor(createdAt / 1_000),
    ...(data.featureLevel < 472
      ? {
          messages: linking.map((message) => ({
            id: message.id,
            date_sent: isInMs ? message.sentAt * 1_000 : message.sentAt,
          })),
        }
      : { message_ids: linking.map((message) => message.id) }),
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
      data.queues.send({ type: 'attachment', op: 'remove', attachment: { id } })
    },
  } satisfies Partial<Handlers>
}

/** A bell on a blue disc, 48 x 48. */
const icon =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAgMAAAAqbBEUAAAADFBMVEX///8vT3j61ngAAACWyTnHAAAAoUlEQVR4' +
  '2oXSwRHEIAgFUD1YQvqxBA/BgyXYjyV4kCpXRGLQnV1OeYN/HAPG7GUB/APoJd+OEF4NaTkGty7G/TrF56zArwiH' +
  'eiQiFg4pgAAYCbEO2AU/kBHbgFsIJ7DXwLVwH4iE8g2JUP8iE9pvOL6Tbg07IqN0WI5QyGuYBbOBHpQqPH8Ucptw' +
  'gjBHktsciZHMOUY1YDV6vRRqXfQiSX0Aml60eTtXFPkAAAAASUVORK5CYII='

/** A curve of response times with a bump, 240 x 120. */
const chartPng =
  'iVBORw0KGgoAAAANSUhEUgAAAPAAAAB4AgMAAACx2Je0AAAADFBMVEX6+vw6ZL7N3Pbh5OuCL9MqAAAB2ElEQVR4' +
  '2u2XO27DMAyGrQLO0D0dfIScwkfwEKqAj+BLNEfIUO8ZYiDmfbr0LkVLSX5QaFMEZGG3qDgY+Cl9ImWLoJW9KyxL' +
  'lixZsmTJfocZUMA5lFdGbmiGL/Ak75IWK/mWa3yWw40CzhE7MbxB7MXwA8GlFC4QUQzXGrgh+LgGbIgVf2gPn9eA' +
  'Nw7u/xzsDhiiCi5XgBs9fFwe9gdMCZ808Fl+wNaELyL4PsC9qEu+DrCoSxbfRb4RRsXpFFbGevDA4kF+tJXwcWn4' +
  'TgNvRvikgc9Lw8WPwJel4d0I94q6WBFGRUVKCtrcCBvYcxnU1/D2010JAKJxqGL4wK5KcRzvYS5DCnhFchjiOC6U' +
  'xX52bYFUxeqCFXQODcahDdB4O7loHLt9BLfTwvT33ke7zt3//OTKrZtOiXC4ZGGw9fe0cg41umhxr7pqrouQyBQG' +
  'e68efb97s+EMDgqCgrFHeoPQGkMYdPfLDKZ9DJky1ZYs8pCWsSwR7wr7mHIbFie1Y3B4I+PCXvnH1k4TyvF1+UQa' +
  '5HlXLIxPxH2yfJ5EX8swFcEdrQwWWRxywewhF9msIhjdWMNU5l1sTgtQ4xXreBhSmQtWR6/F4lVrIVIZKizBCU5w' +
  'gv8t/AHc4WxDzaUqDwAAAABJRU5ErkJggg=='

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))

const chart = bytesOf(chartPng)

export const emojiNamesPath = '/static/generated/emoji/emoji_api.json'

/** As on real servers: canonical names first, and all emoji but custom ones. */
function emojiNames(): Record<string, string[]> {
  const names: Record<string, string[]> = {}
  for (const [name, code] of emojiCodes) names[code] = [...(names[code] ?? []), name]
  return names
}

/** Serves avatars, emoji and the realm's icon, which need no key; null for any other path. */
export function publicFile(path: string): HttpReply | null {
  if (path === emojiNamesPath) return jsonReply(200, { code_to_names: emojiNames() })
  return path.startsWith('/user_avatars/') ? bytesAnswer(200, 'image/png', bytesOf(icon)) : null
}

/** The files in a multipart body; ignores other fields, refuses a truncated body. */
function filesOf(request: RawRequest): SentFile[] {
  const type = headerOf(request, 'content-type') ?? ''
  const boundary = /^multipart\/form-data;.*\bboundary="?([^";]+)"?/i.exec(type)?.[1]
  if (boundary === undefined) return []
  const body = Buffer.from(bodyBytes(request))
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const files: SentFile[] = []
  // The first delimiter has no line break before it.
  let at = body.indexOf(`--${boundary}`) - 2
  if (at !== -2) throw malformed()
  for (;;) {
    const start = at + delimiter.length
    if (body.toString('latin1', start, start + 2) === '--') return files
    const headersEnd = body.indexOf('\r\n\r\n', start)
    const next = body.indexOf(delimiter, headersEnd)
    if (headersEnd === -1 || next === -1) throw malformed()
    const headers = body.toString('utf8', start, headersEnd)
    const name = /filename="([^"]*)"/i.exec(headers)?.[1]
    if (name !== undefined) {
      const partType = /^content-type:\s*(\S+)/im.exec(headers)?.[1] ?? ''
      files.push({
        name: name.replaceAll('%22', '"'),
        type: partType,
        bytes: body.subarray(headersEnd + 4, next),
      })
    }
    at = next
  }
}

function malformed(): Refusal {
  return new Refusal('Malformed multipart body')
}

interface Transfer {
  readonly name: string
  readonly type: string
  readonly length: number
  bytes: Uint8Array
  done: boolean
}

type Tus = (request: RawRequest, path: string, known: boolean) => HttpReply

const version = '1.0.0'

/**
 * The tus 1.0 daemon beside the chat server, with the extensions creation and termination. Refusals
 * by the chat server are `{message}`, the daemon's own are text.
 */
export function createTus(uploads: Uploads, baseUrl: string): Tus {
  const transfers = new Map<string, Transfer>()
  let last = 0

  function create(request: RawRequest): HttpReply {
    const given = headerOf(request, 'upload-length')
    if (given === undefined)
      return refused(411, 'SIZE_REQUIRED: deferred lengths are not supported')
    const length = Number(given)
    if (!Number.isSafeInteger(length) || length < 0)
      return textAnswer(400, 'ERR_INVALID_UPLOAD_LENGTH: missing or invalid Upload-Length header\n')
    const refusal = uploads.refusal(length)
    if (refusal !== null) return refused(413, refusal.message)
    const metadata = readMetadata(headerOf(request, 'upload-metadata') ?? '')
    last += 1
    const id = `t${last}`
    transfers.set(id, {
      name: metadata.get('filename') ?? 'uploaded-file',
      type: metadata.get('filetype') ?? '',
      length,
      bytes: new Uint8Array(),
      done: false,
    })
    return withHeaders(emptyAnswer(201), { location: `${baseUrl}/api/v1/tus/${id}` })
  }

  function append(request: RawRequest, transfer: Transfer): HttpReply {
    if (headerOf(request, 'content-type') !== 'application/offset+octet-stream')
      return textAnswer(400, 'ERR_INVALID_CONTENT_TYPE: missing or invalid Content-Type header\n')
    const offset = transfer.bytes.length
    if (headerOf(request, 'upload-offset') !== String(offset))
      return textAnswer(409, 'ERR_MISMATCHED_OFFSET: mismatched offset\n')
    const part = bodyBytes(request)
    if (offset + part.length > transfer.length)
      return textAnswer(413, 'ERR_UPLOAD_SIZE_EXCEEDED: upload’s size exceeded\n')
    transfer.bytes = Buffer.concat([transfer.bytes, part])
    const headers = { 'upload-offset': String(transfer.bytes.length) }
    if (transfer.bytes.length < transfer.length) return withHeaders(emptyAnswer(204), headers)
    transfer.done = true
    const url = uploads.store(transfer)
    return withHeaders(jsonReply(200, { url, filename: transfer.name }), headers)
  }

  function remove(id: string, transfer: Transfer): HttpReply {
    if (transfer.done) return refused(400, 'A finished upload can’t be aborted.')
    transfers.delete(id)
    return emptyAnswer(204)
  }

  function answer(request: RawRequest, path: string, known: boolean): HttpReply {
    const id = /^\/api\/v1\/tus\/?(.*)$/.exec(path)?.[1] ?? ''
    if (request.method === 'OPTIONS')
      return withHeaders(emptyAnswer(204), {
        'tus-version': version,
        'tus-extension': 'creation,termination',
      })
    if (headerOf(request, 'tus-resumable') !== version)
      return textAnswer(412, 'ERR_UNSUPPORTED_VERSION: missing, invalid or unsupported\n')
    if (!known) return refused(401, 'Unauthenticated upload')
    if (id === '') return request.method === 'POST' ? create(request) : emptyAnswer(405)
    const transfer = transfers.get(id)
    if (transfer === undefined) return textAnswer(404, 'ERR_UPLOAD_NOT_FOUND: upload not found\n')
    switch (request.method) {
      case 'HEAD':
        return withHeaders(emptyAnswer(200), {
          'upload-offset': String(transfer.bytes.length),
          'upload-length': String(transfer.length),
          'cache-control': 'no-store',
        })
      case 'PATCH':
        return append(request, transfer)
      case 'DELETE':
        return remove(id, transfer)
      default:
        return emptyAnswer(405)
    }
  }

  return (request, path, known) =>
    withHeaders(answer(request, path, known), { 'tus-resumable': version })
}

function refused(status: number, message: string): HttpReply {
  return jsonReply(status, { message })
}

/** `name base64,name base64`. */
function readMetadata(text: string): Map<string, string> {
  return new Map(
    text.split(',').map((pair): [string, string] => {
      const [name = '', value = ''] = pair.trim().split(' ')
      return [name, Buffer.from(value, 'base64').toString('utf8')]
    }),
  )
}
