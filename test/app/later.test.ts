import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Transport } from '../../src/main/base/ports.ts'
import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import { draftKey } from '../../src/shared/core/chat/drafts.ts'
import { unsavedFields, unsavedKey } from '../../src/shared/core/chat/unsaved-forms.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { fieldsOf } from '../../src/shared/core/schemas.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'
import { json } from '../support/scripted-transport.ts'
import { type Asked, secondDevice } from '../support/second-device.ts'

const began = Date.UTC(2026, 2, 17, 14, 25)
beforeEach(() => {
  vi.useFakeTimers({ now: began })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const toAna: Conversation = { kind: 'direct', userIds: [12] }
const newPlan: Conversation = { kind: 'topic', channelId: 1, topic: 'New Plan' }
const hour = 60 * 60_000

async function connected(around: Parameters<typeof startApp>[0] = {}) {
  const it = await startApp(around)
  const added = it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(3_000)
  await added
  const accountId = it.app.state.accounts.at(-1)!.id
  return { it, accountId, place: { accountId, conversation: toAna } }
}

const elsewhere = ({ world }: Pick<RunningApp, 'world'>, ...asked: Asked) =>
  secondDevice(world, ...asked)

const serverDrafts = async (it: Pick<RunningApp, 'world'>) =>
  ((await elsewhere(it, 'GET', '/drafts'))['drafts'] as { id: number; content: string }[]).filter(
    ({ content }) => content !== 'Still looking',
  )
const contents = async (it: RunningApp) => (await serverDrafts(it)).map(({ content }) => content)
const scheduled = async (it: RunningApp) =>
  (await elsewhere(it, 'GET', '/scheduled_messages'))['scheduled_messages'] as {
    scheduled_message_id: number
    content: string
  }[]
const draftTo = (id: number, content: string) => ({ type: 'private', to: [id], topic: '', content })
const here = (it: RunningApp, accountId: string, at: Conversation = toAna) =>
  it.app.state.drafts.get(draftKey(accountId, at)) ?? ''

const noAnswer = () =>
  new RequestFailed({ kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' })

/** While `isOn`, requests of one kind arrive but their responses are lost. */
function losing(method: string, path: string) {
  const lost = { isOn: true, count: 0 }
  const through = (world: RunningApp['world']): Transport => {
    return async (request, signal) => {
      const reply = await world.transport(request, signal)
      if (!lost.isOn || request.method !== method || !request.url.includes(path)) return reply
      lost.count += 1
      throw noAnswer()
    }
  }
  return { lost, through }
}

/** Gives `field` an unknown value wherever the content is 'Spoiled', in responses and events. */
function spoiling(world: RunningApp['world'], field: string): Transport {
  const spoil = (_key: string, value: unknown): unknown =>
    fieldsOf(value)['content'] === 'Spoiled'
      ? { ...fieldsOf(value), [field]: 'carrier pigeon' }
      : value
  return async (request, signal) => {
    const reply = await world.transport(request, signal)
    const text = new TextDecoder().decode(reply.body)
    return text.includes('Spoiled') ? json(JSON.parse(text, spoil), reply.status) : reply
  }
}

describe('a draft', () => {
  test('typed here is on the server a few seconds later, follows its text, and disappears with it', async () => {
    const { it, accountId } = await connected()
    const place = { accountId, conversation: newPlan }
    await it.app.commands.saveDraft({ ...place, text: 'First' })
    await pass(5_000)
    expect(await serverDrafts(it)).toMatchObject([
      { type: 'stream', to: [1], topic: 'New Plan', content: 'First' },
    ])
    await it.app.commands.saveDraft({ ...place, text: 'First, then more ' })
    await pass(5_000)
    expect(await contents(it)).toEqual(['First, then more'])
    await it.app.commands.saveDraft({ ...place, text: '' })
    await pass(5_000)
    expect(await contents(it)).toEqual([])
    expect(it.app.state.draftLinks.size).toBe(0)
    expect(it.bugs).toEqual([])
  })

  test('that was deleted and is restored goes above what was typed since', async () => {
    const { it, accountId, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'The old draft', over: '' })
    await it.app.commands.saveDraft({ ...place, text: '' })
    await it.app.commands.saveDraft({ ...place, text: 'Typed since', over: '' })
    await it.app.commands.saveDraft({ ...place, text: 'The old draft', isBack: true })
    expect(here(it, accountId)).toBe('The old draft\n\nTyped since')
  })

  test.each(['sent', 'deleted', 'changed'])(
    'that is %s while its previous version is on the way to the server leaves nothing there that comes back',
    async (what) => {
      const held = Promise.withResolvers<void>()
      const first = await connected()
      await first.it.app.stop()
      const { accountId } = first
      const transport: Transport = async (request, signal) => {
        if (request.method === 'POST' && request.url.endsWith('/drafts')) await held.promise
        return first.it.world.transport(request, signal)
      }
      const it = await startApp({ ...first.it, transport })
      await pass(3_000)
      const places = [newPlan, toAna].map((conversation) => ({ accountId, conversation }))
      for (const place of places) await it.app.commands.saveDraft({ ...place, text: 'On it' })
      await pass(5_000)
      for (const place of places) {
        if (what === 'sent') void it.app.commands.sendMessage({ ...place, text: 'On it' })
        else
          void it.app.commands.saveDraft({ ...place, text: what === 'deleted' ? '' : 'On it now' })
      }
      await pass(1_000)
      held.resolve()
      await pass(60_000)
      const left = what === 'changed' ? ['On it now', 'On it now'] : []
      expect(await contents(it)).toEqual(left)
      const again = await it.restart()
      await pass(10_000)
      expect(places.map(({ conversation }) => here(again, accountId, conversation))).toEqual(
        what === 'changed' ? left : ['', ''],
      )
      expect(it.bugs).toEqual([])
    },
  )

  test('from another device appears here, changes and disappears as it does there', async () => {
    const { it, accountId } = await connected()
    const { ids } = await elsewhere(it, 'POST', '/drafts', { drafts: [draftTo(12, 'From home')] })
    await pass(1_000)
    expect(here(it, accountId)).toBe('From home')
    const [id] = ids as number[]
    await elsewhere(it, 'PATCH', `/drafts/${id}`, { draft: draftTo(12, 'From the train') })
    await pass(1_000)
    expect(here(it, accountId)).toBe('From the train')
    await elsewhere(it, 'DELETE', `/drafts/${id}`)
    await pass(1_000)
    expect(here(it, accountId)).toBe('')
  })

  test('from another device stays there if the app is killed before it is on disk here', async () => {
    const { it } = await connected()
    const { write } = it.disk
    it.disk.write = (name, value) =>
      name === 'drafts' ? new Promise(() => undefined) : write(name, value)
    await elsewhere(it, 'POST', '/drafts', { drafts: [draftTo(12, 'From the phone')] })
    await pass(1_000)
    expect([...it.app.state.drafts.values()]).toContain('From the phone')
    const disk = fakeDisk()
    for (const [name, text] of it.disk.documents) disk.documents.set(name, text)
    void it.app.stop()
    const again = await startApp({ world: it.world, vault: it.vault, disk })
    await pass(10_000)
    expect(await contents(again)).toEqual(['From the phone'])
    expect([...again.app.state.drafts.values()]).toContain('From the phone')
    await again.app.stop()
  })

  test('without a recipient moves to the one it is given, even offline', async () => {
    let isOffline = false
    const { it: first, accountId } = await connected()
    await first.app.stop()
    const transport: Transport = async (request, signal) => {
      if (!isOffline) return first.world.transport(request, signal)
      const reason = { reason: 'offline', host: 'h', reached: 'no' } as const
      throw new RequestFailed({ kind: 'network', ...reason })
    }
    const it = await startApp({ ...first, transport })
    await pass(3_000)
    const draft = { type: '', to: [], topic: '', content: 'For whom?' }
    await elsewhere(it, 'POST', '/drafts', { drafts: [draft] })
    await pass(5_000)
    const { id } = (await serverDrafts(it))[0]!
    isOffline = true
    await it.app.commands.takeDraft({ accountId, id, to: toAna })
    await pass(5_000)
    expect(here(it, accountId)).toBe('For whom?')
    isOffline = false
    await pass(120_000)
    expect(await serverDrafts(it)).toMatchObject([{ id, to: [12], content: 'For whom?' }])
  })

  test('changed on two devices is kept twice: nothing typed is lost', async () => {
    const { it, accountId, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'Both know this' })
    await pass(5_000)
    const { id } = (await serverDrafts(it))[0]!
    await it.app.commands.saveDraft({ ...place, text: 'Changed here' })
    await elsewhere(it, 'PATCH', `/drafts/${id}`, { draft: draftTo(12, 'Changed there') })
    await pass(10_000)
    expect(here(it, accountId)).toBe('Changed here')
    expect((await contents(it)).sort()).toEqual(['Changed here', 'Changed there'])
    await it.app.commands.takeDraft({ accountId, id })
    expect(here(it, accountId)).toBe('Changed here\n\nChanged there')
  })

  test('typed over a newer version that the field hadn’t shown yet leaves that version alone', async () => {
    const { it, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'Seen', over: '' })
    await pass(5_000)
    const { id } = (await serverDrafts(it))[0]!
    await elsewhere(it, 'PATCH', `/drafts/${id}`, { draft: draftTo(12, 'Unseen') })
    await pass(1_000)
    await it.app.commands.saveDraft({ ...place, text: 'Seen!', over: 'Seen' })
    await pass(5_000)
    expect((await contents(it)).sort()).toEqual(['Seen!', 'Unseen'])
  })

  test('stays if one list from the server lacks it, or has something unreadable in its place', async () => {
    const lists: (readonly unknown[])[] = []
    const first = await connected()
    const { world } = first.it
    await first.it.app.stop()
    const accountId = first.accountId
    const it = await startApp({
      ...first.it,
      transport: async (request, signal) => {
        const isList = request.method === 'GET' && request.url.endsWith('/drafts')
        const list = isList ? lists.shift() : undefined
        if (list === undefined) return world.transport(request, signal)
        return json({ result: 'success', msg: '', count: list.length, drafts: list })
      },
    })
    await pass(3_000)
    await it.app.commands.saveDraft({ accountId, conversation: toAna, text: 'Typed' })
    await pass(5_000)
    for (const list of [[], [{ id: 'none' }]]) {
      lists.push(list)
      const place = { accountId, conversation: newPlan }
      await it.app.commands.saveDraft({ ...place, text: `More ${list.length}` })
      await pass(40_000)
      expect(lists).toEqual([])
      expect(here(it, accountId)).toBe('Typed')
      expect((await contents(it)).toSorted()).toEqual([`More ${list.length}`, 'Typed'])
    }
  })

  test('of an unknown kind stays as it is, and the others sync both ways', async () => {
    const first = await connected()
    const { accountId, place } = first
    await first.it.app.stop()
    const it = await startApp({ ...first.it, transport: spoiling(first.it.world, 'type') })
    await pass(3_000)
    const foreign = { drafts: [draftTo(12, 'Spoiled')] }
    const [id] = (await elsewhere(it, 'POST', '/drafts', foreign))['ids'] as number[]
    const others = async () => (await contents(it)).toSorted()
    await it.app.commands.saveDraft({ accountId, conversation: newPlan, text: 'From here' })
    await pass(10_000)
    expect(await others()).toEqual(['From here', 'Spoiled'])
    await elsewhere(it, 'POST', '/drafts', { drafts: [draftTo(12, 'From home')] })
    await pass(10_000)
    expect(here(it, accountId)).toBe('From home')
    expect(it.app.state.realms.get(accountId)!.later.unreadable.drafts).toEqual([id])

    // One linked to a text here.
    const own = (await serverDrafts(it)).find(({ content }) => content === 'From home')!.id
    await elsewhere(it, 'PATCH', `/drafts/${own}`, { draft: draftTo(12, 'Spoiled') })
    await it.app.commands.saveDraft({ ...place, text: 'From home, and here', over: 'From home' })
    await it.app.commands.saveDraft({ accountId, conversation: newPlan, text: 'From here still' })
    await pass(60_000)
    expect(await others()).toEqual(['From here still', 'Spoiled', 'Spoiled'])
    expect(here(it, accountId)).toBe('From home, and here')
    await elsewhere(it, 'DELETE', `/drafts/${id}`)
    await elsewhere(it, 'PATCH', `/drafts/${own}`, { draft: draftTo(12, 'From home') })
    await pass(10_000)
    expect(await others()).toEqual(['From here still', 'From home, and here'])
    expect(it.app.state.realms.get(accountId)!.later.unreadable.drafts).toEqual([])
    expect(it.bugs).toEqual([])
  })

  test('keeps leading spaces, which mean code, although the server cuts them', async () => {
    const { it, accountId, place } = await connected()
    for (const text of ['    code', '    code\n    more', '  code\n    more']) {
      await it.app.commands.saveDraft({ ...place, text })
      await pass(30_000)
      expect(here(it, accountId)).toBe(text)
      expect(await contents(it)).toEqual([text.trimStart()])
    }
    const again = await it.restart()
    await pass(10_000)
    expect(here(again, accountId)).toBe('  code\n    more')
    expect(again.app.state.draftLinks.size).toBe(1)
  })

  test('is uploaded even if the server has more than a registration returns', async () => {
    const { it, accountId, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'The oldest' })
    await pass(5_000)
    const many = Array.from({ length: 1_100 }, (_, n) => ({ ...draftTo(12, `${n}`), to: [] }))
    await elsewhere(it, 'POST', '/drafts', { drafts: many })
    const again = await it.restart()
    await pass(10_000)
    expect(here(again, accountId)).toBe('The oldest')
    await again.app.commands.saveDraft({ ...place, text: 'The newest' })
    await pass(40_000)
    const all = await contents(again)
    expect(all).toHaveLength(1_101)
    expect(all).toContain('The newest')
    expect(all).not.toContain('The oldest')
  })

  test('with half a surrogate pair is the same text after a restart', async () => {
    const { it, accountId } = await connected()
    await elsewhere(it, 'POST', '/drafts', { drafts: [draftTo(12, 'Half \ud83d of it')] })
    await pass(1_000)
    expect(here(it, accountId).isWellFormed()).toBe(true)
  })

  test('whose creation got no response is found in the list and not created twice', async () => {
    const { lost, through } = losing('POST', '/drafts')
    const first = await connected()
    const it = await startApp({ ...first.it, transport: through(first.it.world) })
    await pass(3_000)
    const place = { accountId: it.app.state.accounts.at(-1)!.id, conversation: toAna }
    await it.app.commands.saveDraft({ ...place, text: 'Once' })
    await pass(6_000)
    expect(lost.count).toBe(1)
    lost.isOn = false
    await it.app.commands.saveDraft({ ...place, text: 'Once more' })
    await pass(60_000)
    expect(await contents(it)).toEqual(['Once more'])
  })

  test('typed while Belfry was offline or not running is synchronized at the next connection', async () => {
    const { it, accountId, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'Agreed' })
    await pass(5_000)
    await it.app.commands.saveDraft({ ...place, text: 'Typed last' })
    const again = await it.restart()
    await pass(10_000)
    expect(await contents(again)).toEqual(['Typed last'])
    await again.app.stop()
    const { id } = (await serverDrafts(again))[0]!
    await elsewhere(again, 'PATCH', `/drafts/${id}`, { draft: draftTo(12, 'Meanwhile') })
    const third = await again.restart()
    await pass(10_000)
    expect(here(third, accountId)).toBe('Meanwhile')
  })

  test('stays here when synchronization is switched off, and is uploaded again when it is on', async () => {
    const { it, accountId, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'Mine' })
    await pass(5_000)
    await elsewhere(it, 'PATCH', '/settings', { enable_drafts_synchronization: false })
    await pass(5_000)
    expect(here(it, accountId)).toBe('Mine')
    const again = await it.restart()
    await pass(10_000)
    expect(here(again, accountId)).toBe('Mine')
    await elsewhere(again, 'PATCH', '/settings', { enable_drafts_synchronization: true })
    await pass(5_000)
    expect(await contents(again)).toEqual(['Mine'])
  })

  test('stays here even if synchronization was briefly off, which is noticed only later', async () => {
    const { lost, through } = losing('GET', '/events')
    lost.isOn = false
    const first = await connected()
    const it = await startApp({ ...first.it, transport: through(first.it.world) })
    await pass(3_000)
    const { id: accountId } = it.app.state.accounts.at(-1)!
    await it.app.commands.saveDraft({ accountId, conversation: toAna, text: 'Mine' })
    await pass(5_000)
    const [draft] = await serverDrafts(it)
    lost.isOn = true
    await elsewhere(it, 'PATCH', '/settings', { enable_drafts_synchronization: false })
    await pass(10)
    await elsewhere(it, 'PATCH', '/settings', { enable_drafts_synchronization: true })
    lost.isOn = false
    await pass(20_000)
    expect(lost.count).toBeGreaterThan(0)
    expect(here(it, accountId)).toBe('Mine')
    expect(await serverDrafts(it)).toMatchObject([{ content: 'Mine' }])
    expect((await serverDrafts(it))[0]?.id).not.toBe(draft?.id)
  })

  test('that exists twice because a response came too late for a killed app is merged into one', async () => {
    const { it, accountId, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'Once' })
    await pass(5_000)
    await elsewhere(it, 'POST', '/drafts', { drafts: [draftTo(12, 'Once')] })
    await pass(10_000)
    expect(await contents(it)).toEqual(['Once'])
    expect(here(it, accountId)).toBe('Once')
    await it.app.commands.saveDraft({ ...place, text: '' })
    await pass(10_000)
    expect(await contents(it)).toEqual([])
    const again = await it.restart()
    await pass(10_000)
    expect(here(again, accountId)).toBe('')
  })

  test('that the server refuses stays here, with the reason', async () => {
    const { it, accountId } = await connected()
    const conversation: Conversation = { kind: 'topic', channelId: 999_999, topic: 'x' }
    await it.app.commands.saveDraft({ accountId, conversation, text: 'Where to?' })
    await pass(20_000)
    expect(here(it, accountId, conversation)).toBe('Where to?')
    const refused = it.app.state.realms.get(accountId)!.later.refused
    expect(refused).toMatchObject([
      { key: draftKey(accountId, conversation), failure: { kind: 'refused' } },
    ])
  })

  test('is removed from the server once it was sent', async () => {
    const { it, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'Hello' })
    await pass(5_000)
    await it.app.commands.sendMessage({ ...place, text: 'Hello' })
    await pass(10_000)
    expect(await contents(it)).toEqual([])
  })

  test('that was sent does not come back where another one is taken at once', async () => {
    const { it, accountId, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'Sent' })
    await pass(5_000)
    await elsewhere(it, 'POST', '/drafts', { drafts: [draftTo(12, 'Another')] })
    await pass(5_000)
    expect((await contents(it)).toSorted()).toEqual(['Another', 'Sent'])
    const another = (await serverDrafts(it)).find(({ content }) => content === 'Another')!
    await it.app.commands.sendMessage({ ...place, text: 'Sent' })
    await it.app.commands.takeDraft({ accountId, id: another.id })
    await pass(15_000)
    expect(here(it, accountId)).toBe('Another')
    expect(await contents(it)).toEqual(['Another'])
    await it.app.commands.sendMessage({ ...place, text: 'Another' })
    await pass(15_000)
    expect(await contents(it)).toEqual([])
  })
})

describe('a scheduled message', () => {
  test('is created once, leaves the field, and is listed', async () => {
    const { it, accountId, place } = await connected()
    await it.app.commands.saveDraft({ ...place, text: 'Good morning' })
    await it.app.commands.scheduleMessage({ ...place, text: 'Good morning', at: began + hour })
    await pass(1_000)
    expect(await scheduled(it)).toMatchObject([{ content: 'Good morning' }])
    expect(here(it, accountId)).toBe('')
    expect(it.app.state.realms.get(accountId)!.later.scheduled).toMatchObject([
      { content: 'Good morning', at: began + hour, conversation: toAna, failed: false },
    ])
    expect(it.app.state.scheduling).toEqual([])
    await pass(hour)
    it.world.tick()
    await pass(1_000)
    expect(it.app.state.realms.get(accountId)!.later.scheduled).toEqual([])
  })

  test('whose response was lost is found in the list, and not created again', async () => {
    const { through } = losing('POST', '/scheduled_messages')
    const first = await connected()
    const it = await startApp({ ...first.it, transport: through(first.it.world) })
    await pass(3_000)
    const place = { accountId: it.app.state.accounts.at(-1)!.id, conversation: toAna }
    const asked = it.app.commands.scheduleMessage({ ...place, text: 'Once', at: began + hour })
    await pass(1_000)
    await asked
    expect(await scheduled(it)).toHaveLength(1)
    expect(it.app.state.scheduling).toEqual([])
  })

  test('of unknown fate keeps its text and the question, even over a restart', async () => {
    const lost = { isOn: true }
    const first = await connected()
    const transport: Transport = async (request, signal) => {
      const reply = await first.it.world.transport(request, signal)
      if (lost.isOn && request.url.includes('/scheduled_messages')) throw noAnswer()
      return reply
    }
    const it = await startApp({ ...first.it, transport })
    await pass(3_000)
    const place = { accountId: it.app.state.accounts.at(-1)!.id, conversation: toAna }
    await it.app.commands.saveDraft({ ...place, text: 'Perhaps' })
    const wanted = { ...place, text: 'Perhaps', at: began + hour }
    await expect(it.app.commands.scheduleMessage(wanted)).rejects.toMatchObject({
      failure: { kind: 'network', reached: 'maybe' },
    })
    expect(here(it, place.accountId)).toBe('Perhaps')
    expect(it.app.state.scheduling).toHaveLength(1)
    lost.isOn = false
    // Asked again with another time: the first one counts.
    const answer = await it.app.commands.scheduleMessage({ ...wanted, at: began + 2 * hour })
    expect(answer.at).toBe(began + hour)
    expect(await scheduled(it)).toHaveLength(1)
    expect(here(it, place.accountId)).toBe('')

    lost.isOn = true
    const next = { ...place, text: 'Another', at: began + hour }
    await it.app.commands.saveDraft({ ...place, text: 'Another' })
    await it.app.commands.scheduleMessage(next).catch(() => undefined)
    await it.app.stop()
    const again = await startApp({ ...first.it, disk: it.disk, vault: it.vault })
    await pass(5_000)
    expect(await scheduled(again)).toHaveLength(2)
    expect(again.app.state.scheduling).toEqual([])
    expect(here(again, place.accountId)).toBe('')
  })

  test('whose request may still arrive isn’t created again until it surely can’t', async () => {
    const lost = { isOn: true }
    const first = await connected()
    const it = await startApp({
      ...first.it,
      transport: async (request, signal) => {
        if (lost.isOn && request.method === 'POST' && request.url.endsWith('/scheduled_messages'))
          throw noAnswer()
        return first.it.world.transport(request, signal)
      },
    })
    await pass(3_000)
    const place = { accountId: it.app.state.accounts.at(-1)!.id, conversation: toAna }
    const wanted = { ...place, text: 'Slow', at: began + hour }
    await it.app.commands.saveDraft({ ...place, text: 'Slow' })
    await expect(it.app.commands.scheduleMessage(wanted)).rejects.toThrow()
    lost.isOn = false
    await expect(it.app.commands.scheduleMessage(wanted)).rejects.toMatchObject({
      failure: { field: 'at', message: expect.stringContaining('may still arrive') as string },
    })
    expect(await scheduled(it)).toEqual([])
    expect(here(it, place.accountId)).toBe('Slow')
    await pass(61_000)
    await it.app.commands.scheduleMessage(wanted)
    expect(await scheduled(it)).toHaveLength(1)
  })

  test('that can’t be read is counted, and the others are listed, until it is gone', async () => {
    const first = await connected()
    const { accountId } = first
    const ids: number[] = []
    for (const text of ['Plain', 'Spoiled'])
      ids.push(
        (await first.it.app.commands.scheduleMessage({ ...first.place, text, at: began + hour }))
          .id,
      )
    await first.it.app.stop()
    const transport = spoiling(first.it.world, 'scheduled_delivery_timestamp')
    const it = await startApp({ ...first.it, transport })
    await pass(3_000)
    const later = () => it.app.state.realms.get(accountId)!.later
    expect(later().scheduled).toMatchObject([{ id: ids[0], content: 'Plain' }])
    expect(later().unreadable.scheduled).toEqual([ids[1]])
    await elsewhere(it, 'PATCH', `/scheduled_messages/${ids[0]}`, { content: 'Spoiled' })
    await pass(1_000)
    expect(later().scheduled).toEqual([])
    expect(later().unreadable.scheduled).toEqual([ids[1], ids[0]])
    await elsewhere(it, 'DELETE', `/scheduled_messages/${ids[1]}`)
    await elsewhere(it, 'PATCH', `/scheduled_messages/${ids[0]}`, { content: 'Mended' })
    await pass(1_000)
    expect(later().scheduled).toMatchObject([{ id: ids[0], content: 'Mended' }])
    expect(later().unreadable.scheduled).toEqual([])
  })

  test('whose request got no response isn’t created again if the list has one that can’t be read', async () => {
    const { lost, through } = losing('POST', '/scheduled_messages')
    const first = await connected()
    await first.it.app.stop()
    const { world } = first.it
    const spoiled = spoiling(world, 'scheduled_delivery_timestamp')
    const it = await startApp({ ...first.it, transport: through({ ...world, transport: spoiled }) })
    await pass(3_000)
    const wanted = { ...first.place, text: 'Spoiled', at: began + hour }
    await it.app.commands.saveDraft({ ...first.place, text: 'Spoiled' })
    await expect(it.app.commands.scheduleMessage(wanted)).rejects.toThrow()
    await pass(120_000)
    expect(lost.count).toBe(1)
    await expect(it.app.commands.scheduleMessage(wanted)).rejects.toMatchObject({
      failure: { kind: 'malformed' },
    })
    expect(await scheduled(it)).toHaveLength(1)
    expect(here(it, first.accountId)).toBe('Spoiled')
  })

  test('is refused before the first registration of a run, and not for the age of the server', async () => {
    const { it, place } = await connected()
    it.world.realm.controls.refuse(503)
    const again = await it.restart()
    await pass(3_000)
    await expect(
      again.app.commands.scheduleMessage({ ...place, text: 'Early', at: began + hour }),
    ).rejects.toMatchObject({
      failure: { field: 'at', message: 'This account is not connected yet.' },
    })
    await again.app.stop()
  })

  test('that the server certainly refuses leaves text and field alone', async () => {
    const { it, accountId } = await connected()
    const place = {
      accountId,
      conversation: { kind: 'topic', channelId: 999, topic: 'x' } as const,
    }
    await it.app.commands.saveDraft({ ...place, text: 'Nowhere' })
    await expect(
      it.app.commands.scheduleMessage({ ...place, text: 'Nowhere', at: began + hour }),
    ).rejects.toMatchObject({ failure: { kind: 'refused' } })
    expect(here(it, accountId, place.conversation)).toBe('Nowhere')
    expect(it.app.state.scheduling).toEqual([])
    await expect(
      it.app.commands.scheduleMessage({ ...place, text: 'Late', at: began - 1 }),
    ).rejects.toMatchObject({ failure: { field: 'at' } })
  })

  test('that is cancelled comes back as a draft, above what is there', async () => {
    const { it, accountId, place } = await connected()
    const { id } = await it.app.commands.scheduleMessage({
      ...place,
      text: 'Not now',
      at: began + hour,
    })
    await pass(1_000)
    await it.app.commands.saveDraft({ ...place, text: 'Typed since' })
    await it.app.commands.cancelScheduled({ accountId, id })
    expect(here(it, accountId)).toBe('Not now\n\nTyped since')
    expect(await scheduled(it)).toEqual([])
    await expect(it.app.commands.cancelScheduled({ accountId, id: 424_242 })).rejects.toMatchObject(
      {
        failure: { kind: 'invalid' },
      },
    )
  })

  test('that was sent before it could be cancelled isn’t put in the draft, too', async () => {
    const { it, accountId, place } = await connected()
    const sentOf = async (narrow: object[]) =>
      (
        await elsewhere(it, 'GET', '/messages', {
          anchor: 'newest',
          num_before: 5,
          num_after: 0,
          narrow,
        })
      )['messages']
    const wanted = { ...place, text: 'Just now', at: began + 60_000 }
    const { id } = await it.app.commands.scheduleMessage(wanted)
    await pass(1_000)
    // The server sends it before it receives the cancellation, and the events come even later.
    vi.setSystemTime(began + 60_000)
    it.world.tick()
    await expect(it.app.commands.cancelScheduled({ accountId, id })).rejects.toMatchObject({
      failure: { kind: 'invalid', message: 'It was sent before it could be cancelled.' },
    })
    expect(here(it, accountId)).toBe('')
    // Due, but the server hasn’t sent it yet.
    const soon = { ...place, text: 'Not yet', at: began + 90_000 }
    const { id: due } = await it.app.commands.scheduleMessage(soon)
    await pass(40_000)
    it.world.tick()
    await it.app.commands.cancelScheduled({ accountId, id: due })
    expect(here(it, accountId)).toBe('Not yet')
    expect(await sentOf([{ operator: 'dm', operand: [12] }])).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ content: '<p>Just now</p>' })]),
    )
  })

  test('that the server could not send stays listed, and can be turned back into a draft', async () => {
    const { it, accountId } = await connected()
    const place = { accountId, conversation: newPlan }
    const wanted = { ...place, text: 'Into the archive', at: began + hour }
    const { id } = await it.app.commands.scheduleMessage(wanted)
    it.world.realm.controls.archiveChannel('ops')
    await pass(hour)
    it.world.tick()
    await pass(1_000)
    expect(it.app.state.realms.get(accountId)!.later.scheduled).toMatchObject([
      { id, failed: true, content: 'Into the archive' },
    ])
    await it.app.commands.cancelScheduled({ accountId, id })
    expect(here(it, accountId, newPlan)).toBe('Into the archive')
    expect(await scheduled(it)).toEqual([])
  })

  describe('that is sent now', () => {
    const sentTexts = async (it: RunningApp): Promise<readonly unknown[]> => {
      const narrow = [{ operator: 'dm', operand: [12] }]
      const page = { anchor: 'newest', num_before: 9, num_after: 0, narrow }
      const { messages } = await elsewhere(it, 'GET', '/messages', page)
      return (messages as { content: string }[]).map(({ content }) => content)
    }
    const count = async (it: RunningApp, text: string) =>
      (await sentTexts(it)).filter((one) => one === `<p>${text}</p>`).length

    test('goes at once, once, with its change, and leaves the field alone', async () => {
      const { it, accountId, place } = await connected()
      const later = { ...place, text: 'Tomorrow', at: began + hour }
      const { id } = await it.app.commands.scheduleMessage(later)
      await pass(1_000)
      await it.app.commands.saveDraft({ ...place, text: 'Typed since' })
      await it.app.commands.cancelScheduled({ accountId, id, text: 'Today', send: true })
      await pass(1_000)
      expect(await count(it, 'Today')).toBe(1)
      expect(await scheduled(it)).toEqual([])
      expect(here(it, accountId)).toBe('Typed since')
      await pass(hour)
      it.world.tick()
      expect(await count(it, 'Today')).toBe(1)
      expect(await count(it, 'Tomorrow')).toBe(0)
    })

    test('is refused before anything changes if it is too long', async () => {
      const { it, accountId, place } = await connected()
      const later = { ...place, text: 'Tomorrow', at: began + hour }
      const { id } = await it.app.commands.scheduleMessage(later)
      await pass(1_000)
      const long = { accountId, id, text: 'x'.repeat(10_001), send: true }
      await expect(it.app.commands.cancelScheduled(long)).rejects.toMatchObject({
        failure: { kind: 'invalid', field: 'text' },
      })
      expect(await scheduled(it)).toHaveLength(1)
      expect(here(it, accountId)).toBe('')
    })

    test.each([
      ['is sent once if the list shows that it is gone', false, 1, ''],
      ['stays a draft if its fate is unknown', true, 0, 'Today'],
    ])('and whose cancellation got no response %s', async (_what, isDeaf, times, left) => {
      const first = await connected()
      const lost = { deletes: false, lists: false }
      const transport: Transport = async (request, signal) => {
        const reply = await first.it.world.transport(request, signal)
        const { method, url } = request
        const isLost = method === 'DELETE' ? lost.deletes : method === 'GET' && lost.lists
        if (isLost && url.includes('/scheduled_messages')) throw noAnswer()
        return reply
      }
      const it = await startApp({ ...first.it, transport })
      await pass(3_000)
      const place = { accountId: it.app.state.accounts.at(-1)!.id, conversation: toAna }
      const later = { ...place, text: 'Today', at: began + hour }
      const { id } = await it.app.commands.scheduleMessage(later)
      await pass(1_000)
      Object.assign(lost, { deletes: true, lists: isDeaf })
      const asked = it.app.commands
        .cancelScheduled({ accountId: place.accountId, id, send: true })
        .catch(() => undefined)
      await pass(5_000)
      await asked
      expect(await count(it, 'Today')).toBe(times)
      expect(here(it, place.accountId)).toBe(left)
      expect(await scheduled(it)).toEqual([])
    })
  })

  test('edited in its form keeps the change after the app is killed, until it is saved', async () => {
    const { it, accountId, place } = await connected()
    const later = { ...place, text: 'Tomorrow', at: began + hour }
    const { id } = await it.app.commands.scheduleMessage(later)
    const form = `scheduled/${id}` as const
    const key = unsavedKey(accountId, form)
    await it.app.commands.saveForm({ accountId, form, text: '{"content":"To be better"}' })
    await it.app.stop()
    const again = await it.restart()
    await pass(10_000)
    expect(unsavedFields(again.app.state.drafts.get(key) ?? '')).toEqual({
      content: 'To be better',
    })
    // It isn’t stored as a draft.
    expect(await contents(again)).not.toContain('{"content":"To be better"}')
    await again.app.commands.saveForm({ accountId, form, text: '' })
    expect(again.app.state.drafts.has(key)).toBe(false)
    await again.app.commands.saveForm({ accountId: 'gone', form, text: '{}' })
    expect(again.app.state.drafts.size).toBe(0)
  })

  test('is refused with a message if the server is too old', async () => {
    const { it, place } = await connected()
    it.world.realm.controls.restart(170)
    await pass(2 * 60_000)
    await expect(
      it.app.commands.scheduleMessage({ ...place, text: 'Hello', at: began + hour }),
    ).rejects.toMatchObject({ failure: { field: 'at', kind: 'invalid' } })
  })
})

describe('a status with an end', () => {
  const meeting = { text: 'In a meeting', emoji: { name: 'calendar', code: '1f4c5' } }
  const statusOf = async (it: RunningApp) =>
    fieldsOf((await elsewhere(it, 'GET', '/users/11/status'))['status'])

  test('is cleared at that time, even if the app was restarted since', async () => {
    const { it, accountId } = await connected()
    await it.app.commands.setStatus({ accountId, ...meeting, until: began + hour })
    await pass(30 * 60_000)
    expect(await statusOf(it)).toMatchObject({ status_text: 'In a meeting' })
    await it.app.stop()
    await pass(hour)
    expect(await statusOf(it)).toMatchObject({ status_text: 'In a meeting' })
    const again = await it.restart()
    await pass(5_000)
    expect((await statusOf(again))['status_text'] ?? '').toBe('')
    expect(again.app.state.statusEnds.size).toBe(0)
  })

  test('is known from the first snapshot, and follows what other devices change', async () => {
    const { it, accountId } = await connected()
    const shown = (one: RunningApp) => one.app.state.realms.get(accountId)?.ownStatus
    expect(shown(it)).toEqual({ text: '', emoji: null })
    await it.app.commands.setStatus({ accountId, ...meeting, until: null })
    await pass(5_000)
    const emoji = { ...meeting.emoji, type: 'unicode_emoji' }
    expect(shown(it)).toEqual({ text: 'In a meeting', emoji })
    // What isn't named stays.
    await elsewhere(it, 'POST', '/users/me/status', { status_text: 'At lunch' })
    await pass(5_000)
    expect(shown(it)).toEqual({ text: 'At lunch', emoji })
    const again = await it.restart()
    await pass(5_000)
    expect(shown(again)).toEqual({ text: 'At lunch', emoji })
    await elsewhere(again, 'POST', '/users/me/status', { status_text: '', emoji_name: '' })
    await pass(5_000)
    expect(shown(again)).toEqual({ text: '', emoji: null })
  })

  test('that was changed elsewhere meanwhile is left alone', async () => {
    const { it, accountId } = await connected()
    await it.app.commands.setStatus({ accountId, ...meeting, until: began + hour })
    await elsewhere(it, 'POST', '/users/me/status', { status_text: 'At lunch' })
    await pass(5_000)
    expect(it.app.state.statusEnds.size).toBe(0)
    await pass(2 * hour)
    expect(await statusOf(it)).toMatchObject({ status_text: 'At lunch' })
  })

  test('that the server refuses gets no end', async () => {
    const { it, accountId } = await connected()
    const bad = { ...meeting, emoji: { name: 'no_such', code: 'nothing' } }
    await expect(
      it.app.commands.setStatus({ accountId, ...bad, until: began + hour }),
    ).rejects.toMatchObject({ failure: { kind: 'refused' } })
    expect(it.app.state.statusEnds.size).toBe(0)
  })
})
