const dayMs = 24 * 60 * 60 * 1000

/**
 * A moment as one would say it today: "05:12", "Tue 05:12" within six days, "3 Mar, 05:12", or with
 * its year. `zone` is an IANA name, else this computer's zone; one that is unknown here is UTC,
 * and is said to be.
 */
export function zonedClockWords(at: number, now: number, zone?: string): string {
  const parts = dateParts(at, zone)
  const today = dateParts(now, zone)
  const time = `${parts.hour}:${parts.minute}${parts.guessed ? ' UTC' : ''}`
  if (parts.date === today.date) return time
  if (Math.abs(now - at) < 6 * dayMs) return `${parts.weekday} ${time}`
  const year = parts.year === today.year ? '' : ` ${parts.year}`
  return `${parts.day} ${parts.month}${year}, ${time}`
}

interface DateParts {
  readonly date: string
  readonly year: string
  readonly month: string
  readonly day: string
  readonly weekday: string
  readonly hour: string
  readonly minute: string
  /** The zone was unknown here. */
  readonly guessed: boolean
}

function dateParts(at: number, zone: string | undefined): DateParts {
  const { format, guessed } = formatOf(zone)
  const found = new Map(format.formatToParts(at).map((part) => [part.type, part.value]))
  const part = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? ''
  const year = part('year')
  const month = part('month')
  const day = part('day')
  return {
    date: `${year}-${month}-${day}`,
    year,
    month,
    day,
    weekday: part('weekday'),
    hour: part('hour'),
    minute: part('minute'),
    guessed,
  }
}

function formatOf(zone: string | undefined): { format: Intl.DateTimeFormat; guessed: boolean } {
  const shape = {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const
  // The words around it are English; en-GB is the one that writes 24 hours.
  if (zone === undefined) return { format: new Intl.DateTimeFormat('en-GB', shape), guessed: false }
  try {
    const format = new Intl.DateTimeFormat('en-GB', { ...shape, timeZone: zone })
    return { format, guessed: false }
  } catch (error) {
    // The server's list of zones may be newer than this runtime's.
    if (!(error instanceof RangeError)) throw error
    return {
      format: new Intl.DateTimeFormat('en-GB', { ...shape, timeZone: 'UTC' }),
      guessed: true,
    }
  }
}
