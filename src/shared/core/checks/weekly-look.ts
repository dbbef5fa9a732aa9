import type { AccountId } from '../account.ts'
import { wordsInMarkdown } from '../markdown.ts'
import { fieldsOf } from '../schemas.ts'
import { durationWords, everyWords, periodWords } from '../time.ts'
import { dateWords, numberWords } from '../wording.ts'
import { type Check, type CheckDetails, type CheckId, checkName } from './check.ts'
import type { HistoryEntry } from './history.ts'
import { type Outage, outageCountWords } from './past.ts'

/** What the weekly review finds, in its order on the page. */
export const lookKinds = [
  'graceMisfit',
  'flapping',
  'together',
  'noisy',
  'slow',
  'noIntegrations',
  'neverPinged',
] as const
export type LookKind = (typeof lookKinds)[number]

export const lookTitles: Readonly<Record<LookKind, string>> = {
  graceMisfit: 'Grace that doesn’t fit the runs',
  flapping: 'Flapping',
  together: 'Down together',
  noisy: 'Noisy',
  slow: 'Slower than usual',
  noIntegrations: 'Without integrations',
  neverPinged: 'Never pinged',
}

/** The change that would help. */
export type LookChange =
  | { readonly do: 'setGrace'; readonly seconds: number }
  | { readonly do: 'integrations' | 'snooze' }
  /** From now on the check is quiet while that one is down. */
  | {
      readonly do: 'depend'
      readonly on: { readonly accountId: AccountId; readonly checkId: CheckId }
      readonly onName: string
    }

export interface Finding {
  readonly kind: LookKind
  readonly accountId: string
  readonly checkId: CheckId
  readonly name: string
  /** "usually 3 min, at most 4 min; grace 1 min" */
  readonly words: string
  /** Null: nothing here would help. */
  readonly change: LookChange | null
}

export const lookMs = 7 * 24 * 60 * 60_000

/** What a week's history says about one check. */
export interface Week {
  /** Newest first. */
  readonly outages: readonly Pick<Outage, 'from' | 'to' | 'kind'>[]
  /** Notifications that popped up. */
  readonly notices: number
  /** Durations of the recorded runs in seconds, oldest first. */
  readonly runs: readonly number[]
}

export const quietWeek: Week = { outages: [], notices: 0, runs: [] }

/** From a check's entries, in ascending order of time. */
export function weekOf(entries: readonly HistoryEntry[]): Omit<Week, 'outages'> {
  const shown = ({ kind, data }: HistoryEntry): boolean =>
    kind === 'notice' && fieldsOf(data)['outcome'] === 'shown'
  return {
    notices: entries.filter(shown).length,
    runs: entries.flatMap(({ kind, data }) =>
      kind === 'runs' ? secondsIn(fieldsOf(data)['seconds']) : [],
    ),
  }
}

function secondsIn(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'number') : []
}

/** From these numbers on, it is more than bad luck. */
const often = { outages: 4, notices: 6 }
/** Fewer runs say little about what is usual. */
const fewRuns = 3

/** The findings about a check: at most one of each kind. */
export function findingsOf(
  accountId: string,
  check: Check,
  integrationIds: CheckDetails['integrationIds'],
  week: Week,
): readonly Finding[] {
  const about = { accountId, checkId: check.id, name: checkName(check) }
  const finding = (kind: LookKind, words: string, change: LookChange | null): Finding => {
    return { kind, ...about, words, change }
  }
  const found: Finding[] = []
  const grace = graceThatFits(check, week.runs)
  if (grace !== null)
    found.push(finding('graceMisfit', grace.words, { do: 'setGrace', seconds: grace.seconds }))
  const { outages, notices, runs } = week
  if (outages.length >= often.outages) {
    const usual = middle(outages.map(({ from, to }) => (to - from) / 1000))
    const seconds = niceSeconds(check.graceSeconds + usual)
    found.push(
      finding(
        'flapping',
        `${outageCountWords(outages)}, usually for ${durationWords(usual * 1000)}; grace ${periodWords(check.graceSeconds)}`,
        usual > 0 && usual <= 3_600 ? { do: 'setGrace', seconds } : { do: 'snooze' },
      ),
    )
  } else if (notices >= often.notices)
    found.push(finding('noisy', `${notices} notifications`, { do: 'snooze' }))
  const slow = slowWords(runs)
  if (slow !== null && grace === null) {
    const seconds = niceSeconds(Math.max(check.graceSeconds, 2 * Math.max(...runs)))
    found.push(finding('slow', slow, { do: 'setGrace', seconds }))
  }
  if (integrationIds?.length === 0)
    found.push(
      finding('noIntegrations', 'nobody is notified by the service', { do: 'integrations' }),
    )
  if (check.pingCount === 0 && check.status === 'new')
    found.push(finding('neverPinged', 'No ping yet', null))
  return found
}

/** A better grace time if it is too short for the slowest run, or so long that it hides several. */
function graceThatFits({ schedule, graceSeconds }: Check, runs: readonly number[]) {
  if (runs.length < fewRuns) return null
  const slowest = Math.max(...runs)
  const usual = `usually ${durationWords(middle(runs) * 1000)}`
  const words = `${usual}, at most ${durationWords(slowest * 1000)}; grace ${periodWords(graceSeconds)}`
  if (slowest > graceSeconds * 0.8) return { words, seconds: niceSeconds(slowest * 1.5) }
  if (schedule.kind !== 'period' || graceSeconds <= 4 * schedule.periodSeconds) return null
  const seconds = niceSeconds(Math.max(schedule.periodSeconds, slowest * 2))
  const often = `${words}, ${everyWords(periodWords(schedule.periodSeconds))}`
  return seconds < graceSeconds ? { words: often, seconds } : null
}

/** Compares the last third of the runs with those before; null if they are not much slower. */
function slowWords(runs: readonly number[]): string | null {
  if (runs.length < 3 * fewRuns) return null
  const split = Math.floor((runs.length * 2) / 3)
  const [was, is] = [middle(runs.slice(0, split)), middle(runs.slice(split))]
  return is >= 2 * was && is - was >= 60
    ? `now ${durationWords(is * 1000)}, was ${durationWords(was * 1000)}`
    : null
}

function middle(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}

const niceMinutes = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360, 720]

/** Rounds up to a duration that people would set, within the service's limits. */
export function niceSeconds(seconds: number): number {
  const nice = niceMinutes.find((minutes) => minutes * 60 >= seconds)
  const days = Math.ceil(seconds / 86_400)
  return Math.min(nice === undefined ? days * 86_400 : nice * 60, 31_536_000)
}

/** As on the button and in the report. */
export function changeWords(change: LookChange): string {
  switch (change.do) {
    case 'setGrace':
      return `Set grace to ${periodWords(change.seconds)}`
    case 'integrations':
      return 'Use all integrations'
    case 'snooze':
      return 'Snooze for a week'
    case 'depend':
      return `Let it depend on ${change.onName}`
  }
}

/** Findings of each kind that are shown at first: enough to see what they have in common. */
export const mostAtFirst = 20

/** The first findings of each kind, as a text for a chat or a ticket. */
export function lookMarkdown(
  findings: readonly Finding[],
  labelOf: (accountId: string) => string,
  now: number,
): string {
  const day = (at: number) => dateWords(at, { dateStyle: 'medium' })
  const parts = lookKinds.flatMap((kind) => {
    const own = findings.filter((one) => one.kind === kind)
    if (own.length === 0) return []
    const rest = own.length - mostAtFirst
    const more = rest > 0 ? [`- … and ${numberWords(rest)} more`] : []
    const lines = own
      .slice(0, mostAtFirst)
      .map(
        ({ name, accountId, words, change }) =>
          `- **${wordsInMarkdown(name)}** (${wordsInMarkdown(labelOf(accountId))}): ${wordsInMarkdown(`${words}${change === null ? '' : ` → ${changeWords(change)}`}`)}`,
      )
    return [`## ${lookTitles[kind]}\n\n${[...lines, ...more].join('\n')}\n`]
  })
  const body = parts.length === 0 ? ['Nothing needs attention.\n'] : parts
  return [`# Weekly review, ${day(now - lookMs)} to ${day(now)}\n`, ...body].join('\n')
}
