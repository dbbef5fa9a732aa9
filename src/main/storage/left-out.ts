import { counted } from '../../shared/core/wording.ts'

/** Counts what could not be read. */
export function counter() {
  let count = 0
  return {
    add: () => {
      count += 1
    },
    count: () => count,
  }
}

/** What is said of a document that was read in part. `words`: what it holds. */
export function leftOutWords(count: number, words: string): string {
  const are = count === 1 ? 'is' : 'are'
  return `${counted(count, 'part')} of ${words} could not be read and ${are} left out.`
}
