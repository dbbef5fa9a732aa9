import { type Random, seededRandom } from '../../src/demo/answers.ts'

/** Random choices that repeat with their seed. */
export interface Seeded {
  readonly seed: number
  /** In [0, 1). */
  readonly random: Random
  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number
  chance(share: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
  /** A separate generator for a part, so that its draws do not affect those of other parts. */
  part(name: string): Seeded
}

export function seeded(seed: number): Seeded {
  const random = seededRandom(seed)
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  return {
    seed,
    random,
    whole,
    chance: (share) => random() < share,
    pick: (list) => list[whole(0, list.length - 1)] ?? list[0],
    part: (name) => seeded(hash(`${seed}/${name}`)),
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1)
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}
