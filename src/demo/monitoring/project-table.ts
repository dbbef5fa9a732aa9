import { type Random, randomUuid } from '../random.ts'
import { defaultFields, type StoredCheck } from './project-check.ts'
import { findIntegrations, type StoredIntegration, type Written } from './project-rules.ts'
import { parseSchedule } from './schedule.ts'

/** What the pretend server keeps for one project. */
export interface ProjectTable {
  /** Origin and path, without a trailing slash. */
  readonly baseUrl: string
  readonly name: string
  readonly readWriteKey: string
  /** Null: this project has no read-only key. */
  readonly readOnlyKey: string | null
  /** First part of the slug form of ping addresses. */
  readonly pingKey: string
  readonly badgeKey: string
  readonly integrations: readonly StoredIntegration[]
  /** Uuids of checks that another project of the same server has: 403 instead of 404. */
  readonly foreignUuids: ReadonlySet<string>
  readonly checkLimit: number
  readonly random: Random
  /** Epoch ms. */
  readonly now: () => number
  /** By uuid, in the order of creation. */
  readonly checks: Map<string, StoredCheck>
}

export function newCheck(table: ProjectTable, fields: Partial<StoredCheck['fields']>): StoredCheck {
  const all = { ...defaultFields, ...fields }
  const check: StoredCheck = {
    uuid: randomUuid(table.random),
    badgeKey: randomUuid(table.random),
    fields: all,
    nextRun: all.schedule === null ? null : parseSchedule(all.schedule, all.tz),
    integrationIds: new Set(),
    status: 'new',
    lastPingAt: null,
    startedAt: null,
    startedRunId: null,
    lastDurationMs: null,
    pingCount: 0,
    pings: [],
    flips: [],
    attended: true,
  }
  table.checks.set(check.uuid, check)
  return check
}

/** Applies a valid body to a check, or tells the error about its integrations, leaving it untouched. */
export function writeCheck(
  table: ProjectTable,
  written: Written,
  check: StoredCheck | null,
): StoredCheck | { error: string } {
  const found =
    written.channels === null ? null : findIntegrations(written.channels, table.integrations)
  if (found !== null && 'error' in found) return found
  const target = check ?? newCheck(table, {})
  target.fields = { ...target.fields, ...written.fields }
  const { schedule, tz } = target.fields
  target.nextRun = schedule === null ? null : parseSchedule(schedule, tz)
  if (found !== null) target.integrationIds = found.ids
  return target
}
