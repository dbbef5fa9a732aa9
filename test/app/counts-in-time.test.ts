import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { defaultAttention } from '../../src/shared/core/attention/rules.ts'
import {
  board,
  count,
  givenUp,
  isDown,
  minute,
  names,
  pass,
  says,
  second,
  secondsUntil,
  shape,
  type Watching,
  watching,
} from '../support/counts-only.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const [job, other] = names

/** Until a poll is due within the next 2 s. */
async function untilPoll(it: Watching): Promise<void> {
  await secondsUntil(() => {
    const leftMs = (board(it).freshness.nextAt ?? 0) - Date.now()
    return leftMs > 0 && leftMs < 2 * second
  }, 60)
}

/** Someone goes through pages that have to be read. */
function look(it: Watching, times: number): void {
  for (let left = times; left > 0; left -= 1)
    void it.app.commands
      .run({ accountId: it.accountId, operation: 'listIntegrations', params: {} })
      .catch(() => undefined)
}

const jobTitles = ({ desktop }: Watching) =>
  desktop.notices.flatMap(({ title }) => (title.includes('job-') ? title : []))
const idOf = (it: Watching, name: string) =>
  [...board(it).checks.values()].find((check) => check.name === name)?.id ?? ''

async function secondsToRefresh(it: Watching): Promise<number> {
  const since = Date.now()
  await it.app.commands.refresh({ accountId: null })
  return secondsUntil(() => (board(it).freshness.readAt ?? 0) >= since, 90)
}

describe('the counts of a project', () => {
  test('are not waited for by a refresh, while other requests come first', async () => {
    const it = await watching()
    await pass(3 * minute)
    await untilPoll(it)
    look(it, 46)
    await pass(4 * second)
    expect(await secondsToRefresh(it)).toBeLessThanOrEqual(5)
    await it.app.stop()
  })

  test('are not waited for by a refresh, nor for long, where their address does not come', async () => {
    const it = await watching({ minutes: null })
    it.around.badges = (reply, _request, signal) =>
      new Promise((resolve, reject) => {
        setTimeout(() => resolve(reply), 19 * second)
        signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    await it.app.commands.setWholeReads({ accountId: it.accountId, minutes: 10 })
    await pass(2 * second)
    expect(count(it, 'badges')).toBe(1)
    expect(await secondsToRefresh(it)).toBeLessThanOrEqual(5)
    await pass(6 * second)
    it.around.asked.length = 0
    await pass(minute)
    expect(it.around.asked.slice(0, 2)).toEqual(['checks', 'badges'])
    await it.app.stop()
  })

  test('delay no alarm and leave the icon as it is, while other requests come first', async () => {
    const it = await watching()
    await pass(3 * minute)
    look(it, 50)
    await pass(second)
    await secondsToRefresh(it)
    await pass(10 * second)
    it.controls.ping(job, 'fail')
    const shapes = new Set<string | undefined>()
    const took = await secondsUntil(() => {
      shapes.add(shape(it))
      return isDown(it, job)
    }, 120)
    expect(took).toBeLessThanOrEqual(60)
    expect(shapes).toEqual(new Set(['good', 'down']))
    expect(board(it).wire?.givenUp).toBeUndefined()
    await it.app.stop()
  })

  test('that are refused right after a list are waited for like it', async () => {
    const it = await watching()
    await pass(3 * minute)
    it.around.badge = says(429, '', { 'retry-after': '200' })
    await it.app.commands.refresh({ accountId: null })
    await pass(2 * second)
    expect(board(it).freshness.failure).toEqual({ kind: 'rateLimited', retryAfterMs: 200_000 })
    it.around.asked.length = 0
    await pass(190 * second)
    expect(it.around.asked).toEqual([])
    await it.app.stop()
  })

  test('delay no alarm in a storm', async () => {
    const it = await watching({ many: 200 })
    await pass(3 * minute)
    const all = it.controls.names()
    await untilPoll(it)
    for (const name of all.slice(0, 50)) it.controls.ping(name, 'fail')
    await secondsUntil(() => isDown(it, all[0] ?? ''), 60)
    for (const name of all.slice(100, 103)) {
      await pass(3 * second)
      it.controls.ping(name, 'fail')
      expect(await secondsUntil(() => isDown(it, name), 300)).toBeLessThanOrEqual(30)
    }
    await it.app.stop()
  })
})

describe('what is told by time alone', () => {
  test('is only what is still so, where outages of some minutes are ignored', async () => {
    const it = await watching({ minutes: 60 })
    await it.app.commands.updateSettings({ attention: { ...defaultAttention, afterMinutes: 10 } })
    await pass(minute)
    it.controls.ping(job, 'fail')
    await pass(3 * minute)
    it.controls.ping(job, 'success')
    it.controls.ping(other, 'fail')
    await pass(15 * minute)
    expect(jobTitles(it)).toEqual([`${other} is down`])
    await it.app.stop()
  })

  test('is only what is still so at the end of a snooze, and comes in time', async () => {
    for (const swap of [true, false]) {
      const it = await watching({ minutes: 60 })
      it.controls.ping(job, 'fail')
      await pass(2 * minute)
      const { accountId } = it
      await it.app.commands.silence({
        how: 'snooze',
        scope: { of: 'check', accountId, checkId: idOf(it, job) },
        until: { kind: 'time', at: Date.now() + 30 * minute },
      })
      await pass(5 * minute)
      if (swap) {
        it.controls.ping(job, 'success')
        it.controls.ping(other, 'fail')
      }
      await pass(25 * minute + 2 * second)
      expect(jobTitles(it).includes(`${job} is still down`)).toBe(!swap)
      await it.app.stop()
    }
  })
})

test('a check that others depend on is read at each poll while it is paused', async () => {
  const it = await watching({ minutes: 30 })
  const { accountId, controls, table, world } = it
  await it.app.commands.addDependency({
    scope: { of: 'check', accountId, checkId: idOf(it, other) },
    on: { accountId, checkId: idOf(it, job) },
  })
  const uuid = [...table.checks.values()].find(({ fields }) => fields.name === job)?.uuid ?? ''
  const elsewhere = (what: 'pause' | 'resume') =>
    world.transport(
      {
        method: 'POST',
        url: `${world.newAccounts.web.baseUrl}/api/v3/checks/${uuid}/${what}`,
        headers: { 'x-api-key': table.readWriteKey },
        body: null,
        deadlineMs: second,
        maxBytes: 100_000,
      },
      new AbortController().signal,
    )
  controls.ping(job, 'fail')
  await pass(3 * minute)
  await elsewhere('pause')
  await pass(2 * minute)
  controls.ping(other, 'fail')
  await pass(3 * minute)
  expect(jobTitles(it)).toEqual([`${job} is down`])
  await elsewhere('resume')
  controls.ping(job, 'success')
  const isTold = () => jobTitles(it).includes(`${other} is down`)
  expect(await secondsUntil(isTold, 40 * 60)).toBeLessThanOrEqual(2 * 60 + 10)
  await it.app.stop()
})

test('a badge out of a cache changes nothing of what is known of the server’s clock', async () => {
  const it = await watching()
  // Too slow for its date to tell.
  it.around.list = (reply) =>
    new Promise((resolve) => {
      setTimeout(() => resolve(reply), 6 * second)
    })
  await pass(3 * minute)
  it.around.badge = (reply) => ({
    ...reply,
    headers: { ...reply.headers, date: new Date(Date.now() - 5 * minute).toUTCString() },
  })
  for (let left = 400; left > 0; left -= 1) {
    await pass(second)
    const { serverOffsetMs, freshness } = board(it)
    expect([Math.round(serverOffsetMs / minute), freshness.failure]).toEqual([0, null])
  }
  await it.app.stop()
})

test('the counts of a project are no longer asked for, with a reason, if a check can’t be read', async () => {
  const it = await watching()
  it.around.list = (reply) => {
    const value = JSON.parse(new TextDecoder().decode(reply.body)) as { checks: unknown[] }
    value.checks[0] = { name: job }
    return { ...reply, body: new TextEncoder().encode(JSON.stringify(value)) }
  }
  await it.app.commands.refresh({ accountId: null })
  await pass(10 * minute)
  expect(count(it, 'checks')).toBeGreaterThan(8)
  expect(givenUp(it)).toBe('odd')
  it.around.list = (reply) => reply
  const { accountId } = it
  await it.app.commands.setWholeReads({ accountId, minutes: null })
  await pass(0)
  await it.app.commands.setWholeReads({ accountId, minutes: 10 })
  await pass(5 * second)
  expect(givenUp(it)).toBeUndefined()
  it.around.asked.length = 0
  await pass(5 * minute)
  expect(count(it, 'checks')).toBe(0)
  await it.app.stop()
})

test('a night in which all checks reported is no reason to give their counts up', async () => {
  const it = await watching({ many: 400 })
  await pass(3 * minute)
  await it.app.stop()
  for (let left = 3; left > 0; left -= 1) {
    await pass(60 * minute)
    for (const name of it.controls.names()) it.controls.ping(name, 'success')
  }
  const next = await it.restart()
  await pass(25 * minute)
  const { wire, freshness } = next.app.state.boards.get(it.accountId) ?? {}
  expect(wire?.givenUp).toBeUndefined()
  expect(freshness?.seenAt).toBeDefined()
  await next.app.stop()
})

test('an outage that only the history shows is told within twice the chosen minutes and five more', async () => {
  const it = await watching({ many: 190 })
  const all = it.controls.names()
  const last = all.at(-1) ?? ''
  await pass(3 * minute)
  await it.app.commands.refresh({ accountId: null })
  await pass(2 * second)
  it.controls.ping(last, 'fail')
  await pass(second)
  it.controls.ping(last, 'success')
  let passed = 0
  const took = await secondsUntil(() => {
    // Each job runs once in three minutes.
    if (passed % 180 === 0) for (const name of all) it.controls.ping(name, 'success')
    passed += 1
    return jobTitles(it).some((title) => title.includes(last))
  }, 30 * 60)
  expect(took).toBeLessThanOrEqual(25 * 60)
  await it.app.stop()
})
