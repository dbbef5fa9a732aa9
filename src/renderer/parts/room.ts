/** What an element and a line take; a character takes 1, whatever its script. */
const elementRoom = 10

/** How much of a text may be drawn. What no longer fits is left out, and known to be. */
export class Room {
  readonly #given: number
  #left: number
  #isCut = false

  constructor(given: number) {
    this.#given = given
    this.#left = given
  }

  get used(): number {
    return this.#given - this.#left
  }

  get isCut(): boolean {
    return this.#isCut
  }

  get isFull(): boolean {
    return this.#left <= 0
  }

  /** Takes the room of so many elements; false if there was none left. */
  takeElement(count = 1): boolean {
    if (this.isFull) this.#isCut = true
    else this.#left -= count * elementRoom
    return !this.#isCut
  }

  /** Takes the room of what can be shown only whole; false if it doesn't fit. */
  takeWhole(elements: number, characters: number): boolean {
    const needed = elements * elementRoom + characters
    if (needed > this.#left) this.#isCut = true
    else this.#left -= needed
    return !this.#isCut
  }

  /** As much of a text as fits in one element, in which a line takes no more than a character. */
  plain(text: string): string {
    const fits = Math.max(0, this.#left)
    this.#left -= Math.min(fits, text.length)
    if (text.length <= fits) return text
    this.#isCut = true
    return text.slice(0, fits).toWellFormed()
  }

  /** As much of a text as fits. */
  text(text: string): string {
    let at = 0
    while (at < text.length && this.#left > 0) {
      this.#left -= text.charCodeAt(at) === 10 ? elementRoom : 1
      at += 1
    }
    if (at === text.length) return text
    this.#isCut = true
    return text.slice(0, at).toWellFormed()
  }
}
