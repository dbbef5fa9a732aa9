import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  eachSilence,
  fullWords,
  type Silence,
  silenceLimit,
} from '../../src/shared/core/attention/silence.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { failureSentence } from '../../src/shared/core/failure-words.ts'
import { actionsFor } from '../../src/shared/core/views/notice-actions.ts'
import { startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'
import { scopeOf } from '../support/watched-job.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const muted = {
  how: 'mute',
  until: { kind: 'ever' },
  since: Date.UTC(2026, 0, 1),
  by: null,
  status: null,
  messageId: null,
} as const

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** As many silences as there can be, and a check that is down. */
async function full() {
  const disk = fakeDisk()
  const silences = Array.from({ length: silenceLimit }, (_, n): Silence => {
    const scope = { of: 'tag', tag: `tag-${n}` } as const
    return { ...muted, id: `mute-${n}`, scope, label: `#tag-${n}` }
  })
  disk.documents.set('silences', JSON.stringify(silences))
  const it = await startApp({ disk })
  const ops = it.world.ops.controls
  ops.addChecks(1)
  const job = ops.names().find((one) => one.startsWith('job-'))!
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  await it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(3_000)
  ops.ping(job, 'fail')
  await it.app.commands.refresh({ accountId: null })
  await pass(3_000)
  const notice = it.desktop.notices.find(({ title }) => title === `${job} is down`)!
  const kept = it.app.state.silences
  return { ...it, ops, job, notice, kept, scope: scopeOf(it, job) }
}

type Full = Awaited<ReturnType<typeof full>>

const saidInWindow = ({ app }: Full) => app.state.troubles.map(({ text }) => text)

test.each<[string, (it: Full) => Promise<readonly string[]>]>([
  [
    'in the window and its palette',
    async ({ app, scope }) => {
      const asked = app.commands.silence({ how: 'snooze', scope, until: { kind: 'change' } })
      const refused = await asked.catch((error: unknown) => error)
      return refused instanceof RequestFailed ? [failureSentence(refused.failure)] : []
    },
  ],
  [
    'in a notification',
    async (it) => {
      expect(actionsFor(it.notice).map(({ key }) => key)).toContain('snooze')
      await it.app.noticeAction(it.notice, 'snooze')
      expect(it.desktop.withdrawn).not.toContain(it.notice.subject)
      expect(it.desktop.windowOpen).toBe(true)
      return saidInWindow(it)
    },
  ],
  [
    'in the tray',
    async (it) => {
      const until = { kind: 'for', minutes: 60 } as const
      it.app.trayAction({ do: 'silence', how: 'snooze', scope: it.scope, until })
      await pass(0)
      return saidInWindow(it)
    },
  ],
  [
    'by 👀 in the chat',
    async (it) => {
      const { realm } = it.world
      const messageId = realm.controls.say({
        from: 'Monitoring',
        to: `ops > ${it.job} is DOWN`,
        text: `[${it.job}](https://ops.demo.invalid/cloaked/${it.ops.check(it.job).uniqueKey}/) is **DOWN**.`,
      })
      await pass(2_000)
      realm.controls.react({ from: 'Ana', messageId, name: 'eyes', present: true })
      await pass(2_000)
      return saidInWindow(it)
    },
  ],
])('one silence too many is refused in a sentence, and none ends for it: %s', async (_way, ask) => {
  const it = await full()
  expect(await ask(it)).toEqual([expect.stringContaining(fullWords)])
  expect(it.app.state.silences).toEqual(it.kept)
  expect(it.bugs).toEqual([])
  await it.app.stop()
})

test('where there can’t be one more, one can still be replaced, and Undo brings it back', async () => {
  const { app, kept } = await full()
  const [first] = eachSilence(kept)
  const until = { kind: 'time', at: Date.now() + 60_000 } as const
  const { id } = await app.commands.silence({ how: 'snooze', scope: first!.scope, until })
  expect(app.state.silences).toHaveLength(silenceLimit)
  await app.commands.undoSilence({ id })
  expect(new Set(app.state.silences)).toEqual(new Set(kept))
  await app.stop()
})
