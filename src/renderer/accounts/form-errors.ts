import type { AccountKind } from '#shared/core/account.ts'
import { readBaseUrl } from '#shared/core/base-url.ts'
import { type Failure, RequestFailed } from '#shared/core/failure.ts'
import { failureSentence, refusalWords } from '#shared/core/failure-words.ts'
import type { Errors } from '../parts/form.ts'

type FieldName = 'label' | 'baseUrl' | 'email' | 'key' | 'allowHttp'

export type FormErrors = Errors<FieldName>

const fieldNames: readonly string[] = ['label', 'baseUrl', 'email', 'key', 'allowHttp']

function isFieldName(name: string): name is FieldName {
  return fieldNames.includes(name)
}

/** Assigns a failure to its field: a bad key to the key, an unreachable server to the address. */
export function errorsOf(failure: Failure, kind: AccountKind): FormErrors {
  const sentence = failureSentence(failure)
  switch (failure.kind) {
    case 'badKey':
      // The server does not say which of the two is wrong.
      return kind === 'chat'
        ? {
            key: `${refusalWords(failure, 'This e-mail address and key don’t belong together.')} Use the real address that the key belongs to, and copy the key again.`,
          }
        : { key: sentence }
    case 'network':
    case 'malformed':
      return { baseUrl: sentence }
    case 'invalid':
      return isFieldName(failure.field) ? { [failure.field]: sentence } : { form: sentence }
    case 'refused':
      // A 404 means that another program answers at this address, or that the path is wrong.
      if (failure.httpStatus === 401)
        return { key: 'This is not a complete key. Copy all of it again.' }
      return failure.httpStatus === 404
        ? { baseUrl: 'There is no such service at this address (404). Check the address.' }
        : { form: sentence }
    case 'rateLimited':
    case 'readOnlyKey':
    case 'serverFault':
      return { form: sentence }
  }
}

/** What is wrong with the address as typed, or null. Consent to http is asked separately. */
export function addressError(text: string, kind: AccountKind): string | null {
  const read = readAddress(text, kind)
  return 'failure' in read ? failureSentence(read.failure) : null
}

/** The address that is meant, in a sentence, where the one typed is that of a page or the API. */
export function shortenedWords(text: string, kind: AccountKind): string | null {
  const read = readAddress(text, kind)
  if (!('baseUrl' in read)) return null
  const { baseUrl } = read
  const plain = (address: string) => address.replace(/^https?:\/\//i, '').replace(/(?<!\/)\/+$/, '')
  const isShorter =
    plain(baseUrl).length < plain(text.trim().replace(/:(?:443|80)(?=\/|$)/, '')).length
  return isShorter ? `Belfry uses ${baseUrl}.` : null
}

/**
 * A name for a project whose user gave none: that of its server, unless another project has it. Null if
 * there is no name that tells them apart.
 */
export function suggestedName(text: string, taken: readonly string[]): string | null {
  const read = readAddress(text, 'monitoring')
  if (!('baseUrl' in read)) return null
  const { hostname } = new URL(read.baseUrl)
  return taken.some((label) => label.toLowerCase() === hostname) ? null : hostname
}

/** Whether the key would be sent unencrypted to the address; false if it is not an address. */
export function isPlainHttp(text: string, kind: AccountKind): boolean {
  const read = readAddress(text, kind)
  return 'insecure' in read && read.insecure
}

function readAddress(text: string, kind: AccountKind) {
  try {
    return readBaseUrl(text, { kind, allowHttp: true })
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    return { failure: error.failure }
  }
}
