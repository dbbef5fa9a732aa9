import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { fieldsOf } from '../../src/shared/core/schemas.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { json } from '../support/scripted-transport.ts'
import { type Asked, secondDevice } from '../support/second-device.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 2, 17, 14, 25)

beforeEach(() => {
  vi.useFakeTimers({ now: start })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** The app with a chat of this feature level, and a message of Ana's in a topic. */
async function chatting(featureLevel?: number) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel })
  const it = await startApp({ world })
  await it.app.commands.addAccount(world.newAccounts.chat)
  await pass(3_000)
  const conversation = { kind: 'topic', channelId: 1, topic: 'db-primary' } as const
  const messageId = world.realm.controls.say({ from: 'Ana', to: conversation, text: 'Look again' })
  await pass(1_000)
  const accountId = it.app.state.accounts.at(-1)!.id
  return { it, about: { accountId, conversation, messageId } }
}

const elsewhere = ({ world }: Pick<RunningApp, 'world'>, ...asked: Asked) =>
  secondDevice(world, ...asked)
const later = ({ app }: RunningApp) => [...app.state.realms.values()][0]!.later
const seconds = (ms: number) => ms / 1_000

test('a reminder set on another device is listed with its message, over a restart, until it is removed', async () => {
  const { it, about } = await chatting()
  const { reminder_id: id } = await elsewhere(it, 'POST', '/reminders', {
    message_id: about.messageId,
    scheduled_delivery_timestamp: seconds(start + hour),
    note: 'ask Ana',
  })
  await pass(1_000)
  const { messageId, conversation } = about
  const words = { text: 'Look again', note: 'ask Ana' }
  const listed = [{ id, messageId, conversation, ...words, at: start + hour, failed: false }]
  expect(later(it).reminders).toEqual(listed)
  const again = await it.restart()
  await pass(3_000)
  expect(later(again).reminders).toEqual(listed)
  await elsewhere(it, 'DELETE', `/reminders/${String(id)}`)
  await pass(1_000)
  expect(later(again).reminders).toEqual([])
  expect([...it.bugs, ...again.bugs]).toEqual([])
  await again.app.stop()
})

test('a reminder that can’t be read is counted, and hides no other', async () => {
  const first = await chatting()
  await first.it.app.stop()
  const { world } = first.it
  const remind = async (at: number) => {
    const asked = { message_id: first.about.messageId, scheduled_delivery_timestamp: seconds(at) }
    return (await elsewhere(first.it, 'POST', '/reminders', asked))['reminder_id']
  }
  const [plain, odd] = [await remind(start + hour), await remind(start + 2 * hour)]
  const spoil = (_key: string, value: unknown): unknown =>
    fieldsOf(value)['reminder_id'] === odd ? { ...fieldsOf(value), content: null } : value
  const transport: Transport = async (request, signal) => {
    const reply = await world.transport(request, signal)
    const text = new TextDecoder().decode(reply.body)
    return text.includes('reminder_id') ? json(JSON.parse(text, spoil), reply.status) : reply
  }
  const it = await startApp({ ...first.it, transport })
  await pass(3_000)
  expect(later(it)).toMatchObject({ reminders: [{ id: plain }], unreadable: { reminders: [odd] } })
  await elsewhere(it, 'DELETE', `/reminders/${String(odd)}`)
  await pass(1_000)
  expect(later(it).unreadable.reminders).toEqual([])
  await it.app.stop()
})

test.each([
  [398, null],
  [399, []],
])('at level %i the list is %j', async (level, reminders) => {
  const { it } = await chatting(level)
  expect(later(it).reminders).toEqual(reminders)
  await it.app.stop()
})
