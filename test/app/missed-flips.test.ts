import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { defaultAttention } from '../../src/shared/core/attention/rules.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { type RunningApp, startApp } from '../support/app.ts'

const minute = 60_000

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Nobody pings the demo’s own checks, so they go down in time; the tests use these jobs. */
async function connected(service: 'ops' | 'web', jobs = 2) {
  const it = await startApp()
  it.world[service].controls.addChecks(jobs)
  await it.app.commands.addAccount(it.world.newAccounts[service])
  await pass(3_000)
  return it
}

const boardOf = ({ app }: RunningApp) => [...app.state.boards.values()][0]!
const jobsOf = (it: RunningApp) =>
  [...boardOf(it).checks.values()].map(({ name }) => name).filter((name) => name.startsWith('job-'))
const told = ({ desktop }: RunningApp) =>
  desktop.notices
    .filter(({ title, body }) => `${title} ${body}`.includes('job-'))
    .map(({ kind, title }) => [kind, title])

/** Goes down and up again within one poll interval, like a failure that is retried at once. */
async function downAndUp(it: RunningApp, names: readonly string[], service: 'ops' | 'web' = 'ops') {
  const { controls } = it.world[service]
  for (const name of names) controls.ping(name, 'fail')
  await pass(5_000)
  for (const name of names) controls.ping(name, 'success')
}

/** Somebody else changes a check. */
function request(it: RunningApp, method: 'POST' | 'DELETE', name: string, what = '') {
  const { uuid } = it.world.ops.controls.check(name)
  return it.world.handle(
    {
      method,
      url: `${it.world.bases.ops}/api/v3/checks/${uuid}${what}`,
      headers: { 'x-api-key': it.world.keys.get('demo-ops')! },
      body: null,
    } as never,
    new AbortController().signal,
  )
}

describe('a check that went down and up again between two polls', () => {
  test('is reported once, silently, and not again after a restart', async () => {
    const it = await connected('ops')
    const [name] = jobsOf(it)
    await pass(2 * minute)
    await downAndUp(it, [name!])
    await pass(3 * minute)
    expect(told(it)).toEqual([['missed', expect.stringContaining(`${name} was down for 5 s at`)]])
    expect(it.desktop.notices.find(({ kind }) => kind === 'missed')?.sound).toBe(false)
    const later = await it.restart()
    await pass(5 * minute)
    expect(told(later)).toEqual([])
    expect(later.bugs).toEqual([])
    await later.app.stop()
  })

  test('stays on the screen beside what is told of the check later', async () => {
    const it = await connected('ops')
    const [name] = jobsOf(it)
    await pass(2 * minute)
    await downAndUp(it, [name!])
    await pass(3 * minute)
    it.world.ops.controls.ping(name!, 'fail')
    await pass(2 * minute)
    expect(told(it).map(([kind]) => kind)).toEqual(['missed', 'down'])
    const [missed, down] = it.desktop.notices.filter(({ title }) => title.includes(name!))
    expect(down!.subject).not.toBe(missed!.subject)
    expect(it.desktop.withdrawn).not.toContain(missed!.subject)
    await it.app.stop()
  })

  test('while the app was not running is reported after the start', async () => {
    const it = await connected('ops')
    const names = jobsOf(it).slice(0, 2)
    await pass(2 * minute)
    await it.app.stop()
    await downAndUp(it, names)
    await pass(20 * minute)
    const later = await it.restart()
    await pass(2 * minute)
    // Three others went down for good meanwhile and come first, so these share one notification.
    expect(told(later)).toEqual([['missed', '2 checks went down and recovered in ops-project']])
    const again = await later.restart()
    await pass(3 * minute)
    expect(told(again)).toEqual([])
    await again.app.stop()
  })

  test('isn’t reported if notifications of missed outages are off', async () => {
    const it = await connected('ops')
    await it.app.commands.updateSettings({
      attention: { ...defaultAttention, ways: { ...defaultAttention.ways, missed: 'nothing' } },
    })
    await pass(minute)
    await downAndUp(it, jobsOf(it).slice(0, 1))
    await pass(3 * minute)
    expect(told(it)).toEqual([])
    await it.app.stop()
  })

  test('is reported as “possibly down” if a read-only key can’t tell which', async () => {
    const it = await connected('web')
    const [name] = jobsOf(it)
    await pass(2 * minute)
    await downAndUp(it, [name!], 'web')
    await pass(3 * minute)
    expect(told(it)).toEqual([['missed', expect.stringContaining(`${name} was possibly down`)]])
    await it.app.stop()
  })

  test('and was seen down by a poll is reported as usual, and not again', async () => {
    const it = await connected('ops')
    const [name] = jobsOf(it)
    it.world.ops.controls.ping(name!, 'fail')
    await pass(90_000)
    it.world.ops.controls.ping(name!, 'success')
    it.world.ops.controls.ping(name!, 'success')
    await pass(5 * minute)
    const later = await it.restart()
    await pass(5 * minute)
    expect(told(it).map(([kind]) => kind)).toEqual(['down', 'recovered'])
    expect(told(later)).toEqual([])
    await later.app.stop()
  })

  test('and was told as down before a restart is not told once more, though another check was deleted', async () => {
    const it = await connected('ops')
    const [name, other] = jobsOf(it)
    await pass(2 * minute)
    await request(it, 'DELETE', other!)
    await pass(30 * minute)
    it.world.ops.controls.ping(name!, 'fail')
    await pass(5 * minute)
    await it.app.stop()
    for (let n = 0; n < 4; n += 1) {
      it.world.ops.controls.ping(name!, 'success')
      await pass(2 * minute)
    }
    const later = await it.restart()
    await pass(10 * minute)
    expect(told(it).map(([kind]) => kind)).toEqual(['down'])
    expect(told(later).map(([kind]) => kind)).toEqual(['recovered'])
    await later.app.stop()
  })

  test('and recovered just before a crash isn’t reported again', async () => {
    const it = await connected('ops')
    const [name] = jobsOf(it)
    await pass(42_000)
    it.world.ops.controls.ping(name!, 'fail')
    await pass(30_000)
    const looks = it.disk.read('looks')
    it.world.ops.controls.ping(name!, 'success')
    it.world.ops.controls.ping(name!, 'success')
    await pass(90_000)
    await it.app.stop()
    // The crash lost what was not written yet.
    await it.disk.write('looks', looks)
    const later = await startApp(it)
    await pass(5 * minute)
    expect(told(it).map(([kind]) => kind)).toEqual(['down', 'recovered'])
    expect(told(later)).toEqual([])
    await later.app.stop()
  })

  test('and is up again in the read before a crash is reported after the start', async () => {
    const it = await connected('ops')
    const [name] = jobsOf(it)
    const { controls } = it.world.ops
    controls.ping(name!, 'fail')
    await pass(45_000)
    await it.app.stop()
    const looks = it.disk.read('looks')
    // The crash comes before the flips are read.
    const flipless = await startApp({
      ...it,
      transport: async (request, signal) =>
        request.url.includes('/flips/')
          ? Promise.reject(
              new RequestFailed({ kind: 'network', reason: 'timeout', host: '', reached: 'maybe' }),
            )
          : it.world.transport(request, signal),
    })
    await pass(minute)
    controls.ping(name!, 'success')
    await downAndUp(it, [name!])
    await pass(2_000)
    controls.ping(name!, 'success')
    await pass(minute)
    await flipless.app.stop()
    await it.disk.write('looks', looks)
    expect(told(flipless).map(([kind]) => kind)).toEqual(['recovered'])
    const later = await startApp(it)
    await pass(2 * minute)
    expect(told(later)).toEqual([
      ['missed', expect.stringContaining(`${name} was down for 5 s at`)],
    ])
    await later.app.stop()
  })
})

test.each([false, true])(
  'a check that is down at two polls, and was up between them, is down again in one notice at once (acknowledged: %s)',
  async (isAcknowledged) => {
    const it = await connected('ops')
    const [name] = jobsOf(it)
    const { controls } = it.world.ops
    controls.ping(name!, 'fail')
    await pass(2 * minute)
    const { accountId } = boardOf(it)
    const scope = { of: 'check' as const, accountId, checkId: controls.check(name!).uniqueKey }
    if (isAcknowledged)
      await it.app.commands.silence({ how: 'acknowledge', scope, until: { kind: 'change' } })
    controls.ping(name!, 'success')
    await pass(1_000)
    controls.ping(name!, 'fail')
    await pass(30_000)
    expect(told(it)).toEqual([
      ['down', `${name} is down`],
      ['down', `${name} is down again (was up for at most 1 min)`],
    ])
    expect(it.app.state.silences).toEqual([])
    await pass(20 * minute)
    expect(told(it)).toHaveLength(2)
    await it.app.stop()
  },
)

test('an acknowledgement of what a read showed as down outlasts the news that it was up before', async () => {
  const before = await connected('ops')
  const [name] = jobsOf(before)
  const { controls } = before.world.ops
  controls.ping(name!, 'fail')
  await pass(2 * minute)
  await before.app.stop()
  let held: Promise<void> | null = null
  const it = await startApp({
    ...before,
    transport: async (request, signal) => {
      if (request.url.includes('/flips/')) await held
      return before.world.transport(request, signal)
    },
  })
  await pass(minute)
  const answer = Promise.withResolvers<void>()
  held = answer.promise
  controls.ping(name!, 'success')
  await pass(1_000)
  controls.ping(name!, 'fail')
  await pass(30_000)
  const { accountId } = boardOf(it)
  const scope = { of: 'check' as const, accountId, checkId: controls.check(name!).uniqueKey }
  await it.app.commands.silence({ how: 'acknowledge', scope, until: { kind: 'change' } })
  await pass(1_000)
  answer.resolve()
  await pass(2 * minute)
  expect(it.app.state.silences).toHaveLength(1)
  expect(told(it)).toEqual([])
  expect(it.app.state.notices.map(({ title }) => title)).toContain(
    `${name} is down again (was up for at most 1 min)`,
  )
  controls.ping(name!, 'success')
  await pass(minute)
  expect(told(it)).toEqual([['recovered', `${name} is up again`]])
  expect(it.app.state.silences).toEqual([])
  await it.app.stop()
})

test('an acknowledgement of a newer outage than the lookup is owed for outlasts it, also over a restart', async () => {
  const before = await connected('ops')
  const [name] = jobsOf(before)
  const { controls } = before.world.ops
  let fails = false
  const around: Parameters<typeof startApp>[0] = {
    ...before,
    transport: async (request, signal) => {
      if (fails && request.url.includes('/flips/'))
        throw new RequestFailed({ kind: 'network', reason: 'timeout', host: '', reached: 'maybe' })
      return before.world.transport(request, signal)
    },
  }
  const upAndDown = async () => {
    controls.ping(name!, 'success')
    await pass(1_000)
    controls.ping(name!, 'fail')
    await pass(minute)
  }
  await before.app.stop()
  const it = await startApp(around)
  await pass(minute)
  controls.ping(name!, 'fail')
  await pass(2 * minute)
  fails = true
  await upAndDown()
  await pass(2 * minute)
  // Reads go on to show it as down in this one, before the flips tell that it is a new outage.
  await upAndDown()
  const { accountId } = boardOf(it)
  const scope = { of: 'check' as const, accountId, checkId: controls.check(name!).uniqueKey }
  await it.app.commands.silence({ how: 'acknowledge', scope, until: { kind: 'change' } })
  await pass(3 * minute)
  await it.app.stop()
  const later = await startApp(around)
  await pass(3 * minute)
  expect(told(later)).toEqual([])
  fails = false
  await pass(6 * minute)
  expect(boardOf(later).missed.pending.size).toBe(0)
  expect(later.app.state.silences).toHaveLength(1)
  expect(told(later)).toEqual([])
  await upAndDown()
  expect(later.app.state.silences).toEqual([])
  expect(told(later).map(([kind]) => kind)).toEqual(['down'])
  await later.app.stop()
})

test('a check that was paused and came up again between two polls had no outage', async () => {
  const it = await connected('ops')
  const [name] = jobsOf(it)
  const act = (what: 'pause' | 'resume') => request(it, 'POST', name!, `/${what}`)
  await pass(2 * minute)
  const asked = vi.spyOn(it.world.ops, 'handle')
  // Someone else pauses it; its next pings end that, first on their own, then after a resume.
  await act('pause')
  await pass(2_000)
  it.world.ops.controls.ping(name!, 'success')
  it.world.ops.controls.ping(name!, 'success')
  await pass(3 * minute)
  await act('pause')
  await act('resume')
  it.world.ops.controls.ping(name!, 'success')
  it.world.ops.controls.ping(name!, 'success')
  await pass(3 * minute)
  const { uniqueKey } = it.world.ops.controls.check(name!)
  expect(asked.mock.calls.map(([{ url }]) => url)).toContainEqual(
    expect.stringContaining(`/checks/${uniqueKey}/flips/`),
  )
  expect(told(it)).toEqual([])
  await it.app.stop()
})

test('40 checks that did so while the app was not running are read over several polls and share one notification', async () => {
  const it = await connected('ops', 40)
  const names = jobsOf(it)
  await pass(minute)
  await it.app.stop()
  await downAndUp(it, names)
  await pass(minute)
  const later = await it.restart()
  await pass(10_000)
  expect(told(later)).toEqual([])
  await pass(8 * minute)
  expect(told(later)).toEqual([
    ['missed', expect.stringMatching(/^40 checks went down and recovered/)],
  ])
  expect(later.bugs).toEqual([])
  const again = await later.restart()
  await pass(5 * minute)
  expect(told(again)).toEqual([])
  await again.app.stop()
})
