import type { Asked } from '../attention/asked.ts'
import type { Board } from '../checks/board.ts'
import { type Check, checkName } from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { isTrouble } from '../checks/status-counts.ts'
import { readDeepLink } from '../deep-link.ts'
import type { AppState } from '../state.ts'
import { isPage } from '../target.ts'
import { cut } from '../text-length.ts'
import { clockUntilWords } from '../time.ts'
import { momentProblem, readMoment } from '../typed-time.ts'
import { isolated, visibleName } from '../visible-text.ts'
import { dayMs, hourMs } from '../wall-clock.ts'
import { counted } from '../wording.ts'
import type { TrayAction } from './tray.ts'

const longestName = 100
const longestSnoozeMs = 366 * dayMs

/** What to do, and what to say once it is done; or why it can't be done. */
export type AskedDeed =
  | { readonly action: TrayAction; readonly said: string }
  | { readonly refused: string }

export function readAsked(asked: Asked, state: AppState, now: number): AskedDeed {
  const { what, to } = asked
  if (what === 'open') {
    if (to === '') return { action: { do: 'show' }, said: 'Opened.' }
    if (isPage(to)) return { action: { do: 'open', target: { view: to } }, said: `Opened ${to}.` }
    if (/^belfry:/i.test(to)) {
      const found = readDeepLink(to, state)
      return 'to' in found
        ? { action: { do: 'open', target: found.to }, said: 'Opened.' }
        : { refused: found.refused }
    }
  }
  const found = checkNamed(to, state)
  if ('refused' in found) return found
  const { board, check } = found
  const scope = { accountId: board.accountId, checkId: check.id }
  const name = shown(checkName(check))
  if (what === 'open')
    return { action: { do: 'open', target: { view: 'check', ...scope } }, said: `Opened ${name}.` }
  if (what === 'ack') {
    if (!isTrouble(check))
      return { refused: `${name} is ${statusWord(check.status)}: there is nothing to acknowledge.` }
    return silencing('acknowledge', scope, { kind: 'change' }, `Acknowledged ${name}.`)
  }
  const at = asked.until === '' ? now + hourMs : readMoment(asked.until, now)
  if (at === null || at > now + longestSnoozeMs)
    return { refused: momentProblem(asked.until, now) || 'A snooze lasts a year at most.' }
  const said = `Snoozed ${name} ${clockUntilWords(at, now)}.`
  return silencing('snooze', scope, { kind: 'time', at }, said)
}

type Silencing = Extract<TrayAction, { do: 'silence' }>

function silencing(
  how: Silencing['how'],
  scope: { readonly accountId: string; readonly checkId: string },
  until: Silencing['until'],
  said: string,
): AskedDeed {
  return { action: { do: 'silence', how, scope: { of: 'check', ...scope }, until }, said }
}

interface Found {
  readonly board: Board
  readonly check: Check
}

/** By id; else by name, alone or after its project's; a name in other letters counts if none is the same. */
function checkNamed(
  to: string,
  { accounts, boards }: AppState,
): Found | { readonly refused: string } {
  const all = accounts.flatMap(({ id, label }) => {
    const board = boards.get(id)
    return [...(board?.checks.values() ?? [])].flatMap((check) =>
      board === undefined ? [] : [{ board, check, label }],
    )
  })
  const named = (same: (one: string) => boolean) =>
    all.filter(({ check, label }) => {
      const name = checkName(check)
      return same(name) || same(`${label}/${name}`)
    })
  const byId = all.filter(({ check }) => check.id === to)
  const exact = byId.length > 0 ? byId : named((one) => one === to)
  const lower = to.toLowerCase()
  const found = exact.length > 0 ? exact : named((one) => one.toLowerCase() === lower)
  const [first, ...others] = found
  if (first === undefined) return { refused: `There is no check ${shown(to)}.` }
  if (others.length === 0) return first
  const projects = new Set(found.map(({ label }) => label))
  return {
    refused: `${counted(found.length, 'check')} have the name ${shown(to)}: ${
      projects.size === found.length
        ? `say which, as in “${shown(first.label)}/${shown(checkName(first.check))}”.`
        : 'open the one you mean in the window.'
    }`,
  }
}

/** Text by others, on one line of a terminal. */
function shown(name: string): string {
  return isolated(cut(visibleName(name), longestName))
}
