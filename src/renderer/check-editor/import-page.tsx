import './import-page.css'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type AccountId, accountById, type MonitoringAccount } from '#shared/core/account.ts'
import type { Check, CheckDetails } from '#shared/core/checks/check.ts'
import { type CheckDraft, unknownZone } from '#shared/core/checks/check-draft.ts'
import { type Crontab, longestCrontab } from '#shared/core/checks/crontab.ts'
import { crontabWithPings, withPing } from '#shared/core/checks/crontab-pings.ts'
import { pingAddressText } from '#shared/core/checks/ping.ts'
import { scheduleWords, skippedMonths } from '#shared/core/checks/schedule-words.ts'
import { durationWords } from '#shared/core/time.ts'
import { findZone } from '#shared/core/wall-clock.ts'
import { counted } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { CheckField, Field, FileDrop, FormError, LongField, Select } from '../parts/field.tsx'
import { draftField, submitByKey, submits } from '../parts/form.ts'
import { Icon } from '../parts/icon.tsx'
import { EmptyPage, focusPage, PageBar } from '../parts/page-bar.tsx'
import { ZoneField } from '../parts/zone-field.tsx'
import { toastResult } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { BudgetWait } from './check-editor.tsx'
import { whyNotWritable } from './editor-access.ts'
import { change, type Edit, type Import, type Row } from './import-state.ts'
import { useImport } from './use-import.ts'

/** Proposes a check for each line of a crontab, creates them, and copies the crontab with pings. */
export function ImportPage({ accountId }: { readonly accountId: AccountId }) {
  const account = accountById(appState.value, accountId)
  const why = whyNotWritable(account, null)
  if (account?.kind !== 'monitoring' || why !== null)
    return (
      <EmptyPage title="Import a crontab" why="Nothing can be created here">
        <p>{why}</p>
      </EmptyPage>
    )
  return <Page key={accountId} account={account} />
}

function Page({ account }: { readonly account: MonitoringAccount }) {
  const importing = useImport(account)
  const { form, state, crontab, rows, isOpen } = importing
  const page = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const field = page.current?.querySelector('textarea')
    if (field) field.focus()
    else focusPage(page.current)
  }, [])
  return (
    <section
      class="page"
      aria-label="Import a crontab"
      ref={page}
      tabIndex={-1}
      onKeyDown={submitByKey}
    >
      <PageBar title={`Import a crontab into ${account.label}`} />
      <div ref={form.attributes.ref} class="page-scroll form-page import">
        {isOpen && (
          <Source text={state.text} onText={(text) => form.onChange({ text, edits: new Map() })} />
        )}
        {state.text !== '' && (
          <>
            <Result account={account} state={state} crontab={crontab} rows={rows} />
            {isOpen && (
              <Options state={state} hasUsers={importing.hasUsers} onChange={form.onChange} />
            )}
            <Proposals
              rows={rows}
              isBusy={state.progress !== 'none'}
              onEdit={(line, edit) =>
                form.onChange({
                  edits: new Map(state.edits).set(line, { ...state.edits.get(line), ...edit }),
                })
              }
            />
            <Refused crontab={crontab} />
          </>
        )}
      </div>
      {state.text !== '' && <Foot {...importing} />}
    </section>
  )
}

/** How far it is, and the buttons to go on. */
function Foot(importing: ReturnType<typeof useImport>) {
  const { account, form, state, rows, wanted, isOpen, startOver } = importing
  const { progress } = state
  const isIdle = progress === 'none'
  return (
    <form class="bar check-form-foot" {...submits(form.submit)}>
      <div role="status">
        <p class="note">{footWords(rows, state)}</p>
        {!isIdle && state.waitsUntil === null && <BudgetWait accountId={account.id} />}
      </div>
      <FormError error={form.errors.form} />
      <div class="button-row button-row-end">
        {isIdle ? (
          <>
            <Button kind="quiet" onClick={startOver}>
              Start over
            </Button>
            {!isOpen && <Button onClick={() => go({ view: 'checks' })}>Show the checks</Button>}
          </>
        ) : (
          <Button
            busy={progress === 'stopping'}
            onClick={() => form.onChange({ progress: 'stopping' })}
          >
            Stop
          </Button>
        )}
        {/* Stays while it works: the second click of a double click would hit “Stop” there. */}
        {(wanted.length > 0 || isOpen || !isIdle) && (
          <Button
            kind="primary"
            type="submit"
            busy={!isIdle}
            disabled={wanted.length === 0}
            title="Key: Ctrl+Enter"
          >
            {isIdle ? `Create ${counted(wanted.length, 'check')}` : 'Creating…'}
          </Button>
        )}
      </div>
    </form>
  )
}

function Source(props: { readonly text: string; readonly onText: (text: string) => void }) {
  const isTooLong = props.text.length >= longestCrontab
  return (
    <>
      <LongField
        label="Crontab"
        name="crontab"
        rows={props.text === '' ? 10 : 4}
        placeholder={'# Nightly backup\n0 3 * * * /opt/backup.sh'}
        help="As “crontab -l” prints it. Only names, schedules and comments go to the service: commands stay here."
        value={props.text}
        error={isTooLong ? `Only the first ${longestCrontab} characters are read.` : null}
        onInput={(text) => props.onText(text.slice(0, longestCrontab))}
      />
      <FileDrop longest={longestCrontab} onText={props.onText}>
        Drop a file here, or choose one
      </FileDrop>
    </>
  )
}

interface OptionsProps {
  readonly state: Import
  readonly hasUsers: boolean
  readonly onChange: (part: Partial<Import>) => void
}

/** What the lines of a crontab don't say. */
function Options({ state, hasUsers, onChange }: OptionsProps) {
  return (
    <>
      <div class="field-pair">
        <ZoneField
          help="Of the computer with this crontab."
          value={state.zone}
          error={findZone(state.zone) === null ? unknownZone : null}
          onInput={(zone) => onChange({ zone })}
        />
        <Field
          label="Tags for all"
          placeholder="cron web-1"
          {...draftField({ draft: state, errors: {}, onChange }, 'tags')}
        />
      </div>
      <CheckField
        help="As in /etc/crontab and /etc/cron.d."
        checked={hasUsers}
        onChange={(on) => onChange({ hasUsers: on })}
      >
        Lines name a user before the command
      </CheckField>
    </>
  )
}

interface ProposalsProps {
  readonly rows: readonly Row[]
  readonly isBusy: boolean
  readonly onEdit: (line: number, edit: Edit) => void
}

function Proposals({ rows, isBusy, onEdit }: ProposalsProps) {
  if (rows.length === 0) return null
  return (
    <ul class="proposals" aria-label="Proposed checks">
      <li class="proposals-head group-label" aria-hidden="true">
        <span>Name</span>
        <span>Grace</span>
      </li>
      {rows.map(({ line, draft, errors, chosen, outcome, ...row }) => (
        <li key={line} class={chosen || outcome?.kind === 'made' ? '' : 'is-left-out'}>
          {outcome?.kind === 'made' ? (
            <MadeCheck {...draft} />
          ) : (
            <ProposedCheck
              {...{ line, draft, errors, chosen, isBusy }}
              onEdit={(edit) => onEdit(line, edit)}
            />
          )}
          <p class="proposal-words note">
            <ScheduleLine {...draft} />
          </p>
          <p class={`proposal-words ${outcome?.kind === 'failed' ? 'field-error' : 'note'}`}>
            {chosen && Object.values(errors).length > 0 ? (
              <span class="field-error">{Object.values(errors).join(' ')}</span>
            ) : (
              outcomeWords({ outcome, ...row })
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}

/** Nothing in it can be changed here any more. */
function MadeCheck({ name, grace }: Pick<CheckDraft, 'name' | 'grace'>) {
  return (
    <>
      <Icon name="done" />
      <span class="one-line" dir="auto" title={name}>
        {name}
      </span>
      <span>{grace}</span>
    </>
  )
}

interface ProposedProps extends Pick<Row, 'line' | 'draft' | 'errors' | 'chosen'> {
  readonly isBusy: boolean
  readonly onEdit: (edit: Edit) => void
}

function ProposedCheck({ line, draft, errors, chosen, isBusy, onEdit }: ProposedProps) {
  return (
    <>
      <input
        type="checkbox"
        aria-label={`Create a check for line ${line + 1}`}
        checked={chosen}
        disabled={isBusy}
        onChange={({ currentTarget }) => onEdit({ chosen: currentTarget.checked })}
      />
      {(['name', 'grace'] as const).map((name) => (
        <input
          key={name}
          type="text"
          class={`proposal-${name}`}
          dir="auto"
          spellcheck={false}
          aria-label={`${name === 'name' ? 'Name' : 'Grace'} for line ${line + 1}`}
          aria-invalid={chosen && name in errors}
          title={errors[name]}
          disabled={isBusy}
          value={draft[name]}
          onInput={({ currentTarget: { value } }) =>
            onEdit(name === 'name' ? { name: value } : { grace: value })
          }
        />
      ))}
    </>
  )
}

function ScheduleLine({ expression, zone }: Pick<CheckDraft, 'expression' | 'zone'>) {
  const words = scheduleWords({ kind: 'cron', expression, zone })
  const skips = skippedMonths({ kind: 'cron', expression, zone })
  return (
    <>
      {words}
      {!words.includes(expression) && (
        <>
          : <code>{expression}</code>
        </>
      )}
      {skips !== null && `. ${skips}`}
    </>
  )
}

type Known = Pick<Row, 'outcome' | 'there' | 'leftOut' | 'notes'>

function outcomeWords({ outcome, there, leftOut, notes }: Known): string {
  if (outcome?.kind === 'made') return ['Created.', ...notes].join(' ')
  if (there !== null) return 'The project already has a check with this name and schedule.'
  if (outcome !== null) return outcome.text
  return leftOut ?? notes.join(' ')
}

function Refused({ crontab: { refused, jobs } }: { readonly crontab: Crontab }) {
  if (jobs.length + refused.length === 0)
    return (
      <p class="note">It contains no jobs: a job’s line has five time fields, then a command.</p>
    )
  if (refused.length === 0) return null
  return (
    <section class="refused-lines" aria-label="Lines that can’t be imported">
      <h2>{counted(refused.length, 'line')} can’t be imported</h2>
      <dl>
        {refused.map(({ line, text, why }) => (
          <div key={line}>
            <dt>
              Line {line + 1}: <code dir="auto">{text.slice(0, 200)}</code>
            </dt>
            <dd>{why}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** Copies the crontab, with each job pinging its check. */
function Result(props: {
  readonly account: MonitoringAccount
  readonly state: Import
  readonly crontab: Crontab
  readonly rows: readonly Row[]
}) {
  const { account, state, crontab, rows } = props
  const ready = rows.filter(({ outcome, there }) => outcome?.kind === 'made' || there !== null)
  const isNext = !rows.some(({ chosen }) => chosen)
  if (ready.length === 0 || state.progress !== 'none') return null
  const copy = async () => {
    const pings = new Map<number, string>()
    for (const { line, outcome, there } of ready) {
      const made = outcome?.kind === 'made' ? outcome.check : null
      const read = made ?? (await detailsOf(account.id, there))
      const ping = read === null ? null : pingAddressText(read, 'curl')
      if (ping !== null) pings.set(line, ping)
    }
    const text = crontabWithPings(crontab, pings, state.reports)
    const left = crontab.jobs.filter(
      (job) => pings.has(job.line) && 'why' in withPing(job.command, '', state.reports, job),
    ).length
    const rest = left > 0 ? ` ${counted(left, 'job')} left to you: see the comments in it.` : ''
    toastResult(
      call.copyText({ text }),
      `Crontab with ${counted(pings.size - left, 'ping')} copied.${rest} Anyone who has it can ping these checks.`,
    )
  }
  return (
    <section class="import-result" aria-label="The crontab with its pings">
      <h2>The crontab with its pings</h2>
      <div class="button-row">
        <Select
          aria-label="When a job pings"
          value={state.reports}
          options={[
            ['success', 'Ping when a job succeeds'],
            ['exitStatus', 'Send the exit status, so failures show at once'],
          ]}
          onChange={(reports) =>
            change(account.id, { reports: reports === 'success' ? 'success' : 'exitStatus' })
          }
        />
        <Button
          kind={isNext ? 'primary' : 'plain'}
          type={isNext ? 'submit' : 'button'}
          icon="copy"
          onClick={() => void copy()}
        >
          Copy crontab
        </Button>
      </div>
    </section>
  )
}

async function detailsOf(accountId: AccountId, check: Check | null): Promise<CheckDetails | null> {
  if (check === null) return null
  const result = await call.checkDetails({ accountId, checkId: check.id })
  return result.ok ? result.value : null
}

function footWords(rows: readonly Row[], state: Import): string {
  const { outcomes, progress, waitsUntil, stopped } = state
  const made = [...outcomes.values()].filter(({ kind }) => kind === 'made').length
  const left = rows.filter(({ chosen }) => chosen).length
  if (progress !== 'none') {
    const wait =
      waitsUntil === null
        ? ''
        : ` The server is rate-limiting Belfry; the rest follows in ${durationWords(Math.max(1_000, waitsUntil - now.value))}.`
    return `Created ${made} of ${made + left}.${wait}`
  }
  if (stopped !== null) return stopped
  return made > 0 ? `Created ${counted(made, 'check')}.` : `${counted(rows.length, 'job')} found.`
}
