import { clockWords } from '../time.ts'
import { dayMs } from '../wall-clock.ts'
import { firstOf } from '../wording.ts'
import { asNow } from './as-now.ts'
import { type CheckEvent, isChange } from './event.ts'
import type { QuietSpan, Waiting } from './memory.ts'
import { type Notice, namesInFold, subjectOnScreen } from './notice.ts'
import { digestNotice, noticeOf } from './notices.ts'
import { startPrograms } from './programs/start-programs.ts'
import { hasRoom, heldWhys, mayRing, pop } from './show.ts'
import { proposeWanted, wanted } from './wanted.ts'
import { cooldownMs, drop, end, isQuiet, type Work, wait, waitingFor } from './work.ts'

/** Shows what happened in maintenances that are over as one digest. */
export function releaseMaintenance(work: Work, due: readonly Waiting[]): void {
  if (!hasRoom(work, 'checks')) return
  const { now, context } = work
  const items = wanted(work, due)
  if (items.length === 0) return
  const isDown = ({ event, sound }: Waiting): boolean => event.kind === 'down' && sound
  const labels = new Set(due.flatMap(({ maintenance }) => maintenance?.label ?? []))
  const what = firstOf([...labels], namesInFold)
  const id = `maintenance@${now}`
  const sound = mayRing(work) && items.some(isDown)
  const head = { id, subject: id, title: `Maintenance of ${what} is over`, sound }
  const notice = digestNotice(items, head, now, context.down)
  const [line, ...more] = notice.lines
  const target = line === undefined || more.length > 0 ? notice.target : line.target
  const why = { by: 'silence', text: `It came during the maintenance of ${what}.` } as const
  pop(work, items, { ...notice, target }, [why])
  startPrograms(work, items, notice)
}

/**
 * Shows what came in the meantime as one digest, once the quiet is over; by itself what is exempt
 * from the quiet that is left, as after sleep at night.
 */
export function releaseDigest(work: Work, due: readonly Waiting[]): void {
  if (isQuiet(work)) {
    proposeWanted(work, due)
    return
  }
  if (!hasRoom(work, 'checks')) return
  const { draft, now, context } = work
  const items = wanted(work, due)
  if (items.length === 0) return
  const { lastDigest } = draft
  const span = draft.quiet ?? { from: now, to: null, why: 'quiet' }
  const again = lastDigest !== null && span.from - lastDigest.at < cooldownMs
  const whole = again ? { ...span, from: lastDigest.quiet.from } : span
  const said = waitingFor(work, 'said')
  drop(work, said)
  const subjects = new Set(items.map(({ event }) => event.subject))
  const kept = said.filter(({ event }) => !isChange(event) || !subjects.has(event.subject))
  const repeated = again ? kept.filter((one) => !isShownBeside(work, one)) : []
  const all = [...repeated, ...items]
  // It had the subject of what it was about, so it has to go.
  const [single, ...more] = said
  if (again && single !== undefined && more.length === 0)
    work.replaced.push(subjectOnScreen(singleNotice(single, now, false)))
  draft.lastDigest = { at: now, quiet: whole }
  for (const one of all) wait(work, { ...one, why: 'said', until: now + cooldownMs })
  const sound = span.why === 'away' && mayRing(work) && items.some((one) => one.sound)
  const why = heldWhys[span.why === 'away' ? 'sleep' : 'quiet']
  const head = {
    id: `digest@${whole.from}-${now}`,
    subject: `digest@${whole.from}`,
    title: titleOf(whole),
    sound,
  }
  const [only, ...others] = all
  const notice =
    only !== undefined && others.length === 0
      ? singleNotice(only, now, sound)
      : digestNotice(all, head, now, context.down)
  pop(work, all, notice, [why], 'checks')
  startPrograms(work, items, notice)
}

/** Needs an id of its own: the list already has an entry saying that the event was kept. */
function singleNotice(only: Waiting, now: number, sound: boolean): Notice {
  return { ...noticeOf(asNow(only, now), sound), id: `${only.event.id}/digest` }
}

/**
 * Whether a notice of its own says what the check is, now or later. A recovery has none: the digest
 * says it.
 */
function isShownBeside(work: Work, { event }: Waiting): boolean {
  const candidate = work.candidates.get(event.subject)
  if (!isChange(event)) return false
  if (candidate === undefined) return work.draft.waits.has(event.subject)
  if (candidate.event.kind !== 'recovered') return true
  work.candidates.delete(event.subject)
  const why = { by: 'same', text: 'The digest says it, in place of the one before.' } as const
  end(work, candidate.event, 'folded', [...candidate.reasons, why])
  return false
}

/** A digest that may yet be said again says of each check what it is now. */
export function updateSaid({ draft: { waits } }: Work, event: CheckEvent): void {
  const key = `said ${event.subject}`
  const one = waits.size === 0 ? undefined : waits.get(key)
  if (one !== undefined) waits.set(key, { ...one, event, changes: one.changes + 1 })
}

/** Forgets quiet times and digests that nothing waits for any more. */
export function forgetDigests(work: Work, isQuiet: boolean): void {
  const { draft } = work
  if (!isQuiet && waitingFor(work, 'quiet', 'sleep').length === 0) draft.quiet = null
  if (waitingFor(work, 'said').length === 0) draft.lastDigest = null
}

function titleOf({ from, to }: QuietSpan): string {
  if (to === null) return 'While you were away'
  const short = to - from < dayMs
  const span = short
    ? `${clockWords(from, from)}–${clockWords(to, to)}`
    : `${clockWords(from, to)} – ${clockWords(to, to)}`
  return `While this computer was asleep (${span})`
}
