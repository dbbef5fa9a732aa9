import { type KeptSilence, movedBy, silenceLimit } from '../../shared/core/attention/silence.ts'
import type { Clock } from '../base/ports.ts'
import { clockGrainMs } from '../state/sleep-detector.ts'

interface Taken {
  readonly silences: readonly KeptSilence[]
  /** When, by both clocks. */
  readonly at: number
  readonly monotonic: number
}

/** Silences that were ended or replaced during this run, by what did so: it can be undone. */
export class TakenSilences {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>
  readonly #taken = new Map<string, Taken>()

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock
  }

  remember(id: string, silences: readonly KeptSilence[]): void {
    this.#taken.set(id, { silences, at: this.#clock.now(), monotonic: this.#clock.monotonic() })
    for (const old of [...this.#taken.keys()].slice(0, -silenceLimit)) this.#taken.delete(old)
  }

  /** As they would be now if they had stayed: a clock that was set back moves them. */
  recalled(id: string): readonly KeptSilence[] {
    const taken = this.#taken.get(id)
    if (taken === undefined) return []
    const passed = this.#clock.monotonic() - taken.monotonic
    const setMs = Math.round(this.#clock.now() - taken.at - passed)
    return setMs > -clockGrainMs ? taken.silences : taken.silences.map((one) => movedBy(one, setMs))
  }

  forget(id: string): void {
    this.#taken.delete(id)
  }
}
