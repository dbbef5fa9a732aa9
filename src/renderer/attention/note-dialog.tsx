import { signal } from '@preact/signals'
import { reasonLimit, type Silence } from '#shared/core/attention/silence.ts'
import { checkName } from '#shared/core/checks/check.ts'
import type { Result } from '#shared/core/failure.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field, FormError } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import type { PageAction } from '../parts/page-actions.ts'
import { toast, toastFailure, undo } from '../toast.ts'
import { acknowledge, checkScope, type Named, ownSilence } from './quiet-menu.tsx'

/** The acknowledgement that the open dialog asks about; null if it is closed. */
export const noting = signal<Silence | null>(null)

export function askForNote(own: Silence): void {
  noting.value = own
}

export const noteProblem = `The note is too long: ${reasonLimit} characters at most.`

export function ownAcknowledgement({ accountId, check }: Named): Silence | null {
  const own = ownSilence(checkScope(accountId, check), 'acknowledge')
  return own?.how === 'acknowledge' ? own : null
}

/** Asks for a note where the user has acknowledged the check; nothing elsewhere. */
export function noteActions(named: Named): readonly PageAction[] {
  const own = ownAcknowledgement(named)
  if (own === null) return []
  const title = `Note on ${checkName(named.check)}…`
  return [{ key: '', title, act: () => askForNote(own) }]
}

/** Acknowledges the check with a note, or changes the note of its acknowledgement. */
export async function acknowledgeNoted(named: Named, note: string): Promise<void> {
  const own = ownAcknowledgement(named)
  if (own === null) return acknowledge(named.accountId, named.check, false, note)
  const result = await setNote(own, note)
  if (!result.ok) toastFailure(result.failure)
}

async function setNote(
  { id, label, reason = '' }: Silence,
  note: string,
): Promise<Result<unknown>> {
  const result = await call.noteSilence({ id, note })
  if (!result.ok) return result
  const back = async () => {
    const undone = await call.noteSilence({ id, note: reason })
    if (undone.ok) toast('Undone.')
    else toastFailure(undone.failure)
  }
  toast(note === '' ? `No note on ${label} any more.` : `Noted on ${label}.`, 'done', undo(back))
  return result
}

export function NoteDialog({ silence }: { readonly silence: Silence }) {
  const close = () => {
    noting.value = null
  }
  const form = useForm({
    title: `Note on ${silence.label}`,
    start: { note: silence.reason ?? '' },
    check: ({ note }) => (note.trim().length > reasonLimit ? { note: noteProblem } : {}),
    send: ({ note }) => setNote(silence, note.trim()),
    async done(_, isHere) {
      if (isHere()) close()
    },
  })
  return (
    <Dialog title={`Note on ${silence.label}`} onClose={close}>
      <form {...form.attributes}>
        <Field
          label="Note"
          placeholder="Looking at the disk"
          help="Shown wherever the check is said to be acknowledged. Others don’t see it."
          {...draftField(form, 'note')}
        />
        <FormError error={form.errors.form} />
        <Button kind="primary" type="submit" busy={form.busy}>
          Save
        </Button>
      </form>
    </Dialog>
  )
}
