import type { ComponentType } from 'preact'
import { useId, useState } from 'preact/hooks'
import { type AccountKind, readZuliprc } from '#shared/core/account.ts'
import type { Target } from '#shared/core/target.ts'
import { Field, FileDrop, SecretField } from '../parts/field.tsx'
import { draftField } from '../parts/form.ts'
import { type FormErrors, shortenedWords } from './form-errors.ts'

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

/** What the account pages show and check for one kind of account. */
interface KindView {
  /** The heading above the accounts of this kind. */
  readonly group: string
  readonly connect: string
  /** Where a new account is shown. */
  readonly home: Target
  readonly newKeyHelp: string
  readonly Fields: ComponentType<FieldsProps>
  /** What is missing in the fields that only this kind has. */
  missing(draft: AccountDraft): FormErrors
}

/** In the order in which the pages show them. */
export const kindViews: Readonly<Record<AccountKind, KindView>> = {
  monitoring: {
    group: 'Monitoring projects',
    connect: 'Connect a monitoring project',
    home: { view: 'checks' },
    newKeyHelp: 'In the project’s Settings → API Access. It must belong to the same project.',
    Fields: ProjectFields,
    missing: () => ({}),
  },
  chat: {
    group: 'Chat accounts',
    connect: 'Connect a chat account',
    home: { view: 'chat' },
    newKeyHelp: 'In Personal settings → Account & privacy → API key.',
    Fields: ChatFields,
    missing: ({ email }) =>
      /^[^\s@]+@\S+$/.test(email.trim())
        ? {}
        : { email: 'Enter the e-mail address that belongs to the key.' },
  },
}

function ProjectFields(props: FieldsProps) {
  return (
    <>
      <Field
        label="Name"
        placeholder="ops-project"
        help="Your own name for the project, which the API does not return."
        {...draftField(props, 'label')}
      />
      <Field
        label="Address"
        inputMode="url"
        placeholder="https://healthchecks.io"
        help={shortenedWords(props.draft.baseUrl, 'monitoring') ?? undefined}
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

/** Anything longer is not a zuliprc file. */
const longest = 16_384

function ChatFields(props: FieldsProps) {
  const errorId = `${useId()}-error`
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
        if (!/^[ \t]*\[api\]/m.test(text)) return
        paste.preventDefault()
        take(text)
      }}
    >
      <div class="field">
        <FileDrop
          longest={longest}
          errorId={problems.length > 0 ? errorId : undefined}
          onText={take}
        >
          Drop a <b>zuliprc</b> file here, or choose one
        </FileDrop>
        {problems.length > 0 && (
          <div id={errorId} class="field-error" role="alert">
            {problems.map((problem) => (
              <p key={problem}>{problem}</p>
            ))}
          </div>
        )}
      </div>
      <Field
        label="Address"
        inputMode="url"
        placeholder="https://your-team.zulipchat.com"
        help={shortenedWords(props.draft.baseUrl, 'chat') ?? undefined}
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
