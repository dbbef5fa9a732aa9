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

/** When a process began, in clock ticks since boot; distinguishes processes that reuse a pid. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Counted from after the name, which may contain spaces; field 22 of proc(5).
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

/** Whether this process is now the owner. Creating a link is atomic: only one of many succeeds. */
function claim(ownerFile: string): boolean {
  const mine = `${ownerFile}-${process.pid}`
  writeFileSync(mine, identity(process.pid))
  try {
    linkSync(mine, ownerFile)
    return true
  } catch {
    // Another process was first.
    return false
  } finally {
    rmSync(mine)
  }
}

function ownerAt(ownerFile: string): string | null {
  try {
    return readFileSync(ownerFile, 'utf8')
  } catch {
    // There is no owner.
    return null
  }
}

/** The longest wait for a process that may have been killed while clearing a stale lock, ms. */
const clearingMs = 500

/** Removes the lock of an owner that is gone: one of many processes does it, the others wait. */
function clearStale(folder: string, ownerFile: string): void {
  const stale = ownerAt(ownerFile)
  if (stale === null || isRunning(stale)) return
  try {
    mkdirSync(join(folder, `cleared ${stale}`))
  } catch {
    // Another process is doing it.
    const until = performance.now() + clearingMs
    while (ownerAt(ownerFile) === stale && performance.now() < until) rest()
  }
  // Others may have cleared and claimed it meanwhile.
  if (ownerAt(ownerFile) === stale) rmSync(ownerFile, { force: true })
}

/** The order in which Chromium hands a command line over. */
function switchesFirst([program = '', ...args]: readonly string[]): string[] {
  const isSwitch = (arg: string): boolean => arg.startsWith('--')
  return [program, ...args.filter(isSwitch), ...args.filter((arg) => !isSwitch(arg))]
}

/** Sleeps for a millisecond, synchronously, since `request` isn't async in Electron either. */
function rest(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
}

/**
 * `app.requestSingleInstanceLock` with a folder: it names the first instance; a later one leaves
 * its arguments there and exits.
 */
export function createInstanceLock(onSecond: (second: SecondInstance) => void) {
  let held: { readonly folder: string; readonly watcher: FSWatcher } | undefined

  const collect = (folder: string, file: string | null): void => {
    const path = join(folder, file ?? '')
    if (file?.endsWith('.json') !== true || !existsSync(path)) return
    // Written by another instance of this same function.
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
        // Renamed, so that the first instance never reads half a file.
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
