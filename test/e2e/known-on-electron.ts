import { appProgram } from '../support/app-program.ts'

/** What the Electron for the tests (33, with Chromium 130 and Node 20.18) lacks, and the app does without. */
const lacks = {
  setHTML: 'Chromium 130 has no setHTML: a message is its plain text',
  sqlite: 'Node 20.18 has no node:sqlite: history is in memory',
} as const

/** The specs that are about it, by their titles. On the stand-in they all run. */
export const known: Readonly<Record<string, keyof typeof lacks>> = {
  'of every kind of message shows it, with its pictures once they are asked for': 'setHTML',
  'go through the sanitizer, and run nothing and load nothing': 'setHTML',
  'is tried on the history that was stored before a restart': 'sqlite',
}

/** Why this spec can't show anything where it runs; null where it can. */
export function knownReason(title: string): string | null {
  const lack = known[title]
  const { on, isOwn } = appProgram()
  return lack !== undefined && on === 'electron' && !isOwn ? lacks[lack] : null
}
