import { useState } from 'preact/hooks'
import { createFields } from '#shared/api/monitoring/write-check.ts'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { type Check, type CheckDetails, checkName } from '#shared/core/checks/check.ts'
import { draftOf } from '#shared/core/checks/check-draft.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { Button, CopyButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { run } from '../run.ts'
import { say } from '../toast.ts'
import { go } from '../window-state.ts'
import { editingKey, unsaved } from './use-check-form.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  /** Null until they are there. */
  readonly details: CheckDetails | null
  readonly onClose: () => void
}

/** Asks by the name, since the service can't bring a check back: not even its address. */
export function DeleteCheck({ account, check, details, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const name = checkName(check)
  const meant = typed.trim() === name.trim()
  const remove = () => {
    if (busy || !meant) return
    setBusy(true)
    setError(null)
    void run(account.id, 'deleteCheck', { uuid: check.id }).then((result) => {
      setBusy(false)
      if (!result.ok && !isGone(result.failure)) return setError(failedWords(result.failure))
      unsaved.delete(editingKey(account.id, check.id))
      onClose()
      go({ view: 'checks' })
      say(`${name} is deleted.`)
    })
  }
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <p>This can’t be undone, and these are lost:</p>
      <ul class="delete-list">
        <li>
          {check.pingCount === 0 ? 'its log' : `the log of its ${pingWords(check.pingCount)}`}
        </li>
        <li>the history of its changes</li>
        <li>its ping address: it stops working, and no new check can have it</li>
      </ul>
      <div class="delete-definition">
        {details !== null && <CopyButton label="Copy definition" text={definitionOf(details)} />}
      </div>
      <form
        onSubmit={(submitted) => {
          submitted.preventDefault()
          remove()
        }}
      >
        <Field
          label="Type its name to delete it"
          name="name"
          placeholder={name}
          value={typed}
          onInput={setTyped}
        />
        {error !== null && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
        <div class="button-row button-row-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="danger"
            type="submit"
            busy={busy}
            disabled={!meant}
            {...(meant ? {} : { title: 'Type its name first.' })}
          >
            {busy ? 'Deleting' : 'Delete'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function pingWords(count: number): string {
  return count === 1 ? 'one ping' : `${count.toLocaleString('en')} pings`
}

/** What "Create a new check" takes, to make another like it. */
function definitionOf(check: CheckDetails): string {
  return `${JSON.stringify(createFields(draftOf(check)), null, 2)}\n`
}

/** Deleted by somebody else, or by the answer that we did not get. */
function isGone(failure: Failure): boolean {
  return failure.kind === 'refused' && failure.httpStatus === 404
}

function failedWords(failure: Failure): string {
  const sentence = failureSentence(failure).replace(/[^.!?]$/, '$&.')
  const unsure = failure.kind === 'network' && failure.reached === 'maybe'
  return unsure
    ? `${sentence} It may be deleted all the same: the board will tell.`
    : `${sentence} Nothing was deleted.`
}
