import { checkName, isLate, late } from '../checks/check.ts'
import { statusWord } from '../checks/check-words.ts'
import { withoutSecrets } from '../secrets.ts'
import type { AppState } from '../state.ts'
import { cut } from '../text-length.ts'
import { visibleName } from '../visible-text.ts'
import { capitalised } from '../wording.ts'
import { type Problem, problemsOf, problemsWithin } from './tray-menu.ts'
import { chatTotals, iconWords, shapeOf, type TrayShape, unreadableChecks } from './tray-view.ts'
import { hasNoChecks, narrowed } from './viewed-state.ts'

/** How many of the worst checks are named, and characters of a name or a sentence. */
const mostNamed = 10
const longestName = 100
const longestWords = 500

/** What a program's exit code says: all is well, something is down, or nobody knows. */
const exitCodes = { well: 0, down: 1, stale: 2 } as const
type Verdict = keyof typeof exitCodes

/** A late check has not failed, and what is silenced or paused is so by the user's own wish. */
const verdicts: Readonly<Record<TrayShape, Verdict>> = {
  empty: 'stale',
  down: 'down',
  key: 'stale',
  stale: 'stale',
  late: 'well',
  overrun: 'well',
  silenced: 'well',
  paused: 'well',
  good: 'well',
}

const glyphs: Readonly<Record<TrayShape, string>> = {
  empty: '?',
  down: '▲',
  key: '?',
  stale: '?',
  late: '◷',
  overrun: '◷',
  silenced: '△',
  paused: '‖',
  good: '✓',
}

/** How everything stands, or what one saved view shows, as other programs are told. */
export interface ScopeStatus {
  /** The key of the view; null: of everything. */
  readonly view: string | null
  readonly verdict: Verdict
  readonly exit: number
  readonly shape: TrayShape
  /** A mark and counts, in a few words that no stranger wrote: bars and prompts obey markup. */
  readonly line: string
  /** One sentence. */
  readonly words: string
  /** Silenced checks are counted among `silenced` only, whatever their status. */
  readonly counts: Readonly<Record<string, number>>
  /** The worst checks that are not silenced, by name. */
  readonly worst: readonly {
    readonly name: string
    readonly status: string
    readonly project: string
  }[]
}

export interface Status {
  /** Everything, then the saved views by their keys. */
  readonly scopes: readonly ScopeStatus[]
  readonly unread: number
  readonly mentions: number
}

/**
 * What other programs are told, without ages, so that it stays the same while nothing changes: one
 * step for everything, and one for each view, since a view looks at each of maybe 10,000 checks.
 * `discreet`: without any name, as in notifications that reveal the least.
 */
export function statusSteps(
  state: AppState,
  now: number,
  discreet: boolean,
): readonly (() => ScopeStatus)[] {
  const views = state.settings.views.toSorted((one, other) => Number(one.key) - Number(other.key))
  const all = () => problemsOf(state, now)
  return [
    () => scopeStatus(state, all(), null, now, discreet),
    ...views.map((view) => () => {
      const within = narrowed(state, view, now)
      return scopeStatus(within, problemsWithin(all(), within), view.key, now, discreet)
    }),
  ]
}

/** All steps at once. */
export function statusOf(state: AppState, now: number, discreet: boolean): Status {
  const scopes = statusSteps(state, now, discreet).map((step) => step())
  return { scopes, ...chatTotals(state) }
}

function scopeStatus(
  state: AppState,
  problems: readonly Problem[],
  view: string | null,
  now: number,
  discreet: boolean,
): ScopeStatus {
  const seen = shapeOf(problems, state, now)
  // A view of nothing, whose filter may be mistyped, is no good news.
  const isOfNothing = view !== null && hasNoChecks(state)
  const shape = isOfNothing && verdicts[seen] === 'well' ? 'empty' : seen
  const verdict = verdicts[shape]
  const loud = problems.filter(({ silence }) => silence === null)
  const counts = countsOf(state, problems)
  const words = wordsOf(shape, counts, view === null ? 'no account yet' : 'no checks')
  const isSaid = discreet || shape !== seen
  return {
    view,
    verdict,
    exit: exitCodes[verdict],
    shape,
    line: `${glyphs[shape]} ${words}`,
    words: isSaid ? `${capitalised(words)}.` : plain(iconWords(state, now, problems), longestWords),
    counts,
    worst: discreet ? [] : loud.slice(0, mostNamed).map((one) => named(state, one)),
  }
}

function countsOf({ boards, ...state }: AppState, problems: readonly Problem[]) {
  const all = [...boards.values()].map(({ counts }) => counts)
  const sum = (status: 'up' | 'new' | 'paused') =>
    all.reduce((total, counts) => total + counts[status], 0)
  const loud = problems.filter(({ silence }) => silence === null)
  const of = (isSo: (status: Problem['check']['status']) => boolean) =>
    loud.filter(({ check }) => isSo(check.status)).length
  return {
    down: of((status) => status === 'down'),
    late: of(isLate),
    unknown: of((status) => status === 'unknown'),
    silenced: problems.length - loud.length,
    up: sum('up'),
    new: sum('new'),
    paused: sum('paused'),
    unreadable: unreadableChecks({ ...state, boards }),
  }
}

type Counts = ReturnType<typeof countsOf>

function wordsOf(
  shape: TrayShape,
  { down, late: overdue, silenced, up, ...rest }: Counts,
  empty: string,
): string {
  const some = (count: number, word: string) => (count === 0 ? [] : [`${count} ${word}`])
  const trouble = [
    ...some(down, statusWord('down')),
    ...some(overdue, statusWord(late)),
    ...some(rest.unknown, statusWord('unknown')),
    ...some(silenced, 'silenced'),
  ]
  const why = { empty: [empty], key: ['key problem'], stale: ['no fresh data'] }
  const first = shape === 'empty' || shape === 'key' || shape === 'stale' ? why[shape] : []
  const words = [...first, ...trouble]
  if (words.length > 0) return words.join(', ')
  if (shape === 'paused') return `${rest.paused} paused`
  return up + rest.new + rest.paused === 0 ? 'no checks' : `${up} up`
}

function named({ accounts }: AppState, { board, check }: Problem) {
  const project = accounts.find(({ id }) => id === board.accountId)?.label ?? ''
  return {
    name: plain(checkName(check), longestName),
    status: statusWord(check.status),
    project: plain(project, longestName),
  }
}

/** One line without control characters and secrets. */
function plain(text: string, longest: number): string {
  return cut(visibleName(withoutSecrets(text)), longest)
}

/** Epoch ms: when it was written, and how long it may be believed. */
export interface Validity {
  readonly from: number
  readonly until: number
  readonly pid: number
}

/**
 * The same as JSON, for programs that can read it; and as lines that a shell script reads one by
 * one, with a marked header for each scope:
 *
 *   belfry 1
 *   <from> <until> <process>           epoch seconds
 *   = all 1                            the scope, and its exit code
 *   :▲ 3 down                          --line
 *   :3 checks down.                    its sentence
 *   :{"text": …}                       --waybar
 *   :{"belfry": 1, …}                  --json
 *   = 2 0                              the view with the key 2
 *   …
 *   .
 */
export function statusFiles({ scopes, unread, mentions }: Status, { from, until, pid }: Validity) {
  const times = { writtenAt: isoTime(from), validUntil: isoTime(until) }
  const json = scopes.map((scope) => ({ belfry: 1, ...scope, unread, mentions, ...times }))
  const [all, ...views] = json
  const lines = scopes.flatMap((scope, at) => [
    `= ${scope.view ?? 'all'} ${scope.exit}`,
    `:${scope.line}`,
    `:${scope.words}`,
    `:${oneLine(waybar(scope))}`,
    `:${oneLine(json[at])}`,
  ])
  // Rounded so that neither is ever a second too generous.
  const head = `${Math.ceil(from / 1_000) - 1} ${Math.floor(until / 1_000)} ${pid}`
  return {
    status: `${['belfry 1', head, ...lines, '.'].join('\n')}\n`,
    json: `${oneLine({ ...all, pid, views })}\n`,
  }
}

function isoTime(at: number): string {
  return new Date(at).toISOString()
}

/** What waybar shows: its texts are Pango markup. */
function waybar({ line, words, worst, shape, verdict }: ScopeStatus) {
  const names = worst.map(({ name, status, project }) => `${name} (${status}, ${project})`)
  const tooltip = [words, ...names].map(escaped).join('\n')
  return { text: escaped(line), alt: shape, tooltip, class: [verdict, shape] }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** JSON without a character that a terminal obeys, or that some take for the end of a line. */
function oneLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) =>
    found.split('').map(unitEscape).join(''),
  )
}

/** A character beyond the first plane is two units. */
function unitEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
