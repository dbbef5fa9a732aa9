import { execFile } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type CronJob,
  readCrontab,
  seemsToHaveUsers,
} from '../../src/shared/core/checks/crontab.ts'
import { crontabWithPings } from '../../src/shared/core/checks/crontab-pings.ts'
import { pingAddressText } from '../../src/shared/core/checks/ping.ts'
import { linesOf, type Score } from './corpus.ts'

interface Case {
  readonly text: string
  /** Of the programs that are its job, those that fail together. */
  readonly failing: readonly (readonly string[])[]
  readonly mayBeUnseen: boolean
  /** What `date` prints when the condition before the job holds, and when it doesn't. */
  readonly dates: readonly string[]
}

/** What a line did: its pings as the paths behind the address, and the programs that it ran. */
interface Ran {
  readonly pings: readonly string[]
  readonly programs: readonly string[]
}

const address = 'https://hc.example/ping/0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d40001'
const schedule = { kind: 'period', periodSeconds: 60 } as const
const ping =
  pingAddressText({ name: 'x', pingUrl: address, methods: 'any', schedule }, 'curl') ?? ''

/**
 * Runs every line of `crontabs.txt` as it is returned with its ping, by /bin/sh or its SHELL, with its
 * programs faked: what it pings must be what happened, and it must run the programs that it ran before.
 */
export async function scoreCrontabs(
  write: typeof crontabWithPings = crontabWithPings,
  lines = linesOf('crontabs.txt'),
): Promise<Score> {
  const cases = lines.map(caseIn)
  const computer = computerFor(cases)
  const wrong: string[] = []
  let runs = 0
  const left = [...cases]
  const judgeAll = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) {
      const found = await judge(one, write, computer)
      runs += found.wasRun ? 1 : 0
      wrong.push(...found.wrong.map((why) => `${one.text}: ${why}`))
    }
  }
  try {
    await Promise.all([judgeAll(), judgeAll(), judgeAll()])
  } finally {
    rmSync(computer.folder, { recursive: true, force: true })
  }
  return {
    words: `crontabs: ${runs} lines run, ${wrong.length} false`,
    passed: wrong.length === 0 && runs >= 60,
    wrong,
  }
}

function caseIn(line: string): Case {
  const [jobs = '', text = '', dates = ''] = line.split(' ¦ ')
  return {
    text: text.replaceAll('⏎', '\n'),
    failing: jobs
      .replace(/^\?/, '')
      .split(',')
      .map((together) => together.split('+')),
    mayBeUnseen: jobs.startsWith('?'),
    dates: dates === '' ? [] : dates.split(','),
  }
}

async function judge(one: Case, write: typeof crontabWithPings, computer: Computer) {
  const options = { zone: 'UTC', hasUsers: seemsToHaveUsers(one.text), now: 0 }
  const tab = readCrontab(one.text, options)
  const [job] = tab.jobs
  if (job === undefined) return { wasRun: false, wrong: ['not read'] }
  const shell = /^SHELL=(.*)$/m.exec(one.text)?.[1] ?? '/bin/sh'
  const wrong: string[] = []
  const [holds, fails] = one.dates
  const judgeRun = async (
    { command, after }: CronJob,
    { failing, expected, date }: { failing: readonly string[]; expected: RegExp; date?: string },
  ) => {
    const when = failing.length === 0 ? 'it succeeds' : `${failing.join(' and ')} fails`
    const as = { shell, failing, date: date ?? holds ?? '' }
    const ran = await run(computer, command + after, as)
    if (!expected.test(ran.pings.join(' ')))
      wrong.push(`when ${when}, it pings “${ran.pings.join(' ')}”: ${command}`)
    // Only bash knows |&; with dash, the line as given runs nothing.
    if (job.command.includes('|&') && shell === '/bin/sh') return
    const before = await run(computer, job.command + job.after, as)
    const [now, then] = [ran, before].map(({ programs }) => programs.join(' '))
    if (now !== then) wrong.push(`when ${when}, it runs ${now}, not ${then}: ${command}`)
  }
  for (const [report, good, bad] of [
    ['success', /^ok$/, /^$/],
    ['exitStatus', /^\/0$/, /^\/[1-9]\d*$/],
  ] as const) {
    const returned = write(tab, new Map([[job.line, ping]]), report)
    const [pinged] = readCrontab(returned, options).jobs
    if (returned.includes('# Belfry') || pinged === undefined)
      return {
        wasRun: false,
        wrong: one.mayBeUnseen ? [] : [`it is left to the user: ${returned}`],
      }
    await judgeRun(pinged, { failing: [], expected: good })
    for (const failing of one.failing) await judgeRun(pinged, { failing, expected: bad })
    // Its check expects no such run, or is told that all is well.
    const expected = job.isScheduled ? /^$/ : good
    if (fails !== undefined) await judgeRun(pinged, { failing: [], expected, date: fails })
  }
  return { wasRun: true, wrong }
}

/** Run as they are: what a line does with them is the shell's. */
const real =
  /^(?:sh|bash|dash|cat|tee|grep|test|true|false|echo|printf|read|flock|timeout|nice|nohup|env|set|exec|exit|if|then|else|fi|for|in|do|done|while|cd|export|umask|command|case|esac|dev|null|rm|missing\S*)$/

/** A folder with all programs of the corpus, for its pings and its logs. */
interface Computer {
  readonly folder: string
  readonly bin: string
  /** Names the files of the runs. */
  runs: number
}

function computerFor(cases: readonly Case[]): Computer {
  const folder = mkdtempSync(join(tmpdir(), 'crontabs-'))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const program = join(folder, 'fake-program.sh')
  copyFileSync(fileURLToPath(new URL('fake-program.sh', import.meta.url)), program)
  chmodSync(program, 0o755)
  const words = cases.flatMap(({ text }) => withoutFolders(text).match(/[A-Za-z_][\w.+-]*/g) ?? [])
  const names = new Set([...words, 'curl'])
  for (const name of names) if (!real.test(name)) symlinkSync(program, join(bin, name))
  return { folder, bin, runs: 0 }
}

async function run(
  computer: Computer,
  raw: string,
  { shell, failing, date }: { shell: string; failing: readonly string[]; date: string },
): Promise<Ran> {
  // As cron does: `\%` is a per cent sign, and what follows a bare one is the input.
  const [line = ''] = raw.split(/(?<!\\)%/)
  computer.runs += 1
  const env = {
    PATH: `${computer.bin}:/usr/bin:/bin`,
    HOME: computer.bin,
    FAKE_LOG: join(computer.folder, `ran-${computer.runs}`),
    FAKE_PINGS: join(computer.folder, `pings-${computer.runs}`),
    FAKE_FAILING: ` ${failing.join(' ')} `,
    FAKE_DATE: date,
  }
  writeFileSync(env.FAKE_LOG, '')
  writeFileSync(env.FAKE_PINGS, '')
  const command = `${withoutFolders(line.replaceAll('\\%', '%'))}\nwait`
  await new Promise<void>((resolve) => {
    const options = { cwd: computer.bin, env, timeout: 60_000 }
    execFile(shell, ['-c', command], options, () => resolve()).stdin?.end()
  })
  const linesIn = (file: string) => readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return {
    pings: linesIn(env.FAKE_PINGS).map((url) => url.slice(address.length) || 'ok'),
    programs: linesIn(env.FAKE_LOG).sort(),
  }
}

/**
 * With every file in the current folder, where every word that may be a program is one, and one file for
 * all that is written. A login shell would set its own PATH.
 */
function withoutFolders(command: string): string {
  return command
    .replace(/\bcd [^\s;&|)]+/g, 'cd .')
    .replace(/(?<=^|[;&] *)\. [\w/]+/g, '. /dev/null')
    .replace(/\bbash -l ?-?c\b/g, 'bash -c')
    .replace(
      /(?<![\w:./~}%-])(?:~|\.\.?|\$\{?\w+\}?)?\/(?!dev\/)(?:[\w.+@-]+\/)*([\w.+@-]+)/g,
      (_, name: string) => name,
    )
    .replace(/(>>?|\btee(?: -a)?) ?(?!\/dev|-)(?:[\w.+/-]|\$\([^)]*\))+/g, '$1 ../written')
}
