import { checkName } from '#shared/core/checks/check.ts'
import type { SettingsChange } from '#shared/core/settings.ts'
import { clockWords } from '#shared/core/time.ts'
import { compareNames } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { type Options, Select, SettingRow } from '../parts/field.tsx'
import { toastIfFailed } from '../toast.ts'
import { appState, now } from '../window-state.ts'

export const selfWatchHelp =
  'Belfry pings this check every 2 minutes while every account is reachable and notifications are shown. When Belfry, this computer or its network goes down, the service notifies you. Add a separate check for this, with a period of 5 minutes.'
/** Seconds. Two pings don't fit into a shorter period, and a longer one notices an outage late. */
const selfWatchPeriod = { from: 240, to: 1_800 }

/** The checks whose ping address is known, and whose period suits the pings. */
function selfWatchChoices(): Options {
  const { accounts, boards } = appState.value
  return accounts.flatMap(({ id: accountId, label }) =>
    [...(boards.get(accountId)?.checks.values() ?? [])]
      .filter(
        ({ writable, schedule }) =>
          writable &&
          schedule.kind === 'period' &&
          schedule.periodSeconds >= selfWatchPeriod.from &&
          schedule.periodSeconds <= selfWatchPeriod.to,
      )
      .map((check) => [`${accountId}/${check.id}`, `${checkName(check)} (${label})`] as const)
      .sort(([, one], [, other]) => compareNames(one, other)),
  )
}

export function SelfWatchLine() {
  const { settings, selfWatch } = appState.value
  const { accountId, checkId } = settings.selfWatch ?? {}
  const value = settings.selfWatch === null ? '' : `${accountId}/${checkId}`
  const { pingedAt, problem } = selfWatch
  const state = [
    pingedAt === null ? 'No ping yet.' : `Last ping ${clockWords(pingedAt, now.value)}.`,
    problem === null ? [] : `Not pinging now: ${problem}`,
  ].flat()
  return (
    <SettingRow
      label="Watch Belfry itself"
      help={[...(value === '' ? [] : state), selfWatchHelp].join(' ')}
      control={(id) => (
        <Select
          id={id}
          aria-describedby={`${id}-help`}
          value={value}
          options={withChoice(
            [['', 'Off'], ...selfWatchChoices()],
            value,
            'A check that is not listed',
          )}
          onChange={(chosen) => {
            const [account = '', check = ''] = chosen.split('/')
            save({ selfWatch: chosen === '' ? null : { accountId: account, checkId: check } })
          }}
        />
      )}
    />
  )
}

export const iconHelp =
  'All checks, or those of one saved view. The icon’s tooltip then names the view and what is down elsewhere; notifications stay the same.'

export function IconLine() {
  const { iconView, views } = appState.value.settings
  const names = [...new Set(views.map(({ name }) => name))]
  const value = iconView === null ? '' : `=${iconView}`
  return (
    <SettingRow
      label="Icon counts"
      help={views.length === 0 ? `${iconHelp} Save one in the View menu of the board.` : iconHelp}
      control={(id) => (
        <Select
          id={id}
          aria-describedby={`${id}-help`}
          value={value}
          options={withChoice(
            [['', 'All checks'], ...names.map((name) => [`=${name}`, name] as const)],
            value,
            `All checks (“${iconView}” is gone)`,
          )}
          onChange={(chosen) => save({ iconView: chosen === '' ? null : chosen.slice(1) })}
        />
      )}
    />
  )
}

/** Adds the current value if it is none of the choices, as after a file was edited by hand. */
export function withChoice(choices: Options, value: string, label = value): Options {
  return choices.some(([choice]) => String(choice) === value)
    ? choices
    : [...choices, [value, label]]
}

export function save(change: SettingsChange): void {
  toastIfFailed(call.updateSettings(change))
}
