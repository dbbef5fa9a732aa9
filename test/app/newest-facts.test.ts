import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import { defaultAttention } from '../../src/shared/core/attention/rules.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { inTime, scopeOf } from '../support/watched-job.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const clockTime = (at: number) => new Date(at).toTimeString().slice(0, 5)
const told = (notices: readonly Notice[]) => notices.map(({ title, body }) => [title, body])

/** What can hold back for 20 minutes that a job is down; for one, `gateway` is down meanwhile. */
const holds = {
  'a rule against short outages': ({ app }) =>
    app.commands.updateSettings({ attention: { ...defaultAttention, afterMinutes: 20 } }),
  'do not disturb': ({ app }) =>
    app.commands.silence({ how: 'mute', scope: { of: 'everything' }, until: inTime(20 * minute) }),
  'quiet hours': ({ app }) => {
    const [from, to] = [Date.now(), Date.now() + 20 * minute].map(clockTime)
    const window = { days: [0, 1, 2, 3, 4, 5, 6], from: from!, to: to! }
    const quietHours = { ...defaultAttention.quietHours, enabled: true, windows: [window] }
    return app.commands.updateSettings({ attention: { ...defaultAttention, quietHours } })
  },
  'an outage of what it depends on': (it, name, gateway) => {
    const { of: _check, ...on } = scopeOf(it, gateway)
    return it.app.commands.addDependency({ scope: scopeOf(it, name), on })
  },
} satisfies Record<string, (it: RunningApp, name: string, gateway: string) => Promise<unknown>>
const whys = Object.keys(holds) as (keyof typeof holds)[]

/** A job that went down a minute ago, which is held back; everything else is muted. */
async function heldBack(why: keyof typeof holds) {
  const flips = { fail: false }
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const { controls } = world.ops
  controls.addChecks(2)
  const it = await startApp({
    world,
    transport: async (request, signal) => {
      if (!flips.fail || !request.url.includes('/flips/')) return world.transport(request, signal)
      throw new RequestFailed({ kind: 'network', reason: 'timeout', host: '', reached: 'maybe' })
    },
  })
  await it.app.commands.addAccount(world.newAccounts.ops)
  await pass(3 * second)
  const [name, gateway] = controls.names().filter((one) => one.startsWith('job-'))
  for (const other of controls.names().filter((one) => one !== name))
    await it.app.commands.silence({
      how: 'mute',
      scope: scopeOf(it, other),
      until: { kind: 'ever' },
    })
  await holds[why](it, name!, gateway!)
  controls.ping(gateway!, 'fail')
  await pass(minute)
  controls.ping(name!, 'fail')
  await pass(minute)
  return { it, name: name!, gateway: gateway!, controls, flips }
}

test.each(whys)(
  'an outage that %s held back over a restart is told with the facts of the newest read',
  async (why) => {
    const { it, name, gateway, controls, flips } = await heldBack(why)
    await it.app.stop()
    await pass(10 * minute)
    controls.ping(name, 'success')
    await pass(second)
    controls.ping(name, 'fail')
    const failedAt = clockTime(Date.now())
    await pass(14 * minute)
    controls.ping(gateway, 'success')
    flips.fail = true
    const later = await it.restart()
    await pass(3 * minute)
    expect(told(later.desktop.notices)).toEqual([
      [`${name} is down`, expect.stringMatching(`^(The last ping came|Failed) at ${failedAt}`)],
    ])
    await later.app.stop()
  },
)

test.each(whys)(
  'an outage that %s held back is told as it was read last, and corrected on the screen when flips tell more',
  async (why) => {
    const { it, name, gateway, controls, flips } = await heldBack(why)
    flips.fail = true
    await pass(12 * minute)
    controls.ping(name, 'success')
    await pass(second)
    controls.ping(name, 'fail')
    const failedAt = clockTime(Date.now())
    await pass(4 * minute)
    controls.ping(gateway, 'success')
    await pass(5 * minute)
    expect(told(it.desktop.notices)).toEqual([
      [`${name} is down`, expect.stringContaining(`Failed at ${failedAt} · down for `)],
    ])
    flips.fail = false
    await pass(6 * minute)
    expect(it.desktop.notices).toHaveLength(1)
    const corrected = `Failed at ${failedAt} · down for 10 min · expected every hour`
    expect(told(it.desktop.replaced)).toEqual([
      [`${name} is down`, expect.stringContaining(corrected)],
    ])
    await it.app.stop()
  },
)
