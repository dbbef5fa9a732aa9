import type { AccountId } from '../../account.ts'
import type { CheckId } from '../../checks/check.ts'
import { runWords } from '../../checks/runs.ts'
import { readDuration } from '../../time.ts'
import type { WatchedState } from '../attention-slice.ts'
import { checkNamed } from '../dependencies/dependency-line.ts'
import { type AttentionSettings, anyRule, type Rule, ruleLimits } from '../rules.ts'

/** In minutes, as in rules; 0: no run is odd; null: as learned. */
export interface OwnLimits {
  readonly longerMinutes: number | null
  readonly shorterMinutes: number | null
}

interface Place {
  readonly accountId: AccountId
  readonly checkId: CheckId
}

/** The limits of this very check, as its page and the palette set them. */
export function ownLimits(settings: AttentionSettings, place: Place): OwnLimits {
  const rule = settings.rules.find((one) => isOwn(one, place))
  const { longerMinutes = null, shorterMinutes = null } = rule ?? {}
  return { longerMinutes, shorterMinutes }
}

/**
 * A rule of the check's own, which says nothing else, before all others: those of its tags or its
 * project count where it says nothing. Null if there are too many rules.
 */
export function withOwnLimits(
  settings: AttentionSettings,
  place: Place,
  limits: OwnLimits,
  id: string,
): AttentionSettings | null {
  const others = settings.rules.filter((one) => !isOwn(one, place))
  if (limits.longerMinutes === null && limits.shorterMinutes === null)
    return { ...settings, rules: others }
  const kept = settings.rules.find((one) => isOwn(one, place))
  const own: Rule = { ...anyRule, ...place, ...limits, kinds: [...ownKinds], id: kept?.id ?? id }
  if (others.length >= ruleLimits.rules) return null
  return { ...settings, rules: [own, ...others] }
}

const ownKinds = ['tooLong', 'tooShort'] as const

function isOwn(rule: Rule, { accountId, checkId }: Place): boolean {
  return (
    rule.accountId === accountId &&
    rule.checkId === checkId &&
    rule.tag === null &&
    rule.way === null &&
    rule.afterMinutes === null &&
    rule.repeatMinutes == null &&
    rule.programId == null &&
    rule.kinds.length === ownKinds.length &&
    ownKinds.every((kind) => rule.kinds.includes(kind))
  )
}

/** "2 h", "90 min", "90" (minutes) or "never", in whole minutes; null if it is none of these. */
export function readLimit(text: string): number | null {
  const typed = text.trim().toLowerCase()
  if (/^(?:never|0)$/.test(typed)) return 0
  const minutes = /^\d+$/.test(typed) ? Number(typed) : (readDuration(typed) ?? 0) / 60
  return Number.isInteger(minutes) && minutes > 0 && minutes <= ruleLimits.runMinutes
    ? minutes
    : null
}

/** "longer than 2 h, shorter than 1 min"; '' for none. */
export function limitsWords({ longerMinutes, shorterMinutes }: OwnLimits): string {
  const words = (name: string, minutes: number | null): string | null => {
    if (minutes === null) return null
    return minutes === 0 ? `never ${name}` : `${name} than ${runWords(minutes * 60)}`
  }
  return [words('longer', longerMinutes), words('shorter', shorterMinutes)]
    .filter((part) => part !== null)
    .join(', ')
}

/** Read from “db-backup longer than 2 h”. */
export interface LimitLine extends Place {
  readonly name: string
  readonly limits: Partial<OwnLimits>
}

/** Null if it names no check, or several, or no whole minutes. */
export function readLimitLine(text: string, state: Pick<WatchedState, 'boards'>): LimitLine | null {
  const typed = text.replace(/\s+/g, ' ').trim()
  const [between = '', word = ''] = / (longer|shorter) than /i.exec(typed) ?? []
  if (between === '') return null
  const at = typed.indexOf(between)
  const found = checkNamed(state, typed.slice(0, at).replace(/ runs?$/i, ''))
  const minutes = readLimit(typed.slice(at + between.length))
  if (found === null || minutes === null) return null
  const isLonger = word.toLowerCase() === 'longer'
  const limits = isLonger ? { longerMinutes: minutes } : { shorterMinutes: minutes }
  return { ...found.on, name: found.onName, limits }
}
