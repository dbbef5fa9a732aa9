import { type FileHandle, open, readFile } from 'node:fs/promises'
import * as tus from 'tus-js-client'
import { readAttachment } from '../../shared/api/chat/read-realm.ts'
import { fileOperations } from '../../shared/api/chat/server-operations.ts'
import type { Upload } from '../../shared/core/chat/upload.ts'
import { invalid, malformed, RequestFailed } from '../../shared/core/failure.ts'
import type { HttpReply, HttpRequest } from '../../shared/http.ts'
import type { Client } from '../http/client.ts'
import { retryDelayMs } from '../http/retry-delay.ts'
import { wait } from '../http/wait.ts'
import { demandSize, mediaType, stallMs, type Uploaded, type UploadJob } from './upload-job.ts'

/** The server's clock may differ from ours. */
const clockSlackMs = 10 * 60_000

/** Finds a new, unlinked file of this name and size: an upload whose reply was lost. */
export async function findUploaded(
  client: Client,
  upload: Upload,
  uploads: readonly Upload[],
  signal: AbortSignal,
): Promise<Uploaded | null> {
  const { attachments } = await client.call(fileOperations.listAttachments, {}, { signal })
  const taken = new Set(uploads.map(({ url }) => url))
  for (const one of attachments) {
    const file = readAttachment(one)
    if (file === null || file.name !== upload.name || file.size !== upload.total) continue
    const url = `/user_uploads/${file.path}`
    const isNew = file.createdAt >= upload.startedAt - clockSlackMs
    if (isNew && !file.isLinked && !taken.has(url)) return { url, filename: file.name }
  }
  return null
}

/** Chat API, "Limits": from here on the plain endpoint may time out. */
const resumableFrom = 25_000_000

/** Sends a file; rejects with `RequestFailed`, or with the signal's reason when that aborts. */
export async function sendFile(job: UploadJob): Promise<Uploaded> {
  const { file, maxMib, how = file.size < resumableFrom ? 'multipart' : 'tus' } = job
  job.signal.throwIfAborted()
  demandSize(file, maxMib)
  if (how === 'multipart') return sendInTurn(job)
  return sendInParts(job)
}

/** A longer wait is the user's to know of, and to end. */
const longestTurnMs = 10_000
const mostRefusals = 3

/** A file that comes too soon after others is refused unread, and sent once the server is ready. */
async function sendInTurn(job: UploadJob): Promise<Uploaded> {
  for (let refusals = 1; ; refusals += 1) {
    try {
      return await sendWhole(job)
    } catch (error) {
      const failure = error instanceof RequestFailed ? error.failure : null
      if (failure?.kind !== 'rateLimited' || refusals > mostRefusals) throw error
      const ms = retryDelayMs(failure, refusals, 0)
      if (ms > longestTurnMs) throw error
      await wait(ms, job.signal)
      job.signal.throwIfAborted()
    }
  }
}

async function sendWhole({ client, file, signal, onProgress }: UploadJob): Promise<Uploaded> {
  const operation = fileOperations.uploadFile
  const content = await readFile(file.path).catch(() => {
    throw invalid('file', 'The file can’t be read any more.')
  })
  const boundary = `belfry-${crypto.randomUUID()}`
  const head = partHead(boundary, file.name)
  const body = Buffer.concat([head, content, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const reply = await client.send(
    {
      method: operation.method,
      url: operation.path,
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body,
      deadlineMs: operation.deadlineMs ?? 0,
      stallMs,
      onSent: (bytes) => onProgress(Math.min(Math.max(bytes - head.length, 0), content.length)),
    },
    signal,
  )
  // A proxy in front of the server answers with a page of its own.
  if (reply.status === 413) throw invalid('file', 'This file is larger than the server accepts.')
  const { url, filename } = client.read(operation, reply)
  return { url, filename: filename ?? file.name }
}

/** Like browsers, percent-encodes quotes and line breaks in the quoted name. */
function partHead(boundary: string, name: string): Buffer {
  const quoted = name.replace(/["\r\n]/g, encodeURIComponent)
  return Buffer.from(
    `--${boundary}\r\n` +
      `Content-Disposition: form-data; name="file"; filename="${quoted}"\r\n` +
      `Content-Type: ${mediaType(name)}\r\n\r\n`,
  )
}

const operation = fileOperations.resumableUpload
const absent: ReadonlySet<number> = new Set([404, 405, 502, 503])

/** Small enough to resend a part that fails, and large enough for its overhead. */
const partBytes = 5 * 1024 * 1024
const usualDelays = [1_000, 3_000, 5_000, 10_000, 20_000]

/** Uses the tus protocol: an interrupted upload continues from what the server has. */
async function sendInParts(job: UploadJob): Promise<Uploaded> {
  const { file, signal } = job
  const handle = await open(file.path).catch(() => {
    throw invalid('file', 'The file can’t be read any more.')
  })
  let stop = (): void => undefined
  try {
    return await new Promise<Uploaded>((resolve, reject) => {
      const upload = new tus.Upload(Buffer.alloc(0), {
        ...optionsFor(job, handle),
        onProgress: (sent) => job.onProgress(sent),
        onSuccess: ({ lastResponse }) => {
          try {
            resolve(uploaded(job, lastResponse))
          } catch (error) {
            reject(asError(error))
          }
        },
        onError: (error) => reject(failureOf(job, error)),
      })
      stop = () => {
        // A best effort to free the server's disk: it drops abandoned uploads by itself, later.
        upload.abort(true).catch(() => undefined)
        reject(asError(signal.reason))
      }
      signal.addEventListener('abort', stop)
      upload.start()
    })
  } finally {
    signal.removeEventListener('abort', stop)
    await handle.close()
  }
}

function optionsFor(
  job: UploadJob,
  handle: FileHandle,
): ConstructorParameters<typeof tus.Upload>[1] {
  const { client, file } = job
  return {
    endpoint: `${client.baseUrl}${operation.path}/`,
    metadata: { filename: file.name, filetype: mediaType(file.name) },
    chunkSize: partBytes,
    retryDelays: [...(job.retryDelays ?? usualDelays)],
    onShouldRetry: mayRetry,
    httpStack: stackOver(client),
    fileReader: { openFile: () => Promise.resolve(partsOf(handle, file.size)) },
    // Nothing is kept for another session.
    fingerprint: () => Promise.resolve(''),
    storeFingerprintForResuming: false,
  }
}

function partsOf(handle: FileHandle, size: number) {
  return {
    size,
    async slice(start: number, end: number) {
      const part = Buffer.alloc(Math.min(end, size) - start)
      let read = 0
      while (read < part.length) {
        const { bytesRead } = await handle.read(part, read, part.length - read, start + read)
        if (bytesRead === 0)
          throw invalid('file', 'The file became shorter while it was being sent.')
        read += bytesRead
      }
      // The library reads a part's size from this property.
      return { value: Object.assign(part, { size: part.length }), done: end >= size }
    },
    close: () => undefined,
  }
}

/**
 * Sends the library's requests over our own transport: no redirects, our TLS rules, and the key
 * only to the account's own address, whatever `Location` the server names.
 */
function stackOver(client: UploadJob['client']): tus.HttpStack {
  return {
    getName: () => 'belfry',
    createRequest(method, url) {
      const headers: Record<string, string> = {}
      const aborted = new AbortController()
      let onSent: (bytes: number) => void = () => undefined
      return {
        getMethod: () => method,
        getURL: () => url,
        setHeader(name, value) {
          headers[name.toLowerCase()] = value
        },
        getHeader: (name) => headers[name.toLowerCase()],
        setProgressHandler(handler) {
          onSent = handler
        },
        async send(body: Uint8Array | null) {
          demandOrigin(client.baseUrl, url)
          const request = { method: methodOf(method), url, headers, body: body ?? null, onSent }
          const { deadlineMs = 0 } = operation
          return asResponse(await client.send({ ...request, deadlineMs, stallMs }, aborted.signal))
        },
        abort: async () => aborted.abort(),
        getUnderlyingObject: () => null,
      }
    },
  }
}

function asResponse(reply: HttpReply): tus.HttpResponse {
  return {
    getStatus: () => reply.status,
    getHeader: (name) => reply.headers[name.toLowerCase()],
    getBody: () => new TextDecoder().decode(reply.body),
    getUnderlyingObject: () => reply,
  }
}

function methodOf(name: string): HttpRequest['method'] {
  const known = (['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'] as const).find((one) => one === name)
  if (known === undefined) throw new Error(`tus asked for ${name}`)
  return known
}

function demandOrigin(baseUrl: string, url: string): void {
  const { origin } = new URL(url)
  if (origin === new URL(baseUrl).origin) return
  throw malformed('redirect', origin)
}

/** Whether a retry may help: after a network failure, with a busy server or a wrong offset. */
function mayRetry(error: tus.DetailedError): boolean {
  const cause: unknown = error.causingError
  if (cause !== null && cause !== undefined) {
    return cause instanceof RequestFailed && isPassing(cause.failure)
  }
  const status = error.originalResponse?.getStatus() ?? 0
  return status === 409 || status === 423 || status === 429 || status >= 500
}

function isPassing(failure: RequestFailed['failure']): boolean {
  return failure.kind === 'network' && !failure.reason.startsWith('tls')
}

function failureOf(job: UploadJob, error: Error): Error {
  if (!(error instanceof tus.DetailedError)) return error
  const cause: unknown = error.causingError
  if (cause instanceof Error) return cause
  const { originalResponse } = error
  if (originalResponse === null) return error
  try {
    uploaded(job, originalResponse)
  } catch (failure) {
    return asError(failure)
  }
  return malformed('shape', 'tus')
}

/** Reads the reply to the last part; throws the failure that any other reply stands for. */
function uploaded({ client, file }: UploadJob, response: tus.HttpResponse): Uploaded {
  // Made by `asResponse` above.
  const reply = response.getUnderlyingObject() as HttpReply
  // A page instead of the tus daemon's own reply: there is no daemon behind the proxy.
  if (absent.has(reply.status) && /html/i.test(reply.headers['content-type'] ?? '')) {
    const limit = `This server can’t take files of ${resumableFrom / 1_000_000} MB or more`
    throw invalid(
      'file',
      `${limit}: its service for large uploads is not available (${reply.status}).`,
    )
  }
  const { url, filename } = client.read(operation, reply)
  return { url, filename: filename ?? file.name }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
