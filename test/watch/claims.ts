import type { Aimed, Shown } from './seen.ts'

/**
 * What a notice says about a check, in the words that the user reads:
 * - `down`: it went down; `still`: it is down, which is no news; `up`: it is up again;
 * - `was`: it was down `times` times, and what it is now, if it says so;
 * - `flapping`: it changed several times, and what it is now;
 * - `late`: it is late.
 */
export interface Claim {
  readonly accountId: string
  readonly checkId: string
  readonly says: 'down' | 'still' | 'up' | 'was' | 'flapping' | 'late'
  /** What it claims to be so now; null: nothing. */
  readonly now: 'down' | 'up' | null
  /** How many outages it tells of; null: some. */
  readonly times: number | null
  /** When the last of them began, in minutes since midnight; null: it doesn't say. */
  readonly minuteOfDay: number | null
  /** May have been a pause. */
  readonly isUnsure: boolean
  readonly text: string
}

type Words = Omit<Claim, 'accountId' | 'checkId' | 'text'>

const sure = { isUnsure: false, times: 1, minuteOfDay: null } as const
const some = { ...sure, times: null } as const

/** One sentence of a title or a line about one check; null if it isn't one. */
function readSentence(text: string): Words | null {
  const changes = / · \d+ changes/.test(text)
  if (changes) {
    const now = / is (up again|(?:still )?down)\b/.exec(text)?.[1]
    return {
      says: 'flapping',
      now: now === undefined ? null : now === 'up again' ? 'up' : 'down',
      ...some,
    }
  }
  const was = / was down( or paused)?(?: (\d+|several) times, last)? (?:for|from) /.exec(text)
  if (was !== null) {
    const [, hours, minutes] = / (?:at|from) (?:\p{L}+ )?(\d\d):(\d\d)/u.exec(text) ?? []
    return {
      ...{ says: 'was', now: null, isUnsure: was[1] !== undefined },
      times: was[2] === 'several' ? null : Number(was[2] ?? 1),
      minuteOfDay: hours === undefined ? null : Number(hours) * 60 + Number(minutes),
    }
  }
  const flapping = / is flapping: .*now (down|up)/.exec(text)
  if (flapping !== null)
    return { says: 'flapping', now: flapping[1] === 'down' ? 'down' : 'up', ...some }
  if (/ is still down\b/.test(text)) return { says: 'still', now: 'down', ...sure }
  if (/ is (now )?down\b/.test(text)) return { says: 'down', now: 'down', ...sure }
  if (/ is up again\b/.test(text)) return { says: 'up', now: 'up', ...sure }
  if (/ is late\b/.test(text)) return { says: 'late', now: null, ...sure }
  return null
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
  const add = (target: Aimed, text: string, body: string): void => {
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
    claims.push({ ...words, now: isNow, accountId, checkId, text })
  }
  if (notice.lines.length === 0) add(notice.target, notice.title, notice.body)
  for (const { target, text } of notice.lines) add(target, text, '')
  return { claims, unread }
}
