import {
  likelyScope,
  type MaintenanceScope,
} from '#shared/core/attention/maintenance/maintenance.ts'
import { outageMessagesOf } from '#shared/core/attention/outage-messages.ts'
import { endVerbs, type Silence } from '#shared/core/attention/silence.ts'
import { silencesOnCheck } from '#shared/core/attention/silences-on.ts'
import { checkName } from '#shared/core/checks/check.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import { Button, SmallButton } from '../parts/button.tsx'
import { MenuButton } from '../parts/menu-button.tsx'
import type { PageAction } from '../parts/page-actions.ts'
import { appState, now } from '../window-state.ts'
import { DependenciesHere } from './dependency-list.tsx'
import { askForNote, noteActions, ownAcknowledgement } from './note-dialog.tsx'
import { PlannedHere } from './planned-list.tsx'
import {
  acknowledge,
  acknowledgeActions,
  asking,
  checkScope,
  EndButton,
  type Named,
  opposite,
  ownSilence,
  planning,
  QuietMark,
} from './quiet-menu.tsx'
import { LimitsHere } from './run-limits.tsx'

/** Single keys that silence a check, on its page and on the board. */
export function quietActions({ accountId, check }: Named): readonly PageAction[] {
  const name = checkName(check)
  const scope = checkScope(accountId, check)
  const unsnooze = opposite(scope, 'snooze', { key: 's', name })
  const unacknowledge = opposite(scope, 'acknowledge', { key: 'a', name })
  const acknowledges = acknowledgeActions(`Acknowledge ${name}`, (tellOthers) =>
    acknowledge(accountId, check, tellOthers),
  )
  return [
    unsnooze ?? { key: 's', title: `Snooze ${name}…`, act: () => ask({ accountId, check }) },
    ...(unacknowledge === null
      ? acknowledges
      : [unacknowledge, ...acknowledges.filter(({ key }) => key !== 'a')]),
    ...noteActions({ accountId, check }),
    maintain(likelyScope(appState.value, { accountId, check })),
  ]
}

export function maintain(meant: MaintenanceScope): PageAction {
  const act = () => {
    planning.value = meant
  }
  return { key: 'm', title: `Maintenance of ${meant.name}…`, act }
}

function ask({ accountId, check }: Named): void {
  asking.value = { scope: checkScope(accountId, check), name: checkName(check) }
}

export function QuietButtons({ accountId, check }: Named) {
  const able = isTrouble(check)
  const isLinked = outageMessagesOf(appState.value.outageMessages, accountId, check.id).length > 0
  const isSilent = silencesOf({ accountId, check }).length > 0
  const kind = able && !isSilent ? 'primary' : 'plain'
  const own = () => void acknowledge(accountId, check, false)
  const scope = checkScope(accountId, check)
  const name = checkName(check)
  const unsnooze = opposite(scope, 'snooze', { key: 's', name })
  const unacknowledge = opposite(scope, 'acknowledge', { key: 'a', name })
  return (
    <>
      {unacknowledge !== null ? (
        <Button title="Key: a" onClick={() => void unacknowledge.act()}>
          {endVerbs.acknowledge}
        </Button>
      ) : able && isLinked ? (
        <MenuButton
          label="Acknowledge"
          face="button"
          kind={kind}
          items={[
            { label: 'Acknowledge', hint: 'a', act: own },
            {
              label: 'Acknowledge and tell others (👀)',
              hint: 'A',
              act: () => void acknowledge(accountId, check, true),
            },
          ]}
        />
      ) : (
        able && (
          <Button kind={kind} title="Key: a" onClick={own}>
            Acknowledge
          </Button>
        )
      )}
      <Button
        title="Key: s"
        onClick={() => (unsnooze === null ? ask({ accountId, check }) : void unsnooze.act())}
      >
        {unsnooze === null ? 'Snooze' : endVerbs.snooze}
      </Button>
    </>
  )
}

function silencesOf({ accountId, check }: Named): readonly Silence[] {
  return silencesOnCheck(appState.value.silences, accountId, check, now.value)
}

/** The silences that apply to the check, with a button to end those that have no verb on the page. */
export function QuietHere({ accountId, check }: Named) {
  const quiet = silencesOf({ accountId, check })
  const own = ownSilence(checkScope(accountId, check))
  const noted = ownAcknowledgement({ accountId, check })
  const hasVerb = own?.how === 'snooze' || own?.how === 'acknowledge'
  return (
    <>
      {quiet.map((silence) => (
        <p key={silence.id} class="row quiet-here">
          <QuietMark silence={silence} />
          {silence.id === noted?.id && (
            <SmallButton onClick={() => askForNote(noted)}>
              {noted.reason ? 'Edit note…' : 'Add a note…'}
            </SmallButton>
          )}
          {!(hasVerb && silence.id === own.id) && (
            <EndButton silence={silence} name={silence.label} />
          )}
        </p>
      ))}
      <DependenciesHere accountId={accountId} check={check} />
      <LimitsHere accountId={accountId} check={check} />
      <PlannedHere accountId={accountId} check={check} />
    </>
  )
}
