import type { Operation } from '../../shared/api/operation.ts'
import type { RequestPreview } from '../../shared/contract.ts'
import type { Account } from '../../shared/core/account.ts'
import { encodeRequest, validParams } from './request-encoding.ts'

/** Stands where the key would; a shell puts the user's own in its place. */
const placeholder = '$KEY'

/**
 * The request that `run` would send, made by the same encoding but with `$KEY` for the key: the real
 * one is not even asked for. Throws `RequestFailed` of kind `invalid` as `run` would.
 */
export function previewOf(
  account: Account,
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
): RequestPreview {
  const values = withoutPasswords(validParams(operation, params))
  if (operation.sends !== undefined) return filePreview(account, operation)
  const { url, headers, body } = encodeRequest(account, placeholder, operation, values)
  const shown =
    account.kind === 'chat' && 'authorization' in headers
      ? { ...headers, authorization: `Basic ${account.email}:${placeholder}` }
      : headers
  const text = typeof body === 'string' ? body : null
  const curl = curlOf(account, operation, { url, headers, body: text })
  return { method: operation.method, url, headers: shown, body: text, curl }
}

/** A preview is on the screen, and its curl on the clipboard. */
function withoutPasswords(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name.endsWith('password') ? '$PASSWORD' : value,
    ]),
  )
}

/** A file is not read for a preview: `FILE` stands where its path would. */
function filePreview(account: Account, operation: Operation): RequestPreview {
  const { method, path } = operation
  const url = `${account.baseUrl}${path}`
  const user = account.kind === 'chat' ? account.email : ''
  const headers = { authorization: `Basic ${user}:${placeholder}` }
  const login = `-u ${quoted(`${user}:`)}"${placeholder}"`
  const parts =
    operation.sends === 'multipart'
      ? [`curl -X ${method} ${quoted(url)}`, login, `-F 'file=@FILE'`]
      : [
          `curl -X ${method} ${quoted(`${url}/`)}`,
          login,
          `-H 'Tus-Resumable: 1.0.0'`,
          `-H "Upload-Length: $(wc -c < FILE)"`,
        ]
  const body = operation.sends === 'multipart' ? 'The file, as multipart/form-data.' : null
  return { method, url, headers, body, curl: parts.join(' \\\n  ') }
}

function curlOf(
  account: Account,
  { method }: Operation,
  { url, headers, body }: Pick<RequestPreview, 'url' | 'headers' | 'body'>,
): string {
  const parts = [`curl -X ${method} ${quoted(url)}`]
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'authorization' && account.kind === 'chat')
      parts.push(`-u ${quoted(`${account.email}:`)}"${placeholder}"`)
    else if (value === placeholder) parts.push(`-H ${quoted(`${name}: `)}"${placeholder}"`)
    else parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  }
  if (body !== null) parts.push(`--data-raw ${quoted(body)}`)
  return parts.join(' \\\n  ')
}

/** For a POSIX shell, where nothing but the quote itself means anything within single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
