import * as v from 'valibot'
import type { AccountId } from '../../shared/core/account.ts'
import {
  type CheckRuns,
  oddKinds,
  type ProjectRuns,
} from '../../shared/core/attention/runs/usual-runs.ts'
import type { CheckId } from '../../shared/core/checks/check.ts'
import { inPart, readableItems } from '../../shared/core/schemas.ts'

const nullable = v.nullable(v.number())
const seconds = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0)))

/** A check's runs: compact, as there may be thousands. */
const row = v.tuple([
  v.string(),
  nullable,
  v.number(),
  nullable,
  nullable,
  v.nullable(v.picklist(oddKinds)),
  v.array(seconds),
])
const runsOfProject = v.tuple([v.string(), inPart(v.array(row))])

export function runRows(learned: ProjectRuns['learned']): readonly v.InferInput<typeof row>[] {
  return [...learned].map(([id, { endedAt, pings, dueAt, runningSince, odd, took }]) => [
    ...([id, endedAt, pings, dueAt, runningSince, odd] as const),
    [...took],
  ])
}

export function readRuns(
  onDisk: unknown,
  onLost?: () => void,
): ReadonlyMap<AccountId, ReadonlyMap<CheckId, CheckRuns>> {
  return new Map(
    readableItems(runsOfProject, onDisk, onLost).map(([accountId, rows]) => [
      accountId,
      new Map(
        rows.map(([id, endedAt, pings, dueAt, runningSince, odd, took]) => [
          id,
          { endedAt, pings, dueAt, runningSince, odd, took },
        ]),
      ),
    ]),
  )
}
