import type { MonitoringCase } from './monitoring-service.ts'
import {
  checksPath,
  empty,
  flips,
  get,
  html,
  make,
  ok,
  ping,
  post,
  shows,
} from './monitoring-steps.ts'

const minute = 60_000

const pause = (name: string) => post(`${checksPath}{${name}}/pause`, ok({ status: 'paused' }))
const resume = (name: string) => post(`${checksPath}{${name}}/resume`, ok({ status: 'new' }))

/** Pausing, resuming and deleting. */
export const pauseCases: readonly MonitoringCase[] = [
  {
    operation: 'pauseCheck',
    name: 'a pause keeps the last ping, removes the next, and ends a pending run',
    steps: [
      make('up'),
      ping('up'),
      ping('up', '/start'),
      post(
        `${checksPath}{up}/pause`,
        ok({ status: 'paused', next_ping: null, last_ping: /./, started: false, n_pings: 2 }),
      ),
    ],
  },
  {
    operation: 'pauseCheck',
    name: 'a second pause isn’t a flip',
    since: '4.0',
    steps: [make('up'), ping('up'), pause('up'), pause('up'), flips('up', [0, 1])],
  },
  {
    operation: 'pauseCheck',
    name: 'a second pause is a flip, too',
    before: '4.0',
    steps: [make('up'), ping('up'), pause('up'), pause('up'), flips('up', [0, 0, 1])],
  },
  {
    operation: 'pauseCheck',
    name: 'a new check can be paused, even with an empty object',
    steps: [make('up'), post(`${checksPath}{up}/pause`, ok({ status: 'paused' }), {})],
  },
  {
    operation: 'pauseCheck',
    name: 'a success ends a pause',
    steps: [
      make('up'),
      pause('up'),
      ping('up'),
      shows('up', { status: 'up' }),
      flips('up', [1, 0]),
    ],
  },
  {
    operation: 'pauseCheck',
    name: 'a failure ends a pause, too',
    steps: [make('up'), pause('up'), ping('up', '/fail'), shows('up', { status: 'down' })],
  },
  {
    operation: 'pauseCheck',
    name: 'a log entry and a start don’t end a pause',
    steps: [
      make('up'),
      pause('up'),
      ping('up', '/log'),
      ping('up', '/start'),
      shows('up', { status: 'paused', started: true }),
    ],
  },
  {
    operation: 'resumeCheck',
    name: 'a resume makes a check new, without a last ping, and keeps its count',
    steps: [
      make('up'),
      ping('up'),
      pause('up'),
      post(
        `${checksPath}{up}/resume`,
        ok({ status: 'new', last_ping: null, next_ping: null, n_pings: 1, started: false }),
      ),
      flips('up', [0, 0, 1]),
    ],
  },
  {
    operation: 'resumeCheck',
    name: 'a resume also ends a pause by hand',
    steps: [make('up', { manual_resume: true }), pause('up'), resume('up')],
  },
  ...(['new', 'up', 'down'] as const).map(
    (status): MonitoringCase => ({
      operation: 'resumeCheck',
      name: `a check that is ${status} can’t be resumed, and the response isn’t JSON`,
      steps: [
        make('up'),
        ...(status === 'new' ? [] : [ping('up', status === 'up' ? '' : '/fail')]),
        post(`${checksPath}{up}/resume`, { status: 409, body: { text: 'check is not paused' } }),
        shows('up', { status }),
      ],
    }),
  ),
  {
    operation: 'resumeCheck',
    name: 'a second resume is refused, since there is no pause',
    steps: [
      make('up'),
      pause('up'),
      resume('up'),
      post(`${checksPath}{up}/resume`, { status: 409 }),
    ],
  },
  {
    operation: 'resumeCheck',
    name: 'a paused check that an overdue start shows as down can be resumed',
    clock: true,
    world: { loopStopped: true },
    steps: [
      make('up', { grace: 60 }),
      pause('up'),
      ping('up', '/start'),
      { passMs: minute },
      shows('up', { status: 'down', started: true }),
      resume('up'),
    ],
  },
  {
    operation: 'deleteCheck',
    name: 'a delete returns the record, then 404, and its pings are gone',
    steps: [
      make('up'),
      ping('up'),
      {
        method: 'DELETE',
        path: `${checksPath}{up}`,
        expect: ok({ uuid: '{up}', status: 'up', channels: '' }),
      },
      { method: 'DELETE', path: `${checksPath}{up}`, expect: { status: 404, body: html } },
      get(`${checksPath}{upKey}`, { status: 404, body: empty }),
      get('{upUrl}', { status: 404, body: { text: 'not found' } }),
    ],
  },
  {
    operation: 'deleteCheck',
    name: 'the response to a delete names no integrations',
    needs: 'sharedName',
    steps: [
      make('up', { channels: '*' }),
      { method: 'DELETE', path: `${checksPath}{up}`, expect: ok({ channels: '' }) },
    ],
  },
]
