import { useState } from 'preact/hooks'
import type { Account } from '#shared/core/account.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { say } from '../toast.ts'
import { appState } from '../window-state.ts'
import { lossWords } from './account-words.ts'

interface Props {
  readonly account: Account
  readonly onClose: () => void
}

/** Asks, since a key that is gone can't be brought back from here. */
export function RemoveAccount({ account, onClose }: Props) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const remove = () => {
    setBusy(true)
    void call.removeAccount({ accountId: account.id }).then((result) => {
      setBusy(false)
      if (!result.ok) return setError(failureSentence(result.failure))
      onClose()
      say(`${account.label} is removed.`)
    })
  }
  return (
    <Dialog title={`Remove ${account.label}?`} onClose={onClose}>
      <p>{lossWords(appState.value, account)}</p>
      {error !== null && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <div class="button-row button-row-end">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" busy={busy} onClick={remove}>
          Remove
        </Button>
      </div>
    </Dialog>
  )
}
