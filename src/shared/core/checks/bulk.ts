import type { AccountId } from '../account.ts'
import { type Failure, mayHaveHappened, type Result } from '../failure.ts'
import type { CheckId } from './check.ts'

/** What to do to each of several checks on the service. */
export type BulkAction =
  | { readonly do: 'pause' | 'resume' | 'delete' }
  | { readonly do: 'tag'; readonly tag: string; readonly on: boolean }
  /** By name, since the ids differ between projects. */
  | { readonly do: 'integration'; readonly name: string; readonly on: boolean }

export interface BulkTarget {
  readonly accountId: AccountId
  readonly checkId: CheckId
  readonly name: string
  /** As the board shows it. */
  readonly isPaused: boolean
}

/** The fields of the service's record of a check that matter here. */
interface BulkRecord {
  readonly status: string
  readonly tags: string
  /** Ids of integrations. */
  readonly channels: readonly string[]
}

/**
 * `unsure`: the response was lost, and the check could not be read afterwards. `left`: not tried.
 * `gone`: the check no longer exists.
 */
export type BulkOutcome =
  | { readonly is: 'done' | 'already' | 'unsure' | 'left' | 'gone' }
  | { readonly is: 'failed'; readonly why: Failure | string }

/** The requests that a change needs. Each waits for the request budget itself. */
export interface BulkService {
  read(target: BulkTarget): Promise<Result<BulkRecord>>
  pause(target: BulkTarget): Promise<Result<unknown>>
  resume(target: BulkTarget): Promise<Result<unknown>>
  remove(target: BulkTarget): Promise<Result<unknown>>
  /** Writes only the fields that are given. */
  update(target: BulkTarget, change: { tags?: string; channels?: string }): Promise<Result<unknown>>
  /** The ids of the project's integrations of this name. */
  integrations(accountId: AccountId, name: string): Promise<Result<readonly string[]>>
  /** May end early when the user stops. */
  wait(ms: number): Promise<unknown>
}

/**
 * Changes one check after the other, sending each change only once: if the response is lost, it
 * reads the check instead. Leaves the rest when `isStopped`, and those of an account that can't be
 * reached.
 */
export async function runBulk(
  action: BulkAction,
  targets: readonly BulkTarget[],
  service: BulkService,
  on: {
    readonly isStopped: () => boolean
    readonly onOutcome: (target: BulkTarget, outcome: BulkOutcome) => void
  },
): Promise<void> {
  const unreachable = new Set<AccountId>()
  for (const target of targets) {
    if (on.isStopped() || unreachable.has(target.accountId)) {
      on.onOutcome(target, { is: 'left' })
      continue
    }
    const outcome = await pastLimit(() => doOne(action, target, service), {
      failure: (one) => (one.is === 'failed' && typeof one.why !== 'string' ? one.why : null),
      wait: (ms) => service.wait(ms),
      isStopped: on.isStopped,
    })
    if (isUnreachable(outcome)) unreachable.add(target.accountId)
    on.onOutcome(target, outcome)
  }
}

/** Per change. */
const mostWaits = 5
const usualWaitMs = 15_000

/** Retries a change that the server refused because of its rate limit. */
export async function pastLimit<Outcome>(
  attempt: () => Promise<Outcome>,
  on: {
    readonly failure: (outcome: Outcome) => Failure | null
    /** May end early when the user stops. */
    readonly wait: (ms: number) => Promise<unknown>
    readonly isStopped: () => boolean
  },
): Promise<Outcome> {
  let outcome = await attempt()
  for (let times = 0; times < mostWaits && !on.isStopped(); times += 1) {
    const failure = on.failure(outcome)
    if (failure?.kind !== 'rateLimited') break
    await on.wait(failure.retryAfterMs ?? usualWaitMs)
    if (on.isStopped()) break
    outcome = await attempt()
  }
  return outcome
}

/** Also after an unsure change: two requests in a row got no response, so the next would not either. */
function isUnreachable(outcome: BulkOutcome): boolean {
  if (outcome.is === 'unsure') return true
  if (outcome.is !== 'failed' || typeof outcome.why === 'string') return false
  const { why } = outcome
  return why.kind === 'badKey' || (why.kind === 'network' && why.reached === 'no')
}

async function doOne(
  action: BulkAction,
  target: BulkTarget,
  service: BulkService,
): Promise<BulkOutcome> {
  const isPause = action.do === 'pause' || action.do === 'resume'
  // What the board shows to be so already is read first: a ping may have ended a pause since then.
  if (action.do === 'delete' || (isPause && target.isPaused !== (action.do === 'pause')))
    return sendOne(action, [], target, noRecord, service)
  const wanted =
    action.do === 'integration'
      ? await service.integrations(target.accountId, action.name)
      : { ok: true as const, value: [] }
  if (!wanted.ok) return failed(unsent(wanted.failure), action)
  if (action.do === 'integration' && wanted.value.length === 0)
    return { is: 'failed', why: 'Its project has no integration of this name.' }
  // Writing replaces the whole list, which may have changed since the board was read.
  const before = await service.read(target)
  if (!before.ok) return failed(unsent(before.failure), action)
  if (holds(action, wanted.value, before.value)) return { is: 'already' }
  return sendOne(action, wanted.value, target, before.value, service)
}

/** The failure of a request that only reads: whether or not the server got it, nothing changed. */
function unsent(failure: Failure): Failure {
  return failure.kind === 'network' ? { ...failure, reached: 'no' } : failure
}

const noRecord: BulkRecord = { status: '', tags: '', channels: [] }

async function sendOne(
  action: BulkAction,
  ids: readonly string[],
  target: BulkTarget,
  before: BulkRecord,
  service: BulkService,
): Promise<BulkOutcome> {
  const sent = await send(action, ids, target, before, service)
  if (sent.ok) return { is: 'done' }
  if (!mayHaveHappened(sent.failure)) return failed(sent.failure, action)
  const after = await service.read(target)
  if (!after.ok) return isGone(after.failure) ? failed(after.failure, action) : { is: 'unsure' }
  return holds(action, ids, after.value) ? { is: 'done' } : { is: 'failed', why: sent.failure }
}

function send(
  action: BulkAction,
  ids: readonly string[],
  target: BulkTarget,
  before: BulkRecord,
  service: BulkService,
): Promise<Result<unknown>> {
  switch (action.do) {
    case 'pause':
      return service.pause(target)
    case 'resume':
      return service.resume(target)
    case 'delete':
      return service.remove(target)
    case 'tag': {
      const others = tagsOf(before).filter((tag) => tag !== action.tag)
      return service.update(target, {
        tags: [...others, ...(action.on ? [action.tag] : [])].join(' '),
      })
    }
    case 'integration': {
      const others = before.channels.filter((id) => !ids.includes(id))
      return service.update(target, { channels: [...others, ...(action.on ? ids : [])].join(',') })
    }
  }
}

/** Whether the check is as the action would make it. */
function holds(action: BulkAction, ids: readonly string[], check: BulkRecord): boolean {
  switch (action.do) {
    case 'pause':
      return check.status === 'paused'
    case 'resume':
      return check.status !== 'paused'
    case 'delete':
      return false
    case 'tag':
      return tagsOf(check).includes(action.tag) === action.on
    case 'integration':
      return action.on
        ? ids.every((id) => check.channels.includes(id))
        : !ids.some((id) => check.channels.includes(id))
  }
}

function tagsOf({ tags }: BulkRecord): string[] {
  return tags.split(/\s+/).filter((tag) => tag !== '')
}

function failed(failure: Failure, action: BulkAction): BulkOutcome {
  if (isGone(failure)) return outcomeOfGone(action)
  // Monitoring API: 409 for a check that is not stored as paused.
  const isConflict = failure.kind === 'refused' && failure.httpStatus === 409
  if (action.do === 'resume' && isConflict) return { is: 'already' }
  return { is: 'failed', why: failure }
}

/** The outcome if the check no longer exists. */
export function outcomeOfGone(action: BulkAction): BulkOutcome {
  return { is: action.do === 'delete' ? 'done' : 'gone' }
}

function isGone(failure: Failure): boolean {
  return failure.kind === 'refused' && failure.httpStatus === 404
}
