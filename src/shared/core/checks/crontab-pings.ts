import { markerIn } from './cron-job-name.ts'
import type { Crontab } from './crontab.ts'
import { honestStatus, type ShellOptions } from './honest-status.ts'
import { commentAt, UnclearCode, unquoted } from './shell-code.ts'

/** How a job pings its check: only on success, or always with its exit status. */
export type ReportOf = 'success' | 'exitStatus'

const plainShell: ShellOptions = { hasPipefail: false, isScheduled: false }

/** `why`: completes “Belfry can't see whether it fails: …”. */
export type WithPing =
  | { readonly command: string; readonly mayBeSkipped: boolean; readonly isRewritten: boolean }
  | { readonly why: string }

/** Cron's own limit, in characters. */
const longestCommand = 998

/**
 * The command with a ping that says what happened. Where its own exit status would not, as after a
 * pipe, a semicolon or `|| true`, it is rewritten so that the status is that of the part that failed.
 */
export function withPing(
  command: string,
  ping: string,
  of: ReportOf,
  shell: ShellOptions = plainShell,
): WithPing {
  const at = commentAt(command)
  const comment = at === -1 ? '' : ` ${command.slice(at)}`
  const whole = (at === -1 ? command : command.slice(0, at)).trimEnd()
  const trailing = /[\s;]+$/.exec(unquoted(whole))?.[0].length ?? 0
  const given = whole.slice(0, whole.length - trailing)
  try {
    const { code, isBackground, mayBeSkipped, condition } = honestStatus(given, shell)
    // After `exit` or `exec` the shell would never get to the ping: runs them in a subshell.
    const ends = /(?:^|[;&|{]|\bthen|\bdo|\belse)\s*(?:exec|exit)\b/.test(unquoted(code))
    const job = ends ? `( ${code} )` : code
    const reporting = of === 'success' ? `${job} && ${ping}` : `${job}; ${ping}/$?`
    const all = condition === null ? reporting : `if ${condition}; then ${reporting}; fi`
    const written = `${isBackground ? `( ${all} ) &` : all}${comment}`
    if (written.length > longestCommand)
      throw new UnclearCode('with a ping, it is too long for cron')
    const isRewritten = code !== given.replace(/\s*&$/, '')
    return { command: written, mayBeSkipped, isRewritten }
  } catch (error) {
    if (error instanceof UnclearCode) return { why: error.message }
    throw error
  }
}

/** Lines that the tools keep together: a job, the settings above it, and the marker above those. */
const setting = /^\s*["']?[A-Za-z_]\w*["']?\s*=/

/**
 * The crontab with pings added to its jobs, otherwise unchanged. `pings`: the command that pings,
 * by line. If one can't be added, a comment above the job says so.
 */
export function crontabWithPings(
  { lines, jobs }: Crontab,
  pings: ReadonlyMap<number, string>,
  of: ReportOf,
): string {
  const byLine = new Map(jobs.map((job) => [job.line, job]))
  const written: string[] = []
  for (const [line, text] of lines.entries()) {
    const [job, ping] = [byLine.get(line), pings.get(line)]
    if (job === undefined || ping === undefined) {
      written.push(text)
      continue
    }
    // A bare % ends the command in a crontab and begins its input.
    const pinged = withPing(job.command, ping.replaceAll('%', '\\%'), of, job)
    if ('command' in pinged) {
      written.push(`${job.before}${pinged.command}${job.after}`)
      continue
    }
    let above = written.length
    while (above > 0 && setting.test(written[above - 1] ?? '')) above -= 1
    const marker = written[above - 1] ?? ''
    const isMarked = marker.trimStart().startsWith('#') && markerIn(marker) !== null
    const comment = `# Belfry can't see whether this job fails: ${pinged.why}. Where it can be seen, add: ${ping}`
    written.splice(isMarked ? above - 1 : written.length, 0, comment)
    written.push(text)
  }
  return written.join('\n')
}
