import type { MonitoringAccount } from '#shared/core/account.ts'
import type { Board } from '#shared/core/checks/board.ts'
import {
  causeOf,
  causeWords,
  evidenceIn,
  hasCause,
  lastFailure,
} from '#shared/core/checks/cause.ts'
import type { Check } from '#shared/core/checks/check.ts'
import { isNewTo, lineThatMatters } from '#shared/core/checks/output.ts'
import type { Ping } from '#shared/core/checks/ping.ts'
import { runWords } from '#shared/core/checks/runs.ts'
import { scheduleWords } from '#shared/core/checks/schedule-words.ts'
import { clockWords, periodWords } from '#shared/core/time.ts'
import type { Asked } from '../run.ts'
import { BodyText, missingWords, useBody } from './run-output.tsx'
import { readsPings } from './use-details.ts'

interface Props {
  readonly account: MonitoringAccount
  readonly board: Board
  readonly check: Check
  readonly pings: Asked<readonly Ping[]>
  readonly serverNow: number
}

/** Why a check is down or late: what is said of it, and what its job sent along. */
export function useCause({ account, board, check, pings, serverNow }: Props) {
  const log = hasCause(check) ? pings.value : null
  const failure = log === null ? null : lastFailure(log)
  const good = log?.find(({ kind }) => kind === 'success') ?? null
  const output = useBody(account.id, check.id, bodyNumber(failure))
  const earlier = useBody(account.id, check.id, bodyNumber(failure && good))
  const read = board.logs.get(check.id) ?? null
  const line = output.value === null ? null : lineThatMatters(output.value)
  const known = read?.failure?.n === failure?.n ? (read?.failure?.line ?? null) : null
  const evidence = log === null ? read : evidenceIn(check, log, line ?? known)
  const cause = causeOf(check, evidence, serverNow)
  return { words: cause && causeWords(cause, serverNow), failure, good, output, earlier }
}

function bodyNumber(ping: Ping | null): number | null {
  return ping?.hasBody === true ? ping.n : null
}

type Shown = Omit<ReturnType<typeof useCause>, 'words'>

/** What the failed run sent, with what the last good one did not say. */
export function CauseEvidence(props: Shown & Pick<Props, 'account' | 'check' | 'serverNow'>) {
  const { account, check, failure, good, output, earlier, serverNow } = props
  if (!hasCause(check)) return null
  if (!readsPings(account, check))
    return (
      <p class="note cause-note">
        It is expected {scheduleWords(check.schedule)}, with {periodWords(check.graceSeconds)}{' '}
        grace. A read-only key can’t read pings, so Belfry can’t show what the job sent.
      </p>
    )
  if (failure === null) return null
  const isEmpty = !failure.hasBody || output.value?.trim() === ''
  const isNew = earlier.value === null ? undefined : isNewTo(earlier.value)
  return (
    <section class="cause" aria-label="What it sent">
      {output.value !== null && !isEmpty && (
        <BodyText label={`Body of ping ${failure.n}`} text={output.value} isMarked={isNew} />
      )}
      {output.failure !== null && <p class="note">{missingWords(output.failure)}</p>}
      {isEmpty && <p class="note">The job sent no output with this failure.</p>}
      <p class="note">
        {good === null
          ? 'None of the logged runs ended well.'
          : `The last good run ended at ${clockWords(good.at, serverNow)}${tookWords(failure, good)}.`}
        {isNew !== undefined && !isEmpty && ' Marked: what it did not say.'}
      </p>
    </section>
  )
}

function tookWords(failed: Ping, good: Ping): string {
  const [now, then] = [failed.durationSeconds, good.durationSeconds]
  if (then === null) return now === null ? '' : `; this one took ${runWords(now)}`
  return `, after ${runWords(then)}${now === null ? '' : `; this one took ${runWords(now)}`}`
}
