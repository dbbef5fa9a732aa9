import type { AccountId } from '#shared/core/account.ts'
import {
  type Dependency,
  isIn,
  outageWords,
} from '#shared/core/attention/dependencies/dependency.ts'
import type { DependencyLine } from '#shared/core/attention/dependencies/dependency-line.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import { call } from '../bridge.ts'
import { hereItem, offerActions } from '../palette-shown.ts'
import { SmallButton } from '../parts/button.tsx'
import type { PageAction } from '../parts/page-actions.ts'
import { toast, toastFailure, undo } from '../toast.ts'
import { appState } from '../window-state.ts'
import { outageBehind } from './outages-behind.ts'

interface Named {
  readonly accountId: AccountId
  readonly check: Check
}

/** Lets what the line names depend on its check; a toast reports it. */
export async function depend({ scope, on, name, onName }: DependencyLine): Promise<void> {
  const result = await call.addDependency({ scope, on })
  if (!result.ok) return toastFailure(result.failure)
  const { id } = result.value
  toast(
    `${name} is quiet while ${onName} is down.`,
    'done',
    undo(async () => {
      const removed = await call.removeDependency({ id })
      if (!removed.ok) toastFailure(removed.failure)
    }),
  )
}

async function remove({ id, scope, on, label, onLabel }: Dependency): Promise<void> {
  const result = await call.removeDependency({ id })
  if (!result.ok) return toastFailure(result.failure)
  const again = async () => {
    const added = await call.addDependency({ scope, on })
    if (!added.ok) toastFailure(added.failure)
  }
  toast(`${label} doesn’t depend on ${onLabel} any more.`, 'done', undo(again))
}

/** Asks what the check depends on: the palette lists all others. */
export function dependsAction({ accountId, check }: Named): PageAction {
  const name = checkName(check)
  const scope = { of: 'check', accountId, checkId: check.id } as const
  const act = () => {
    const items = [...appState.peek().boards].flatMap(([id, { checks }]) =>
      [...checks.values()].flatMap((other) => {
        if (id === accountId && other.id === check.id) return []
        const onName = checkName(other)
        const on = { accountId: id, checkId: other.id }
        const line = { scope, name, on, onName }
        return [hereItem(`on/${id}/${other.id}`, `Depends on ${onName}`, () => depend(line))]
      }),
    )
    offerActions(items)
  }
  return { key: '', title: `${name} depends on…`, act }
}

/** Every dependency, on the page of the rules. Takes effect at once, unlike the rest of that page. */
export function DependencySection() {
  const { dependencies } = appState.value
  return (
    <section class="attention-section" aria-label="Dependencies">
      <h2 class="group-label">Dependencies</h2>
      <p class="field-help">
        Checks that are quiet while another is down. Add one on a check’s page, or in the palette:
        “#db depends on gateway”.
      </p>
      <ul class="dependencies">
        {dependencies.map((one) => (
          <li key={one.id} class="row quiet-here">
            <DependencyRow dependency={one} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function DependencyRow({ dependency }: { readonly dependency: Dependency }) {
  const { label, onLabel, on, out } = dependency
  const check = appState.value.boards.get(on.accountId)?.checks.get(on.checkId)
  const name = check === undefined ? onLabel : checkName(check)
  const words = `${label} depends on ${name}`
  return (
    <>
      <bdi class="raw">{out ? `${words}, which is down` : words}</bdi>
      <SmallButton aria-label={`Remove: ${words}`} onClick={() => void remove(dependency)}>
        Remove
      </SmallButton>
    </>
  )
}

/** Why the check is quiet, and what it depends on, or depends on it. */
export function DependenciesHere({ accountId, check }: Named) {
  const own = appState.value.dependencies.filter(
    ({ scope, on }) =>
      isIn(scope, accountId, check.id, check.tags) ||
      (on.accountId === accountId && on.checkId === check.id),
  )
  const outage = outageBehind(accountId, check)
  return (
    <>
      {outage !== null && (
        <p class="row quiet-here">
          <bdi class="raw">Quiet because {outageWords(outage)}</bdi>
        </p>
      )}
      {own.map((one) => (
        <p key={one.id} class="row quiet-here">
          <DependencyRow dependency={one} />
        </p>
      ))}
    </>
  )
}
