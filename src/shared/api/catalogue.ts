import { chatOperations } from './chat/chat-operations.ts'
import {
  monitoringOperations,
  monitoringPingOperations,
} from './monitoring/monitoring-operations.ts'

/** Every operation of both services by name: what `run` accepts and the palette offers. */
export const catalogue = {
  ...monitoringOperations,
  ...monitoringPingOperations,
  ...chatOperations,
}

export type OperationId = keyof typeof catalogue
