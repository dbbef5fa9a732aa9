import { useRef, useState } from 'preact/hooks'
import { createFields, fieldErrors, updateFields } from '#shared/api/monitoring/write-check.ts'
import type { AccountId } from '#shared/core/account.ts'
import type { CheckDetails, CheckId } from '#shared/core/checks/check.ts'
import { type CheckDraft, type DraftErrors, draftErrors } from '#shared/core/checks/check-draft.ts'
import type { Failure, Result } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { run } from '../run.ts'
import { say } from '../toast.ts'
import { go, goBack, place } from '../window-state.ts'
import {
  type Editing,
  editingKey,
  idOnBoard,
  ownZone,
  startEditing,
  unsaved,
} from './editor-state.ts'

/** What the form says at its foot. */
interface FormOutcome {
  readonly text: string
  /** A new check was asked for and no answer told whether it is there. */
  readonly unsure: boolean
}

export interface CheckForm {
  readonly editing: Editing
  readonly errors: DraftErrors
  readonly outcome: FormOutcome | null
  readonly busy: boolean
  change(part: Partial<CheckDraft>): void
  /** What the form starts from was not known at first: no change of the user's. */
  settle(part: Partial<CheckDraft>): void
  startOver(): void
  /** Resolves to true when it was done. */
  save(): Promise<boolean>
}

/** The state of the form and its one way out. `accountId`: where a new check is made. */
export function useCheckForm(accountId: AccountId, first: Editing, id: CheckId | null): CheckForm {
  const key = editingKey(accountId, id)
  const [editing, setEditing] = useState(() => unsaved.get(key) ?? first)
  const [errors, setErrors] = useState<DraftErrors>({})
  const [outcome, setOutcome] = useState<FormOutcome | null>(null)
  const [busy, setBusy] = useState(false)
  // A second submit of the same moment sees no drawing between the two.
  const underWay = useRef(false)

  const write = (next: Editing) => {
    setEditing(next)
    unsaved.set(key, next)
  }
  /** What was typed while it was being saved is still to be saved, over what the check has become. */
  const goOn = async (before: CheckDetails): Promise<void> => {
    const details = await call.checkDetails({ accountId, checkId: before.id })
    const next = startEditing(details.ok ? details.value : before, ownZone())
    write({ ...next, draft: unsaved.get(key)?.draft ?? next.draft })
  }
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
    const told = fieldErrors(failure)
    setErrors(told ?? {})
    setOutcome(told === null ? outcomeOf(failure, editing) : null)
    return false
  }
  return {
    editing,
    errors,
    outcome,
    busy,
    change: (part) => {
      write({ ...editing, draft: { ...editing.draft, ...part } })
      setErrors((before) => without(before, part))
    },
    settle: (part) =>
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
  const named = before !== null || draft.name.trim() !== ''
  return { ...(named ? {} : { name: 'A name, to find it again.' }), ...draftErrors(draft) }
}

function without(errors: DraftErrors, part: Partial<CheckDraft>): DraftErrors {
  const touched = [...Object.keys(part), ...Object.keys(part.keywords ?? {})]
  // Another kind of schedule is checked anew as a whole.
  if ('kind' in part) touched.push('period', 'expression', 'zone')
  return Object.fromEntries(Object.entries(errors).filter(([name]) => !touched.includes(name)))
}

/** Null when it was done. */
async function send(accountId: AccountId, { before, draft }: Editing): Promise<Failure | null> {
  if (before === null) return create(accountId, draft)
  const fields = updateFields(before, draft)
  if (Object.keys(fields).length > 0) {
    const result = await run(accountId, 'updateCheck', { uuid: before.id, ...fields })
    if (!result.ok) return result.failure
    say(`${draft.name.trim() || 'The check'} is saved.`)
  }
  return null
}

async function create(accountId: AccountId, draft: CheckDraft): Promise<Failure | null> {
  const result: Result<{ name: string; uuid?: string | null | undefined }> = await run(
    accountId,
    'createCheck',
    createFields(draft),
  )
  if (!result.ok) return result.failure
  const { name, uuid } = result.value
  const checkId = uuid == null ? null : await idOnBoard(accountId, { name, uuid })
  if (isAt(null)) {
    goBack()
    go(checkId === null ? { view: 'checks' } : { view: 'check', accountId, checkId })
  }
  say(`${draft.name.trim()} is created. It is new: waiting for the first ping.`)
  return null
}

/** Back to where the form was opened, or to the check where it was opened by a link. */
function leave(accountId: AccountId, checkId: CheckId): void {
  if (isAt(checkId) && !goBack()) go({ view: 'check', accountId, checkId })
}

/** Who went elsewhere while it was being saved is not led away from there. */
function isAt(checkId: CheckId | null): boolean {
  const here = place.peek()
  return here.view === 'editCheck' && here.checkId === checkId
}

function outcomeOf(failure: Failure, { before }: Editing): FormOutcome {
  // Monitoring API, "Create": an empty 403 is the limit of the account.
  if (before === null && failure.kind === 'refused' && failure.httpStatus === 403)
    return {
      text: 'The project’s account has as many checks as it may. Nothing was created.',
      unsure: false,
    }
  if (failure.kind === 'refused' && failure.httpStatus === 404)
    return { text: 'This check is no longer there.', unsure: false }
  const sentence = failureSentence(failure).replace(/[^.!?]$/, '$&.')
  if (!mayHaveHappened(failure))
    return {
      text: `${sentence} Nothing was ${before === null ? 'created' : 'saved'}.`,
      unsure: false,
    }
  return before === null
    ? { text: `${sentence} It may have been created all the same.`, unsure: true }
    : { text: `${sentence} It may be saved all the same; saving again is safe.`, unsure: false }
}

function mayHaveHappened(failure: Failure): boolean {
  if (failure.kind === 'network') return failure.reached === 'maybe'
  return failure.kind === 'serverFault' || failure.kind === 'malformed'
}
