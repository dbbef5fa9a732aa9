import type { Check, CheckId } from '../../shared/core/checks/check.ts'
import type { HttpReply } from '../http/transport.ts'

/**
 * Why a list of checks is not believed: it comes from a cache, or lacks more than a tenth of the
 * checks that were there before.
 */
type Doubt = 'cached' | 'shrunk'

/** Seconds; also by how much a Date may lag. */
const longestAge = 10

interface ListDoubt {
  /** Null: it is believed. `serverOffsetMs`: server clock minus ours by this answer. */
  judge(answer: {
    readonly headers: HttpReply['headers']
    readonly serverOffsetMs: number
    readonly checks: readonly Check[]
    /** None of an account that is new. */
    readonly believed: ReadonlyMap<CheckId, unknown> | undefined
  }): Doubt | null
  /** Belfry deleted a check: that it is missing is no reason for doubt. */
  deleted(id: CheckId): void
  /** Whether the last answer was doubted: the next one must not come from a cache. */
  isDoubting(): boolean
}

/**
 * Compares one project's lists with the last believed one. A second answer that says the same
 * confirms a shrunken list, and one with a later Date a clock that was set. What calls itself
 * older than 10 s (Age) is never confirmed.
 */
export function createListDoubt(): ListDoubt {
  let offsetMs: number | null = null
  const deleted = new Set<CheckId>()
  let doubted: { readonly date: string | undefined; readonly ids: ReadonlySet<CheckId> } | null =
    null
  return {
    judge({ headers, serverOffsetMs, checks, believed }) {
      const { age = '0', date } = headers
      const ids = new Set(checks.map(({ id }) => id))
      const before = doubted
      doubted = { date, ids }
      if (Number(age) > longestAge) return 'cached'
      const lagMs = offsetMs === null ? 0 : offsetMs - serverOffsetMs
      if (lagMs > longestAge * 1_000 && (before === null || before.date === date)) return 'cached'
      // The very same answer once more confirms nothing.
      const isNew = before !== null && (date === undefined || before.date !== date)
      if (lacksMany(ids, deleted, believed) && !(isNew && isSame(before.ids, ids))) return 'shrunk'
      offsetMs = serverOffsetMs
      doubted = null
      deleted.clear()
      return null
    },
    deleted: (id) => deleted.add(id),
    isDoubting: () => doubted !== null,
  }
}

function lacksMany(
  ids: ReadonlySet<CheckId>,
  deleted: ReadonlySet<CheckId>,
  believed: ReadonlyMap<CheckId, unknown> = new Map(),
): boolean {
  let missing = 0
  for (const id of believed.keys()) if (!ids.has(id) && !deleted.has(id)) missing += 1
  return missing * 10 > believed.size
}

function isSame(one: ReadonlySet<CheckId>, other: ReadonlySet<CheckId>): boolean {
  return one.size === other.size && [...one].every((id) => other.has(id))
}

/** News of an outage waits so long for an answer that is believed. */
const alarmMs = 8_000

/** Takes the checks that are down in a doubted list, one by one, unless a believed answer comes first. */
export function createDoubtfulAlarm(take: (check: Check) => void, signal: AbortSignal) {
  let checks: readonly Check[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  signal.addEventListener('abort', cancel, { once: true })
  return {
    cancel,
    raise(doubted: readonly Check[]) {
      checks = doubted
      timer ??= setTimeout(() => {
        timer = undefined
        for (const check of checks) if (check.status === 'down') take(check)
      }, alarmMs)
    },
  }
}
