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
import { type Failure, mayHaveHappened, type Result } from '#shared/core/failure.ts'
import { call } from '../bridge.ts'
import { KeptDrafts } from '../kept-drafts.ts'
import { useForm } from '../parts/form.ts'
import {
  type Asked,
  failedWords,
  integrationsOf,
  isNotFound,
  run,
  useRun,
  waitWhile,
} from '../run.ts'
import { toast } from '../toast.ts'
import { appState, go, goBack, place } from '../window-state.ts'

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
  const [started, setStarted] = useState(first)
  const editing = unsaved.get(key) ?? started
  const { before } = editing
  const title = before === null ? 'New check' : `Edit ${checkName(before)}`
  /** Why a new check may exist although creating it failed. */
  const [unsure, setUnsure] = useState<string | null>(null)
  const form = useForm<CheckDraft, Sent, FieldName>({
    title,
    key,
    draft: editing.draft,
    edit: (part) => unsaved.set(key, { ...editing, draft: { ...editing.draft, ...part } }),
    check: () => errorsIn(editing),
    touched,
    async send() {
      setUnsure(null)
      const typed = unsaved.get(key)
      const sent = await send(accountId, editing, now)
      return sent.ok ? { ok: true, value: { ...sent.value, typed } } : sent
    },
    failed(failure, isHere) {
      const words = failureOf(failure, before === null)
      if (before === null && mayHaveHappened(failure)) setUnsure(words)
      // Whoever left the form sees no field.
      return (isHere ? fieldErrors(failure) : null) ?? { form: words }
    },
    async done(sent) {
      if ('unread' in sent)
        return { form: failedWords(sent.unread, 'Nothing was saved.', 'Nothing was saved.') }
      if ('changed' in sent) {
        setRead({ listed, now: sent.changed })
        return { form: changedWords }
      }
      await finish({ key, accountId, before }, sent)
      toast(sent.done)
      return undefined
    },
  })
  const restart = (next: Editing) => {
    unsaved.drop(key)
    setStarted(next)
    setUnsure(null)
    form.point({})
  }
  return {
    ...form,
    title,
    editing,
    /** The check as the service has it now, as far as known; null for a new one. */
    now,
    unsure,
    /** Completes what the form starts from; not a change by the user. */
    complete(part: Partial<CheckDraft>) {
      const completed = (one: Editing) => ({
        ...one,
        start: { ...one.start, ...part },
        draft: { ...one.draft, ...part },
      })
      const kept = unsaved.get(key)
      if (kept === undefined) setStarted(completed)
      else unsaved.set(key, completed(kept))
    },
    startOver: () => restart(now === null ? first : startEditing(now, ownZone())),
  }
}

/** The form that was sent: what is kept of it, and where it is. */
interface SentForm {
  readonly key: string
  readonly accountId: AccountId
  /** Null for a new check. */
  readonly before: CheckDetails | null
}

/** Leaves the form unless something was typed since it was sent. */
async function finish(form: SentForm, { typed, made }: Extract<Sent, { done: string }>) {
  const { key, accountId, before } = form
  const since = unsaved.get(key)
  if (since === typed) {
    unsaved.drop(key)
    leave(key, accountId, before?.id ?? null, made)
  } else if (made !== undefined && since !== undefined) goOnWith(form, made, since)
  else if (before !== null) await goOn(form, before)
}

/** Keeps what was typed while saving, as a change to the saved check. */
async function goOn({ key, accountId }: SentForm, saved: CheckDetails): Promise<void> {
  const details = await call.checkDetails({ accountId, checkId: saved.id })
  const next = startEditing(details.ok ? details.value : saved, ownZone())
  unsaved.set(key, { ...next, draft: unsaved.get(key)?.draft ?? next.draft })
}

/** Turns what was typed while creating into a change to the new check: it must not be a second one. */
function goOnWith({ key, accountId }: SentForm, made: CheckDetails, { draft }: Editing): void {
  unsaved.drop(key)
  unsaved.set(editingKey(accountId, made.id), { ...startEditing(made, ownZone()), draft })
  if (!isAt(key)) return
  goBack()
  go({ view: 'editCheck', accountId, checkId: made.id })
}

/** Names in `DraftErrors`, some of which are of keywords. */
type FieldName = keyof DraftErrors & string

function errorsIn({ before, draft }: Editing): DraftErrors {
  const saved = before === null ? null : draftOf(before)
  const named = before !== null || draft.name.trim() !== ''
  return { ...(named ? {} : { name: 'Give it a name.' }), ...draftErrors(draft, saved) }
}

function touched(part: Partial<CheckDraft>): readonly string[] {
  // Another kind of schedule clears the errors of the whole schedule.
  const schedule = 'kind' in part ? ['period', 'expression', 'zone'] : []
  return [...Object.keys(part), ...Object.keys(part.keywords ?? {}), ...schedule]
}

const changedWords =
  'Somebody else changed the same field, so nothing is saved yet. Save again to replace their change.'

/**
 * The outcome of saving. `made`: the check that was created; `typed`: what was kept of the form as it
 * was sent. Nothing was sent if somebody else `changed` the same fields, or it could not be read first.
 */
type Saved = { readonly done: string; readonly made?: CheckDetails }
type Unsaved = { readonly changed: CheckDetails } | { readonly unread: Failure }
type Sent = (Saved | Unsaved) & { readonly typed: Editing | undefined }

/** Reads the check before it writes. `seen`: the check that the form compares itself with. */
async function send(
  accountId: AccountId,
  { before, start, draft }: Editing,
  seen: CheckDetails | null,
): Promise<Result<Saved | Unsaved>> {
  if (before === null) return create(accountId, draft)
  if (JSON.stringify(start) === JSON.stringify(draft)) return saved('No changes to save.')
  const read = await call.checkDetails({ accountId, checkId: before.id, fresh: true })
  if (!read.ok) return { ok: true, value: { unread: read.failure } }
  const now = read.value
  const replaced = (of: CheckDetails) =>
    changedMeanwhile(start, draft, draftOf(of), (id) => id)
      .filter(({ mine }) => mine !== null)
      .map(({ what, theirs }) => `${what}: ${theirs}`)
  const known = replaced(seen ?? before)
  if (replaced(now).some((line) => !known.includes(line)))
    return { ok: true, value: { changed: now } }
  const fields = updateFields(before, draft, now)
  const name = draft.name.trim() || 'the check'
  if (Object.keys(fields).length === 0)
    return saved(`Nothing to save: ${name} is already like this.`)
  const result = await run(accountId, 'updateCheck', { uuid: before.id, ...fields })
  return result.ok ? saved(`Saved ${name}.`) : result
}

function saved(done: string): Result<Saved> {
  return { ok: true, value: { done } }
}

async function create(accountId: AccountId, draft: CheckDraft): Promise<Result<Saved>> {
  const result = await call.createCheck({ accountId, fields: createFields(draft) })
  if (!result.ok) return result
  const { id } = result.value
  await waitWhile(longestWaitMs, appState, (state) => !isListed(accountId, id, state))
  const done = `Created ${draft.name.trim()}. It is new: waiting for the first ping.`
  return { ok: true, value: { done, made: result.value } }
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

function failureOf(failure: Failure, isNew: boolean): string {
  // Monitoring API, "Create": an empty 403 is the limit of the account.
  if (isNew && failure.kind === 'refused' && failure.httpStatus === 403)
    return 'The project’s account has reached its limit of checks. Nothing was created.'
  if (isNotFound(failure)) return 'This check no longer exists.'
  return isNew
    ? failedWords(failure, 'It may have been created anyway.', 'Nothing was created.')
    : failedWords(
        failure,
        'It may have been saved anyway; saving again is safe.',
        'Nothing was saved.',
      )
}

/** A form with what it started from, so that only real changes are sent. */
interface Editing {
  /** Null for a new check. */
  readonly before: CheckDetails | null
  readonly start: CheckDraft
  readonly draft: CheckDraft
}

/** By `editingKey`. */
export const unsaved = new KeptDrafts<Editing>(isChanged)

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
    // What is being sent stays as it is.
    if (value === null || before !== null || form.busy) return
    const known = value.map((one) => one.id)
    // A choice made for another project does not count.
    const chosen = draft.integrationIds?.every((one) => known.includes(one)) ?? false
    if (!chosen) form.complete({ integrationIds: known })
  }, [value, form.busy])
  return asked
}
