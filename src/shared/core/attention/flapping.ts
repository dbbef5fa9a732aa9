import type { AccountId } from '../account.ts'
import type { CheckId } from '../checks/check.ts'
import { memoized } from '../identity.ts'
import type { Candidate } from './decision.ts'
import { type CheckEvent, isChange } from './event.ts'
import { rings } from './judge.ts'
import type { NotifiedLately, NotifiedOnce, Waiting } from './memory.ts'
import { showFlapping } from './show.ts'
import { bare, wanted } from './wanted.ts'
import { type Draft, end, type Work, wait } from './work.ts'

/** More than two pop-ups (down, up again) of one check in this time are flapping. */
const flappingMs = 5 * 60_000
const popUpsOfOneCheck = 2

/** The candidates, without changes of checks that are flapping, which are held back instead. */
export function cooledDown(work: Work): readonly Candidate[] {
  const { draft, now, candidates } = work
  draft.once = draft.once.filter(({ at }) => now - at < flappingMs)
  const before = draft.once
  const first = new Map<AccountId, CheckId[]>()
  const shown = [...candidates.values()].filter((one) => {
    const { event } = one
    // A repeated alarm isn't one.
    if (!isChange(event) || event.again !== undefined) return true
    const known = notifiedRecently(draft, before, event)
    if (known !== null) return !isCoolingDown(work, one, event.subject, known)
    const checks = first.get(event.accountId)
    if (checks === undefined) first.set(event.accountId, [event.checkId])
    else checks.push(event.checkId)
    return true
  })
  const own = [...first].map(([accountId, checks]) => ({ at: now, accountId, checks }))
  draft.once = [...draft.once, ...own]
  return shown
}

/** Epoch ms of the last pop-up about the check; 0: long ago. */
export function lastPopUpAt({ draft }: Work, event: CheckEvent): number {
  return notifiedRecently(draft, draft.once, event)?.shownAt.at(-1) ?? 0
}

/** Avoids looking up `subject`, whose concatenation V8 postpones, for thousands of checks. */
function notifiedRecently(
  { checks }: Draft,
  before: readonly NotifiedOnce[],
  { accountId, checkId, subject }: CheckEvent,
): NotifiedLately | null {
  const known = checks.size === 0 ? undefined : checks.get(subject)
  if (known !== undefined) return known
  for (const one of before)
    if (one.accountId === accountId && indexOf(one.checks).has(checkId)) return shownOnce(one.at)
  return null
}

function shownOnce(at: number): NotifiedLately {
  return { shownAt: [at], flapping: false }
}

/** Built on demand: most checks of a storm are never looked up. */
const indexOf = memoized((checks: readonly CheckId[]): ReadonlySet<CheckId> => new Set(checks))

function isCoolingDown(
  work: Work,
  candidate: Candidate,
  subject: string,
  known: NotifiedLately,
): boolean {
  const { draft, now } = work
  const shownAt = known.shownAt.filter((at) => now - at < flappingMs)
  const most = known.flapping ? 1 : popUpsOfOneCheck
  if (shownAt.length < most && candidate.waitedFor !== 'flapping') {
    // What stands for several changes counts as one notice of a flapping check.
    const flapping = known.flapping || candidate.changes > 2
    draft.checks.set(subject, { shownAt: [...shownAt, now], flapping })
    return false
  }
  draft.checks.set(subject, { ...known, shownAt })
  const until = (shownAt.at(-1) ?? now) + flappingMs
  wait(work, { ...bare(candidate), why: 'flapping', until })
  if (candidate.reasons.length === 0) return true
  end(work, candidate.event, 'folded', [
    ...candidate.reasons,
    {
      by: 'flapping',
      text: 'It changes too often: one notification every five minutes counts the changes.',
    },
  ])
  return true
}

/** Shows each flapping check's one notice in five minutes, if it is still wanted. */
export function releaseFlapping(work: Work, due: readonly Waiting[]): void {
  for (const { event } of due)
    work.draft.checks.set(event.subject, { shownAt: [work.now], flapping: true })
  // A check that is up again makes no sound, however often it changed.
  const counted = due.map((one) => ({
    ...one,
    sound: one.event.kind === 'down' && rings(work, one.event),
  }))
  showFlapping(work, wanted(work, counted))
}

/** Drops the checks that did not change for five minutes. */
export function forgetCooldowns({ draft: { checks, waits }, now }: Work): void {
  const isLongAgo = (at: number): boolean => now - at >= flappingMs
  for (const [subject, { shownAt }] of checks)
    if (waits.get(subject)?.why !== 'flapping' && shownAt.every(isLongAgo)) checks.delete(subject)
}
