import { type Account, type AccountId, type Freshness, isFresh } from './account.ts'
import type { Board } from './board.ts'
import { chatRows, unreadTotals } from './chat-list.ts'
import { type Check, checkName } from './check.ts'
import { statusSentence } from './check-words.ts'
import type { AppState } from './state.ts'
import { hasTrouble } from './status-counts.ts'
import { durationWords } from './time-words.ts'
import type { TrayMark, TrayMenuItem, TrayShape, TrayView } from './tray.ts'

/** Windows cuts a tooltip at 127 characters. */
const maxTooltip = 127
const maxChecks = 8
const maxConversations = 5
const maxLabel = 60

/**
 * All the tray shows. Bad news wins over missing news, and missing news over good news:
 *
 *   down > key > stale > late > paused > good
 *
 * `down` first because it is certain, however old; `good` only when every account was read within
 * two of its intervals. Chat has a mark of its own, so that a mention never hides a down check.
 */
export function trayView(state: AppState, now: number): TrayView {
  const counts = totals(state)
  return {
    shape: shape(state, counts, now),
    count: counts.down,
    mark: mark(state),
    tooltip: tooltip(state, counts, now),
    menu: menu(state, now),
  }
}

interface Totals {
  readonly down: number
  readonly late: number
  readonly up: number
  readonly paused: number
  readonly other: number
  readonly unreadable: number
}

function totals(state: AppState): Totals {
  const sum = { down: 0, late: 0, up: 0, paused: 0, other: 0, unreadable: 0 }
  for (const { counts, unreadable } of state.boards.values()) {
    sum.down += counts.down
    sum.late += counts.grace
    sum.up += counts.up
    sum.paused += counts.paused
    sum.other += counts.new + counts.unknown
    sum.unreadable += unreadable
  }
  return sum
}

function shape(state: AppState, counts: Totals, now: number): TrayShape {
  if (state.accounts.length === 0) return 'empty'
  if (counts.down > 0) return 'down'
  if (state.accounts.some(({ key }) => key !== 'present')) return 'key'
  // A check that can't be read may be down, and a status we don't know is not good news.
  const blind = counts.unreadable > 0 || hasUnknown(state)
  if (blind || state.accounts.some((account) => !isAccountFresh(state, account, now)))
    return 'stale'
  if (counts.late > 0) return 'late'
  if (counts.paused > 0 && counts.up + counts.other === 0) return 'paused'
  return 'good'
}

function hasUnknown(state: AppState): boolean {
  return [...state.boards.values()].some(({ counts }) => counts.unknown > 0)
}

/** How an account was read last, whichever kind it is. */
export function freshnessOf(state: AppState, accountId: AccountId): Freshness | null {
  return state.boards.get(accountId)?.freshness ?? state.realms.get(accountId)?.freshness ?? null
}

function isAccountFresh(state: AppState, account: Account, now: number): boolean {
  const freshness = freshnessOf(state, account.id)
  return freshness !== null && isFresh(freshness, now)
}

/** Epoch ms at which some account's data turn stale if nothing is read before; null when none will. */
export function nextStaleAt(state: AppState, now: number): number | null {
  let next: number | null = null
  for (const { id } of state.accounts) {
    const freshness = freshnessOf(state, id)
    if (freshness?.readAt == null) continue
    const at = freshness.readAt + 2 * freshness.intervalMs + 1
    if (at > now && (next === null || at < next)) next = at
  }
  return next
}

function mark(state: AppState): TrayMark {
  let unread = false
  for (const realm of state.realms.values()) {
    const sums = unreadTotals(realm)
    if (sums.mentions > 0) return 'mention'
    unread ||= sums.unread > 0
  }
  return unread ? 'unread' : 'none'
}

function tooltip(state: AppState, counts: Totals, now: number): string {
  if (state.accounts.length === 0) return 'Belfry: no account yet'
  const parts = [
    problem(state, now),
    [
      counted(counts.down, 'down'),
      counted(counts.late, 'late'),
      counted(counts.up, 'up'),
      counts.down + counts.late + counts.up === 0 ? counted(counts.paused, 'paused') : null,
      counted(counts.unreadable, 'unreadable'),
    ]
      .filter((part) => part !== null)
      .join(', '),
    chatWords(state),
    readWords(state, now),
  ]
  return clipped(parts.filter((part) => part !== null && part !== '').join(' · '), maxTooltip)
}

function problem(state: AppState, now: number): string | null {
  const key = state.accounts.filter((account) => account.key !== 'present')
  if (key.length > 0) return `${key[0]?.label ?? ''}: key problem`
  const stale = state.accounts.filter((account) => !isAccountFresh(state, account, now))
  if (stale.length === 0) return null
  return stale.length === 1
    ? `no fresh data from ${stale[0]?.label ?? ''}`
    : `no fresh data from ${stale.length} accounts`
}

function counted(count: number, word: string): string | null {
  return count === 0 ? null : `${count} ${word}`
}

function chatWords(state: AppState): string | null {
  let unread = 0
  let mentions = 0
  for (const realm of state.realms.values()) {
    const sums = unreadTotals(realm)
    unread += sums.unread
    mentions += sums.mentions
  }
  if (mentions > 0) return `${mentions} mention${mentions === 1 ? '' : 's'}`
  return unread > 0 ? `${unread} unread` : null
}

/** The oldest reading is the honest one. */
function readWords(state: AppState, now: number): string | null {
  const times = state.accounts.map(({ id }) => freshnessOf(state, id)?.readAt ?? null)
  const read = times.filter((at) => at !== null)
  if (read.length === 0) return 'not read yet'
  return `read ${durationWords(now - Math.min(...read))} ago`
}

function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

const separator: TrayMenuItem = { separator: true }

/** Useful by itself: where a desktop offers no left click, the menu is the whole app in short. */
function menu(state: AppState, now: number): TrayMenuItem[] {
  const problems = checkItems(state, now)
  const conversations = conversationItems(state)
  const accounts = accountItems(state, now)
  const groups: TrayMenuItem[][] = [
    [
      { label: 'Open board', action: { do: 'open', target: { view: 'checks' } } },
      { label: 'Quick reply…', action: { do: 'quickReply' } },
    ],
    accounts,
    problems,
    conversations,
    [
      { label: 'Refresh', action: { do: 'refresh' } },
      { label: 'Quit', action: { do: 'quit' } },
    ],
  ]
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, i) => (i === 0 ? group : [separator, ...group]))
}

function accountItems(state: AppState, now: number): TrayMenuItem[] {
  return state.accounts.flatMap((account): TrayMenuItem[] => {
    if (account.key !== 'present')
      return [
        {
          label: label(`${account.label}: key problem`),
          action: { do: 'open', target: { view: 'replaceKey', accountId: account.id } },
        },
      ]
    if (isAccountFresh(state, account, now)) return []
    const at = freshnessOf(state, account.id)?.readAt ?? null
    const age = at === null ? 'not read yet' : `read ${durationWords(now - at)} ago`
    return [
      {
        label: label(`${account.label}: no fresh data, ${age}`),
        action: { do: 'open', target: { view: 'checks' } },
      },
    ]
  })
}

function checkItems(state: AppState, now: number): TrayMenuItem[] {
  const rows = [...state.boards.values()].flatMap((board) =>
    troubled(board).map((check) => ({ board, check })),
  )
  rows.sort((a, b) => rank(a.check) - rank(b.check) || (a.check.since ?? 0) - (b.check.since ?? 0))
  const items = rows.slice(0, maxChecks).map(
    ({ board, check }): TrayMenuItem => ({
      // The sentence begins with the status: "db-backup (down for 2 h)".
      label: label(checkName(check), statusSentence(check, now + board.serverOffsetMs)),
      action: {
        do: 'open',
        target: { view: 'check', accountId: board.accountId, checkId: check.id },
      },
    }),
  )
  const rest = rows.length - items.length
  if (rest > 0)
    items.push({ label: `… ${rest} more`, action: { do: 'open', target: { view: 'checks' } } })
  return items
}

function troubled(board: Board): Check[] {
  if (!hasTrouble(board.counts)) return []
  return [...board.checks.values()].filter(
    ({ status }) => status === 'down' || status === 'grace' || status === 'unknown',
  )
}

function rank(check: Check): number {
  return check.status === 'down' ? 0 : check.status === 'grace' ? 1 : 2
}

function conversationItems(state: AppState): TrayMenuItem[] {
  const rows = chatRows(state).filter((row) => row.unread > 0)
  return rows.slice(0, maxConversations).map((row) => ({
    label: label(`${row.mention ? '@ ' : ''}${row.title}`, `${row.unread} unread`),
    action: {
      do: 'open',
      target: {
        view: 'conversation',
        accountId: row.accountId,
        conversation: row.conversation,
        messageId: null,
      },
    },
  }))
}

/** Names are other people's text: one line, and not wider than a menu should be. */
function label(name: string, words?: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
  const plain = name.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ')
  return words === undefined ? clipped(plain, maxLabel) : `${clipped(plain, maxLabel)} (${words})`
}
