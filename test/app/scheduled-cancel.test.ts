import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { type RunningApp, startApp } from '../support/app.ts'

const began = Date.UTC(2026, 2, 17, 14, 25)
const hour = 60 * 60_000
beforeEach(() => {
  vi.useFakeTimers({ now: began })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const inTopic: Conversation = { kind: 'topic', channelId: 1, topic: 'db-primary' }
const text = 'Not yet'

/** The app, with a scheduled message that it has seen on the server's list. */
async function scheduled(
  on: (world: RunningApp['world']) => Transport = ({ transport }) => transport,
) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const it = await startApp({ world, transport: on(world) })
  const added = it.app.commands.addAccount(world.newAccounts.chat)
  await pass(3_000)
  await added
  const accountId = it.app.state.accounts.at(-1)!.id
  const wanted = { accountId, conversation: inTopic, text, at: began + hour }
  const { id } = await it.app.commands.scheduleMessage(wanted)
  await pass(1_000)
  return { it, accountId, id }
}

const isDeletion = ({ method, url }: Parameters<Transport>[0]): boolean =>
  method === 'DELETE' && url.includes('/scheduled_messages')
const timedOut = () =>
  new RequestFailed({ kind: 'network', reason: 'timeout', host: 'h', reached: 'maybe' })
const said = ({ world }: RunningApp): number =>
  world.realm.controls.messages().filter(({ content }) => content === text).length

describe('a scheduled message that is cancelled', () => {
  test('keeps its text in the draft if the server deletes it after its list was read', async () => {
    let deleteNow: () => Promise<unknown> = async () => undefined
    const { it, accountId, id } = await scheduled((world) => async (request, signal) => {
      if (!isDeletion(request)) return world.transport(request, signal)
      deleteNow = () => world.transport(request, new AbortController().signal)
      throw timedOut()
    })
    const isListed = (): boolean =>
      it.app.state.realms.get(accountId)?.later.scheduled?.some((one) => one.id === id) === true
    await expect(it.app.commands.cancelScheduled({ accountId, id })).rejects.toMatchObject({
      failure: { reason: 'timeout' },
    })
    expect(isListed()).toBe(true)
    await deleteNow()
    await pass(5_000)
    expect(isListed()).toBe(false)
    expect([...it.app.state.drafts.values()]).toEqual([text])
    await it.app.stop()
  })

  test('keeps its text in the draft if the answer to its scheduling comes only then', async () => {
    let isSlow = false
    const { it, accountId } = await scheduled((world) => async (request, signal) => {
      const reply = await world.transport(request, signal)
      if (isSlow && request.method === 'POST' && request.url.endsWith('/scheduled_messages'))
        await new Promise((resolve) => setTimeout(resolve, 10_000))
      return reply
    })
    isSlow = true
    const later = 'Not yet, either'
    const place = { accountId, conversation: inTopic }
    await it.app.commands.saveDraft({ ...place, text: later })
    void it.app.commands.scheduleMessage({ ...place, text: later, at: began + hour })
    await pass(3_000)
    const listed = it.app.state.realms.get(accountId)?.later.scheduled
    const { id = 0 } = listed?.find(({ content }) => content === later) ?? {}
    await it.app.commands.cancelScheduled({ accountId, id })
    await pass(20_000)
    expect([...it.app.state.drafts.values()]).toEqual([later])
    expect(it.app.state.scheduling).toEqual([])
    await it.app.stop()
  })

  test('and sent now leaves no draft if its topic was renamed meanwhile', async () => {
    const { it, accountId, id } = await scheduled()
    it.world.realm.controls.moveTopic('ops > db-primary', 'ops > ✔ db-primary')
    await pass(1_000)
    await it.app.commands.cancelScheduled({ accountId, id, send: true })
    await pass(5_000)
    expect(said(it)).toBe(1)
    expect([...it.app.state.drafts.values()]).toEqual([])
    await it.app.stop()
  })

  test('and sent now at the second attempt leaves no draft of the first', async () => {
    let isLost = true
    const { it, accountId, id } = await scheduled((world) => async (request, signal) => {
      if (isDeletion(request) && isLost) throw timedOut()
      return world.transport(request, signal)
    })
    const place = { accountId, conversation: inTopic }
    await it.app.commands.saveDraft({ ...place, text: 'Typed since' })
    const sendNow = () => it.app.commands.cancelScheduled({ accountId, id, send: true })
    await expect(sendNow()).rejects.toMatchObject({ failure: { reason: 'timeout' } })
    expect([...it.app.state.drafts.values()]).toEqual([`${text}\n\nTyped since`])
    isLost = false
    await sendNow()
    await pass(5_000)
    expect(said(it)).toBe(1)
    expect([...it.app.state.drafts.values()]).toEqual(['Typed since'])
    await it.app.stop()
  })

  test('and sent now can’t be sent again while the event of its deletion is on its way', async () => {
    let isCut = false
    const { it, accountId, id } = await scheduled((world) => async (request, signal) => {
      if (isCut && /events|register/.test(request.url)) throw timedOut()
      const reply = await world.transport(request, signal)
      // Only the list could tell that there was nothing left to delete.
      if (isDeletion(request) && reply.status === 404) throw timedOut()
      return reply
    })
    const sendNow = () => it.app.commands.cancelScheduled({ accountId, id, send: true })
    isCut = true
    it.world.realm.controls.dropQueues()
    await sendNow()
    await pass(1_000)
    await expect(sendNow()).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    isCut = false
    await pass(60_000)
    expect(said(it)).toBe(1)
    await it.app.stop()
  })
})
