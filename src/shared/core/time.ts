const minute = 60
const hour = 60 * minute
const day = 24 * hour

/**
 * A length of time as one would say it, two units at most: "45 s", "12 min", "2 h 13 min",
 * "3 d 4 h". Rounds down: "down for 2 h" never promises more than there was.
 */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < minute) return `${seconds} s`
  if (seconds < hour) return `${Math.floor(seconds / minute)} min`
  if (seconds < day) return two(seconds, hour, 'h', minute, 'min')
  return two(seconds, day, 'd', hour, 'h')
}

function two(seconds: number, big: number, bigUnit: string, small: number, unit: string): string {
  const rest = Math.floor((seconds % big) / small)
  return `${Math.floor(seconds / big)} ${bigUnit}${rest > 0 ? ` ${rest} ${unit}` : ''}`
}

/** "12 s ago", "2 h 13 min ago", or "in 4 min" for what is to come. */
export function relativeWords(at: number, now: number): string {
  return at <= now ? `${durationWords(now - at)} ago` : `in ${durationWords(at - now)}`
}

/** A period of the service's own kind in words: 3600 → "1 h", 90 → "1 min 30 s", 604800 → "1 week". */
export function periodWords(seconds: number): string {
  const units: [number, string, string][] = [
    [7 * day, 'week', 'weeks'],
    [day, 'day', 'days'],
    [hour, 'h', 'h'],
    [minute, 'min', 'min'],
    [1, 's', 's'],
  ]
  const parts: string[] = []
  let rest = Math.max(0, Math.round(seconds))
  for (const [size, one, many] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${count === 1 ? one : many}`)
  }
  return parts.slice(0, 3).join(' ') || '0 s'
}
