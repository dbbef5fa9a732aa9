import { Agent, get } from 'node:http'
import { ageOf } from './wire.ts'

const agent = new Agent({ keepAlive: true })

/** Has the server of this measurement do something, and waits until it is done. */
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

/** Resolves when this many have come. */
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

  /** Just now; how old it is then is worked out at the end, and costs nobody who is measured. */
  hear(content: string): void {
    this.#heard.push({ at: process.hrtime.bigint(), content })
    this.add()
  }

  /** Ms, of each that was heard since `begin`. */
  get ages(): number[] {
    return this.#heard.map(({ at, content }) => ageOf(content, at))
  }

  /** From now on. */
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

/** Messages that the server of this measurement sent since it runs. */
export async function sentSoFar(base: string): Promise<number> {
  // As its `stats` say.
  const { sent } = (await ask(base, 'stats')) as { sent: number }
  return sent
}
