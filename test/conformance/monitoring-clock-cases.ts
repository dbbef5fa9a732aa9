import type { RequestStep } from './case.ts'
import type { MonitoringCase } from './monitoring-service.ts'
import {
  checksPath,
  fieldOf,
  flips,
  get,
  itemsOf,
  make,
  ok,
  ping,
  post,
  shows,
} from './monitoring-steps.ts'

const minute = 60_000

const pause = (name: string) => post(`${checksPath}{${name}}/pause`, ok({ status: 'paused' }))

/** Uses the shortest period and grace. Saves `last`, `next` and `deadline`. */
const pinged: readonly RequestStep[] = [
  make('up', { timeout: 60, grace: 60 }),
  ping('up'),
  {
    ...shows('up', { status: 'up' }),
    save: {
      last: 'last_ping',
      next: 'next_ping',
      deadline: (answer) => {
        const at = Date.parse(fieldOf(answer, 'next_ping')) + minute
        return new Date(at).toISOString().replace('.000Z', '+00:00')
      },
    },
  },
]

/** For what is true once the background loop has stored an overdue check as down. */
const eventually = (step: RequestStep): RequestStep => ({ ...step, eventually: true })

/** Whether a time is 03:00 in a zone. */
const isThreeIn = (timeZone: string) => (time: unknown) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(
    Date.parse(String(time)),
  ) === '03:00:00'

/** The effects of time on a check. */
export const clockCases: readonly MonitoringCase[] = [
  {
    operation: 'getCheck',
    name: 'a check is up until its period is over',
    steps: [
      ...pinged,
      { passMs: minute - 5_000 },
      shows('up', { status: 'up', next_ping: '{next}' }),
    ],
  },
  {
    operation: 'getCheck',
    name: 'a check is late from the moment its ping is expected, which is no flip',
    steps: [...pinged, { passMs: minute }, shows('up', { status: 'grace' }), flips('up', [1])],
  },
  {
    operation: 'getCheck',
    name: 'a check is down when its grace is over, and keeps next_ping until the loop has run',
    clock: true,
    world: { loopStopped: true },
    steps: [
      ...pinged,
      { passMs: 2 * minute },
      shows('up', { status: 'down', next_ping: '{next}' }),
      flips('up', [1]),
      { control: (project) => project.tick() },
      shows('up', { status: 'down', next_ping: null }),
    ],
  },
  {
    operation: 'listFlips',
    name: 'a timeout’s flip is dated to its deadline',
    steps: [
      ...pinged,
      { passMs: 2 * minute },
      eventually(
        get(
          `${checksPath}{up}/flips/`,
          ok({
            flips: [
              { timestamp: '{deadline}', up: 0 },
              { timestamp: '{last}', up: 1 },
            ],
          }),
        ),
      ),
    ],
  },
  {
    operation: 'listFlips',
    name: 'a check that went down and was pinged before the loop ran has no flip',
    clock: true,
    world: { loopStopped: true },
    steps: [
      ...pinged,
      { passMs: 3 * minute },
      ping('up'),
      { control: (project) => project.tick() },
      flips('up', [1]),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a start moves next_ping to itself and takes the check down when its grace is over',
    steps: [
      make('up', { timeout: 600, grace: 60 }),
      ping('up'),
      { ...shows('up', { status: 'up' }), save: { last: 'last_ping' } },
      { passMs: 2_000 },
      ping('up', '/start'),
      {
        ...shows('up', { status: 'up', started: true, last_ping: '{last}' }),
        save: { next: 'next_ping' },
      },
      get(`${checksPath}{up}/pings/`, {
        status: 200,
        body: {
          holds(answer, { next = '' }) {
            const [start] = itemsOf(answer, 'pings')
            const at = String(start?.['date'])
            return at.startsWith(next.slice(0, 19)) ? null : `next_ping ${next}, start ${at}`
          },
        },
      }),
      { passMs: minute },
      shows('up', { status: 'down', started: true }),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a run that lasts past the expected time shows as late and started',
    steps: [
      ...pinged,
      { passMs: 40_000 },
      ping('up', '/start'),
      { passMs: 30_000 },
      shows('up', { status: 'grace', started: true }),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a new check goes down if a start isn’t ended',
    steps: [
      make('up', { grace: 60 }),
      ping('up', '/start'),
      { passMs: minute },
      shows('up', { status: 'down' }),
      eventually(flips('up', [0])),
    ],
  },
  {
    operation: 'pauseCheck',
    name: 'a paused check is never late',
    steps: [...pinged, pause('up'), { passMs: 2 * minute }, shows('up', { status: 'paused' })],
  },
  {
    operation: 'updateCheck',
    name: 'a longer period turns a late check up at once',
    steps: [
      ...pinged,
      { passMs: minute },
      post(`${checksPath}{up}`, ok({ status: 'up' }), { timeout: 7_200 }),
    ],
  },
  {
    operation: 'updateCheck',
    name: 'a check stored as down stays down after a longer period',
    steps: [
      ...pinged,
      { passMs: 2 * minute },
      eventually(flips('up', [0, 1])),
      post(`${checksPath}{up}`, ok({ status: 'down' }), { timeout: 86_400 }),
    ],
  },
  {
    operation: 'getCheck',
    name: 'a cron schedule is evaluated in its own zone',
    steps: [
      make('up', { schedule: '0 3 * * *', tz: 'Europe/Berlin' }),
      ping('up'),
      shows('up', { next_ping: isThreeIn('Europe/Berlin') }),
      post(`${checksPath}{up}`, ok({ next_ping: isThreeIn('Asia/Tokyo') }), { tz: 'Asia/Tokyo' }),
    ],
  },
  {
    operation: 'getCheck',
    name: "a cron schedule follows its zone's clocks",
    clock: true,
    steps: [
      make('up', { schedule: '0 3 * * *', tz: 'Europe/Berlin' }),
      ping('up'),
      shows('up', { next_ping: '2026-03-18T02:00:00+00:00' }),
      { passMs: 14 * 24 * 60 * minute },
      ping('up'),
      // Berlin's clocks went forward meanwhile.
      shows('up', { next_ping: '2026-04-01T01:00:00+00:00' }),
    ],
  },
  {
    operation: 'pingStart',
    name: 'below a path, a pending start hides the status',
    worldOnly: 'needs a server installed below a path',
    world: { basePath: '/hc' },
    steps: [make('up'), ping('up', '/start'), shows('up', { status: 'started', started: true })],
  },
]
