import { fork } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openHistory } from '../../src/main/storage/history-database.ts'

const writer = fileURLToPath(new URL('./history-writer.ts', import.meta.url))
const longestMs = 200

type Told = { readonly count: number } | { readonly trouble: string }

/** A separate history that is written and killed over and over. */
export class KilledHistory {
  readonly #folder: string
  readonly #file: string
  #acknowledged = 0
  #tried = 0

  constructor(userData: string) {
    this.#folder = join(userData, 'history-only')
    this.#file = join(this.#folder, 'history.sqlite')
    mkdirSync(this.#folder, { mode: 0o700 })
  }

  get acknowledged(): number {
    return this.#acknowledged
  }

  /** Kills at `moment` in [0, 1). Returns sentences about what is wrong afterwards. */
  async killOnce(moment: number): Promise<string[]> {
    const wrong: string[] = []
    const args = [this.#file, String(this.#tried + 1)]
    const child = fork(writer, args, { execArgv: ['--disable-warning=ExperimentalWarning'] })
    const closed = new Promise((resolve) => {
      child.once('close', resolve)
    })
    const drained = new Promise((resolve) => {
      child.once('disconnect', resolve)
    })
    const began = Promise.withResolvers<void>()
    child.on('message', (message) => {
      // Sent only by `history-writer.ts`.
      const told = message as Told
      began.resolve()
      if ('count' in told) this.#acknowledged = told.count
      else wrong.push(`trouble: ${told.trouble}`)
    })
    await Promise.race([began.promise, closed])
    await pause(moment * longestMs)
    child.kill('SIGKILL')
    await Promise.all([closed, drained])
    return [...wrong, ...(await this.#look())]
  }

  /** Expects every acknowledged entry, once and in order, and at most the next one on top. */
  async #look(): Promise<string[]> {
    const wrong: string[] = []
    const history = openHistory({
      file: this.#file,
      now: () => 0,
      onTrouble: ({ text }) => wrong.push(`trouble: ${text}`),
    })
    const counts = history.entries({ from: 0, limit: 1_000_000 }).map(({ at }) => at)
    await history.settled()
    history.close()
    this.#tried = Math.max(this.#acknowledged, counts.at(-1) ?? 0)
    if (counts.some((count, index) => count !== index + 1))
      wrong.push('history has gaps or doubles')
    if (counts.length < this.#acknowledged)
      wrong.push(`history has ${counts.length} entries, ${this.#acknowledged} were acknowledged`)
    for (const name of readdirSync(this.#folder)) {
      const mode = statSync(join(this.#folder, name)).mode & 0o777
      if (mode !== 0o600) wrong.push(`${name} has the mode ${mode.toString(8)}`)
      if (name.includes('corrupt')) wrong.push(`${name} was put aside`)
    }
    return wrong
  }
}
