import {
  existsSync,
  type FSWatcher,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

interface SecondInstance {
  readonly argv: string[]
  readonly cwd: string
}

/** When a process began, in clock ticks since boot; tells a pid from its successor of that number. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Counted from behind the name, which may hold spaces; field 22 of proc(5).
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    // No such process, or a system without /proc.
    return null
  }
}

const identity = (pid: number): string => `${pid} ${startOf(pid) ?? ''}`

function isRunning(owner: string): boolean {
  const pid = Number(owner.split(' ')[0])
  if (!(pid > 0) || identity(pid) !== owner) return false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    // ESRCH: it is gone, and its lock is stale.
    return false
  }
}

/** Whether this process is the owner now. A link is made or not: of many that try at once, one does. */
function claim(ownerFile: string): boolean {
  const mine = `${ownerFile}-${process.pid}`
  writeFileSync(mine, identity(process.pid))
  try {
    linkSync(mine, ownerFile)
    return true
  } catch {
    // Another one was first.
    return false
  } finally {
    rmSync(mine)
  }
}

function ownerAt(ownerFile: string): string | null {
  try {
    return readFileSync(ownerFile, 'utf8')
  } catch {
    // Nobody, or not any more.
    return null
  }
}

/** A process that was killed while it cleared a stale lock is not waited for longer, ms. */
const clearingMs = 500

/** Takes away what an owner left that is gone: one of many does it, the others find it done. */
function clearStale(folder: string, ownerFile: string): void {
  const stale = ownerAt(ownerFile)
  if (stale === null || isRunning(stale)) return
  try {
    mkdirSync(join(folder, `cleared ${stale}`))
  } catch {
    // Another one is at it.
    const until = performance.now() + clearingMs
    while (ownerAt(ownerFile) === stale && performance.now() < until) rest()
  }
  // Cleared and claimed by others meanwhile, perhaps.
  if (ownerAt(ownerFile) === stale) rmSync(ownerFile, { force: true })
}

/** As Chromium hands a command line over. */
function switchesFirst([program = '', ...args]: readonly string[]): string[] {
  const isSwitch = (arg: string): boolean => arg.startsWith('--')
  return [program, ...args.filter(isSwitch), ...args.filter((arg) => !isSwitch(arg))]
}

/** A millisecond: `request` is no promise, in Electron neither. */
function rest(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
}

/**
 * `app.requestSingleInstanceLock` in a folder: it names the first instance; a later one leaves its
 * arguments there and goes.
 */
export function createInstanceLock(onSecond: (second: SecondInstance) => void) {
  let held: { readonly folder: string; readonly watcher: FSWatcher } | undefined

  const collect = (folder: string, file: string | null): void => {
    const path = join(folder, file ?? '')
    if (file?.endsWith('.json') !== true || !existsSync(path)) return
    // Written by another instance of this very function.
    const second = JSON.parse(readFileSync(path, 'utf8')) as SecondInstance
    rmSync(path)
    onSecond(second)
  }

  return {
    request(folder: string): boolean {
      if (held !== undefined) return true
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const ownerFile = join(folder, 'owner')
      clearStale(folder, ownerFile)
      if (!claim(ownerFile)) {
        const letter = join(folder, String(process.pid))
        writeFileSync(
          letter,
          JSON.stringify({ argv: switchesFirst(process.argv), cwd: process.cwd() }),
        )
        // Renamed, so that the first instance never reads half a letter.
        renameSync(letter, `${letter}.json`)
        return false
      }
      for (const name of readdirSync(folder))
        if (name.endsWith('.json') || name.startsWith('cleared '))
          rmSync(join(folder, name), { recursive: true, force: true })
      const watcher = watch(folder, (_kind, file) => collect(folder, file))
      watcher.unref()
      held = { folder, watcher }
      return true
    },
    release(): void {
      held?.watcher.close()
      if (held !== undefined) rmSync(held.folder, { recursive: true, force: true })
      held = undefined
    },
  }
}
