import type { AccountId } from '#shared/core/account.ts'
import type { PlannedLine } from '#shared/core/attention/maintenance/maintenance.ts'
import {
  comingFirst,
  type PlannedMaintenance,
  timesWords,
} from '#shared/core/attention/maintenance/planned.ts'
import type { Check } from '#shared/core/checks/check.ts'
import type { Failure } from '#shared/core/failure.ts'
import { defined } from '#shared/core/schemas.ts'
import { atClockWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { SmallButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { toast, toastFailure, undo } from '../toast.ts'
import { appState, now } from '../window-state.ts'

/** Plans a maintenance. Returns why that failed, or null after a toast that reports it. */
export async function planMaintenance({
  scope,
  name,
  when,
  reason,
}: PlannedLine): Promise<Failure | null> {
  const result = await call.planMaintenance({ scope, when, ...defined({ reason }) })
  if (!result.ok) return result.failure
  const { id } = result.value
  toast(
    `Planned maintenance of ${name} ${timesWords(when)}.`,
    'done',
    undo(async () => {
      const cancelled = await call.cancelPlanned({ id })
      if (!cancelled.ok) toastFailure(cancelled.failure)
    }),
  )
  return null
}

async function cancel({ id, label, ...plan }: PlannedMaintenance): Promise<void> {
  const result = await call.cancelPlanned({ id })
  if (!result.ok) return toastFailure(result.failure)
  const again = async () => {
    const planned = await call.planMaintenance(plan)
    if (!planned.ok) toastFailure(planned.failure)
  }
  toast(`Removed the planned maintenance of ${label}.`, 'done', undo(again))
}

/** All that is planned, the next one first. */
export function PlannedList() {
  const coming = comingFirst(appState.value.planned, now.value)
  if (coming.length === 0) return null
  return (
    <section class="planned" aria-label="Planned">
      <h3>Planned</h3>
      <ul>
        {coming.map(({ plan, from }) => (
          <li key={plan.id}>
            <div>
              <bdi class="one-line">{plan.label}</bdi>
              <PlannedWords plan={plan} from={from} />
            </div>
            <SmallButton aria-label={`Remove: ${plan.label}`} onClick={() => void cancel(plan)}>
              Remove
            </SmallButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

function PlannedWords({
  plan,
  from,
}: {
  readonly plan: PlannedMaintenance
  readonly from: number
}) {
  const why = plan.reason === undefined ? '' : `: ${plan.reason}`
  const next = plan.when.of === 'once' ? '' : `, next ${atClockWords(from, now.value)}`
  const words = `${timesWords(plan.when)}${next}${why}`
  return (
    <span class="raw planned-words">
      <Icon name="maintenance" />
      <bdi>{words}</bdi>
    </span>
  )
}

/** The next maintenance that is planned for a check, by itself, a tag or its project. */
export function PlannedHere(props: { readonly accountId: AccountId; readonly check: Check }) {
  const { accountId, check } = props
  const [next] = comingFirst(appState.value.planned, now.value).filter(({ plan: { scope } }) =>
    scope.of === 'tag'
      ? check.tags.includes(scope.tag)
      : scope.accountId === accountId && (scope.of === 'project' || scope.checkId === check.id),
  )
  if (next === undefined) return null
  return (
    <p class="row quiet-here">
      <PlannedWords plan={next.plan} from={next.from} />
    </p>
  )
}
