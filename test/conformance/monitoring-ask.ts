import type { Expectation, RequestStep } from './case.ts'
import type { MonitoringCase } from './monitoring-service.ts'
import { empty, html, make } from './monitoring-steps.ts'

const api = '/api/v3'

type Row = readonly [
  operation: string | null,
  name: string,
  request: RequestStep,
  worldOnly?: string,
]

/**
 * Cases with one request. A check "up", or another project's "foreign", is created if the path
 * names it.
 */
export function cases(rows: readonly Row[]): MonitoringCase[] {
  return rows.map(([operation, name, request, worldOnly]) => ({
    operation,
    name,
    steps: [
      ...(/\{up(Key)?\}/.test(request.path) ? [make('up')] : []),
      ...(/\{foreign\}/.test(request.path) ? [{ ...make('foreign'), key: 'other' as const }] : []),
      request,
    ],
    ...(worldOnly === undefined ? {} : { worldOnly }),
  }))
}

export function ask(
  method: string,
  path: string,
  expect: Expectation,
  more: Partial<RequestStep> = {},
): RequestStep {
  return { method, path: path.startsWith('/') ? path : `${api}/${path}`, expect, ...more }
}

export const nothing405 = { status: 405, body: empty } as const
export const page404 = { status: 404, body: html } as const
export const none = { key: 'none' } as const
export const readOnly = { key: 'readOnly' } as const
export const wrong = { key: 'wrong' } as const
