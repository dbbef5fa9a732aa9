import { useState } from 'preact/hooks'
import type { Account } from '#shared/core/account.ts'
import { readZuliprc } from '#shared/core/zuliprc.ts'
import { Field, SecretField } from '../parts/field.tsx'
import type { FormErrors } from './form-errors.ts'
import { ZuliprcDrop } from './zuliprc-drop.tsx'

/** The form as typed; one set for both kinds of account. */
export interface Values {
  readonly label: string
  readonly baseUrl: string
  readonly email: string
  readonly key: string
  readonly allowHttp: boolean
}

export const emptyValues: Values = { label: '', baseUrl: '', email: '', key: '', allowHttp: false }

interface Props {
  readonly kind: Account['kind']
  readonly values: Values
  readonly errors: FormErrors
  readonly onChange: (change: Partial<Values>) => void
}

export function AccountFields(props: Props) {
  return props.kind === 'monitoring' ? <ProjectFields {...props} /> : <ChatFields {...props} />
}

function ProjectFields({ values, errors, onChange }: Props) {
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

function ChatFields({ values, errors, onChange }: Props) {
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
