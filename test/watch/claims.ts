import type { OddKind } from './runs.ts'
import type { Aimed, Shown } from './seen.ts'

/**
 * What a notice says about a check, in the words that the user reads:
 * - `down`: it went down; `still`: it is down, which is no news; `up`: it is up again;
 * - `was`: it was down `times` times, and what it is now, if it says so;
 * - `back`: it went down and came back so many times;
 * - `flapping`: it changed several times, and what it is now;
 * - `late`: it is late;
 * - `run`: one of its runs was not as usual.
 */
export interface Claim {
  readonly accountId: string
  readonly checkId: string
  readonly says: 'down' | 'still' | 'up' | 'was' | 'back' | 'flapping' | 'late' | 'run'
  /** What it claims to be so now; null: nothing. */
  readonly now: 'down' | 'up' | null
  /** How many outages it tells of; null: some. */
  readonly times: number | null
  /** When the last of them began, in minutes since midnight; null: it doesn't say. */
  readonly minuteOfDay: number | null
  /** May have been a pause. */
  readonly isUnsure: boolean
  readonly text: string
  /** What was odd about the run. */
  readonly odd?: OddKind
  /** When it was found out, by the computer's clock, as the notice or its line says. */
  readonly foundAt: number
  /** Ms that the odd run took, as far as it is said; null: it isn't. */
  readonly took: { readonly from: number; readonly to: number } | null
}

type Words = Omit<Claim, 'accountId' | 'checkId' | 'text' | 'foundAt' | 'took'>

const sure = { isUnsure: false, times: 1, minuteOfDay: null } as const
const some = { ...sure, times: null } as const

/** One sentence of a title or a line about one check; null if it isn't one. */
function readSentence(text: string): Words | null {
  if (/ · \d+ changes/.test(text)) {
    const now = / is (up again|(?:still )?down)\b/.exec(text)?.[1]
    return { ...some, says: 'flapping', now: now === undefined ? null : upOrDown(now) }
  }
  const flapping = / is flapping: .*now (down|up)/.exec(text)
  if (flapping !== null) return { ...some, says: 'flapping', now: upOrDown(flapping[1]) }
  return readPast(text) ?? readPresent(text)
}

function readPast(text: string): Words | null {
  const back = / went down and came back(?: (\d+) times)?/.exec(text)
  if (back !== null) return { ...sure, says: 'back', now: 'up', times: Number(back[1] ?? 1) }
  // It was paused or deleted since then.
  if (/ came back$/.test(text)) return { ...sure, says: 'up', now: null }
  const was =
    / was(?: possibly)? down(?:(?:, possibly)? (\d+|several) times, last)? (?:for|from) /.exec(text)
  if (was === null) return null
  const [, hours, minutes] = / (?:at|from) (?:\p{L}+ )?(\d\d):(\d\d)/u.exec(text) ?? []
  return {
    ...{ says: 'was', now: null, isUnsure: was[0].includes('possibly') },
    times: was[1] === 'several' ? null : Number(was[1] ?? 1),
    minuteOfDay: hours === undefined ? null : Number(hours) * 60 + Number(minutes),
  }
}

function readPresent(text: string): Words | null {
  if (/ is still down\b/.test(text)) return { ...sure, says: 'still', now: 'down' }
  if (/ is (now )?down\b/.test(text)) return { ...sure, says: 'down', now: 'down' }
  if (/ is up again\b/.test(text)) return { ...sure, says: 'up', now: 'up' }
  for (const [odd, words] of oddRuns)
    if (words.test(text)) return { ...some, says: 'run', now: null, odd }
  return / is (flapping: .*now )?late\b/.test(text) ? { ...sure, says: 'late', now: null } : null
}

const oddRuns: readonly (readonly [OddKind, RegExp])[] = [
  ['tooShort', / ended sooner than usual\b/],
  ['tooLong', / (?:is running|ran) longer than usual\b/],
  ['noStart', / ended without a start signal\b/],
]

/** "took 4 min 56 s"; one that still ran took "at least" so long. */
function readTook(body: string): Claim['took'] {
  const found = /\btook (?:(\d+) h ?)?(?:(\d+) min ?)?(?:(\d+) s)?/.exec(body)
  const [, hours, minutes, seconds] = found ?? []
  if (hours === undefined && minutes === undefined && seconds === undefined) return null
  const [h, min, s] = [Number(hours ?? 0), Number(minutes ?? 0), Number(seconds ?? 0)]
  const ms = (h * 3_600 + min * 60 + s) * 1_000
  // What is left out of it is less than its smallest unit.
  const unitMs = seconds !== undefined ? 1_000 : minutes !== undefined ? 60_000 : 3_600_000
  return { from: ms - unitMs, to: ms + unitMs }
}

function upOrDown(words: string | undefined): 'up' | 'down' {
  return words?.startsWith('up') === true ? 'up' : 'down'
}

export interface Reading {
  readonly claims: readonly Claim[]
  /** Sentences that seem to be about checks and were not understood. */
  readonly unread: readonly string[]
}

/** Everything that a notice says about single checks. */
export function readNotice(notice: Shown): Reading {
  const claims: Claim[] = []
  const unread: string[] = []
  const add = (target: Aimed, text: string, body: string, foundAt: number): void => {
    const { accountId, checkId } = target
    if (target.view !== 'check' || accountId === undefined || typeof checkId !== 'string') return
    const words = readSentence(text)
    if (words === null) {
      unread.push(text)
      return
    }
    const now = / is (up|down) again\b|^it is (up|down) again\b/.exec(body)
    const isNow =
      words.says === 'was' ? ((now?.[1] ?? now?.[2] ?? null) as Claim['now']) : words.now
    const took = words.says === 'run' ? readTook(body) : null
    claims.push({ ...words, now: isNow, accountId, checkId, text, foundAt, took })
  }
  if (notice.lines.length === 0) add(notice.target, notice.title, notice.body, notice.at)
  for (const { target, text, at } of notice.lines) add(target, text, '', at)
  return { claims, unread }
}
