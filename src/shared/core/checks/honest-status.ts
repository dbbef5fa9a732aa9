import {
  type AndOr,
  asides,
  conditions,
  detached,
  looks,
  messengers,
  type Pipeline,
  readShell,
  type ShellCommand,
  type ShellList,
  type SimpleCommand,
  swallows,
  UnclearCode,
} from './shell-code.ts'

/** Code whose exit status is that of the part that failed. */
export interface HonestCode {
  readonly code: string
  /** When its condition says no, it runs nothing and its status is 0. */
  readonly mayBeSkipped: boolean
  /** It ran in the background. */
  readonly isBackground: boolean
  /** What must hold for the job to count as run; null if the schedule alone says when it runs. */
  readonly condition: string | null
}

export interface ShellOptions {
  /** The crontab's SHELL knows `set -o pipefail`: bash, ksh or zsh. */
  readonly hasPipefail: boolean
  /** The check expects only the runs that the command's condition allows. */
  readonly isScheduled: boolean
}

interface Context {
  /** How a pipe keeps the status of its parts: by the shell, once set or already set, or by hand. */
  readonly pipes: 'set pipefail' | 'pipefail' | 'by hand'
  /** A dollar sign, escaped inside double quotes. */
  readonly dollar: string
  /** Variables used so far, to give each its own name. */
  names: number
  /** Those with the failures of the pipes of the statement being written. */
  failures: string[]
  usesPipefail: boolean
  mayBeSkipped: boolean
}

/** With pipefail, a pipe that decides what runs next would decide otherwise than before. */
class NeedsHand extends Error {}

/** Throws {@link UnclearCode} if the code can't be read or hides its failures for good. */
export function honestStatus(code: string, { hasPipefail, isScheduled }: ShellOptions): HonestCode {
  const pipes = setsPipefail.test(code) ? 'pipefail' : hasPipefail ? 'set pipefail' : 'by hand'
  const list = readShell(code, pipes === 'by hand')
  const [only] = list.items
  const { conditions: ifs, jobs } =
    isScheduled && list.items.length === 1 && only !== undefined ? split(only.run) : neverSkipped
  const write = (context: Context) =>
    ifs.length > 0
      ? statement(context, () => jobsCode(jobs, context, false))
      : listCode(inForeground(list), context)
  const { text, context } = written(pipes, '$', write)
  return {
    condition: ifs.length > 0 ? textOf(ifs) : null,
    code: text,
    mayBeSkipped: context.mayBeSkipped,
    isBackground: list.items.at(-1)?.isBackground === true,
  }
}

function written(pipes: Context['pipes'], dollar: string, write: (context: Context) => Written) {
  const contextOf = (how: Context['pipes']): Context => ({
    ...{ pipes: how, dollar, names: 0, failures: [] },
    ...{ usesPipefail: false, mayBeSkipped: false },
  })
  let context = contextOf(pipes)
  try {
    const { text } = write(context)
    return { text: context.usesPipefail ? `set -o pipefail; ${text}` : text, context }
  } catch (error) {
    if (!(error instanceof NeedsHand)) throw error
    context = contextOf('by hand')
    return { text: write(context).text, context }
  }
}

const neverSkipped = { conditions: [], jobs: [] } as const

const setsPipefail = /\bset\s+-\w*o\s+pipefail\b/

/** Code that was written, and whether it is a single command, which `&&` and `||` take whole. */
interface Written {
  readonly text: string
  readonly isOne: boolean
}

const one = (text: string): Written => ({ text, isOne: true })
const several = (text: string): Written => ({ text, isOne: false })
const asOne = ({ text, isOne }: Written): string => (isOne ? text : `{ ${text}; }`)

function inForeground({ text, items }: ShellList): ShellList {
  return {
    text,
    items: items.map((one, n) => (n === items.length - 1 ? { ...one, isBackground: false } : one)),
  }
}

function nameOf(command: ShellCommand | undefined): string {
  if (command?.kind !== 'simple') return ''
  const found = command.words.find((one) => !/^\w+=/.test(one)) ?? ''
  return found.split('/').at(-1) ?? ''
}

/** The command of a pipeline that has no others. */
function onlyCommand(run: AndOr): ShellCommand | undefined {
  if (run.kind !== 'pipeline') return
  return run.commands.length === 1 ? run.commands[0] : undefined
}

function isCondition(run: AndOr): boolean {
  if (run.kind !== 'pipeline') return isCondition(run.left) && isCondition(run.right)
  const last = run.commands.at(-1)
  if (last?.kind === 'group' && run.commands.length === 1)
    return last.body.items.every((one) => isCondition(one.run))
  const words = last?.kind === 'simple' ? last.words : []
  return (
    (conditions.test(nameOf(last)) && run.commands.length === 1) ||
    (nameOf(last) === 'grep' && (run.commands.length > 1 ? isLook(run) : isQuietGrep(last))) ||
    (nameOf(last) === 'systemctl' && words.some((one) => /^is-/.test(one)))
  )
}

function isLook({ commands: [first] }: Pipeline): boolean {
  return looks.test(nameOf(first)) || conditions.test(nameOf(first))
}

function isQuietGrep(command: ShellCommand | undefined): boolean {
  const words = command?.kind === 'simple' ? command.words : []
  return nameOf(command) === 'grep' && words.some((word) => /^-\w*q|^--quiet/.test(word))
}

function isAside(run: AndOr): boolean {
  const command = onlyCommand(run)
  if (command?.kind !== 'simple') return false
  if (command.words.every((word) => /^\w+=/.test(word))) return !/\$\(|`/.test(command.text)
  return asides.test(nameOf(command))
}

const usesStatus = ({ run }: { readonly run: AndOr }) => /\$\?/.test(run.text)

function listCode({ items }: ShellList, context: Context): Written {
  if (items.some(({ isBackground }) => isBackground))
    throw new UnclearCode('a part of it runs in the background')
  if (items.some(({ run }) => /^set\s+-\w*e/.test(run.text)))
    throw new UnclearCode('it uses “set -e”')
  const isEnd = ({ run }: (typeof items)[number]) =>
    swallows.test(run.text) || /^exit "?\$\??\w*"?$/.test(run.text)
  const end = items.findLastIndex((item) => !isEnd(item))
  const kept = end === -1 ? items : items.slice(0, end + 1)
  const judged = kept.filter(({ run }) => !isAside(run))
  const written = kept.map(({ run }) =>
    isAside(run) ? aside(run) : statement(context, () => runCode(run, context, false)),
  )
  const [only] = written
  if (written.length === 1 && only !== undefined) return only
  if (judged.length === 0 || (judged.length === 1 && judged[0] === kept.at(-1)))
    return several(written.map(({ text }) => text).join('; '))
  const [rc, first] = [nextName(context), judged[0]]
  const { dollar } = context
  const lines = kept.flatMap((item, n) => {
    const code = written[n] ?? one(':')
    const next = kept[n + 1]
    const restored = next !== undefined && usesStatus(next) ? [`(exit ${dollar}${rc})`] : []
    if (isAside(item.run)) return [code.text]
    if (item === first) return [code.text, `${rc}=${dollar}?`, ...restored]
    if (restored.length > 0) throw new UnclearCode('it uses “$?”')
    return [`${asOne(code)} || ${rc}=${dollar}?`]
  })
  return several([...lines, `(exit ${dollar}${rc})`].join('; '))
}

/** A statement, with what failed in its pipes added to its own status. */
function statement(context: Context, write: () => Written): Written {
  const outer = context.failures
  context.failures = []
  const code = write()
  const { failures, dollar } = context
  context.failures = outer
  if (failures.length === 0) return code
  const all = failures.map((name) => `${dollar}${name} `).join('')
  return several(`${code.text}; set -- ${all}${dollar}?; (exit ${dollar}1)`)
}

function nextName(context: Context): string {
  context.names += 1
  return context.names === 1 ? 'rc' : `rc${context.names}`
}

/** Text that is only said; a job may hide in what it says. */
function aside(run: AndOr): Written {
  noJobWithin(run.text)
  return one(run.text)
}

const harmless =
  /^\s*(?:date|hostname|whoami|id|uname|pwd|cat|basename|dirname|expr|nproc|shuf|seq|echo|printf|head|ls|find|wc|du|df|uptime|RANDOM)\b|^\(/

function noJobWithin(text: string): void {
  for (const [, one, two] of text.matchAll(/\$\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`/g))
    if (!harmless.test(one ?? two ?? ''))
      throw new UnclearCode('a job inside “$(…)” can fail unseen')
}

/** `decides`: its status decides what runs next, so it must stay what it was. */
function runCode(run: AndOr, context: Context, decides: boolean): Written {
  if (run.kind === 'pipeline') return pipelineCode(run, context, decides)
  return run.kind === '&&' ? andCode(run, context, decides) : orCode(run, context, decides)
}

type Chain = Exclude<AndOr, Pipeline>

/** The operands of `a && b && c`. */
function operands(run: AndOr): readonly AndOr[] {
  return run.kind === '&&' ? [...operands(run.left), run.right] : [run]
}

function split(run: AndOr): { conditions: readonly AndOr[]; jobs: readonly AndOr[] } {
  const all = operands(run)
  const first = all.findIndex((one) => !isCondition(one))
  return first === -1
    ? { conditions: [], jobs: all }
    : { conditions: all.slice(0, first), jobs: all.slice(first) }
}

function andCode(run: Chain, context: Context, decides: boolean): Written {
  const { conditions: ifs, jobs } = split(run)
  const code = jobsCode(jobs, context, decides)
  if (ifs.length === 0) return code
  const condition = textOf(ifs)
  if (isPresence(ifs, jobs)) return several(`${condition} && ${code.text}`)
  context.mayBeSkipped = true
  return one(`if ${condition}; then ${code.text}; fi`)
}

function jobsCode(jobs: readonly AndOr[], context: Context, decides: boolean): Written {
  const written = jobs.map((job, n) =>
    n < jobs.length - 1 && isAside(job)
      ? aside(job)
      : runCode(job, context, decides || n < jobs.length - 1),
  )
  const [only] = written
  if (written.length === 1 && only !== undefined) return only
  return several(written.map(asOne).join(' && '))
}

const textOf = (runs: readonly AndOr[]) => runs.map(({ text }) => text).join(' && ')

/** `[ -x /opt/a ] && /opt/a`: without its program the job has failed, not been skipped. */
function isPresence(ifs: readonly AndOr[], jobs: readonly AndOr[]): boolean {
  const job = textOf(jobs)
  return ifs.every(({ text }) => {
    const file = /^(?:\S*\/)?(?:test|\[) -[xdr] "?([^\s"]+)"?(?: \])?$/.exec(text)?.[1]
    const program = /^(?:which|hash|type|command -v|mountpoint -q) (\S+)/.exec(text)?.[1]
    const name = (file ?? program)?.split('/').at(-1)
    return name !== undefined && name !== '' && job.includes(name)
  })
}

function orCode({ left, right }: Chain, context: Context, decides: boolean): Written {
  if (isCondition(left)) {
    if (!isCondition(right)) context.mayBeSkipped = true
    return several(`${left.text} || ${asOne(runCode(right, context, decides))}`)
  }
  if (right.text === 'exit 0') return several(`${asOne(runCode(left, context, true))} || exit`)
  if (swallows.test(right.text)) return runCode(left, context, decides)
  if (nameOf(onlyCommand(right)) === 'continue')
    throw new UnclearCode('after a failure, its loop goes on with “continue”')
  const { conditions: ifs, jobs } = split(left)
  const isChecked = ifs.length > 0 && !isPresence(ifs, jobs)
  if (isChecked && isHandler(left, right)) {
    context.mayBeSkipped = true
    const code = handled(asOne(jobsCode(jobs, context, true)), right, context)
    return one(`if ${textOf(ifs)}; then ${code}; else ${right.text}; fi`)
  }
  const job = textOfChain(runCode(left, context, true), left)
  if (isHandler(left, right)) return several(handled(job, right, context))
  return several(`${job} || ${asOne(runCode(right, context, decides))}`)
}

/** `a && b` may stay as it is to the left of `||`. */
function textOfChain(code: Written, { text }: AndOr): string {
  return code.text === text ? text : asOne(code)
}

/** The status of the job, after what is done when it fails. */
function handled(job: string, right: Pipeline, context: Context): string {
  const code = right.text
  if (/\bexit [1-9]|\bfalse\b/.test(code)) return `${job} || ${code}`
  if (/\bexit\b/.test(code)) throw new UnclearCode('it ends with “exit” after a failure')
  if (code.includes('$?')) return `${job} || { ${code}; false; }`
  const rc = nextName(context)
  const { dollar } = context
  return `${job} || { ${rc}=${dollar}?; ${code}; (exit ${dollar}${rc}); }`
}

/** Whether it only tells of the failure, rather than trying something else. */
function isHandler(left: AndOr, right: Pipeline): boolean {
  const first = (one: ShellCommand | undefined): string =>
    one?.kind === 'group' ? firstOf(one.body) : nameOf(one)
  const firstOf = ({ items }: ShellList): string => {
    const run = items[0]?.run
    return run?.kind === 'pipeline' ? first(run.commands[0]) : ''
  }
  const name = first(right.commands[0])
  return (
    messengers.test(name) &&
    !operands(left).some((run) => !isAside(run) && nameOf(onlyCommand(run)) === name)
  )
}

function pipelineCode(run: Pipeline, context: Context, decides: boolean): Written {
  const { commands, pipes, isNegated, text } = run
  const [first, last] = [commands[0], commands.at(-1)]
  if (first === undefined || last === undefined || isNegated) return one(text)
  if (first === last) return one(commandCode(first, context))
  const names = commands.map(nameOf)
  const feeds = /^(?:echo|printf|yes|date|true|:)$/.test(names[0] ?? '')
  if (feeds) noJobWithin(first.text)
  if (feeds && commands.length === 2)
    return one(`${text.slice(0, text.length - last.text.length)}${commandCode(last, context)}`)
  if (context.pipes === 'pipefail') return one(text)
  if (isQuietGrep(last)) {
    if (!isLook(run)) throw new UnclearCode('only what “grep -q” finds is seen of it')
    return one(text)
  }
  if (names.includes('head', 1))
    throw new UnclearCode('“head” stops reading before its job has ended')
  // Their status says nothing of the job: grep's is that it found no line.
  const isFree = (n: number) => (n === 0 ? feeds : /^[ef]?grep$/.test(names[n] ?? ''))
  const free = (code: string) => `{ ${code} || :; }`
  if (context.pipes === 'set pipefail') {
    if (decides) throw new NeedsHand()
    context.usesPipefail = true
    const parts = commands.map((command, n) => {
      const code = commandCode(command, context)
      const pipe = pipes[n] === undefined ? '' : ` ${pipes[n]} `
      return `${isFree(n) ? free(code) : code}${pipe}`
    })
    return one(parts.join(''))
  }
  const { dollar } = context
  const rc = nextName(context)
  context.failures.push(rc)
  const parts = commands.map((command, n) => {
    const errors = pipes[n] === '|&' ? ' 2>&1' : ''
    // In place of this shell, nothing would tell its status.
    const alone = commandCode(command, context).replace(/^exec\s(?=[A-Za-z_./"'$~])/, '')
    const code = `${alone}${errors} 3>&- 4>&-`
    if (isFree(n)) return n === commands.length - 1 && !decides ? free(code) : code
    return n === commands.length - 1 ? code : `{ ${code} || echo ${dollar}? >&3; }`
  })
  // What fails writes its status to 3, while what is printed goes past that through 4.
  return one(`{ ${rc}=${dollar}({ ${parts.join(' | ')}; } 3>&1 >&4); } 4>&1`)
}

function commandCode(command: ShellCommand, context: Context): string {
  if (command.kind === 'simple') return simpleCode(command, context)
  if (command.kind === 'if') {
    if (
      command.branches.some(({ opens }) => hidesJob(opens)) &&
      !/\bexit [1-9$]|\bfalse\b/.test(command.text)
    )
      throw new UnclearCode('its job decides an “if”, which hides its failure')
    const isSame = command.branches.every(({ body }) => listCode(body, context).text === body.text)
    if (isSame) return command.text
    const branches = command.branches.map(
      ({ opens, body }) => `${opens} ${listCode(body, context).text}; `,
    )
    return `${branches.join('')}fi${command.tail}`
  }
  const code = listCode(command.body, context)
  if (command.kind === 'group' && code.text === command.body.text) return command.text
  if (command.kind === 'group')
    return `${command.opens === '(' ? `( ${code.text} )` : `{ ${code.text}; }`}${command.tail}`
  const [rc, { dollar }] = [nextName(context), context]
  const loop = `${command.head}; do ${asOne(code)} || ${rc}=${dollar}?; done${command.tail}`
  return `{ ${rc}=0; ${loop}; (exit ${dollar}${rc}); }`
}

/** Whether the condition of `if … then` is a job. */
function hidesJob(opens: string): boolean {
  if (!/^(?:el)?if\s/.test(opens) || !opens.endsWith('then')) return false
  const code = opens
    .slice(opens.indexOf('if') + 2, -'then'.length)
    .trim()
    .replace(/;$/, '')
  return readShell(code, false).items.some(({ run }) => !isJustLook(run))
}

function isJustLook(run: AndOr): boolean {
  if (run.kind !== 'pipeline') return isJustLook(run.left) && isJustLook(run.right)
  const [command] = run.commands
  if (command?.kind === 'group') return command.body.items.every((one) => isJustLook(one.run))
  return isLook(run) || isAside(run) || isCondition(run)
}

function simpleCode(command: SimpleCommand, context: Context): string {
  const { text, words } = command
  if (nameOf(command) === 'break') throw new UnclearCode('it ends a loop early, with “break”')
  const job = words.filter((word) => !/^\w+=/.test(word)).join(' ')
  if (detached.some((form) => form.test(job.replace(/^(?:\S*\/)?(?:sudo|nice|nohup) /, ''))))
    throw new UnclearCode('it starts its job in the background')
  if (messengers.test(nameOf(command))) noJobWithin(text)
  const at = words.findIndex((_, n) => isInnerCode(words, n))
  const inner = words[at] ?? ''
  const quote = inner[0]
  if ((quote !== "'" && quote !== '"') || !inner.endsWith(quote)) return text
  const code = inner.slice(1, -1)
  if (quote === '"' && /\\["'`]/.test(code) && /[|;&]/.test(code))
    throw new UnclearCode('it has quotes within quotes')
  const before = words.slice(0, at).join(' ')
  const isSet = setsPipefail.test(code) || /\bpipefail\b/.test(before)
  const knows = /(?:^|[\s/])(?:bash|zsh|ksh)\s/.test(before)
  const own = written(
    isSet ? 'pipefail' : knows ? 'set pipefail' : 'by hand',
    quote === '"' ? '\\$' : '$',
    (within) => listCode(readShell(code, !isSet && !knows), within),
  )
  if (own.context.mayBeSkipped) context.mayBeSkipped = true
  return text.replace(inner, () => `${quote}${own.text}${quote}`)
}

/** Code for another shell: `sh -c '…'`, `su x -c '…'`, `ssh host '…'`. */
function isInnerCode(words: readonly string[], n: number): boolean {
  const before = words.slice(0, n)
  const names = before.map((one) => one.split('/').at(-1))
  if (/^-\w*c$/.test(words[n - 1] ?? ''))
    return names.some((one) => /^(?:(?:ba|da|z|k|a)?sh|su|runuser|flock)$/.test(one ?? ''))
  return n === words.length - 1 && names.includes('ssh') && /^["']/.test(words[n] ?? '')
}
