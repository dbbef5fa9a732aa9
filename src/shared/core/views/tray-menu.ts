import type { Account } from '../account.ts'
import { type Outage, outagesBehind, outageWords } from '../attention/dependencies/dependency.ts'
import { maintenanceScopes } from '../attention/maintenance/maintenance.ts'
import { comingFirst, timesWords } from '../attention/maintenance/planned.ts'
import { quietUntil } from '../attention/quiet-hours.ts'
import {
  disturbUntil,
  endVerbs,
  howWords,
  isOver,
  type KeptSilence,
  quietChecks,
  type Silence,
} from '../attention/silence.ts'
import type { Board } from '../checks/board.ts'
import { boardOrders } from '../checks/board-orders.ts'
import { causeOf, causeWords } from '../checks/cause.ts'
import { type Check, checkName, isLate } from '../checks/check.ts'
import { statusSentence } from '../checks/check-words.ts'
import { hasTrouble, isTrouble } from '../checks/status-counts.ts'
import { memoized } from '../identity.ts'
import type { AppState } from '../state.ts'
import type { Target } from '../target.ts'
import { cut } from '../text-length.ts'
import { atClockWords, clockUntilWords, relativeWords } from '../time.ts'
import { isolated, visibleName } from '../visible-text.ts'
import { numberWords } from '../wording.ts'
import { sortedChecks } from './check-order.ts'
import { type ChatRow, firstUnreadRows } from './conversation-rows.ts'
import { actionsFor } from './notice-actions.ts'
import type { TrayAction, TrayMenuItem } from './tray.ts'
import { offeredSpans, spanWords } from './until-choices.ts'

const maxChecks = 10
const maxConversations = 5
const maxSilences = 10
const maxScopes = 12
export const maxLabel = 60

const separator: TrayMenuItem = { separator: true }

/** An account whose data is not fresh, and when it was last read; null if never. */
export interface Unread {
  readonly account: Account
  readonly readAt: number | null
}

/** Useful on its own: on desktops without a left click, the menu is the whole app in brief. */
export function trayMenu(
  state: AppState,
  problems: readonly Problem[],
  unread: readonly Unread[],
  now: number,
): readonly TrayMenuItem[] {
  const groups: readonly (readonly TrayMenuItem[])[] = [
    [
      item('Open board', { do: 'open', target: { view: 'checks' } }),
      item('Quick reply…', { do: 'quickReply' }),
      ...(state.realms.size > 0
        ? [item('New message…', { do: 'open', target: { view: 'newMessage' } })]
        : []),
    ],
    ...(state.settings.hideNames ? [] : namedGroups(state, problems, unread, now)),
    [
      ...(state.settings.hideNames ? [] : maintenanceItems(state, now)),
      disturbItem(state, now),
      state.settings.hideNames
        ? item('Names are hidden: show them again', { do: 'hideNames', on: false })
        : item('Hide names (screen sharing)', { do: 'hideNames', on: true }),
      item('Refresh now', { do: 'refresh' }),
      item('Quit', { do: 'quit' }),
    ],
  ]
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, at) => (at === 0 ? group : [separator, ...group]))
}

/** What has names of checks, people or accounts in it. */
function namedGroups(
  state: AppState,
  problems: readonly Problem[],
  unread: readonly Unread[],
  now: number,
): readonly (readonly TrayMenuItem[])[] {
  return [
    unread.map((one) => accountItem(one, now)),
    problemItems(
      problems.filter(({ silence }) => silence === null),
      now,
    ),
    silencedItems(state, now),
    conversationItems(state, now),
  ]
}

function item(text: string, action: TrayAction): TrayMenuItem {
  return { label: text, action }
}

function accountItem({ account, readAt }: Unread, now: number): TrayMenuItem {
  if (account.key !== 'present')
    return item(label(`${account.label}: key problem`), {
      do: 'open',
      target: { view: 'replaceKey', accountId: account.id },
    })
  const age = readAt === null ? 'not updated yet' : `updated ${relativeWords(readAt, now)}`
  return item(label(`${account.label}: no fresh data, ${age}`), {
    do: 'open',
    target: { view: account.kind === 'chat' ? 'chat' : 'checks' },
  })
}

function problemItems(problems: readonly Problem[], now: number): readonly TrayMenuItem[] {
  const items = problems.slice(0, maxChecks).map((problem) => problemItem(problem, now))
  return [...items, ...moreItem(problems.length - items.length, { view: 'checks' })]
}

function problemItem({ board, check, outage }: Problem, now: number): TrayMenuItem {
  const { accountId } = board
  const target = { view: 'check', accountId, checkId: check.id } as const
  const kind = isLate(check.status) ? 'late' : 'down'
  const serverNow = now + board.serverOffsetMs
  const cause = problemCause({ board, check, outage }, now)
  return {
    // The sentence begins with the status: "db-backup (down for 2 h): Failed at 11:06: disk full".
    label: `${label(checkName(check), statusSentence(check, serverNow))}${cause === null ? '' : `: ${cause}`}`,
    submenu: [
      item('Open', { do: 'open', target }),
      ...actionsFor({ kind, target, hasRunbook: check.hasRunbook }).map(({ label: words, deed }) =>
        item(words, deed),
      ),
    ],
  }
}

/** Why the check is down or late, short enough for a menu; null if it is neither. */
export function problemCause({ board, check, outage }: Omit<Problem, 'silence'>, now: number) {
  if (outage !== null) return cut(visibleName(`because ${outageWords(outage)}`), maxLabel)
  const serverNow = now + board.serverOffsetMs
  const cause = causeOf(check, board.logs.get(check.id) ?? null, serverNow)
  return cause === null
    ? null
    : cut(visibleName(causeWords(cause, serverNow, board.serverOffsetMs)), maxLabel)
}

function moreItem(rest: number, target: Target): readonly TrayMenuItem[] {
  return rest > 0 ? [item(`… ${numberWords(rest)} more`, { do: 'open', target })] : []
}

/** All active silences, even if their checks aren't in trouble now: each can be ended here. */
function silencedItems(state: AppState, now: number): readonly TrayMenuItem[] {
  const active = state.silences.filter(
    (silence) => silence.scope.of !== 'everything' && !isOver(silence, now),
  )
  if (active.length === 0) return []
  const items = active.slice(-maxSilences).map((silence) => silenceItem(state, silence, now))
  return [
    { label: 'Silenced', action: null },
    ...items.reverse(),
    ...moreItem(active.length - items.length, { view: 'checks' }),
  ]
}

function silenceItem(state: AppState, silence: KeptSilence, now: number): TrayMenuItem {
  const target = targetOf(state, silence)
  return {
    label: label(silence.label, silenceWords(silence, now)),
    submenu: [
      ...(target === null ? [] : [item('Open', { do: 'open', target })]),
      item(endVerbs[silence.how], { do: 'endSilence', id: silence.id }),
    ],
  }
}

function silenceWords({ how, by, until, reason }: KeptSilence, now: number): string {
  const what = by === null ? howWords[how] : `${howWords[how]} by ${visibleName(by)}`
  const when = until.kind === 'time' ? `${what} ${clockUntilWords(until.at, now)}` : what
  return reason ? `${when}: ${cut(visibleName(reason), maxLabel)}` : when
}

function targetOf(state: AppState, { scope }: KeptSilence): Target | null {
  switch (scope.of) {
    case 'check':
      return { view: 'check', accountId: scope.accountId, checkId: scope.checkId }
    case 'checks':
    case 'tag':
    case 'project':
      return { view: 'checks' }
    case 'conversation': {
      const { accountId, key } = scope
      const conversation = state.realms.get(accountId)?.conversations.get(key)?.conversation
      if (conversation === undefined) return null
      return { view: 'conversation', accountId, conversation, messageId: null }
    }
    case 'channel':
      return { view: 'chat' }
    case 'everything':
      return null
  }
}

function conversationItems(state: AppState, now: number): readonly TrayMenuItem[] {
  return firstUnreadRows(state, now, maxConversations).map(conversationItem)
}

function conversationItem({ accountId, conversation, ...row }: ChatRow): TrayMenuItem {
  const open = {
    do: 'open',
    target: { view: 'conversation', accountId, conversation, messageId: null },
  } as const
  return {
    label: label(`${row.mention ? '@ ' : ''}${row.title}`, `${row.unread} unread`),
    submenu: [
      item('Open', open),
      // Opening a conversation focuses its composer.
      item('Reply…', open),
      item('Mark read', { do: 'markRead', accountId, conversation }),
    ],
  }
}

function maintenanceItems(state: AppState, now: number): readonly TrayMenuItem[] {
  const scopes = maintenanceScopes(state)
  if (scopes.length === 0) return []
  const spans = spansInWords(now)
  const items = scopes.slice(0, maxScopes).map(({ scope, name }) => ({
    label: label(name),
    submenu: spans.map(({ span: until, words }) =>
      item(words, { do: 'silence', how: 'maintenance', scope, until }),
    ),
  }))
  const other = item('Other, or planned…', { do: 'open', target: { view: 'maintenance' } })
  const planned = plannedItems(state, now)
  return [{ label: 'Maintenance', submenu: [...items, separator, ...planned, other] }]
}

function plannedItems({ planned }: AppState, now: number): readonly TrayMenuItem[] {
  const next = comingFirst(planned, now).slice(0, maxSilences)
  if (next.length === 0) return []
  return [
    { label: 'Planned', action: null },
    ...next.map(({ plan, from }) => ({
      label: label(plan.label, timesWords(plan.when)),
      submenu: [
        { label: `Begins ${atClockWords(from, now)}`, action: null },
        item('Remove', { do: 'cancelPlanned', id: plan.id }),
      ],
    })),
    separator,
  ]
}

function spansInWords(now: number) {
  return offeredSpans(now).map(({ span }) => ({ span, words: spanWords(span, now) }))
}

function disturbItem(state: AppState, now: number): TrayMenuItem {
  const until = disturbUntil(state.silences, now)
  const choices = spansInWords(now).map(({ span, words }) =>
    item(words, { do: 'disturb', until: span }),
  )
  return {
    label: until === null ? 'Do not disturb' : `Do not disturb (${clockUntilWords(until, now)})`,
    submenu:
      until === null ? choices : [...choices, item('End now', { do: 'disturb', until: null })],
  }
}

/** Names are text by others: limits them to one line and the width of a menu. */
function label(name: string, words?: string): string {
  const short = isolated(cut(visibleName(name), maxLabel))
  return words === undefined ? short : `${short} (${words})`
}

/** A check that needs attention, and what silences it, if anything. */
export interface Problem {
  readonly board: Board
  readonly check: Check
  readonly silence: Silence | null
  /** What it depends on that is out: it counts, but it is not told. */
  readonly outage: Outage | null
}

const { status: worstFirst } = boardOrders

/** Checks that are down, late or unknown, in board order. */
export function problemsOf(state: AppState, now: number): readonly Problem[] {
  const silenceOn = quietChecks(state.silences, now)
  const behind = outagesBehind(state, now)
  const problems = [...state.boards.values()].flatMap((board) =>
    troubled(board).map((check) => ({
      board,
      check,
      silence: silenceOn(board.accountId, check),
      outage: behind(board.accountId, check),
    })),
  )
  return problems.sort((one, other) => worstFirst.compare(one.check, other.check))
}

/**
 * Those of the checks that a narrowed state has: found in the whole state, since what they depend on
 * may be elsewhere.
 */
export function problemsWithin(
  problems: readonly Problem[],
  { boards }: Pick<AppState, 'boards'>,
): readonly Problem[] {
  return problems.filter(({ board, check }) => boards.get(board.accountId)?.checks.has(check.id))
}

function troubled({ counts, checks }: Board): readonly Check[] {
  return hasTrouble(counts) ? troubledOf(checks) : []
}

/** Cached per list of checks: each poll changes the state three times without changing the list. */
const troubledOf = memoized((checks: Board['checks']) =>
  sortedChecks([...checks.values()].filter(isTrouble), worstFirst, (check) => check),
)

/** Epoch ms when do not disturb and quiet hours end; `Infinity`: never, null: neither is on. */
export function quietEnd(state: AppState, now: number): number | null {
  const disturb = disturbUntil(state.silences, now)
  const hours = quietUntil(state.settings.attention.quietHours, now)
  if (disturb === null || hours === null) return disturb ?? hours
  return Math.max(disturb, hours)
}
