import { bodyBytes, headerOf, type RawRequest } from '../answers.ts'
import { Refusal } from './realm-http.ts'

export interface SentFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** The files of a multipart body; other fields are left aside. Strict: a cut body is refused. */
export function filesOf(request: RawRequest): SentFile[] {
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
