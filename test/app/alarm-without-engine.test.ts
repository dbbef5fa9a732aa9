import { describe, expect, test } from 'vitest'
import { createBeat } from '../../src/main/base/beat.ts'
import { LiveState } from '../../src/main/state/store.ts'
import { emptyMemory } from '../../src/shared/core/attention/memory.ts'
import { emptyBoard, withBoard } from '../../src/shared/core/checks/board.ts'
import { withChecks } from '../../src/shared/core/checks/board-update.ts'
import { type AppState, emptyState } from '../../src/shared/core/state.ts'
import * as eg from '../support/eg.ts'
import { fakeDesktop } from '../support/fake-desktop.ts'

/** The app with an attention engine that fails. */
function withoutEngine(state: AppState) {
  const desktop = fakeDesktop()
  const bugs: string[] = []
  const memory = {
    ...emptyMemory,
    get missed(): never {
      throw new Error('a bug')
    },
  }
  const live = new LiveState({
    onDraftsChanged: () => undefined,
    initial: { state, memory, runs: new Map() },
    desktop,
    journal: { save: () => Promise.resolve(), settled: () => Promise.resolve() },
    record: { changed: () => undefined, taken: () => undefined },
    clock: { now: () => eg.now, monotonic: () => 0, random: () => 0.5 },
    beat: createBeat(() => undefined),
    onMissedTime: () => undefined,
    onBug: (where) => bugs.push(where),
  })
  return { live, desktop, bugs }
}

describe('a bug in the attention engine', () => {
  test('costs the rules, but never the alarm', () => {
    const check = eg.check({ name: 'db', status: 'up' })
    const { live, desktop, bugs } = withoutEngine(
      withBoard(emptyState, emptyBoard('ops', new Map([[check.id, 'up']]))),
    )
    live.update((state) =>
      withChecks(state, 'ops', {
        checks: [{ ...check, status: 'down' }],
        unreadable: 0,
        at: eg.now,
        intervalMs: 60_000,
        serverOffsetMs: 0,
      }),
    )
    live.stop()
    expect(bugs).toContain('attention')
    expect(desktop.notices.map(({ title }) => title)).toEqual(['db is down'])
    expect(live.get().notices.map(({ title }) => title)).toEqual(['db is down'])
  })

  test('costs no reminder either', () => {
    const reminder = { id: 'r', accountId: eg.chatId, conversation: eg.direct, messageId: 1 }
    const { live, desktop, bugs } = withoutEngine({
      ...emptyState,
      accounts: [eg.chatAccount()],
      reminders: [{ ...reminder, label: 'Ana', at: eg.now - 1 }],
    })
    live.reevaluate()
    live.stop()
    expect(bugs).toContain('attention')
    expect(desktop.notices.map(({ title }) => title)).toEqual(['Reminder: Ana'])
    expect(live.get().notices.map(({ title }) => title)).toEqual(['Reminder: Ana'])
  })
})
