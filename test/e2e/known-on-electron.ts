import { appProgram } from '../support/app-program.ts'

/** What the tests' Electron (33: Chromium 130, Node 20.18) lacks, and the app does without. */
const lacks = {
  setHTML: 'Chromium 130 has no setHTML: a message is its plain text',
  sqlite: 'Node 20.18 has no node:sqlite: history is in memory',
} as const

/** The tests that need it, by title. On the stand-in they all run. */
export const known: Readonly<Record<string, keyof typeof lacks>> = {
  'of every kind of message shows it, with its pictures once they are requested': 'setHTML',
  'go through the sanitizer, and run nothing and load nothing': 'setHTML',
  'are tried on the history stored before a restart': 'sqlite',
}

/** Why this test can't pass on the current host; null if it can. */
export function knownReason(title: string): string | null {
  const lack = known[title]
  const { on, isOwn } = appProgram()
  return lack !== undefined && on === 'electron' && !isOwn ? lacks[lack] : null
}
