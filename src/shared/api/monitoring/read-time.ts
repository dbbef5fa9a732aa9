const isoTime =
  /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** As the service writes nearly all of them, which needs no taking apart. */
const plainTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/

/** Twice the longest honest form. */
const longest = 64

/**
 * An ISO 8601 time as epoch ms, or null for anything else. Tolerant, because the service writes
 * three forms: whole seconds, microseconds, and microseconds left out when they are zero. A time
 * without an offset is UTC (all the service's times are), never this computer's zone.
 */
export function readTime(text: string | null | undefined): number | null {
  if (text == null || text.length > longest) return null
  if (plainTime.test(text)) return numberOrNull(Date.parse(text))
  const parts = isoTime.exec(text.trim())
  if (parts === null) return null
  const [, date, time, seconds = '00', fraction = '', zone = 'Z'] = parts
  const millis = fraction.padEnd(3, '0').slice(0, 3)
  return numberOrNull(Date.parse(`${date}T${time}:${seconds}.${millis}${offset(zone)}`))
}

function numberOrNull(at: number): number | null {
  return Number.isNaN(at) ? null : at
}

/** "+02", "+0200" and "+02:00" in the one form that `Date.parse` is bound to know. */
function offset(zone: string): string {
  if (zone.toUpperCase() === 'Z') return 'Z'
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`
}
