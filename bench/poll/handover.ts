import { runAlone } from '../child.ts'
import type { Measurement, Size, Target } from '../measurement.ts'
import { serveLists, usual } from './services.ts'

const program = new URL('patches.ts', import.meta.url)

function target(contender: string, number: 'cloneMs' | 'bytes', atMost: number): Target {
  const what = { ten: '10 changes', tenth: '10% changed' }[contender]
  return {
    goal: 'the window',
    isGuard: true,
    what: `handing ${what} of 10,000 checks to a window${number === 'bytes' ? ': bytes' : ''}`,
    of: { contender, number },
    against: { contender: 'board', number },
    atMost,
    unit: number === 'bytes' ? 'B' : 'ms',
  }
}

/**
 * All patches of one poll, compared with the whole board (in our own format, which is leaner than
 * the service's). `structuredClone` stands for sending to another process: it uses the same
 * serialiser.
 */
export const handover: Measurement = {
  name: 'handover',
  rounds: 7,
  targets: [
    target('ten', 'cloneMs', 0.02),
    target('ten', 'bytes', 0.02),
    target('tenth', 'cloneMs', 0.2),
    target('tenth', 'bytes', 0.2),
  ],
  async open(size: Size) {
    const checks = size === 'smoke' ? 500 : 10_000
    const few = await serveLists({ ...usual(checks, 2), pings: 6, flips: 4 })
    const many = await serveLists(usual(checks, 2))
    return {
      contenders: {
        board: () => runAlone(program, [String(many.ready), 'board']),
        ten: () => runAlone(program, [String(few.ready), 'patch']),
        tenth: () => runAlone(program, [String(many.ready), 'patch']),
      },
      close: async () => {
        await Promise.all([few.close(), many.close()])
      },
    }
  },
}
