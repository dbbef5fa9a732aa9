import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { type Conversation, conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import * as eg from '../support/eg.ts'
import { type FakeDisk, fakeDisk } from '../support/fake-desktop.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const toAna: Conversation = { kind: 'direct', userIds: [12] }

async function connected(around: Parameters<typeof startApp>[0] = {}) {
  const it = await startApp(around)
  const added = it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(3_000)
  await added
  const accountId = it.app.state.accounts.at(-1)!.id
  return { it, place: { accountId, conversation: toAna } }
}

const isSend = ({ method, url }: Parameters<Transport>[0]): boolean =>
  method === 'POST' && url.endsWith('/messages')
const fateUnknown = () =>
  new RequestFailed({ kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' })

/** Sends arrive, but their response is lost, and so is the queue that had our local id. */
function losingSends({ world }: RunningApp): Transport {
  return async (request, signal) => {
    if (isSend(request)) world.realm.controls.dropQueues()
    const reply = await world.transport(request, signal)
    if (isSend(request)) throw fateUnknown()
    return reply
  }
}

/** The order in which documents reach the disk, and whether each contains the text. */
function writesOf(text: string): { disk: FakeDisk; writes: string[] } {
  const disk = fakeDisk()
  const writes: string[] = []
  const { write } = disk
  disk.write = async (name, value) => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    await write(name, value)
    const has = JSON.stringify(value).includes(text) ? 'with' : 'without'
    if (name === 'drafts' || name === 'outbox') writes.push(`${name} ${has}`)
  }
  return { disk, writes }
}

describe('a text whose sending can be undone', () => {
  const sentTexts = ({ world }: RunningApp): string[] =>
    world.realm.controls
      .messages()
      .flatMap(({ content }) => (content === 'too soon' ? content : []))

  async function held() {
    const { it, place } = await connected()
    await it.app.commands.updateSettings({ undoSendSeconds: 10 })
    await it.app.commands.sendMessage({ ...place, text: 'too soon' })
    await pass(4_000)
    expect(sentTexts(it)).toEqual([])
    return { it, place, localId: it.app.state.outbox[0]?.localId ?? '' }
  }

  test('is sent once its time is over, once', async () => {
    const { it } = await held()
    await pass(8_000)
    expect(sentTexts(it)).toEqual(['too soon'])
    await it.app.stop()
  })

  test('becomes a draft again when it is undone, before what was typed since', async () => {
    const { it, place, localId } = await held()
    await it.app.commands.saveDraft({ ...place, text: 'and more' })
    await it.app.commands.discardMessage({ localId, keepText: true })
    expect([...it.app.state.drafts.values()]).toEqual(['too soon\n\nand more'])
    await pass(60_000)
    expect(sentTexts(it)).toEqual([])
    await it.app.stop()
  })

  test('keeps its time across a restart, and can still be undone', async () => {
    const { it } = await held()
    const again = await it.restart()
    await pass(3_000)
    expect(sentTexts(again)).toEqual([])
    await pass(10_000)
    expect(sentTexts(again)).toEqual(['too soon'])
    await again.app.stop()

    const other = await held()
    const back = await other.it.restart()
    await pass(1_000)
    await back.app.commands.discardMessage({ localId: other.localId, keepText: true })
    await pass(60_000)
    expect(sentTexts(back)).toEqual([])
    expect([...back.app.state.drafts.values()]).toEqual(['too soon'])
    await back.app.stop()
  })

  test('isn’t taken along by a message that the field sends before it shows it', async () => {
    const { it, place, localId } = await held()
    await it.app.commands.saveDraft({ ...place, text: 'at once' })
    await it.app.commands.discardMessage({ localId, keepText: true })
    await it.app.commands.sendMessage({ ...place, text: 'at once' })
    expect([...it.app.state.drafts.values()]).toEqual(['too soon'])
    await it.app.stop()
  })

  // A crash, or another device's draft, may have put it there first.
  test.each([
    { typed: 'too soon', kept: 'too soon' },
    { typed: 'before\n\ntoo soon\n\nafter', kept: 'before\n\ntoo soon\n\nafter' },
    { typed: 'not too soon', kept: 'too soon\n\nnot too soon' },
    { typed: '', kept: 'too soon' },
  ])('that is undone into “$typed” is there only once', async ({ typed, kept }) => {
    const { it, place } = await connected({})
    await it.app.commands.updateSettings({ undoSendSeconds: 10 })
    await it.app.commands.sendMessage({ ...place, text: 'too soon' })
    await it.app.commands.saveDraft({ ...place, text: typed })
    const localId = it.app.state.outbox[0]?.localId ?? ''
    await it.app.commands.discardMessage({ localId, keepText: true })
    expect([...it.app.state.drafts.values()]).toEqual([kept])
    await it.app.stop()
  })

  test('that was undone isn’t sent if the app crashes in the middle of it', async () => {
    const disk = fakeDisk()
    const { it, place } = await connected({ disk })
    await it.app.commands.updateSettings({ undoSendSeconds: 10 })
    await it.app.commands.sendMessage({ ...place, text: 'too soon' })
    const { write } = disk
    disk.write = (name, value) =>
      name === 'drafts' ? new Promise(() => undefined) : write(name, value)
    const localId = it.app.state.outbox[0]?.localId ?? ''
    void it.app.commands.discardMessage({ localId, keepText: true })
    await pass(1_000)
    expect(disk.documents.get('outbox')).toContain('"state":"rejected"')
  })
})

describe('a text that is sent', () => {
  test('is in the outbox on disk before the composer clears it', async () => {
    const { disk, writes } = writesOf('precious')
    const { it, place } = await connected({ disk })
    void it.app.commands.saveDraft({ ...place, text: 'precious' })
    await pass(100)
    writes.length = 0
    void it.app.commands.sendMessage({ ...place, text: 'precious' })
    await pass(15)
    expect(writes[0]).toBe('outbox with')
    await pass(1_000)
    expect(writes.indexOf('drafts without')).toBeGreaterThan(writes.indexOf('outbox with'))
    expect(it.app.state.drafts.size).toBe(0)
    await stop(it)
  })

  test('doesn’t take along what was typed while it was being saved', async () => {
    const { disk } = writesOf('')
    const { it, place } = await connected({ disk })
    void it.app.commands.saveDraft({ ...place, text: 'first' })
    await pass(100)
    void it.app.commands.sendMessage({ ...place, text: 'first' })
    void it.app.commands.saveDraft({ ...place, text: 'second' })
    await pass(1_000)
    expect([...it.app.state.drafts.values()]).toEqual(['second'])
    await stop(it)
  })

  test.each([
    ['once, by a new connection while its draft was still being written', 1],
    ['not at all if it was discarded meanwhile', 0],
  ])('goes out %s', async (_how, times) => {
    const disk = fakeDisk()
    const { it, place } = await connected({ disk })
    void it.app.commands.saveDraft({ ...place, text: 'ok' })
    await pass(3_000)
    let isWritten = (): void => undefined
    const { write } = disk
    disk.write = async (name, value) => {
      if (name === 'drafts')
        await new Promise<void>((resolve) => {
          isWritten = resolve
        })
      await write(name, value)
    }
    const sending = it.app.commands.sendMessage({ ...place, text: 'ok' })
    await pass(100)
    const { localId } = it.app.state.outbox[0]!
    if (times === 0) await it.app.commands.discardMessage({ localId, keepText: false })
    else void it.app.commands.replaceKey({ ...place, key: it.world.newAccounts.chat.key })
    await pass(10_000)
    isWritten()
    await pass(1_000)
    isWritten()
    await sending
    await pass(60_000)
    const said = it.world.realm.controls.messages().filter(({ content }) => content === 'ok')
    expect(said).toHaveLength(times)
    expect(it.app.state.outbox).toEqual([])
  })

  test('that goes back to the composer is a draft on disk before the outbox drops it', async () => {
    const { disk, writes } = writesOf('refused one')
    const { it, place } = await connected({ disk })
    it.world.realm.controls.refuse(400, 'sendMessage')
    void it.app.commands.sendMessage({ ...place, text: 'refused one' })
    await pass(1_000)
    writes.length = 0
    const { localId } = it.app.state.outbox[0]!
    void it.app.commands.discardMessage({ localId, keepText: true })
    await pass(1_000)
    expect(writes).toEqual(expect.arrayContaining(['drafts with', 'outbox without']))
    expect(writes.indexOf('outbox without')).toBeGreaterThan(writes.indexOf('drafts with'))
    await stop(it)
  })

  test('again waits for the user if the disk refuses', async () => {
    const { it, place } = await connected()
    it.world.realm.controls.refuse(500, 'sendMessage')
    await it.app.commands.sendMessage({ ...place, text: 'twice?' })
    await pass(1_000)
    it.disk.full = true
    const { localId } = it.app.state.outbox[0]!
    await expect(it.app.commands.resendMessage({ localId })).rejects.toThrow()
    expect(it.app.state.outbox).toMatchObject([{ state: 'unconfirmed' }])
    await stop(it)
  })

  test('isn’t sent until the disk has recorded that, and then goes once', async () => {
    const { it, place } = await connected()
    const text = 'not twice'
    const { write } = it.disk
    it.disk.write = (name, value) =>
      JSON.stringify(value).includes('"sending"')
        ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
        : write(name, value)
    await it.app.commands.sendMessage({ ...place, text })
    await pass(20_000)
    expect(said(it, text)).toBe(0)
    expect(it.app.state.outbox).toMatchObject([{ state: 'queued', failure: { field: 'disk' } }])
    it.disk.write = write
    await pass(60_000)
    expect(said(it, text)).toBe(1)
    expect(it.app.state.outbox).toEqual([])
    await stop(it)
  })
})

describe('an unconfirmed message', () => {
  test('is recognised by its content if the queue that had our id was lost', async () => {
    const { it: first } = await connected()
    await stop(first)
    const { it, place } = await connected({ world: first.world, transport: losingSends(first) })
    await it.app.commands.sendMessage({ ...place, text: 'is it there?' })
    await pass(30_000)
    expect(it.app.state.outbox).toEqual([])
    expect(said(it, 'is it there?')).toBe(1)
    await stop(it)
  })

  test('is recognised even if another server has a message with its number', async () => {
    const { it: first } = await connected()
    await stop(first)
    const disk = fakeDisk()
    const newest = Math.max(...first.world.realm.controls.messages().map(({ id }) => id))
    const elsewhere = eg.outboxMessage({ accountId: 'elsewhere', state: 'sent' })
    const outbox = Array.from({ length: 20 }, (_, at) => ({
      ...elsewhere,
      localId: `elsewhere ${at}`,
      messageId: newest + 1 + at,
    }))
    disk.documents.set('outbox', JSON.stringify(outbox))
    disk.documents.set('accounts', JSON.stringify([eg.chatAccount({ id: 'elsewhere' })]))
    const { it, place } = await connected({
      world: first.world,
      transport: losingSends(first),
      disk,
    })
    const { length } = it.app.state.outbox
    expect(length).toBe(20)
    await it.app.commands.sendMessage({ ...place, text: 'is it there?' })
    await pass(30_000)
    expect(it.app.state.outbox).toHaveLength(length)
    expect(said(it, 'is it there?')).toBe(1)
    await stop(it)
  })

  test('isn’t mistaken for an equal one that is being sent', async () => {
    const { it: first } = await connected()
    await stop(first)
    const { realm } = first.world
    let sends = 0
    const transport: Transport = async (request, signal) => {
      if (!isSend(request)) return first.world.transport(request, signal)
      sends += 1
      // The first never arrives. The second does, after its queue was lost, and its response
      // takes its time.
      if (sends === 1) throw fateUnknown()
      realm.controls.dropQueues()
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      const reply = await first.world.transport(request, signal)
      await new Promise((resolve) => setTimeout(resolve, 8_000))
      return reply
    }
    const { it, place } = await connected({ world: first.world, transport })
    await it.app.commands.sendMessage({ ...place, text: 'ok' })
    await pass(1_000)
    const { localId } = it.app.state.outbox[0]!
    await it.app.commands.sendMessage({ ...place, text: 'ok' })
    await pass(60_000)
    expect(it.app.state.outbox).toMatchObject([{ localId, state: 'unconfirmed' }])
    expect(said(it, 'ok')).toBe(1)
    await stop(it)
  })

  test.each([
    ['a person', toAna],
    ['a topic', { kind: 'topic', channelId: 1, topic: 'db-primary' } as const],
  ])('to %s isn’t mistaken for an equal one from before a restart', async (_name, conversation) => {
    const { it: first, place } = await connected()
    await first.app.commands.sendMessage({ ...place, conversation, text: 'ok' })
    await pass(1_000)
    expect(first.app.state.outbox).toEqual([])
    await stop(first)
    const transport: Transport = (request, signal) =>
      isSend(request) ? Promise.reject(fateUnknown()) : first.world.transport(request, signal)
    const { world, disk, vault } = first
    const it = await startApp({ world, disk, vault, transport })
    // Nothing was read yet, so the state doesn’t know what this conversation holds.
    await it.app.commands.sendMessage({ ...place, conversation, text: 'ok' })
    await pass(60_000)
    expect(said(it, 'ok')).toBe(1)
    expect(it.app.state.outbox).toMatchObject([{ state: 'unconfirmed', text: 'ok' }])
    await stop(it)
  })

  test('that a restarting server lost is marked as not arrived, and resent only on request', async () => {
    const { it, place } = await connected()
    it.world.realm.controls.refuse(502)
    await it.app.commands.sendMessage({ ...place, text: 'lost' })
    await pass(120_000)
    const [entry] = it.app.state.outbox
    // Nothing was read, so nothing is known.
    expect(entry).toMatchObject({ state: 'unconfirmed' })
    expect(entry?.missing ?? null).toBeNull()
    it.world.realm.controls.refuse(null)
    await pass(40_000)
    expect(it.app.state.outbox[0]?.missing).toMatchObject({ isSure: false })
    await pass(65_000)
    expect(it.app.state.outbox).toMatchObject([
      { state: 'unconfirmed', text: 'lost', missing: { isSure: true } },
    ])
    expect(said(it, 'lost')).toBe(0)
    await it.app.commands.resendMessage({ localId: entry?.localId ?? '' })
    await pass(5_000)
    expect(said(it, 'lost')).toBe(1)
    expect(it.app.state.outbox).toEqual([])
    await stop(it)
  })

  test('that arrives after it was given up is recognised, and not sent twice', async () => {
    const { it: first } = await connected()
    await stop(first)
    let late = (): void => undefined
    const transport: Transport = async (request, signal) => {
      if (!isSend(request)) return first.world.transport(request, signal)
      late = () => void first.world.transport(request, new AbortController().signal)
      return { status: 502, headers: {}, body: new Uint8Array() }
    }
    const { it, place } = await connected({ world: first.world, transport })
    await it.app.commands.sendMessage({ ...place, text: 'late' })
    await pass(90_000)
    expect(it.app.state.outbox).toMatchObject([{ missing: { isSure: true } }])
    late()
    await pass(5_000)
    expect(it.app.state.outbox).toEqual([])
    expect(said(it, 'late')).toBe(1)
    await stop(it)
  })

  test('keeps its text when its topic is gone, and is shown where it was', async () => {
    const { it, place } = await connected()
    const conversation = { kind: 'topic', channelId: 1, topic: 'db-primary' } as const
    it.world.realm.controls.refuse(500, 'sendMessage')
    await it.app.commands.sendMessage({ ...place, conversation, text: 'kept' })
    it.world.realm.controls.moveTopic('ops > db-primary', 'ops > ✔ db-primary')
    await pass(60_000)
    expect(it.app.state.outbox).toMatchObject([{ state: 'unconfirmed', text: 'kept' }])
    expect(conversationKey(it.app.state.outbox[0]!.conversation)).toBe('topic/1/db-primary')
    await stop(it)
  })
})

function said(it: RunningApp, text: string): number {
  return it.world.realm.controls.messages().filter(({ content }) => content === text).length
}

test('a message whose event does not come shows within seconds that the poll is on a dead connection', async () => {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const transport: Transport = (request, signal) => {
    const isLongPoll = request.url.includes('/events') && !request.url.includes('dont_block')
    if (!isLongPoll) return world.transport(request, signal)
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(fateUnknown()))
    })
  }
  const { it, place } = await connected({ world, transport })
  world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'are you there?' })
  await it.app.commands.sendMessage({ ...place, text: 'yes' })
  await pass(9_000)
  expect(it.app.state.outbox).toMatchObject([{ text: 'yes', state: 'sent' }])
  expect(it.desktop.notices).toEqual([])
  await pass(3_000)
  expect(it.app.state.outbox).toEqual([])
  expect(it.desktop.notices).toMatchObject([{ body: 'are you there?' }])
  await stop(it)
})

async function stop(it: RunningApp): Promise<void> {
  const stopped = it.app.stop()
  await pass(2_000)
  await stopped
}
