import { setImmediate as nextTurn } from 'node:timers'
import { safeParse } from 'valibot'
import { type CommandName, commandInputs } from '../../../shared/command-inputs.ts'
import type { Commands } from '../../../shared/contract.ts'
import { type Failure, RequestFailed, type Result } from '../../../shared/core/failure.ts'

/** Bytes of an input, estimated; the largest legitimate one is a long message. */
const inputLimit = 256 * 1024
/** Structured clone itself gives up at about 5,000 levels; our inputs have five. */
const depthLimit = 32

/** The frame that sent something, as Electron reports it. */
export interface Frame {
  readonly url: string
  readonly parent: unknown
}

/** Whether this is our page in a window's main frame, not a page that it was navigated to. */
export function isOurFrame(frame: Frame | null, home: string): boolean {
  if (frame === null || frame.parent !== null || !URL.canParse(frame.url)) return false
  const url = new URL(frame.url)
  const ours = new URL(home)
  // Not `origin`, which is "null" for every scheme unknown to the web.
  const isOurs = url.protocol === ours.protocol && url.host === ours.host
  return isOurs && url.username === '' && url.password === ''
}

/** What Electron reports about a sender. */
interface Sender<Contents> {
  readonly sender: Contents
  readonly senderFrame: Frame | null
}

/** Whether one of our windows sent this, from its main frame and our own page. Never throws. */
export function isOurSender<Contents>(
  event: Sender<Contents>,
  isOurWindow: (sender: Contents) => boolean,
  home: string,
): boolean {
  try {
    return isOurWindow(event.sender) && isOurFrame(event.senderFrame, home)
  } catch {
    // Electron throws when accessing a frame that is gone, where nobody waits for an answer.
    return false
  }
}

function isCommand(name: unknown): name is CommandName {
  return typeof name === 'string' && Object.hasOwn(commandInputs, name)
}

/** Estimated size in bytes; null beyond the limits, without examining more than they allow. */
export function sizeOf(input: unknown): number | null {
  let left = inputLimit
  const fits = (value: unknown, depth: number): boolean => {
    left -= ownSize(value)
    return left >= 0 && depth <= depthLimit && parts(value).every((part) => fits(part, depth + 1))
  }
  return fits(input, 0) ? inputLimit - left : null
}

function ownSize(value: unknown): number {
  if (typeof value === 'string') return 8 + value.length * 2
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 8 + value.byteLength
  // A sparse array may have a length of up to 4 billion, whatever it holds: walking it would take hours.
  if (Array.isArray(value)) return 8 + value.length * 8
  return value instanceof Set || value instanceof Map ? 8 + value.size * 8 : 8
}

function parts(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return []
  if (Array.isArray(value)) return value
  if (value instanceof Set) return [...value]
  return (value instanceof Map ? [...value] : Object.entries(value)).flat()
}

/** Far more than a user can cause: a fast typist's drafts are 20 a second. */
const burst = 200
const refillPerSecond = 50

/** Bytes that count as one more command. */
const bytesOfOne = 32 * 1024

/**
 * A token bucket of `burst` commands, refilled at `refillPerSecond`. Returns false, without taking
 * any, if too few are left.
 */
function createThrottle(monotonic: () => number): (count: number) => boolean {
  let left = burst
  let countedAt = monotonic()
  return (count) => {
    const now = monotonic()
    left = Math.min(burst, left + (Math.max(0, now - countedAt) / 1_000) * refillPerSecond)
    countedAt = now
    if (left < count) return false
    left -= count
    return true
  }
}

/** Ms that commands may take before everything else gets its turn. */
const sliceMs = 10

/** Resolves in order, at once as long as the commands of this turn are within their time slice. */
function createTimeSlices(): () => Promise<void> {
  let last = Promise.resolve()
  let endsAt: number | null = null
  const ended = (): void => {
    endsAt = null
  }
  const turn = async (): Promise<void> => {
    while (endsAt !== null && performance.now() > endsAt)
      await new Promise<void>((resolve) => {
        nextTurn(resolve)
      })
    if (endsAt === null) nextTurn(ended)
    endsAt ??= performance.now() + sliceMs
  }
  return () => {
    last = last.then(turn)
    return last
  }
}

const refused = (field: string, message: string): Result<never> => ({
  ok: false,
  failure: { kind: 'invalid', field, message },
})

const tooMany = refused('command', 'Too many commands at once. Try again in a moment.')

/**
 * Guards `App` against a window: a rate limit, the name of a known command, an input of permitted
 * size and shape. Everything is returned as a value, since Electron keeps only an error's message.
 * A bug is logged; the window only learns that something is wrong.
 */
export function createCommandHandler(
  app: () => Commands,
  logBug: (where: string, error: unknown) => void,
  monotonic: () => number = () => performance.now(),
): (name: unknown, input: unknown) => Promise<Result<unknown>> {
  const mayPass = createThrottle(monotonic)
  const turn = createTimeSlices()
  return async (name, input) => {
    if (!mayPass(1)) return tooMany
    await turn()
    if (!isCommand(name)) return refused('command', 'There is no such command.')
    const size = sizeOf(input)
    if (size === null) return refused('input', 'That is too large.')
    if (!mayPass(Math.floor(size / bytesOfOne))) return tooMany
    const read = safeParse(commandInputs[name], input)
    if (!read.success) {
      const [issue] = read.issues
      const path = issue.path?.map((item) => String(item.key)).join('.') ?? 'input'
      return refused(path, issue.message)
    }
    try {
      return { ok: true, value: await run(app(), name, read.output) }
    } catch (error) {
      return { ok: false, failure: failureOf(error, name, logBug) }
    }
  }
}

function run(app: Commands, name: CommandName, input: unknown): Promise<unknown> {
  // `commandInputs` has just parsed the input for this very command; the compiler can't follow one name through both tables.
  const commands = app as unknown as Record<CommandName, (input: unknown) => Promise<unknown>>
  return commands[name](input)
}

function failureOf(
  error: unknown,
  name: CommandName,
  logBug: (where: string, error: unknown) => void,
): Failure {
  if (error instanceof RequestFailed) return error.failure
  // Belfry is quitting, or the account was removed; that is no bug.
  if (error instanceof DOMException && error.name === 'AbortError') {
    const message = 'The connection was closed before the server answered.'
    return { kind: 'invalid', field: 'account', message }
  }
  logBug(`command ${name}`, error)
  return { kind: 'malformed', what: 'shape', where: `Belfry’s own ${name}` }
}
