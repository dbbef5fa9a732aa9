import { useState } from 'preact/hooks'
import { catalogue, type OperationId } from '#shared/api/catalogue.ts'
import { type FieldInput, type FormField, formFields } from '#shared/api/form-fields.ts'
import { type RawValue, type RawValues, readField } from '#shared/api/form-values.ts'
import { fieldErrors } from '#shared/api/monitoring/write-check.ts'
import type { Operation } from '#shared/api/operation.ts'
import { type Account, onlyReads } from '#shared/core/account.ts'
import { lackWords } from '#shared/core/chat/server-level.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import type { AppState } from '#shared/core/state.ts'
import { capitalised } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { focusFirstError, withoutErrors } from '../parts/field.tsx'
import { useAnswer } from '../run.ts'
import { forgetValues } from './palette-state.ts'

/** The form's values as params, or the errors by the names of the fields. */
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

export function rawOf({ name, input }: FormField, raws: RawValues): RawValue {
  return raws[name] ?? (isGroup(input) ? [] : '')
}

/** Drawn as a named group of checkboxes; everything else is one control with a label. */
export function isGroup(input: FieldInput): boolean {
  return input.kind === 'choices' || (input.kind === 'pick' && input.count !== 'one')
}

/** The fields, required ones first. */
export function orderedFields(operation: Operation): readonly FormField[] {
  const fields = formFields(operation)
  return [...fields.filter(({ required }) => required), ...fields.filter((one) => !one.required)]
}

/**
 * The accounts of an operation's service, those that can run it first. What a read-only key can't do
 * isn't offered for its account: the key is enough to watch.
 */
export function accountsFor(state: AppState, operation: Operation): readonly Account[] {
  const { service, needsReadWriteKey = false } = operation
  const accounts = state.accounts.filter(
    (account) => account.kind === service && !(needsReadWriteKey && onlyReads(account)),
  )
  const able = accounts.filter((account) => whyNot(state, account, operation) === null)
  return [...able, ...accounts.filter((account) => !able.includes(account))]
}

/** Why this account's server, or a missing key, keeps it from doing this; null when it can. */
export function whyNot(state: AppState, account: Account, operation: Operation): string | null {
  if (account.key !== 'present' && operation.anonymous !== true)
    return `${account.label} has no working key. Enter one under Accounts.`
  const lack = lackWords(state.realms.get(account.id)?.server, operation.since)
  return lack !== null && operation.older === undefined ? `This ${lack}.` : null
}

/** Whether the operation sends a file from this computer, which only main can read. */
export function sendsFile(fields: readonly FormField[]): boolean {
  return fields.some(({ input }) => input.kind === 'pick' && input.picker === 'file')
}

export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  /** A destructive operation waits to be confirmed. */
  | { readonly kind: 'asking'; readonly params: Readonly<Record<string, unknown>> }
  | { readonly kind: 'done'; readonly reply: unknown }
  | { readonly kind: 'failed'; readonly sentence: string }

/** The parameter that a failure is about, and its message; null if it isn't about one. */
function fieldErrorOf(
  failure: Failure,
): { readonly name: string; readonly message: string } | null {
  if (failure.kind === 'invalid')
    return { name: failure.field.split('.')[0] ?? '', message: sentenceOf(failure.message) }
  const errors = fieldErrors(failure)
  const message = Object.values(errors ?? {})[0]
  if (failure.kind !== 'refused' || message === undefined) return null
  // `fieldErrors` returns the check editor's names; this form has the server's own.
  const name = /^json validation error: (\w+)/.exec(failure.message)?.[1] ?? 'channels'
  return { name, message }
}

/** What a schema says is wrong, which may be only a part of a sentence: "at most 255". */
function sentenceOf(words: string): string {
  return `${capitalised(words)}${/[.!?]$/.test(words) ? '' : '.'}`
}

/** The errors and outcome of a form, and what submits or resets it. */
export function useFilling(
  id: OperationId,
  account: Account,
  read: () => ReturnType<typeof collect>,
  form: { readonly current: HTMLFormElement | null },
) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' })
  const request = (params: Readonly<Record<string, unknown>>) => ({
    accountId: account.id,
    operation: id,
    params: { ...params },
  })
  const point = (wrong: Readonly<Record<string, string>>) => {
    setErrors(wrong)
    setOutcome({ kind: 'none' })
    focusFirstError(form.current)
  }
  const { isHere, report } = useAnswer(catalogue[id].title, (sentence) =>
    setOutcome({ kind: 'failed', sentence }),
  )
  const fail = (failure: Failure) => {
    const fieldError = fieldErrorOf(failure)
    const known =
      fieldError !== null &&
      form.current?.querySelector(`[name="${CSS.escape(fieldError.name)}"]`) != null
    if (known && isHere()) point({ [fieldError.name]: fieldError.message })
    else report(failureSentence(failure))
  }
  const run = (params: Readonly<Record<string, unknown>>) => {
    setOutcome({ kind: 'running' })
    void call.run(request(params)).then((result) => {
      if (result.ok) {
        forgetValues(id, account.id)
        setOutcome({ kind: 'done', reply: result.value })
      } else fail(result.failure)
    })
  }
  const submit = ({ effect }: Operation) => {
    if (outcome.kind === 'running') return
    const collected = read()
    if (!collected.ok) {
      point(collected.errors)
      return
    }
    setErrors({})
    if (effect !== 'destroy') {
      run(collected.params)
      return
    }
    // Main's preview validates the params, so that nobody confirms what can't be sent.
    void call.previewRequest(request(collected.params)).then((result) => {
      if (result.ok) setOutcome({ kind: 'asking', params: collected.params })
      else fail(result.failure)
    })
  }
  /** Clears a changed field's error (null: all), and a question or failure about old values. */
  const reset = (name: string | null) => {
    setErrors((before) => withoutErrors(before, name === null ? Object.keys(before) : [name]))
    setOutcome((before) =>
      before.kind === 'done' || before.kind === 'running' ? before : { kind: 'none' },
    )
  }
  return { errors, outcome, run, submit, reset, point }
}
