import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { AccountReport, NewAccount } from '#shared/contract.ts'
import type { Account } from '#shared/core/account.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { focusFirstError } from '../parts/field.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { say } from '../toast.ts'
import { go } from '../window-state.ts'
import { AuthorityChoice, type ChosenAuthority } from './account-authority.tsx'
import { AccountFields, emptyValues, type Values } from './account-fields.tsx'
import { reportWords } from './account-words.ts'
import { checkValues } from './check-values.ts'
import { errorsOf, type FieldName, type FormErrors } from './form-errors.ts'
import { HttpConsent } from './http-consent.tsx'
import { ProtectionNote } from './protection-note.tsx'
import { RealmReport } from './realm-report.tsx'

interface Props {
  readonly kind: Account['kind']
}

const titles = {
  monitoring: 'Connect a monitoring project',
  chat: 'Connect a chat account',
} as const

/** The form of a new account. The key is tried before anything is saved, and the answer explained. */
export function AddAccount({ kind }: Props) {
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
            if (result.ok) connected(kind, result.value.report)
            return result
          })
    void answer.then((result) => {
      setBusy(null)
      if (!result.ok) fail(errorsOf(result.failure, kind))
      else if (how === 'connect') setValues(emptyValues)
    })
  }

  return (
    <section class="page" aria-label={titles[kind]}>
      <PageBar title={titles[kind]} />
      <div class="page-scroll form-page">
        <form
          ref={form}
          noValidate
          onSubmit={(submitted) => {
            submitted.preventDefault()
            submit('connect')
          }}
        >
          <AccountFields kind={kind} values={values} errors={errors} onChange={change} />
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
            {report?.kind === 'monitoring' && <p class="report">{reportWords(report)}</p>}
            {report?.kind === 'chat' && <RealmReport report={report} />}
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
  const baseUrl = values.baseUrl.trim()
  const key = values.key.trim()
  const common = {
    allowHttp: values.allowHttp,
    ...(authority === null ? {} : { authorityFileId: authority.fileId }),
  }
  return kind === 'monitoring'
    ? { kind, label: values.label.trim(), baseUrl, key, ...common }
    : { kind, baseUrl, email: values.email.trim(), key, ...common }
}

function connected(kind: Account['kind'], report: AccountReport): void {
  go({ view: kind === 'monitoring' ? 'checks' : 'chat' })
  say(reportWords(report))
}
