import { useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { type Check, type CheckDetails, checkName } from '#shared/core/checks/check.ts'
import { QuietButtons, QuietHere, quietActs } from '../attention/check-quiet.tsx'
import { call } from '../bridge.ts'
import { DeleteCheck } from '../check-editor/delete-check.tsx'
import { editAct } from '../check-editor/edit-act.ts'
import { whyNotWritable } from '../check-editor/editor-access.ts'
import { Button } from '../parts/button.tsx'
import { useSingleKeys } from '../parts/single-keys.ts'
import { say, sayIfFailed } from '../toast.ts'
import { type PauseOutcome, pauseChoice, pauseOrResume } from './pause.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
  /** Null until they are there. */
  readonly details: CheckDetails | null
}

/** What can be done about the check as a whole. What came of a pause is said under the buttons. */
export function CheckActions({ account, check, details }: Props) {
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<PauseOutcome | null>(null)
  const choice = pauseChoice(account, check)
  const offer = choice.can === 'neither' ? choice.offer : choice.can
  const act = () => {
    if (choice.can === 'neither') return say(choice.why, 'failed')
    setBusy(true)
    setOutcome(null)
    void pauseOrResume(account.id, check, choice.can).then((came) => {
      setBusy(false)
      setOutcome(came)
    })
  }
  const [deleting, setDeleting] = useState(false)
  const why = whyNotWritable(account, check)
  const edit = editAct(account.id, check)
  const quiet = { accountId: account.id, check }
  const name = checkName(check)
  useSingleKeys([
    ...quietActs(quiet),
    {
      key: 'p',
      title: `${offer === 'pause' ? 'Pause' : 'Resume'} ${name}`,
      act: () => !busy && act(),
    },
    edit,
  ])
  return (
    <div class="detail-actions">
      <QuietHere {...quiet} />
      <div class="button-row">
        <QuietButtons {...quiet} />
        <Button
          disabled={choice.can === 'neither'}
          busy={busy}
          describedBy="pause-note"
          title={choice.can === 'neither' ? choice.why : 'Key: p'}
          onClick={act}
        >
          {offer === 'pause' ? 'Pause' : 'Resume'}
        </Button>
        <Button disabled={why !== null} title={why ?? 'Key: e'} onClick={edit.act}>
          Edit
        </Button>
        <Button
          icon="external"
          onClick={() =>
            sayIfFailed(
              call.openWeb({
                target: { view: 'check', accountId: account.id, checkId: check.id },
              }),
            )
          }
        >
          Open in browser
        </Button>
        <Button
          kind="danger"
          disabled={why !== null}
          {...(why === null ? {} : { title: why })}
          onClick={() => setDeleting(true)}
        >
          Delete
        </Button>
      </div>
      <p id="pause-note" class={`note ${outcome?.ok === false ? 'note-failed' : ''}`} role="status">
        {choice.can === 'neither' ? choice.why : (outcome?.text ?? '')}
      </p>
      {deleting && (
        <DeleteCheck
          account={account}
          check={check}
          details={details}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  )
}
