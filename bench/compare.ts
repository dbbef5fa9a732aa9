/**
 * `npm run bench -- --compare <commit>`: this commit and another, in turn, in the same minutes on the
 * same machine. What a busy machine adds, it adds to both.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, type Round } from './judge.ts'
import type { Measurement, Reading } from './measurement.ts'
import type { Taken } from './table.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Prints a row for each number of ours that both commits measure. */
export function compare(
  commit: string,
  chosen: readonly Measurement[],
  roundsOf: (measurement: Measurement) => number,
): void {
  // Uncommitted changes as a commit of their own, which nothing names.
  const mine = git('stash', 'create') || git('rev-parse', 'HEAD')
  const folders = [mine, git('rev-parse', '--verify', `${commit}^{commit}`)].map(checkOut)
  try {
    for (const measurement of chosen) {
      const rounds = inTurn(folders, measurement.name, roundsOf(measurement))
      say(comparison(measurement, rounds[0] ?? [], rounds[1] ?? []))
    }
    say(
      `load at the end ${loadavg()
        .map((one) => one.toFixed(2))
        .join(' ')}`,
    )
  } finally {
    for (const folder of folders) git('worktree', 'remove', '--force', folder)
  }
}

/** The rounds of each checkout, which begins every other time. */
function inTurn(folders: readonly string[], name: string, rounds: number): readonly Round[][] {
  const taken: Round[][] = folders.map(() => [])
  for (let n = 0; n < rounds; n += 1)
    for (const at of n % 2 === 0 ? folders.keys() : [...folders.keys()].toReversed()) {
      const folder = folders[at] ?? ''
      const before = resultsOf(folder)[name]?.at
      node(folder, ['bench/run.ts', '--only', name, '--rounds', '1'])
      const after = resultsOf(folder)[name]
      const [round] = after?.rounds ?? []
      if (round !== undefined && after?.at !== before) taken[at]?.push(round)
    }
  return taken
}

/** A table of the median of each number, here and there, and of its ratio in each round. */
export function comparison(
  { name, targets }: Pick<Measurement, 'name' | 'targets'>,
  here: readonly Round[],
  there: readonly Round[],
): string {
  const rounds = Math.min(here.length, there.length)
  const seen = new Set<string>()
  const rows = targets.flatMap(({ of, unit }) => {
    const key = `${of.contender} ${of.number}`
    if (seen.has(key)) return []
    seen.add(key)
    const mine = here.slice(0, rounds).flatMap((round) => read(of, round))
    const theirs = there.slice(0, rounds).flatMap((round) => read(of, round))
    if (rounds === 0 || mine.length < rounds || theirs.length < rounds) return []
    const ratios = mine.map((value, at) => value / (theirs[at] ?? 0))
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map(number)
    const cells = [
      key,
      ...[median(mine), median(theirs)].map((one) => `${number(one)} ${unit ?? ''}`.trim()),
    ]
    return [`| ${[...cells, number(median(ratios)), `${least} to ${most}`].join(' | ')} |`]
  })
  if (rows.length === 0) return `${name}: nothing that both commits measure`
  return [
    `| ${name}, ${rounds} rounds | here | there | ratio | of each round |`,
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

function read({ contender, number: of }: Reading, round: Round): readonly number[] {
  const value = round[contender]?.[of]
  return value === undefined || !Number.isFinite(value) ? [] : [value]
}

/** The files of a commit, built, with the packages that are installed here. Returns their folder. */
function checkOut(sha: string): string {
  // Not below node_modules, where Node reads no TypeScript.
  const folder = mkdtempSync(join(tmpdir(), 'belfry-bench-'))
  // On a real Electron it is run by an ordinary user.
  chmodSync(folder, 0o755)
  git('worktree', 'add', '--quiet', '--detach', folder, sha)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  node(folder, ['node_modules/electron-vite/bin/electron-vite.js', 'build'])
  return folder
}

function resultsOf(folder: string): Readonly<Record<string, Taken | undefined>> {
  const text = readFileSync(join(folder, 'bench', 'results.json'), 'utf8')
  return JSON.parse(text) as Readonly<Record<string, Taken | undefined>>
}

/** What falls short ends a bench with an error, too, so only its results say how it went. */
function node(folder: string, args: readonly string[]): void {
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  spawnSync(process.execPath, [...args], { cwd: folder, stdio: [...stdio] })
}

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { cwd: root, encoding: 'utf8' }).trim()
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
