import { effect, signal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { readFlips } from '#shared/api/monitoring/read-history.ts'
import type { AccountId } from '#shared/core/account.ts'
import { checkSubject } from '#shared/core/attention/event.ts'
import { type Check, isWell } from '#shared/core/checks/check.ts'
import type { Flip, HistoryEntry } from '#shared/core/checks/history.ts'
import { pastKinds, pastOf } from '#shared/core/checks/past.ts'
import { call } from '../bridge.ts'
import { run } from '../run.ts'
import { appState, now, place, visible } from '../window-state.ts'

/** 20 requests a minute: the rest of the 100 that the service allows is for what matters more. */
const requestGapMs = 3_000
/** After this, flips are read again: some may have come between two polls unnoticed. */
const staleMs = 60 * 60_000
/** When flips that could not be read are asked for again. */
const retryMs = 60_000
const mostKept = 1_000
const spanMs = 7 * 24 * 60 * 60_000

interface Known {
  /** Null if they could not be read. */
  readonly flips: readonly Flip[] | null
  /** What Belfry recorded of the same time. */
  readonly entries: readonly HistoryEntry[]
  readonly state: string
  /** `performance.now()`. */
  readonly at: number
}

interface Wanted {
  readonly accountId: AccountId
  readonly check: Check
}

const known = signal<ReadonlyMap<string, Known>>(new Map())
/** The rows that are drawn now. */
const wanted = new Set<Wanted>()

/** While the board is in view, reads the flips of its rows. Returns a function that stops it. */
export function followRowStrips(): () => void {
  return effect(() => {
    if (!visible.value || place.value.view !== 'checks') return
    const timer = setInterval(() => void readNext(), requestGapMs)
    return () => clearInterval(timer)
  })
}

let isReading = false

async function readNext(): Promise<void> {
  if (isReading) return
  const at = performance.now()
  const next = [...wanted].find((one) => {
    const have = known.peek().get(keyOf(one))
    if (have === undefined || have.state !== stateOf(one.check)) return true
    return at - have.at > (have.flips === null ? retryMs : staleMs)
  })
  if (next === undefined) return
  const { accountId, check } = next
  isReading = true
  const reply = await run(accountId, 'listFlips', { id: check.id }).finally(() => {
    isReading = false
  })
  const subject = checkSubject(accountId, check.id)
  const asked = { accountId, subject, kinds: [...pastKinds], from: now.peek() - spanMs }
  const recorded = await call.history(asked)
  const flips = reply.ok ? readFlips(reply.value).items : null
  const key = keyOf(next)
  const kept = [...known.peek()].filter(([other]) => other !== key).slice(1 - mostKept)
  known.value = new Map([
    ...kept,
    [key, { flips, entries: recorded.ok ? recorded.value : [], state: stateOf(check), at }],
  ])
}

/** If this changes, the check has flips that were not read yet. */
function stateOf({ status, since }: Check): string {
  return isWell(status) ? 'well' : `${status} ${since}`
}

interface Props extends Wanted {
  readonly serverNow: number
}

/** The last seven days of a check as a thin line, from which everything but “up” stands out. */
export function RowStrip({ accountId, check, serverNow }: Props) {
  useLayoutEffect(() => {
    const one = { accountId, check }
    wanted.add(one)
    return () => void wanted.delete(one)
  }, [accountId, check])
  const read = known.value.get(keyOf({ accountId, check }))
  return useMemo(
    () => <Strip {...{ accountId, check, read, serverNow }} />,
    [read, check.status, check.since, Math.floor(serverNow / 600_000)],
  )
}

function keyOf({ accountId, check }: Wanted): string {
  return `${accountId}/${check.id}`
}

function Strip({
  accountId,
  check,
  read,
  serverNow,
}: Props & { readonly read: Known | undefined }) {
  const flips = read?.flips ?? null
  const offsetMs = appState.peek().boards.get(accountId)?.serverOffsetMs ?? 0
  const until = serverNow - offsetMs
  const begin = until - spanMs
  const range = { now: until, from: begin, knownUntil: until, watchedFrom: until }
  const recorded = { entries: read?.entries ?? [], pings: [], offsetMs }
  const parts = flips === null ? [] : pastOf({ check, flips, ...recorded, ...range })
  // Hidden from screen readers: the check's page says the same in words.
  return (
    <svg class="row-strip" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ from, to, state }) => (
        <rect
          key={from}
          class={`row-strip-${state}`}
          x={((from - begin) / spanMs) * 100}
          width={Math.max(state === 'up' ? 0 : 3, ((to - from) / spanMs) * 100)}
          {...(state === 'up' ? { y: 8, height: 2 } : { y: 0, height: 10 })}
        />
      ))}
    </svg>
  )
}
