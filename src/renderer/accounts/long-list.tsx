import { useId } from 'preact/hooks'
import type { MonitoringAccount } from '#shared/core/account.ts'
import type { BadgeFault, ListWire } from '#shared/core/checks/board.ts'
import { longestPollMs } from '#shared/core/settings.ts'
import { atClockWords, durationWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { Select, SwitchInput } from '../parts/field.tsx'
import { toastIfFailed } from '../toast.ts'
import { appState, now } from '../window-state.ts'
import { aDay, sizeWords } from './account-words.ts'

const usualMinutes = 10
const choices = [2, 5, 10, 15, 30, 60].map(
  (minutes) => [String(minutes), `${minutes} min`] as const,
)

/** For a project whose list is long and comes uncompressed: what to ask for between two of them. */
export function LongList({ account }: { readonly account: MonitoringAccount }) {
  const id = useId()
  const { id: accountId, wholeReadMinutes: minutes } = account
  const board = appState.value.boards.get(accountId)
  const wire = board?.wire ?? null
  if (account.demo || (minutes === undefined && wire === null)) return null
  const { settings } = appState.value
  const pollMs = 1_000 * settings.pollSeconds
  const set = (wanted: number | null) =>
    toastIfFailed(call.setWholeReads({ accountId, minutes: wanted }))
  return (
    <div class="row account-option">
      <SwitchInput
        id={id}
        on={minutes !== undefined}
        onChange={(on) => set(on ? usualMinutes : null)}
      />
      <div>
        <label for={id}>Ask only for the counts between two lists</label>
        <div class="field-help" id={`${id}-help`}>
          {minutes === undefined ? (
            wire !== null && <Offer wire={wire} pollMs={pollMs} />
          ) : (
            <>
              <Saving wire={wire} pollMs={pollMs} minutes={minutes} />
              <Bounds soonMs={longestPollMs(settings)} minutes={minutes} />
            </>
          )}
        </div>
        {minutes !== undefined && (
          <p class="account-whole">
            <label for={`${id}-minutes`}>Read the whole list every</label>
            <Select
              id={`${id}-minutes`}
              value={String(minutes)}
              options={withChosen(minutes)}
              onChange={(wanted) => set(Number(wanted))}
            />
          </p>
        )}
        {minutes !== undefined && wire?.givenUp !== undefined && <GivenUp givenUp={wire.givenUp} />}
      </div>
    </div>
  )
}

/** With the one that a file or an older version has chosen. */
function withChosen(minutes: number) {
  const isOffered = choices.some(([value]) => value === String(minutes))
  return isOffered ? choices : [...choices, [String(minutes), `${minutes} min`] as const]
}

interface Costs {
  readonly wire: ListWire
  readonly pollMs: number
}

function Offer({ wire, pollMs }: Costs) {
  return (
    <p>
      The list of this project is {sizeWords(wire.bytes)} and comes uncompressed:{' '}
      {sizeWords(aDay(wire.bytes, pollMs))} a day, read every {durationWords(pollMs)}. The project’s
      badge says in 70 bytes how many checks there are, and how many are late and down. With that in
      between, and the list every {usualMinutes} min and whenever the counts change, it is{' '}
      {sizeWords(aDay(wire.bytes, usualMinutes * 60_000))} a day. A swap, in which one check goes
      down and another comes up between two polls, is then seen within {usualMinutes} min.
    </p>
  )
}

interface SavingProps {
  readonly wire: ListWire | null
  readonly pollMs: number
  readonly minutes: number
}

function Saving({ wire, pollMs, minutes }: SavingProps) {
  if (wire === null) return null
  const wholeMs = Math.max(pollMs, minutes * 60_000)
  return (
    <p>
      {sizeWords(aDay(wire.bytes, wholeMs))} a day while the counts stay the same, instead of{' '}
      {sizeWords(aDay(wire.bytes, pollMs))}.
    </p>
  )
}

/** How long what the histories show is held back in order to tell it together. */
const longestTogetherMs = 5 * 60_000

/** What is seen when. */
function Bounds({ soonMs, minutes }: { readonly soonMs: number; readonly minutes: number }) {
  const soon = durationWords(soonMs)
  const lateMs = Math.max(soonMs, minutes * 60_000)
  const late = durationWords(lateMs)
  return (
    <p>
      What changes the counts is seen within {soon}, as before. A swap, in which one check goes down
      and another comes up between two polls, is seen within {late}; so are pauses, runs that are
      not as usual, new names, tags and schedules, the times of pings, and that the key was revoked.
      An outage that only the history of a check shows is told within{' '}
      {durationWords(2 * lateMs + longestTogetherMs)}.
    </p>
  )
}

const faults: Readonly<Record<BadgeFault, string>> = {
  unread: 'the badge could not be read',
  differs: 'the badge counted something else than the list that was just read',
  busy: 'the counts changed at each of the last polls',
  odd: 'some of its checks could not be read, or have a status that Belfry does not know, so they can’t be counted',
  owed: 'too many checks reported several times between two lists, and the history of each has to be read',
}

function GivenUp({ givenUp }: { readonly givenUp: NonNullable<ListWire['givenUp']> }) {
  if (givenUp.until <= now.value) return null
  return (
    <p class="account-given-up">
      The whole list is read each time, for now: {faults[givenUp.why]}. Belfry tries the badge again{' '}
      {atClockWords(givenUp.until, now.value)}.
    </p>
  )
}
