import type { Account, AccountId } from '#shared/core/account.ts'
import { type Check, checkName } from '#shared/core/checks/check.ts'
import type { Failure } from '#shared/core/failure.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { run } from '../run.ts'
import { saidEnough } from '../toast.ts'

/** What can be done about the running of a check: one of the two, or why neither. */
export type PauseChoice =
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
