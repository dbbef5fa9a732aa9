/**
 * A value of the app that changes again and again: the last acknowledged value, and those
 * requested since. After a kill, any of these may be found, and nothing else.
 */
export class Cell<T> {
  #kept: T
  #tried: T[] = []

  constructor(first: T) {
    this.#kept = first
  }

  /** The last acknowledged value. */
  get kept(): T {
    return this.#kept
  }

  /** Requests a change; `ask` says whether it was acknowledged. */
  async change(value: T, ask: () => Promise<boolean>): Promise<boolean> {
    this.#tried.push(value)
    const acknowledged = await ask()
    if (!acknowledged) return false
    this.#kept = value
    this.#tried = []
    return true
  }

  /** Continues from the value found after the end; null if that value is allowed. */
  settle(found: T): string | null {
    const allowed = [this.#kept, ...this.#tried].map((value) => JSON.stringify(value))
    this.#kept = found
    this.#tried = []
    const text = JSON.stringify(found)
    return allowed.includes(text) ? null : `found ${text}, may be ${allowed.join(' or ')}`
  }
}

/**
 * The user's texts. Each is different, so that it can be found: one that was typed must be
 * somewhere (draft, outbox or server) until the user types over it, and on the server no more often
 * than it was sent.
 */
export class Texts {
  readonly #owed = new Set<string>()
  readonly #sends = new Map<string, number>()
  #count = 0
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  next(): string {
    this.#count += 1
    return `${this.#name}-${this.#count}.`
  }

  owe(text: string): void {
    if (text !== '') this.#owed.add(text)
  }

  forgive(text: string): void {
    this.#owed.delete(text)
  }

  sending(text: string): void {
    this.#sends.set(text, (this.#sends.get(text) ?? 0) + 1)
  }

  get sent(): number {
    return this.#sends.size
  }

  /** Sentences about texts that are lost or doubled. What the server has is safe from then on. */
  check(onDisk: ReadonlySet<string>, atServer: ReadonlyMap<string, number>): string[] {
    const wrong: string[] = []
    for (const text of this.#owed) {
      if (atServer.has(text)) this.#owed.delete(text)
      else if (!onDisk.has(text)) {
        wrong.push(`lost the text ${text}`)
        this.#owed.delete(text)
      }
    }
    for (const [text, times] of atServer) {
      const sends = this.#sends.get(text)
      if (sends === undefined || times <= sends) continue
      wrong.push(`sent ${text} ${times} times`)
      this.#sends.set(text, times)
    }
    return wrong
  }
}
