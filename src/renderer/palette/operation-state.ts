import { useState } from 'preact/hooks'
import type { OperationId } from '#shared/api/catalogue.ts'
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
import { KeptDrafts } from '../kept-drafts.ts'
import { type Errors, useForm } from '../parts/form.ts'
import { appState } from '../window-state.ts'
import { operationOf } from './palette-state.ts'

type Params = Readonly<Record<string, unknown>>

/** The form's values as params, or the errors by the names of the fields. */
type Collected =
  | { readonly ok: true; readonly params: Params }
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
  /** A destructive operation waits to be confirmed. */
  | { readonly kind: 'asking'; readonly params: Params }
  | { readonly kind: 'done'; readonly reply: unknown }

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

/** What was filled in but not run yet, so that leaving the form in any way doesn't lose it. */
const filled = new KeptDrafts<RawValues>((raws) => Object.keys(raws).length > 0)

/** Passwords aren't remembered once the form is closed. */
function withoutSecrets(fields: readonly FormField[], raws: RawValues): RawValues {
  const secret = fields.filter(({ input }) => input.kind === 'text' && input.secret)
  const names = new Set(secret.map(({ name }) => name))
  return Object.fromEntries(Object.entries(raws).filter(([name]) => !names.has(name)))
}

/** What is filled into the form of an operation, and what came of running it. */
export function useFilling(id: OperationId, account: Account, fields: readonly FormField[]) {
  const operation = operationOf(id)
  const key = `${id}/${account.id}`
  const [raws, setRaws] = useState(() => filled.get(key) ?? {})
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' })
  const blocked = whyNot(appState.value, account, operation)
  const request = (params: Params) => ({
    accountId: account.id,
    operation: id,
    params: { ...params },
  })
  /** Takes back a question about values that have changed; a result stays. */
  const settle = () => setOutcome((before) => (before.kind === 'done' ? before : { kind: 'none' }))
  const failed = (failure: Failure): Errors => {
    const about = fieldErrorOf(failure)
    const field = form.element.current?.querySelector(`[name="${CSS.escape(about?.name ?? '')}"]`)
    return about === null || field == null
      ? { form: failureSentence(failure) }
      : { [about.name]: about.message }
  }
  const running = (read: (raws: RawValues) => Params) => ({
    send(raws: RawValues) {
      setOutcome({ kind: 'none' })
      return call.run(request(read(raws)))
    },
    failed,
    done(reply: unknown): undefined {
      filled.drop(key)
      setOutcome({ kind: 'done', reply })
    },
  })
  const asking = {
    // Main's preview validates the params, so that nobody confirms what can't be sent.
    send: (raws: RawValues) => call.previewRequest(request(paramsOf(fields, raws))),
    failed,
    done(): undefined {
      setOutcome({ kind: 'asking', params: paramsOf(fields, form.draft) })
    },
  }
  const form = useForm<RawValues, unknown>({
    title: operation.title,
    key: `operation/${key}`,
    draft: raws,
    edit(part) {
      // A change has a value for each field that it names.
      const next = { ...raws, ...part } as RawValues
      setRaws(next)
      filled.set(key, withoutSecrets(fields, next))
      settle()
    },
    check(raws) {
      if (blocked !== null) return { form: blocked }
      const collected = collect(fields, raws)
      return collected.ok ? {} : collected.errors
    },
    ...(operation.effect === 'destroy' ? asking : running((raws) => paramsOf(fields, raws))),
  })
  const point = (wrong: Errors) => {
    form.point(wrong)
    settle()
  }
  return {
    form,
    /** Why the account can't do this now; null when it can. */
    blocked,
    outcome,
    point,
    /** Runs what was confirmed. */
    run: (params: Params) => void form.ask(running(() => params)),
    keepIt: () => point({}),
    startOver() {
      filled.drop(key)
      setRaws({})
      point({})
    },
  }
}

function paramsOf(fields: readonly FormField[], raws: RawValues): Params {
  const collected = collect(fields, raws)
  return collected.ok ? collected.params : {}
}
