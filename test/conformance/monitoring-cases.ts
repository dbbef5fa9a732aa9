import { clockCases } from './monitoring-clock-cases.ts'
import { fieldCases } from './monitoring-field-cases.ts'
import { listCases } from './monitoring-list-cases.ts'
import { logCases } from './monitoring-log-cases.ts'
import { pathCases } from './monitoring-path-cases.ts'
import { pauseCases } from './monitoring-pause-cases.ts'
import { pingCases } from './monitoring-ping-cases.ts'
import { projectCases } from './monitoring-project-cases.ts'
import { requestCases } from './monitoring-request-cases.ts'
import { type MonitoringCase, monitoringService } from './monitoring-service.ts'
import { updateCases } from './monitoring-update-cases.ts'

/** What the monitoring API answers, by its document and its server: one table for both. */
export const monitoringCases: readonly MonitoringCase[] = [
  ...requestCases,
  ...pathCases,
  ...fieldCases,
  ...updateCases,
  ...pingCases,
  ...pauseCases,
  ...clockCases,
  ...listCases,
  ...logCases,
  ...projectCases,
]

export const monitoring = monitoringService(monitoringCases)
