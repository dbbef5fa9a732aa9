import type { MonitoringCase } from './monitoring-service.ts'
import { checksPath, flips, get, make, ok, ping, post, shows } from './monitoring-steps.ts'

const minute = 60_000
const hour = 60 * minute

const pause = (name: string) => post(`${checksPath}{${name}}/pause`, ok({ status: 'paused' }))

/** An hour's period and 10 minutes of grace, pinged when the clock begins: 14:25. */
const pinged = [make('up', { timeout: 3_600, grace: 600 }), ping('up')]

/** What time does to a check. */
export const clockCases: readonly MonitoringCase[] = [
  {
    operation: 'getCheck',
    name: 'a check is up until its period is over',
    clock: true,
    steps: [
      ...pinged,
      { passMs: hour - 1 },
      shows('up', { status: 'up', next_ping: '2026-03-17T15:25:00+00:00' }),
    ],
  },
  {
    operation: 'getCheck',
    name: 'a check is late from the moment its ping is expected, which is no flip',
    clock: true,
    steps: [...pinged, { passMs: hour }, shows('up', { status: 'grace' }), flips('up', [1])],
  },
  {
    operation: 'getCheck',
    name: 'a check is down when its grace is over, next_ping still there until the loop ran',
    clock: true,
    steps: [
      ...pinged,
      { passMs: hour + 10 * minute },
      shows('up', { status: 'down', next_ping: '2026-03-17T15:25:00+00:00' }),
      flips('up', [1]),
      { control: (project) => project.tick() },
      shows('up', { status: 'down', next_ping: null }),
    ],
  },
  {
    operation: 'listFlips',
    name: 'the flip of a timeout is dated back to the deadline',
    clock: true,
    steps: [
      ...pinged,
      { passMs: 3 * hour },
      { control: (project) => project.tick() },
      get(
        `${checksPath}{up}/flips/`,
        ok({
          flips: [
            { timestamp: '2026-03-17T15:35:00+00:00', up: 0 },
            { timestamp: '2026-03-17T14:25:00+00:00', up: 1 },
          ],
        }),
      ),
    ],
  },
  {
    operation: 'listFlips',
    name: 'a check that was down and pinged before the loop ran has no flip of it',
    clock: true,
    steps: [
      ...pinged,
      { passMs: 3 * hour },
      ping('up'),
      { control: (project) => project.tick() },
      flips('up', [1]),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a start moves next_ping to itself and takes the check down when its grace is over',
    clock: true,
    steps: [
      ...pinged,
      { passMs: minute },
      ping('up', '/start'),
      shows('up', {
        status: 'up',
        started: true,
        last_ping: '2026-03-17T14:25:00+00:00',
        next_ping: '2026-03-17T14:26:00+00:00',
      }),
      { passMs: 10 * minute },
      shows('up', { status: 'down', started: true }),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a run that lasts past the expected time shows as late and started',
    clock: true,
    steps: [
      ...pinged,
      { passMs: hour - minute },
      ping('up', '/start'),
      { passMs: 2 * minute },
      shows('up', { status: 'grace', started: true }),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a new check goes down when a start is not ended',
    clock: true,
    steps: [
      make('up', { grace: 60 }),
      ping('up', '/start'),
      { passMs: minute },
      shows('up', { status: 'down' }),
      { control: (project) => project.tick() },
      flips('up', [0]),
    ],
  },
  {
    operation: 'pauseCheck',
    name: 'a paused check is never late',
    clock: true,
    steps: [...pinged, pause('up'), { passMs: 24 * hour }, shows('up', { status: 'paused' })],
  },
  {
    operation: 'updateCheck',
    name: 'a longer period makes a late check up at once',
    clock: true,
    steps: [
      ...pinged,
      { passMs: hour },
      post(`${checksPath}{up}`, ok({ status: 'up' }), { timeout: 7_200 }),
    ],
  },
  {
    operation: 'updateCheck',
    name: 'a check that is stored as down stays so after a longer period',
    clock: true,
    steps: [
      ...pinged,
      { passMs: 2 * hour },
      { control: (project) => project.tick() },
      post(`${checksPath}{up}`, ok({ status: 'down' }), { timeout: 86_400 }),
    ],
  },
  {
    operation: 'getCheck',
    name: 'a cron schedule is expected in its own zone',
    clock: true,
    steps: [
      make('up', { schedule: '0 3 * * *', tz: 'Europe/Berlin' }),
      ping('up'),
      shows('up', { next_ping: '2026-03-18T02:00:00+00:00' }),
      post(`${checksPath}{up}`, ok({ next_ping: '2026-03-17T18:00:00+00:00' }), {
        tz: 'Asia/Tokyo',
      }),
      { passMs: 14 * 24 * hour },
      ping('up'),
      // In the meantime Berlin's clocks went forward.
      post(`${checksPath}{up}`, ok({ next_ping: '2026-04-01T01:00:00+00:00' }), {
        tz: 'Europe/Berlin',
      }),
    ],
  },
  {
    operation: 'pingStart',
    name: 'below a path a pending start hides the status',
    worldOnly: 'needs a server installed below a path',
    world: { basePath: '/hc' },
    steps: [make('up'), ping('up', '/start'), shows('up', { status: 'started', started: true })],
  },
]
