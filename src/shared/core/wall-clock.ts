import { machineLocale } from './wording.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
/** By arithmetic; by the calendar a day may have 23 or 25 hours. */
export const dayMs = 24 * hourMs

/** What the clocks of a zone show. */
export interface WallTime {
  /** Epoch ms as if the clocks were UTC's: 02:30 of a day is 2.5 hours after its `Date.UTC`. */
  readonly shown: number
  /** The second pass, where clocks that are put back show a time twice. */
  readonly again: boolean
}

export interface WallClock {
  readonly at: (moment: number) => WallTime
  /**
   * Epoch ms. A time that the clocks leave out is read by those from before the change, or, with
   * `again`, by those from after it.
   */
  readonly moment: (wall: WallTime) => number
}

const clocks = new Map<string, WallClock>()

/** Throws a RangeError for a zone that this runtime does not know. */
export function wallClock(zone: string): WallClock {
  const known = clocks.get(zone)
  if (known !== undefined) return known
  const offsetAt = rememberedByDay(offsetsOf(zone))
  const moment = ({ shown, again }: WallTime): number => {
    // No zone is a day from UTC, so these two are on either side of a change nearby.
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
    // The one way to ask a runtime.
    if (error instanceof RangeError) return false
    throw error
  }
}

let spellings: ReadonlyMap<string, string> | null = null

/**
 * A zone in the spelling of this computer's own list, since servers distinguish upper and lower case, as this does not;
 * as given where the list lacks it, such as one of the old names.
 */
export function zoneSpelling(zone: string): string {
  const names = () => ['UTC', ...Intl.supportedValuesOf('timeZone')]
  spellings ??= new Map(names().map((name) => [name.toLowerCase(), name]))
  return spellings.get(zone.toLowerCase()) ?? zone
}

/** How far the clocks of a zone are ahead of UTC at a moment, both in ms. */
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

/** Some years are enough: what a search over decades leaves behind is not kept. */
const mostDays = 2_000

/** To ask `Intl` is slow, and on nearly every day the answer is the same from its start to its end. */
function rememberedByDay(ask: Offsets): Offsets {
  /** By the number of the day: its offset, or null where that changes. */
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
