import * as v from 'valibot'
import type { AccountId } from '../../shared/core/account.ts'
import type { LastBoard } from '../../shared/core/checks/board.ts'
import {
  type Check,
  noChecks,
  type StatusCounts,
  statusOrder,
} from '../../shared/core/checks/check.ts'
import { idSchema, inPart, timeSchema } from '../../shared/core/schemas.ts'

const status = v.picklist(statusOrder)
const nullable = v.nullable(v.number())

const checkSchema: v.GenericSchema<unknown, Check> = v.object({
  id: idSchema,
  writable: v.boolean(),
  name: v.string(),
  slug: v.nullable(v.string()),
  tags: v.array(v.string()),
  status,
  rawStatus: v.string(),
  started: v.boolean(),
  lastPingAt: v.nullable(timeSchema),
  nextPingAt: v.nullable(timeSchema),
  schedule: v.variant('kind', [
    v.object({ kind: v.literal('period'), periodSeconds: v.number() }),
    v.object({
      kind: v.picklist(['cron', 'onCalendar']),
      expression: v.string(),
      zone: v.string(),
    }),
  ]),
  graceSeconds: v.number(),
  pingCount: v.number(),
  lastDurationSeconds: nullable,
  manualResume: v.boolean(),
  hasRunbook: v.optional(v.boolean(), false),
  since: v.nullable(timeSchema),
})

export const lastBoardSchema: v.GenericSchema<unknown, readonly [AccountId, LastBoard]> = v.tuple([
  idSchema,
  v.object({
    readAt: timeSchema,
    serverOffsetMs: v.number(),
    counts: v.pipe(
      v.partial(v.object(Object.fromEntries(statusOrder.map((one) => [one, v.number()])))),
      v.transform((counts): StatusCounts => ({ ...noChecks, ...counts })),
    ),
    checks: inPart(v.array(checkSchema)),
  }),
])
