import type { HttpReply } from '../../main/http/transport.ts'
import {
  bodyBytes,
  emptyAnswer,
  headerOf,
  type RawRequest,
  textAnswer,
  withHeaders,
} from '../answers.ts'
import { jsonReply } from './realm-http.ts'
import type { Uploads } from './realm-uploads.ts'

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
 * The tus 1.0 daemon beside the chat server, with the extensions creation and termination. What the
 * chat server refuses comes as `{message}`, what the daemon itself refuses as text.
 */
export function createTus(uploads: Uploads, baseUrl: string): Tus {
  const transfers = new Map<string, Transfer>()
  let last = 0

  function create(request: RawRequest): HttpReply {
    const given = headerOf(request, 'upload-length')
    if (given === undefined)
      return refused(411, 'SIZE_REQUIRED: a length that is told later is not supported')
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
    const told = { 'upload-offset': String(transfer.bytes.length) }
    if (transfer.bytes.length < transfer.length) return withHeaders(emptyAnswer(204), told)
    transfer.done = true
    const url = uploads.store(transfer)
    return withHeaders(jsonReply(200, { url, filename: transfer.name }), told)
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
