import { median } from '../judge.ts'
import type { Numbers } from '../measurement.ts'
import type { ListService } from './list-service.ts'
import { costOf, type PollCost } from './poll-cost.ts'

/**
 * Polls each list twice: changed, then unchanged. First polls the first two in turn as often, since
 * a program that runs for days is warm. `poll` reads the service once; `check` gets its result for
 * a list that changed.
 */
export async function runPolls<T>(parts: {
  readonly service: ListService
  readonly lists: number
  readonly poll: () => Promise<T>
  readonly check: (result: T, list: number) => Promise<void>
  readonly checkSame: (result: T) => void
}): Promise<Numbers> {
  const { service, lists, poll, check, checkSame } = parts
  const changed: PollCost[] = []
  const same: PollCost[] = []
  for (let turn = 1; turn < lists; turn += 1)
    for (const list of [1, 0]) {
      await service.give(list)
      await poll()
    }
  for (let list = 1; list < lists; list += 1) {
    await service.give(list)
    const cost = await costOf(poll)
    await check(cost.result, list)
    changed.push(cost)
    const again = await costOf(poll)
    checkSame(again.result)
    same.push(again)
  }
  return { ...summary('changed', changed), ...summary('same', same) }
}

/** The mean costs, since only some polls pay for the garbage of all; for blocks, the medians. */
function summary(kind: 'changed' | 'same', costs: readonly PollCost[]): Numbers {
  const mean = (number: keyof PollCost): number =>
    costs.reduce((sum, cost) => sum + cost[number], 0) / costs.length
  return {
    [`${kind}Ms`]: mean('ms'),
    [`${kind}CpuMs`]: mean('cpuMs'),
    [`${kind}BlockMs`]: median(costs.map(({ blockMs }) => blockMs)),
    [`${kind}BlockCpuMs`]: median(costs.map(({ blockCpuMs }) => blockCpuMs)),
  }
}
