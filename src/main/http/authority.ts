import type { X509Certificate } from 'node:crypto'
import type { Account, Authority } from '../../shared/core/account.ts'
import { invalid } from '../../shared/core/failure.ts'
import type { LocalFile, Transport } from '../base/ports.ts'

/** A certificate is about 2 kB of text, so even a long chain fits. */
const maxBytes = 64 * 1024

/** Rejects with `RequestFailed` of kind `invalid`, as `readAuthority` does. */
export async function readAuthorityFile({ path }: LocalFile, now: number): Promise<Authority> {
  let text: string
  try {
    text = await readStart(path)
  } catch {
    // The system's message contains the path, which the window must not learn.
    throw invalid('authority', 'This file can’t be read.')
  }
  return readAuthority(text, now)
}

/** Reads at most one byte beyond the limit, whatever kind of file it is. */
async function readStart(path: string): Promise<string> {
  const { open } = process.getBuiltinModule('node:fs/promises')
  const file = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

const block = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END [\w ]*CERTIFICATE-----/g

/**
 * Reads PEM certificates to trust for one account in addition to the system's own: authorities, or
 * a server's self-signed certificate. Throws `RequestFailed` of kind `invalid`, field `authority`,
 * for anything else, and for a file that contains a private key, which doesn't belong here.
 */
export function readAuthority(text: string, now: number): Authority {
  if (text.length > maxBytes)
    throw invalid('authority', 'This file is too large to be a certificate.')
  if (/PRIVATE KEY-----/.test(text)) {
    throw invalid(
      'authority',
      'This file contains a private key. Choose one that contains only the certificate.',
    )
  }
  const certificates = (text.match(block) ?? []).map(parsed)
  const [first] = certificates
  if (first === undefined) throw invalid('authority', 'This file contains no PEM certificate.')
  if (!certificates.every((one) => one.ca || one.checkIssued(one))) {
    throw invalid(
      'authority',
      'This is a server’s certificate. Choose the one of the authority that signed it.',
    )
  }
  const until = Math.min(...certificates.map(({ validTo }) => Date.parse(validTo)))
  if (!(until > now))
    throw invalid('authority', 'This certificate has expired. Ask for the renewed one.')
  return { pem: certificates.map(String).join(''), name: nameOf(first), until }
}

function parsed(pem: string): X509Certificate {
  try {
    return new (process.getBuiltinModule('node:crypto').X509Certificate)(pem)
  } catch {
    // OpenSSL's message wouldn't help the user.
    throw invalid('authority', 'The certificate in this file is damaged.')
  }
}

/** The common name, or another name or the fingerprint. Bounded: anybody can make a certificate. */
function nameOf(certificate: X509Certificate): string {
  const { fingerprint256 } = certificate
  // Undefined if the certificate has no subject, despite Node's types.
  const subject: unknown = certificate.subject
  const lines = typeof subject === 'string' ? subject.split('\n') : []
  const name = lines.find((line) => line.startsWith('CN=')) ?? lines.at(-1) ?? ''
  const shown = name.replace(/^\w+=/, '').replace(/\p{C}/gu, '').trim().slice(0, 100)
  return shown === '' ? fingerprint256.slice(0, 23) : shown
}

/** Trusts the account's own authority, but only for requests to the account's origin. */
export function trusting(
  transport: Transport,
  { baseUrl, authority }: Pick<Account, 'baseUrl' | 'authority'>,
): Transport {
  if (authority === undefined) return transport
  const { origin } = new URL(baseUrl)
  return (request, signal) =>
    transport(
      new URL(request.url).origin === origin ? { ...request, authority: authority.pem } : request,
      signal,
    )
}
