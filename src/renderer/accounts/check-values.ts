import type { Account } from '#shared/core/account.ts'
import type { Values } from './account-fields.tsx'
import { addressError, type FormErrors, isPlainHttp } from './form-errors.ts'

/** What can be said about the form before anything is asked over the network. */
export function checkValues(kind: Account['kind'], values: Values): FormErrors {
  const errors: FormErrors = {}
  if (kind === 'monitoring' && values.label.trim() === '') errors.label = 'Give the project a name.'
  const address = addressError(values.baseUrl, kind)
  if (address !== null) errors.baseUrl = address
  if (kind === 'chat' && !/^\S+@\S+$/.test(values.email.trim()))
    errors.email = 'Enter the e-mail address that belongs to the key.'
  if (values.key.trim() === '') errors.key = 'Paste the API key.'
  if (isPlainHttp(values.baseUrl, kind) && !values.allowHttp)
    errors.allowHttp = 'Agree to this, or use an address that begins with https.'
  return errors
}
