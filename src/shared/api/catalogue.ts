import { chatOperations } from './chat/chat-operations.ts'
import {
  monitoringOperations,
  monitoringPingOperations,
} from './monitoring/monitoring-operations.ts'

/** Every operation of both services, by its name: what `run` can do and the palette can offer. */
export const catalogue = {
  ...monitoringOperations,
  ...monitoringPingOperations,
  ...chatOperations,
}

export type OperationId = keyof typeof catalogue
