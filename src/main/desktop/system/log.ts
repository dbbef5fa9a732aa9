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

let write = (_line: string): void => undefined

/** From now on the log is also written there, line by line. */
export function logTo(add: (line: string) => void): void {
  write = add
}

/** Writes down what happened: fixed words and numbers only, never what a user or a server wrote. */
export function note(where: string, what: string): void {
  write(redacted(`${where}: ${what}`))
}

/**
 * Writes a bug to standard error and the log; nothing else does. It gives the place, the kind of error and the
 * locations in the stack, but never the message, which may quote a header, a body or an address
 * (undici quotes an invalid header's value).
 */
export function logBug(where: string, error: unknown): void {
  const bug = redacted(`${where}: ${describeBug(error)}`)
  process.stderr.write(`belfry: ${bug}\n`)
  write(withoutFolders(bug))
}

/** A home folder has its owner's name. */
function withoutFolders(text: string): string {
  return text.replaceAll(/(?:file:\/\/)?(?:[A-Za-z]:)?[\\/][^\n():]*[\\/](?=[^\\/\n()]*:\d)/g, '')
}

export function describeBug(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...places.slice(0, 12)].join('\n')
}
