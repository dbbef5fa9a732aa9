import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 26, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

test('outages are listed by what was seen and read, without a request, and the same after a restart', async () => {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  let requests = 0
  const it = await startApp({
    world,
    transport: (request, signal) => {
      if (!request.url.endsWith('/checks/')) requests += 1
      return world.transport(request, signal)
    },
  })
  const { controls } = world.ops
  controls.ping('search-reindex', 'fail')
  await pass(30 * minute)
  controls.ping('search-reindex', 'success')
  const { accountId } = await it.app.commands.addAccount(world.newAccounts.ops)
  await pass(3_000)
  const connectedAt = Date.now()
  const body = new TextEncoder().encode('begin\nerror: no such zone\nend')
  controls.ping('cert-renew', 'fail', { body })
  await pass(5 * minute)
  controls.ping('cert-renew', 'success')
  await pass(2 * minute)

  const week = { from: Date.now() - 7 * day, words: '' }
  const listed = (all: Awaited<ReturnType<typeof it.app.commands.outages>>, name: string) =>
    all.outages
      .filter((one) => one.name === name)
      .map(({ from, to, kind, isOver, cause, project, tags }) => ({
        minutes: Math.round((to - from) / minute),
        ...{ kind, isOver, project, tags },
        line: cause?.kind === 'failed' ? cause.line : (cause?.kind ?? null),
      }))
  requests = 0
  const seen = await it.app.commands.outages(week)
  expect(requests).toBe(0)
  const common = { project: 'ops-project', isOver: true }
  const renewed = {
    ...{ ...common, kind: 'down', minutes: 5, line: 'error: no such zone' },
    tags: ['prod', 'tls'],
  }
  expect(listed(seen, 'cert-renew')).toEqual([renewed])
  expect(listed(seen, 'db-backup')).toMatchObject([{ isOver: false, kind: 'down' }])
  expect(listed(seen, 'search-reindex')).toEqual([])

  // Nothing is known of the time before; reading flips tells it.
  const unknown = seen.gaps.find(({ why }) => why === 'unread')
  expect(unknown).toMatchObject({ accountId, from: week.from })
  expect(Math.abs((unknown?.to ?? 0) - connectedAt)).toBeLessThan(5_000)
  expect(seen.unread).toHaveLength(unknown?.checks ?? 0)
  for (const { checkId } of seen.unread)
    await it.app.commands.run({ accountId, operation: 'listFlips', params: { id: checkId } })
  const read = await it.app.commands.outages(week)
  expect(read.gaps).toEqual([])
  expect(listed(read, 'search-reindex')).toMatchObject([{ kind: 'possible', minutes: 30 }])
  expect(listed(read, 'cert-renew')).toEqual([renewed])

  // The log shows that it was down, and a page's numbers are those of the list.
  const reindexed = read.outages.find(({ name }) => name === 'search-reindex')
  const checkId = reindexed?.checkId ?? ''
  await it.app.commands.run({ accountId, operation: 'listPings', params: { uuid: checkId } })
  const logged = await it.app.commands.outages(week)
  expect(listed(logged, 'search-reindex')).toMatchObject([{ kind: 'down', minutes: 30 }])

  // What was recorded of a check outlasts it.
  const renewal = read.outages.find(({ name }) => name === 'cert-renew')?.checkId ?? ''
  await it.app.commands.run({ accountId, operation: 'deleteCheck', params: { uuid: renewal } })
  await pass(3_000)

  const again = await it.restart()
  await pass(3_000)
  requests = 0
  const later = await again.app.commands.outages(week)
  expect(requests).toBe(0)
  expect(later.gaps.filter(({ why }) => why === 'unread')).toEqual([])
  for (const name of ['cert-renew', 'search-reindex'])
    expect(listed(later, name)).toEqual(listed(logged, name))
  await again.app.stop()
})

test('an outage that no list showed is listed once its flips are read', async () => {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const it = await startApp({ world })
  await it.app.commands.addAccount(world.newAccounts.ops)
  await pass(3_000)
  await it.app.stop()
  const { controls } = world.ops
  await pass(hour)
  controls.ping('cert-renew', 'fail')
  await pass(20 * minute)
  controls.ping('cert-renew', 'success')
  await pass(hour)
  const again = await it.restart()
  await pass(2 * minute)
  const { outages, gaps } = await again.app.commands.outages({ from: Date.now() - day, words: '' })
  const own = outages.filter(({ name }) => name === 'cert-renew')
  expect(own).toMatchObject([{ kind: 'down', isOver: true }])
  expect(gaps.filter(({ why }) => why === 'owed')).toEqual([])
  await again.app.stop()
})
