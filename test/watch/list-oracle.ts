import { readNotice } from './claims.ts'
import type { Record } from './record.ts'
import type { Seen } from './seen.ts'

const second = 1_000

type Listed = Extract<Seen, { what: 'listed' }>
type PopUp = Extract<Seen, { what: 'popUp' }>

/** Rule 8: the list has what popped up, and nothing popped up that it calls anything else. */
export function judgeList(record: Record): readonly string[] {
  const listed = record.seen.filter((one): one is Listed => one.what === 'listed')
  const popUps = record.seen.filter((one): one is PopUp => one.what === 'popUp')
  // A computer may fall asleep between the two.
  const isNear = (one: Seen, other: Seen): boolean =>
    Math.abs(record.awake(one.at) - record.awake(other.at)) <= second
  // What was on its way when the app ended may be in one of them only.
  const isAtEnd = ({ at }: Seen): boolean =>
    record.holds.runs.some((run) => Math.abs(record.awake(run.to) - record.awake(at)) <= 2 * second)
  const isSame = (one: Listed, other: PopUp): boolean =>
    isNear(one, other) && one.notice.title === other.notice.title
  // After a crash that left it in the list, and not shown, it is shown without another entry.
  const isLeftOver = (one: Listed, other: PopUp): boolean =>
    isAtEnd(one) && one.at < other.at && one.notice.title === other.notice.title
  const isIn = (one: PopUp): boolean =>
    listed.some((other) => isSame(other, one) || isLeftOver(other, one))
  const unlisted = popUps
    .filter((one) => !isAtEnd(one) && !isIn(one))
    .map(({ at, notice }) => record.say(at, `“${notice.title}” popped up and isn’t in the list`))
  // When two accounts are joined, what one of them listed is listed as the other's.
  const isMoved = ({ at, notice }: Listed): boolean =>
    listed.some(
      (other) =>
        other.at < at && other.notice.at === notice.at && other.notice.title === notice.title,
    )
  const unshown = listed
    .filter((one) => one.notice.outcome === 'shown' && !isMoved(one))
    .filter((one) => !isAtEnd(one) && !popUps.some((other) => isSame(one, other)))
    .map(({ at, notice }) =>
      record.say(at, `the list says that “${notice.title}” was shown, and it wasn’t`),
    )
  return [...unlisted, ...unshown]
}

/** When the list had something about a check, whatever became of it. */
export function listings(record: Record, project: number, checkId: string): readonly number[] {
  return record.seen.flatMap((one) =>
    one.what === 'listed' &&
    readNotice(one.notice).claims.some(
      (claim) => claim.checkId === checkId && record.projectOf(claim.accountId) === project,
    )
      ? [one.at]
      : [],
  )
}
