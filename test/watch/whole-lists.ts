import type { Record } from './record.ts'

const second = 1_000
const minute = 60 * second
/** For a poll itself, its retries and the clocks' difference. */
const slackMs = 10 * second
/** Retries are at most that far apart, and a server that hangs or asks for a wait adds to it. */
const faultyMs = 90 * second

/**
 * Rule 13, from docs/accounts.md: where a project's counts are asked for between its lists, a list is
 * read at most the chosen minutes after the last one, and within a poll of a change of how many
 * are down.
 */
export function unreadLists(record: Record): readonly string[] {
  return record.plans.projects.flatMap((_, project) => {
    const minutes = record.plans.wholeMinutes[project] ?? null
    if (minutes === null) return []
    return spansOf(record, project).flatMap((span) => [
      ...rarelyRead(record, project, { ...span, minutes }),
      ...changesUnread(record, project, span),
    ])
  })
}

interface Span {
  readonly from: number
  readonly to: number
}

/** The times in which the app ran, awake, with nothing else done to the account. */
function spansOf(record: Record, project: number): readonly Span[] {
  const cuts = record.seen.flatMap((one) => {
    if (one.what === 'slept') return [one.since, one.at]
    if (one.what !== 'act') return []
    const { act } = one
    const isOwn = 'project' in act && act.project === project
    return isOwn || act.did === 'other' ? [one.at] : []
  })
  const removed = record.seen.filter(
    (one) => one.what === 'act' && one.act.did === 'removed' && one.act.project === project,
  )
  return record.holds.runs.flatMap(({ from, to }) => {
    const inside = cuts.filter((at) => at > from && at < to)
    const edges = [from, ...inside, to].toSorted((one, other) => one - other)
    return edges.slice(1).flatMap((end, at) => {
      const begin = edges[at] ?? from
      // One that is added again asks for nothing; asleep, nothing runs.
      const isOff = removed.some((one) => one.at <= begin) || isAsleep(record, begin, end)
      return isOff ? [] : [{ from: begin, to: end }]
    })
  })
}

function isAsleep({ seen }: Record, from: number, to: number): boolean {
  return seen.some((one) => one.what === 'slept' && one.since <= from && one.at >= to)
}

function rarelyRead(
  record: Record,
  project: number,
  { from, to, minutes }: Span & { readonly minutes: number },
): string[] {
  const reads = (record.reads[project] ?? []).map(({ at }) => at)
  const inside = [from, ...reads.filter((at) => at > from && at < to), to]
  return inside.slice(1).flatMap((at, place) => {
    const before = inside[place] ?? from
    const most = Math.max(minutes * minute, longestPollMs(record))
    const slack = isFaulty(record, project, before, at) ? faultyMs : slackMs
    return at - before <= most + slack
      ? []
      : [record.say(before, `p${project}: no list was read for ${record.ago(before, at)}`)]
  })
}

/** Whether a change of how many are down is followed by a list. */
function changesUnread(record: Record, project: number, { from, to }: Span): string[] {
  const { deeds = [] } = record.plans.projects[project] ?? {}
  // What is deleted while it is down counts no more, without a flip.
  if (deeds.some(({ what }) => what === 'delete' || what === 'create')) return []
  const outages = record.checks
    .filter((one) => one.project === project)
    .flatMap((one) => one.outages)
  const down = (at: number): number => outages.filter((one) => one.from <= at && at < one.to).length
  const times = outages
    .flatMap((one) => [one.from, one.to])
    .filter((at) => at > from && at < to)
    .toSorted((one, other) => one - other)
  const reads = record.reads[project] ?? []
  const soonMs = longestPollMs(record) + slackMs
  return times.flatMap((at, place) => {
    const until = at + soonMs
    const isShort = (times[place + 1] ?? to) < until || until > to
    const last = reads.findLast((read) => read.at < at && read.at > from)
    if (isShort || last === undefined || last.outcome !== 'good') return []
    const listed = last.listed.filter(({ status }) => status === 'down').length
    if (listed === down(at) || isFaulty(record, project, last.at, until)) return []
    const isRead = reads.some((read) => read.at >= at && read.at <= until)
    return isRead
      ? []
      : [record.say(at, `p${project}: ${down(at)} are down, not ${listed}, and no list was read`)]
  })
}

/** A badge that is stuck shows no change; the other faults have a list read. */
function isFaulty({ plans }: Record, project: number, from: number, to: number): boolean {
  const isIn = (one: { readonly project: number; readonly from: number; readonly to: number }) =>
    one.project === project && one.from < to && one.to > from - faultyMs
  return (
    plans.faults.some(isIn) || plans.badgeFaults.some((one) => one.kind === 'stuck' && isIn(one))
  )
}

function longestPollMs({ plans, seen }: Record): number {
  const later = seen.flatMap((one) =>
    one.what === 'act' && one.act.did === 'poll' ? [one.act.seconds] : [],
  )
  return Math.max(plans.pollSeconds, ...later) * second
}
