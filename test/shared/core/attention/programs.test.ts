import { describe, expect, test } from 'vitest'
import type { AttentionContext } from '../../../../src/shared/core/attention/decision.ts'
import type { AttentionEvent, MessageEvent } from '../../../../src/shared/core/attention/event.ts'
import { programInput } from '../../../../src/shared/core/attention/programs/program-input.ts'
import { defaultAttention, type Rule } from '../../../../src/shared/core/attention/rules.ts'
import { dayMs } from '../../../../src/shared/core/wall-clock.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  rule,
  running,
  second,
  silence,
  start,
} from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'

const lamp = rule({ id: 'lamp', kinds: ['down', 'recovered'], programId: 'lamp' })
function withRules(...rules: readonly Rule[]): AttentionContext {
  return { ...calm, settings: { ...defaultAttention, rules } }
}
const down = checkEvent()
const up = checkEvent({ kind: 'recovered', at: start + minute })
const told = ({ starts }: ReturnType<typeof running>) =>
  starts.map(({ programId, events }) => [programId, events.map(({ kind }) => kind).join()])

describe('the program of a rule', () => {
  test('runs once for an outage and once for its end, with what the notification says', () => {
    const engine = running(withRules(lamp))
    engine.at(start, [down, messageEvent()])
    engine.at(start + minute, [up])
    expect(told(engine)).toEqual([
      ['lamp', 'down'],
      ['lamp', 'recovered'],
    ])
    expect(engine.starts[0]?.notice.id).toBe(engine.popUps[0]?.id)
  })

  test('is that of the first matching rule that has one, whatever else decides', () => {
    const loud = rule({ id: 'loud', way: 'sound' })
    const other = rule({ id: 'other', programId: 'ticket' })
    const engine = running(withRules(loud, lamp, other))
    engine.at(start, [down, messageEvent()])
    expect(told(engine).toSorted()).toEqual([
      ['lamp', 'down'],
      ['ticket', 'message'],
    ])
  })

  test('does not run for a reminder, also if the server reminds', () => {
    const engine = running(withRules(rule({ programId: 'lamp' })))
    engine.at(start, [messageEvent({ kind: 'direct', isBot: true, reminds: true })])
    expect(engine.popUps).toHaveLength(1)
    expect(told(engine)).toEqual([])
  })

  test('does not run for what is silent, snoozed or too short', () => {
    for (const context of [
      withRules({ ...lamp, way: 'tray' }),
      withRules({ ...lamp, way: 'nothing' }),
      withRules({ ...lamp, afterMinutes: 5 }),
      { ...withRules(lamp), silences: [silence({})] },
    ]) {
      const engine = running(context)
      engine.at(start, [down])
      engine.at(start + minute, [up])
      engine.wakeUntil(start + 30 * minute)
      expect(told(engine)).toEqual([])
    }
  })

  test('runs once with all that a digest tells, and again for nothing that the next one repeats', () => {
    const quiet = { ...withRules(lamp), systemQuiet: true }
    const engine = running(withRules(lamp))
    engine.at(start, [down, checkEvent({ checkId: 'web' })], quiet)
    expect(told(engine)).toEqual([])
    engine.at(start + minute, [])
    engine.at(start + 2 * minute, [checkEvent({ checkId: 'api', at: start + 2 * minute })], quiet)
    engine.at(start + 2.5 * minute, [])
    expect(engine.popUps.at(-1)?.lines.map(({ text }) => text)).toHaveLength(3)
    expect(told(engine)).toEqual([
      ['lamp', 'down,down'],
      ['lamp', 'down'],
    ])
  })

  test('is told of an outage that came and went during the quiet as the digest tells it', () => {
    const engine = running(withRules(rule({ programId: 'log' }), lamp))
    engine.at(start, [down], { ...withRules(rule({ programId: 'log' })), systemQuiet: true })
    engine.at(start + minute, [up], { ...withRules(rule({ programId: 'log' })), systemQuiet: true })
    engine.at(start + 2 * minute, [])
    expect(told(engine)).toEqual([['log', 'missed']])
  })

  test('runs a few times in a storm of 1,000 checks, and is given every one of them', () => {
    const engine = running(withRules(lamp))
    const many = Array.from({ length: 1_000 }, (_, at) =>
      checkEvent({ checkId: `c${at}`, at: start + at }),
    )
    for (const [at, one] of many.entries()) engine.at(start + at, [one])
    engine.wakeUntil(start + 10 * minute)
    expect(engine.starts.length).toBeLessThan(10)
    const ids = engine.starts.flatMap(({ events }) => events.map(({ subject }) => subject))
    expect(new Set(ids).size).toBe(1_000)
    expect(ids).toHaveLength(1_000)
  })

  test('does not run again when the outage is repeated, but for the first that is told of one', () => {
    const repeating = withRules({ ...lamp, repeatMinutes: 10 })
    const engine = running(repeating)
    engine.at(start, [down])
    engine.wakeUntil(start + 35 * minute)
    expect(engine.popUps.length).toBeGreaterThan(2)
    const still = checkEvent({ at: start + 38 * minute, isReminder: true })
    engine.at(still.at, [still])
    expect(engine.popUps.at(-1)?.at).toBe(still.at)
    expect(told(engine)).toEqual([['lamp', 'down']])

    const snoozed = running(withRules(lamp))
    snoozed.at(start, [down], { ...withRules(lamp), silences: [silence({})] })
    const reminder = checkEvent({ at: start + minute, isReminder: true })
    snoozed.at(start + minute, [reminder])
    expect(told(snoozed)).toEqual([['lamp', 'down']])
  })
})

function targetOf(event: AttentionEvent): AttentionEvent['target'] {
  if (event.of !== 'message') return event.target
  const conversation = { kind: 'topic', channelId: 5, topic: event.topic ?? '' } as const
  return { view: 'conversation', accountId: event.accountId, conversation, messageId: 1 }
}

describe('what a program reads', () => {
  const state = eg.state({ accounts: [eg.account(), eg.chatAccount()] })
  const input = (...events: Parameters<typeof programInput>[1][number]['events']) =>
    JSON.parse(
      programInput(
        state,
        [{ programId: 'lamp', notice: { id: 'n', title: 'db is down' }, events }],
        start,
      ),
    ) as Record<string, unknown> & { readonly events: readonly Record<string, unknown>[] }

  test('is one line with no secret, control character or line of a stranger’s', () => {
    const bad = 'x\u001b[31m\u202e\u0000password=hunter2hunter2'
    const check = checkEvent({ name: bad, title: bad, project: bad, tags: [bad], body: bad })
    const message = messageEvent({ senderName: bad, topic: bad, text: `a\r\nb ${bad}` })
    const starts = [{ programId: 'p', notice: { id: 'n', title: bad }, events: [check, message] }]
    const text = programInput(state, starts, start)
    expect(text.trimEnd().split('\n')).toHaveLength(1)
    expect(text).not.toMatch(/hunter2|\\u001b|\\u0000|\u202e|\\r/)
    expect(JSON.parse(text)).toMatchObject({
      events: [{ check: { name: 'xpassword=•••' } }, { message: { text: 'a\nb xpassword=•••' } }],
    })
  })

  test('has nothing that a shell would run', () => {
    const text = '$(touch x) `touch x` $HOME'
    const starts = [
      { programId: 'p', notice: { id: 'n', title: text }, events: [messageEvent({ text })] },
    ]
    const line = programInput(state, starts, start)
    expect(line).not.toMatch(/[$`]/)
    expect(JSON.parse(line)).toMatchObject({ title: text, events: [{ message: { text } }] })
  })

  test('links to what it is about, but for a topic with a secret in it', () => {
    const [check, message, secret] = [
      checkEvent(),
      messageEvent({ accountId: eg.chatId }),
      messageEvent({ accountId: eg.chatId, topic: 'password=hunter2hunter2' }),
    ].map((event) => ({ ...event, target: targetOf(event) }))
    const links = input(check!, message!, secret!).events.map(({ link }) => link)
    expect(links).toEqual([
      'belfry://check/db',
      expect.stringMatching(/^belfry:\/\/chat\/.*\/topic\/5\/deploys/),
      null,
    ])
  })

  test('has at most 50 events, the last ones, and counts all', () => {
    const many = Array.from({ length: 60 }, (_, at) => checkEvent({ checkId: `c${at}` }))
    const { count, events } = input(...many)
    expect(count).toBe(60)
    expect(events.map(({ check }) => (check as { id: string }).id)).toEqual(
      many.slice(10).map(({ checkId }) => checkId),
    )
  })

  test('says how many checks are down now that nobody silenced, without those of the demo', () => {
    const [db, dns, web, site] = ['db', 'dns', 'web', 'site'].map((id) =>
      eg.check({ id, status: 'down' }),
    )
    const demo = eg.account({ id: 'demo', demo: true })
    const now = eg.state({
      accounts: [eg.account(), demo],
      boards: new Map([
        [eg.opsId, eg.board([db!, dns!, web!, eg.check()])],
        [demo.id, eg.board([site!], { accountId: demo.id })],
      ]),
      silences: [silence({ scope: { of: 'check', accountId: eg.opsId, checkId: 'web' } })],
    })
    const starts = [{ programId: 'p', notice: { id: 'n', title: 't' }, events: [up] }]
    expect(JSON.parse(programInput(now, starts, start))).toMatchObject({ count: 1, down: 2 })
  })

  test('says where a message is, and whose account heard of it', () => {
    const known = eg.state({
      accounts: [eg.account(), eg.chatAccount()],
      realms: new Map([[eg.chatId, eg.realm()]]),
    })
    const said = (change: Partial<MessageEvent>) => {
      const event = messageEvent({ accountId: eg.chatId, ...change })
      const starts = [{ programId: 'p', notice: { id: 'n', title: 't' }, events: [event] }]
      return JSON.parse(programInput(known, starts, start)) as unknown
    }
    expect(said({ channelId: 10, topic: 'deploys' })).toMatchObject({
      test: false,
      events: [
        {
          at: '2026-03-17T14:25:00.000Z',
          account: eg.chatAccount().label,
          message: { channel: 'ops', topic: 'deploys' },
        },
      ],
    })
    expect(said({ channelId: null, topic: null })).toMatchObject({
      events: [{ message: { channel: null, topic: null } }],
    })
  })

  test('has only dates, whatever the clock says', () => {
    expect(input(checkEvent({ at: 9e15 })).events[0]?.['at']).toBe('+275760-09-13T00:00:00.000Z')
    expect(input(checkEvent({ at: start - dayMs + second })).events[0]?.['at']).toMatch(/Z$/)
  })
})
