import { describe, expect, test } from 'vitest'
import { type Freshness, neverRead } from '../../../../src/shared/core/account.ts'
import { emptyState } from '../../../../src/shared/core/state.ts'
import { statusLine } from '../../../../src/shared/core/views/status-line.ts'
import * as eg from '../../../support/eg.ts'

const text = (state = eg.state()) => statusLine(state, eg.now).text

function withFreshness(change: Partial<Freshness>) {
  return {
    ...eg.state(),
    boards: new Map([[eg.opsId, eg.board([], { freshness: { ...eg.fresh, ...change } })]]),
  }
}

describe('the status line', () => {
  test('shows the age of the project read longest ago', () => {
    expect(text()).toBe('Updated 12 s ago')
  })

  test('says since when all are up, and when the next ping is due', () => {
    const up = (id: string, change: Parameters<typeof eg.check>[0]) =>
      eg.check({ id, status: 'up', started: false, ...change })
    const line = (...checks: ReturnType<typeof up>[]) =>
      text({ ...eg.state(), boards: new Map([[eg.opsId, eg.board(checks)]]) })
    const early = up('a', { since: eg.now - eg.day, nextPingAt: eg.now + 3 * eg.minute })
    const late = up('b', { since: eg.now - eg.hour, nextPingAt: eg.now + eg.hour })
    expect(line(early, late)).toMatch(/^All 2 up since \d\d:25, next due in 3 min$/)
    // Not known since when; one runs already, so its time is that of its start.
    const running = { ...late, since: null, started: true, nextPingAt: eg.now - eg.minute }
    expect(line(early, running)).toBe('All 2 up, next due in 3 min')
    expect(line(early, { ...late, nextPingAt: eg.now - 1 })).toMatch(/, next due now$/)
    for (const status of ['new', 'paused', 'unknown', 'down'] as const)
      expect(line(early, { ...late, status })).toBe('Updated 12 s ago')
  })

  test('doesn’t call the counts of a list a read of it', () => {
    const readAt = eg.now - 6 * eg.minute
    const checks = [eg.check({ nextPingAt: eg.now - eg.minute }), eg.check()]
    const freshness = { ...eg.fresh, readAt, seenAt: eg.now - 12_000 }
    const state = {
      ...eg.state(),
      boards: new Map([[eg.opsId, eg.board(checks, { freshness })]]),
    }
    expect(text(state)).toMatch(/^Counts the same 12 s ago, list read at \d\d:19$/)
    const late = { ...freshness, seenAt: eg.now - 5 * eg.minute }
    expect(
      text({ ...state, boards: new Map([[eg.opsId, eg.board(checks, { freshness: late })]]) }),
    ).toMatch(/not updated since \d\d:19\.$/)
  })

  test('speaks of the chat if there is no project', () => {
    expect(text({ ...eg.state(), accounts: [eg.chatAccount()] })).toBe('Chat is live')
    expect(text(emptyState)).toBe('No account yet')
  })

  test('says that this is the demo', () => {
    const state = eg.state()
    expect(text({ ...state, accounts: [eg.account({ demo: true })] })).toBe(
      'Demo world · updated 12 s ago',
    )
  })

  test('asks first of all for a rejected key to be replaced', () => {
    const failure = { kind: 'network', reason: 'dns', host: 'h', reached: 'no' } as const
    const state = withFreshness({ failure })
    const web = eg.account({ id: 'web', label: 'web-project', key: 'rejected' })
    expect(statusLine({ ...state, accounts: [...state.accounts, web] }, eg.now)).toEqual({
      tone: 'trouble',
      text: 'web-project: key rejected',
      more: 1,
      action: { label: 'Replace key', target: { view: 'replaceKey', accountId: 'web' } },
    })
  })

  test('says what can’t be reached and how old the data are', () => {
    const readAt = new Date(eg.now).setHours(9, 41)
    const now = new Date(eg.now).setHours(12, 0)
    const failure = {
      kind: 'network',
      reason: 'timeout',
      host: 'hc.example.org',
      reached: 'maybe',
    } as const
    const line = statusLine(withFreshness({ readAt, failure }), now)
    expect(line.tone).toBe('stale')
    expect(line.text).toBe('ops-project is unreachable (it timed out). Showing data from 09:41.')
  })

  test('says what can’t be reached before what is being read for the first time', () => {
    const failure = { kind: 'network', reason: 'timeout', host: 'h', reached: 'maybe' } as const
    const { accounts, boards, ...state } = withFreshness({ failure })
    const web = eg.account({ id: 'web', label: 'web-project' })
    const unread = eg.board([], { accountId: 'web', freshness: neverRead })
    const both = new Map([...boards, ['web', unread] as const])
    const line = statusLine({ ...state, accounts: [web, ...accounts], boards: both }, eg.now)
    expect(line).toMatchObject({ tone: 'stale', more: 1 })
    expect(line.text).toMatch(/ is unreachable \(/)
  })

  test('never describes old data as read', () => {
    expect(text(withFreshness({ readAt: eg.now - eg.hour }))).toMatch(
      /^ops-project: not updated since/,
    )
    expect(text(withFreshness({ readAt: null }))).toBe('ops-project: updating')
  })

  test('never says that all is read if some checks could not be', () => {
    const board = (unreadable: number) => eg.board([eg.check()], { unreadable })
    const line = (unreadable: number) =>
      statusLine({ ...eg.state(), boards: new Map([[eg.opsId, board(unreadable)]]) }, eg.now)
    expect(line(1)).toMatchObject({
      tone: 'stale',
      text: 'ops-project: 1 check could not be read.',
    })
    expect(line(2).text).toBe('ops-project: 2 checks could not be read.')
  })
})
