import type { RequestStep } from './case.ts'
import type { MonitoringCase } from './monitoring-service.ts'
import {
  checksPath,
  empty,
  flips,
  get,
  isoSeconds,
  listOf,
  make,
  ok,
  ping,
  post,
  shows,
} from './monitoring-steps.ts'
import { fieldNames, partOf } from './part-of.ts'

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const keyShape = /^[0-9a-f]{40}$/

/** The record of `{up}` has this many fields, not counting `last_duration`. */
function fieldCount(count: number, key: 'readWrite' | 'readOnly'): RequestStep {
  return get(
    `${checksPath}{up}`,
    {
      status: 200,
      body: {
        holds({ json }) {
          const fields = fieldNames(json).filter((name) => name !== 'last_duration')
          return fields.length === count ? null : `${fields.length} fields: ${fields.join(', ')}`
        },
      },
    },
    key,
  )
}

const records: readonly MonitoringCase[] = [
  {
    operation: 'getCheck',
    name: 'a record has 29 fields, 24 with a read-only key',
    steps: [make('up'), fieldCount(29, 'readWrite'), fieldCount(24, 'readOnly')],
  },
  {
    operation: 'getCheck',
    name: 'a record with a schedule has one more',
    steps: [
      make('up', { schedule: '0 3 * * *' }),
      fieldCount(30, 'readWrite'),
      fieldCount(25, 'readOnly'),
    ],
  },
  {
    operation: 'getCheck',
    name: 'a read-write key gets the UUID and the addresses, but no unique key',
    steps: [
      make('up'),
      shows('up', {
        uuid: uuidShape,
        ping_url: /\/[0-9a-f-]{36}$/,
        update_url: /\/api\/v3\/checks\/[0-9a-f-]{36}$/,
        pause_url: /\/pause$/,
        resume_url: /\/resume$/,
        badge_url: /\/b\/2\/[0-9a-f-]{36}\.svg$/,
        unique_key: undefined,
      }),
    ],
  },
  {
    operation: 'getCheck',
    name: 'a read-only key gets the unique key, which is a hash of the UUID, but no address',
    steps: [
      make('up'),
      shows(
        'up',
        {
          unique_key: '{upKey}',
          uuid: undefined,
          ping_url: undefined,
          update_url: undefined,
          channels: undefined,
        },
        'readOnly',
      ),
    ],
  },
  {
    operation: 'getCheck',
    name: 'the shape of a record follows the key, not the identifier',
    steps: [make('up'), get(`${checksPath}{upKey}`, ok({ uuid: '{up}', unique_key: undefined }))],
  },
]

const three = [
  make('a', { tags: '{prefix}x {prefix}y', slug: '{prefix}' }),
  make('b', { tags: '{prefix}x', slug: '{prefix}' }),
  make('c', { tags: '{prefix}x,{prefix}y' }),
]

function listed(query: NonNullable<RequestStep['query']>, names: readonly string[]): RequestStep {
  return {
    method: 'GET',
    path: checksPath,
    query,
    expect: { status: 200, body: listOf(names) },
  }
}

const filters: readonly (readonly [string, NonNullable<RequestStep['query']>, string[]])[] = [
  ['without a filter has all', {}, ['a', 'b', 'c']],
  ['by a tag has those that carry it', { tag: '{prefix}x' }, ['a', 'b']],
  ['by two tags has those that carry both', { tag: ['{prefix}x', '{prefix}y'] }, ['a']],
  ['by an unused tag has none', { tag: ['{prefix}x', '{prefix}z'] }, []],
  ['by a tag is case-sensitive', { tag: '{prefix}X' }, []],
  ['by part of a tag has none', { tag: '{prefix}' }, []],
  ['by a tag with a comma has exactly that tag', { tag: '{prefix}x,{prefix}y' }, ['c']],
  ['by a tag with a space has none', { tag: '{prefix}x {prefix}y' }, []],
  ['by an empty tag has none', { tag: '' }, []],
  ['by slug has all that share it', { slug: '{prefix}' }, ['a', 'b']],
  ['by an empty slug is not filtered', { slug: '' }, ['a', 'b', 'c']],
  ['by slug is exact', { slug: '{prefix}x' }, []],
  ['by slug and tag has those with both', { slug: '{prefix}', tag: '{prefix}y' }, ['a']],
  ['ignores unknown parameters', { status: 'down' }, ['a', 'b', 'c']],
]

const lists: readonly MonitoringCase[] = [
  ...filters.map(
    ([name, query, names]): MonitoringCase => ({
      operation: 'listChecks',
      name: `a list ${name}`,
      steps: [...three, listed(query, names)],
    }),
  ),
  {
    operation: 'listChecks',
    name: 'a read-only list identifies checks by unique key',
    steps: [
      make('a', { tags: '{prefix}only' }),
      {
        method: 'GET',
        path: checksPath,
        key: 'readOnly',
        query: { tag: '{prefix}only' },
        expect: ok({ checks: [{ unique_key: keyShape, uuid: undefined }] }),
      },
    ],
  },
]

function flipFilter(query: string, expected: 'all' | 'none' | 'refused'): MonitoringCase {
  return {
    operation: 'listFlips',
    name: `flips with ?${query}: ${expected}`,
    steps: [
      make('up'),
      ping('up'),
      get(
        `${checksPath}{up}/flips/?${query}`,
        expected === 'refused'
          ? { status: 400, body: empty }
          : ok({ flips: expected === 'all' ? [{ up: 1 }] : [] }),
      ),
    ],
  }
}

const flipLists: readonly MonitoringCase[] = [
  flipFilter('seconds=', 'all'),
  flipFilter('seconds=0', 'all'),
  flipFilter('seconds=3600.0', 'all'),
  flipFilter('seconds=31536000', 'all'),
  flipFilter('seconds=31536001', 'refused'),
  flipFilter('seconds=-1', 'refused'),
  flipFilter('seconds=soon', 'refused'),
  flipFilter('start=0', 'all'),
  flipFilter('start=10000000000', 'none'),
  flipFilter('start=10000000001', 'refused'),
  flipFilter('start=', 'refused'),
  flipFilter('start=1.5', 'refused'),
  flipFilter('end=0', 'none'),
  flipFilter('end=10000000000', 'all'),
  flipFilter('end=', 'refused'),
  flipFilter('end=soon', 'refused'),
  flipFilter('start=0&end=10000000000&seconds=3600', 'all'),
  flipFilter('start=0&end=0&seconds=3600', 'none'),
  {
    operation: 'listFlips',
    name: 'flips are newest first, and only a change to up counts as up',
    steps: [
      make('up'),
      ping('up'),
      ping('up'),
      ping('up', '/fail'),
      ping('up'),
      post(`${checksPath}{up}/pause`, { status: 200 }),
      flips('up', [0, 1, 0, 1]),
    ],
  },
  {
    operation: 'listFlips',
    name: 'flips are the same with either key and identifier',
    steps: [
      make('up'),
      ping('up'),
      get(`${checksPath}{upKey}/flips/`, ok({ flips: [{ up: 1, timestamp: isoSeconds }] })),
      get(`${checksPath}{up}/flips/`, ok({ flips: [{ up: 1 }] }), 'readOnly'),
    ],
  },
  {
    operation: 'listFlips',
    name: 'a start is included, an end is not, and seconds count back from now',
    steps: [
      make('up'),
      ping('up'),
      {
        ...get(`${checksPath}{up}/flips/`, ok({ flips: [{ up: 1 }] })),
        save: { at: ({ json }) => unixSeconds(partOf(json, 'flips', '0', 'timestamp')) },
      },
      { passMs: 30_000 },
      ...(
        [
          ['start={at}', 1],
          ['end={at}', 0],
          ['seconds=60', 1],
          ['seconds=29', 0],
        ] as const
      ).map(([query, count]) =>
        get(
          `${checksPath}{up}/flips/?${query}`,
          ok({ flips: Array.from({ length: count }, () => ({ up: 1 })) }),
        ),
      ),
    ],
  },
]

/** The flip's time, truncated to seconds, to which `start` and `end` are compared untruncated. */
function unixSeconds(time: unknown): string {
  return String(Date.parse(String(time)) / 1000)
}

/** Records, lists of checks and their filters, flips. */
export const listCases: readonly MonitoringCase[] = [...records, ...lists, ...flipLists]
