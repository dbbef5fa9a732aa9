import { accountById } from '../../account.ts'
import type { Board } from '../../checks/board.ts'
import { checkName } from '../../checks/check.ts'
import { runWords, type UsualDuration, usualWords } from '../../checks/runs.ts'
import type { WatchedState } from '../attention-slice.ts'
import { type CheckEvent, checkSubject, oddRunWords } from '../event.ts'
import { joined } from '../notice.ts'
import type { OddKind, OddRun } from './usual-runs.ts'

/** The events of odd runs of a project's checks, found at `now`, epoch ms, our clock. */
export function oddRunEvents(
  state: WatchedState,
  { accountId, checks }: Board,
  odd: readonly OddRun[],
  now: number,
): readonly CheckEvent[] {
  const project = accountById(state, accountId)?.label ?? 'a project'
  return odd.flatMap((run): CheckEvent[] => {
    const { checkId, kind, isRunning } = run
    const check = checks.get(checkId)
    if (check === undefined) return []
    const name = checkName(check)
    const subject = checkSubject(accountId, checkId)
    const { tags, status } = check
    return [
      {
        ...{ of: 'check', kind, id: `${subject}/${kind}@${now}`, at: now, accountId, subject },
        title: `${name} ${isRunning ? runningWords : oddRunWords[kind]}`,
        body: joined([bodyWords(run), project, tags.map((tag) => `#${tag}`).join(' ')]),
        target: { view: 'check', accountId, checkId },
        ...{ checkId, name, project, tags, from: status },
        why: whyWords(run),
      },
    ]
  })
}

/** At the end of a title, while the run goes on. */
export const runningWords = 'is running longer than usual'

/** As is true later on as well, when the run may have ended. */
export function oddRunAsNow(event: CheckEvent, now: number): CheckEvent {
  const { kind, name, at } = event
  return kind !== 'tooLong' || at === now
    ? event
    : { ...event, title: `${name} ${oddRunWords.tooLong}` }
}

function bodyWords({ seconds, isRunning, usual, limitSeconds, runs }: OddRun): string {
  if (seconds === null) return `${runs} of its last runs sent one`
  const took = `${isRunning ? 'for at least' : 'took'} ${runWords(seconds)}`
  return joined([took, limitSeconds === null && usual !== null ? usualWords(usual) : null])
}

const compared: Readonly<Record<Exclude<OddKind, 'noStart'>, string>> = {
  tooShort: 'less than a tenth of the median, and than half of what nine of ten took',
  tooLong: 'more than three times the median, and than twice what nine of ten took',
}

function whyWords({ kind, seconds, isRunning, usual, limitSeconds, runs }: OddRun): string {
  if (kind === 'noStart' || seconds === null)
    return `It ended well, but its one ping since the run before was that of its end; ${runs} of its last runs sent a start signal first.`
  const took = `This run ${isRunning ? 'has taken at least' : 'took'} ${runWords(seconds)}`
  if (limitSeconds !== null || usual === null)
    return `${took}; you set “${kind === 'tooLong' ? 'longer' : 'shorter'} than ${runWords(limitSeconds ?? 0)}”.`
  return `${took}, ${compared[kind]}. ${learnedWords(usual, runs)}`
}

/** "Its last 20 runs that ended well took 22 min at the median, eight of ten of them 20 min to 25 min." */
function learnedWords({ from, to, median }: UsualDuration, runs: number): string {
  const spread = `eight of ten of them ${runWords(from)} to ${runWords(to)}`
  return `Its last ${runs} runs that ended well took ${runWords(median)} at the median, ${spread}.`
}
