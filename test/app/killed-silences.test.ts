import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type RunningApp, startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'
import { inTime, snoozed, watching } from '../support/watched-job.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** What happens reaches the disk, but for one document; then the app is killed, and started again. */
async function killedBefore(it: RunningApp, document: string, happens: () => Promise<unknown>) {
  const { write } = it.disk
  const { promise, resolve } = Promise.withResolvers<void>()
  it.disk.write = (name, value) => (name === document ? promise : write(name, value))
  await happens()
  const disk = fakeDisk()
  for (const [name, text] of it.disk.documents) disk.documents.set(name, text)
  resolve()
  await it.app.stop()
  const { world, vault } = it
  return startApp({ world, vault, disk })
}

test('a kill as a snooze expires in a quiet time does not lose its reminder', async () => {
  const { it, name, scope, ops } = await watching()
  ops.ping(name, 'fail')
  await pass(2 * minute)
  await snoozed(it, scope, inTime(15 * minute))
  await it.app.commands.silence({ how: 'mute', scope: { of: 'everything' }, until: inTime(hour) })
  await pass(14 * minute)
  const later = await killedBefore(it, 'marks', () => pass(2 * minute))
  await pass(hour)
  const [digest] = later.desktop.notices
  expect(digest?.lines.map(({ text }) => text)).toContain(`${name} is still down`)
  await later.app.stop()
})

test('a kill as a planned maintenance begins does not lose it', async () => {
  const { it, scope } = await watching()
  const from = Date.now() + 5 * minute
  const when = { of: 'once', from, until: from + hour } as const
  await it.app.commands.planMaintenance({ scope, when })
  const later = await killedBefore(it, 'silences', () => pass(6 * minute))
  await pass(second)
  expect(later.app.state.silences).toMatchObject([{ how: 'maintenance' }])
  await later.app.stop()
})

test.each([true, false])('a kill as 👀 comes (%s) or goes does not lose that', async (comes) => {
  const { it, name, ops } = await watching()
  const { realm } = it.world
  await it.app.commands.addAccount(it.world.newAccounts.chat)
  ops.ping(name, 'fail')
  await pass(2 * minute)
  const link = `https://ops.demo.invalid/cloaked/${ops.check(name).uniqueKey}/`
  const to = `ops > ${name} is DOWN`
  const messageId = realm.controls.say({
    from: 'Monitoring',
    to,
    text: `[${name}](${link}) is **DOWN**.`,
  })
  await pass(2 * second)
  const react = async (present: boolean) => {
    realm.controls.react({ from: 'Ana', messageId, name: 'eyes', present })
    await pass(2 * second)
  }
  if (!comes) await react(true)
  const later = await killedBefore(it, 'silences', () => react(comes))
  await pass(minute)
  expect(later.app.state.silences.map(({ by }) => by)).toEqual(comes ? ['Ana Kovač'] : [])
  await later.app.stop()
})
