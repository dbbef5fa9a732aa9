import { useState } from 'preact/hooks'
import type { OperationId } from '#shared/api/catalogue.ts'
import type { Operation } from '#shared/api/operation.ts'
import type { Account } from '#shared/core/account.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { focusFirstError } from '../parts/field.tsx'
import type { collect } from './operation-state.ts'

export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'running' }
  /** A destructive one waits for its confirmation. */
  | { readonly kind: 'asking'; readonly params: Readonly<Record<string, unknown>> }
  | { readonly kind: 'done'; readonly reply: unknown }
  | { readonly kind: 'failed'; readonly sentence: string }

/** What happens to a form: its errors, its question, its outcome. */
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
  const fail = (failure: Failure) => {
    const name = failure.kind === 'invalid' ? (failure.field.split('.')[0] ?? '') : ''
    const known = form.current?.querySelector(`[name="${CSS.escape(name)}"]`) != null
    if (failure.kind === 'invalid' && known) point({ [name]: failure.message })
    else setOutcome({ kind: 'failed', sentence: failureSentence(failure) })
  }
  const run = (params: Readonly<Record<string, unknown>>) => {
    setOutcome({ kind: 'running' })
    void call.run(request(params)).then((result) => {
      if (result.ok) setOutcome({ kind: 'done', reply: result.value })
      else fail(result.failure)
    })
  }
  const submit = ({ effect }: Operation) => {
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
    // Main's preview holds the params against the schema, so that nobody confirms what can't be sent.
    void call.previewRequest(request(collected.params)).then((result) => {
      if (result.ok) setOutcome({ kind: 'asking', params: collected.params })
      else fail(result.failure)
    })
  }
  /** A changed field is not wrong any more, and what was asked or answered was about other values. */
  const reset = (name: string | null) => {
    setErrors((before) =>
      name === null || before[name] === undefined
        ? before
        : Object.fromEntries(Object.entries(before).filter(([key]) => key !== name)),
    )
    setOutcome((before) => (before.kind === 'done' ? before : { kind: 'none' }))
  }
  return { errors, outcome, run, submit, reset, point }
}
