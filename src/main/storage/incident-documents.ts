import { type GenericSchema, nullable, number, object, string } from 'valibot'
import type { Incident } from '../../shared/core/outages/incident.ts'
import { checkStatus, conversation, numberId, readable } from './document-parts.ts'

const incident: GenericSchema<unknown, Incident> = object({
  accountId: string(),
  checkId: string(),
  chatId: string(),
  conversation,
  messageId: nullable(numberId),
  since: number(),
  told: checkStatus,
  toldAt: number(),
})

export function readIncidents(document: unknown): Incident[] {
  return readable(document, incident)
}
