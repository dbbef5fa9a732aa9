import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  dependenciesFullWords,
  dependencyLimit,
} from '../../src/shared/core/attention/dependencies/dependency.ts'
import type { ChecksScope } from '../../src/shared/core/attention/silence.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { inTime, scopeOf, snoozed, toldOf } from '../support/watched-job.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

const told = (it: RunningApp, name: string) => toldOf(it, name).map(({ title }) => title)

/** Jobs of one project, of which `gateway` and `router` are two. */
async function jobs() {
  const it = await startApp()
  const { ops } = it.world
  ops.controls.addChecks(4)
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  await pass(3 * second)
  const [gateway, router, first, second_] = ops.controls
    .names()
    .filter((one) => one.startsWith('job-')) as [string, string, string, string]
  const on = (name: string) => {
    const { of: _check, ...ids } = scopeOf(it, name)
    return ids
  }
  const depends = (scope: ChecksScope, name: string) =>
    it.app.commands.addDependency({ scope, on: on(name) })
  return { it, gateway, router, first, second: second_, on, depends, controls: ops.controls }
}

type Ids = { readonly accountId: string; readonly checkId: string }

const run = (it: RunningApp, { accountId, checkId }: Ids, operation: string, more = {}) =>
  it.app.commands.run({ accountId, operation, params: { uuid: checkId, ...more } })

/** A job of another project. */
async function webJob(it: RunningApp) {
  const { controls } = it.world.web
  controls.addChecks(1)
  const name = controls.names().findLast((one) => one.startsWith('job-')) ?? ''
  const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.web)
  await pass(3 * second)
  const checks = [...(it.app.state.boards.get(accountId)?.checks.values() ?? [])]
  const checkId = checks.find((one) => one.name === name)?.id ?? ''
  return { name, scope: { of: 'check', accountId, checkId } as const }
}

/** Until a read shows the check so. */
async function until(it: RunningApp, name: string, status: string) {
  const { accountId, checkId } = scopeOf(it, name)
  const now = () => it.app.state.boards.get(accountId)?.checks.get(checkId)?.status
  for (let left = 200; left > 0 && now() !== status; left -= 1) await pass(second)
  expect(now()).toBe(status)
}

describe('a check that depends on another', () => {
  test('is told only if it is still down once the other is up again', async () => {
    const { it, gateway, first, second: other, depends, controls } = await jobs()
    const { accountId } = scopeOf(it, gateway)
    await depends({ of: 'project', accountId }, gateway)
    for (const name of [gateway, first, other]) controls.ping(name, 'fail')
    await until(it, other, 'down')
    await pass(10 * minute)
    expect(told(it, gateway)).toEqual([`${gateway} is down`])
    expect([...told(it, first), ...told(it, other)]).toEqual([])
    controls.ping(other, 'success')
    await until(it, other, 'up')
    controls.ping(gateway, 'success')
    await until(it, gateway, 'up')
    expect(told(it, first)).toEqual([])
    await pass(2 * minute)
    expect(told(it, first)).toEqual([`${first} is down`])
    expect(told(it, other)).toEqual([])
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })

  test('that goes down first waits for one more read of the other', async () => {
    const { it, gateway, first, second: other, depends, controls } = await jobs()
    await depends(scopeOf(it, first), gateway)
    await depends(scopeOf(it, other), gateway)
    controls.ping(first, 'fail')
    await until(it, first, 'down')
    expect(told(it, first)).toEqual([])
    await pass(70 * second)
    expect(told(it, first)).toEqual([`${first} is down`])
    controls.ping(other, 'fail')
    await until(it, other, 'down')
    controls.ping(gateway, 'fail')
    await until(it, gateway, 'down')
    await pass(5 * minute)
    expect(told(it, other)).toEqual([])
    await it.app.stop()
  })

  test('and came back before that read went down and came back', async () => {
    const { it, gateway, first, depends, controls } = await jobs()
    await depends(scopeOf(it, first), gateway)
    controls.ping(first, 'fail')
    await until(it, first, 'down')
    controls.ping(first, 'success')
    await pass(2 * minute)
    expect(told(it, first)).toEqual([`${first} went down and came back`])
    await it.app.stop()
  })

  test('says that it is up again, after the other, if it was told as down before', async () => {
    const { it, gateway, first, depends, controls } = await jobs()
    await depends(scopeOf(it, first), gateway)
    controls.ping(first, 'fail')
    await pass(3 * minute)
    controls.ping(gateway, 'fail')
    await until(it, gateway, 'down')
    controls.ping(first, 'success')
    await until(it, first, 'up')
    expect(told(it, first)).toEqual([`${first} is down`])
    controls.ping(gateway, 'success')
    await pass(3 * minute)
    expect(told(it, first)).toEqual([`${first} is down`, `${first} is up again`])
    await it.app.stop()
  })

  test('is quiet though the other is acknowledged or paused, and the icon isn’t green', async () => {
    const { it, gateway, first, on, depends, controls } = await jobs()
    await depends(scopeOf(it, first), gateway)
    controls.ping(gateway, 'fail')
    controls.ping(first, 'fail')
    await until(it, first, 'down')
    const scope = scopeOf(it, gateway)
    const change = { kind: 'change' } as const
    await it.app.commands.silence({ how: 'acknowledge', scope, until: change })
    await pass(2 * minute)
    expect(it.desktop.trays.at(-1)?.shape).toBe('down')
    await run(it, on(gateway), 'pauseCheck')
    await until(it, gateway, 'paused')
    await pass(5 * minute)
    expect(told(it, first)).toEqual([])
    expect(it.desktop.trays.at(-1)?.shape).toBe('down')
    await it.app.stop()
  })

  test('is loud if the other was paused while it was up, or is deleted', async () => {
    const { it, gateway, first, second: other, on, depends, controls } = await jobs()
    await depends(scopeOf(it, first), gateway)
    await run(it, on(gateway), 'pauseCheck')
    await until(it, gateway, 'paused')
    controls.ping(first, 'fail')
    await until(it, first, 'down')
    await pass(second)
    expect(told(it, first)).toEqual([`${first} is down`])
    await depends(scopeOf(it, other), first)
    controls.ping(other, 'fail')
    await until(it, other, 'down')
    await pass(2 * minute)
    expect(told(it, other)).toEqual([])
    controls.remove(first)
    await pass(3 * minute)
    expect(told(it, other)).toEqual([`${other} is down`])
    await it.app.stop()
  })

  test('of another project is loud once the other can’t be read for a minute', async () => {
    const { it, gateway, on, controls } = await jobs()
    const { name, scope } = await webJob(it)
    await it.app.commands.addDependency({ scope, on: on(gateway) })
    controls.ping(gateway, 'fail')
    await until(it, gateway, 'down')
    it.world.web.controls.ping(name, 'fail')
    await pass(5 * minute)
    expect(told(it, name)).toEqual([])
    controls.away(true)
    await pass(4 * minute)
    expect(told(it, name)).toEqual([`${name} is down`])
    await it.app.stop()
  })

  test('waits over a restart', async () => {
    const { it, gateway, first, depends, controls } = await jobs()
    await depends(scopeOf(it, first), gateway)
    controls.ping(gateway, 'fail')
    controls.ping(first, 'fail')
    await until(it, first, 'down')
    await pass(minute)
    const later = await it.restart()
    await pass(5 * minute)
    expect(told(later, first)).toEqual([])
    controls.ping(gateway, 'success')
    await pass(3 * minute)
    expect(told(later, first)).toEqual([`${first} is down`])
    await later.app.stop()
  })

  test('is told at once when the dependency is removed, unless it is snoozed', async () => {
    const { it, gateway, first, second: other, depends, controls } = await jobs()
    const both = [
      await depends(scopeOf(it, first), gateway),
      await depends(scopeOf(it, other), gateway),
    ]
    for (const name of [gateway, first, other]) controls.ping(name, 'fail')
    await until(it, other, 'down')
    await pass(minute)
    await snoozed(it, scopeOf(it, other), inTime(60 * minute))
    for (const { id } of both) await it.app.commands.removeDependency({ id })
    await pass(second)
    expect(told(it, first)).toEqual([`${first} is down`])
    expect(told(it, other)).toEqual([])
    await it.app.stop()
  })

  test('depends on what the other depends on as well', async () => {
    const { it, gateway, router, first, depends, controls } = await jobs()
    await depends(scopeOf(it, gateway), router)
    await depends(scopeOf(it, first), gateway)
    controls.ping(router, 'fail')
    controls.ping(first, 'fail')
    await until(it, first, 'down')
    await pass(5 * minute)
    expect(told(it, router)).toEqual([`${router} is down`])
    expect(told(it, first)).toEqual([])
    await it.app.stop()
  })
})

describe('a dependency', () => {
  const refused = (message: string) => ({ failure: { kind: 'invalid', message } })

  test('on a check that depends on these is refused with its path', async () => {
    const { it, gateway, router, first, depends } = await jobs()
    await depends(scopeOf(it, gateway), router)
    await depends(scopeOf(it, router), first)
    await expect(depends(scopeOf(it, first), gateway)).rejects.toMatchObject(
      refused(
        `They would depend on each other: ${gateway} depends on ${router}, which depends on ${first}.`,
      ),
    )
    await expect(depends(scopeOf(it, first), first)).rejects.toMatchObject(
      refused(`${first} can’t depend on itself.`),
    )
    await it.app.stop()
  })

  test('that became a circle by its tags keeps nobody quiet', async () => {
    const { it, gateway, first, depends, on, controls } = await jobs()
    await depends({ of: 'tag', tag: 'circle' }, gateway)
    await depends(scopeOf(it, gateway), first)
    await run(it, on(first), 'updateCheck', { tags: 'circle' })
    await pass(2 * minute)
    controls.ping(gateway, 'fail')
    controls.ping(first, 'fail')
    await until(it, first, 'down')
    await pass(2 * minute)
    expect(told(it, first)).toEqual([`${first} is down`])
    await it.app.stop()
  })

  test('beyond the limit is refused in a sentence', async () => {
    const { it, gateway, depends } = await jobs()
    for (let n = 0; n < dependencyLimit; n += 1) await depends({ of: 'tag', tag: `t${n}` }, gateway)
    await depends({ of: 'tag', tag: 't0' }, gateway)
    await expect(depends({ of: 'tag', tag: 'one more' }, gateway)).rejects.toMatchObject(
      refused(dependenciesFullWords),
    )
    expect(it.app.state.dependencies).toHaveLength(dependencyLimit)
    await it.app.stop()
  })

  test('is removed with the account of what it depends on, and what waited is told', async () => {
    const { it, gateway, on, controls } = await jobs()
    const { name, scope } = await webJob(it)
    const { accountId } = on(gateway)
    await it.app.commands.addDependency({ scope, on: on(gateway) })
    controls.ping(gateway, 'fail')
    await until(it, gateway, 'down')
    it.world.web.controls.ping(name, 'fail')
    await pass(3 * minute)
    expect(told(it, name)).toEqual([])
    await it.app.commands.removeAccount({ accountId })
    await pass(second)
    expect(it.app.state.dependencies).toEqual([])
    expect(told(it, name)).toEqual([`${name} is down`])
    await it.app.stop()
  })
})
