import { promises, type Stats } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'

/** Who wants to run a file; without numbers where the system has none. */
export interface User {
  readonly platform: NodeJS.Platform
  readonly uid?: number | undefined
  readonly gid?: number | undefined
}

export function thisUser(): User {
  return { platform: process.platform, uid: process.getuid?.(), gid: process.getgid?.() }
}

const [byAll, byGroup, sticky] = [0o002, 0o020, 0o1000]
/** On macOS, those who may do everything; Homebrew's folders are theirs. */
const macAdmins = 80
/** What Linux follows. */
const mostLinks = 40

export function isStrangers({ uid }: Stats, user: User): boolean {
  return uid !== user.uid && uid !== 0
}

export function isOpenToOthers({ gid, mode }: Stats, user: User): boolean {
  // Many systems give each user a group of their own, of the same number.
  const isOwnGroup = gid === user.gid && gid === user.uid
  const isTrusted = isOwnGroup || (user.platform === 'darwin' && gid === macAdmins)
  return (mode & byAll) !== 0 || ((mode & byGroup) !== 0 && !isTrusted)
}

/**
 * The name of the first folder or link on the way to a file, as the system follows it, in whose place
 * another user could put something else; null: there is none.
 */
export async function openPlace(path: string, user: User): Promise<string | null> {
  let at = '/'
  let left = partsOf(path)
  let links = 0
  if (isOpenPlace(await promises.lstat(at), user)) return at
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    const next = join(at, part)
    const stats = await promises.lstat(next)
    if (isOpenPlace(stats, user)) return basename(next)
    if (!stats.isSymbolicLink()) {
      at = next
      continue
    }
    links += 1
    if (links > mostLinks) throw new Error('a circle of links')
    const target = await promises.readlink(next)
    if (isAbsolute(target)) at = '/'
    left = [...partsOf(target), ...left]
  }
  return null
}

function isOpenPlace(stats: Stats, user: User): boolean {
  if (isStrangers(stats, user)) return true
  // In a sticky folder such as /tmp, nobody replaces what is another's.
  const isKept = stats.isSymbolicLink() || (stats.isDirectory() && (stats.mode & sticky) !== 0)
  return !isKept && isOpenToOthers(stats, user)
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '')
}
