import { type FormField, formFields } from '#shared/api/form-fields.ts'
import { type RawValue, readField } from '#shared/api/form-values.ts'
import type { Operation } from '#shared/api/operation.ts'
import type { Account } from '#shared/core/account.ts'
import type { AppState } from '#shared/core/state.ts'

export type RawValues = Readonly<Record<string, RawValue>>

/** The form's values as params, or what is wrong by the names of the fields. */
type Collected =
  | { readonly ok: true; readonly params: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly errors: Readonly<Record<string, string>> }

export function collect(fields: readonly FormField[], raws: RawValues): Collected {
  const params: Record<string, unknown> = {}
  const errors: Record<string, string> = {}
  for (const field of fields) {
    const read = readField(field, rawOf(field, raws))
    if (read.kind === 'value') params[field.name] = read.value
    else if (read.kind === 'wrong') errors[field.name] = read.message
  }
  return Object.keys(errors).length === 0 ? { ok: true, params } : { ok: false, errors }
}

/** What stands in a field before anything was typed. */
export function rawOf({ name, input }: FormField, raws: RawValues): RawValue {
  const several = input.kind === 'choices' || (input.kind === 'pick' && input.count !== 'one')
  return raws[name] ?? (several ? [] : '')
}

/** The fields, those that are needed first. */
export function orderedFields(operation: Operation): readonly FormField[] {
  const fields = formFields(operation)
  return [...fields.filter(({ required }) => required), ...fields.filter((one) => !one.required)]
}

/** The accounts that an operation can be run with, those that can do it first. */
export function accountsFor(state: AppState, operation: Operation): readonly Account[] {
  const accounts = state.accounts.filter(({ kind }) => kind === operation.service)
  const able = accounts.filter((account) => whyNot(account, operation) === null)
  return [...able, ...accounts.filter((account) => !able.includes(account))]
}

/** Why this account's key can't do this; null when it can. */
export function whyNot(account: Account, operation: Operation): string | null {
  if (account.key !== 'present' && operation.anonymous !== true)
    return `${account.label} needs its key first. Give it one under Accounts.`
  if (account.kind !== 'monitoring' || operation.needsReadWriteKey !== true) return null
  if (account.keyKind !== 'readOnly') return null
  return `The key of ${account.label} can only read, and this needs a read-write key. Replace it under Accounts.`
}

/** The operation sends a file of this computer, which only main can read. */
export function sendsFile(fields: readonly FormField[]): boolean {
  return fields.some(({ input }) => input.kind === 'pick' && input.picker === 'file')
}
