import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { step } from '../../../../src/shared/core/attention/engine.ts'
import type { CheckFacts } from '../../../../src/shared/core/attention/event.ts'
import { emptyMemory, missedLimit } from '../../../../src/shared/core/attention/memory.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import { checkEventBody, noticeOf } from '../../../../src/shared/core/attention/notices.ts'
import { clockWords } from '../../../../src/shared/core/time.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  newsOf,
  running,
  second,
  start,
} from '../../../support/attention-eg.ts'

const facts: CheckFacts = {
  since: start - 5 * minute,
  cause: { kind: 'failed', at: start - 5 * minute, line: 'disk full' },
  schedule: { kind: 'period', periodSeconds: 3_600 },
  isReadOnly: false,
  serverNow: start,
}

describe('the text of a notification', () => {
  test("is made of the event's facts, the cause first", () => {
    const event = checkEvent({ body: facts, tags: ['prod'], project: 'Ops' })
    const at = clockWords(start - 5 * minute, start)
    expect(noticeOf(event, false).body).toBe(
      `Failed at ${at}: disk full · down for 5 min · Ops · #prod`,
    )
    const silent = {
      ...facts,
      cause: { kind: 'failed', at: start, line: null },
      since: null,
    } as const
    const now = clockWords(start, start)
    expect(checkEventBody({ ...event, body: { ...silent, isReadOnly: true } })).toBe(
      `Failed at ${now} · expected every hour · a read-only key can’t read its log · Ops · #prod`,
    )
    const back = { ...event, kind: 'recovered', body: { ...facts, cause: null } } as const
    expect(checkEventBody(back)).toBe('was down for 5 min · Ops · #prod')
  })

  test('kept by an older version is shown as it is', () => {
    expect(noticeOf(checkEvent({ body: 'never pinged' }), false).body).toBe('never pinged')
  })
})

describe('after the notice of a storm', () => {
  const fall = (at: number, checkId: string) => checkEvent({ checkId, at })

  /** One that told of three checks and then, ten seconds later, of five. */
  function stormy() {
    const engine = running()
    for (let i = 0; i < 8; i += 1) engine.at(start, [fall(start, `c${i}`)])
    engine.wakeUntil(start + 10 * second)
    expect(engine.popUps).toHaveLength(4)
    return engine
  }

  test.each([
    [19, [40, 49]],
    [20, [30]],
  ])(
    'a check that goes down %i s later is told %j s after the start, at the latest',
    (after, told) => {
      const engine = stormy()
      const at = start + (10 + after) * second
      engine.at(at, [fall(at, 'next')])
      if (after < 20) {
        expect(engine.popUps).toHaveLength(4)
        expect(engine.wakeAt()).toBe(start + (told.at(-1) ?? 0) * second)
        engine.wakeUntil(start + minute)
      }
      expect(engine.popUps.map(({ title }) => title).slice(4)).toEqual(['next down'])
    },
  )

  test('what waited for what it depends on waits with the rest, and is listed once for that', () => {
    const scope = { of: 'tag', tag: 'site-a' } as const
    const one = { scope, except: [], why: 'gateway is down', overAt: 0, reads: [] }
    const engine = running()
    const out = { ...calm, dependencies: [one] }
    engine.at(start, [checkEvent({ tags: ['site-a'] })], out)
    for (const name of ['a', 'b', 'c']) engine.at(start, [fall(start, name)], out)
    engine.at(start + second, [])
    engine.wakeUntil(start + minute)
    const ids = engine.listed.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(engine.popUps.map(({ title }) => title)).toContain('db down')
  })
})

test('Two alarms ten seconds apart make a sound each, and nine only one', () => {
  const sounds = (apart: number) => {
    const engine = running()
    for (const [i, checkId] of ['a', 'b'].entries())
      engine.at(start + i * apart, [checkEvent({ checkId, at: start + i * apart })])
    return engine.popUps.map(({ sound }) => sound)
  }
  expect(sounds(10 * second)).toEqual([true, true])
  expect(sounds(9 * second)).toEqual([true, false])
})

describe('a notice about several checks', () => {
  const several = (kind: 'down' | 'missed') =>
    ['a', 'b', 'c', 'd'].map((checkId) => checkEvent({ kind, checkId }))

  test('counts those that it tells of, not all that are down', () => {
    const engine = running({ ...calm, down: { ops: 9 } })
    engine.at(start, several('down'))
    expect(engine.popUps.map(({ title }) => title)).toEqual(['4 checks down in ops'])
  })

  test.each([
    ['down', 0],
    ['missed', 1],
  ] as const)('that says “%s” leaves %i notices once none of them is so', (kind, left) => {
    const engine = running()
    engine.at(start, several(kind))
    const over = several(kind).map(({ subject }) => subject)
    engine.at(start + minute, [], calm, over)
    expect(engine.shown.size).toBe(left)
  })

  test('is what is remembered by its parts, and not one about a single check', () => {
    const engine = running()
    engine.at(start, [checkEvent()])
    expect(engine.memory().groups.size).toBe(0)
  })
})

describe('a storm of checks', () => {
  const size = 3 * missedLimit
  const storm = Array.from({ length: size }, (_, i) =>
    checkEvent({
      checkId: `c${i}`,
      name: `c${i}`,
      tags: [`t${i}`, ...(i % 10 > 0 ? ['web'] : [])],
    }),
  )

  test('names each tag that at least four fifths of them have, in whatever order they come', () => {
    const tags = fc.subarray(['a', 'b', 'c', 'd'])
    const nearly = fc.array(fc.constantFrom(true, true, true, true, true, true, false))
    fc.assert(
      fc.property(fc.array(tags, { minLength: 4, maxLength: 80 }), nearly, (lists, has) => {
        const events = lists.map((own, n) =>
          checkEvent({ checkId: `c${n}`, tags: [...own, ...((has[n] ?? true) ? ['web'] : [])] }),
        )
        const named = ['a', 'b', 'c', 'd', 'web'].filter(
          (tag) => events.filter((event) => event.tags.includes(tag)).length >= 0.8 * events.length,
        )
        const { popUps } = step(emptyMemory, { events, over: [] }, calm, start)
        const body = popUps[0]?.body ?? ''
        expect(body.includes('tagged')).toBe(named.length > 0)
        const said = [...body.matchAll(/#(\w+)/g)].map(([, tag]) => tag)
        expect(named).toEqual(expect.arrayContaining(said))
      }),
      { seed: 20_261_122, numRuns: 300 },
    )
  })

  test('is one notification, and each check is decided', () => {
    const { popUps, decisions } = step(emptyMemory, { events: storm, over: [] }, calm, start)
    expect(popUps.map(({ title, body }) => `${title}: ${body}`)).toEqual([
      '3,000 checks down in ops: 2,700 of them tagged #web · c0, c1, c2, c3 and 2,996 more',
    ])
    expect(decisions.map(({ event }) => event)).toEqual(storm)
    expect(new Set(decisions.map(({ reasons }) => reasons.at(-1)?.by))).toEqual(new Set(['batch']))
  })

  test('remembers when the last of them changed, for later messages of bots', () => {
    const { memory } = step(emptyMemory, { events: storm, over: [] }, calm, start)
    expect([...memory.changedAt.keys()]).toEqual(storm.slice(-missedLimit).map((e) => e.subject))
  })

  test('matches an earlier message to one outage only, even within one step', () => {
    const said = { isBot: true, kind: 'message' as const, news: newsOf('c1') }
    const first = messageEvent({ ...said, at: start, chat: { notify: true, sound: true } })
    const down = checkEvent({ checkId: 'c1', name: 'c1', at: start + second })
    const up = checkEvent({ ...down, kind: 'recovered', id: 'up', at: start + 2 * second })
    const again = checkEvent({ ...down, id: 'again', at: start + 3 * second })
    const events = [first, down, up, again]
    const { decisions } = step(emptyMemory, { events, over: [] }, calm, start + 3 * second)
    const by = (id: string) =>
      decisions.find(({ event }) => event.id === id)?.reasons.map((reason) => reason.by)
    expect(by(down.id)).toContain('same')
    expect(by('again')).not.toContain('same')
  })
})

describe('checks that flap in a storm', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const turn = fc.record({
    after: fc.constantFrom(second, 20 * second, minute, 6 * minute),
    flips: fc.subarray(names),
    systemQuiet: fc.constantFrom(false, false, false, true),
  })
  /** What a notice says about checks. */
  const saidIn = ({ title, lines }: Notice): string[] =>
    [title, ...lines.map(({ text }) => text)].flatMap(
      (text) => /^[a-f] (?:down|recovered)\b/.exec(text) ?? [],
    )

  test('are reported as they are by then, also in the digest after a quiet time', () => {
    let statements = 0
    fc.assert(
      fc.property(fc.array(turn, { minLength: 20, maxLength: 60 }), (turns) => {
        const engine = running()
        const now = new Map<string, 'down' | 'recovered'>()
        const judge = (from: number): void => {
          for (const said of engine.popUps.slice(from).flatMap(saidIn)) {
            const [name = '', kind] = said.split(' ')
            expect(kind, said).toBe(now.get(name))
            statements += 1
          }
        }
        let at = start
        for (const { after, flips, systemQuiet } of turns) {
          const context = { ...calm, systemQuiet }
          const before = engine.popUps.length
          engine.wakeUntil(at + after - 1, context)
          judge(before)
          at += after
          const events = flips.map((name) => {
            const kind = now.get(name) === 'down' ? 'recovered' : 'down'
            now.set(name, kind)
            return checkEvent({ checkId: name, kind, at })
          })
          const shown = engine.popUps.length
          engine.at(at, events, context)
          judge(shown)
        }
        const shown = engine.popUps.length
        engine.at(at + second, [])
        engine.wakeUntil(at + 60 * minute)
        judge(shown)
      }),
      { seed: 20_261_127, numRuns: 200 },
    )
    // Control: the notices said something about single checks.
    expect(statements).toBeGreaterThan(1_000)
  })
})
