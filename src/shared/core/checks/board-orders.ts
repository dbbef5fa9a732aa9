import { nextExpectedAt } from './cause.ts'
import { type Check, type CheckStatus, statusOrder } from './check.ts'

export interface BoardOrder {
  /** As shown in the controls of the setting. */
  readonly label: string
  /** As for `sort`. Ties go by name. */
  readonly compare: (a: Check, b: Check) => number
}

/** What the checks can be grouped by, for the setting and its controls. */
export const boardGroupChoices = [
  ['project', 'By project'],
  ['tag', 'By tag'],
  ['status', 'By status'],
  ['none', 'Not grouped'],
] as const

/** What the checks can be sorted by. The setting and its controls are derived from it. */
export const boardOrders = {
  /** Also the tray's order. The longest-lasting first; an unknown beginning predates Belfry. */
  status: {
    label: 'Worst first',
    compare: (a, b) => ranks[a.status] - ranks[b.status] || (a.since ?? 0) - (b.since ?? 0),
  },
  name: { label: 'By name', compare: () => 0 },
  nextPing: {
    label: 'Next expected',
    compare: (a, b) => known(nextExpectedAt(a)) - known(nextExpectedAt(b)),
  },
  lastPing: {
    label: 'Latest ping',
    compare: (a, b) => (b.lastPingAt ?? 0) - (a.lastPingAt ?? 0),
  },
  duration: {
    label: 'Longest run',
    compare: (a, b) => (b.lastDurationSeconds ?? -1) - (a.lastDurationSeconds ?? -1),
  },
} satisfies Readonly<Record<string, BoardOrder>>

export type BoardOrderName = keyof typeof boardOrders

/** The name of each order and its label. */
export const boardOrderChoices = Object.entries(boardOrders).map(
  ([name, { label }]) => [name as BoardOrderName, label] as const,
)

const ranks = Object.fromEntries(statusOrder.map((status, rank) => [status, rank])) as Readonly<
  Record<CheckStatus, number>
>

/** Unknown times come last. Not Infinity: the difference of two infinities is NaN. */
function known(at: number | null): number {
  return at ?? Number.MAX_SAFE_INTEGER
}
