import { runAlone } from '../child.ts'
import type { Measurement, Opened, Size, Target } from '../measurement.ts'
import { type Lists, serveLists, usual } from './services.ts'

/** A service that gives lists of checks, and one program each that polls it. */
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
  rest: Pick<Target, 'goal' | 'what' | 'atMost'>,
): Target {
  return { ...rest, of: { contender: 'app', number }, against: { contender, number }, unit: 'ms' }
}

/** Goals 1a to 1c, and 2 at 10,000 checks. */
export const poll: Measurement = {
  name: 'poll',
  rounds: 7,
  targets: [
    against('bound', 'changedMs', {
      goal: '1a',
      what: 'poll of 10,000 checks, 10 % changed',
      atMost: 1.15,
    }),
    against('bound', 'changedCpuMs', {
      goal: '1a',
      what: 'poll of 10,000 checks, 10 % changed: CPU',
      atMost: 1.15,
    }),
    against('bound', 'sameMs', {
      goal: '1b',
      what: 'poll of 10,000 checks, none changed',
      atMost: 0.4,
    }),
    against('bound', 'sameCpuMs', {
      goal: '1b',
      what: 'poll of 10,000 checks, none changed: CPU',
      atMost: 0.4,
    }),
    against('ordinary', 'changedMs', {
      goal: '1c',
      what: 'poll of 10,000 checks, 10 % changed, against the ordinary way',
      atMost: 0.35,
    }),
    against('ordinary', 'changedCpuMs', {
      goal: '1c',
      what: 'poll of 10,000 checks, 10 % changed, against the ordinary way: CPU',
      atMost: 0.35,
    }),
    against('bound', 'changedBlockMs', {
      goal: '2',
      what: 'longest block of main in a poll of 10,000 checks, 10 % changed',
      atMost: 0.55,
    }),
  ],
  open: (size: Size) =>
    openPolls(['bound', 'app', 'ordinary'], size === 'smoke' ? smoke : usual(10_000, 8)),
}

/** Goal 2 at 50,000 checks, five times what one account may have on its own server. */
export const largePoll: Measurement = {
  name: 'large-poll',
  rounds: 5,
  targets: [
    against('bound', 'changedBlockMs', {
      goal: '2',
      what: 'longest block of main in a poll of 50,000 checks, 10 % changed',
      atMost: 0.15,
    }),
  ],
  open: (size: Size) => openPolls(['bound', 'app'], size === 'smoke' ? smoke : usual(50_000, 4)),
}
