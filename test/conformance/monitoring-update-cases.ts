import type { MonitoringCase } from './monitoring-service.ts'
import {
  briefly,
  checksPath,
  error,
  invalid,
  listOf,
  make,
  ok,
  post,
  shows,
} from './monitoring-steps.ts'

const long = (length: number) => 'x'.repeat(length)

/** Updates have the same rules as creates: enough of them to see that. */
const updates: readonly MonitoringCase[] = [
  ...(
    [
      [{ timeout: 59 }, 'timeout is too small'],
      [{ grace: 31_536_001 }, 'grace is too large'],
      [{ name: long(101) }, 'name is too long'],
      [{ unique: ['desc'] }, "an item in 'unique' has unexpected value"],
      [{ tz: '' }, 'tz is not a valid timezone'],
    ] as const
  ).map(
    ([fields, reason]): MonitoringCase => ({
      operation: 'updateCheck',
      name: `an update with ${briefly(fields)} is refused: ${reason}`,
      steps: [make('up'), post(`${checksPath}{up}`, invalid(reason), fields)],
    }),
  ),
  {
    operation: 'updateCheck',
    name: 'an update changes only what was sent',
    steps: [
      make('up', { slug: 'kept', desc: 'kept', timeout: 600, grace: 60 }),
      post(
        `${checksPath}{up}`,
        ok({ name: '{prefix} up', slug: 'kept', desc: 'kept', timeout: 600, tags: 'x' }),
        { tags: 'x' },
      ),
    ],
  },
  {
    operation: 'updateCheck',
    name: 'an update with one bad field changes nothing',
    steps: [
      make('up', { tags: 'kept' }),
      post(`${checksPath}{up}`, invalid('timeout is too small'), { tags: 'x', timeout: 1 }),
      shows('up', { tags: 'kept' }),
    ],
  },
  {
    operation: 'updateCheck',
    name: 'a new name leaves the slug as it is',
    steps: [
      make('up', { slug: 'kept' }),
      post(`${checksPath}{up}`, ok({ slug: 'kept' }), { name: '{prefix} Other' }),
    ],
  },
  {
    operation: 'updateCheck',
    name: 'below a path, the server is version 1, where a new name makes a new slug',
    worldOnly: 'needs a server installed below a path',
    world: { basePath: '/hc' },
    steps: [
      make('up', { slug: 'kept' }),
      post(`${checksPath}{up}`, ok({ slug: 'new-name', update_url: /\/hc\/api\/v1\/checks\// }), {
        name: 'New Name!',
      }),
    ],
  },
  {
    operation: 'updateCheck',
    name: 'a period turns a cron check into a simple one, and a schedule back, its zone kept',
    steps: [
      make('up', { schedule: '0 3 * * *', tz: 'Europe/Berlin' }),
      post(`${checksPath}{up}`, ok({ timeout: 600, schedule: undefined }), { timeout: 600 }),
      post(`${checksPath}{up}`, ok({ schedule: 'Mon 9:00', tz: 'Europe/Berlin' }), {
        schedule: 'Mon 9:00',
      }),
    ],
  },
  {
    operation: 'updateCheck',
    name: 'a zone alone changes only the zone',
    steps: [
      make('up', { schedule: '0 3 * * *' }),
      post(`${checksPath}{up}`, ok({ schedule: '0 3 * * *', tz: 'Asia/Tokyo' }), {
        tz: 'Asia/Tokyo',
      }),
    ],
  },
  {
    operation: 'updateCheck',
    name: '"unique" has no effect on an update',
    steps: [
      make('up'),
      make('other'),
      post(`${checksPath}{up}`, ok({ uuid: '{up}' }), {
        name: '{prefix} other',
        unique: ['name'],
      }),
    ],
  },
]

const upserts: readonly MonitoringCase[] = [
  {
    operation: 'createCheck',
    name: 'an upsert that matches updates, and answers 200',
    steps: [
      make('up'),
      post(checksPath, ok({ uuid: '{up}', grace: 900 }), {
        name: '{prefix} up',
        grace: 900,
        unique: ['name'],
      }),
    ],
  },
  {
    operation: 'createCheck',
    name: 'an upsert must match in every listed field',
    steps: [
      make('up', { tags: 'a' }),
      post(
        checksPath,
        { status: 201 },
        {
          name: '{prefix} up',
          tags: 'b',
          unique: ['name', 'tags'],
        },
      ),
    ],
  },
  {
    operation: 'createCheck',
    name: 'an upsert by a field that was not sent makes a new check',
    steps: [
      make('up'),
      post(checksPath, { status: 201 }, { name: '{prefix} up', unique: ['name', 'slug'] }),
    ],
  },
  {
    operation: 'createCheck',
    name: 'an upsert by slug, period and grace',
    steps: [
      make('up', { slug: '{prefix}', timeout: 600, grace: 120 }),
      post(checksPath, ok({ uuid: '{up}', name: '{prefix} renamed' }), {
        name: '{prefix} renamed',
        slug: '{prefix}',
        timeout: 600,
        grace: 120,
        unique: ['slug', 'timeout', 'grace'],
      }),
    ],
  },
  {
    operation: 'createCheck',
    name: 'without "unique", the same name makes a second check',
    steps: [make('up'), make('up')],
  },
  {
    operation: 'createCheck',
    name: 'beyond the limit of checks, a create is 403, but validation and a matching upsert come first',
    worldOnly: 'needs a project at its limit of checks',
    world: { checkLimit: 1 },
    steps: [
      make('up'),
      post(checksPath, { status: 403, body: { is: 'empty' } }, {}),
      post(checksPath, invalid('grace is too small'), { grace: 1 }),
      post(checksPath, ok({ uuid: '{up}' }), { name: '{prefix} up', unique: ['name'] }),
    ],
  },
]

const channels: readonly MonitoringCase[] = [
  {
    operation: 'createCheck',
    name: 'a missing integration is refused, and nothing is created',
    steps: [
      post(checksPath, error(400, 'invalid channel identifier: {prefix} nobody'), {
        name: '{prefix} up',
        channels: '{prefix} nobody',
      }),
      {
        method: 'GET',
        path: checksPath,
        expect: { status: 200, body: listOf([]) },
      },
    ],
  },
  {
    operation: 'updateCheck',
    name: 'an update with a bad integration changes nothing else either',
    steps: [
      make('up', { tags: 'kept' }),
      post(`${checksPath}{up}`, error(400, 'invalid channel identifier: {prefix} nobody'), {
        tags: 'x',
        channels: '{prefix} nobody',
      }),
      shows('up', { tags: 'kept' }),
    ],
  },
  ...(
    [
      [
        'an integration by a name that two have is refused',
        '{sharedName}',
        'non-unique channel identifier: {sharedName}',
      ],
      ['a comma too many is an empty identifier', '{shared},', 'empty channel identifier'],
    ] as const
  ).map(
    ([name, given, text]): MonitoringCase => ({
      operation: 'createCheck',
      name,
      needs: 'sharedName',
      steps: [post(checksPath, error(400, text), { channels: given })],
    }),
  ),
  {
    operation: 'createCheck',
    name: 'integrations by name and UUID come back as sorted UUIDs',
    needs: 'sharedName',
    steps: [
      post(
        checksPath,
        { status: 201, body: { like: { channels: '{both}' } } },
        { channels: '{shared},{singleName}' },
      ),
    ],
  },
  {
    operation: 'updateCheck',
    name: 'a star assigns all integrations, an empty text none, and leaving it out keeps them',
    needs: 'sharedName',
    steps: [
      make('up', { channels: '*' }),
      post(`${checksPath}{up}`, ok({ channels: '{all}' }), { tags: 'x' }),
      post(`${checksPath}{up}`, ok({ channels: '' }), { channels: '' }),
    ],
  },
]

/** Updates, upserts and the integrations of a check. */
export const updateCases: readonly MonitoringCase[] = [...updates, ...upserts, ...channels]
