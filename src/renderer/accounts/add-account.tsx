import { useId, useLayoutEffect, useState } from 'preact/hooks'
import type { AccountReport, AddedAccount, NewAccount } from '#shared/contract.ts'
import { type AccountId, type AccountKind, accountById } from '#shared/core/account.ts'
import type { Failure, Result } from '#shared/core/failure.ts'
import { call } from '../bridge.ts'
import { KeptDrafts } from '../kept-drafts.ts'
import { Button } from '../parts/button.tsx'
import { FormFoot, SecretField } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import { EmptyPage, PageBar, stepBack } from '../parts/page-bar.tsx'
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

/** What was typed for an account that is not connected yet; without its key, which is not kept. */
export const accountDrafts = new KeptDrafts<AccountDraft>(
  ({ label, baseUrl, email }) => `${label}${baseUrl}${email}` !== '',
)

/** What is typed for a new account, and what trying and connecting it came to. */
function useNewAccount(kind: AccountKind) {
  const { connect: title, home } = kindViews[kind]
  const [key, setKey] = useState('')
  const [report, setReport] = useState<AccountReport | null>(null)
  const [found, setFound] = useState<AddedAccount | null>(null)
  const [how, setHow] = useState<'try' | 'connect'>('connect')
  const [authority, setAuthority] = useState<ChosenAuthority | null>(null)
  const forget = () => {
    setReport(null)
    setFound(null)
  }
  const failed = (failure: Failure) => {
    setFound(null)
    return errorsOf(failure, kind)
  }
  const kept = accountDrafts.get(kind)
  const draft = { ...(kept ?? emptyDraft), key }
  const edit = (part: Partial<AccountDraft>) => {
    accountDrafts.set(kind, { ...draft, ...part, key: '' })
    if (part.key !== undefined) setKey(part.key)
    forget()
  }
  const askForName = (): FormErrors => {
    const labels = appState.peek().accounts.map(({ label }) => label)
    const name = suggestedName(draft.baseUrl, labels)
    if (name !== null) edit({ label: name })
    return { label: nameWanted(name) }
  }
  /** `instead`: the account that is to go on with the key; null: none, whatever is alike. */
  const connecting = (instead?: AccountId | null) => ({
    async send(draft: AccountDraft): Promise<Result<AddedAccount | null>> {
      if (kind === 'monitoring' && draft.label.trim() === '') return { ok: true, value: null }
      setHow('connect')
      setReport(null)
      const own = newAccount(kind, draft, authority)
      return call.addAccount(instead === undefined ? own : { ...own, instead })
    },
    failed,
    done(added: AddedAccount | null, isHere: () => boolean): FormErrors | undefined {
      if (added === null) return askForName()
      setFound(added.alike === undefined ? null : added)
      if (added.alike !== undefined)
        return isHere() ? undefined : { form: 'This is already connected.' }
      if (isHere()) go(home)
      toast(reportWords(added.report))
      // Not what was typed for another account since this form was left.
      if (accountDrafts.get(kind) === kept) accountDrafts.drop(kind)
      setKey('')
      return undefined
    },
  })
  const form = useForm({
    title,
    draft,
    edit,
    check: (draft) => checkDraft(kind, draft),
    ...connecting(),
  })
  const attempt = () =>
    form.submit({
      send(draft) {
        setHow('try')
        setReport(null)
        return call.tryAccount(newAccount(kind, draft, authority))
      },
      failed,
      done(tried) {
        setFound(null)
        setReport(tried)
      },
    })
  const connectInstead = (instead: AccountId | null) => form.submit(connecting(instead))
  const step = form.busy ? how : null
  return { form, step, report, found, attempt, connectInstead, authority, setAuthority, setFound }
}

/** The form of a new account. Tries the key before anything is saved, and explains the answer. */
export function AddAccount({ kind }: { kind: AccountKind }) {
  const { connect: title, Fields } = kindViews[kind]
  const adding = useNewAccount(kind)
  const { form, step, report, found, authority } = adding
  const { draft, errors, element } = form
  useLayoutEffect(
    () => element.current?.querySelector<HTMLElement>('input:not([type="file"])')?.focus(),
    [],
  )
  return (
    <section class="page" aria-label={title}>
      <PageBar title={title} />
      <div class="page-scroll form-page">
        <form {...form.attributes}>
          <Fields draft={draft} errors={errors} onChange={form.onChange} />
          <HttpConsent
            kind={kind}
            address={draft.baseUrl}
            agreed={draft.allowHttp}
            error={errors.allowHttp ?? null}
            onChange={(allowHttp) => form.onChange({ allowHttp })}
          />
          {!/^\s*http:/i.test(draft.baseUrl) && (
            <AuthorityChoice
              words={authority === null ? null : `Trusts the certificates in ${authority.name}`}
              title="For a server whose certificate comes from a private authority"
              onChange={adding.setAuthority}
            />
          )}
          <ProtectionNote />
          <div role="status">
            {errors.form !== undefined && <p class="field-error">{errors.form}</p>}
            {report !== null && <Report report={report} />}
          </div>
          {found === null ? (
            <div class="button-row button-row-end">
              <Button busy={form.busy} onClick={adding.attempt}>
                {step === 'try' ? 'Trying' : 'Try the key'}
              </Button>
              <Button kind="primary" type="submit" busy={form.busy}>
                {step === 'connect' ? 'Connecting' : 'Connect'}
              </Button>
            </div>
          ) : (
            <UseInstead
              found={found}
              busy={form.busy}
              onUse={adding.connectInstead}
              onCancel={() => {
                adding.setFound(null)
                element.current?.querySelector<HTMLElement>('[name="key"]')?.focus()
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
  const address =
    draft.baseUrl.trim() === ''
      ? 'Enter the address of the server.'
      : addressError(draft.baseUrl, kind)
  return {
    ...kindViews[kind].missing(draft),
    ...(address === null ? {} : { baseUrl: address }),
    ...(draft.key.trim() === '' ? { key: 'Paste the API key.' } : {}),
    ...(isPlainHttp(draft.baseUrl, kind) && !draft.allowHttp
      ? { allowHttp: 'Accept this, or use an address that begins with https.' }
      : {}),
  }
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
  const title = account?.key === 'missing' ? 'Enter key' : 'Replace key'
  const form = useForm({
    title,
    start: { key: '' },
    check: ({ key }) => (key.trim() === '' ? { key: 'Paste the new API key.' } : {}),
    async send({ key }) {
      const isAtForm = stillHere()
      const result = await call.replaceKey({ accountId, key: key.trim() })
      return result.ok ? { ok: true, value: { report: result.value, isAtForm } } : result
    },
    // Whatever is wrong, the key is all that can be changed here.
    failed: (failure) => ({
      key: Object.values(errorsOf(failure, account?.kind ?? 'monitoring')).join(' '),
    }),
    done({ report, isAtForm }): undefined {
      form.onChange({ key: '' })
      if (isAtForm()) stepBack()
      toast(reportWords(report))
    },
  })
  useLayoutEffect(() => form.element.current?.querySelector('input')?.focus(), [])
  if (account === null) return <EmptyPage title="Replace key" why="This account no longer exists" />
  return (
    <section class="page" aria-label={title}>
      <PageBar title={title} />
      <div class="page-scroll form-page">
        <form {...form.attributes}>
          <p class="form-lead">
            <strong dir="auto">{account.label}</strong>
            <span class="raw">{addressOf(account)}</span>
          </p>
          <SecretField
            label="New API key"
            help={kindViews[account.kind].newKeyHelp}
            {...draftField(form, 'key')}
          />
          <ProtectionNote />
          <FormFoot onCancel={stepBack}>
            <Button kind="primary" type="submit" busy={form.busy}>
              {form.busy ? 'Trying' : title}
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
