import { machineLocale } from './wording.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
/** Exactly 24 hours; a calendar day may have 23 or 25. */
export const dayMs = 24 * hourMs

/** Local time in a zone. */
export interface WallTime {
  /** The local date and time as if they were UTC, in epoch ms (as by `Date.UTC`). */
  readonly shown: number
  /** The second occurrence of a time that occurs twice, when clocks go back. */
  readonly again: boolean
}

export interface WallClock {
  readonly at: (moment: number) => WallTime
  /**
   * Epoch ms. A local time skipped when clocks go forward is converted with the offset from before
   * the change or, with `again`, from after it.
   */
  readonly moment: (wall: WallTime) => number
}

const clocks = new Map<string, WallClock>()

/** Throws a RangeError if this runtime does not know the zone. */
export function wallClock(zone: string): WallClock {
  const known = clocks.get(zone)
  if (known !== undefined) return known
  const offsetAt = rememberedByDay(offsetsOf(zone))
  const moment = ({ shown, again }: WallTime): number => {
    // No zone is a day from UTC, so these two lie on either side of any change nearby.
    const before = offsetAt(shown - dayMs)
    const after = offsetAt(shown + dayMs)
    return shown - offsetAt(shown - (again ? Math.min : Math.max)(before, after))
  }
  const clock: WallClock = {
    at: (at) => {
      const shown = at + offsetAt(at)
      return { shown, again: moment({ shown, again: false }) !== at }
    },
    moment,
  }
  clocks.set(zone, clock)
  return clock
}

export function isKnownZone(zone: string): boolean {
  try {
    wallClock(zone)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** The zones that this runtime lists, by their names in the tz database. */
export function zoneNames(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone')]
}

let spellings: ReadonlyMap<string, string> | null = null

/**
 * A zone name in canonical upper and lower case, since servers, unlike this runtime, are
 * case-sensitive; unchanged if the runtime's list lacks it, as it does old names.
 */
export function zoneSpelling(zone: string): string {
  spellings ??= new Map(zoneNames().map((name) => [name.toLowerCase(), name]))
  return spellings.get(zone.toLowerCase()) ?? zone
}

/** A zone for what people call it: most mean that of a big city. */
const usualNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    UTC: 'utc gmt z zulu',
    'Europe/Berlin': 'cet cest mez mesz munich hamburg frankfurt',
    'Europe/Kyiv': 'kyiv',
    'Europe/Athens': 'eet eest',
    'Europe/Lisbon': 'wet west',
    'Europe/London': 'bst uk',
    'Europe/Moscow': 'msk',
    'America/New_York': 'est edt et eastern nyc boston washington',
    'America/Chicago': 'cst cdt ct central',
    'America/Denver': 'mst mdt mt mountain',
    'America/Los_Angeles': 'pst pdt pt pacific san_francisco seattle la',
    'Asia/Kolkata': 'ist india kolkata mumbai delhi bangalore',
    'Asia/Shanghai': 'china beijing',
    'Asia/Tokyo': 'jst japan',
    'Asia/Seoul': 'kst',
    'Australia/Sydney': 'aest aedt',
    'Pacific/Auckland': 'nzst nzdt',
  }).flatMap(([zone, names]) => names.split(' ').map((name): [string, string] => [name, zone])),
)

/**
 * The name of the zone that a user means by its name in any case, its city ("berlin", "new york") or
 * its usual abbreviation ("CET"); null if there is none, or more than one.
 */
export function findZone(text: string): string | null {
  const typed = text
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/\s+/g, '_')
  if (typed === '') return null
  const named = usualNames.get(typed) ?? zoneSpelling(typed)
  if (named !== typed) return named
  // "europe berlin"
  const inRegion = zoneSpelling(typed.replace('_', '/'))
  if (inRegion.includes('/') && inRegion !== typed.replace('_', '/')) return inRegion
  const cities = zoneNames().filter((name) => name.toLowerCase().endsWith(`/${typed}`))
  if (cities.length === 1) return cities[0] ?? null
  return cities.length === 0 && /^[a-z]/.test(typed) ? oldZone(text.trim(), typed) : null
}

/** An old name, which the tz database keeps but this runtime does not list: US/Eastern, "hawaii". */
function oldZone(text: string, typed: string): string | null {
  if (isKnownZone(text))
    return /^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*)*$/.test(text) ? text : nowCalled(text)
  const regions = new Set(zoneNames().map((name) => name.split('/')[0]))
  const found = ['US', ...regions].map((region) => `${region}/${typed}`).filter(isKnownZone)
  return found[0] === undefined || typed.includes('/') ? null : nowCalled(found[0])
}

function nowCalled(zone: string): string {
  return new Intl.DateTimeFormat(machineLocale, { timeZone: zone }).resolvedOptions().timeZone
}

/** A zone's UTC offset, in ms, at a time in epoch ms. */
type Offsets = (at: number) => number

function offsetsOf(zone: string): Offsets {
  const format = new Intl.DateTimeFormat(machineLocale, {
    timeZone: zone,
    timeZoneName: 'longOffset',
  })
  return (at) => {
    const found = /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(format.format(at)) ?? []
    const [, sign, hours, minutes, seconds] = found
    const wholeMinutes = Number(hours ?? 0) * 60 + Number(minutes ?? 0)
    const ms = (wholeMinutes * 60 + Number(seconds ?? 0)) * 1000
    return sign === '-' ? -ms : ms
  }
}

/** A few years: the cache is cleared when a search over decades fills it. */
const mostDays = 2_000

/** Caches offsets by day: `Intl` is slow, and on most days the offset does not change. */
function rememberedByDay(ask: Offsets): Offsets {
  /** By days since the epoch: the offset, or null if it changes during the day. */
  const days = new Map<number, number | null>()
  return (at) => {
    const day = Math.floor(at / dayMs)
    let offset = days.get(day)
    if (offset === undefined) {
      const start = ask(day * dayMs)
      offset = start === ask((day + 1) * dayMs) ? start : null
      if (days.size >= mostDays) days.clear()
      days.set(day, offset)
    }
    return offset ?? ask(at)
  }
}
