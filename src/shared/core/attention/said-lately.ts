import type { MessageEvent } from './event.ts'
import { wordsOf } from './same-event.ts'

/**
 * What bots said lately, by its words: in a storm ten thousand checks look for a message of theirs.
 * No functions in it: those of a step that is over would take the code that was compiled to call them along.
 */
export interface SaidLately {
  readonly messages: MessageEvent[]
  /** Made when the first check looks for one. */
  byWord: Map<string, MessageEvent[]> | null
}

export function saidLately(messages: readonly MessageEvent[]): SaidLately {
  return { messages: [...messages], byWord: null }
}

export function addSaid({ messages, byWord }: SaidLately, message: MessageEvent): void {
  messages.push(message)
  if (byWord !== null) index(byWord, message)
}

/** The messages that may name a check so: they have its rarest word. */
export function saidNaming(said: SaidLately, name: string): readonly MessageEvent[] {
  const { messages } = said
  if (messages.length === 0) return messages
  const byWord = indexed(said)
  return wordsOf(name.toLowerCase())
    .map((word) => byWord.get(word) ?? [])
    .reduce((least, one) => (one.length < least.length ? one : least), messages)
}

function indexed(said: SaidLately): ReadonlyMap<string, MessageEvent[]> {
  if (said.byWord !== null) return said.byWord
  said.byWord = new Map()
  for (const message of said.messages) index(said.byWord, message)
  return said.byWord
}

function index(byWord: Map<string, MessageEvent[]>, message: MessageEvent): void {
  const text = `${message.topic ?? ''}\n${message.text}`.toLowerCase()
  for (const word of new Set(text.split('\n').flatMap((line) => wordsOf(line)))) {
    const known = byWord.get(word)
    if (known === undefined) byWord.set(word, [message])
    else known.push(message)
  }
}
