import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { AccountReport, AddedAccount, NewAccount } from '#shared/contract.ts'
import { type AccountId, type AccountKind, accountById } from '#shared/core/account.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { FormFoot, focusFirstError, SecretField, submits, withoutErrors } from '../parts/field.tsx'
import { EmptyPage, PageBar, stepBack } from '../parts/page-bar.tsx'
import { useAnswer, useBusy } from '../run.ts'
import { toast } from '../toast.ts'
import { appState, go, stillHere } from '../window-state.ts'
import { AuthorityChoice, type ChosenAuthority } from './account-authority.tsx'
import { type AccountDraft, emptyDraft, kindViews } from './account-kinds.tsx'
import { addressOf, reportWords } from './account-words.ts'
import {
  addressError,
  errorsOf,
  type FormErrors,
  isPlainHttp,
  suggestedName,
} from './form-errors.ts'
import { UseInstead } from './use-instead.tsx'

/** The form of a new account. Tries the key before anything is saved, and explains the answer. */
export function AddAccount({ kind }: { kind: AccountKind }) {
  const { connect: title, home, Fields } = kindViews[kind]
  const [draft, setDraft] = useState<AccountDraft>(emptyDraft)
  const [errors, setErrors] = useState<FormErrors>({})
  const [report, setReport] = useState<AccountReport | null>(null)
  const [found, setFound] = useState<AddedAccount | null>(null)
  const [busy, setBusy] = useState<'try' | 'connect' | null>(null)
  const [authority, setAuthority] = useState<ChosenAuthority | null>(null)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(
    () => form.current?.querySelector<HTMLElement>('input:not([type="file"])')?.focus(),
    [],
  )

  const change = (part: Partial<AccountDraft>) => {
    setDraft((before) => ({ ...before, ...part }))
    setReport(null)
    setFound(null)
    setErrors((before) => withoutErrors(before, ['form', ...Object.keys(part)]))
  }
  const { isHere, report: tell } = useAnswer(title, (words) => setErrors({ form: words }))
  const fail = (wrong: FormErrors) => {
    if (!isHere()) return tell(Object.values(wrong).join(' '))
    setErrors(wrong)
    focusFirstError(form.current)
  }
  const askForName = () => {
    const labels = appState.peek().accounts.map(({ label }) => label)
    const name = suggestedName(draft.baseUrl, labels)
    if (name !== null) change({ label: name })
    return fail({ label: nameWanted(name) })
  }
  const submit = async (how: 'try' | 'connect', instead?: AccountId | null) => {
    const wrong = checkDraft(kind, draft)
    if (Object.keys(wrong).length > 0) return fail(wrong)
    if (how === 'connect' && kind === 'monitoring' && draft.label.trim() === '') return askForName()
    setBusy(how)
    setErrors({})
    setReport(null)
    const own = newAccount(kind, draft, authority)
    const input = instead === undefined ? own : { ...own, instead }
    const result = how === 'try' ? await call.tryAccount(input) : await call.addAccount(input)
    setBusy(null)
    setFound(null)
    if (!result.ok) return fail(errorsOf(result.failure, kind))
    if (!('report' in result.value)) return setReport(result.value)
    if (result.value.alike !== undefined) {
      if (!isHere()) tell('This is already connected.')
      return setFound(result.value)
    }
    if (isHere()) go(home)
    toast(reportWords(result.value.report))
    setDraft(emptyDraft)
  }

  return (
    <section class="page" aria-label={title}>
      <PageBar title={title} />
      <div class="page-scroll form-page">
        <form ref={form} noValidate onSubmit={submits(() => submit('connect'))}>
          <Fields draft={draft} errors={errors} onChange={change} />
          <HttpConsent
            kind={kind}
            address={draft.baseUrl}
            agreed={draft.allowHttp}
            error={errors.allowHttp ?? null}
            onChange={(allowHttp) => change({ allowHttp })}
          />
          {!/^\s*http:/i.test(draft.baseUrl) && (
            <AuthorityChoice
              words={authority === null ? null : `Trusts the certificates in ${authority.name}`}
              title="For a server whose certificate comes from a private authority"
              onChange={setAuthority}
            />
          )}
          <ProtectionNote />
          <div role="status">
            {errors.form !== undefined && <p class="field-error">{errors.form}</p>}
            {report !== null && <Report report={report} />}
          </div>
          {found === null ? (
            <div class="button-row button-row-end">
              <Button busy={busy !== null} onClick={() => void submit('try')}>
                {busy === 'try' ? 'Trying' : 'Try the key'}
              </Button>
              <Button kind="primary" type="submit" busy={busy !== null}>
                {busy === 'connect' ? 'Connecting' : 'Connect'}
              </Button>
            </div>
          ) : (
            <UseInstead
              found={found}
              busy={busy !== null}
              onUse={(instead) => void submit('connect', instead)}
              onCancel={() => {
                setFound(null)
                form.current?.querySelector<HTMLElement>('[name="key"]')?.focus()
              }}
            />
          )}
        </form>
      </div>
    </section>
  )
}

function nameWanted(suggested: string | null): string {
  return suggested === null
    ? 'Give it a name that tells it from the other project of this server.'
    : 'Give it a name, or press Connect again to use this one.'
}

function newAccount(
  kind: AccountKind,
  draft: AccountDraft,
  authority: ChosenAuthority | null,
): NewAccount {
  const common = {
    baseUrl: draft.baseUrl.trim(),
    key: draft.key.trim(),
    allowHttp: draft.allowHttp,
    ...(authority === null ? {} : { authorityFileId: authority.fileId }),
  }
  return kind === 'chat'
    ? { ...common, kind, email: draft.email.trim() }
    : { ...common, kind, label: draft.label.trim() }
}

/** What a key gives access to; for a realm, with its icon, its address, and who the user is there. */
function Report({ report }: { readonly report: AccountReport }) {
  if (report.kind === 'monitoring') return <p class="report">{reportWords(report)}</p>
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

/** The errors in the form that can be found without a request. */
function checkDraft(kind: AccountKind, draft: AccountDraft): FormErrors {
  const errors = { ...kindViews[kind].missing(draft) }
  const address = addressError(draft.baseUrl, kind)
  if (draft.baseUrl.trim() === '') errors.baseUrl = 'Enter the address of the server.'
  else if (address !== null) errors.baseUrl = address
  if (draft.key.trim() === '') errors.key = 'Paste the API key.'
  if (isPlainHttp(draft.baseUrl, kind) && !draft.allowHttp)
    errors.allowHttp = 'Accept this, or use an address that begins with https.'
  return errors
}

interface HttpConsentProps {
  readonly kind: AccountKind
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
        The address begins with http, so anyone between this computer and the server can read the
        key. Belfry marks the account for as long as that is the case.
      </p>
    </div>
  )
}

/** Replaces the key of an existing account; everything else about it stays. */
export function ReplaceKey({ accountId }: { readonly accountId: AccountId }) {
  const account = accountById(appState.value, accountId)
  const [key, setKey] = useState('')
  const [error, setError] = useState<string | null>(null)
  const [busy, during] = useBusy()
  const form = useRef<HTMLFormElement>(null)
  const title = account?.key === 'missing' ? 'Enter key' : 'Replace key'
  const fail = (words: string) => {
    setError(words)
    focusFirstError(form.current)
  }
  const { report } = useAnswer(title, fail)
  useLayoutEffect(() => form.current?.querySelector('input')?.focus(), [])
  if (account === null) return <EmptyPage title="Replace key" why="This account no longer exists" />
  const replace = async () => {
    if (key.trim() === '') return fail('Paste the new API key.')
    setError(null)
    const isHere = stillHere()
    const result = await during(call.replaceKey({ accountId, key: key.trim() }))
    if (!result.ok) return report(Object.values(errorsOf(result.failure, account.kind)).join(' '))
    setKey('')
    if (isHere()) stepBack()
    toast(reportWords(result.value))
  }
  return (
    <section class="page" aria-label={title}>
      <PageBar title={title} />
      <div class="page-scroll form-page">
        <form ref={form} noValidate onSubmit={submits(replace)}>
          <p class="form-lead">
            <strong dir="auto">{account.label}</strong>
            <span class="raw">{addressOf(account)}</span>
          </p>
          <SecretField
            label="New API key"
            name="key"
            value={key}
            error={error}
            help={kindViews[account.kind].newKeyHelp}
            onInput={(value) => {
              setKey(value)
              setError(null)
            }}
          />
          <ProtectionNote />
          <FormFoot onCancel={stepBack}>
            <Button kind="primary" type="submit" busy={busy}>
              {busy ? 'Trying' : title}
            </Button>
          </FormFoot>
        </form>
      </div>
    </section>
  )
}

/** Says how the key is kept if the system offers no secure storage. */
function ProtectionNote() {
  const { environment, settings } = appState.value
  if (environment.protection === 'os') return null
  return (
    <p class="form-note">
      This computer offers no secure storage for keys
      {settings.weakStorage
        ? '. As you chose, Belfry keeps this one on disk, readable by every program that runs as you.'
        : ', so Belfry keeps this one only until it quits, and then asks for it again. Nothing is written to disk.'}
    </p>
  )
}
