import { readdirSync, readFileSync } from 'node:fs'

/**
 * Clock ticks per second (proc(5), "stat"; `getconf CLK_TCK` is 100 on every Linux that Node runs
 * on).
 */
const ticksASecond = 100
const bytesPerKb = 1_024

/**
 * CPU time of a process and its threads since it began, in ms: nanoseconds of its threads (proc(5),
 * "schedstat"), or whole ticks, which know of threads that ended, if those are more.
 */
export function cpuMs(pid: number): number {
  const [, , , , , , , , , , , user, system] = statOf(String(pid))
  const ticks = ((Number(user) + Number(system)) / ticksASecond) * 1_000
  const exact = readdirSync(`/proc/${pid}/task`)
    .map((task) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8'))
    .reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e6, 0)
  return Math.max(ticks, exact)
}

/** The sum over a process and its descendants; what ends meanwhile is left out. */
export function cpuOfFamily(pid: number): number {
  return family(pid).reduce((sum, one) => {
    try {
      return sum + cpuMs(one)
    } catch {
      return sum
    }
  }, 0)
}

/** How often each thread of a process was woken up so far (proc(5), "status"), by its id. */
export function wakeUps(pid: number): ReadonlyMap<string, number> {
  const of = (thread: string): number => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1])
  }
  return new Map(readdirSync(`/proc/${pid}/task`).map((thread) => [thread, of(thread)]))
}

/**
 * Proportional set size of a process in MB: shared pages are divided among their users, so that a
 * sum does not count them twice.
 */
export function pss(pid: number): number {
  return rolledUp(pid, 'Pss')
}

/**
 * The sum of some lines of proc(5), "smaps_rollup", in MiB. Throws for a sandboxed process of
 * another user.
 */
export function memoryOf(pid: number, lines: readonly string[]): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kb = lines.map((name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]))
  return kb.reduce((all, one) => all + one, 0) / 1_024
}

/** A line of proc(5), "smaps_rollup", in MB. */
function rolledUp(pid: number, name: 'Pss' | 'Pss_Anon' | 'Pss_Shmem'): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]
  return (Number(found) * bytesPerKb) / 1e6
}

/**
 * The PSS of a process and its descendants in MB, without file-backed pages: those of Chromium's
 * program are shared with every other that runs, so that the end of one would count as growth here.
 */
export function writtenByFamily(pid: number): number {
  return family(pid).reduce((sum, one) => sum + writtenOrNothing(one), 0)
}

export function family(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const parent = parentOf(name)
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const found = [pid]
  for (const one of found) found.push(...(children.get(one) ?? []))
  return found
}

function parentOf(pid: string): number {
  try {
    return Number(statOf(pid)[1])
  } catch {
    // It ended while we looked.
    return 0
  }
}

/** The fields after the name, which may hold spaces: state, parent, … */
function statOf(pid: string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function writtenOrNothing(pid: number): number {
  try {
    return rolledUp(pid, 'Pss_Anon') + rolledUp(pid, 'Pss_Shmem')
  } catch {
    // It ended while we looked.
    return 0
  }
}
