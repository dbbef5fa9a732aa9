import { useEffect, useRef, useState } from 'preact/hooks'
import { readIntegrations } from '#shared/api/monitoring/read-history.ts'
import { createFields, fieldErrors, updateFields } from '#shared/api/monitoring/write-check.ts'
import type { AccountId, MonitoringAccount } from '#shared/core/account.ts'
import {
  type CheckDetails,
  type CheckId,
  type Integration,
  slugOf,
} from '#shared/core/checks/check.ts'
import {
  type CheckDraft,
  type DraftErrors,
  draftErrors,
  draftOf,
  newCheckDraft,
} from '#shared/core/checks/check-draft.ts'
import type { Failure } from '#shared/core/failure.ts'
import { call } from '../bridge.ts'
import { holdsInput } from '../held-input.ts'
import { type Asked, failedWords, isNotFound, mayHaveHappened, run, useRun } from '../run.ts'
import { toast } from '../toast.ts'
import { appState, go, goBack, place } from '../window-state.ts'

/** Why saving failed. `unsure`: a new check may have been created all the same. */
interface FormOutcome {
  readonly text: string
  readonly unsure: boolean
}

export type CheckForm = ReturnType<typeof useCheckForm>

/** The state of the form and its one way out. `accountId`: where a new check is made. */
export function useCheckForm(accountId: AccountId, first: Editing, id: CheckId | null) {
  const key = editingKey(accountId, id)
  const [editing, setEditing] = useState(() => unsaved.get(key) ?? first)
  const [errors, setErrors] = useState<DraftErrors>({})
  const [outcome, setOutcome] = useState<FormOutcome | null>(null)
  const [busy, setBusy] = useState(false)
  // A ref, since a second submit may come before the next rendering.
  const underWay = useRef(false)

  const write = (next: Editing) => {
    setEditing(next)
    unsaved.set(key, next)
  }
  /** What was typed while saving is kept, as a change of the saved check. */
  const goOn = async (before: CheckDetails): Promise<void> => {
    const details = await call.checkDetails({ accountId, checkId: before.id })
    const next = startEditing(details.ok ? details.value : before, ownZone())
    write({ ...next, draft: unsaved.get(key)?.draft ?? next.draft })
  }
  /** Resolves to true when it was done. */
  const save = async (): Promise<boolean> => {
    if (underWay.current) return false
    const wrong = errorsIn(editing)
    setErrors(wrong)
    setOutcome(null)
    if (Object.keys(wrong).length > 0) return false
    underWay.current = true
    setBusy(true)
    const typed = unsaved.get(key)
    const failure = await send(accountId, editing)
    underWay.current = false
    setBusy(false)
    if (failure === null) {
      if (editing.before !== null && unsaved.get(key) !== typed) await goOn(editing.before)
      else {
        unsaved.delete(key)
        if (id !== null) leave(accountId, id)
      }
      return true
    }
    const byField = fieldErrors(failure)
    setErrors(byField ?? {})
    setOutcome(byField === null ? outcomeOf(failure, editing) : null)
    return false
  }
  return {
    editing,
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
      setEditing(startEditing(first.before, ownZone()))
      setErrors({})
      setOutcome(null)
    },
    save,
  }
}

function errorsIn({ before, draft }: Editing): DraftErrors {
  const held = before === null ? null : draftOf(before)
  const named = before !== null || draft.name.trim() !== ''
  return { ...(named ? {} : { name: 'Give it a name.' }), ...draftErrors(draft, held) }
}

function without(errors: DraftErrors, part: Partial<CheckDraft>): DraftErrors {
  const touched = [...Object.keys(part), ...Object.keys(part.keywords ?? {})]
  // Another kind of schedule clears the errors of the whole schedule.
  if ('kind' in part) touched.push('period', 'expression', 'zone')
  return Object.fromEntries(Object.entries(errors).filter(([name]) => !touched.includes(name)))
}

/** Null on success. */
async function send(accountId: AccountId, { before, draft }: Editing): Promise<Failure | null> {
  if (before === null) return create(accountId, draft)
  const fields = updateFields(before, draft, slugBelowPath(accountId, before))
  if (Object.keys(fields).length > 0) {
    const result = await run(accountId, 'updateCheck', { uuid: before.id, ...fields })
    if (!result.ok) return result.failure
    toast(`Saved ${draft.name.trim() || 'the check'}.`)
  }
  return null
}

/** The slug as it is now on a server below a path, which needs it with every new name; else null. */
function slugBelowPath(accountId: AccountId, before: CheckDetails): string | null {
  const { accounts, boards } = appState.value
  const account = accounts.find(({ id }) => id === accountId)
  if (account === undefined || new URL(account.baseUrl).pathname === '/') return null
  return slugOf(boards.get(accountId)?.checks.get(before.id) ?? before)
}

async function create(accountId: AccountId, draft: CheckDraft): Promise<Failure | null> {
  const result = await run(accountId, 'createCheck', createFields(draft))
  if (!result.ok) return result.failure
  const { name, uuid } = result.value
  const checkId = uuid == null ? null : await idOnBoard(accountId, name, uuid)
  if (isAt(null)) {
    goBack()
    go(checkId === null ? { view: 'checks' } : { view: 'check', accountId, checkId })
  }
  toast(`Created ${draft.name.trim()}. It is new: waiting for the first ping.`)
  return null
}

/** Back to where the form was opened, or to the check where it was opened by a link. */
function leave(accountId: AccountId, checkId: CheckId): void {
  if (isAt(checkId) && !goBack()) go({ view: 'check', accountId, checkId })
}

/** Nobody is led away from where they went while it was being saved. */
function isAt(checkId: CheckId | null): boolean {
  const here = place.peek()
  return here.view === 'editCheck' && here.checkId === checkId
}

function outcomeOf(failure: Failure, { before }: Editing): FormOutcome {
  // Monitoring API, "Create": an empty 403 is the limit of the account.
  if (before === null && failure.kind === 'refused' && failure.httpStatus === 403) {
    const text = 'The project’s account has reached its limit of checks. Nothing was created.'
    return { text, unsure: false }
  }
  if (isNotFound(failure)) return { text: 'This check no longer exists.', unsure: false }
  const [maybe, not] =
    before === null
      ? ['It may have been created anyway.', 'Nothing was created.']
      : ['It may have been saved anyway; saving again is safe.', 'Nothing was saved.']
  return {
    text: failedWords(failure, maybe, not),
    unsure: before === null && mayHaveHappened(failure),
  }
}

/** A form with what it started from, so that only real changes are sent. */
interface Editing {
  /** Null: a new check. */
  readonly before: CheckDetails | null
  readonly start: CheckDraft
  readonly draft: CheckDraft
}

/** Unsaved forms, for as long as the window lives: Esc loses nothing. */
export const unsaved = new Map<string, Editing>()

holdsInput(() => [...unsaved.values()].some(isChanged))

/** A new check is one form, whichever project it will be created in. */
export function editingKey(accountId: AccountId, checkId: CheckId | null): string {
  return checkId === null ? 'new' : `${accountId}/${checkId}`
}

export function isChanged({ start, draft }: Editing): boolean {
  return JSON.stringify(start) !== JSON.stringify(draft)
}

export function startEditing(before: CheckDetails | null, zone: string): Editing {
  const start = before === null ? { ...newCheckDraft, zone } : withOwnZone(draftOf(before), zone)
  return { before, start, draft: start }
}

/** A simple check has no zone; the user's is likely, should it become a scheduled one. */
function withOwnZone(draft: CheckDraft, zone: string): CheckDraft {
  return draft.kind === 'period' ? { ...draft, zone } : draft
}

/** The zone of this computer; UTC where it has none. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'
}

/** How long a new check may take to appear on the board, in ms. */
const longestWaitMs = 4_000

/** The id of a check that was just created, once the board has it; null when that takes too long. */
function idOnBoard(accountId: AccountId, name: string, uuid: string): Promise<CheckId | null> {
  return new Promise((resolve) => {
    let stop = () => {}
    const asked = new Set<CheckId>()
    const done = (id: CheckId | null) => {
      clearTimeout(timer)
      stop()
      resolve(id)
    }
    const timer = setTimeout(() => done(null), longestWaitMs)
    /** Names are not unique, and a board has no uuids. */
    const ask = async (checkId: CheckId): Promise<void> => {
      asked.add(checkId)
      const details = await call.checkDetails({ accountId, checkId })
      if (details.ok && details.value.uuid === uuid) done(checkId)
    }
    const look = () => {
      for (const { id, name: one } of appState.value.boards.get(accountId)?.checks.values() ?? [])
        if (one === name && !asked.has(id)) void ask(id)
    }
    stop = appState.subscribe(look)
  })
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
  const asked = useRun(
    id,
    () => run(id, 'listIntegrations', {}),
    (reply) => readIntegrations(reply).items,
  )
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
