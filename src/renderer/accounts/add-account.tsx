import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { AccountReport, NewAccount } from '#shared/contract.ts'
import type { Account, AccountId } from '#shared/core/account.ts'
import { accountById } from '#shared/core/state.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { focusFirstError, SecretField } from '../parts/field.tsx'
import { PageBar, stepBack } from '../parts/page-bar.tsx'
import { stillHere } from '../parts/still-here.ts'
import { toast } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { AuthorityChoice, type ChosenAuthority } from './account-authority.tsx'
import { emptyValues, kindView, type Values } from './account-kinds.tsx'
import { reportWords } from './account-words.ts'
import {
  addressError,
  errorsOf,
  type FieldName,
  type FormErrors,
  isPlainHttp,
} from './form-errors.ts'
import { ProtectionNote } from './protection-note.tsx'

/** The form of a new account. The key is tried before anything is saved, and the answer explained. */
export function AddAccount({ kind }: { kind: Account['kind'] }) {
  const { connect: title, home, Fields } = kindView(kind)
  const [values, setValues] = useState<Values>(emptyValues)
  const [errors, setErrors] = useState<FormErrors>({})
  const [report, setReport] = useState<AccountReport | null>(null)
  const [busy, setBusy] = useState<'try' | 'connect' | null>(null)
  const [authority, setAuthority] = useState<ChosenAuthority | null>(null)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(
    () => form.current?.querySelector<HTMLElement>('input:not([type="file"])')?.focus(),
    [],
  )

  const change = (part: Partial<Values>) => {
    setValues((before) => ({ ...before, ...part }))
    setReport(null)
    setErrors((before) => withoutErrors(before, Object.keys(part)))
  }
  const fail = (wrong: FormErrors) => {
    setErrors(wrong)
    focusFirstError(form.current)
  }
  const submit = (how: 'try' | 'connect') => {
    const wrong = checkValues(kind, values)
    if (Object.keys(wrong).length > 0) return fail(wrong)
    setBusy(how)
    setErrors({})
    setReport(null)
    const input = newAccount(kind, values, authority)
    const answer =
      how === 'try'
        ? call.tryAccount(input).then((result) => {
            if (result.ok) setReport(result.value)
            return result
          })
        : call.addAccount(input).then((result) => {
            if (!result.ok) return result
            go(home)
            toast(reportWords(result.value.report))
            return result
          })
    void answer.then((result) => {
      setBusy(null)
      if (!result.ok) fail(errorsOf(result.failure, kind))
      else if (how === 'connect') setValues(emptyValues)
    })
  }

  return (
    <section class="page" aria-label={title}>
      <PageBar title={title} />
      <div class="page-scroll form-page">
        <form
          ref={form}
          noValidate
          onSubmit={(submitted) => {
            submitted.preventDefault()
            submit('connect')
          }}
        >
          <Fields values={values} errors={errors} onChange={change} />
          <HttpConsent
            kind={kind}
            address={values.baseUrl}
            agreed={values.allowHttp}
            error={errors.allowHttp ?? null}
            onChange={(allowHttp) => change({ allowHttp })}
          />
          {!/^\s*http:/i.test(values.baseUrl) && (
            <AuthorityChoice chosen={authority} onChange={setAuthority} />
          )}
          <ProtectionNote />
          <div role="status">
            {errors.form !== undefined && <p class="field-error">{errors.form}</p>}
            {report !== null && <Report report={report} />}
          </div>
          <div class="button-row button-row-end">
            <Button busy={busy !== null} onClick={() => submit('try')}>
              {busy === 'try' ? 'Trying' : 'Try the key'}
            </Button>
            <Button kind="primary" type="submit" busy={busy !== null}>
              {busy === 'connect' ? 'Connecting' : 'Connect'}
            </Button>
          </div>
        </form>
      </div>
    </section>
  )
}

function withoutErrors(errors: FormErrors, names: readonly string[]): FormErrors {
  return Object.fromEntries(
    Object.entries(errors).filter(([name]) => name !== 'form' && !names.includes(name)),
  ) as Partial<Record<FieldName, string>> // the same entries, fewer of them
}

function newAccount(
  kind: Account['kind'],
  values: Values,
  authority: ChosenAuthority | null,
): NewAccount {
  return kindView(kind).inputOf(values, {
    baseUrl: values.baseUrl.trim(),
    key: values.key.trim(),
    allowHttp: values.allowHttp,
    ...(authority === null ? {} : { authorityFileId: authority.fileId }),
  })
}

function Report({ report }: { readonly report: AccountReport }) {
  const { Report: OfKind } = kindView(report.kind)
  return <OfKind report={report} />
}

/** What can be said about the form before anything is asked over the network. */
function checkValues(kind: Account['kind'], values: Values): FormErrors {
  const errors = { ...kindView(kind).missing(values) }
  const address = addressError(values.baseUrl, kind)
  if (address !== null) errors.baseUrl = address
  if (values.key.trim() === '') errors.key = 'Paste the API key.'
  if (isPlainHttp(values.baseUrl, kind) && !values.allowHttp)
    errors.allowHttp = 'Accept this, or use an address that begins with https.'
  return errors
}

interface HttpConsentProps {
  readonly kind: 'monitoring' | 'chat'
  readonly address: string
  readonly agreed: boolean
  readonly error: string | null
  readonly onChange: (agreed: boolean) => void
}

/** Asked only where it matters: plain http to another computer. */
function HttpConsent({ kind, address, agreed, error, onChange }: HttpConsentProps) {
  const id = useId()
  if (!isPlainHttp(address, kind)) return null
  return (
    <div class="field consent">
      <div class="check-field">
        <input
          id={id}
          type="checkbox"
          name="allowHttp"
          checked={agreed}
          aria-invalid={error !== null}
          aria-describedby={`${id}-help`}
          onChange={(change) => onChange(change.currentTarget.checked)}
        />
        <label for={id}>Send the key without encryption to this server</label>
      </div>
      {error !== null && <p class="field-error">{error}</p>}
      <p class="field-help" id={`${id}-help`}>
        The address begins with http, so anyone on the way can read the key. Belfry marks the
        account for as long as this is so.
      </p>
    </div>
  )
}

/** A new key for an account that is already there; everything else of it stays. */
export function ReplaceKey({ accountId }: { readonly accountId: AccountId }) {
  const account = accountById(appState.value, accountId)
  const [key, setKey] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), [])
  if (account === null)
    return (
      <section class="page" aria-label="Replace key">
        <PageBar title="Replace key" />
        <EmptyState title="This account no longer exists" />
      </section>
    )
  const fail = (words: string) => {
    setError(words)
    focusFirstError(form.current)
  }
  const replace = () => {
    if (key.trim() === '') return fail('Paste the new API key.')
    setBusy(true)
    setError(null)
    const isHere = stillHere()
    void call.replaceKey({ accountId, key: key.trim() }).then((result) => {
      setBusy(false)
      if (!result.ok) return fail(Object.values(errorsOf(result.failure, account.kind)).join(' '))
      setKey('')
      if (isHere()) stepBack()
      toast(reportWords(result.value))
    })
  }
  const { addressOf, newKeyHelp } = kindView(account.kind)
  const title = account.key === 'missing' ? 'Enter key' : 'Replace key'
  return (
    <section class="page" aria-label={title}>
      <PageBar title={title} />
      <div class="page-scroll form-page">
        <form
          ref={form}
          noValidate
          onSubmit={(submit) => {
            submit.preventDefault()
            replace()
          }}
        >
          <p class="form-lead">
            <strong dir="auto">{account.label}</strong>
            <span class="raw">{addressOf(account)}</span>
          </p>
          <SecretField
            label="New API key"
            name="key"
            value={key}
            error={error}
            help={newKeyHelp}
            onInput={(value) => {
              setKey(value)
              setError(null)
            }}
          />
          <ProtectionNote />
          <div class="button-row button-row-end">
            <Button onClick={stepBack}>Cancel</Button>
            <Button kind="primary" type="submit" busy={busy}>
              {busy ? 'Trying' : title}
            </Button>
          </div>
        </form>
      </div>
    </section>
  )
}
