import { signal } from '@preact/signals'
import {
  limitsWords,
  type OwnLimits,
  ownLimits,
  readLimit,
  withOwnLimits,
} from '#shared/core/attention/runs/own-limits.ts'
import { checkName } from '#shared/core/checks/check.ts'
import { runWords } from '#shared/core/checks/runs.ts'
import { invalid, type Result } from '#shared/core/failure.ts'
import { call } from '../bridge.ts'
import { Button, SmallButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field, FormError } from '../parts/field.tsx'
import { draftField, useForm } from '../parts/form.ts'
import type { PageAction } from '../parts/page-actions.ts'
import { toast, toastFailure, undo } from '../toast.ts'
import { appState } from '../window-state.ts'
import { edit, edited, isChanged } from './attention-draft.ts'
import type { Named } from './quiet-menu.tsx'

/** The check that the open dialog asks about; null if it is closed. */
export const limiting = signal<Named | null>(null)

export function limitsAction({ accountId, check }: Named): PageAction {
  const act = () => {
    limiting.value = { accountId, check }
  }
  return { key: '', title: `Run times of ${checkName(check)}…`, act }
}

function limitsOf({ accountId, check }: Named): OwnLimits {
  return ownLimits(appState.value.settings.attention, { accountId, checkId: check.id })
}

/** Changes the limits of the check's own, and says so. */
export async function setLimits(
  named: Named,
  change: Partial<OwnLimits>,
): Promise<Result<unknown>> {
  const before = limitsOf(named)
  const limits = { ...before, ...change }
  const result = await save(named, limits)
  if (!result.ok) return result
  const name = checkName(named.check)
  const words = limitsWords(limits)
  const back = async () => {
    const undone = await save(named, before)
    if (undone.ok) toast('Undone.')
    else toastFailure(undone.failure)
  }
  const done =
    words === ''
      ? `Usual run times of ${name} are as learned.`
      : `Limits for runs of ${name}: ${words}.`
  toast(done, 'done', undo(back))
  return result
}

/** What is being edited on the page of the rules, and not saved yet, gets them as well. */
async function save({ accountId, check }: Named, limits: OwnLimits): Promise<Result<unknown>> {
  const place = { accountId, checkId: check.id }
  const id = crypto.randomUUID()
  const attention = withOwnLimits(appState.value.settings.attention, place, limits, id)
  if (attention === null) return { ok: false, failure: invalid('form', tooMany).failure }
  const draft = isChanged.peek() ? withOwnLimits(edited.peek(), place, limits, id) : null
  const result = await call.updateSettings({ attention })
  if (result.ok && draft !== null) edit({ rules: draft.rules })
  return result
}

const tooMany = 'There are too many notification rules: remove one first.'

/** The limits of the check's own, on its page. */
export function LimitsHere(named: Named) {
  const words = limitsWords(limitsOf(named))
  if (words === '') return null
  return (
    <p class="row quiet-here">
      <span class="raw">Tells of runs {words}</span>
      <SmallButton aria-label="Change the limits for its runs" onClick={limitsAction(named).act}>
        Change…
      </SmallButton>
    </p>
  )
}

const help = 'Minutes, or “2 h”; “never” for no notification. Empty: as learned from its last runs.'

export function LimitsDialog({ named }: { readonly named: Named }) {
  const name = checkName(named.check)
  const { longerMinutes, shorterMinutes } = limitsOf(named)
  const close = () => {
    limiting.value = null
  }
  const form = useForm({
    title: `Run times of ${name}`,
    start: { longer: typedAs(longerMinutes), shorter: typedAs(shorterMinutes) },
    check: ({ longer, shorter }) => ({
      ...(limitIn(longer) === undefined && { longer: problem }),
      ...(limitIn(shorter) === undefined && { shorter: problem }),
    }),
    send: ({ longer, shorter }) =>
      setLimits(named, {
        longerMinutes: limitIn(longer) ?? null,
        shorterMinutes: limitIn(shorter) ?? null,
      }),
    async done(_, isHere) {
      if (isHere()) close()
    },
  })
  return (
    <Dialog title={`Run times of ${name}`} onClose={close}>
      <form {...form.attributes}>
        <Field
          label="Too long if it takes longer than"
          placeholder="As learned"
          help={help}
          {...draftField(form, 'longer')}
        />
        <Field
          label="Too short if it takes less than"
          placeholder="As learned"
          {...draftField(form, 'shorter')}
        />
        <FormError error={form.errors.form} />
        <Button kind="primary" type="submit" busy={form.busy}>
          Save
        </Button>
      </form>
    </Dialog>
  )
}

const problem = 'Type whole minutes, at most a week: 90, “2 h” or “never”.'

function typedAs(minutes: number | null): string {
  if (minutes === null) return ''
  return minutes === 0 ? 'never' : runWords(minutes * 60)
}

/** Null: as learned; undefined: no limit that can be. */
function limitIn(text: string): number | null | undefined {
  return text.trim() === '' ? null : (readLimit(text) ?? undefined)
}
