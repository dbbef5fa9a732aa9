import type { Round } from './judge.ts'
import type { Measurement, Numbers, Size } from './measurement.ts'

/**
 * Runs all contenders once per round, in rotating order, so that drift of the machine affects all
 * alike.
 */
export async function measure(
  { open }: Measurement,
  size: Size,
  rounds: number,
  onRound: (round: Round) => void,
): Promise<Round[]> {
  const { contenders, close } = await open(size)
  const all = Object.entries(contenders)
  const done: Round[] = []
  try {
    for (let n = 0; n < rounds; n += 1) {
      const order = [...all.slice(n % all.length), ...all.slice(0, n % all.length)]
      const round: Record<string, Numbers> = {}
      for (const [name, run] of order) round[name] = await run()
      done.push(round)
      onRound(round)
    }
  } finally {
    await close()
  }
  return done
}
