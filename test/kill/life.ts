import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CommandName } from '../../src/shared/command-inputs.ts'
import type { Commands } from '../../src/shared/contract.ts'
import type { Result } from '../../src/shared/core/failure.ts'
import { applyPatch } from '../../src/shared/core/patch.ts'
import type { AppState } from '../../src/shared/core/state.ts'
import type { Question, Told } from './channel.ts'

const host = fileURLToPath(new URL('./host.ts', import.meta.url))
/** The compile cache of the app and the stand-in, kept across starts. */
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/kill', import.meta.url))

/** One run of the app, from its start until it is killed. */
export interface Life {
  readonly pid: number
  /** Resolves with true once there is a page, or with false if the app ended before. */
  readonly ready: Promise<boolean>
  /** The current state of its window. */
  state(): AppState
  /** Resolves with the app's answer, or null if it ended first, when it may have done it or not. */
  ask<Name extends CommandName>(
    name: Name,
    input: Parameters<Commands[Name]>[0],
  ): Promise<Result<unknown> | null>
  /** Ends it; resolves once everything has arrived, including replies it had sent. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; signal: string | null; ms: number }>
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>
  /** What it wrote to standard error. */
  errors(): string
}

interface Start {
  /** The folder with package.json and out/. */
  readonly appFolder: string
  readonly userData: string
  readonly busAddress: string
}

export function startLife({ appFolder, userData, busAddress }: Start): Life {
  const child = fork(
    host,
    [appFolder, `--user-data=${userData}`, '--password-store=gnome-libsecret'],
    {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: {
        PATH: process.env['PATH'],
        HOME: userData,
        XDG_CONFIG_HOME: userData,
        TZ: 'UTC',
        LANG: 'en_US.UTF-8',
        NODE_COMPILE_CACHE: compileCache,
        DBUS_SESSION_BUS_ADDRESS: busAddress,
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      // In its own process group, so that leftover processes can be found.
      detached: true,
    },
  )
  const pid = child.pid
  if (pid === undefined) throw new Error('kill: the app could not be started')
  return followLife(child, pid)
}

function followLife(child: ChildProcess, pid: number): Life {
  const errors: string[] = []
  child.stderr?.on('data', (text: Buffer) => errors.push(text.toString()))
  let state: AppState | null = null
  let lastId = 0
  const waiting = new Map<number, (result: Result<unknown> | null) => void>()
  const ready = Promise.withResolvers<boolean>()
  child.on('message', (message) => {
    // Sent only by `tellParent`.
    const told = message as Told
    if (told.kind === 'reply') waiting.get(told.id)?.(told.result)
    else {
      // The first patch contains the whole state, so it needs no earlier one.
      state = applyPatch(state as AppState, told.patch)
      ready.resolve(true)
    }
  })
  // 'close' comes after 'exit' and the end of standard error, 'disconnect' after the last message.
  const drained = new Promise<void>((resolve) => {
    child.once('disconnect', resolve)
  })
  const closed = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  const ended = Promise.all([closed, drained]).then(([how]) => {
    ready.resolve(false)
    for (const resolve of waiting.values()) resolve(null)
    return how
  })
  return {
    pid,
    ready: ready.promise,
    state: () => {
      if (state === null) throw new Error('kill: no state yet')
      return state
    },
    ask: (name, input) =>
      new Promise((resolve) => {
        lastId += 1
        const id = lastId
        waiting.set(id, (result) => {
          waiting.delete(id)
          resolve(result)
        })
        const question: Question = { id, name, input }
        if (child.connected)
          child.send(question, (error) => {
            if (error !== null) waiting.get(id)?.(null)
          })
        else waiting.get(id)?.(null)
      }),
    end: async (signal) => {
      const from = performance.now()
      child.kill(signal)
      const how = await ended
      return { ...how, ms: performance.now() - from }
    },
    ended,
    errors: () => errors.join(''),
  }
}

/** Processes still in the process group of one that ended. */
export function leftBehind(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && groupOf(name) === pid)
    .map(Number)
}

function groupOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Parsed from after the name, which may contain spaces; state, ppid, pgrp: proc(5).
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? null : Number(group)
  } catch {
    // It ended meanwhile.
    return null
  }
}
