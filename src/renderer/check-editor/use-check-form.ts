import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { createFields, fieldErrors, updateFields } from '#shared/api/monitoring/write-check.ts'
import type { AccountId, MonitoringAccount } from '#shared/core/account.ts'
import {
  type CheckDetails,
  type CheckId,
  checkName,
  type Integration,
  slugOfName,
} from '#shared/core/checks/check.ts'
import {
  type CheckDraft,
  changedMeanwhile,
  type DraftErrors,
  draftErrors,
  draftOf,
  newCheckDraft,
} from '#shared/core/checks/check-draft.ts'
import { type Failure, mayHaveHappened } from '#shared/core/failure.ts'
import { call } from '../bridge.ts'
import { holdsInput } from '../held-input.ts'
import { withoutErrors } from '../parts/field.tsx'
import {
  type Asked,
  failedWords,
  integrationsOf,
  isNotFound,
  run,
  useAnswer,
  useRun,
  waitWhile,
} from '../run.ts'
import { toast } from '../toast.ts'
import { appState, go, goBack, place } from '../window-state.ts'

/** Why saving failed. `unsure`: a new check may have been created anyway. */
interface FormOutcome {
  readonly text: string
  readonly unsure: boolean
}

export type CheckForm = ReturnType<typeof useCheckForm>

/**
 * The state of the form, and the only way to save it. `accountId`: the project that a new check is
 * created in. `listed`: the check as it was in the last list.
 */
export function useCheckForm(
  accountId: AccountId,
  first: Editing,
  listed: CheckDetails | null,
  cloneOf?: CheckId,
) {
  const id = listed?.id ?? null
  const key = editingKey(accountId, id, cloneOf)
  /** The check as it was read when saving, until there is a newer list. */
  const [read, setRead] = useState({ listed, now: listed })
  const now = read.listed === listed ? read.now : listed
  const [editing, setEditing] = useState(() => unsaved.get(key) ?? first)
  const [errors, setErrors] = useState<DraftErrors>({})
  const [outcome, setOutcome] = useState<FormOutcome | null>(null)
  const busy = saving.value.has(key)
  const { before } = editing
  const title = before === null ? 'New check' : `Edit ${checkName(before)}`
  const { isHere, report } = useAnswer(title, (text) => setOutcome({ text, unsure: false }))

  const write = (next: Editing) => {
    setEditing(next)
    unsaved.set(key, next)
  }
  /** Keeps what was typed while saving, as a change to the saved check. */
  const goOn = async (saved: CheckDetails): Promise<void> => {
    const details = await call.checkDetails({ accountId, checkId: saved.id })
    const next = startEditing(details.ok ? details.value : saved, ownZone())
    write({ ...next, draft: unsaved.get(key)?.draft ?? next.draft })
  }
  /** Turns what was typed while creating into a change to the new check: it must not be a second one. */
  const goOnWith = (made: CheckDetails, { draft }: Editing): void => {
    unsaved.delete(key)
    unsaved.set(editingKey(accountId, made.id), { ...startEditing(made, ownZone()), draft })
    if (!isAt(key)) return
    goBack()
    go({ view: 'editCheck', accountId, checkId: made.id })
  }
  /** Leaves the form unless something was typed since it was sent, which was `typed` then. */
  const finish = async (typed: Editing | undefined, made?: CheckDetails): Promise<void> => {
    const since = unsaved.get(key)
    if (since === typed) {
      unsaved.delete(key)
      leave(key, accountId, id, made)
    } else if (made !== undefined && since !== undefined) goOnWith(made, since)
    else if (before !== null) await goOn(before)
  }
  /** Resolves to true if it succeeded. */
  const save = async (): Promise<boolean> => {
    const wrong = errorsIn(editing)
    setErrors(wrong)
    setOutcome(null)
    if (Object.keys(wrong).length > 0) return false
    if (saving.peek().has(key)) return false
    const typed = unsaved.get(key)
    saving.value = new Set(saving.peek()).add(key)
    const sent = await send(accountId, editing, now).finally(() => {
      saving.value = new Set([...saving.peek()].filter((one) => one !== key))
    })
    if ('done' in sent) {
      await finish(typed, sent.made)
      toast(sent.done)
      return true
    }
    if ('changed' in sent) {
      setRead({ listed, now: sent.changed })
      report(changedWords)
      return false
    }
    const byField = fieldErrors(sent.failure)
    setErrors(byField ?? {})
    const why = outcomeOf(sent, before === null)
    if (!isHere()) report(why.text)
    else if (byField === null) setOutcome(why)
    return false
  }
  return {
    title,
    editing,
    /** The check as the service has it now, as far as known; null for a new one. */
    now,
    errors,
    outcome,
    busy,
    change: (part: Partial<CheckDraft>) => {
      write({ ...editing, draft: { ...editing.draft, ...part } })
      setErrors((before) => without(before, part))
    },
    /** Completes what the form starts from; not a change by the user. */
    complete: (part: Partial<CheckDraft>) =>
      setEditing((now) => ({
        ...now,
        start: { ...now.start, ...part },
        draft: { ...now.draft, ...part },
      })),
    startOver: () => {
      unsaved.delete(key)
      setEditing(now === null ? first : startEditing(now, ownZone()))
      setErrors({})
      setOutcome(null)
    },
    save,
  }
}

function errorsIn({ before, draft }: Editing): DraftErrors {
  const saved = before === null ? null : draftOf(before)
  const named = before !== null || draft.name.trim() !== ''
  return { ...(named ? {} : { name: 'Give it a name.' }), ...draftErrors(draft, saved) }
}

function without(errors: DraftErrors, part: Partial<CheckDraft>): DraftErrors {
  const touched = [...Object.keys(part), ...Object.keys(part.keywords ?? {})]
  // Another kind of schedule clears the errors of the whole schedule.
  if ('kind' in part) touched.push('period', 'expression', 'zone')
  return withoutErrors(errors, touched)
}

const changedWords =
  'Somebody else changed the same field, so nothing is saved yet. Save again to replace their change.'

/**
 * The outcome of saving. `made`: the check that was created. `changed`: somebody else changed the same
 * fields, so nothing was sent.
 */
type Sent =
  | { readonly done: string; readonly made?: CheckDetails }
  | { readonly changed: CheckDetails }
  | { readonly failure: Failure; readonly isUnsent?: boolean }

/** Reads the check before it writes. `seen`: the check that the form compares itself with. */
async function send(
  accountId: AccountId,
  { before, start, draft }: Editing,
  seen: CheckDetails | null,
): Promise<Sent> {
  if (before === null) return create(accountId, draft)
  if (JSON.stringify(start) === JSON.stringify(draft)) return { done: 'No changes to save.' }
  const read = await call.checkDetails({ accountId, checkId: before.id, fresh: true })
  if (!read.ok) return { failure: read.failure, isUnsent: true }
  const now = read.value
  const replaced = (of: CheckDetails) =>
    changedMeanwhile(start, draft, draftOf(of), (id) => id)
      .filter(({ mine }) => mine !== null)
      .map(({ what, theirs }) => `${what}: ${theirs}`)
  const known = replaced(seen ?? before)
  if (replaced(now).some((line) => !known.includes(line))) return { changed: now }
  const fields = updateFields(before, draft, now)
  const name = draft.name.trim() || 'the check'
  if (Object.keys(fields).length === 0)
    return { done: `Nothing to save: ${name} is already like this.` }
  const result = await run(accountId, 'updateCheck', { uuid: before.id, ...fields })
  return result.ok ? { done: `Saved ${name}.` } : { failure: result.failure }
}

async function create(accountId: AccountId, draft: CheckDraft): Promise<Sent> {
  const result = await call.createCheck({ accountId, fields: createFields(draft) })
  if (!result.ok) return { failure: result.failure }
  const { id } = result.value
  await waitWhile(longestWaitMs, appState, (state) => !isListed(accountId, id, state))
  const done = `Created ${draft.name.trim()}. It is new: waiting for the first ping.`
  return { done, made: result.value }
}

/**
 * Goes on to the check that was `made` or, after a change of the one with this id, back to where the
 * form was opened.
 */
function leave(key: string, accountId: AccountId, id: CheckId | null, made?: CheckDetails): void {
  if (!isAt(key)) return
  const wentBack = goBack()
  const checkId = made?.id ?? id
  if (checkId === null || (made === undefined && wentBack)) return
  go(isListed(accountId, checkId) ? { view: 'check', accountId, checkId } : { view: 'checks' })
}

/** Whether this form is still open: a user who went elsewhere while it was saving stays there. */
function isAt(key: string): boolean {
  const here = place.peek()
  return here.view === 'editCheck' && editingKey(here.accountId, here.checkId, here.cloneOf) === key
}

function outcomeOf(
  { failure, isUnsent = false }: Extract<Sent, { failure: Failure }>,
  isNew: boolean,
): FormOutcome {
  // Monitoring API, "Create": an empty 403 is the limit of the account.
  if (isNew && failure.kind === 'refused' && failure.httpStatus === 403) {
    const text = 'The project’s account has reached its limit of checks. Nothing was created.'
    return { text, unsure: false }
  }
  if (isNotFound(failure)) return { text: 'This check no longer exists.', unsure: false }
  const [maybe, not] = isNew
    ? ['It may have been created anyway.', 'Nothing was created.']
    : ['It may have been saved anyway; saving again is safe.', 'Nothing was saved.']
  return {
    text: failedWords(failure, isUnsent ? not : maybe, not),
    unsure: isNew && mayHaveHappened(failure),
  }
}

/** A form with what it started from, so that only real changes are sent. */
interface Editing {
  /** Null for a new check. */
  readonly before: CheckDetails | null
  readonly start: CheckDraft
  readonly draft: CheckDraft
}

/** Unsaved forms, for as long as the window exists: Esc loses nothing. */
export const unsaved = new Map<string, Editing>()

holdsInput(() => [...unsaved.values()].some(isChanged))

/** The keys of the forms being saved: one that is left and opened again can't be sent twice. */
const saving = signal<ReadonlySet<string>>(new Set())

/** There is one form for a new check, whatever its project, and one for a copy of each check. */
export function editingKey(
  accountId: AccountId,
  checkId: CheckId | null,
  cloneOf?: CheckId,
): string {
  if (cloneOf !== undefined) return `like ${cloneOf}`
  return checkId === null ? 'new' : `${accountId}/${checkId}`
}

export function isChanged({ start, draft }: Editing): boolean {
  return JSON.stringify(start) !== JSON.stringify(draft)
}

export function startEditing(before: CheckDetails | null, zone: string): Editing {
  const start = before === null ? { ...newCheckDraft, zone } : withOwnZone(draftOf(before), zone)
  return { before, start, draft: start }
}

/** A copy has its own name and slug: pings by slug reach no check if two share one. */
export function startCloning(like: CheckDetails, zone: string): Editing {
  const name = like.name.trim() === '' ? '' : `${[...like.name.trim()].slice(0, 95).join('')} copy`
  const slug = like.slug === '' ? '' : slugOfName(name).slice(0, 100)
  const start = { ...withOwnZone(draftOf(like), zone), name, slug }
  return { before: null, start, draft: start }
}

/** A check with a period has no zone; the user's is likely if it gets a schedule. */
function withOwnZone(draft: CheckDraft, zone: string): CheckDraft {
  return draft.kind === 'period' ? { ...draft, zone } : draft
}

/** The time zone of this computer; UTC if it has none. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

/** How long a new check may take to appear on the board, in ms. */
const longestWaitMs = 4_000

function isListed(accountId: AccountId, id: CheckId, { boards } = appState.peek()): boolean {
  return boards.get(accountId)?.checks.has(id) === true
}

export interface DraftProps {
  readonly draft: CheckDraft
  readonly errors: DraftErrors
  readonly onChange: (part: Partial<CheckDraft>) => void
}

/** The project's integrations. A new check gets them all, as on the service's own page. */
export function useIntegrations(
  { id }: MonitoringAccount,
  form: CheckForm,
): Asked<readonly Integration[]> {
  const asked = useRun(id, () => integrationsOf(id))
  const { value } = asked
  const { before, draft } = form.editing
  useEffect(() => {
    if (value === null || before !== null) return
    const known = value.map((one) => one.id)
    // A choice made for another project does not count.
    const chosen = draft.integrationIds?.every((one) => known.includes(one)) ?? false
    if (!chosen) form.complete({ integrationIds: known })
  }, [value])
  return asked
}
