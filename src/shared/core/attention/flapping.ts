import type { AccountId } from '../account.ts'
import type { CheckId } from '../checks/check.ts'
import { memoized } from '../identity.ts'
import { type CheckEvent, isChange } from './event.ts'
import { type Candidate, rings } from './judge.ts'
import type { NotifiedLately, NotifiedOnce } from './memory.ts'
import type { Reason } from './notice.ts'
import { type Flapping, heldBeside, showFlapping, type Wanted } from './show.ts'
import { type Draft, end, isUnread, type Work } from './work.ts'

/** More than two pop-ups (down, up again) of one check in this time are flapping. */
const flappingMs = 5 * 60_000
const popUpsOfOneCheck = 2

/** The candidates, without changes of checks that are flapping, which are held back instead. */
export function cooledDown(work: Work): readonly Candidate[] {
  const { draft, now, candidates } = work
  draft.once = draft.once.filter(({ at }) => now - at < flappingMs)
  const before = draft.once
  const first = new Map<AccountId, First>()
  return candidates.filter(({ event, reasons }) => {
    // A repeated alarm isn't one.
    if (!isChange(event) || event.again !== undefined) return true
    const known = notifiedRecently(draft, before, event) ?? noted(work, first, event)
    return known === null || isCoolingDown(work, event, reasons, known)
  })
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
  return { shownAt: [at], held: 0, last: null, flapping: false }
}

/** Built on demand: most checks of a storm are never looked up. */
const indexOf = memoized((checks: readonly CheckId[]): ReadonlySet<CheckId> => new Set(checks))

/** The checks of an account that have their first pop-up in this step. */
interface First {
  readonly kind: CheckEvent['kind']
  readonly checks: CheckId[]
  /** Null while all events are of one kind, since these are all of different checks. */
  index: Set<CheckId> | null
}

/** Records a check's first pop-up and returns null, or returns the one this step already had. */
function noted(
  { draft, now }: Work,
  first: Map<AccountId, First>,
  { accountId, checkId, kind }: CheckEvent,
): NotifiedLately | null {
  let own = first.get(accountId)
  if (own === undefined) {
    own = { kind, checks: [], index: null }
    first.set(accountId, own)
    draft.once = [...draft.once, { at: now, accountId, checks: own.checks }]
  }
  if (own.kind !== kind) own.index ??= new Set(own.checks)
  if (own.index?.has(checkId) === true) return shownOnce(now)
  own.index?.add(checkId)
  own.checks.push(checkId)
  return null
}

function isCoolingDown(
  work: Work,
  event: CheckEvent,
  reasons: readonly Reason[],
  known: NotifiedLately,
): boolean {
  const { checks } = work.draft
  const lately = { ...known, shownAt: shownLately(work, known) }
  if (lately.shownAt.length < (lately.flapping ? 1 : popUpsOfOneCheck) && lately.held === 0) {
    checks.set(event.subject, { ...lately, shownAt: [...lately.shownAt, work.now] })
    return true
  }
  checks.set(event.subject, { ...lately, held: lately.held + 1, last: event })
  end(work, event, 'folded', [
    ...reasons,
    {
      by: 'flapping',
      text: 'It changes too often: one notification every five minutes counts the changes.',
    },
  ])
  return false
}

function shownLately({ now }: Work, { shownAt }: NotifiedLately): readonly number[] {
  return shownAt.filter((at) => now - at < flappingMs)
}

/** Shows each flapping check's one notice in five minutes, if it is still wanted. */
export function releaseFlapping(work: Work, wanted: Wanted): void {
  const flapping: Flapping[] = []
  const { checks, lanes } = work.draft
  for (const [subject, lately] of checks) {
    const { held, last } = lately
    if (held === 0 || last === null || isUnread(work, last)) continue
    if (shownLately(work, lately).length > 0) continue
    checks.set(subject, { shownAt: [work.now], held: 0, last: null, flapping: true })
    // A check that is up again makes no sound, however often it changed.
    const sound = last.kind === 'down' && rings(work, last)
    flapping.push({ event: last, sound, changes: held })
  }
  if (flapping.length === 0) return
  // A storm may still hold earlier changes of these checks.
  lanes.checks = { ...lanes.checks, held: heldBeside(lanes.checks.held, flapping) }
  showFlapping(
    work,
    flapping.filter((one) => wanted([one]).length > 0),
  )
}

/** Drops held changes of checks that did not recover but are no longer down or late (paused …). */
export function dropFlapping({ draft: { checks } }: Work, gone: ReadonlySet<string>): void {
  for (const [subject, lately] of checks)
    if (gone.has(subject) && lately.last?.kind !== 'recovered')
      checks.set(subject, { ...lately, held: 0, last: null })
}

/** Epoch ms of the next notice about a flapping check; null: none. */
export function nextFlapping(work: Work): number | null {
  let next: number | null = null
  for (const { held, last, shownAt } of work.draft.checks.values()) {
    if (held === 0 || last === null || isUnread(work, last)) continue
    const at = (shownAt.at(-1) ?? 0) + flappingMs
    if (next === null || at < next) next = at
  }
  return next
}

/** Drops the checks that did not change for five minutes. */
export function forgetCooldowns({ draft: { checks }, now }: Work): void {
  const isLongAgo = (at: number): boolean => now - at >= flappingMs
  for (const [subject, { held, shownAt }] of checks)
    if (held === 0 && shownAt.every(isLongAgo)) checks.delete(subject)
}
