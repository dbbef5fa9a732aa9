import {
  type GenericSchema,
  integer,
  nullable,
  number,
  object,
  picklist,
  pipe,
  string,
} from 'valibot'
import type { Incident } from '../../shared/core/incident.ts'
import { conversation, readable } from './document-parts.ts'

const incident: GenericSchema<unknown, Incident> = object({
  accountId: string(),
  checkId: string(),
  chatId: string(),
  conversation,
  messageId: nullable(pipe(number(), integer())),
  since: number(),
  told: picklist(['new', 'up', 'grace', 'down', 'paused', 'unknown']),
  toldAt: number(),
})

export function readIncidents(document: unknown): Incident[] {
  return readable(document, incident)
}
