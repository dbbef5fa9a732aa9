import { useState } from 'preact/hooks'
import { createFields } from '#shared/api/monitoring/write-check.ts'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { type Check, type CheckDetails, checkName } from '#shared/core/checks/check.ts'
import { draftOf } from '#shared/core/checks/check-draft.ts'
import { Button, CopyButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field, submits } from '../parts/field.tsx'
import { failedWords, isNotFound, run } from '../run.ts'
import { say } from '../toast.ts'
import { go } from '../window-state.ts'
import { editingKey, unsaved } from './use-check-form.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  /** Null until they are loaded. */
  readonly details: CheckDetails | null
  readonly onClose: () => void
}

/** Asks for the name first, since the service can't restore a check, not even its address. */
export function DeleteCheck({ account, check, details, onClose }: Props) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const name = checkName(check)
  const count = check.pingCount
  const pings = count === 1 ? 'one ping' : `${count.toLocaleString('en')} pings`
  const meant = typed.trim() === name.trim()
  const remove = () => {
    if (busy || !meant) return
    setBusy(true)
    setError(null)
    void run(account.id, 'deleteCheck', { uuid: check.id }).then((result) => {
      setBusy(false)
      // Not found: deleted by somebody else, or by a request whose answer was lost.
      if (!result.ok && !isNotFound(result.failure))
        return setError(failedWords(result.failure, maybeDeleted, 'Nothing was deleted.'))
      unsaved.delete(editingKey(account.id, check.id))
      onClose()
      go({ view: 'checks' })
      say(`${name} is deleted.`)
    })
  }
  return (
    <Dialog title={`Delete ${name}?`} onClose={onClose}>
      <p>This can’t be undone. You lose:</p>
      <ul class="delete-list">
        <li>{count === 0 ? 'its log' : `the log of its ${pings}`}</li>
        <li>the history of its changes</li>
        <li>its ping address: it stops working, and no new check can have it</li>
      </ul>
      <div class="delete-definition">
        {details !== null && <CopyButton label="Copy definition" text={definitionOf(details)} />}
      </div>
      <form onSubmit={submits(remove)}>
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
            title={meant ? undefined : 'Type its name first.'}
          >
            {busy ? 'Deleting' : 'Delete'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** The input of the operation "Create a new check", to create another like it. */
function definitionOf(check: CheckDetails): string {
  return `${JSON.stringify(createFields(draftOf(check)), null, 2)}\n`
}

const maybeDeleted = 'It may have been deleted anyway: look under Checks.'
