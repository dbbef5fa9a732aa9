import { createProject, type Project } from '../../src/demo/monitoring/pretend-project.ts'
import type { CheckSeed } from '../../src/demo/monitoring/project-controls.ts'
import type { ConformanceCase, ConformanceService } from './case.ts'

/** How a case's pretend project differs from the ordinary one, which is empty. */
export interface ProjectWorld {
  readonly checkLimit?: number
  /** Such as `/hc`: a server installed below a path. */
  readonly basePath?: string
  readonly checks?: readonly CheckSeed[]
}

export type MonitoringCase = ConformanceCase<Project, ProjectWorld>

/** When the pretend server's clock begins. */
const start = Date.UTC(2026, 2, 17, 14, 25)

/** A check of another project on the pretend server. */
export const foreignUuid = 'abcdef11-2222-4333-8444-555555555555'

/** Two of them share a name on purpose. */
export const integrations = [
  { id: '2f5c6b1e-0d64-4b5f-9a0e-6a5b1f1c9d01', name: 'On call', kind: 'pd' },
  { id: '5b1d3c8a-77aa-4d52-8f5e-0c2e5f6a7b02', name: 'Mail', kind: 'email' },
  { id: '9c7e2a4d-13f0-4c8e-a1b2-3d4e5f6a7b03', name: 'Mail', kind: 'slack' },
] as const

const readWrite = `hcw_${'a'.repeat(28)}`
const readOnly = `hcr_${'b'.repeat(28)}`

/** The monitoring API, version 3, for the runner. */
export function monitoringService(
  cases: readonly MonitoringCase[],
): ConformanceService<Project, ProjectWorld> {
  return {
    name: 'monitoring',
    cases,
    basePath: (world) => world?.basePath ?? '',
    createServer(origin, world = {}) {
      let now = start
      const project = createProject({
        baseUrl: `${origin}${world.basePath ?? ''}`,
        name: 'ops',
        readWriteKey: readWrite,
        readOnlyKey: readOnly,
        now: () => now,
        seed: 7,
        checks: world.checks ?? [],
        integrations,
        foreignUuids: [foreignUuid],
        ...(world.checkLimit === undefined ? {} : { checkLimit: world.checkLimit }),
      })
      return {
        keys: { readWrite, readOnly },
        controls: project,
        pass(ms) {
          now += ms
        },
        handle: ({ body, ...request }) =>
          Promise.resolve(
            project.handle({
              ...request,
              body: body.length === 0 ? null : new TextDecoder().decode(body),
            }),
          ),
      }
    },
    credentials(kind, keys) {
      if (kind === 'none') return {}
      if (kind === 'wrong') return { 'x-api-key': 'x'.repeat(32) }
      return { 'x-api-key': kind === 'readWrite' ? keys.readWrite : (keys.readOnly ?? '') }
    },
    cleanUp: (taken) =>
      taken
        .filter(({ method, answer }) => method === 'POST' && answer.status === 201)
        .map(({ answer }) => uuidIn(answer.json))
        .filter((uuid) => uuid !== null)
        .map((uuid) => ({ method: 'DELETE', path: `/api/v3/checks/${uuid}` })),
  }
}

function uuidIn(record: unknown): string | null {
  if (typeof record !== 'object' || record === null || !('uuid' in record)) return null
  return typeof record.uuid === 'string' ? record.uuid : null
}
