import type { Account, AccountId, MonitoringAccount } from './account.ts'
import type { Board } from './checks/board.ts'
import type { CheckId } from './checks/check.ts'
import { memoized } from './identity.ts'
import type { AppState } from './state.ts'

type Known = Pick<AppState, 'accounts' | 'boards'>

const keyOrder: readonly MonitoringAccount['keyKind'][] = ['readWrite', 'readOnly', 'unknown']
/** Two accounts of one project have nearly all checks in common, so comparing a few is enough. */
const checksCompared = 8

/**
 * When several accounts have the same project, one of them stands for it; maps each of the others
 * to that one. It is the one with the better key or, if they are equal, the older one. If its reads
 * fail or its key is rejected, another takes over after its own next read, since until then it may
 * know less.
 */
export function standIns({ accounts, boards }: Known): ReadonlyMap<AccountId, AccountId> {
  return standInsOf(boards, accounts)
}

const standInsOf = memoized((boards: Known['boards'], accounts: Known['accounts']) => {
  const groups: Account[][] = []
  for (const account of accounts) {
    const group = groups.find(([first]) => first && isSameProject(first, account, boards))
    if (group === undefined) groups.push([account])
    else group.push(account)
  }
  const by = new Map<AccountId, AccountId>()
  for (const group of groups) {
    const best = bestOf(group, boards)
    for (const { id } of group) if (best !== undefined && id !== best.id) by.set(id, best.id)
  }
  return by
})

/**
 * The accounts and boards to count, show and notify about: one for each project. A green icon does
 * not wait for the others, but an account whose key can't be used is included, since it needs the
 * user. Returns the same objects if no two accounts share a project.
 */
export function projectsOf({ accounts, boards }: Known): Known {
  const by = standIns({ accounts, boards })
  return by.size === 0 ? { accounts, boards } : withoutTwins(by, accounts, boards)
}

const withoutTwins = memoized(
  (
    by: ReadonlyMap<AccountId, AccountId>,
    accounts: Known['accounts'],
    boards: Known['boards'],
  ): Known => ({
    accounts: accounts.filter(({ id, key }) => key !== 'present' || !by.has(id)),
    boards: new Map([...boards].filter(([id]) => !by.has(id))),
  }),
)

/**
 * The board that stood for an account's project in `before`: if another account takes over, only
 * what changed since is news. If accounts turn out only now to share a project, each was notified
 * about separately, so what was notified for the others is added.
 */
export function boardBefore(before: Known, after: Known, id: AccountId): Board | undefined {
  const [by, byBefore] = [standIns(after), standIns(before)]
  const twins = after.accounts.filter((one) => one.id === id || by.get(one.id) === id)
  const ids = new Set(twins.map((one) => byBefore.get(one.id) ?? one.id))
  const shown = before.accounts.filter((one) => ids.has(one.id))
  // Prefers boards that have checks: they know what was notified.
  const filled = shown.filter((one) => (before.boards.get(one.id)?.checks.size ?? 0) > 0)
  const best = before.boards.get(
    bestOf(filled.length > 0 ? filled : shown, before.boards)?.id ?? id,
  )
  if (best === undefined || best.notified === null || filled.length < 2) return best
  const others = filled
    .flatMap((one) => [...(before.boards.get(one.id)?.notified ?? [])])
    .filter(([checkId]) => !best.checks.has(checkId))
  return others.length === 0 ? best : { ...best, notified: new Map([...others, ...best.notified]) }
}

/** All accounts with the project of the given one; the first is the one that stands for it. */
export function accountsOfProject(known: Known, id: AccountId): readonly AccountId[] {
  const by = standIns(known)
  const first = by.get(id) ?? id
  return [first, ...[...by].flatMap(([other, one]) => (one === first ? [other] : []))]
}

/**
 * Maps an account to the one under which everything about its project is kept: the one that stands
 * for it in `after`. For an account removed since `before`, that is one left with its project, else
 * null.
 */
export function keptUnder(before: Known, after: Known): (id: AccountId) => AccountId | null {
  const [by, byBefore] = [standIns(after), standIns(before)]
  return (id) => {
    const first = byBefore.get(id) ?? id
    const left =
      after.accounts.find((one) => one.id === id) ??
      after.accounts.find((one) => (byBefore.get(one.id) ?? one.id) === first)
    return left === undefined ? null : (by.get(left.id) ?? left.id)
  }
}

function bestOf(group: readonly Account[], boards: Known['boards']): Account | undefined {
  return group.reduce<Account | undefined>(
    (best, one) => (best === undefined || isBetter(one, best, boards) ? one : best),
    undefined,
  )
}

function isBetter(one: Account, other: Account, boards: Known['boards']): boolean {
  const readAt = ({ id }: Account) => boards.get(id)?.freshness.readAt ?? 0
  const isFailing = ({ id, key }: Account) =>
    key !== 'present' || (boards.get(id)?.freshness.failure ?? null) !== null
  if (isFailing(one) !== isFailing(other))
    return isFailing(one) ? readAt(one) >= readAt(other) : readAt(one) > readAt(other)
  const place = (account: Account) =>
    account.kind === 'monitoring' ? keyOrder.indexOf(account.keyKind) : 0
  return place(one) < place(other)
}

function isSameProject(one: Account, other: Account, boards: Known['boards']): boolean {
  const checks = checksOf(boards.get(one.id))
  const others = checksOf(boards.get(other.id))
  if (one.baseUrl !== other.baseUrl || checks === undefined || others === undefined) return false
  return isMostlyIn(checks, others) && isMostlyIn(others, checks)
}

/**
 * Before the first read, those of the previous run: after a start, the same account stands for the
 * project as before, until its own read has succeeded or failed.
 */
function checksOf(board: Board | undefined): ReadonlyMap<CheckId, unknown> | undefined {
  return board?.freshness.readAt === null ? board.missed.looks : board?.checks
}

/** More than half, since a check that was just moved to another project is in both for a while. */
function isMostlyIn(
  checks: ReadonlyMap<CheckId, unknown>,
  others: ReadonlyMap<CheckId, unknown>,
): boolean {
  let compared = 0
  let found = 0
  for (const id of checks.keys()) {
    if (compared === checksCompared) break
    compared += 1
    if (others.has(id)) found += 1
  }
  return 2 * found > compared
}
