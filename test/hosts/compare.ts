import { isDeepStrictEqual } from 'node:util'
import type { Seen } from './drive.ts'

/** Accepted differences, with the reason. */
export type Known = Readonly<Record<string, string>>

interface Comparison {
  /** The differences, then `hosts: N of N alike, K known`. */
  readonly lines: readonly string[]
  /** Including known differences. */
  readonly alike: number
  /** New differences, known ones that are gone, and probes without an answer. */
  readonly unexpected: number
}

/** Both hosts may fail in the same way, ended by the driver's limit or by `until`. */
const isUnanswered = (value: unknown): boolean =>
  typeof value === 'string' && /^(no answer|throws Error: never: .*)$/.test(value)

/** Compares both hosts. A known difference that is gone fails, like a new one. */
export function compare(electron: Seen, standIn: Seen, known: Known): Comparison {
  const names = [...new Set([...Object.keys(electron), ...Object.keys(standIn)])]
  const differing = names.filter((name) => !isDeepStrictEqual(electron[name], standIn[name]))
  const fresh = differing.filter((name) => known[name] === undefined)
  const idle = names.filter((name) => isUnanswered(electron[name]))
  const gone = Object.keys(known).filter((name) => !differing.includes(name))
  const count = differing.length - fresh.length
  const alike = names.length - differing.length
  return {
    lines: [
      ...fresh.flatMap((name) => [
        `differs: ${name}`,
        `  electron: ${JSON.stringify(electron[name])}`,
        `  stand-in: ${JSON.stringify(standIn[name])}`,
      ]),
      ...idle.map((name) => `Electron gave no answer, so nothing was compared: ${name}`),
      ...gone.map((name) => `no longer differs, so remove it from the known differences: ${name}`),
      `hosts: ${alike} of ${names.length} alike, ${count} known`,
    ],
    alike: alike + count,
    unexpected: fresh.length + gone.length + idle.length,
  }
}
