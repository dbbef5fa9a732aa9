import { runAlone } from '../child.ts'
import type { Measurement, Opened, Size, Target } from '../measurement.ts'
import { type Lists, serveLists, usual } from './services.ts'

/** A service with lists of checks, and for each contender a program that polls it. */
async function openPolls(names: readonly string[], lists: Lists): Promise<Opened> {
  const service = await serveLists(lists)
  const args = [service.ready, lists.lists].map(String)
  const run = (name: string) => () => runAlone(new URL(`${name}.ts`, import.meta.url), args)
  return {
    contenders: Object.fromEntries(names.map((name) => [name, run(name)])),
    close: service.close,
  }
}

const smoke = usual(500, 3)

function against(
  contender: string,
  number: string,
  rest: Pick<Target, 'what' | 'atMost' | 'isGuard'>,
): Target {
  return {
    ...rest,
    goal: 'a poll',
    of: { contender: 'app', number },
    against: { contender, number },
    unit: 'ms',
  }
}

function longestBlock(what: string): Target {
  const of = { contender: 'app', number: 'changedBlockMs' }
  return { goal: 'main is never blocked', what, of, atMost: 200, unit: 'ms' }
}

/** The cost of the poll of a minute, and whether anything has to wait for it. */
export const poll: Measurement = {
  name: 'poll',
  rounds: 7,
  targets: [
    against('bound', 'changedMs', {
      what: 'poll of 10,000 checks, 10% changed, against the least',
      atMost: 1.5,
      isGuard: true,
    }),
    against('bound', 'changedCpuMs', {
      what: 'poll of 10,000 checks, 10% changed, against the least: CPU',
      atMost: 1.5,
      isGuard: true,
    }),
    against('bound', 'sameMs', {
      what: 'poll of 10,000 checks, none changed',
      atMost: 0.4,
    }),
    against('bound', 'sameCpuMs', {
      what: 'poll of 10,000 checks, none changed: CPU',
      atMost: 0.4,
    }),
    against('ordinary', 'changedMs', {
      what: 'poll of 10,000 checks, 10% changed',
      atMost: 0.45,
    }),
    against('ordinary', 'changedCpuMs', {
      what: 'poll of 10,000 checks, 10% changed: CPU',
      atMost: 0.45,
    }),
    longestBlock('longest block of main in a poll of 10,000 checks, 10% changed'),
  ],
  open: (size: Size) =>
    openPolls(['bound', 'app', 'ordinary'], size === 'smoke' ? smoke : usual(10_000, 8)),
}

/** 50,000 checks are five times what one account may have on its own server. */
export const largePoll: Measurement = {
  name: 'large-poll',
  rounds: 5,
  targets: [longestBlock('longest block of main in a poll of 50,000 checks, 10% changed')],
  open: (size: Size) => openPolls(['app'], size === 'smoke' ? smoke : usual(50_000, 4)),
}
