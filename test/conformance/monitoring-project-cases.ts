import { createFields } from '../../src/shared/api/monitoring/write-check.ts'
import { draftOfJob, readCrontab } from '../../src/shared/core/checks/crontab.ts'
import { fiftyChecks, fiftyLines } from '../support/fifty-lines.ts'
import type { Answer, RequestStep, Saved } from './case.ts'
import type { MonitoringCase } from './monitoring-service.ts'
import {
  checksPath,
  error,
  fieldOf,
  get,
  html,
  itemsOf,
  make,
  ok,
  ping,
  post,
} from './monitoring-steps.ts'
import { fieldNames, partOf } from './part-of.ts'

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What Belfry makes of each job of a crontab; the names lack the run's prefix. */
const imported = readCrontab(fiftyLines, {
  zone: 'Europe/Berlin',
  hasUsers: false,
  now: Date.UTC(2026, 10, 23, 12),
}).jobs.map((job) => createFields(draftOfJob(job, '{prefix}')))

const importCases: readonly MonitoringCase[] = [
  {
    operation: 'createCheck',
    name: 'a crontab of fifty jobs becomes fifty checks as suggested',
    steps: [
      ...imported.map(({ name, ...fields }, n) => ({
        ...make(`job${n}`, { ...fields, name: `{prefix} ${name}` }),
        expect: { status: 201, body: { like: { name: `{prefix} ${name}`, status: 'new' } } },
      })),
      get(`${checksPath}?tag={prefix}`, {
        status: 200,
        body: {
          holds(answer, { prefix }) {
            const found = itemsOf(answer, 'checks').map(({ name, schedule, tz, grace }) =>
              JSON.stringify([name, schedule, tz, Number(grace) / 60]),
            )
            const lacking = fiftyChecks
              .map(([name, ...rest]) => JSON.stringify([`${prefix} ${name}`, ...rest]))
              .filter((one) => !found.includes(one))
            return found.length === 50 && lacking.length === 0
              ? null
              : `lists ${found.length}, and lacks ${lacking.join(', ') || 'none'}`
          },
        },
      }),
    ],
  },
]

const projectLists: readonly MonitoringCase[] = [
  {
    operation: 'listIntegrations',
    name: 'integrations have a UUID, a name and a kind',
    steps: [
      get('/api/v3/channels/', {
        status: 200,
        body: {
          holds(answer) {
            const odd = itemsOf(answer, 'channels').find(
              ({ id, name, kind }) =>
                !uuidShape.test(String(id)) || typeof name !== 'string' || typeof kind !== 'string',
            )
            return odd === undefined ? null : JSON.stringify(odd)
          },
        },
      }),
    ],
  },
  {
    operation: 'listIntegrations',
    name: 'integrations may share a name',
    needs: 'sharedName',
    steps: [
      get('/api/v3/channels/', {
        status: 200,
        body: {
          holds(answer, { sharedName }) {
            const same = itemsOf(answer, 'channels').filter(({ name }) => name === sharedName)
            return same.length > 1 ? null : `${same.length} named ${sharedName}`
          },
        },
      }),
    ],
  },
  {
    operation: 'listBadges',
    name: 'badges exist for the project and for each tag',
    steps: [
      make('up', { tags: '{prefix}' }),
      get('/api/v3/badges/', {
        status: 200,
        body: {
          holds({ json }, saved) {
            const all = partOf(json, 'badges')
            const ours = partOf(all, saved['prefix'] ?? '')
            const formats = fieldNames(ours).toSorted().join()
            if (formats !== 'json,json3,shields,shields3,svg,svg3') return `has ${formats}`
            return fieldNames(all).includes('*') ? null : 'has none for the project'
          },
        },
      }),
    ],
  },
  {
    operation: 'listBadges',
    name: 'badges are the same with a read-only key',
    steps: [
      get(
        '/api/v3/badges/',
        ok({ badges: (all: unknown) => fieldNames(all).includes('*') }),
        'readOnly',
      ),
    ],
  },
]

/** The address of the badge of the tag `{prefix}`. */
const badgeOf =
  (format: string) =>
  ({ json }: Answer, { prefix = '' }: Saved): string =>
    String(partOf(json, 'badges', prefix, format))

const badgeOfProject = ({ json }: Answer): string => String(partOf(json, 'badges', '*', 'json3'))

/** What the badge of the project has to say by a list of its checks. */
function countsInList(answer: Answer): string {
  const checks = itemsOf(answer, 'checks')
  const many = (wanted: string): number => checks.filter(({ status }) => status === wanted).length
  const [grace, down] = [many('grace'), many('down')]
  const status = down > 0 ? 'down' : grace > 0 ? 'late' : 'up'
  return JSON.stringify({ status, total: checks.length, grace, down })
}

/** Finds the badge of the tag `{prefix}` and opens it without a key. */
function badge(name: string, format: string, signals: readonly RequestStep[], like: unknown) {
  const found: MonitoringCase = {
    operation: 'listBadges',
    name: `a badge ${name}`,
    steps: [
      make('up', { tags: '{prefix}' }),
      ...signals,
      {
        method: 'GET',
        path: '/api/v3/badges/',
        save: { badge: badgeOf(format) },
      },
      get('{badge}', { status: 200, body: { like } }, 'none'),
    ],
  }
  return found
}

const badges: readonly MonitoringCase[] = [
  badge('counts a new check as up', 'json', [], { status: 'up', total: 1, grace: 0, down: 0 }),
  badge('counts a paused check as up', 'json3', [post(`${checksPath}{up}/pause`, ok({}))], {
    status: 'up',
    total: 1,
    down: 0,
  }),
  badge('shows that a check is down', 'json', [ping('up', '/fail')], { status: 'down', down: 1 }),
  badge('for shields.io has a colour', 'shields3', [ping('up', '/fail')], {
    schemaVersion: 1,
    label: /./,
    message: 'down',
    color: 'critical',
  }),
  {
    operation: 'listBadges',
    name: 'a late check is up in a badge with two states, and late in one with three',
    steps: [
      make('up', { timeout: 60, grace: 60, tags: '{prefix}' }),
      ping('up'),
      { passMs: 60_000 },
      {
        method: 'GET',
        path: '/api/v3/badges/',
        save: { two: badgeOf('json'), three: badgeOf('json3') },
      },
      get('{two}', ok({ status: 'up', grace: 1 }), 'none'),
      get('{three}', ok({ status: 'late', grace: 1 }), 'none'),
    ],
  },
  {
    operation: 'listBadges',
    name: 'the badge of the project counts its checks by the status in their list, and is not cached',
    steps: [
      make('late', { timeout: 60, grace: 3_600 }),
      ping('late'),
      ...['down', 'downRunning', 'running', 'paused', 'new'].map((name) => make(name)),
      ...[ping('down', '/fail'), ping('downRunning', '/fail'), ping('downRunning', '/start')],
      ...[ping('running'), ping('running', '/start')],
      post(`${checksPath}{paused}/pause`, ok({})),
      { passMs: 60_000 },
      { method: 'GET', path: '/api/v3/badges/', save: { badge: badgeOfProject } },
      { method: 'GET', path: checksPath, save: { counts: countsInList } },
      get(
        '{badge}',
        {
          status: 200,
          headers: { 'cache-control': /no-cache.*no-store/ },
          body: {
            holds: ({ text }, { counts = '' }) =>
              JSON.stringify(JSON.parse(text)) === counts ? null : `says ${text}, not ${counts}`,
          },
        },
        'none',
      ),
    ],
  },
  {
    operation: 'listBadges',
    name: 'the picture of a check needs no key and is not cached',
    steps: [
      { ...make('up'), save: { picture: (answer) => fieldOf(answer, 'badge_url') } },
      get(
        '{picture}',
        {
          status: 200,
          headers: { 'content-type': /svg/, 'cache-control': /no-cache/ },
          body: { text: /<svg/ },
        },
        'none',
      ),
    ],
  },
  {
    operation: 'listBadges',
    name: 'a tag’s name is encoded twice in the address of its badge',
    steps: [
      make('up', { tags: '{prefix}@x' }),
      {
        method: 'GET',
        path: '/api/v3/badges/',
        expect: ok({ badges: (all: unknown) => /[0-9a-f]%2540x\.json/.test(JSON.stringify(all)) }),
        save: {
          encoded: ({ text }) => /"(http[^"]*%2540x\.json)"/.exec(text)?.[1] ?? '',
        },
      },
      get('{encoded}', ok({ status: 'up', total: 1 })),
    ],
  },
  {
    operation: 'listBadges',
    name: 'without its "-2", the badge with two states becomes that with three',
    steps: [
      {
        method: 'GET',
        path: '/api/v3/badges/',
        save: {
          three: ({ json }) => String(partOf(json, 'badges', '*', 'svg')).replace('-2.', '.'),
        },
      },
      get('{three}', { status: 200, body: { text: /<svg/ } }),
    ],
  },
  {
    operation: 'listBadges',
    name: 'a badge with a wrong signature isn’t found',
    steps: [
      {
        method: 'GET',
        path: '/api/v3/badges/',
        save: {
          forged: ({ json }) =>
            String(partOf(json, 'badges', '*', 'svg')).replace(
              /\/[\w-]{8}(-2)?(\.svg)$/,
              '/00000000$1$2',
            ),
        },
      },
      get('{forged}', { status: 404 }, 'none'),
    ],
  },
]

const faults: readonly MonitoringCase[] = [
  {
    operation: 'listChecks',
    name: 'too many requests are refused by the proxy, without JSON and without a time',
    worldOnly: 'would take more requests than a service likes',
    steps: [
      { control: (project) => project.controls.rateLimit(true) },
      get(checksPath, {
        status: 429,
        headers: { 'retry-after': null, 'content-type': /text/ },
        body: { text: /too many/i },
      }),
    ],
  },
  {
    operation: 'listChecks',
    name: 'a failing server answers with a page',
    pretendOnly: 'a real one is not in trouble when asked to',
    steps: [
      { control: (project) => project.controls.refuse(503) },
      get(checksPath, { status: 503, body: html }),
      { control: (project) => project.controls.refuse(null) },
      get(checksPath, { status: 200 }),
    ],
  },
  {
    operation: 'listChecks',
    name: 'a revoked key is wrong',
    worldOnly: 'needs a key that is taken back',
    steps: [
      { control: (project) => project.controls.refuse(401) },
      get(checksPath, error(401, 'wrong api key')),
    ],
  },
]

/** Cases about the project: integrations, badges, and a failing server. */
export const projectCases: readonly MonitoringCase[] = [
  ...projectLists,
  ...importCases,
  ...badges,
  ...faults,
]
