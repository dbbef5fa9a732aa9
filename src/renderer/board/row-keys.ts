import type { Account, AccountId } from '#shared/core/account.ts'
import type { Scope } from '#shared/core/attention/silence.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { accountById } from '#shared/core/state.ts'
import type { BoardRow, CheckRow, GroupRow } from '#shared/core/views/board-view.ts'
import { quietActs } from '../attention/check-quiet.tsx'
import { acknowledgeAll, asking, type Named } from '../attention/quiet-menu.tsx'
import { editAct } from '../check-editor/editor-access.ts'
import { discussActs } from '../discuss/discuss-actions.ts'
import type { PageAct } from '../parts/page-actions.ts'
import { run } from '../run.ts'
import { saidEnough, say } from '../toast.ts'
import { appState } from '../window-state.ts'
import { fold, movedKey, view } from './board-state.ts'

/** What single keys do with a row, besides opening it. */
export function rowActs(row: BoardRow | undefined): readonly PageAct[] {
  if (row === undefined || row.kind === 'note') return []
  return row.kind === 'check' ? checkActs(row) : groupActs(row)
}

/** False for a key that does nothing with the row. */
export function actOnRow(key: string, row: BoardRow): boolean {
  const found = rowActs(row).find((one) => one.key === key)
  found?.act()
  return found !== undefined
}

function checkActs(row: CheckRow): readonly PageAct[] {
  const { accountId, check } = row
  const name = checkName(check)
  const offer = check.status === 'paused' ? 'Resume' : 'Pause'
  return [
    ...quietActs({ accountId, check }),
    { key: 'p', title: `${offer} ${name}`, act: () => togglePause(row) },
    editAct(accountId, check),
    ...discussActs(accountId, check),
  ]
}

function groupActs(row: GroupRow): readonly PageAct[] {
  const { title } = row
  const scope = scopeOf(row)
  const acknowledge: readonly PageAct[] = [
    {
      key: 'a',
      title: `Acknowledge all of ${title}`,
      act: () => acknowledgeAll(title, checksOf(row), false),
    },
    {
      key: 'A',
      title: `Acknowledge all of ${title} and tell others (👀)`,
      act: () => acknowledgeAll(title, checksOf(row), true),
    },
  ]
  if (scope === null) return acknowledge
  const ask = () => {
    asking.value = { scope, name: title }
  }
  return [{ key: 's', title: `Snooze ${title}…`, act: ask }, ...acknowledge]
}

/** The project or the tag; null for the checks without a tag. */
function scopeOf({ accountId, tag }: GroupRow): Scope | null {
  if (accountId !== null) return { of: 'project', accountId }
  return tag === null ? null : { of: 'tag', tag }
}

/** All checks of a group, folded or not. */
function checksOf({ accountId, tag }: GroupRow): readonly Named[] {
  const named: Named[] = []
  for (const [id, { checks }] of appState.value.boards)
    for (const check of checks.values()) {
      const isOfTag = tag === null ? check.tags.length === 0 : check.tags.includes(tag)
      if (accountId === null ? isOfTag : accountId === id) named.push({ accountId: id, check })
    }
  return named
}

function togglePause({ accountId, check, key }: CheckRow): void {
  const choice = pauseChoice(accountById(appState.value, accountId), check)
  if (choice.can === 'neither') {
    say(choice.why, 'failed')
    return
  }
  followRow(key)
  void pauseOrResume(accountId, check, choice.can).then(({ ok, text }) =>
    say(text, ok ? 'done' : 'failed'),
  )
}

/** What one just did moves the row: it stays in sight, and its group open even if all is well now. */
function followRow(key: string): void {
  const { rows } = view.value
  const head = rows.slice(0, rows.indexOf(key)).findLast(({ kind }) => kind === 'group')
  movedKey.value = key
  if (head !== undefined) fold(head.key, true)
}

/** What can be done about the running of a check: one of the two, or why neither. */
type PauseChoice =
  | { readonly can: 'pause' | 'resume' }
  | { readonly can: 'neither'; readonly offer: 'pause' | 'resume'; readonly why: string }

export function pauseChoice(account: Account | null, check: Check): PauseChoice {
  const offer = check.status === 'paused' ? 'resume' : 'pause'
  if (account?.kind !== 'monitoring') return { can: 'neither', offer, why: 'Its account is gone.' }
  if (account.keyKind === 'readOnly' || !check.writable)
    return {
      can: 'neither',
      offer,
      why: `The key of ${account.label} can only read. Replace it with a read-write key to ${offer}.`,
    }
  if (account.key !== 'present')
    return { can: 'neither', offer, why: `${account.label} needs its key first.` }
  return { can: offer }
}

/** What came of it, in words; `ok` false for a failure. */
export interface PauseOutcome {
  readonly ok: boolean
  readonly text: string
}

/** Pauses or resumes. Main reads the check again by itself, so the board follows. */
export async function pauseOrResume(
  accountId: AccountId,
  check: Check,
  what: 'pause' | 'resume',
): Promise<PauseOutcome> {
  // "db-backup is resumed" must not stand above a db-backup that is paused.
  saidEnough()
  const name = checkName(check)
  const operation = what === 'pause' ? 'pauseCheck' : 'resumeCheck'
  const result = await run(accountId, operation, { uuid: check.id })
  if (!result.ok) return { ok: false, text: failedWords(name, what, result.failure) }
  if (what === 'resume') {
    // A resumed check has lost its last ping, not its past.
    return {
      ok: true,
      text: `${name} is resumed. It is new: waiting for the ${check.pingCount > 0 ? 'next' : 'first'} ping.`,
    }
  }
  const ends = check.manualResume
    ? 'It stays so until it is resumed.'
    : 'The next ping ends the pause.'
  return { ok: true, text: `${name} is paused. ${ends}` }
}

function failedWords(name: string, what: 'pause' | 'resume', failure: Failure): string {
  // Monitoring API: 409 for a check that is not stored as paused.
  if (what === 'resume' && failure.kind === 'refused' && failure.httpStatus === 409)
    return `${name} is not paused any more: there is nothing to resume.`
  if (failure.kind === 'refused' && failure.httpStatus === 404) return `${name} is no longer there.`
  const unsure = failure.kind === 'network' && failure.reached === 'maybe'
  // A server's own words may come without a stop.
  const sentence = failureSentence(failure).replace(/[^.!?]$/, '$&.')
  return `${sentence} ${
    unsure ? `${name} may be ${what}d all the same: the board will tell.` : `Nothing was ${what}d.`
  }`
}
