import './import-page.css'
import { signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { createFields } from '#shared/api/monitoring/write-check.ts'
import type { AccountId, MonitoringAccount } from '#shared/core/account.ts'
import type { Check, CheckDetails } from '#shared/core/checks/check.ts'
import { type CheckDraft, type DraftErrors, draftErrors } from '#shared/core/checks/check-draft.ts'
import {
  type Crontab,
  crontabWithPings,
  draftOfJob,
  longestCrontab,
  type ReportOf,
  readCrontab,
  seemsToHaveUsers,
} from '#shared/core/checks/crontab.ts'
import { pingAddressText } from '#shared/core/checks/ping.ts'
import { scheduleWords } from '#shared/core/checks/schedule-words.ts'
import { mayHaveHappened } from '#shared/core/failure.ts'
import { accountById } from '#shared/core/state.ts'
import { isKnownZone } from '#shared/core/wall-clock.ts'
import { counted } from '#shared/core/wording.ts'
import { call } from '../bridge.ts'
import { holdsInput } from '../held-input.ts'
import { Button } from '../parts/button.tsx'
import { CheckField, draftField, Field, FileDrop, LongField, Select } from '../parts/field.tsx'
import { EmptyPage, PageBar } from '../parts/page-bar.tsx'
import { failedWords } from '../run.ts'
import { toast, toastFailure } from '../toast.ts'
import { appState, now } from '../window-state.ts'
import { whyNotWritable } from './editor-access.ts'
import { ownZone } from './use-check-form.ts'

/** What came of a line. `unsure`: it may have been created, and is not sent again by itself. */
type Outcome =
  | { readonly kind: 'made'; readonly check: CheckDetails }
  | { readonly kind: 'failed' | 'unsure'; readonly text: string }

/** What the user changed of a proposal. */
type Edit = Partial<Pick<CheckDraft, 'name' | 'grace'>> & { readonly chosen?: boolean }

interface Import {
  readonly text: string
  /** Of the computer that the crontab is from. */
  readonly zone: string
  /** Null: as the lines look. */
  readonly hasUsers: boolean | null
  readonly tags: string
  readonly reports: ReportOf
  /** By line, as `outcomes`. */
  readonly edits: ReadonlyMap<number, Edit>
  readonly outcomes: ReadonlyMap<number, Outcome>
  readonly progress: 'none' | 'running' | 'stopping'
  /** Why it stopped before its end. */
  readonly stopped: string | null
}

const nothing: Import = {
  text: '',
  zone: '',
  hasUsers: null,
  tags: '',
  reports: 'success',
  edits: new Map(),
  outcomes: new Map(),
  progress: 'none',
  stopped: null,
}

/** By project, for as long as the window lives: leaving the page ends nothing and loses nothing. */
const imports = signal<ReadonlyMap<AccountId, Import>>(new Map())

holdsInput(() => [...imports.peek().values()].some(({ text }) => text !== ''))

function importOf(id: AccountId): Import {
  return imports.value.get(id) ?? { ...nothing, zone: ownZone() }
}

function change(id: AccountId, part: Partial<Import>): void {
  imports.value = new Map(imports.value).set(id, { ...importOf(id), ...part })
}

/** A line as it is proposed, and what is known of it. */
interface Row {
  readonly line: number
  readonly draft: CheckDraft
  readonly errors: DraftErrors
  readonly chosen: boolean
  /** A check of this name and schedule that the project has already. */
  readonly there: Check | null
  readonly pings: boolean
  readonly outcome: Outcome | null
}

/** Proposes a check for each line of a crontab, creates them, and gives the crontab back with its pings. */
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
  const state = importOf(account.id)
  const { text, zone, outcomes, progress } = state
  const hasUsers = useMemo(() => state.hasUsers ?? seemsToHaveUsers(text), [text, state.hasUsers])
  const known = isKnownZone(zone)
  const crontab = useMemo(
    () => readCrontab(text, { zone: known ? zone : 'UTC', hasUsers, now: now.peek() }),
    [text, zone, hasUsers],
  )
  const rows = rowsOf(account.id, state, crontab)
  const wanted = rows.filter(({ chosen }) => chosen)
  const isWrong = wanted.some(({ errors }) => Object.keys(errors).length > 0) || !known
  const write = (part: Partial<Import>) => change(account.id, part)
  return (
    <section class="page" aria-label="Import a crontab">
      <PageBar title={`Import a crontab into ${account.label}`} />
      <div class="page-scroll form-page import">
        {outcomes.size === 0 && progress === 'none' && (
          <Source text={text} onText={(given) => write({ text: given, edits: new Map() })} />
        )}
        {text !== '' && (
          <>
            <div class="field-pair">
              <Field
                label="Time zone of that computer"
                name="zone"
                value={zone}
                error={known ? null : 'Belfry does not know this time zone.'}
                suggestions={['UTC', ...Intl.supportedValuesOf('timeZone')]}
                onInput={(given) => write({ zone: given.trim() })}
              />
              <Field
                label="Tags for all"
                placeholder="cron web-1"
                {...draftField({ draft: state, errors: {}, onChange: write }, 'tags')}
              />
            </div>
            <CheckField
              help="As in /etc/crontab and /etc/cron.d."
              checked={hasUsers}
              onChange={(on) => write({ hasUsers: on })}
            >
              Lines name a user before the command
            </CheckField>
            <Proposals
              rows={rows}
              isBusy={progress !== 'none'}
              onEdit={(line, edit) =>
                write({
                  edits: new Map(state.edits).set(line, { ...state.edits.get(line), ...edit }),
                })
              }
            />
            <Refused crontab={crontab} />
            <Result account={account} state={state} crontab={crontab} rows={rows} />
          </>
        )}
      </div>
      {text !== '' && (
        <footer class="check-form-foot">
          <p class="note" role="status">
            {footWords(rows, state)}
          </p>
          <div class="button-row button-row-end">
            {progress === 'none' && (
              <Button kind="quiet" onClick={() => change(account.id, { ...nothing, zone })}>
                Start over
              </Button>
            )}
            {progress === 'none' ? (
              <Button
                kind="primary"
                disabled={wanted.length === 0 || isWrong}
                title={isWrong ? 'Correct what is marked first.' : undefined}
                onClick={() => void createAll(account.id, wanted)}
              >
                {`Create ${counted(wanted.length, 'check')}`}
              </Button>
            ) : (
              <Button
                busy={progress === 'stopping'}
                onClick={() => write({ progress: 'stopping' })}
              >
                Stop
              </Button>
            )}
          </div>
        </footer>
      )}
    </section>
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
      <FileDrop mostBytes={longestCrontab} onText={props.onText}>
        Drop a file here, or choose one
      </FileDrop>
    </>
  )
}

function rowsOf(id: AccountId, state: Import, { jobs }: Crontab): readonly Row[] {
  const checks = [...(appState.value.boards.get(id)?.checks.values() ?? [])]
  const byName = Map.groupBy(checks, ({ name }) => name)
  return jobs.map((job) => {
    const { line, pings } = job
    const edit = state.edits.get(line)
    const proposed = draftOfJob(job, state.tags)
    const draft = { ...proposed, grace: `${job.graceSeconds / 60} min`, ...edit }
    const outcome = state.outcomes.get(line) ?? null
    const there =
      byName.get(draft.name.trim())?.find(({ schedule }) => {
        return schedule.kind !== 'period' && schedule.expression === draft.expression
      }) ?? null
    const named = draft.name.trim() === '' ? { name: 'Give it a name.' } : {}
    return {
      ...{ line, draft, pings, there, outcome, errors: { ...draftErrors(draft), ...named } },
      chosen:
        outcome?.kind !== 'made' &&
        (edit?.chosen ?? (there === null && !pings && outcome?.kind !== 'unsure')),
    }
  })
}

interface ProposalsProps {
  readonly rows: readonly Row[]
  readonly isBusy: boolean
  readonly onEdit: (line: number, edit: Edit) => void
}

function Proposals({ rows, isBusy, onEdit }: ProposalsProps) {
  return (
    <ul class="proposals" aria-label="Proposed checks">
      {rows.map(({ line, draft, errors, chosen, outcome, ...row }) => (
        <li key={line} class={chosen || outcome?.kind === 'made' ? '' : 'is-left-out'}>
          <input
            type="checkbox"
            aria-label={`Create a check for line ${line + 1}`}
            checked={chosen}
            disabled={isBusy || outcome?.kind === 'made'}
            onChange={({ currentTarget }) => onEdit(line, { chosen: currentTarget.checked })}
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
              disabled={isBusy || outcome?.kind === 'made'}
              value={draft[name]}
              onInput={({ currentTarget }) =>
                onEdit(
                  line,
                  name === 'name' ? { name: currentTarget.value } : { grace: currentTarget.value },
                )
              }
            />
          ))}
          <p class="proposal-words">
            {scheduleWords({ kind: 'cron', expression: draft.expression, zone: draft.zone })}{' '}
            <code>{draft.expression}</code>
          </p>
          <p class={`proposal-words ${outcome?.kind === 'failed' ? 'field-error' : ''}`}>
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

function outcomeWords({ outcome, there, pings }: Pick<Row, 'outcome' | 'there' | 'pings'>): string {
  if (outcome?.kind === 'made') return 'Created.'
  if (there !== null) return 'The project has a check of this name and schedule already.'
  if (outcome !== null) return outcome.text
  return pings ? 'Its command pings an address of this kind already.' : ''
}

function Refused({ crontab: { refused, jobs } }: { readonly crontab: Crontab }) {
  if (jobs.length + refused.length === 0)
    return <p class="note">There is no job in it: a line is five fields of time, then a command.</p>
  if (refused.length === 0) return null
  return (
    <section class="refused-lines" aria-label="Lines that can’t be taken">
      <h3>{counted(refused.length, 'line')} can’t be taken</h3>
      <dl>
        {refused.map(({ line, text, why }) => (
          <div key={line}>
            <dt>
              {line + 1} <code dir="auto">{text.slice(0, 200)}</code>
            </dt>
            <dd>{why}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The crontab as it goes back: each job with the ping of its check. */
function Result(props: {
  readonly account: MonitoringAccount
  readonly state: Import
  readonly crontab: Crontab
  readonly rows: readonly Row[]
}) {
  const { account, state, crontab, rows } = props
  const ready = rows.filter(({ outcome, there }) => outcome?.kind === 'made' || there !== null)
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
    const result = await call.copyText({ text })
    if (!result.ok) toastFailure(result.failure)
    else
      toast(
        `Crontab with ${counted(pings.size, 'ping')} copied. Anyone who has it can ping these checks.`,
      )
  }
  return (
    <section class="import-result" aria-label="The crontab with its pings">
      <h3>The crontab with its pings</h3>
      <div class="button-row">
        <Select
          aria-label="When a job pings"
          value={state.reports}
          options={[
            ['success', 'Ping when a job went well'],
            ['exitStatus', 'Send each exit status, failures at once'],
          ]}
          onChange={(reports) =>
            change(account.id, { reports: reports === 'success' ? 'success' : 'exitStatus' })
          }
        />
        <Button icon="copy" onClick={() => void copy()}>
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

function footWords(rows: readonly Row[], { outcomes, progress, stopped }: Import): string {
  const made = [...outcomes.values()].filter(({ kind }) => kind === 'made').length
  const left = rows.filter(({ chosen }) => chosen).length
  if (progress !== 'none')
    return `Created ${made} of ${made + left}. Changes wait for the request budget.`
  if (stopped !== null) return stopped
  return made > 0 ? `Created ${counted(made, 'check')}.` : `${counted(rows.length, 'job')} found.`
}

/** One after the other, until all are there or something stands against all of them. */
async function createAll(accountId: AccountId, rows: readonly Row[]): Promise<void> {
  change(accountId, { progress: 'running', stopped: null })
  let stopped: string | null = null
  for (const { line, draft } of rows) {
    if (importOf(accountId).progress === 'stopping') break
    // New checks have all integrations, as on the service's own page.
    const fields = { ...createFields(draft), channels: '*' }
    const result = await call.createCheck({ accountId, fields })
    const outcome = outcomeOf(result)
    const { outcomes, edits } = importOf(accountId)
    change(accountId, {
      outcomes: new Map(outcomes).set(line, outcome),
      // What may be there is sent again only by a new decision.
      edits:
        outcome.kind === 'unsure'
          ? new Map(edits).set(line, { ...edits.get(line), chosen: false })
          : edits,
    })
    stopped = result.ok ? null : whyStopped(result.failure)
    if (stopped !== null) break
  }
  change(accountId, { progress: 'none', stopped })
}

type Created = Awaited<ReturnType<typeof call.createCheck>>
type Refusal = Extract<Created, { ok: false }>['failure']

function outcomeOf(result: Created): Outcome {
  if (result.ok) return { kind: 'made', check: result.value }
  const maybe = 'It is not in the list; look under Checks before you send it again.'
  return {
    kind: mayHaveHappened(result.failure) ? 'unsure' : 'failed',
    text: failedWords(result.failure, maybe, 'It was not created.'),
  }
}

/** Null where only this line is refused. */
function whyStopped(failure: Refusal): string | null {
  if (failure.kind === 'invalid') return null
  if (failure.kind !== 'refused')
    return failedWords(failure, 'The rest was not sent.', 'The rest was not sent.')
  if (failure.httpStatus === 403) return 'The project’s account has reached its limit of checks.'
  return failure.httpStatus === 400 ? null : 'The service refuses to create checks now.'
}
