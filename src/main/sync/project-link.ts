import { monitoringOperations } from '../../shared/api/monitoring.ts'
import { readChecks } from '../../shared/api/read-check.ts'
import { readFlips } from '../../shared/api/read-history.ts'
import type { AccountId } from '../../shared/core/account.ts'
import {
  withCheck,
  withChecks,
  withChecksFailed,
  withNextPoll,
} from '../../shared/core/board-update.ts'
import type { Failure } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../ports.ts'
import { type CheckPoller, pollChecks } from './check-poller.ts'
import type { Client } from './client.ts'
import { uniqueKeyOf } from './unique-key.ts'
import type { Waker } from './wait.ts'

/** The running connection of one project. Ends with its signal. */
export interface ProjectLink {
  readonly client: Client
  pollNow(): void
  /** Shows the check that an answer brought, and asks for the whole list soon after. */
  took(reply: unknown): void
  /** Resolves when the loop ended by its signal or a refused key; rejects on a bug. */
  readonly done: Promise<void>
}

/** Keeps one project's board in step with its server: poller → client → state, no other hop. */
export function followProject(parts: {
  accountId: AccountId
  client: Client
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
  signal: AbortSignal
}): ProjectLink {
  const { accountId, client, update, clock, signal } = parts

  const serverNow = (): number => clock.now() + parts.serverOffsetMs()

  const poller: CheckPoller = pollChecks({
    list: async (listSignal) => {
      const reply = await client.call(
        monitoringOperations.listChecks,
        {},
        { signal: listSignal, priority: 'background' },
      )
      return readChecks(reply.checks, uniqueKeyOf, serverNow())
    },
    flips: async (id, flipsSignal) => {
      const reply = await client.call(
        monitoringOperations.listFlips,
        { id },
        { signal: flipsSignal, priority: 'background' },
      )
      return readFlips(reply).items
    },
    onChecks: ({ checks, unreadable }) => {
      parts.onRead()
      update((state) =>
        withChecks(state, accountId, {
          checks,
          unreadable,
          at: clock.now(),
          intervalMs: parts.interval(),
          serverOffsetMs: parts.serverOffsetMs(),
        }),
      )
    },
    onFailure: (failure) => {
      update((state) => withChecksFailed(state, accountId, failure))
      parts.onFailure(failure)
    },
    onNext: (nextAt) => update((state) => withNextPoll(state, accountId, nextAt, parts.interval())),
    interval: parts.interval,
    clock,
    waker: parts.waker,
    signal,
  })

  return {
    client,
    pollNow: poller.pollNow,
    done: poller.done,
    took(reply) {
      const [check] = readChecks([reply], uniqueKeyOf, serverNow()).checks
      if (check !== undefined)
        update((state) => withCheck(state, accountId, check, clock.now() + parts.serverOffsetMs()))
      poller.restart()
    },
  }
}
