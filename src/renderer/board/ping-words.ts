import type { Ping } from '#shared/core/checks/ping.ts'
import { durationWords } from '#shared/core/time.ts'

/** Runs of less than a minute with their fraction, since that is where it matters. */
export function secondsWords(seconds: number): string {
  if (seconds >= 60) return durationWords(seconds * 1000)
  return `${seconds < 10 ? Number(seconds.toFixed(2)) : Math.round(seconds)} s`
}

/** The middle of the measured runs; null when fewer than three were. */
export function usualSeconds(pings: readonly Ping[]): number | null {
  const durations = pings
    .flatMap(({ durationSeconds }) => (durationSeconds === null ? [] : [durationSeconds]))
    .sort((a, b) => a - b)
  if (durations.length < 3) return null
  return durations[durations.length >> 1] ?? null
}
