import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type RunningApp, startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const conversation = { kind: 'direct', userIds: [12] } as const

async function connected() {
  const it = await startApp()
  const { accountId: ops } = await it.app.commands.addAccount(it.world.newAccounts.ops)
  const { accountId: chat } = await it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(3_000)
  const checkId = [...(it.app.state.boards.get(ops)?.checks.keys() ?? [])][0] ?? ''
  return { it, ops, chat, checkId, place: { accountId: chat, conversation } }
}

/** The documents on disk that name one of these accounts. */
const naming = ({ disk }: RunningApp, ids: readonly string[]): readonly string[] =>
  [...disk.documents].flatMap(([name, text]) => (ids.some((id) => text.includes(id)) ? name : []))

test('what a kill left of a removed account is off the disk after the next start', async () => {
  const { it, ops, chat, place } = await connected()
  await it.app.commands.updateSettings({ keepMessages: true })
  await it.app.commands.saveDraft({ ...place, text: 'half a thought' })
  it.world.realm.controls.say({ from: 'Ana', to: 'Dana', text: 'are you there?' })
  await pass(30_000)
  const stopped = it.app.stop()
  await pass(2_000)
  await stopped
  const kinds = ['boards', 'draftLinks', 'drafts', 'looks', 'marks', 'messages', 'notices']
  expect(naming(it, [ops, chat])).toEqual(expect.arrayContaining(kinds))
  it.disk.documents.set('accounts', '[]')
  const again = await startApp({ world: it.world, disk: it.disk, vault: it.vault })
  await pass(1_000)
  expect(naming(it, [ops, chat])).toEqual([])
  await again.app.stop()
})

type Connected = Awaited<ReturnType<typeof connected>>

test.each<[string, (at: Connected) => Promise<unknown>]>([
  [
    'a report is being posted',
    ({ it, ops, checkId, place }) =>
      it.app.commands.postReport({ accountId: ops, checkId, place, text: 'down', anyway: true }),
  ],
  [
    'a message is taken back',
    async ({ it }) => {
      const [{ localId = '' } = {}] = it.app.state.outbox
      await it.app.commands.discardMessage({ localId, keepText: true })
    },
  ],
])('nothing stays of accounts that are removed while %s', async (_what, act) => {
  const at = await connected()
  const { it, ops, chat, place } = at
  await it.app.commands.updateSettings({ undoSendSeconds: 30 })
  await it.app.commands.sendMessage({ ...place, text: 'too soon' })
  const { write } = it.disk
  it.disk.write = async (name, value) => {
    if (name === 'outbox') await new Promise((resolve) => setTimeout(resolve, 5_000))
    await write(name, value)
  }
  const ended = act(at).catch(() => undefined)
  await pass(1_000)
  for (const accountId of [chat, ops]) await it.app.commands.removeAccount({ accountId })
  await pass(30_000)
  await ended
  expect(naming(it, [ops, chat])).toEqual([])
  await it.app.stop()
})

test('the last letters of a report that come after its project was removed are not kept', async () => {
  const { it, ops, checkId } = await connected()
  const report = { accountId: ops, checkId }
  await it.app.commands.saveReport({ ...report, text: 'half a th' })
  expect(naming(it, [ops])).toContain('drafts')
  await it.app.commands.removeAccount({ accountId: ops })
  await it.app.commands.saveReport({ ...report, text: 'half a thought' })
  await pass(1_000)
  expect(naming(it, [ops])).toEqual([])
  await it.app.stop()
})
