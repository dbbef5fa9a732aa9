import { describe, expect, test } from 'vitest'
import type {
  AttentionEvent,
  CheckEvent,
  CheckFacts,
} from '../../../../src/shared/core/attention/event.ts'
import {
  checkEventBody,
  digestNotice,
  everythingNotice,
  flappingNotice,
  projectNotice,
} from '../../../../src/shared/core/attention/notices.ts'
import { clockWords } from '../../../../src/shared/core/time.ts'
import {
  calm,
  checkEvent,
  facts,
  messageEvent,
  minute,
  running,
  start,
} from '../../../support/attention-eg.ts'

const named = (kind: CheckEvent['kind'], ...ids: readonly string[]) =>
  ids.map((checkId) => checkEvent({ kind, checkId }))
const four = (kind: CheckEvent['kind']) => named(kind, 'a', 'b', 'c', 'd')

describe('the notice of a check', () => {
  const long = facts(start - 5 * minute, start)
  const at = (time: number) => clockWords(time, start)
  const readOnly = 'a read-only key can’t read its log'
  const started = start - 5 * minute

  test.each<[CheckEvent['kind'], string, Partial<CheckFacts>, string]>([
    ['recovered', 'nobody knows for how long', { since: null }, 'ops'],
    ['recovered', 'a read-only key', { isReadOnly: true }, 'was down for 5 min · ops'],
    ['late', 'a read-only key', { isReadOnly: true }, `late for 5 min · ${readOnly} · ops`],
    [
      'down',
      'a run that does not end',
      { cause: { kind: 'overran', startedAt: started, usualSeconds: null } },
      `Started ${at(started)}, still running after 5 min · down for 5 min · expected every hour · ops`,
    ],
    [
      'down',
      'no ping, nobody knows since when',
      { cause: { kind: 'missed', lastAt: started, expectedAt: null } },
      `No ping since ${at(started)} · down for 5 min · expected every hour · ops`,
    ],
    [
      'down',
      'a server’s clock ahead of ours',
      { cause: { kind: 'failed', at: start, line: 'disk full' }, offsetMs: 5 * minute },
      `Failed at ${at(start - 5 * minute)} (${at(start)} on the server): disk full · down for 5 min · ops`,
    ],
  ])('that is %s, with %s, has what is known', (kind, _what, known, body) => {
    expect(checkEventBody(checkEvent({ kind, body: { ...long, ...known } }))).toBe(body)
  })
})

describe('the notice of several checks', () => {
  test.each([
    ['recovered', 2, 9, '4 checks up again in ops: a, b, c and d · 2 still down'],
    ['recovered', 0, 0, '4 checks up again in ops: a, b, c and d'],
    ['down', 2, 9, '9 checks down in ops: a, b, c, d and 5 more'],
  ] as const)(
    'that are %s, where %i are down and %i are known to be',
    (kind, down, known, words) => {
      const { title, body } = projectNotice(four(kind), down, false, known)
      expect(`${title}: ${body}`).toBe(words)
    },
  )

  test('that flap counts their changes, and which are down now', () => {
    const events = [...named('down', 'a', 'b', 'c'), ...named('recovered', 'd')]
    const { title, body } = flappingNotice(events, 9, false)
    expect(`${title}: ${body}`).toBe(
      '4 checks are flapping in ops: 9 changes, 3 of them down now · a, b, c and d',
    )
  })

  test('names of two tags the one that more of them have', () => {
    const events = Array.from({ length: 10 }, (_, n) =>
      checkEvent({ checkId: `${n}`, tags: [...(n < 8 ? ['eu'] : []), ...(n < 9 ? ['web'] : [])] }),
    )
    expect(projectNotice(events, 0, false).body).toMatch(/^9 of them tagged #web · /)
  })
})

const notify = { chat: { notify: true, sound: false } }

test.each([
  [['message', 'alertWord', 'message'], 'alertWord'],
  [['alertWord', 'mention', 'message'], 'mention'],
  [['alertWord', 'message', 'message'], 'alertWord'],
  [['message', 'message', 'message'], 'message'],
] as const)(
  'Messages of one conversation (%j) are told as what is most to the user: %s',
  (of, kind) => {
    const engine = running()
    engine.at(
      start,
      of.map((one, messageId) => messageEvent({ ...notify, messageId, kind: one })),
    )
    expect(engine.popUps.map((one) => one.kind)).toEqual([kind])
  },
)

test.each([
  ['mention', 'mention', '1 mention of you · from Ana and Bo'],
  ['message', 'message', 'from Ana and Bo'],
] as const)(
  'Messages of four conversations, one a %s, are told as: %s, “%s”',
  (one, kind, body) => {
    const engine = running()
    engine.at(
      start,
      [1, 2, 3, 4].map((messageId) =>
        messageEvent({
          ...{ ...notify, messageId, key: `topic/5/${messageId}` },
          ...(messageId === 2 ? { kind: one, senderName: 'Bo' } : {}),
        }),
      ),
    )
    expect(engine.popUps).toMatchObject([{ kind, body }])
  },
)

describe('the notice of everything at once', () => {
  const says = (...events: readonly AttentionEvent[]) => {
    const { kind, title, body, target } = everythingNotice(events, false)
    expect(target).toEqual({ view: 'notices' })
    return `${kind}: ${title}: ${body}`
  }
  const web = checkEvent({ kind: 'recovered', accountId: 'web', tags: ['eu'] })

  test('is one of an outage if there is any, and says where and who', () => {
    expect(says(checkEvent({ tags: ['prod'] }), web)).toBe(
      'down: 1 check down, 1 recovered: all tagged #prod · in ops and web',
    )
    expect(says(web, messageEvent())).toBe(
      'message: 1 recovered, 1 message: in web · Ana (# ops › deploys): done',
    )
  })

  test('has the words of four at most', () => {
    const many = Array.from({ length: 6 }, (_, messageId) => messageEvent({ messageId }))
    expect(says(...many).split(' · ')).toHaveLength(4)
  })
})

test('A digest counts by kind, and has one line for each conversation', () => {
  const events = [
    checkEvent({ kind: 'late' }),
    messageEvent({ messageId: 1, kind: 'mention' }),
    messageEvent({ messageId: 2 }),
    messageEvent({ messageId: 3, kind: 'direct', key: 'direct/7', subject: 'chat/direct/7' }),
  ]
  const items = events.map((event) => ({ event, sound: false, wasDown: false, changes: 1 }))
  const head = { id: 'd', subject: 'd', title: 'While you were away', sound: false }
  const { body, lines } = digestNotice(items, head, start, {})
  expect(body).toBe('1 late, 3 messages (1 mentions you, 1 to you)')
  expect(lines.map(({ text }) => text)).toEqual([
    'Ana (# ops › deploys)',
    'db late',
    'Ana (# ops › deploys) · 2 messages',
  ])
  expect(digestNotice(items.slice(2, 3), head, start, {}).body).toBe('1 message')
})

test('A digest that could not keep all counts those that are down only where it tells of some', () => {
  const engine = running()
  const quiet = { ...calm, systemQuiet: true, down: { ops: 1_200, web: 7 } }
  const many = Array.from({ length: 1_200 }, (_, n) => checkEvent({ checkId: `c${n}` }))
  engine.at(start, [...many, checkEvent({ kind: 'recovered', accountId: 'web' })], quiet)
  engine.at(start + minute, [], { ...quiet, systemQuiet: false })
  expect(engine.popUps[0]?.body).toMatch(/^1,200 checks down, 1 recovered · down: /)
})

test('On the screen what a check is takes the place of what it was, beside an outage of the past', () => {
  const engine = running()
  engine.at(start, [checkEvent({ kind: 'missed', at: start })])
  engine.at(start + minute, [checkEvent({ at: start + minute })])
  engine.at(start + 2 * minute, [checkEvent({ kind: 'recovered', at: start + 2 * minute })])
  expect([...engine.shown.values()].map(({ title }) => title)).toEqual([
    'db missed',
    'db recovered',
  ])
})
