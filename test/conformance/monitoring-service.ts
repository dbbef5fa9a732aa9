import { createProject, type Project } from '../../src/demo/monitoring/pretend-project.ts'
import type { CheckSeed } from '../../src/demo/monitoring/project-controls.ts'
import type {
  Answer,
  Ask,
  ConformanceCase,
  ConformanceService,
  RequestStep,
  Taken,
} from './case.ts'
import { partOf } from './part-of.ts'

/** How a case's fake project differs from the usual one, which is empty. */
export interface ProjectWorld {
  readonly checkLimit?: number
  /** Such as `/hc`, for a server installed below a path. */
  readonly basePath?: string
  readonly checks?: readonly CheckSeed[]
  /** The background loop, which stores overdue checks as down, runs only by `tick`. */
  readonly loopStopped?: true
}

export type MonitoringCase = ConformanceCase<Project, ProjectWorld>

/** The start time of the fake server's clock. */
const start = Date.UTC(2026, 2, 17, 14, 25)

/** Two of them share a name on purpose. */
const integrations = [
  { id: '2f5c6b1e-0d64-4b5f-9a0e-6a5b1f1c9d01', name: 'On call', kind: 'pd' },
  { id: '5b1d3c8a-77aa-4d52-8f5e-0c2e5f6a7b02', name: 'Mail', kind: 'email' },
  { id: '9c7e2a4d-13f0-4c8e-a1b2-3d4e5f6a7b03', name: 'Mail', kind: 'slack' },
] as const

const keys = {
  readWrite: `hcw_${'a'.repeat(28)}`,
  readOnly: `hcr_${'b'.repeat(28)}`,
  other: `hcw_${'c'.repeat(28)}`,
}

/** The monitoring API, version 3, for the runner. */
export function monitoringService(
  cases: readonly MonitoringCase[],
): ConformanceService<Project, ProjectWorld> {
  return {
    name: 'monitoring',
    cases,
    levels: ['3.13', '4.3'],
    basePath: (world) => world?.basePath ?? '',
    createServer(origin, world = {}, level = '4.3') {
      let now = start
      const foreignUuids: string[] = []
      const options = {
        baseUrl: `${origin}${world.basePath ?? ''}`,
        now: () => now,
        integrations,
        version: level === '3.13' ? (3.13 as const) : (4.3 as const),
        ...(world.checkLimit === undefined ? {} : { checkLimit: world.checkLimit }),
      }
      const project = createProject({
        ...options,
        name: 'ops',
        readWriteKey: keys.readWrite,
        readOnlyKey: keys.readOnly,
        seed: 7,
        checks: world.checks ?? [],
        foreignUuids,
      })
      const other = createProject({
        ...options,
        name: 'web',
        readWriteKey: keys.other,
        readOnlyKey: null,
        seed: 8,
      })
      return {
        keys: { ...keys, ping: project.table.pingKey },
        saved: savedOf(project.table.pingKey, integrations),
        controls: project,
        pass(ms) {
          now += ms
          if (!world.loopStopped) project.tick()
        },
        handle: ({ body, ...request }) => {
          const isOther = request.headers['x-api-key'] === keys.other
          const reply = (isOther ? other : project).handle({
            ...request,
            body: body.length === 0 ? null : new TextDecoder().decode(body),
          })
          foreignUuids.splice(0, Infinity, ...other.table.checks.keys())
          return Promise.resolve(reply)
        },
      }
    },
    credentials(kind, given) {
      if (kind === 'none') return {}
      const isKnown = kind === 'readWrite' || kind === 'readOnly' || kind === 'other'
      return { 'x-api-key': isKnown ? (given[kind] ?? '') : 'x'.repeat(32) }
    },
    needs: {
      pingKey: "needs the project's ping key, which the API does not tell",
      sharedName: 'needs three integrations, two of which share a name',
    },
    async survey(ask, { ping }) {
      const page = await ask({ method: 'GET', path: '/accounts/login/', key: 'none' })
      const { json } = await ask({ method: 'GET', path: '/api/v3/channels/' })
      const level = /Healthchecks v(\d+\.\d+)/.exec(page.text)?.[1] ?? null
      return { level, saved: savedOf(ping ?? null, integrationsIn(json)) }
    },
    cleanUp,
  }
}

interface Integration {
  readonly id: string
  readonly name: string
}

/** The values that only some projects have: see `needs`. */
function savedOf(
  pingKey: string | null,
  channels: readonly Integration[],
): Readonly<Record<string, string>> {
  const namesakes = (name: string) => channels.filter((one) => one.name === name)
  const shared = channels.find(({ name }) => name !== '' && namesakes(name).length > 1)
  const single = channels.find(({ name }) => name !== '' && namesakes(name).length === 1)
  return {
    ...(pingKey === null ? {} : { pingKey }),
    ...(shared === undefined || single === undefined
      ? {}
      : {
          sharedName: shared.name,
          shared: shared.id,
          singleName: single.name,
          both: [shared.id, single.id].toSorted().join(),
          all: channels
            .map(({ id }) => id)
            .toSorted()
            .join(),
        }),
  }
}

function integrationsIn(json: unknown): Integration[] {
  const channels = partOf(json, 'channels')
  if (!Array.isArray(channels)) return []
  return channels.map((one) => ({
    id: String(partOf(one, 'id')),
    name: String(partOf(one, 'name')),
  }))
}

/**
 * Deletes by the UUID of a 201. A create without a response, or without a UUID in it, is found by
 * its name.
 */
async function cleanUp(
  taken: readonly Taken[],
  prefix: string,
  ask: Ask,
): Promise<readonly RequestStep[]> {
  const posts = taken.filter(({ method }) => method === 'POST')
  const made = taken.flatMap(({ key, answer }) =>
    answer?.status === 201 ? [{ key, uuid: partOf(answer.json, 'uuid') }] : [],
  )
  const isUnsure = posts.some(({ answer }) => answer === null) || made.some(({ uuid }) => !uuid)
  const named = isUnsure
    ? namedIn(await ask({ method: 'GET', path: '/api/v3/checks/' }), prefix)
    : []
  return [...made, ...named.map((uuid) => ({ key: 'readWrite' as const, uuid }))]
    .filter(({ uuid }) => typeof uuid === 'string')
    .map(({ key, uuid }) => ({ method: 'DELETE', path: `/api/v3/checks/${String(uuid)}`, key }))
}

function namedIn({ json }: Answer, prefix: string): unknown[] {
  const checks = partOf(json, 'checks')
  if (!Array.isArray(checks)) return []
  return checks
    .filter((one) =>
      ['name', 'slug'].some((field) => String(partOf(one, field)).startsWith(prefix)),
    )
    .map((one) => partOf(one, 'uuid'))
}
