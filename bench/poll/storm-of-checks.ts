import { runAlone } from '../child.ts'
import type { Measurement, Size, Target } from '../measurement.ts'
import { serveLists, usual } from './services.ts'

function decision(what: string, number: string): Target {
  return {
    goal: 'a storm',
    isGuard: true,
    what,
    of: { contender: 'app', number },
    against: { contender: 'bound', number: 'changedMs' },
    atMost: 0.4,
    unit: 'ms',
  }
}

function count(what: string, number: string): Target {
  return { goal: 'a storm', what, of: { contender: 'app', number }, atMost: 1 }
}

/** 10,000 checks go down in one poll; compared with the bound of a poll, `bound.ts`. */
export const stormOfChecks: Measurement = {
  name: 'storm',
  rounds: 7,
  targets: [
    count('notifications of 10,000 checks that go down at once', 'popUps'),
    count('sounds of it', 'sounds'),
    decision('deciding what to tell of it', 'stepMs'),
    decision('the same with finding out what happened', 'decideMs'),
    {
      goal: 'main is never blocked',
      what: 'longest block of main as 10,000 checks go down at once',
      of: { contender: 'app', number: 'blockMs' },
      atMost: 200,
      unit: 'ms',
    },
  ],
  async open(size: Size) {
    const isSmoke = size === 'smoke'
    const steps = isSmoke ? usual(500, 3) : usual(10_000, 8)
    const service = await serveLists(steps)
    const storm = await serveLists({ ...steps, kind: 'storm', lists: 2 })
    return {
      contenders: {
        bound: () =>
          runAlone(new URL('bound.ts', import.meta.url), [`${service.ready}`, `${steps.lists}`]),
        app: () => runAlone(new URL('storm.ts', import.meta.url), [`${storm.ready}`]),
      },
      close: async () => {
        await Promise.all([service.close(), storm.close()])
      },
    }
  },
}
