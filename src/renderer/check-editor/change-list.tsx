import { checkChanges } from '#shared/core/checks/check-changes.ts'
import { type Integration, integrationName } from '#shared/core/checks/integration.ts'
import type { CheckForm } from './use-check-form.ts'

interface Props {
  readonly form: CheckForm
  readonly integrations: readonly Integration[]
}

/** What saving will change, old and new, so that nobody sends more than they meant. */
export function ChangeList({ form, integrations }: Props) {
  const { before, start, draft } = form.editing
  if (before === null) return null
  const nameOf = (id: string) => {
    const one = integrations.find((integration) => integration.id === id)
    return one === undefined ? `unnamed ${id.slice(0, 6)}` : integrationName(one)
  }
  const changes = checkChanges(start, draft, nameOf)
  if (changes.length === 0) return <p class="note">Nothing is changed yet.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable.
    <section class="change-list" aria-label="What will change" tabIndex={0}>
      <h2>What will change</h2>
      <dl>
        {changes.map(({ what, from, to }) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              <del dir="auto">{from}</del> <span aria-hidden="true">→</span>{' '}
              <ins dir="auto">{to}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
