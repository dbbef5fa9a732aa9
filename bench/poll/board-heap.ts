import assert from 'node:assert/strict'
import { runAlone } from '../child.ts'
import type { Measurement, Numbers, Size } from '../measurement.ts'
import { serveLists, usual } from './services.ts'

const program = new URL('heap.ts', import.meta.url)

/**
 * How much the app's heap grows for the checks of a board, compared with a Map of the checks as
 * parsed. A run without checks is subtracted from each.
 */
export const boardHeap: Measurement = {
  name: 'board-heap',
  rounds: 7,
  targets: [
    {
      goal: 'memory',
      what: 'heap for a board of 10,000 checks',
      of: { contender: 'app', number: 'bytesPerCheck' },
      against: { contender: 'parsed', number: 'bytesPerCheck' },
      atMost: 0.45,
      unit: 'B a check',
    },
  ],
  async open(size: Size) {
    const checks = size === 'smoke' ? 500 : 10_000
    const full = await serveLists(usual(checks, 2))
    const empty = await serveLists(usual(0, 2))
    const heapFor = async (what: string): Promise<Numbers> => {
      const { heapBytes: all = 0, checks: held } = await runAlone(program, [`${full.ready}`, what])
      const { heapBytes: none = 0 } = await runAlone(program, [`${empty.ready}`, what])
      assert.equal(held, checks)
      return { bytesPerCheck: (all - none) / checks }
    }
    return {
      contenders: { app: () => heapFor('app'), parsed: () => heapFor('parsed') },
      close: async () => {
        await Promise.all([full.close(), empty.close()])
      },
    }
  },
}
