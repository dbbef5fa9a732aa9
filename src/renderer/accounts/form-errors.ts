import { readBaseUrl } from '#shared/core/base-url.ts'
import { type Failure, RequestFailed } from '#shared/core/failure.ts'
import { failureSentence, refusalWords } from '#shared/core/failure-words.ts'

export type FieldName = 'label' | 'baseUrl' | 'email' | 'key' | 'allowHttp'

/** What is wrong, by field; `form` is for what belongs to none. */
export type FormErrors = Partial<Record<FieldName | 'form', string>>

const fieldNames: readonly string[] = ['label', 'baseUrl', 'email', 'key', 'allowHttp']

function isFieldName(name: string): name is FieldName {
  return fieldNames.includes(name)
}

/** Where a failure belongs: a rejected key to the key, what was not reached to the address. */
export function errorsOf(failure: Failure, kind: 'monitoring' | 'chat'): FormErrors {
  const sentence = failureSentence(failure)
  switch (failure.kind) {
    case 'badKey':
      // The server does not say which of the two is wrong.
      return kind === 'chat'
        ? {
            key: `${refusalWords(failure, 'The server does not know this e-mail with this key.')} Use the real address that the key belongs to, and copy the key again.`,
          }
        : { key: sentence }
    case 'network':
    case 'malformed':
      return { baseUrl: sentence }
    case 'invalid':
      return isFieldName(failure.field) ? { [failure.field]: sentence } : { form: sentence }
    case 'refused':
      // A 404 to everything is another program, or a wrong path.
      if (failure.httpStatus === 401)
        return { key: 'The service takes this for no whole key. Copy all of it again.' }
      return failure.httpStatus === 404
        ? { baseUrl: 'This service is not at this address (404). Check the address.' }
        : { form: sentence }
    case 'rateLimited':
    case 'readOnlyKey':
    case 'serverFault':
      return { form: sentence }
  }
}

/** What is wrong with the address as typed; null when nothing is. Consent to http is asked apart. */
export function addressError(text: string, kind: 'monitoring' | 'chat'): string | null {
  try {
    readBaseUrl(text, { kind, allowHttp: true })
    return null
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    return failureSentence(error.failure)
  }
}

/** The address would send the key readable by others on the way. */
export function isPlainHttp(text: string, kind: 'monitoring' | 'chat'): boolean {
  try {
    return readBaseUrl(text, { kind, allowHttp: true }).insecure
  } catch (error) {
    // Not an address yet; `addressError` says so in its time.
    if (!(error instanceof RequestFailed)) throw error
    return false
  }
}
