import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { AccountId, MonitoringAccount } from '#shared/core/account.ts'
import {
  type CheckDetails,
  type CheckId,
  checkName,
  type Integration,
  integrationName,
} from '#shared/core/checks/check.ts'
import { checkChanges } from '#shared/core/checks/check-draft.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { accountById } from '#shared/core/state.ts'
import { useDetails } from '../board/use-details.ts'
import { Button } from '../parts/button.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Field, focusFirstError, LongField } from '../parts/field.tsx'
import { PageBar, stepBack } from '../parts/page-bar.tsx'
import { saidEnough } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { whyNotWritable, writableProjects } from './editor-access.ts'
import { IntegrationFields, RuleFields, ScheduleFields } from './schedule-fields.tsx'
import {
  type CheckForm,
  type DraftProps,
  editingKey,
  isChanged,
  ownZone,
  startEditing,
  unsaved,
  useCheckForm,
  useIntegrations,
} from './use-check-form.ts'

interface Props {
  readonly accountId: AccountId
  /** Null: a new check. */
  readonly checkId: CheckId | null
}

/** The form of a check, or why there is none. */
export function CheckEditor({ accountId: asked, checkId }: Props) {
  const [accountId, setAccountId] = useState(asked)
  const account = accountById(appState.value, accountId)
  const check = checkId === null ? null : appState.value.boards.get(accountId)?.checks.get(checkId)
  // What was typed stays in sight: the check may be back with the next answer, and else it can be copied.
  const isGone = check === undefined && !unsaved.has(editingKey(accountId, checkId))
  if (account?.kind !== 'monitoring' || isGone)
    return <NoForm title="Check" text="It was deleted, or its project was removed from Belfry." />
  const why = whyNotWritable(account, check ?? null)
  if (why !== null)
    return <NoForm title={check == null ? 'New check' : checkName(check)} text={why} />
  return checkId === null ? (
    <Form key={`${asked}/new`} account={account} before={null} onProject={setAccountId} />
  ) : (
    <Existing key={`${asked}/${checkId}`} account={account} checkId={checkId} />
  )
}

interface ExistingProps {
  readonly account: MonitoringAccount
  readonly checkId: CheckId
}

/** The form begins with what it was when it was opened, whatever is said of the check meanwhile. */
function Existing({ account, checkId }: ExistingProps) {
  const { value, failure } = useDetails(account.id, checkId)
  if (value !== null) return <Form account={account} before={value} />
  return <NoForm title="Check" text={failure === null ? null : failureSentence(failure)} />
}

/** `text` null: it is about to be there. */
function NoForm({ title, text }: { readonly title: string; readonly text: string | null }) {
  return (
    <section class="page" aria-label={title}>
      <PageBar title={title} />
      {text !== null && (
        <EmptyState title="This can’t be changed from here">
          <p>{text}</p>
        </EmptyState>
      )}
    </section>
  )
}

interface FormProps {
  readonly account: MonitoringAccount
  /** Null: a new check. */
  readonly before: CheckDetails | null
  readonly onProject?: (id: AccountId) => void
}

function Form({ account, before: found, onProject }: FormProps) {
  const [first] = useState(() => startEditing(found, ownZone()))
  const form = useCheckForm(account.id, first, found?.id ?? null)
  const integrations = useIntegrations(account, form)
  const { before, draft } = form.editing
  const element = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    // What was said before would lie over the buttons.
    saidEnough()
    element.current?.querySelector<HTMLElement>('input')?.focus()
  }, [])
  const submit = () => void form.save().then((done) => !done && focusFirstError(element.current))
  const title = before === null ? 'New check' : `Edit ${checkName(before)}`
  const fields = { draft, errors: form.errors, onChange: form.change }
  return (
    <section class="page" aria-label={title}>
      <PageBar title={title} />
      <form
        ref={element}
        class="check-form"
        noValidate
        onSubmit={(submitted) => {
          submitted.preventDefault()
          submit()
        }}
        onKeyDown={(key) => {
          if (key.key === 'Enter' && (key.ctrlKey || key.metaKey)) submit()
        }}
      >
        <div class="page-scroll form-page">
          {onProject !== undefined && <ProjectChoice account={account} onChange={onProject} />}
          <BasicFields {...fields} />
          <ScheduleFields {...fields} />
          <IntegrationFields {...fields} integrations={integrations} />
          <RuleFields {...fields} />
        </div>
        <footer class="check-form-foot">
          <ChangeList form={form} integrations={integrations.value ?? []} />
          <Outcome form={form} />
          <FormButtons form={form} />
        </footer>
      </form>
    </section>
  )
}

/** Where a new check is made, when there is more than one place for it. */
function ProjectChoice({
  account,
  onChange,
}: {
  readonly account: MonitoringAccount
  readonly onChange: (id: AccountId) => void
}) {
  const projects = writableProjects(appState.value)
  if (projects.length < 2) return null
  return (
    <div class="field">
      <label for="check-project">Project</label>
      <select
        id="check-project"
        value={account.id}
        onChange={(change) => onChange(change.currentTarget.value)}
      >
        {projects.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}

type FormOf = { readonly form: ReturnType<typeof useCheckForm> }

function Outcome({ form: { outcome } }: FormOf) {
  return <div role="status">{outcome !== null && <p class="field-error">{outcome.text}</p>}</div>
}

/** A new check whose fate is unknown is not sent again by the same button. */
function FormButtons({ form }: FormOf) {
  const { busy, outcome, editing } = form
  const isNew = editing.before === null
  const changed = isChanged(editing)
  if (outcome?.unsure === true)
    return (
      <div class="button-row button-row-end">
        <Button type="submit" busy={busy}>
          Create it again
        </Button>
        <Button kind="primary" onClick={() => go({ view: 'checks' })}>
          Look at the board
        </Button>
      </div>
    )
  return (
    <div class="button-row button-row-end">
      {changed && (
        <Button kind="quiet" disabled={busy} onClick={form.startOver}>
          Start over
        </Button>
      )}
      <Button onClick={stepBack}>Cancel</Button>
      <Button kind="primary" type="submit" busy={busy} title="Key: Ctrl+Enter">
        {isNew ? (busy ? 'Creating' : 'Create') : busy ? 'Saving' : 'Save'}
      </Button>
    </div>
  )
}

/** What the check is called and about. */
function BasicFields({ draft, errors, onChange }: DraftProps) {
  return (
    <>
      <Field
        label="Name"
        name="name"
        placeholder="db-backup"
        value={draft.name}
        error={errors.name ?? null}
        onInput={(name) => onChange({ name })}
      />
      <div class="field-pair">
        <Field
          label="Slug"
          name="slug"
          value={draft.slug}
          error={errors.slug ?? null}
          help="For addresses with a ping key: a-z, 0-9, - and _."
          onInput={(slug) => onChange({ slug })}
        />
        <Field
          label="Tags"
          name="tags"
          placeholder="prod db"
          value={draft.tags}
          error={errors.tags ?? null}
          help="With spaces between."
          onInput={(tags) => onChange({ tags })}
        />
      </div>
      <LongField
        label="Description"
        name="desc"
        rows={2}
        placeholder="What to do when it is down"
        value={draft.description}
        error={errors.description ?? null}
        onInput={(description) => onChange({ description })}
      />
    </>
  )
}

interface ChangeListProps {
  readonly form: CheckForm
  readonly integrations: readonly Integration[]
}

/** What saving will change, old and new, so that nobody sends more than they meant. */
function ChangeList({ form, integrations }: ChangeListProps) {
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
