import { safeParse } from 'valibot'
import { monitoringOperations } from '../../shared/api/monitoring/monitoring-operations.ts'
import { readOneCheck } from '../../shared/api/monitoring/read-check.ts'
import { readCheckDetails } from '../../shared/api/monitoring/read-check-details.ts'
import { readFlips, readPings } from '../../shared/api/monitoring/read-history.ts'
import type { Operation } from '../../shared/api/operation.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { Board } from '../../shared/core/checks/board.ts'
import {
  boardAfter,
  type ChecksRead,
  withBoard,
  withCheck,
  withChecksFailed,
  withMissed,
  withNextPoll,
} from '../../shared/core/checks/board-update.ts'
import type { CheckDetails, CheckId } from '../../shared/core/checks/check.ts'
import type { Flip } from '../../shared/core/checks/flip.ts'
import { withFound } from '../../shared/core/checks/missed-flips.ts'
import type { Failure } from '../../shared/core/failure.ts'
import { type AppState, accountById } from '../../shared/core/state.ts'
import { type Client, tellingRefusals } from '../http/client.ts'
import type { HttpReply } from '../http/transport.ts'
import { inTurns } from '../http/turns.ts'
import { isAborted, type Waker } from '../http/wait.ts'
import type { Clock } from '../ports.ts'
import { createCheckListReader } from './check-list.ts'
import { type CheckPoller, pollChecks } from './check-poller.ts'
import { searchMissedFlips } from './flip-lookups.ts'
import { uniqueKeyOf } from './unique-key.ts'

/** The running connection of one project. Ends with its signal. */
export interface ProjectLink {
  readonly client: Client
  /** All that the service said last of a check; null where it said nothing of it. */
  details(id: CheckId): CheckDetails | null
  pollNow(): void
  /** Shows the check that an answer brought, and asks for the whole list soon after. */
  took(reply: unknown): void
  /** Keeps the flips that an answer brought, if it is one of flips. */
  sawFlips(operation: Operation, params: Readonly<Record<string, unknown>>, reply: unknown): void
  /** Resolves when the loop ended by its signal; rejects on a bug. */
  readonly done: Promise<void>
}

/** Keeps one project's board in step with its server: poller → client → state, no other hop. */
export function followProject(parts: {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  /** Ms between two polls, asked anew each time: shorter while something is down or looked at. */
  interval: () => number
  /** After each good answer. */
  onRead: () => void
  onFailure: (failure: Failure) => void
  /** Server clock minus ours. */
  serverOffsetMs: () => number
  clock: Clock
  waker: Waker
  /** Flips that were read, whatever for. */
  onFlips: (id: CheckId, flips: readonly Flip[]) => void
  onBug: (error: unknown) => void
  signal: AbortSignal
}): ProjectLink {
  const { accountId, update, clock, signal } = parts
  /** For all but the poller, which looks after itself. */
  const client = tellingRefusals(parts.client, (failure) => {
    if (accountById(parts.get(), accountId)?.key === 'rejected') return
    failed(failure)
    poller.pollNow()
  })
  const failed = (failure: Failure): void => {
    update((state) => withChecksFailed(state, accountId, failure, clock.now()))
    parts.onFailure(failure)
  }

  const serverNow = (): number => clock.now() + parts.serverOffsetMs()

  async function flips(
    params: { id: CheckId; start?: number },
    flipsSignal: AbortSignal,
  ): Promise<readonly Flip[]> {
    const reply = await client.call(monitoringOperations.listFlips, params, {
      signal: flipsSignal,
      priority: 'background',
    })
    const { items } = readFlips(reply)
    parts.onFlips(params.id, items)
    return items
  }

  const list = createCheckListReader(
    (reply) => parts.client.read(monitoringOperations.listChecks, reply).checks,
  )
  /** What single answers said since the last list was taken in. */
  const newer = new Map<CheckId, CheckDetails>()
  const details = (id: CheckId): CheckDetails | null => newer.get(id) ?? list.details(id)

  const missed = searchMissedFlips({
    flips: (id, start, flipsSignal) => flips({ id, start }, flipsSignal),
    pings: async (id, pingsSignal) => {
      const uuid = details(id)?.uuid ?? null
      if (uuid === null) return null
      const options = { signal: pingsSignal, priority: 'background' } as const
      return readPings(await client.call(monitoringOperations.listPings, { uuid }, options)).items
    },
    onPending: (since) =>
      update((state) => withMissed(state, accountId, (before) => ({ ...before, since }))),
    onDone: (found) =>
      update((state) => withMissed(state, accountId, (before) => withFound(before, found))),
    signal,
  })

  const board = (): Board | undefined => parts.get().boards.get(accountId)

  /** In turns, on the board as it is when the last of them is over; null: it is not wanted any more. */
  async function takenIn(read: ChecksRead, isOutdated: () => boolean): Promise<Board | null> {
    for (;;) {
      const before = board()
      if (before === undefined || isAborted(signal) || isOutdated()) return null
      const after = await inTurns(boardAfter(before, read))
      if (board() === before && !isAborted(signal) && !isOutdated()) return after
    }
  }

  let lastReply: HttpReply | undefined
  const poller: CheckPoller = pollChecks({
    list: async (listSignal) => {
      lastReply = await parts.client.answer(
        monitoringOperations.listChecks,
        {},
        { signal: listSignal, priority: 'background', before: lastReply },
      )
      return list.read(lastReply, serverNow(), listSignal)
    },
    flips: (id, flipsSignal) => flips({ id }, flipsSignal),
    onChecks: async ({ checks, unreadable }, answeredAt, isOutdated) => {
      const read = {
        checks,
        unreadable,
        at: answeredAt,
        intervalMs: parts.interval(),
        serverOffsetMs: parts.serverOffsetMs(),
      }
      const after = await takenIn(read, isOutdated)
      if (after === null) return
      parts.onRead()
      newer.clear()
      list.settle(after.checks)
      missed.compare(board(), after)
      update((state) => withBoard(state, after))
      missed.search().catch(parts.onBug)
    },
    onFailure: failed,
    onNext: (nextAt) => {
      const plan = nextAt === null ? null : { nextAt, intervalMs: parts.interval() }
      update((state) => withNextPoll(state, accountId, plan))
    },
    interval: parts.interval,
    clock,
    waker: parts.waker,
    signal,
  })

  return {
    client,
    details,
    pollNow: poller.pollNow,
    done: poller.done,
    sawFlips(operation, params, reply) {
      const id = params['id']
      if (operation !== monitoringOperations.listFlips || typeof id !== 'string') return
      const read = safeParse(monitoringOperations.listFlips.reply, reply)
      if (read.success)
        parts.onFlips(id.includes('-') ? uniqueKeyOf(id) : id, readFlips(read.output).items)
    },
    took(reply) {
      const check = readOneCheck(reply, uniqueKeyOf, serverNow())
      if (check !== null)
        update((state) => withCheck(state, accountId, check, clock.now() + parts.serverOffsetMs()))
      const said = readCheckDetails(reply, uniqueKeyOf)
      if (said !== null) newer.set(said.id, said)
      poller.restart()
    },
  }
}
