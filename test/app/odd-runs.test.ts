import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { anyRule, defaultAttention } from '../../src/shared/core/attention/rules.ts'
import { actionsFor } from '../../src/shared/core/views/notice-actions.ts'
import type { RunningApp } from '../support/app.ts'
import { inTime, snoozed, toldOf, watching } from '../support/watched-job.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

type Job = Awaited<ReturnType<typeof watching>>

/** A run, and some minutes until the next one. */
async function run({ ops, name }: Job, seconds: number, hasStart = true): Promise<void> {
  if (hasStart) ops.ping(name, 'start')
  await pass(seconds * second)
  ops.ping(name, 'success')
  await pass(8 * minute)
}

/** A job whose runs take two minutes, as the app has learned. */
async function learned(): Promise<Job> {
  const job = await watching()
  for (let runs = 0; runs < 12; runs += 1) await run(job, 120)
  expect(listed(job.it)).toEqual([])
  return job
}

const told = ({ it, name }: Job) => toldOf(it, name).map(({ title, body }) => `${title}: ${body}`)

/** What the app's own list has of odd runs, oldest first. */
const listed = ({ app }: RunningApp) =>
  app.state.notices
    .filter(({ kind }) => ['tooShort', 'tooLong', 'noStart'].includes(kind))
    .map(({ kind, outcome }) => `${kind} ${outcome}`)
    .toReversed()

describe('a run that is not as usual', () => {
  test('is told if it ended too soon, with what is usual under “Why?”', async () => {
    const job = await learned()
    await run(job, 5)
    expect(told(job)).toEqual([
      expect.stringMatching(/^job-\d+ ended sooner than usual: took 5 s · usually 2 min · ops/),
    ])
    expect(job.it.app.state.notices[0]?.reasons.map(({ text }) => text)).toEqual([
      'This run took 5 s, less than a tenth of the median, and than half of what nine of ten took. Its last 12 runs that ended well took 2 min at the median, eight of ten of them 2 min to 2 min.',
      'Your default for “Run ends too soon”: notification.',
    ])
    await run(job, 4)
    expect(listed(job.it)).toEqual(['tooShort shown'])
  })

  test('is told while it takes too long, once, also across a restart', async () => {
    const job = await learned()
    job.ops.ping(job.name, 'start')
    await pass(5 * minute)
    expect(told(job)).toEqual([])
    await pass(3 * minute)
    expect(told(job)).toEqual([
      expect.stringMatching(/^job-\d+ is running longer than usual: for at least 6 min/),
    ])
    const it = await job.it.restart()
    await pass(90 * second)
    job.ops.ping(job.name, 'success')
    await pass(10 * minute)
    expect(toldOf(it, job.name)).toEqual([])
    expect(listed(it)).toEqual(['tooLong shown'])
  })

  test('is corrected on the screen and in the list when it ends, also after a restart', async () => {
    const job = await learned()
    const title = () => job.it.app.state.notices[0]?.title
    job.ops.ping(job.name, 'start')
    await pass(8 * minute)
    expect(title()).toBe(`${job.name} is running longer than usual`)
    expect(job.it.desktop.replaced).toEqual([])
    job.ops.ping(job.name, 'success')
    await pass(2 * minute)
    expect(title()).toBe(`${job.name} ran longer than usual`)
    const [shown] = job.it.desktop.notices.slice(-1)
    const [replaced, ...others] = job.it.desktop.replaced
    expect(others).toEqual([])
    expect(replaced).toMatchObject({ subject: shown!.subject, sound: false, title: title() })
    expect(replaced!.body).toMatch(/^took 8 min · usually 2 min · ops/)
    await run(job, 120)
    job.ops.ping(job.name, 'start')
    await pass(8 * minute)
    expect(title()).toBe(`${job.name} is running longer than usual`)
    await job.it.app.stop()
    job.ops.ping(job.name, 'success')
    const it = await job.it.restart()
    await pass(90 * second)
    expect(it.app.state.notices[0]?.title).toBe(`${job.name} ran longer than usual`)
    expect(it.bugs).toEqual([])
  })

  test('is not said to have taken as long as a later run', async () => {
    const job = await learned()
    job.ops.ping(job.name, 'start')
    await pass(8 * minute)
    await job.it.app.stop()
    job.ops.ping(job.name, 'success')
    await pass(minute)
    await run(job, 90)
    const it = await job.it.restart()
    await pass(90 * second)
    const { title, body } = it.app.state.notices[0]!
    expect(title).toBe(`${job.name} ran longer than usual`)
    expect(body).toMatch(/^took at least \d+ min \d+ s · usually 2 min · ops/)
  })

  test('can be snoozed on its notification, but not with its whole project', async () => {
    const job = await learned()
    await run(job, 5)
    const [shown] = job.it.desktop.notices.slice(-1)
    expect(actionsFor(shown!).map(({ label }) => label)).toEqual(['Snooze 1 h'])
    const ofSeveral = { ...shown!, target: { view: 'checks' } as const }
    expect(actionsFor(ofSeveral)).toEqual([])
    await job.it.app.noticeAction(shown!, 'snooze')
    await pass(second)
    expect(job.it.app.state.silences).toMatchObject([{ how: 'snooze', label: job.name }])
  })

  test('is listed if it ended without the start signal that it always had', async () => {
    const job = await learned()
    await run(job, 120, false)
    await run(job, 120, false)
    expect(told(job)).toEqual([])
    expect(listed(job.it)).toEqual(['noStart tray'])
  })

  test('is one beyond the limits of a rule, from the first on, with these under “Why?”', async () => {
    const job = await watching()
    const rule = { ...anyRule, id: 'own', kinds: ['tooLong', 'tooShort'] as const, tag: 'staging' }
    const limits = { longerMinutes: 4, shorterMinutes: 1 }
    const rules = [{ ...rule, kinds: [...rule.kinds], ...limits }]
    await job.it.app.commands.updateSettings({ attention: { ...defaultAttention, rules } })
    await run(job, 120)
    await run(job, 30)
    await run(job, 120)
    job.ops.ping(job.name, 'start')
    await pass(6 * minute)
    expect(told(job).map((text) => text.split(' · ')[0])).toEqual([
      `${job.name} ended sooner than usual: took 30 s`,
      expect.stringMatching(/ is running longer than usual: for at least (4|5) min/),
    ])
    expect(job.it.app.state.notices[0]?.reasons[0]?.text).toMatch(
      /; you set “longer than 4 min”\.$/,
    )
    const never = [{ ...rule, kinds: [...rule.kinds], longerMinutes: 0, shorterMinutes: 0 }]
    await job.it.app.commands.updateSettings({ attention: { ...defaultAttention, rules: never } })
    job.ops.ping(job.name, 'success')
    for (let runs = 0; runs < 10; runs += 1) await run(job, 120)
    await run(job, 3)
    expect(told(job)).toHaveLength(2)
  })

  test('is told as the rules say, and not while it is snoozed', async () => {
    const job = await learned()
    const { ways } = defaultAttention
    const attention = { ...defaultAttention, ways: { ...ways, noStart: 'nothing' as const } }
    await job.it.app.commands.updateSettings({ attention })
    await run(job, 120, false)
    await snoozed(job.it, job.scope, inTime(180 * minute))
    await run(job, 3)
    expect(told(job)).toEqual([])
    expect(listed(job.it)).toEqual(['noStart silent', 'tooShort silent'])
  })
})
