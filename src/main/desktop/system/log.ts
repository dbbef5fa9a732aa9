import { promises } from 'node:fs'
import { join } from 'node:path'
import type { Transport } from '../../base/ports.ts'

/** Keys used in this run, in every form in which a text could contain them. */
const secrets = new Set<string>()

/**
 * Redacts this secret in the log from now on. A second safety net: error messages are not written
 * in the first place.
 */
export function hideInLog(secret: string): void {
  const bytes = Buffer.from(secret, 'utf8')
  const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
  const coded = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]
  for (const form of [...forms, ...coded]) secrets.add(form)
}

/** Redacts the key of each request from then on; no other key is ever used. */
export function hidingKeys(transport: Transport): Transport {
  return (request, signal) => {
    const { 'x-api-key': key = '', authorization = '' } = request.headers
    if (key !== '') hideInLog(key)
    const pair = authorization.replace(/^Basic /, '')
    if (pair !== '') {
      hideInLog(
        Buffer.from(pair, 'base64')
          .toString('utf8')
          .replace(/^[^:]*:/, ''),
      )
      secrets.add(pair)
    }
    return transport(request, signal)
  }
}

function redacted(text: string): string {
  let safe = text
  for (const secret of secrets) safe = safe.replaceAll(secret, '[key]')
  return safe
}

// Whoever started us may be gone, with nobody reading any more. Unhandled, that error would be
// logged as a bug to the same stream, which would fail again.
process.stderr.on('error', () => undefined)

let write = (_line: string): void => undefined

/** From now on, `add` gets each line of the log. */
export function logTo(add: (line: string) => void): void {
  write = add
}

/** Logs what happened: fixed words and numbers only, never what a user or a server wrote. */
export function note(where: string, what: string): void {
  write(redacted(`${where}: ${what}`))
}

/**
 * Writes a bug to standard error and the log; nothing else does. It gives the place, the kind of error and the
 * locations in the stack, but never the message, which may quote a header, a body or an address
 * (undici quotes an invalid header's value).
 */
export function logBug(where: string, error: unknown): void {
  const bug = redacted(`${where}: ${describeBug(error)}`)
  process.stderr.write(`belfry: ${bug}\n`)
  write(withoutFolders(bug))
}

/** Removes folders from stack lines: a home folder contains its owner's name. */
function withoutFolders(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const path = /^\s+at (?:[^\\/]* \()?/.exec(line)?.[0]
      const end = Math.max(line.lastIndexOf('/'), line.lastIndexOf('\\')) + 1
      return path === undefined || end < path.length || !/:\d/.test(line.slice(end))
        ? line
        : path + line.slice(end)
    })
    .join('\n')
}

export function describeBug(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const stack = error.stack ?? ''
  // A line of the message may look like a place, too.
  const at = stack.indexOf(error.message)
  const places = stack
    .slice(at === -1 ? 0 : at + error.message.length)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  return [error.name, ...places.slice(0, 12)].join('\n')
}

const { appendFile, mkdir, readFile, rename, stat } = promises

/** Five files of this size: 5 MB in all. */
const fileBytes = 1_000_000
const files = 5
/** Lines are collected for this long and written together. */
const delayMs = 5_000
/** Pending lines while the disk hangs or is full; the oldest are dropped. */
const mostWaiting = 2_000

export interface LogFile {
  /** Never throws or blocks. */
  add(line: string): void
  /** The content of all files, oldest first. */
  text(): Promise<string>
  /** Resolves when everything added so far is written, or could not be. */
  settled(): Promise<void>
}

/** For the demo, which leaves nothing behind. */
export const noLog: LogFile = {
  add: () => undefined,
  text: async () => '',
  settled: async () => undefined,
}

/** A log in `folder`: `belfry.log`, and `belfry.1.log` to `belfry.4.log`, which are older. */
export function openLogFile(folder: string, now: () => number = Date.now): LogFile {
  const pathOf = (age: number): string =>
    join(folder, age === 0 ? 'belfry.log' : `belfry.${age}.log`)
  let waiting: string[] = []
  let lost = 0
  let timer: ReturnType<typeof setTimeout> | null = null
  let written = Promise.resolve()
  /** Bytes in the newest; null: unknown yet. */
  let size: number | null = null

  async function rotate(): Promise<void> {
    for (let age = files - 1; age > 0; age -= 1)
      await rename(pathOf(age - 1), pathOf(age)).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
  }

  async function write(): Promise<void> {
    if (waiting.length === 0) return
    const [lines, missing] = [waiting, lost]
    waiting = []
    lost = 0
    const all = missing > 0 ? [`${missing} lines are missing here`, ...lines] : lines
    const text = `${all.join('\n')}\n`
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const had = size ?? (await stat(pathOf(0)).catch(() => ({ size: 0 }))).size
      const bytes = Buffer.byteLength(text)
      const isFull = had > 0 && had + bytes > fileBytes
      if (isFull) await rotate()
      await appendFile(pathOf(0), text, { mode: 0o600 })
      size = isFull ? bytes : had + bytes
    } catch {
      // A full disk, for example: the lines are retried later. A log must not cause a warning.
      size = null
      waiting = [...lines, ...waiting]
      lost += missing
      drop()
    }
  }

  function drop(): void {
    const tooMany = Math.max(0, waiting.length - mostWaiting)
    waiting.splice(0, tooMany)
    lost += tooMany
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer)
    timer = null
    written = written.then(write)
    return written
  }

  return {
    add(line) {
      waiting.push(`${new Date(now()).toISOString()} ${line}`)
      drop()
      if (timer !== null) return
      timer = setTimeout(() => void flush(), delayMs)
      timer.unref()
    },
    async text() {
      await flush()
      const ages = Array.from({ length: files }, (_, at) => files - 1 - at)
      const texts = ages.map((age) => readFile(pathOf(age), 'utf8').catch(() => ''))
      return (await Promise.all(texts)).join('')
    },
    settled: flush,
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
