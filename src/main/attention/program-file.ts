import { constants, promises, type Stats } from 'node:fs'
import { invalid } from '../../shared/core/failure.ts'
import type { FileLook } from './file-look.ts'

/** A drive of the network may hang, and other programs wait. */
const longestLookMs = 5_000

/** Who runs the program; without numbers where the system has none. */
interface Runner {
  readonly platform: NodeJS.Platform
  readonly uid?: number | undefined
  readonly gid?: number | undefined
}

function thisUser(): Runner {
  return { platform: process.platform, uid: process.getuid?.(), gid: process.getgid?.() }
}

/** Throws, in a sentence, why the file can't be run without a shell or isn't the user's own to run. */
export async function demandProgram(
  path: string,
  name: string,
  look: FileLook,
  runner: Runner = thisUser(),
): Promise<void> {
  const problem = await look(() => problemOf(path, name, runner), longestLookMs).catch(
    () => `${name} can’t be read: it is not there any more, or is on a drive that doesn’t answer.`,
  )
  if (problem !== null) throw invalid('program', problem)
}

async function problemOf(path: string, name: string, runner: Runner): Promise<string | null> {
  const stats = await promises.stat(path)
  if (stats.isDirectory()) return `${name} is a folder, not a program.`
  if (!stats.isFile()) return `${name} is not a plain file, so it can’t be a program.`
  if (runner.platform === 'win32')
    return /\.(?:exe|com)$/i.test(path)
      ? null
      : `${name} would need a shell, and Belfry uses none: on Windows, choose an .exe program.`
  const stranger = strangerWords(stats, name, runner)
  if (stranger !== null) return stranger
  const mayRun = await promises.access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!mayRun) return `${name} is not executable. Allow it with “chmod u+x”, and try again.`
  if (!isRunnable(await firstBytes(path)))
    return `${name} is neither a program nor a script that says what runs it. Begin its first line with “#!”, such as “#!/bin/sh”.`
  return null
}

/** Whoever can change the file would run their own program as this user. */
function strangerWords({ uid, gid, mode }: Stats, name: string, runner: Runner): string | null {
  if (uid !== runner.uid && uid !== 0)
    return `${name} belongs to another user of this computer, who could change it. Choose a copy of your own.`
  // Many systems give each user a group of their own, of the same number.
  const isOwnGroup = gid === runner.gid && gid === runner.uid
  if ((mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !isOwnGroup))
    return `${name} can be changed by other users of this computer. Forbid it with “chmod go-w”, and try again.`
  return null
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await promises.open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** ELF, Mach-O for one processor of either width, and for several. */
const programStarts = ['7f454c46', 'cffaedfe', 'cefaedfe', 'cafebabe', 'cafebabf']

/** The C library gives anything else to a shell, which Belfry does not use. */
function isRunnable(start: Buffer): boolean {
  return start.toString('latin1', 0, 2) === '#!' || programStarts.includes(start.toString('hex'))
}
