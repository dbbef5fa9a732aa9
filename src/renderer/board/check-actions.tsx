import { useEffect, useState } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import type { Check } from '#shared/core/check.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { isTyping } from '../parts/typing.ts'
import { sayIfFailed } from '../say.ts'
import { type PauseOutcome, pauseChoice, pauseOrResume } from './pause.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly check: Check
}

/** Pause or resume, and the way to the web page. What came of it is said under the buttons. */
export function CheckActions({ account, check }: Props) {
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<PauseOutcome | null>(null)
  const choice = pauseChoice(account, check)
  const offer = choice.can === 'neither' ? choice.offer : choice.can
  const act = () => {
    if (choice.can === 'neither') return
    setBusy(true)
    setOutcome(null)
    void pauseOrResume(account.id, check, choice.can).then((came) => {
      setBusy(false)
      setOutcome(came)
    })
  }
  useEffect(() => {
    const onKey = (key: KeyboardEvent) => {
      if (key.key !== 'p' || key.defaultPrevented || isTyping(key.target)) return
      if (key.ctrlKey || key.metaKey || key.altKey || busy) return
      key.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return (
    <div class="detail-actions">
      <div class="button-row">
        <Button
          disabled={choice.can === 'neither'}
          busy={busy}
          describedBy="pause-note"
          title={choice.can === 'neither' ? choice.why : 'Key: p'}
          onClick={act}
        >
          {offer === 'pause' ? 'Pause' : 'Resume'}
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
      </div>
      <p id="pause-note" class={`note ${outcome?.ok === false ? 'note-failed' : ''}`} role="status">
        {choice.can === 'neither' ? choice.why : (outcome?.text ?? '')}
      </p>
    </div>
  )
}
