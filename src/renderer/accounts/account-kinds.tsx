import type { ComponentType } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { AccountReport, NewAccount } from '#shared/contract.ts'
import type { Account } from '#shared/core/account.ts'
import { readZuliprc } from '#shared/core/account.ts'
import type { Target } from '#shared/core/target.ts'
import { draftField, Field, FileDrop, SecretField } from '../parts/field.tsx'
import { reportWords } from './account-words.ts'
import type { FormErrors } from './form-errors.ts'

type Kind = Account['kind']
type Of<Union extends { kind: Kind }, K extends Kind> = Extract<Union, { kind: K }>

/** The form as typed, with the fields of both kinds of account. */
export interface AccountDraft {
  readonly label: string
  readonly baseUrl: string
  readonly email: string
  readonly key: string
  readonly allowHttp: boolean
}

export const emptyDraft: AccountDraft = {
  label: '',
  baseUrl: '',
  email: '',
  key: '',
  allowHttp: false,
}

interface FieldsProps {
  readonly draft: AccountDraft
  readonly errors: FormErrors
  readonly onChange: (change: Partial<AccountDraft>) => void
}

/** Everything in which the account pages differ between the kinds of account. */
interface KindView<K extends Kind> {
  /** The heading above the accounts of this kind. */
  readonly group: string
  readonly connect: string
  /** Where a new account is shown. */
  readonly home: Target
  readonly newKeyHelp: string
  addressOf(account: Of<Account, K>): string
  readonly Fields: ComponentType<FieldsProps>
  /** What is missing in the fields that only this kind has. */
  missing(draft: AccountDraft): FormErrors
  inputOf(
    draft: AccountDraft,
    common: Pick<NewAccount, 'baseUrl' | 'key' | 'allowHttp' | 'authorityFileId'>,
  ): Of<NewAccount, K>
  readonly Report: ComponentType<{ readonly report: Of<AccountReport, K> }>
}

/** In the order in which the pages show them. */
export const kindViews: { readonly [K in Kind]: KindView<K> } = {
  monitoring: {
    group: 'Monitoring projects',
    connect: 'Connect a monitoring project',
    home: { view: 'checks' },
    newKeyHelp: 'In the project’s Settings → API Access. It must belong to the same project.',
    addressOf: ({ baseUrl }) => baseUrl,
    Fields: ProjectFields,
    missing: ({ label }) => (label.trim() === '' ? { label: 'Give the project a name.' } : {}),
    inputOf: ({ label }, common) => ({ ...common, kind: 'monitoring', label: label.trim() }),
    Report: ({ report }) => <p class="report">{reportWords(report)}</p>,
  },
  chat: {
    group: 'Chat accounts',
    connect: 'Connect a chat account',
    home: { view: 'chat' },
    newKeyHelp: 'In Personal settings → Account & privacy → API key.',
    addressOf: ({ email, baseUrl }) => `${email} at ${baseUrl}`,
    Fields: ChatFields,
    missing: ({ email }) =>
      /^\S+@\S+$/.test(email.trim())
        ? {}
        : { email: 'Enter the e-mail address that belongs to the key.' },
    inputOf: ({ email }, common) => ({ ...common, kind: 'chat', email: email.trim() }),
    Report: RealmReport,
  },
}

export function kindView<K extends Kind>(kind: K): KindView<K> {
  return kindViews[kind]
}

/** The realm that a key gives access to: its icon, its address, and who the user is there. */
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

function ProjectFields(props: FieldsProps) {
  return (
    <>
      <Field
        label="Name"
        placeholder="ops-project"
        help="Your own name for the project; the API does not return it."
        {...draftField(props, 'label')}
      />
      <Field
        label="Address"
        inputMode="url"
        placeholder="https://healthchecks.io"
        {...draftField(props, 'baseUrl')}
      />
      <SecretField
        label="API key"
        help={
          <>
            In the project’s <b>Settings → API Access</b>. A read-only key is enough to watch; a
            read-write key can also pause and resume.
          </>
        }
        {...draftField(props, 'key')}
      />
    </>
  )
}

function ChatFields(props: FieldsProps) {
  const [problems, setProblems] = useState<readonly string[]>([])
  const take = (text: string) => {
    const file = readZuliprc(text)
    setProblems(file.ok ? [] : file.problems)
    if (file.ok) props.onChange({ baseUrl: file.site, email: file.email, key: file.key })
  }
  return (
    // Pasting a whole file into any field does the same as dropping it.
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
        inputMode="url"
        placeholder="https://your-team.zulipchat.com"
        {...draftField(props, 'baseUrl')}
      />
      <Field label="E-mail" inputMode="email" {...draftField(props, 'email')} />
      <SecretField
        label="API key"
        help={
          <>
            In <b>Personal settings → Account &amp; privacy → API key</b>, where “Download zuliprc”
            gives the file for the box above.
          </>
        }
        {...draftField(props, 'key')}
      />
    </div>
  )
}

/** Anything longer is not a zuliprc file. */
const longest = 16_384

/** Takes a zuliprc file: dropped here, chosen, or pasted into any field below. */
function ZuliprcDrop({
  problems,
  onText,
}: {
  problems: readonly string[]
  onText: (text: string) => void
}) {
  const id = useId()
  return (
    <div class="field">
      <FileDrop
        longest={longest}
        errorId={problems.length > 0 ? `${id}-error` : undefined}
        onText={onText}
      >
        Drop a <b>zuliprc</b> file here, or choose one
      </FileDrop>
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
