/** The result of one run, and of naive clients with the same traffic. */
interface Run {
  readonly lost: number
  readonly doubled: number
  readonly naiveLost: number
  readonly naiveDoubled: number
  /** Sentences; empty if all went well. */
  readonly problems: readonly string[]
}

/** Sums up all runs; `naive` names the clients that have to lose and repeat messages. */
export function createTotal(what: string, naive: string) {
  const total = { lost: 0, doubled: 0, runs: 0, failed: [] as string[] }
  const control = { lost: 0, doubled: 0 }
  return {
    add(name: string, { lost, doubled, problems, ...run }: Run): void {
      total.lost += lost
      total.doubled += doubled
      total.runs += 1
      control.lost += run.naiveLost
      control.doubled += run.naiveDoubled
      if (lost + doubled + problems.length > 0)
        total.failed.push([`${name}: lost ${lost} doubled ${doubled}`, ...problems].join(', '))
    },
    sum() {
      const unproven = `${what}: the naive ${naive} lose or repeat nothing, so this proves nothing`
      const proves = control.lost > 0 && control.doubled > 0
      return proves ? total : { ...total, failed: [...total.failed, unproven] }
    },
  }
}
