import { EventEmitter, getEventListeners } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { getHeapSpaceStatistics } from 'node:v8'
import { watchStalls } from '../chaos/fast-time.ts'

/**
 * One sample of the process, after a garbage collection that returns the memory it frees. V8's
 * usual one keeps the space of young objects, which gradually doubles up to 64 MiB whatever the
 * program does (heap in use 22 MiB, 93 MiB taken for it): a slow leak would be lost in it.
 */
export interface Sample {
  /** Seconds since the start. */
  readonly at: number
  /** MiB. */
  readonly rss: number
  /** MiB before that collection, by the system, and V8's space for young objects in it. */
  readonly rssBefore: number
  readonly young: number
  /** MiB of `rss` not backed by a file; 0 if the system doesn't report it. */
  readonly anonymous: number
  /** MiB in use. */
  readonly heap: number
  /** MiB that V8 has reserved for the heap, in use or not. */
  readonly heapTaken: number
  /** MiB of buffers and other memory outside the heap that is freed with it. */
  readonly external: number
  /** What keeps the event loop alive, except timers: sockets, pipes, files. */
  readonly handles: number
  /** Active timers. */
  readonly timers: number
  /** Listeners on abort signals, sockets and other handles, and the process. */
  readonly listeners: number
  /** Open file descriptors; 0 if the system doesn't report them. */
  readonly files: number
  /** MiB, including the database and its log, which are `database`. */
  readonly disk: number
  readonly database: number
  /** The longest ms that the thread computed in one turn, since the last sample. */
  readonly stall: number
}

export interface Sampler {
  take(at: number): Sample
}

export function createSampler(folder: string): Sampler {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('run with --expose-gc')
  const signals = watchSignals()
  // Uses the thread's CPU time, which doesn't grow while the process is stopped or waits for a CPU.
  const stalls = watchStalls()
  return {
    take(at) {
      const stall = stalls.longestMs()
      const before = { rssBefore: mebibytes(process.memoryUsage.rss()), young: youngSpace() }
      gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
      const resources = process.getActiveResourcesInfo()
      const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
      const sample: Sample = {
        at,
        rss: mebibytes(rss),
        ...before,
        anonymous: anonymous(),
        heap: mebibytes(heapUsed),
        heapTaken: mebibytes(heapTotal),
        external: mebibytes(external),
        handles: resources.filter((kind) => kind !== 'Timeout' && kind !== 'Immediate').length,
        timers: resources.filter((kind) => kind === 'Timeout').length,
        listeners: signals() + emitterListeners(),
        files: openFiles(),
        disk: mebibytes(sizeOf(folder, '')),
        database: mebibytes(sizeOf(folder, 'history.db')),
        stall,
      }
      // Excludes the time of measuring itself.
      stalls.reset()
      return sample
    },
  }
}

function mebibytes(bytes: number): number {
  return bytes / 2 ** 20
}

function youngSpace(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return mebibytes(space?.physical_space_size ?? 0)
}

function anonymous(): number {
  try {
    const found = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return Number(found ?? 0) / 1_024
  } catch {
    // Not Linux.
    return 0
  }
}

/** Counts the listeners of all live abort signals, since the signals can't be listed. */
function watchSignals(): () => number {
  const seen = new Set<WeakRef<EventTarget>>()
  const known = new WeakSet<EventTarget>()
  const { addEventListener } = EventTarget.prototype
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...args) {
    if (this instanceof AbortSignal && !known.has(this)) {
      known.add(this)
      seen.add(new WeakRef(this))
    }
    addEventListener.apply(this, args)
  }
  return () => {
    let count = 0
    for (const reference of seen) {
      const signal = reference.deref()
      if (signal === undefined) seen.delete(reference)
      else count += getEventListeners(signal, 'abort').length
    }
    return count
  }
}

function emitterListeners(): number {
  // Undocumented: the handles whose types `getActiveResourcesInfo` lists.
  const { _getActiveHandles: activeHandles } = process as unknown as {
    _getActiveHandles: () => readonly unknown[]
  }
  let count = 0
  for (const emitter of new Set([process, ...activeHandles.call(process)]))
    if (emitter instanceof EventEmitter)
      for (const name of emitter.eventNames()) count += emitter.listenerCount(name)
  return count
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    // Not Linux: the handles have to do.
    return 0
  }
}

function sizeOf(folder: string, start: string): number {
  let bytes = 0
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(start)) continue
    try {
      bytes += statSync(join(folder, name)).size
    } catch {
      // A temporary file of an atomic write, renamed meanwhile.
    }
  }
  return bytes
}
