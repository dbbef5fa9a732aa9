import { useEffect } from 'preact/hooks'
import { readIntegrations } from '#shared/api/monitoring/read-history.ts'
import type { MonitoringAccount } from '#shared/core/account.ts'
import type { Integration } from '#shared/core/checks/integration.ts'
import { type Asked, run, useRun } from '../run.ts'
import type { CheckForm } from './use-check-form.ts'

/** The project's integrations. A new check gets them all, as it does on the service's own page. */
export function useIntegrations(
  { id }: MonitoringAccount,
  form: CheckForm,
): Asked<readonly Integration[]> {
  const asked = useRun(
    id,
    () => run(id, 'listIntegrations', {}),
    (reply) => readIntegrations(reply).items,
  )
  const { value } = asked
  const { before, draft } = form.editing
  useEffect(() => {
    if (value === null || before !== null) return
    const known = value.map((one) => one.id)
    // A choice that was made for another project is none for this one.
    const chosen = draft.integrationIds?.every((one) => known.includes(one)) ?? false
    if (!chosen) form.settle({ integrationIds: known })
  }, [value])
  return asked
}
