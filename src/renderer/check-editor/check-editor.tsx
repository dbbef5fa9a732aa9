import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { type AccountId, accountById, type MonitoringAccount } from '#shared/core/account.ts'
import {
  type CheckDetails,
  type CheckId,
  checkName,
  type Integration,
  integrationName,
} from '#shared/core/checks/check.ts'
import { changedMeanwhile, checkChanges, draftOf } from '#shared/core/checks/check-draft.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { useDetails } from '../board/use-details.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Field, FormError, LongField, SelectField } from '../parts/field.tsx'
import { draftField } from '../parts/form.ts'
import { EmptyPage, PageBar, ScrollRegion, stepBack } from '../parts/page-bar.tsx'
import { dismissToast } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { whyNotWritable, writableProjects } from './editor-access.ts'
import { IntegrationFields, RuleFields, ScheduleFields } from './schedule-fields.tsx'
import {
  type CheckForm,
  type DraftProps,
  editingKey,
  isChanged,
  ownZone,
  startCloning,
  startEditing,
  unsaved,
  useCheckForm,
  useIntegrations,
} from './use-check-form.ts'

/** The form of a check (a new one if `checkId` is null), or the reason why there is none. */
export function CheckEditor(props: {
  accountId: AccountId
  checkId: CheckId | null
  /** The check that a new one starts as a copy of. */
  cloneOf?: CheckId | undefined
}) {
  const { accountId: asked, checkId, cloneOf } = props
  const [accountId, setAccountId] = useState(asked)
  const account = accountById(appState.value, accountId)
  const check = checkId === null ? null : appState.value.boards.get(accountId)?.checks.get(checkId)
  // What was typed stays visible: the check may return with the next poll, or the text be copied.
  const isGone = check === undefined && unsaved.get(editingKey(accountId, checkId)) === undefined
  if (account?.kind !== 'monitoring' || isGone)
    return <NoForm title="Check" text="It was deleted, or its project was removed from Belfry." />
  const why = whyNotWritable(account, check ?? null)
  if (why !== null)
    return <NoForm title={check == null ? 'New check' : checkName(check)} text={why} />
  if (cloneOf !== undefined) return <Clone {...{ account, asked, cloneOf, setAccountId }} />
  return checkId === null ? (
    <Form account={account} before={null} onProject={setAccountId} />
  ) : (
    <Existing account={account} checkId={checkId} />
  )
}

/** The form of a new check that starts as a copy of another. */
function Clone(props: {
  account: MonitoringAccount
  asked: AccountId
  cloneOf: CheckId
  setAccountId: (id: AccountId) => void
}) {
  const { value, failure } = useDetails(props.asked, props.cloneOf)
  if (value !== null)
    return (
      <Form account={props.account} before={null} like={value} onProject={props.setAccountId} />
    )
  return <NoForm title="New check" text={failure === null ? null : failureSentence(failure)} />
}

function Existing({ account, checkId }: { account: MonitoringAccount; checkId: CheckId }) {
  const { value, failure } = useDetails(account.id, checkId)
  if (value !== null) return <Form account={account} before={value} />
  return <NoForm title="Check" text={failure === null ? null : failureSentence(failure)} />
}

/** `text` is null while the check is loading. */
function NoForm({ title, text }: { readonly title: string; readonly text: string | null }) {
  return (
    <EmptyPage title={title} why={text === null ? null : 'This can’t be edited'}>
      <p>{text}</p>
    </EmptyPage>
  )
}

interface FormProps {
  readonly account: MonitoringAccount
  /** Null for a new check. */
  readonly before: CheckDetails | null
  /** The check that a new one starts as a copy of. */
  readonly like?: CheckDetails
  readonly onProject?: (id: AccountId) => void
}

function Form({ account, before: found, like, onProject }: FormProps) {
  const [first] = useState(() =>
    like === undefined ? startEditing(found, ownZone()) : startCloning(like, ownZone()),
  )
  const form = useCheckForm(account.id, first, found, like?.id)
  const integrations = useIntegrations(account, form)
  const { title } = form
  useLayoutEffect(() => {
    // An older message would cover the buttons.
    dismissToast()
    form.element.current?.querySelector<HTMLElement>('input')?.focus()
  }, [])
  return (
    <section class="page" aria-label={title}>
      <PageBar title={title}>
        {found === null && like === undefined && (
          <Button kind="quiet" onClick={() => go({ view: 'importChecks', accountId: account.id })}>
            Import a crontab
          </Button>
        )}
      </PageBar>
      <form class="check-form" {...form.attributes}>
        <div class="page-scroll form-page">
          {onProject !== undefined && <ProjectChoice account={account} onChange={onProject} />}
          <BasicFields {...form} />
          <ScheduleFields {...form} />
          <IntegrationFields {...form} integrations={integrations} />
          <RuleFields {...form} />
        </div>
        <footer class="bar check-form-foot">
          <ChangeList form={form} integrations={integrations.value ?? []} />
          <div role="status">
            {form.busy && <BudgetWait accountId={account.id} />}
            <FormError error={form.errors.form ?? form.unsure} />
          </div>
          <FormButtons form={form} />
        </footer>
      </form>
    </section>
  )
}

/** Why saving takes long, if requests have to wait. */
export function BudgetWait({ accountId }: { readonly accountId: AccountId }) {
  const [ms, setMs] = useState(0)
  useEffect(() => {
    const ask = async () => {
      const wait = await call.changeWait({ accountId })
      setMs(wait.ok ? wait.value : 0)
    }
    const timer = setInterval(() => void ask(), 1_000)
    void ask()
    return () => clearInterval(timer)
  }, [accountId])
  if (ms < 1_000) return null
  return <p class="note">Waiting for the rate limit, about {Math.ceil(ms / 1_000)} s.</p>
}

/** Where a new check is created, if there is a choice. */
function ProjectChoice(props: { account: MonitoringAccount; onChange: (id: AccountId) => void }) {
  const projects = writableProjects(appState.value)
  if (projects.length < 2) return null
  return (
    <SelectField
      label="Project"
      value={props.account.id}
      options={projects.map(({ id, label }) => [id, label])}
      onChange={props.onChange}
    />
  )
}

/** A check that may have been created is not sent again with the same button. */
function FormButtons({ form }: { readonly form: CheckForm }) {
  const { busy, unsure, editing } = form
  const isNew = editing.before === null
  const changed = isChanged(editing)
  if (unsure !== null)
    return (
      <div class="button-row button-row-end">
        <Button type="submit" busy={busy}>
          Create it again
        </Button>
        <Button kind="primary" onClick={() => go({ view: 'checks' })}>
          Look under Checks
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

function BasicFields(props: DraftProps) {
  return (
    <>
      <div class="field-pair">
        <Field label="Name" placeholder="db-backup" {...draftField(props, 'name')} />
        <Field
          label="Tags"
          placeholder="prod db"
          help="Separated by spaces."
          {...draftField(props, 'tags')}
        />
      </div>
      <LongField
        label="Description"
        rows={2}
        placeholder="What to do when it is down"
        {...draftField(props, 'description')}
      />
    </>
  )
}

/** What saving will change, and what somebody else has changed since the form was opened. */
function ChangeList(props: { form: CheckForm; integrations: readonly Integration[] }) {
  const { form, integrations } = props
  const { before, start, draft } = form.editing
  if (before === null || form.now === null) return null
  const nameOf = (id: string) => {
    const one = integrations.find((integration) => integration.id === id)
    if (one === undefined) return `unnamed ${id.slice(0, 6)}`
    const name = integrationName(one)
    const isShared = integrations.some((other) => other !== one && integrationName(other) === name)
    return isShared ? `${name} (${one.kind} ${id.slice(0, 6)})` : name
  }
  const changes = checkChanges(start, draft, nameOf)
  const meanwhile = changedMeanwhile(start, draft, draftOf(form.now), nameOf)
  if (changes.length + meanwhile.length === 0) return <p class="note">No changes yet.</p>
  return (
    <ScrollRegion class="change-list" label="What will change">
      {changes.length > 0 && <h2 class="group-label">What will change</h2>}
      <dl>
        {changes.map(({ what, from, to }) => (
          <div key={what}>
            <dt class="note">{what}</dt>
            <dd>
              <del class="note" dir="auto">
                {from}
              </del>{' '}
              <span aria-hidden="true">→</span> <ins dir="auto">{to}</ins>
            </dd>
          </div>
        ))}
      </dl>
      {meanwhile.length > 0 && (
        <table class="facts-table run-preview" aria-label="Changed elsewhere meanwhile">
          <thead>
            <tr>
              <th scope="col">Changed elsewhere</th>
              <th scope="col">On the server</th>
              <th scope="col">In this form</th>
            </tr>
          </thead>
          <tbody>
            {meanwhile.map(({ what, theirs, mine }) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td dir="auto">{theirs}</td>
                <td dir="auto">{mine ?? <span class="raw">kept as on the server</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </ScrollRegion>
  )
}
