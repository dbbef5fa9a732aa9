import { constants, promises, type Stats } from 'node:fs'
import { basename, isAbsolute } from 'node:path'
import { invalid } from '../../shared/core/failure.ts'
import { visibleName } from '../../shared/core/visible-text.ts'
import type { FileLook } from './file-look.ts'
import { isOpenToOthers, isStrangers, openPlace, thisUser, type User } from './file-strangers.ts'

/** A drive of the network may hang, and other programs wait. */
const longestLookMs = 5_000

/** Throws, in a sentence, why the file can't be run without a shell or isn't the user's own to run. */
export async function demandProgram(
  path: string,
  name: string,
  look: FileLook,
  user: User = thisUser(),
): Promise<void> {
  const problem = await look(() => problemOf(path, name, user), longestLookMs).catch(() =>
    unreadable(name),
  )
  if (problem !== null) throw invalid('program', problem)
}

function unreadable(name: string): string {
  return `${name} can’t be read: it is not there any more, or is on a drive that doesn’t answer.`
}

async function problemOf(path: string, name: string, user: User): Promise<string | null> {
  if (obeysInput(basename(await promises.realpath(path))))
    return `${name} would run what it reads, and with it what strangers wrote. Choose a script of yours, not the program that runs it.`
  if (user.platform !== 'win32') return fileProblem(path, name, user)
  const kind = kindProblem(await promises.stat(path), name)
  if (kind !== null || /\.(?:exe|com)$/i.test(path)) return kind
  return `${name} would need a shell, and Belfry uses none: on Windows, choose an .exe program.`
}

const shells = ['sh', 'ash', 'bash', 'dash', 'rbash', 'zsh', 'ksh', 'mksh', 'yash', 'csh', 'tcsh']
const otherShells = ['fish', 'elvish', 'nu', 'xonsh', 'busybox', 'toybox', 'pwsh', 'powershell']
const languages = ['python', 'pythonw', 'pypy', 'perl', 'ruby', 'node', 'nodejs', 'deno', 'bun']
const otherLanguages = ['php', 'lua', 'luajit', 'tclsh', 'guile', 'osascript']
const obeying = new Set([
  ...[...shells, ...otherShells, 'cmd', 'wsl'],
  ...[...languages, ...otherLanguages],
])

/** Whether a program takes its input for commands; a number may follow its name, as in python3.13. */
function obeysInput(file: string): boolean {
  const name = /^([a-z]+)[-.\d]*$/.exec(file.toLowerCase().replace(/\.exe$/, ''))?.[1]
  return name !== undefined && obeying.has(name)
}

function kindProblem(stats: Stats, name: string): string | null {
  if (stats.isDirectory()) return `${name} is a folder, not a program.`
  return stats.isFile() ? null : `${name} is not a plain file, so it can’t be a program.`
}

/** What runs a script may be a script itself; systems follow a few. */
const mostScripts = 4

async function fileProblem(
  path: string,
  name: string,
  user: User,
  scripts = 0,
): Promise<string | null> {
  const stats = await promises.stat(path)
  const problem =
    kindProblem(stats, name) ??
    strangerWords(stats, name, user) ??
    placeWords(await openPlace(path, user), name)
  if (problem !== null) return problem
  if (!(await mayRun(path)))
    return `${name} is not executable. Allow it with “chmod u+x”, and try again.`
  const start = await beginningOf(path)
  // Allowed to be run, not to be read: no script could be.
  if (start === null || isProgram(start)) return null
  const runBy = interpreterIn(start)
  if (runBy === null || scripts === mostScripts)
    return `${name} is neither a program nor a script that says what runs it. Begin its first line with “#!” and the whole path of that, such as “#!/bin/sh”.`
  if (runBy.endsWith('\r'))
    return `${name} has the line ends of Windows. Save it with those of Unix (LF), and try again.`
  const described = `${visibleName(runBy)}, which runs ${name},`
  return fileProblem(runBy, described, user, scripts + 1).catch(() => unreadable(described))
}

/** Whoever can change the file would run their own program as this user. */
function strangerWords(stats: Stats, name: string, user: User): string | null {
  if (isStrangers(stats, user))
    return `${name} belongs to another user of this computer, who could change it. Choose a copy of your own.`
  if (isOpenToOthers(stats, user))
    return `${name} can be changed by other users of this computer. Forbid it with “chmod go-w”, and try again.`
  return null
}

function placeWords(place: string | null, name: string): string | null {
  return place === null
    ? null
    : `${name} could be replaced by other users of this computer, who can change “${visibleName(place)}” on the way to it. Move it to a folder that only you can change.`
}

function mayRun(path: string): Promise<boolean> {
  return promises.access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** As much as systems look at; null: it may not be read. */
async function beginningOf(path: string): Promise<Buffer | null> {
  const isReadable = await promises.access(path, constants.R_OK).then(
    () => true,
    () => false,
  )
  if (!isReadable) return null
  const file = await promises.open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** ELF, Mach-O for one processor of either width, and for several. */
const programStarts = ['7f454c46', 'cffaedfe', 'cefaedfe', 'cafebabe', 'cafebabf']

/** The C library gives anything else but scripts to a shell, which Belfry does not use. */
function isProgram(start: Buffer): boolean {
  return programStarts.includes(start.toString('hex', 0, 4))
}

/** The whole path of what runs a script; null: it names none. */
function interpreterIn(start: Buffer): string | null {
  const path = /^#![ \t]*([^ \t\n]*)/.exec(start.toString('utf8'))?.[1]
  return path !== undefined && isAbsolute(path) ? path : null
}
