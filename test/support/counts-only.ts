import { vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import type { AccountId } from '../../src/shared/core/account.ts'
import type { BadgeFault } from '../../src/shared/core/checks/board.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import type { HttpReply, HttpRequest } from '../../src/shared/http.ts'
import { type RunningApp, startApp } from './app.ts'

export const second = 1_000
export const minute = 60 * second

export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

export type Change = (
  reply: HttpReply,
  request: HttpRequest,
  signal: AbortSignal,
) => HttpReply | Promise<HttpReply>
export const asItIs: Change = (reply) => reply
export const says =
  (status: number, body: string, headers = {}): Change =>
  (reply) => ({
    status,
    headers: { ...reply.headers, ...headers },
    body: new TextEncoder().encode(body),
  })

/** The app with a project of checks that stay up by themselves. */
export async function watching({
  minutes = 10,
  many = 30,
}: {
  readonly minutes?: number | null
  readonly many?: number
} = {}) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const { table, controls } = world.web
  table.checks.clear()
  controls.addChecks(many)
  for (const { fields } of table.checks.values()) Object.assign(fields, { timeout: 30 * 86_400 })
  const around = {
    ...{ badge: asItIs, badges: asItIs, list: asItIs, cut: false },
    ...{ asked: [] as string[], sent: [] as HttpRequest[] },
  }
  const transport: Transport = async (request, signal) => {
    const { pathname } = new URL(request.url)
    const what = /\/(checks|flips|badges|badge)\/(?:[^/]*\/[^/]*\.json)?$/.exec(pathname)?.[1]
    around.asked.push(what ?? 'other')
    around.sent.push(request)
    if (around.cut)
      throw new RequestFailed({ kind: 'network', reason: 'offline', host: 'h', reached: 'no' })
    const reply = await world.transport(request, signal)
    if (what === 'badge') return around.badge(reply, request, signal)
    if (what === 'badges') return around.badges(reply, request, signal)
    return what === 'checks' ? around.list(reply, request, signal) : reply
  }
  const notes: string[] = []
  const it = await startApp({ world, transport, note: (...said) => notes.push(said.join(' ')) })
  const { accountId } = await it.app.commands.addAccount({
    ...world.newAccounts.web,
    key: table.readWriteKey,
  })
  await pass(second)
  if (minutes !== null) await it.app.commands.setWholeReads({ accountId, minutes })
  await pass(second)
  around.asked.length = 0
  return Object.assign(it, { around, notes, table, controls, accountId })
}

export type Watching = Awaited<ReturnType<typeof watching>>

export const names = ['job-00001', 'job-00002', 'job-00003'] as const
export const board = ({ app, accountId }: RunningApp & { readonly accountId: AccountId }) =>
  app.state.boards.get(accountId)!
export const isDown = (it: Watching, name: string) =>
  [...board(it).checks.values()].some((check) => check.name === name && check.status === 'down')
export const count = (it: Watching, what: string) =>
  it.around.asked.filter((one) => one === what).length
export const shape = ({ desktop }: RunningApp) => desktop.trays.at(-1)?.shape
export const givenUp = (it: Watching): BadgeFault | undefined => board(it).wire?.givenUp?.why

/** Steps of a second until it is so; how many that took. */
export async function secondsUntil(isSo: () => boolean, most: number): Promise<number> {
  for (let passed = 0; passed <= most; passed += 1) {
    if (isSo()) return passed
    await pass(second)
  }
  throw new Error(`not within ${most} s`)
}
