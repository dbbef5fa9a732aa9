import type { AccountId } from '#shared/core/account.ts'
import { outageMessagesOf } from '#shared/core/attention/outage-messages.ts'
import { silenceOnCheck } from '#shared/core/attention/silences-update.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import { statusWord } from '#shared/core/checks/check-words.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import { Button } from '../parts/button.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import type { PageAct } from '../parts/page-actions.ts'
import { appState, now } from '../window-state.ts'
import { acknowledge, asking, checkScope, endQuiet, QuietMark } from './quiet-menu.tsx'

interface Props {
  readonly accountId: AccountId
  readonly check: Check
}

/** What keeps a check quiet by single keys, on its page and in the board. */
export function quietActs({ accountId, check }: Props): readonly PageAct[] {
  const name = checkName(check)
  return [
    { key: 's', title: `Snooze ${name}…`, act: () => ask({ accountId, check }) },
    { key: 'a', title: `Acknowledge ${name}`, act: () => acknowledge(accountId, check, false) },
    {
      key: 'A',
      title: `Acknowledge ${name} and tell others (👀)`,
      act: () => acknowledge(accountId, check, true),
    },
  ]
}

function ask({ accountId, check }: Props): void {
  asking.value = { scope: checkScope(accountId, check), name: checkName(check) }
}

/** Snooze and Acknowledge, among the other things that can be done about a check. */
export function QuietButtons({ accountId, check }: Props) {
  const able = isTrouble(check)
  const isLinked = outageMessagesOf(appState.value.outageMessages, accountId, check.id).length > 0
  return (
    <>
      {able && isLinked ? (
        <MenuButton
          label="Acknowledge"
          face="button"
          items={[
            {
              label: 'Acknowledge',
              hint: 'a',
              act: () => void acknowledge(accountId, check, false),
            },
            {
              label: 'Acknowledge and tell others (👀)',
              hint: 'A',
              act: () => void acknowledge(accountId, check, true),
            },
          ]}
        />
      ) : (
        <Button
          disabled={!able}
          title={able ? 'Key: a' : `It is ${statusWord(check.status)}`}
          onClick={() => void acknowledge(accountId, check, false)}
        >
          Acknowledge
        </Button>
      )}
      <Button title="Key: s" onClick={() => ask({ accountId, check })}>
        Snooze
      </Button>
    </>
  )
}

/** All that keeps the check quiet, each with its end. */
export function QuietHere({ accountId, check }: Props) {
  const quiet = appState.value.silences.filter(
    (silence) => silenceOnCheck([silence], accountId, check, now.value) !== null,
  )
  return (
    <>
      {quiet.map((silence) => (
        <p key={silence.id} class="quiet-here">
          <QuietMark silence={silence} />
          <button
            type="button"
            class="small-button"
            aria-label={`End: ${silence.label}`}
            onClick={() => void endQuiet([silence])}
          >
            End
          </button>
        </p>
      ))}
    </>
  )
}
