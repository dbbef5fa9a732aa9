import type { AccountId } from '../../account.ts'
import type { CheckId } from '../../checks/check.ts'
import type { Finding } from '../../checks/weekly-look.ts'
import { counted } from '../../wording.ts'
import { checkSubject } from '../event.ts'

/** An outage of a check. */
export interface Fall {
  readonly accountId: AccountId
  readonly checkId: CheckId
  readonly name: string
  /** When it began, epoch ms. */
  readonly at: number
}

/** What goes down within this time may have one cause. */
const togetherMs = 60_000
/** From so many times on, it is more than chance. */
const often = 3
/** Of many that go down together, the first ones may be what the others depend on. */
const mostFirst = 10

/**
 * Checks that went down within a minute of another, three times or more: they may depend on it. Of
 * those that one of them went down with, the check that was most often the first of all.
 */
export function fallenTogether(falls: readonly Fall[]): readonly Finding[] {
  const checks = new Map(falls.map((one) => [keyOf(one), one]))
  const groups = groupsOf(falls)
  const first = new Map<string, number>()
  const times = new Map<string, Map<string, number>>()
  for (const group of groups) {
    const [opening = ''] = group
    first.set(opening, (first.get(opening) ?? 0) + 1)
    for (const parent of group.slice(0, mostFirst))
      for (const child of group)
        if (child !== parent) {
          const own = times.get(child) ?? new Map<string, number>()
          times.set(child, own.set(parent, (own.get(parent) ?? 0) + 1))
        }
  }
  /** Below 0: `one` is rather what `other` depends on. */
  const byRank = (one: string, other: string): number =>
    (first.get(other) ?? 0) - (first.get(one) ?? 0) || (one < other ? -1 : 1)
  return [...times].flatMap(([key, own]) => {
    const [parent] = [...own]
      .filter(([other, count]) => count >= often && byRank(other, key) < 0)
      .sort(([one, count], [other, others]) => byRank(one, other) || others - count)
    const child = checks.get(key)
    const on = checks.get(parent?.[0] ?? '')
    return parent === undefined || child === undefined || on === undefined
      ? []
      : [findingOf(child, on, parent[1])]
  })
}

function findingOf({ accountId, checkId, name }: Fall, on: Fall, count: number): Finding {
  return {
    ...{ kind: 'together', accountId, checkId, name },
    words: `down within a minute of ${on.name}, ${counted(count, 'time')}`,
    change: { do: 'depend', on: { accountId: on.accountId, checkId: on.checkId }, onName: on.name },
  }
}

/** The checks that went down within a minute, the first one first, each once. */
function groupsOf(falls: readonly Fall[]): readonly (readonly string[])[] {
  const groups: { readonly from: number; readonly keys: Set<string> }[] = []
  for (const fall of falls.toSorted((one, other) => one.at - other.at)) {
    const last = groups.at(-1)
    if (last !== undefined && fall.at - last.from <= togetherMs) last.keys.add(keyOf(fall))
    else groups.push({ from: fall.at, keys: new Set([keyOf(fall)]) })
  }
  return groups.map(({ keys }) => [...keys])
}

function keyOf({ accountId, checkId }: Fall): string {
  return checkSubject(accountId, checkId)
}
