import { vi } from 'vitest'
import type { Scope, Until } from '../../src/shared/core/attention/silence.ts'
import { type RunningApp, startApp } from './app.ts'

const second = 1_000

/** The app with a project of one job, whose fate the tests decide, on a fake clock. */
export async function watching(around: Parameters<typeof startApp>[0] = {}) {
  const it = await startApp(around)
  it.world.ops.controls.addChecks(1)
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  await vi.advanceTimersByTimeAsync(3 * second)
  const name = it.world.ops.controls.names().find((one) => one.startsWith('job-'))!
  return { it, name, scope: scopeOf(it, name), ops: it.world.ops.controls }
}

/** A check of the first project, by its name. */
export function scopeOf(it: RunningApp, name: string) {
  const board = [...it.app.state.boards.values()][0]!
  const check = [...board.checks.values()].find((one) => one.name === name)!
  return { of: 'check' as const, accountId: board.accountId, checkId: check.id }
}

/** The notifications about the job. */
export const toldOf = ({ desktop }: RunningApp, name: string) =>
  desktop.notices.filter(({ title }) => title.includes(name))

export const snoozed = (it: RunningApp, scope: Scope, until: Until) =>
  it.app.commands.silence({ how: 'snooze', scope, until })

export const inTime = (ms: number): Until => ({ kind: 'time', at: Date.now() + ms })
