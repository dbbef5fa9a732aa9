import type { WorldService } from '../../src/demo/world.ts'
import { freshnessOf, isFresh } from '../../src/shared/core/account.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import { trayView } from '../../src/shared/core/views/tray-view.ts'
import type { FaultProxy } from '../support/fault-proxy.ts'
import type { FaultKind } from '../support/faults.ts'
import { scheduledMs } from './fast-time.ts'
import type { Broken } from './promises.ts'
import { pollSeconds, type Rig, serviceOf, services } from './rig.ts'

/** Allowed after a failed read, and after a read that doesn't come. */
const graceMs = 10_000
/** For the response's way and the look's own interval: 0.3 s of real time. */
const slackMs = 3_000
/** What the chat server announces for a poll without events. */
const longPollMs = 90_000
const lookEveryMs = 500

/** Faults that leave the content of a response intact. */
const truthful: ReadonlySet<FaultKind> = new Set([
  'latency',
  'slowHeaders',
  'slowBody',
  'bom',
  // A response may have no numbers, which this one would spoil.
  'nan',
  'duplicateKeys',
  'proto',
  'loneSurrogates',
  'duplicatedEvents',
  'reorderedEvents',
  'unknownEvents',
])

/**
 * The truth about one account, seen from outside the app, in ms of `scheduledMs`: while a response
 * waits for the thread that unpacks it, the app can't know its content.
 */
interface Reads {
  /** When the last complete response ended. */
  readonly goodAt: number
  /** When the first failed read since then ended; null: none. */
  readonly failedAt: number | null
}

/** Uses only the proxy's log, which shares nothing with the app. */
function readsOf(log: FaultProxy['log'], service: WorldService): Reads {
  const isRead = service === 'chat' ? /\/(events|register)(\?|$)/ : /\/checks\/(\?|$)/
  const over = log
    .filter(({ method, path }) => isRead.test(path) && method !== 'DELETE')
    .flatMap(({ fault, isAnswered, endedAt }) =>
      endedAt === null
        ? []
        : [{ endedAt, isGood: isAnswered && (fault === null || truthful.has(fault)) }],
    )
    .sort((one, other) => one.endedAt - other.endedAt)
  const last = over.findLastIndex(({ isGood }) => isGood)
  return {
    goodAt: over[last]?.endedAt ?? Number.NEGATIVE_INFINITY,
    failedAt: over[last + 1]?.endedAt ?? null,
  }
}

/** Why the icon may not be green at `now`; null: it may. */
function doubtOf({ goodAt, failedAt }: Reads, service: WorldService, now: number) {
  const intervalMs = service === 'chat' ? longPollMs : pollSeconds * 1_000
  const sinceS = (at: number) => Math.round((now - at) / 1_000)
  if (failedAt !== null && now > failedAt + graceMs + slackMs)
    return `its reads have failed for ${sinceS(failedAt)} s`
  return now > goodAt + intervalMs + graceMs + slackMs
    ? `its last read was ${sinceS(goodAt)} s ago`
    : null
}

/** Looks at the screen twice a second, from the beginning of the fault until recovery. */
export function watchScreen(
  rig: Rig,
  struck: readonly WorldService[],
): { readonly broken: Broken[]; readonly notices: ReadonlyMap<string, Notice>; stop(): void } {
  const broken: Broken[] = []
  const told = new Set<string>()
  /** All of them, since the app's list keeps only 500. */
  const notices = new Map<string, Notice>()
  const say = (promise: Broken['promise'], subject: string, what = '') => {
    if (!told.has(subject)) broken.push({ promise, what: `${subject}${what}` })
    told.add(subject)
  }
  const sizes = new Map(rig.accounts.map(({ id }) => [id, sizeOf(rig, id)]))
  const lookAtTray = (service: WorldService, now: number) => {
    const doubt = doubtOf(readsOf(rig.proxies[service].log, service), service, scheduledMs())
    if (doubt === null) return
    // Each service alone, since another project's outage would hide its state.
    const { accounts, ...rest } = rig.now.app.state
    const own = accounts.filter(({ id }) => serviceOf(id) === service)
    const boards = new Map([...rest.boards].filter(([id]) => serviceOf(id) === service))
    const { shape } = trayView({ ...rest, accounts: own, boards }, now)
    if (['good', 'late', 'overrun', 'silenced', 'paused'].includes(shape))
      say('P5', `the icon says "${shape}" of ${service}`, `, although ${doubt}`)
  }
  const lookAtAccount = (id: string, now: number) => {
    const freshness = freshnessOf(rig.now.app.state, id)
    const isOther = !struck.includes(serviceOf(id))
    if (isOther && (freshness === null || !isFresh(freshness, now)))
      say('F40', `${serviceOf(id)} is stale although only ${struck.join(', ')} is in trouble`)
    if (sizeOf(rig, id) < (sizes.get(id) ?? 0) - 1)
      say('P5', `${serviceOf(id)} shows less than before the fault`)
  }
  const timer = setInterval(() => {
    const now = Date.now() + rig.clockShift.app
    for (const notice of rig.now.app.state.notices) notices.set(notice.id, notice)
    for (const service of services) lookAtTray(service, now)
    for (const { id } of rig.accounts) lookAtAccount(id, now)
  }, lookEveryMs)
  return { broken, notices, stop: () => clearInterval(timer) }
}

function sizeOf(rig: Rig, accountId: string): number {
  const { boards, realms } = rig.now.app.state
  const board = boards.get(accountId)
  return board === undefined
    ? (realms.get(accountId)?.messages.size ?? 0)
    : board.checks.size + board.unreadable
}
