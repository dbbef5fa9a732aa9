import { Agent, get } from 'node:http'
import { ageOf } from './wire.ts'

const agent = new Agent({ keepAlive: true })

/** Makes the server of this measurement do something, and waits until it is done. */
export function ask(base: string, act: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = get(`${base}/bench/${act}`, { agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
      response.once('error', reject)
    })
    request.once('error', reject)
  })
}

/** Records arrivals, and waits for a number of them. */
export class Arrivals {
  readonly #heard: { readonly at: bigint; readonly content: string }[] = []
  #count = 0
  #wanted = Number.POSITIVE_INFINITY
  #done: () => void = () => undefined

  get count(): number {
    return this.#count
  }

  add(count = 1): void {
    this.#count += count
    if (this.#count >= this.#wanted) this.#done()
  }

  /**
   * Something arrived just now. Its age is computed at the end, so that it costs no measured time.
   */
  hear(content: string): void {
    this.#heard.push({ at: process.hrtime.bigint(), content })
    this.add()
  }

  /** Ages in ms of all arrivals since `begin`. */
  get ages(): number[] {
    return this.#heard.map(({ at, content }) => ageOf(content, at))
  }

  /** Counts from zero again. */
  begin(): void {
    this.#count = 0
    this.#heard.length = 0
  }

  reach(count: number): Promise<void> {
    this.#wanted = count
    if (this.#count >= count) return Promise.resolve()
    return new Promise((resolve) => {
      this.#done = resolve
    })
  }
}

/** The number of messages that the server of this measurement has sent. */
export async function sentSoFar(base: string): Promise<number> {
  // The answer of `stats`.
  const { sent } = (await ask(base, 'stats')) as { sent: number }
  return sent
}
