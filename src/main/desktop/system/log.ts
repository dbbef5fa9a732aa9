import type { Transport } from '../../http/transport.ts'

/** Keys used in this run, in every form in which a text could contain them. */
const secrets = new Set<string>()

/** Never shows this again. A second safety net: error messages are not written in the first place. */
export function hideInLog(secret: string): void {
  const bytes = Buffer.from(secret, 'utf8')
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
  const coded = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]
  for (const form of [...forms, ...coded]) secrets.add(form)
}

/** Hides each key that a request carries before it leaves: no other key is ever used. */
export function hidingKeys(transport: Transport): Transport {
  return (request, signal) => {
    const { 'x-api-key': key = '', authorization = '' } = request.headers
    if (key !== '') hideInLog(key)
    const pair = authorization.replace(/^Basic /, '')
    if (pair !== '') {
      hideInLog(
        Buffer.from(pair, 'base64')
          .toString('utf8')
          .replace(/^[^:]*:/, ''),
      )
      secrets.add(pair)
    }
    return transport(request, signal)
  }
}

function redacted(text: string): string {
  let safe = text
  for (const secret of secrets) safe = safe.replaceAll(secret, '[key]')
  return safe
}

/**
 * Writes a bug to standard error; nothing else does. It gives the place, the kind of error and the
 * locations in the stack, but never the message, which may quote a header, a body or an address
 * (undici quotes an invalid header's value).
 */
export function logBug(where: string, error: unknown): void {
  process.stderr.write(redacted(`belfry: ${where}: ${describeBug(error)}\n`))
}

export function describeBug(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...places.slice(0, 12)].join('\n')
}
