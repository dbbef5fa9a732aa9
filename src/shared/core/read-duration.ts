const unitSeconds: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
}

/** Every spelling of a unit begins with its letter: "m", "min", "minutes". */
const unitWords = /^(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)$/

/**
 * A length of time as people type it, in whole seconds: "1 h", "1h 30min", "1.5 h", "2 weeks", and
 * "3600", a bare number being seconds. Null for what is no length of time.
 */
export function readDuration(text: string): number | null {
  const words = text.trim().toLowerCase().replaceAll(',', '.')
  if (/^\d+(?:\.\d+)?$/.test(words)) return whole(Number(words))
  const parts = [...words.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)\s*/g)]
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== words) return null
  let seconds = 0
  for (const [, count = '', unit = ''] of parts) {
    const size = unitSeconds[unit.slice(0, 1)]
    if (size === undefined || !unitWords.test(unit)) return null
    seconds += Number(count) * size
  }
  return whole(seconds)
}

function whole(seconds: number): number | null {
  const rounded = Math.round(seconds)
  return Number.isSafeInteger(rounded) ? rounded : null
}
