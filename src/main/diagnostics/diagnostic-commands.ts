import type { Commands } from '../../shared/contract.ts'
import {
  type Account,
  type AccountId,
  freshnessOf,
  type KeyState,
  neverRead,
} from '../../shared/core/account.ts'
import { type Diagnostics, type Exchange, exchangeLine } from '../../shared/core/diagnosis.ts'
import type { Clock, Desktop } from '../base/ports.ts'
import { wait } from '../http/wait.ts'
import type { LiveState } from '../state/store.ts'

/** Exchanges kept for each account: about a quarter of an hour of polls. */
const mostExchanges = 30

/** How long a report waits for the accounts to be read, and how often that is checked. */
const readPatienceMs = 10_000
const readLookMs = 100
/** Accounts in these states are not read. */
const keyless: readonly KeyState[] = ['missing', 'locked']

/** For when something does not work: what is known of it, as a page and as a report. */
export function createDiagnosticCommands(parts: {
  live: LiveState
  desktop: Desktop
  clock: Clock
  refresh: () => void
  note: (where: string, what: string) => void
}) {
  const { live, desktop, clock } = parts
  const exchanges = new Map<AccountId, readonly Exchange[]>()

  /** `thorough` also tests the disk by writing to it. */
  async function diagnose(thorough: boolean): Promise<Diagnostics> {
    const [facts, disk] = await Promise.all([
      desktop.facts(),
      thorough
        ? // This document is written even if it has not changed.
          live.persist('notifiedState').then(
            () => true,
            () => false,
          )
        : null,
    ])
    const known = new Set(live.get().accounts.map(({ id }) => id))
    for (const id of exchanges.keys()) if (!known.has(id)) exchanges.delete(id)
    return { facts, disk, exchanges: new Map(exchanges) }
  }

  /** Reads all accounts now; resolves once each was read or failed, or after `readPatienceMs`. */
  async function readAll(): Promise<void> {
    const [since, until] = [clock.now(), clock.monotonic() + readPatienceMs]
    parts.refresh()
    const isOld = ({ id }: Account): boolean => {
      const { readAt, lastFailure } = freshnessOf(live.get(), id) ?? neverRead
      return Math.max(readAt ?? 0, lastFailure?.at ?? 0) < since
    }
    const asked = () => live.get().accounts.filter(({ key }) => !keyless.includes(key))
    while (clock.monotonic() < until && asked().some(isOld))
      await wait(readLookMs, new AbortController().signal)
  }

  return {
    heard(id: AccountId, exchange: Exchange) {
      exchanges.set(id, [exchange, ...(exchanges.get(id) ?? [])].slice(0, mostExchanges))
      parts.note(`account ${id.slice(0, 8)}`, exchangeLine(exchange))
    },
    commands: {
      diagnose({ thorough }) {
        if (thorough) parts.refresh()
        return diagnose(thorough)
      },

      async saveDiagnostics() {
        const { reportText } = await import('../../shared/core/views/findings.ts')
        await readAll()
        const [diagnostics, logs] = await Promise.all([diagnose(true), desktop.logs()])
        const text = reportText(live.get(), diagnostics, clock.now(), logs)
        return desktop.saveFile('belfry-report.txt', text)
      },

      async dismissTrouble({ id }) {
        live.trouble(id, null)
      },
    } satisfies Partial<Commands>,
  }
}
