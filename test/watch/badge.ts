import { RequestFailed } from '../../src/shared/core/failure.ts'
import type { HttpReply } from '../../src/shared/http.ts'
import type { Seeded } from '../support/seeded.ts'
import type { Service } from './service.ts'

/** What is wrong with the badge of a project for a while, though its API works. */
const badgeFaultKinds = [
  'gone',
  'failing',
  'page',
  'elsewhere',
  'slow',
  'kept',
  'wrong',
  'stuck',
] as const

export interface BadgeFault {
  /** `kept`: by a cache, which says so; `stuck`: by something that doesn't. */
  readonly kind: (typeof badgeFaultKinds)[number]
  readonly project: number
  readonly from: number
  readonly to: number
}

/** What the service counts: new and paused checks are in the total alone. */
export interface Counts {
  readonly total: number
  readonly grace: number
  readonly down: number
}

/** One look at the badge of a project. */
export interface Asked {
  readonly project: number
  /** When the response was complete; epoch ms by the computer's clock. */
  readonly at: number
  readonly counts: Counts
}

export function makeBadgeFaults(
  chance: Seeded,
  span: { readonly from: number; readonly to: number },
  projects: number,
): readonly BadgeFault[] {
  const minute = 60_000
  return Array.from({ length: chance.whole(0, 4) }, () => {
    const from = chance.whole(span.from, span.to - minute)
    const lasts = chance.pick([chance.whole(1, 5), chance.whole(5, 120)]) * minute
    const to = Math.min(span.to, from + lasts)
    return { kind: chance.pick(badgeFaultKinds), project: chance.whole(0, projects - 1), from, to }
  })
}

const badgePath = '/badge/00000000-0000-4000-8000-000000000000/AbCd-_12.json'

export function isBadge({ pathname }: URL): boolean {
  return pathname === badgePath
}

/** `GET /badges/`: the addresses by the name that the server believes to have. */
export function badgeList(): string {
  return JSON.stringify({ badges: { '*': { json3: `http://localhost:8000${badgePath}` } } })
}

export function countsOf(checks: readonly { readonly status: string }[]): Counts {
  const many = (wanted: string): number => checks.filter(({ status }) => status === wanted).length
  return { total: checks.length, grace: many('grace'), down: many('down') }
}

export function isSameCounts(one: Counts, other: Counts): boolean {
  return one.total === other.total && one.grace === other.grace && one.down === other.down
}

/** The badges of all projects; `faults`: by the computer's clock. */
export function createBadges(faults: readonly BadgeFault[], json: JsonReply) {
  const first = new Map<BadgeFault, { readonly at: number; readonly counts: Counts }>()
  const asked: Asked[] = []
  return {
    asked,
    /** `at`: by the computer's clock; `now`: by the service's. */
    answer(project: number, service: Service, at: number, now: number): HttpReply {
      const counts = countsOf(service.list(now, true) as readonly { readonly status: string }[])
      const fault = faults.find((one) => one.project === project && at >= one.from && at < one.to)
      const said = (one: Counts, sentAt = now, headers: Record<string, string> = {}): HttpReply => {
        asked.push({ project, at, counts: one })
        return json(200, JSON.stringify({ status: 'up', ...one }), sentAt, headers)
      }
      if (fault === undefined) return said(counts)
      const kept = first.get(fault) ?? { at: now, counts }
      first.set(fault, kept)
      switch (fault.kind) {
        case 'gone':
          return json(404, '<!doctype html>', now)
        case 'failing':
          return json(500, '{}', now)
        case 'page':
          return json(200, '<!doctype html>', now)
        case 'elsewhere':
          return json(302, '', now, { location: 'https://elsewhere.example/' })
        case 'slow':
          throw new RequestFailed({
            kind: 'network',
            reason: 'timeout',
            host: 'p.example',
            reached: 'maybe',
          })
        case 'kept': {
          const age = String(Math.floor((now - kept.at) / 1_000))
          return said(kept.counts, kept.at, { age })
        }
        case 'wrong':
          return said({ ...counts, total: counts.total + 1 })
        case 'stuck':
          return said(kept.counts)
      }
    },
  }
}

type JsonReply = (
  status: number,
  body: string,
  now: number,
  headers?: Record<string, string>,
) => HttpReply
