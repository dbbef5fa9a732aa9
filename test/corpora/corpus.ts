import { readdirSync, readFileSync } from 'node:fs'

/** What a corpus found. Each corpus is a module here with a function that returns this. */
export interface Score {
  /** Such as "reasons: 148 of 150 right": its part of the closing line. */
  readonly words: string
  /** Whether it is good enough. */
  readonly passed: boolean
  /** Each wrong case in a line, even if it passed. */
  readonly wrong: readonly string[]
}

/** The cases of a data file: its lines, without empty ones and those that begin with "#". */
export function linesOf(file: string): readonly string[] {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
}

/** The files of a folder here, as texts by their names. */
export function filesOf(folder: string): ReadonlyMap<string, string> {
  const url = new URL(`${folder}/`, import.meta.url)
  const names = readdirSync(url).sort()
  return new Map(names.map((name) => [name, readFileSync(new URL(name, url), 'utf8')]))
}
