import { useState } from 'preact/hooks'
import type { AccountId } from '#shared/core/account.ts'
import type { Check } from '#shared/core/checks/check.ts'
import { statusWord } from '#shared/core/checks/check-words.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { type Incident, updateDue } from '#shared/core/outages/incident.ts'
import { updateText } from '#shared/core/outages/outage-report.ts'
import { durationWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { say } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

interface Props {
  readonly accountId: AccountId
  readonly check: Check
}

/** The check has changed since its conversation was told: one click tells it, another one edits first. */
export function UpdateOffer({ accountId, check }: Props) {
  const [busy, setBusy] = useState(false)
  const incident = updateDue(appState.value, accountId, check, now.value)
  if (incident === null) return null
  const offset = appState.value.boards.get(accountId)?.serverOffsetMs ?? 0
  const post = async () => {
    setBusy(true)
    const result = await call.postReport({
      accountId,
      checkId: check.id,
      place: { accountId: incident.chatId, conversation: incident.conversation },
      text: updateText(check, incident.since, now.peek() + offset),
      anyway: false,
    })
    setBusy(false)
    if (!result.ok) say(failureSentence(result.failure), 'failed')
    else if (result.value.kind === 'sent') say('The update is on its way.')
    else say(`${result.value.by ?? 'You'} posted this already.`)
  }
  return (
    <div class="update-offer button-row">
      <Button kind="primary" busy={busy} onClick={() => void post()}>
        Post update: {changeWords(check, incident, now.value + offset)}
      </Button>
      <Button onClick={() => go({ view: 'discuss', accountId, checkId: check.id })}>
        Edit update
      </Button>
    </div>
  )
}

function changeWords(check: Check, { since }: Incident, serverNow: number): string {
  return check.status === 'up'
    ? `up again after ${durationWords((check.since ?? serverNow) - since)}`
    : statusWord(check.status)
}
