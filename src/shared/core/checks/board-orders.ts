import { nextExpectedAt } from './cause.ts'
import { type Check, type CheckStatus, statusOrder } from './check.ts'

export interface BoardOrder {
  /** As the controls of the setting say it. */
  readonly label: string
  /** As for `sort`. What it leaves equal goes by name. */
  readonly compare: (a: Check, b: Check) => number
}

/** What the checks can be sorted by. The setting and its controls derive from it. */
export const boardOrders = {
  /** Also the order of the tray. The longest comes first; an unknown beginning is before Belfry looked. */
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

/** Unknown times come last; finite, since the difference of two infinities is no number. */
function known(at: number | null): number {
  return at ?? Number.MAX_SAFE_INTEGER
}
