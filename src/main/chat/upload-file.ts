import { readFile } from 'node:fs/promises'
import { fileOperations } from '../../shared/api/chat/server-operations.ts'
import {
  badFile,
  demandSize,
  mediaType,
  stallMs,
  type Uploaded,
  type UploadJob,
} from './upload-job.ts'

/** Chat API, "Limits": from here on the plain endpoint may time out. */
const resumableFrom = 25_000_000

/** Sends a file; rejects with `RequestFailed`, or with the signal's reason when that aborts. */
export async function sendFile(job: UploadJob): Promise<Uploaded> {
  const { file, maxMib, how = file.size < resumableFrom ? 'multipart' : 'tus' } = job
  job.signal.throwIfAborted()
  demandSize(file, maxMib)
  if (how === 'multipart') return sendWhole(job)
  // Most sessions never need it.
  const { sendInParts } = await import('./upload-parts.ts')
  return sendInParts(job)
}

async function sendWhole({ client, file, signal, onProgress }: UploadJob): Promise<Uploaded> {
  const operation = fileOperations.uploadFile
  const content = await readFile(file.path).catch(() => {
    throw badFile('The file can’t be read any more.')
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
  // A proxy in front of the server says so with a page of its own.
  if (reply.status === 413) throw badFile('This file is larger than the server takes.')
  const { url, filename } = client.read(operation, reply)
  return { url, filename: filename ?? file.name }
}

/** In a quoted name, browsers write quotes and line breaks as percent codes, and so do we. */
function partHead(boundary: string, name: string): Buffer {
  const quoted = name.replace(/["\r\n]/g, encodeURIComponent)
  return Buffer.from(
    `--${boundary}\r\n` +
      `Content-Disposition: form-data; name="file"; filename="${quoted}"\r\n` +
      `Content-Type: ${mediaType(name)}\r\n\r\n`,
  )
}
