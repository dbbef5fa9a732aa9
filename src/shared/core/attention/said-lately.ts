import type { MessageEvent } from './event.ts'
import { wordsOf } from './same-event.ts'

/** What bots said lately, by its words: in a storm ten thousand checks look for a message of theirs. */
export interface SaidLately {
  add(message: MessageEvent): void
  /** The messages that may name a check so: they have its rarest word. */
  naming(name: string): readonly MessageEvent[]
}

export function saidLately(messages: readonly MessageEvent[]): SaidLately {
  const all = [...messages]
  let byWord: Map<string, MessageEvent[]> | null = null

  function index(found: Map<string, MessageEvent[]>, message: MessageEvent): void {
    const text = `${message.topic ?? ''}\n${message.text}`.toLowerCase()
    for (const word of new Set(text.split('\n').flatMap((line) => wordsOf(line)))) {
      const known = found.get(word)
      if (known === undefined) found.set(word, [message])
      else known.push(message)
    }
  }

  function indexed(): Map<string, MessageEvent[]> {
    if (byWord !== null) return byWord
    byWord = new Map()
    for (const message of all) index(byWord, message)
    return byWord
  }

  return {
    add(message) {
      all.push(message)
      if (byWord !== null) index(byWord, message)
    },
    naming(name) {
      if (all.length === 0) return all
      const words = wordsOf(name.toLowerCase())
      return words
        .map((word) => indexed().get(word) ?? [])
        .reduce((least, one) => (one.length < least.length ? one : least), all)
    },
  }
}
