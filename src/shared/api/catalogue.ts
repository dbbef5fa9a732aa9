import { chatOperations } from './chat.ts'
import { monitoringOperations } from './monitoring.ts'

/** Every operation of both services, by its name: what `run` can do and the palette can offer. */
export const catalogue = { ...monitoringOperations, ...chatOperations }

export type OperationId = keyof typeof catalogue
