import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import { accountById } from '#shared/core/state.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { focusFirstError, SecretField } from '../parts/field.tsx'
import { PageBar, stepBack } from '../parts/page-bar.tsx'
import { stillHere } from '../parts/still-here.ts'
import { say } from '../toast.ts'
import { appState } from '../window-state.ts'
import { kindView } from './account-kinds.tsx'
import { reportWords } from './account-words.ts'
import { errorsOf } from './form-errors.ts'
import { ProtectionNote } from './protection-note.tsx'

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
      say(reportWords(result.value))
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
