import { describe, expect, test } from 'vitest'
import { neverRead } from '../../../../src/shared/core/account.ts'
import type { AttentionContext } from '../../../../src/shared/core/attention/decision.ts'
import {
  type Dependency,
  type DependencyNow,
  outagesBehind,
} from '../../../../src/shared/core/attention/dependencies/dependency.ts'
import type { CheckEvent } from '../../../../src/shared/core/attention/event.ts'
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
import type { Board } from '../../../../src/shared/core/checks/board.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  newsOf,
  rule,
  running,
  second,
  silence,
  start,
} from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'

/** What #site-a depends on is well, and was read last at `readAt`. */
function well(readAt = 0, overAt = 0, usual = calm): AttentionContext {
  const reads = [{ readAt, intervalMs: minute }]
  return { ...usual, dependencies: [{ ...onGateway, overAt, reads }] }
}

const onGateway: DependencyNow = {
  scope: { of: 'tag', tag: 'site-a' },
  except: [],
  why: null,
  overAt: 0,
  reads: [],
}
/** The checks with the tag depend on something that is out; those of site-a perhaps on what is well. */
function about(tag: { tag: string }, why: string, ...others: DependencyNow[]): AttentionContext {
  const scope = { of: 'tag', ...tag } as const
  return { ...calm, dependencies: [...others, { ...onGateway, scope, why }] }
}

const out = { ...calm, dependencies: [{ ...onGateway, why: 'gateway is down' }] }

type Kind = CheckEvent['kind']
const tags = ['site-a']
const at = (kind: Kind, ms: number) => checkEvent({ kind, at: start + ms, tags })

const told = ({ popUps }: ReturnType<typeof running>) =>
  popUps.map(({ title, sound }) => (sound ? `${title} ♪` : title))
const whys = ({ listed }: ReturnType<typeof running>) =>
  listed.map(({ outcome, reasons }) => [outcome, reasons.at(-1)?.text])

const because = 'Because gateway is down.'
const forRead = 'It waits for the next read of what it depends on.'
const waited = 'It waited for what it depends on, which is not down.'

describe('a check that goes down while what it depends on is down', () => {
  test('waits for that, and for one more read after it, and is then told once', () => {
    const engine = running(out)
    engine.at(start, [at('down', 0)])
    expect(told(engine)).toEqual([])
    expect(whys(engine)).toEqual([['tray', because]])
    expect(engine.listed[0]?.reasons).toHaveLength(2)
    expect(engine.wakeAt()).toBe(null)
    const over = start + 60 * minute
    engine.at(over, [], well(over, over))
    expect(told(engine)).toEqual([])
    expect(engine.wakeAt()).toBe(over + 70 * second)
    engine.at(over + minute, [], well(over + minute, over))
    expect(told(engine)).toEqual(['db down ♪'])
    expect(whys(engine).slice(1)).toEqual([['shown', waited]])
    engine.wakeUntil(over + 60 * minute, well(over + minute, over))
    expect(engine.listed).toHaveLength(2)
  })

  test('and came back meanwhile is not told, and nothing of it is kept', () => {
    const engine = running(out)
    engine.at(start, [at('down', 0)])
    engine.at(start + minute, [at('recovered', minute)])
    expect(whys(engine).map(([, why]) => why)).toEqual([because, because])
    expect(engine.memory().waits.size).toBe(0)
    engine.at(start + 5 * minute, [], well(start + 5 * minute, start + 2 * minute))
    expect(told(engine)).toEqual([])
  })

  test('is told as soon as nothing says any more that it depends on that', () => {
    const engine = running(out)
    engine.at(start, [at('down', 0)])
    engine.at(start + minute, [], calm)
    expect(told(engine)).toEqual(['db down ♪'])
  })

  test('and was told before is reported as back after that', () => {
    const engine = running()
    engine.at(start, [at('down', 0)])
    engine.at(start + 10 * minute, [at('recovered', 10 * minute)], out)
    engine.at(start + 11 * minute, [], out)
    expect(told(engine)).toEqual(['db down ♪'])
    engine.at(start + 20 * minute, [])
    expect(told(engine)).toEqual(['db down ♪', 'db recovered'])
  })

  test.each(['quiet', 'a storm'] as const)('after %s had held it back, waits on', (by) => {
    const engine = running()
    const held = by === 'quiet' ? { ...calm, systemQuiet: true } : calm
    for (const checkId of by === 'quiet' ? [] : ['a', 'b', 'c'])
      engine.at(start, [checkEvent({ checkId })])
    engine.popUps.splice(0)
    engine.at(start, [at('down', 0)], held)
    engine.at(start + minute, [], out)
    engine.wakeUntil(start + 60 * minute, out)
    expect(told(engine)).toEqual([])
    engine.at(start + 61 * minute, [])
    expect(told(engine)).toHaveLength(1)
    expect(told(engine)[0]).toContain('db down')
  })

  test.each<[string, Kind]>([
    ['late', 'late'],
    ['found to have run too long', 'tooLong'],
    ['found to have been down before', 'missed'],
  ])('says nothing of being %s', (_what, kind) => {
    const ways = { ...defaultAttention.ways, late: 'banner' as const }
    const engine = running({ ...out, settings: { ...defaultAttention, ways } })
    engine.at(start, [at(kind, 0)])
    engine.at(start + minute, [], calm)
    expect(told(engine)).toEqual([])
    expect(whys(engine)).toEqual([['silent', because]])
  })

  test.each<[string, AttentionContext]>([
    ['is well', well(start)],
    ['is out, but of another tag', about({ tag: 'site-b' }, 'gateway is down')],
    ['is well, and another tag’s is out', about({ tag: 'site-b' }, 'gateway is down', onGateway)],
  ])('is told to be late while what it depends on %s', (_what, context) => {
    const ways = { ...defaultAttention.ways, late: 'banner' as const }
    const engine = running({ ...context, settings: { ...defaultAttention, ways } })
    engine.at(start, [at('late', 0)])
    expect(told(engine)).toEqual(['db late'])
  })

  test('after it was told is not repeated until what it depends on is up again', () => {
    const settings = { ...defaultAttention, rules: [rule({ kinds: ['down'], repeatMinutes: 10 })] }
    const engine = running({ ...calm, settings })
    engine.at(start, [at('down', 0)])
    engine.wakeUntil(start + 35 * minute, { ...out, settings })
    expect(told(engine)).toEqual(['db down ♪'])
    engine.wakeUntil(start + 41 * minute)
    expect(told(engine)).toEqual(['db down ♪', 'db is still down ♪'])
  })
})

describe('what a check depends on', () => {
  const gateway = eg.check({ id: 'gateway', name: 'gateway', status: 'down', tags: ['core'] })
  const on = (checkId: string) => ({ accountId: eg.opsId, checkId })
  const down = { id: 'd', label: '', overAt: 0, out: true, onLabel: 'gateway' }
  const bySite = { ...down, scope: onGateway.scope, on: on('gateway') }
  const byCore = {
    ...down,
    scope: { of: 'tag', tag: 'core' } as const,
    on: on('isp'),
    onLabel: 'isp',
  }
  const unread = { checks: new Map(), freshness: neverRead }
  const failing = (ms: number) => ({ freshness: { ...eg.fresh, failedAt: eg.now - ms } })
  test.each<[string, Partial<Board>, readonly Dependency[], string | undefined]>([
    ['was down at the last start and has yet to be read', unread, [bySite], 'gateway'],
    ['is down and unread for less than a minute', failing(59 * second), [bySite], 'gateway'],
    ['is down and unread for a minute', failing(minute), [bySite], undefined],
    ['is in its list no more', { checks: new Map() }, [bySite], undefined],
    [
      'is up, and depends by its tag on what is down',
      {},
      [{ ...bySite, out: false }, byCore],
      'isp',
    ],
  ])('keeps it quiet, or not, if it %s', (_what, change, dependencies, behind) => {
    const isp = eg.check({ id: 'isp', name: 'isp', status: 'down' })
    const board = { ...eg.board([gateway, isp]), ...change }
    const boards = new Map([[eg.opsId, board]])
    const state = eg.state({ accounts: [eg.account()], boards, dependencies })
    expect(outagesBehind(state, eg.now)(eg.opsId, { id: 'db', tags })?.name).toBe(behind)
  })
})

describe('a check that goes down while what it depends on is up', () => {
  test('waits for one read of that, for an interval and 10 s at most', () => {
    const engine = running(well(start))
    engine.at(start, [at('down', 0)])
    expect(told(engine)).toEqual([])
    expect(whys(engine)).toEqual([['tray', forRead]])
    engine.wakeUntil(start + 69 * second)
    expect(told(engine)).toEqual([])
    engine.wakeUntil(start + 70 * second)
    expect(told(engine)).toEqual(['db down ♪'])
  })

  test.each([
    ['up, went down and came back', well(start + 30 * second), ['db went down and came back']],
    ['down, is part of that', out, []],
  ])('and comes back before that is read as %s', (_what, read, words) => {
    const engine = running(well(start))
    engine.at(start, [at('down', 0)])
    engine.at(start + 10 * second, [at('recovered', 10 * second)])
    expect(told(engine)).toEqual([])
    expect(whys(engine).at(-1)).toEqual([
      'folded',
      'What was held back about it until now says so.',
    ])
    expect(engine.listed.at(-1)?.reasons).toHaveLength(2)
    engine.at(start + 30 * second, [], read)
    expect(told(engine)).toEqual(words)
    expect(engine.memory().waits.size).toBe(0)
  })

  test('comes back and goes down again waits for the read of the newest outage', () => {
    const engine = running(well(start))
    engine.at(start, [at('down', 0)])
    engine.at(start + 10 * second, [at('recovered', 10 * second)])
    engine.at(start + 20 * second, [at('down', 20 * second)])
    engine.at(start + 30 * second, [], out)
    engine.wakeUntil(start + 30 * minute, out)
    expect(told(engine)).toEqual([])
    engine.at(start + 31 * minute, [])
    expect(told(engine)).toEqual(['db down ♪'])
  })

  test('is one with the message of a bot that comes while it waits', () => {
    const engine = running(well(start))
    engine.at(start, [at('down', 0)])
    const news = { ...newsOf('db'), tags: [] }
    engine.at(start + second, [messageEvent({ at: start + second, isBot: true, news })])
    expect(told(engine)).toEqual([])
    engine.wakeUntil(start + 5 * minute)
    expect(told(engine)).toEqual(['db down ♪'])
  })

  test('is reported as back at once if it was told, and reminded of at once after a silence', () => {
    const engine = running(calm)
    engine.at(start, [at('down', 0)])
    const later = start + 10 * minute
    engine.at(later, [at('recovered', 10 * minute)], well(later))
    expect(told(engine)).toEqual(['db down ♪', 'db recovered'])
    const snoozed = { ...well(later), silences: [silence({})] }
    engine.at(later + minute, [at('down', 11 * minute)], snoozed)
    const again = { ...at('down', 60 * minute), isReminder: true as const }
    engine.at(start + 60 * minute, [again], well(start + 60 * minute))
    expect(told(engine)).toEqual(['db down ♪', 'db recovered', 'db down ♪'])
  })
})
