import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { floorLevel } from '../../src/shared/core/chat/server-level.ts'
import { stepsAccount } from '../../src/shared/core/checks/history.ts'
import { startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe.each([
  ['the oldest', floorLevel],
  ['the newest', undefined],
])('an entry in the list of notices, on %s server', (_which, featureLevel) => {
  async function noticed() {
    const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel })
    const it = await startApp({ world })
    const added = it.app.commands.addAccount(world.newAccounts.chat)
    await pass(5_000)
    await added
    const { controls } = world.realm
    const id = controls.say({
      from: 'Ana',
      to: 'ops > db-primary',
      text: 'the pasword',
      mention: true,
    })
    await pass(60_000)
    const listed = () => JSON.stringify(it.app.state.notices)
    const stored = () => it.disk.documents.get('notices') ?? ''
    expect(listed()).toContain('the pasword')
    return { it, controls, id, listed, stored }
  }

  test('has the text of its message after an edit', async () => {
    const { it, controls, id, listed, stored } = await noticed()
    controls.edit(id, 'the word')
    await pass(60_000)
    expect(listed()).not.toContain('pasword')
    expect(listed()).toContain('the word')
    expect(stored()).not.toContain('pasword')
    await it.app.stop()
  })

  test('is replaced on the screen, too, and withdrawn once nothing of it is left', async () => {
    const { it, controls, id } = await noticed()
    const subject = it.desktop.notices.at(-1)?.subject
    controls.edit(id, 'the word')
    await pass(60_000)
    expect(it.desktop.replaced).toMatchObject([{ subject, id: it.desktop.notices.at(-1)?.id }])
    expect(it.desktop.replaced[0]?.body).toContain('the word')
    const other = controls.say({
      from: 'Ana',
      to: 'ops > db-primary',
      text: 'gone?',
      mention: true,
    })
    await pass(60_000)
    // Its own notice took the place of the first one, which is not shown again.
    controls.edit(id, 'the third word')
    await pass(60_000)
    expect(it.desktop.replaced).toHaveLength(1)
    expect(it.desktop.withdrawn).not.toContain(subject)
    controls.remove(other)
    await pass(60_000)
    expect(it.desktop.withdrawn).toContain(subject)
    await it.app.stop()
  })

  test('has no text of a deleted message, nor has the disk', async () => {
    const { it, controls, id, listed, stored } = await noticed()
    controls.remove(id)
    await pass(60_000)
    expect(listed()).not.toContain('pasword')
    expect(listed()).toContain('This message was deleted.')
    expect(stored()).not.toContain('pasword')
    await it.app.stop()
  })

  test('of several messages follows each of them', async () => {
    const { it, controls, listed, stored } = await noticed()
    const say = (text: string) => controls.say({ from: 'Boris', to: 'Boris', text })
    controls.dropQueues()
    const [first, last] = [say('hello'), say('the key is 1234')]
    await pass(120_000)
    expect(it.desktop.notices.at(-1)?.body).toBe('2 messages · the key is 1234')
    controls.edit(last, 'the key is')
    controls.remove(first)
    await pass(60_000)
    expect(it.desktop.replaced.at(-1)?.body).toBe('2 messages · the key is')
    expect(`${listed()}${stored()}`).not.toContain('1234')
    controls.remove(last)
    await pass(60_000)
    expect(`${listed()}${stored()}`).not.toContain('the key is')
    await it.app.stop()
  })

  test.each([
    ['edited', 'of the newest', 0],
    ['edited', 'older than what is fetched for the list', 300],
    ['deleted', 'of the newest', 0],
    ['deleted', 'older than what is fetched for the list', 300],
  ] as const)(
    'follows a message that was %s while the event queue was lost, %s',
    async (how, _age, others) => {
      const { it, controls, id, listed, stored } = await noticed()
      const also = controls.say({ from: 'Ana', to: 'Ana', text: 'stays', mention: true })
      for (let n = 0; n < others; n += 1)
        controls.say({ from: 'Boris', to: 'ops > db-primary', text: `other ${n}` })
      await pass(60_000)
      expect(listed()).toContain('the pasword')
      const told = it.desktop.notices.length
      controls.dropQueues()
      if (how === 'edited') controls.edit(id, 'the word')
      else controls.remove(id)
      await pass(120_000)
      expect(listed()).not.toContain('pasword')
      expect(listed()).toContain(how === 'edited' ? 'the word' : 'This message was deleted.')
      expect(stored()).not.toContain('pasword')
      expect(listed()).toContain('stays')
      expect(
        it.app.state.notices.some(
          ({ target }) => target.view === 'conversation' && target.messageId === also,
        ),
      ).toBe(true)
      expect(it.desktop.notices).toHaveLength(told)
      expect(it.bugs).toEqual([])
      await it.app.stop()
    },
  )

  test('follows a message that was edited while Belfry was not running', async () => {
    const { it, controls, id } = await noticed()
    await it.app.stop()
    controls.edit(id, 'the word')
    const again = await it.restart()
    await pass(60_000)
    expect(JSON.stringify(again.app.state.notices)).toContain('the word')
    expect([...again.disk.documents.values()].join()).not.toContain('pasword')
    expect(again.desktop.notices).toEqual([])
    await again.app.stop()
  })

  test.each(['edited', 'deleted'] as const)(
    'and what waits for the end of do not disturb follow a message that is %s, on disk, too',
    async (how) => {
      const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel })
      const it = await startApp({ world })
      const added = it.app.commands.addAccount(world.newAccounts.chat)
      await pass(5_000)
      await added
      const until = { kind: 'time', at: Date.now() + 600_000 } as const
      await it.app.commands.silence({ how: 'snooze', scope: { of: 'everything' }, until })
      const { controls } = world.realm
      const to = 'ops > db-primary'
      const id = controls.say({ from: 'Ana', to, text: 'the pasword', mention: true })
      await pass(60_000)
      const kept = () => [...it.disk.documents.values()].join()
      expect(kept()).toContain('the pasword')
      if (how === 'edited') controls.edit(id, 'the word')
      else controls.remove(id)
      await pass(60_000)
      expect(kept()).not.toContain('pasword')
      await pass(600_000)
      const shown = it.desktop.notices.map(({ body }) => body)
      expect(shown.filter((body) => body.includes('word'))).toHaveLength(how === 'edited' ? 1 : 0)
      const steps = it.history.entries({ accountId: stepsAccount, from: 0, limit: 500 })
      expect(steps.length).toBeGreaterThan(0)
      expect(JSON.stringify(steps)).not.toContain('pasword')
      await it.app.stop()
    },
  )
})

test('a message that is notified again after a crash is listed once, and shown once more only', async () => {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const { controls } = world.realm
  const first = await startApp({ world })
  const added = first.app.commands.addAccount(world.newAccounts.chat)
  await pass(5_000)
  await added
  await pass(60_000)
  const crashed = fakeDisk()
  for (const [name, text] of first.disk.documents) crashed.documents.set(name, text)
  for (const text of ['said once', 'and more']) {
    controls.say({ from: 'Ana', to: 'Ana', text })
    await pass(5_000)
  }
  expect(first.desktop.notices.map(({ body }) => body)).toEqual(['said once', 'and more'])
  // The list was saved before the crash; that the message was notified was not.
  crashed.documents.set('notices', first.disk.documents.get('notices') ?? '')
  await first.app.stop()
  const { vault, history } = first
  const second = await startApp({ world, disk: crashed, vault, history })
  await pass(60_000)
  for (let n = 0; n < 5; n += 1) {
    controls.say({ from: 'Boris', to: 'Boris', text: `other ${n}` })
    await pass(60_000)
  }
  const { notices, replaced } = second.desktop
  const isAna = ({ title }: { readonly title: string }) => title.startsWith('Ana')
  expect(notices.filter(isAna).length).toBeGreaterThan(0)
  expect(replaced).toEqual([])
  const ids = second.app.state.notices.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)])
  await second.app.stop()
})
