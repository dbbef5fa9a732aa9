import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { AccountReport, NewAccount } from '#shared/contract.ts'
import type { Account } from '#shared/core/account.ts'
import { readZuliprc } from '#shared/core/zuliprc.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Field, focusFirstError, SecretField } from '../parts/field.tsx'
import { PageBar } from '../parts/page-bar.tsx'
import { say } from '../toast.ts'
import { go } from '../window-state.ts'
import { AuthorityChoice, type ChosenAuthority } from './account-authority.tsx'
import { reportWords } from './account-words.ts'
import {
  addressError,
  errorsOf,
  type FieldName,
  type FormErrors,
  isPlainHttp,
} from './form-errors.ts'
import { ProtectionNote } from './protection-note.tsx'

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

/** What can be said about the form before anything is asked over the network. */
function checkValues(kind: Account['kind'], values: Values): FormErrors {
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

/** The realm that a key opened: its icon, its own address, and who one is there. */
function RealmReport({ report }: { readonly report: Extract<AccountReport, { kind: 'chat' }> }) {
  return (
    <div class="report realm-report">
      {report.realmIcon !== null && <img src={report.realmIcon} alt="" width={32} height={32} />}
      <div>
        <p>{reportWords(report)}</p>
        <p class="raw">{report.baseUrl}</p>
      </div>
    </div>
  )
}

/** The form as typed; one set for both kinds of account. */
interface Values {
  readonly label: string
  readonly baseUrl: string
  readonly email: string
  readonly key: string
  readonly allowHttp: boolean
}

const emptyValues: Values = { label: '', baseUrl: '', email: '', key: '', allowHttp: false }

interface AccountFieldsProps {
  readonly kind: Account['kind']
  readonly values: Values
  readonly errors: FormErrors
  readonly onChange: (change: Partial<Values>) => void
}

function AccountFields(props: AccountFieldsProps) {
  return props.kind === 'monitoring' ? <ProjectFields {...props} /> : <ChatFields {...props} />
}

function ProjectFields({ values, errors, onChange }: AccountFieldsProps) {
  return (
    <>
      <Field
        label="Name"
        name="label"
        placeholder="ops-project"
        value={values.label}
        error={errors.label ?? null}
        help="Your own word for the project; the service does not tell its name."
        onInput={(label) => onChange({ label })}
      />
      <Field
        label="Address"
        name="baseUrl"
        inputMode="url"
        placeholder="https://healthchecks.io"
        value={values.baseUrl}
        error={errors.baseUrl ?? null}
        onInput={(baseUrl) => onChange({ baseUrl })}
      />
      <SecretField
        label="API key"
        name="key"
        value={values.key}
        error={errors.key ?? null}
        help={
          <>
            In the project’s <b>Settings → API Access</b>. A read-only key is enough to watch; a
            read-write key can also pause and resume.
          </>
        }
        onInput={(key) => onChange({ key })}
      />
    </>
  )
}

function ChatFields({ values, errors, onChange }: AccountFieldsProps) {
  const [problems, setProblems] = useState<readonly string[]>([])
  const take = (text: string) => {
    const file = readZuliprc(text)
    setProblems(file.ok ? [] : file.problems)
    if (file.ok) onChange({ baseUrl: file.site, email: file.email, key: file.key })
  }
  return (
    // Pasting a whole file into any field is as good as dropping it.
    <div
      onPaste={(paste) => {
        const text = paste.clipboardData?.getData('text/plain') ?? ''
        if (!/^\s*\[api\]/m.test(text)) return
        paste.preventDefault()
        take(text)
      }}
    >
      <ZuliprcDrop problems={problems} onText={take} />
      <Field
        label="Address"
        name="baseUrl"
        inputMode="url"
        placeholder="https://your-team.zulipchat.com"
        value={values.baseUrl}
        error={errors.baseUrl ?? null}
        onInput={(baseUrl) => onChange({ baseUrl })}
      />
      <Field
        label="E-mail"
        name="email"
        inputMode="email"
        value={values.email}
        error={errors.email ?? null}
        onInput={(email) => onChange({ email })}
      />
      <SecretField
        label="API key"
        name="key"
        value={values.key}
        error={errors.key ?? null}
        help={
          <>
            In <b>Personal settings → Account &amp; privacy → API key</b>, where “Download zuliprc”
            gives the file for the box above.
          </>
        }
        onInput={(key) => onChange({ key })}
      />
    </div>
  )
}

interface ZuliprcDropProps {
  readonly problems: readonly string[]
  readonly onText: (text: string) => void
}

/** Anything longer is no zuliprc file. */
const mostBytes = 16_384

/** Takes a zuliprc file: dropped here, chosen, or pasted into any field below. */
function ZuliprcDrop({ problems, onText }: ZuliprcDropProps) {
  const id = useId()
  const [over, setOver] = useState(false)
  const read = (file: File | undefined) => {
    if (file === undefined) return
    void file.slice(0, mostBytes).text().then(onText)
  }
  return (
    <div class="field">
      <label
        for={id}
        class={`drop ${over ? 'drop-over' : ''}`}
        onDragOver={(drag) => {
          drag.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(drop) => {
          drop.preventDefault()
          setOver(false)
          read(drop.dataTransfer?.files[0])
        }}
      >
        <span>
          Drop a <b>zuliprc</b> file here, or choose one
        </span>
        <input
          id={id}
          type="file"
          aria-describedby={problems.length > 0 ? `${id}-error` : undefined}
          aria-invalid={problems.length > 0}
          onChange={(change) => read(change.currentTarget.files?.[0])}
        />
      </label>
      {problems.length > 0 && (
        <div id={`${id}-error`} class="field-error" role="alert">
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </div>
      )}
    </div>
  )
}
