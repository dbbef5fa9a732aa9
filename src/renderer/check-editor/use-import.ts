import { useMemo } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import { unknownZone } from '#shared/core/checks/check-draft.ts'
import { readCrontab, seemsToHaveUsers } from '#shared/core/checks/crontab.ts'
import { findZone } from '#shared/core/wall-clock.ts'
import { type Errors, useForm } from '../parts/form.ts'
import { toast, undo } from '../toast.ts'
import { now } from '../window-state.ts'
import { change, createAll, importOf, nothing, rowsOf } from './import-state.ts'

/** What is typed into the page, what it amounts to, and how it is sent. */
export function useImport(account: MonitoringAccount) {
  const { id } = account
  const state = importOf(id)
  const { text, zone, outcomes, progress } = state
  const hasUsers = useMemo(() => state.hasUsers ?? seemsToHaveUsers(text), [text, state.hasUsers])
  const named = findZone(zone)
  const crontab = useMemo(
    () => readCrontab(text, { zone: named ?? 'UTC', hasUsers, now: now.peek() }),
    [text, zone, hasUsers],
  )
  const rows = rowsOf(id, state, crontab)
  const wanted = rows.filter(({ chosen }) => chosen)
  const isWrong = wanted.some(({ errors }) => Object.keys(errors).length > 0)
  const form = useForm({
    title: 'Import a crontab',
    key: `import/${id}`,
    draft: state,
    edit: (part) => change(id, part),
    check: (): Errors<'zone'> => ({
      ...(named === null ? { zone: unknownZone } : {}),
      ...(isWrong ? { form: 'Fix the marked fields first.' } : {}),
    }),
    async send() {
      await createAll(id, wanted)
      return { ok: true, value: null }
    },
  })
  const startOver = () => {
    change(id, { ...nothing, zone })
    toast(
      'Cleared the import. The checks it created stay.',
      'done',
      undo(() => change(id, state)),
    )
  }
  // The crontab can be changed until the first check is sent: no check is proposed a second time.
  const isOpen = outcomes.size === 0 && progress === 'none'
  return { account, form, state, crontab, hasUsers, rows, wanted, isOpen, startOver }
}
