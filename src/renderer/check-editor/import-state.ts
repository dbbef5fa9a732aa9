import { createFields } from '#shared/api/monitoring/write-check.ts'
import type { AccountId } from '#shared/core/account.ts'
import { pastLimit } from '#shared/core/checks/bulk.ts'
import type { Check, CheckDetails } from '#shared/core/checks/check.ts'
import { type CheckDraft, type DraftErrors, draftErrors } from '#shared/core/checks/check-draft.ts'
import { type CronJob, type Crontab, draftOfJob } from '#shared/core/checks/crontab.ts'
import { type ReportOf, withPing } from '#shared/core/checks/crontab-pings.ts'
import { mayHaveHappened } from '#shared/core/failure.ts'
import { periodWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { KeptDrafts } from '../kept-drafts.ts'
import { failedWords, waitWhile } from '../run.ts'
import { appState } from '../window-state.ts'
import { ownZone } from './use-check-form.ts'

/** The outcome of a line. `unsure`: the check may exist, so it is not sent again automatically. */
type Outcome =
  | { readonly kind: 'made'; readonly check: CheckDetails }
  | { readonly kind: 'failed' | 'unsure'; readonly text: string }

/** What the user changed in a proposal. */
export type Edit = Partial<Pick<CheckDraft, 'name' | 'grace'>> & { readonly chosen?: boolean }

export interface Import {
  readonly text: string
  /** The time zone of the computer that the crontab is from. */
  readonly zone: string
  /** Whether lines name a user before the command; null to guess from the lines. */
  readonly hasUsers: boolean | null
  readonly tags: string
  readonly reports: ReportOf
  /** By index of the line, like `outcomes`. */
  readonly edits: ReadonlyMap<number, Edit>
  readonly outcomes: ReadonlyMap<number, Outcome>
  readonly progress: 'none' | 'running' | 'stopping'
  /** Epoch ms until which the service wants no more requests; null if it named no time. */
  readonly waitsUntil: number | null
  /** Why it stopped before the end; null if it did not. */
  readonly stopped: string | null
}

export const nothing: Import = {
  text: '',
  zone: '',
  hasUsers: null,
  tags: '',
  reports: 'success',
  edits: new Map(),
  outcomes: new Map(),
  progress: 'none',
  waitsUntil: null,
  stopped: null,
}

/** By project: leaving the page stops and loses nothing. */
const imports = new KeptDrafts<Import>(({ text }) => text !== '')

export function importOf(id: AccountId): Import {
  return imports.get(id) ?? { ...nothing, zone: ownZone() }
}

export function change(id: AccountId, part: Partial<Import>): void {
  imports.set(id, { ...importOf(id), ...part })
}

/** The proposed check for a line, and what is known about it. */
export interface Row {
  readonly line: number
  readonly draft: CheckDraft
  readonly errors: DraftErrors
  readonly chosen: boolean
  /** A check with this name and schedule that the project already has. */
  readonly there: Check | null
  /** Why it isn't chosen on its own; null if it is. */
  readonly leftOut: string | null
  /** What else to know of it: sentences. */
  readonly notes: readonly string[]
  readonly outcome: Outcome | null
}

export function rowsOf(id: AccountId, state: Import, { jobs }: Crontab): readonly Row[] {
  const byName = Map.groupBy(checksOf(id), ({ name }) => name)
  return jobs.map((job) => {
    const { line, leftOut } = job
    const edit = state.edits.get(line)
    const proposed = draftOfJob(job, state.tags)
    const draft = { ...proposed, grace: periodWords(job.graceSeconds), ...edit }
    const outcome = state.outcomes.get(line) ?? null
    const there = twinOf(draft, byName.get(draft.name.trim()) ?? [])
    const named = draft.name.trim() === '' ? { name: 'Give it a name.' } : {}
    return {
      ...{ line, draft, leftOut, there, outcome, errors: { ...draftErrors(draft), ...named } },
      notes: [...job.notes, ...pingNotes(job)],
      chosen:
        outcome?.kind !== 'made' &&
        (edit?.chosen ?? (there === null && leftOut === null && outcome?.kind !== 'unsure')),
    }
  })
}

/** What the ping says of the job, where that isn't plain. */
function pingNotes(job: CronJob): readonly string[] {
  const pinged = withPing(job.command, '', 'success', job)
  if ('why' in pinged)
    return [
      `Belfry can’t see whether it fails: ${pinged.why}. Put it into a script that ends with the job’s exit status and pings.`,
    ]
  return [
    ...(job.isScheduled ? ['Its check expects only the days that its condition allows.'] : []),
    ...(pinged.mayBeSkipped
      ? ['It pings, too, when its condition says there is nothing to do.']
      : []),
    ...(pinged.isRewritten ? ['Its line is rewritten so that no failure in it is lost.'] : []),
  ]
}

function checksOf(id: AccountId): readonly Check[] {
  return [...(appState.value.boards.get(id)?.checks.values() ?? [])]
}

function twinOf({ name, expression }: CheckDraft, checks: readonly Check[]): Check | null {
  const isTwin = ({ name: other, schedule }: Check): boolean =>
    other === name.trim() && schedule.kind !== 'period' && schedule.expression === expression
  return checks.find(isTwin) ?? null
}

/** Creates the checks one after another, until all exist or a failure concerns the rest too. */
export async function createAll(accountId: AccountId, rows: readonly Row[]): Promise<void> {
  change(accountId, { progress: 'running', stopped: null })
  let stopped: string | null = null
  const before = new Set(checksOf(accountId).map(({ id }) => id))
  /** Checks that somebody else created since then: waiting for a rate limit can take hours. */
  const foreign = (): readonly Check[] => {
    const outcomes = [...importOf(accountId).outcomes.values()]
    const own = new Set(outcomes.map((one) => (one.kind === 'made' ? one.check.id : null)))
    return checksOf(accountId).filter(({ id }) => !before.has(id) && !own.has(id))
  }
  for (const { line, draft, there } of rows) {
    if (importOf(accountId).progress === 'stopping') break
    const fields = createFields(draft)
    const isThere = () => there === null && twinOf(draft, foreign()) !== null
    if (isThere()) continue
    const isRunning = () => importOf(accountId).progress === 'running'
    const result = await pastLimit(() => call.createCheck({ accountId, fields }), {
      failure: (one) => (one.ok ? null : one.failure),
      async wait(ms) {
        change(accountId, { waitsUntil: Date.now() + ms })
        await waitWhile(ms, imports.all, isRunning)
        change(accountId, { waitsUntil: null })
      },
      isStopped: () => !isRunning() || isThere(),
    })
    if (!result.ok && isThere()) continue
    const outcome = outcomeOf(result)
    const { outcomes, edits } = importOf(accountId)
    change(accountId, {
      outcomes: new Map(outcomes).set(line, outcome),
      // A check that may exist is sent again only if the user chooses it again.
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

/** Why the rest can't be created either; null if only this line was refused. */
function whyStopped(failure: Refusal): string | null {
  if (failure.kind === 'invalid') return null
  if (failure.kind !== 'refused')
    return failedWords(failure, 'The rest was not sent.', 'The rest was not sent.')
  if (failure.httpStatus === 403) return 'The project’s account has reached its limit of checks.'
  return failure.httpStatus === 400 ? null : 'The service refuses to create checks now.'
}
