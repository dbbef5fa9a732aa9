/** What a shell runs, as far as it decides whose exit status counts. Texts are as in the code. */
export type ShellCommand = { readonly text: string } & CommandParts

export type SimpleCommand = Extract<ShellCommand, { kind: 'simple' }>

type CommandParts =
  | { readonly kind: 'simple'; readonly words: readonly string[] }
  /** `( … )` or `{ …; }`; `tail`: the redirections behind it. */
  | {
      readonly kind: 'group'
      readonly opens: string
      readonly body: ShellList
      readonly tail: string
    }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly tail: string }
  /** `head`: `for x in a b` or `while …`. */
  | {
      readonly kind: 'loop'
      readonly head: string
      readonly body: ShellList
      readonly tail: string
    }

/** `opens`: `if …; then`, `elif …; then` or `else`. */
interface Branch {
  readonly opens: string
  readonly body: ShellList
}

export interface Pipeline {
  readonly kind: 'pipeline'
  readonly text: string
  readonly isNegated: boolean
  readonly commands: readonly ShellCommand[]
  /** Between the commands: `|`, or `|&` where errors go through the pipe, too. */
  readonly pipes: readonly string[]
}

/** `a && b || c` is `(a && b) || c`. */
export type AndOr =
  | Pipeline
  | {
      readonly kind: '&&' | '||'
      readonly text: string
      readonly left: AndOr
      readonly right: Pipeline
    }

export interface ShellList {
  readonly text: string
  readonly items: readonly { readonly run: AndOr; readonly isBackground: boolean }[]
}

/** Why code can't be read: a reason that completes “… because …”. */
export class UnclearCode extends Error {}

/** Where the shell's comment begins; -1 if there is none. */
export function commentAt(command: string): number {
  const mark = unquoted(command).search(/(?:^|[\s;&|()])#/)
  return mark === -1 ? -1 : command.indexOf('#', mark)
}

/** Replaces quoted text and escaped characters by as many x, to keep all positions. */
export function unquoted(command: string): string {
  return command.replace(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g, (text) =>
    'x'.repeat(text.length),
  )
}

interface Token {
  readonly kind: 'word' | 'operator' | 'redirection'
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * `isPosix`: the shell may be one that knows no more than POSIX asks. Throws {@link UnclearCode} for
 * what it does not know: case, functions, here-documents, …
 */
export function readShell(code: string, isPosix: boolean): ShellList {
  return new Reader(code, isPosix).whole()
}

const operators = ['&&', '||', '|&', ';;', ';', '&', '|', '(', ')', '\n']
const word = /(?:\\[\s\S]|'[^']*'|[^\s;&|()<>'"`$\\]|\$(?![({]))/y
const redirection = /\d*(?:&>>?|>>|>\||>&|<&|<>|[<>])(?:-|\d+(?=[\s;&|)]|$)-?)?/y

function tokensOf(code: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < code.length; ) {
    const start = at
    if (/[ \t\r]/.test(code[at] ?? '')) {
      at += 1
      continue
    }
    if (/^\d*(?:<<(?!<)|[<>]\()/.test(code.slice(at, at + 6)))
      throw new UnclearCode('it has a here-document or a process substitution')
    redirection.lastIndex = at
    const redirects = redirection.exec(code)?.[0]
    const operator = operators.find((one) => code.startsWith(one, at))
    if (redirects !== undefined) at += redirects.length
    else if (operator === undefined) at = endOfWord(code, at)
    else at += operator.length
    const kind = redirects !== undefined ? 'redirection' : operator ? 'operator' : 'word'
    tokens.push({ kind, text: code.slice(start, at), start, end: at })
  }
  return tokens
}

function endOfWord(code: string, start: number): number {
  let at = start
  for (;;) {
    word.lastIndex = at
    const plain = word.exec(code)?.[0].length
    if (plain !== undefined) at += plain
    else if (code[at] === '"') at = endOfDouble(code, at + 1)
    else if (code[at] === '`') at = after(code, code.indexOf('`', at + 1))
    else if (code.startsWith('$(', at)) at = endOfNested(code, at + 2, ')')
    else if (code.startsWith('${', at)) at = endOfNested(code, at + 2, '}')
    else if (at === start) throw new UnclearCode('its quotes or brackets don’t close')
    else return at
  }
}

function after(code: string, found: number): number {
  if (found === -1 || found >= code.length) throw new UnclearCode('its quotes don’t close')
  return found + 1
}

function endOfDouble(code: string, start: number): number {
  for (let at = start; at < code.length; ) {
    if (code[at] === '"') return at + 1
    if (code[at] === '\\') at += 2
    else if (code.startsWith('$(', at)) at = endOfNested(code, at + 2, ')')
    else if (code[at] === '`') at = after(code, code.indexOf('`', at + 1))
    else at += 1
  }
  return after(code, -1)
}

function endOfNested(code: string, start: number, close: ')' | '}'): number {
  const open = close === ')' ? '(' : '{'
  for (let at = start; at < code.length; ) {
    const char = code[at]
    if (char === close) return at + 1
    if (char === '\\') at += 2
    else if (char === "'") at = after(code, code.indexOf("'", at + 1))
    else if (char === '"') at = endOfDouble(code, at + 1)
    else if (char === open) at = endOfNested(code, at + 1, close)
    else at += 1
  }
  return after(code, -1)
}

const openers = new Set(['if', 'for', 'while', 'until', '{'])
const unknown = new Set(['case', 'function', 'select', 'coproc'])
const closers = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', '}'])

class Reader {
  readonly #code: string
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(code: string, isPosix: boolean) {
    this.#code = code
    this.#tokens = tokensOf(code)
    // There the "&" ends the command, and the rest empties the file.
    const ends = ({ kind, text }: Token) => kind === 'redirection' && text.startsWith('&>')
    if (isPosix && this.#tokens.some(ends))
      throw new UnclearCode('in sh, “&>” runs it in the background; write “> file 2>&1”')
  }

  whole(): ShellList {
    const list = this.#list()
    if (this.#at < this.#tokens.length) throw new UnclearCode('its brackets don’t match')
    return list
  }

  get #next(): string {
    return this.#tokens[this.#at]?.text ?? ''
  }

  /** Where the next token begins. */
  get #start(): number {
    return this.#tokens[this.#at]?.start ?? this.#code.length
  }

  #textFrom(start: number): string {
    return this.#code.slice(start, this.#tokens[this.#at - 1]?.end ?? start)
  }

  #takes(text: string): boolean {
    const isNext = this.#next === text
    if (isNext) this.#at += 1
    return isNext
  }

  #take(text: string): void {
    if (!this.#takes(text)) throw new UnclearCode('its brackets don’t match')
  }

  #list(): ShellList {
    const start = this.#start
    const items: { run: AndOr; isBackground: boolean }[] = []
    while (this.#next !== '' && this.#next !== ')' && !closers.has(this.#next)) {
      const run = this.#andOr()
      const isBackground = this.#next === '&'
      items.push({ run, isBackground })
      if (!isBackground && this.#next !== ';' && this.#next !== '\n') break
      this.#at += 1
    }
    if (items.length === 0) throw new UnclearCode('it has an empty part')
    return { text: this.#textFrom(start).replace(/[;\s]+$/, ''), items }
  }

  #andOr(): AndOr {
    const start = this.#start
    let left: AndOr = this.#pipeline()
    while (this.#next === '&&' || this.#next === '||') {
      const kind = this.#next
      this.#at += 1
      const right = this.#pipeline()
      left = { kind, text: this.#textFrom(start), left, right }
    }
    return left
  }

  #pipeline(): Pipeline {
    const start = this.#start
    const isNegated = this.#takes('!')
    const commands = [this.#command()]
    const pipes: string[] = []
    while (this.#next === '|' || this.#next === '|&') {
      pipes.push(this.#next)
      this.#at += 1
      commands.push(this.#command())
    }
    return { kind: 'pipeline', text: this.#textFrom(start), isNegated, commands, pipes }
  }

  #command(): ShellCommand {
    const start = this.#start
    const parts = this.#parts(start)
    return { ...parts, text: this.#textFrom(start) }
  }

  #parts(start: number): CommandParts {
    const first = this.#next
    if (unknown.has(first)) throw new UnclearCode(`it uses “${first}”`)
    if (first !== '(' && !openers.has(first)) return this.#simple(start)
    if (first === '(' && this.#code.startsWith('((', start)) throw new UnclearCode('it uses “((”')
    this.#at += 1
    if (first === '(' || first === '{') {
      const body = this.#list()
      this.#take(first === '(' ? ')' : '}')
      return { kind: 'group', opens: first, body, tail: this.#tail() }
    }
    if (first === 'if') return this.#if(start)
    if (first === 'for')
      while (this.#tokens[this.#at]?.kind === 'word' && this.#next !== 'do') this.#at += 1
    else this.#list()
    const head = this.#textFrom(start).replace(/[;\s]+$/, '')
    this.#takes(';')
    this.#take('do')
    const body = this.#list()
    this.#take('done')
    return { kind: 'loop', head, body, tail: this.#tail() }
  }

  #if(from: number): CommandParts {
    const branches: Branch[] = []
    let start = from
    do {
      this.#list()
      this.#take('then')
      const opens = this.#textFrom(start)
      branches.push({ opens, body: this.#list() })
      start = this.#start
    } while (this.#takes('elif'))
    if (this.#takes('else')) branches.push({ opens: 'else', body: this.#list() })
    this.#take('fi')
    return { kind: 'if', branches, tail: this.#tail() }
  }

  #simple(start: number): CommandParts {
    const words: string[] = []
    for (;;) {
      const token = this.#tokens[this.#at]
      const isTest = words[0] === '[[' && words.at(-1) !== ']]'
      if (token === undefined || (token.kind === 'operator' && !isTest)) break
      if (token.kind === 'redirection' && !isTest) this.#redirection()
      else {
        words.push(token.text)
        this.#at += 1
      }
    }
    if (this.#next === '(') throw new UnclearCode('it defines a function')
    if (this.#start === start || this.#textFrom(start) === '')
      throw new UnclearCode('it has an empty part')
    return { kind: 'simple', words }
  }

  #tail(): string {
    const start = this.#start
    while (this.#tokens[this.#at]?.kind === 'redirection') this.#redirection()
    return this.#start === start ? '' : ` ${this.#textFrom(start)}`
  }

  /** With its file, unless it is complete as `2>&1` is. */
  #redirection(): void {
    const isWhole = /[\d-]$/.test(this.#next)
    this.#at += 1
    if (isWhole) return
    if (this.#tokens[this.#at]?.kind !== 'word') throw new UnclearCode('a redirection has no file')
    this.#at += 1
  }
}

// What a command's status says of a job.

/** Commands that say or wait: a job does not fail by them. What `.` reads often ends with false. */
export const asides =
  /^(?:echo|printf|date|sleep|true|:|logger|export|umask|unset|\.|source|ulimit|set)$/

/** A failure before it is ignored, or left to it. */
export const swallows = /^(?:(?:\/usr)?(?:\/bin\/)?true|:|exit 0|exit)$/

export const messengers =
  /^(?:echo|printf|logger|mailx?|sendmail|s?smtp|msmtp|swaks|mutt|wall|curl|wget|exit|touch|cat|tail|head|tee|date|rm|ntfy|apprise|zabbix_sender|notify-send|push(?:over|bullet)|.*(?:notify|alert|alarm|slack|telegram|mail|fail|error|warn|report).*)$/i

export const conditions =
  /^(?:test|\[|\[\[|pgrep|pidof|mountpoint|which|type|hash|command|expr|ac_power|on_ac_power|is-active)$/

/** Commands that say how things are: in what they print, a condition is looked for. */
export const looks =
  /^(?:ps|cat|zcat|date|mount|findmnt|df|du|ls|lsblk|lsof|ip|ss|netstat|systemctl|docker|podman|kubectl|crontab|who|w|uptime|git|find|dmesg|journalctl|zpool|zfs|pgrep|echo|printf|head|tail|id|getent|hostname|uname|ping|nc|cmp|diff|host|dig|fuser|supervisorctl|virsh|screen|tmux|apt|dpkg|rpm|true|false|test|\[|\[\[)$/

export const detached: readonly RegExp[] = [
  /^(?:at|batch)\b/,
  /^screen\b.* -\w*d/,
  /^tmux\b.* -\w*d/,
  /^(?:docker|podman)(?:-compose)? (?:\S+ )?(?:run|exec)\b.* (?:-\w*d\w*|--detach)\b(?! *=)/,
  /^systemd-run\b(?!.*--(?:wait|pipe))/,
  /^(?:.*\/)?daemonize\b/,
]
