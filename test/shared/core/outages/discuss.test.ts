import { describe, expect, test } from 'vitest'
import {
  type Conversation,
  conversationKey,
} from '../../../../src/shared/core/chat/conversation.ts'
import {
  checksAt,
  type DiscussRule,
  discussedAt,
  placeFor,
  suggestedPlaces,
  topicOf,
} from '../../../../src/shared/core/outages/discuss.ts'
import {
  earlierReport,
  type Incident,
  updateDue,
} from '../../../../src/shared/core/outages/incident.ts'
import { outageMark } from '../../../../src/shared/core/outages/outage-report.ts'
import { defaultSettings } from '../../../../src/shared/core/settings.ts'
import type { AppState } from '../../../../src/shared/core/state.ts'
import * as eg from '../../../support/eg.ts'

function rule(change: Partial<DiscussRule> = {}): DiscussRule {
  return {
    id: 'r',
    accountId: null,
    tag: null,
    checkId: null,
    chatId: eg.chatId,
    channelId: 10,
    topic: '{check}',
    ...change,
  }
}

const check = eg.check({ name: 'db-backup', status: 'down', tags: ['prod'] })

function stateWith(rules: readonly DiscussRule[], change: Partial<AppState> = {}): AppState {
  return eg.state({
    boards: new Map([[eg.opsId, eg.board([check])]]),
    settings: { ...defaultSettings, discuss: rules },
    ...change,
  })
}

const topic = (name: string): Conversation => ({ kind: 'topic', channelId: 10, topic: name })

describe('the conversation for a check', () => {
  test.each([
    [
      'that of the first matching rule',
      [rule({ tag: 'prod', topic: 'a' }), rule({ topic: 'b' })],
      'a',
    ],
    [
      'not that of a rule for another tag',
      [rule({ tag: 'staging', topic: 'a' }), rule({ topic: 'b' })],
      'b',
    ],
    [
      'not that of a rule for another project',
      [rule({ accountId: 'web' }), rule({ topic: 'b' })],
      'b',
    ],
    [
      'not that of a rule for another check',
      [rule({ checkId: 'other' }), rule({ topic: 'b' })],
      'b',
    ],
    [
      'not that of a rule for a removed chat',
      [rule({ chatId: 'gone' }), rule({ topic: 'b' })],
      'b',
    ],
    ['named by a template', [rule({ topic: '{project}: {check}' })], 'ops-project: db-backup'],
  ])('is %s', (_what, rules, expected) => {
    expect(placeFor(stateWith(rules), eg.opsId, check)?.conversation).toEqual(topic(expected))
  })

  test('is none without a rule, and follows a renamed topic', () => {
    expect(placeFor(stateWith([]), eg.opsId, check)).toBeNull()
    const movedTo = new Map([[conversationKey(topic('db-backup')), topic('✔ db-backup')]])
    const state = stateWith([rule()], { realms: new Map([[eg.chatId, eg.realm([], { movedTo })]]) })
    expect(placeFor(state, eg.opsId, check)?.conversation).toEqual(topic('✔ db-backup'))
  })

  test('is that of its last report, whatever the rules say now', () => {
    const state = stateWith([rule({ topic: 'elsewhere' })], { incidents: [incident()] })
    expect(discussedAt(state, eg.opsId, check)?.conversation).toEqual(topic('db-backup'))
  })

  test('is also found in reverse, from the conversation', () => {
    const state = stateWith([rule()])
    const at = (name: string) =>
      checksAt(state, { accountId: eg.chatId, conversation: topic(name) }).map((one) => one.check)
    expect(at('DB-backup')).toEqual([check])
    expect(at('other')).toEqual([])
  })

  test('is suggested from topics with its name and from the bot’s', () => {
    const said = ['db-backup', 'db-backup is DOWN', 'db-backup-2 is DOWN'].map((name) =>
      eg.message({ conversation: topic(name) }),
    )
    const state = stateWith([], { realms: new Map([[eg.chatId, eg.realm(said)]]) })
    expect(
      suggestedPlaces(state, check).map(({ conversation, why }) => [conversation, why]),
    ).toEqual([
      [topic('db-backup is DOWN'), 'bot'],
      [topic('db-backup'), 'name'],
    ])
  })

  test('has a topic that the server accepts', () => {
    expect(topicOf('{check}', { check: 'a\nb\u0000c', project: '' }, 60)).toBe('a b c')
    expect(topicOf('{check}', { check: '👍'.repeat(80), project: '' }, 60)).toBe(
      `${'👍'.repeat(59)}…`,
    )
    expect(topicOf('{check}', { check: '{project}', project: 'p' }, 60)).toBe('{project}')
  })
})

function incident(change: Partial<Incident> = {}): Incident {
  return {
    accountId: eg.opsId,
    checkId: check.id,
    chatId: eg.chatId,
    conversation: topic('db-backup'),
    messageId: 40,
    since: eg.now - 2 * eg.hour,
    told: 'down',
    toldAt: eg.now - eg.hour,
    ...change,
  }
}

describe('an update', () => {
  const recovered = { ...check, status: 'up' as const, since: eg.now - eg.minute }

  test('is due once per change', () => {
    const state = stateWith([], { incidents: [incident()] })
    expect(updateDue(state, eg.opsId, check, eg.now)).toBeNull()
    expect(updateDue(state, eg.opsId, recovered, eg.now)).toEqual(incident())
    const unseen = { ...state, incidents: [incident({ messageId: null })] }
    expect(updateDue(unseen, eg.opsId, recovered, eg.now)).toBeNull()
    const told = { ...state, incidents: [incident({ told: 'up' })] }
    expect(updateDue(told, eg.opsId, recovered, eg.now)).toBeNull()
  })

  test('is not due if somebody posted it, if ours is being sent, or a day later', () => {
    const state = stateWith([], { incidents: [incident()] })
    const text = `It is back.\n${outageMark(check.id, 'up', eg.now)}`
    const said = eg.message({ conversation: topic('db-backup'), text, sentAt: eg.now })
    const realms = new Map([[eg.chatId, eg.realm([said])]])
    expect(updateDue({ ...state, realms }, eg.opsId, recovered, eg.now)).toBeNull()
    const outbox = [eg.outboxMessage({ conversation: topic('db-backup'), text, queuedAt: eg.now })]
    expect(updateDue({ ...state, outbox }, eg.opsId, recovered, eg.now)).toBeNull()
    expect(updateDue(state, eg.opsId, recovered, eg.now + eg.day)).toBeNull()
  })
})

test('the later of two simultaneous reports is recognised', () => {
  const text = outageMark(check.id, 'down', eg.now)
  const conversation = topic('db-backup')
  const theirs = eg.message({ id: 50, conversation, text })
  const ours = eg.message({ id: 51, conversation, text, isMe: true, senderId: eg.me.id })
  const state = { realms: new Map([[eg.chatId, eg.realm([theirs, ours])]]) }
  expect(earlierReport(state, incident({ messageId: 51 }), 'down')?.id).toBe(50)
  const later = { realms: new Map([[eg.chatId, eg.realm([{ ...theirs, id: 52 }, ours])]]) }
  expect(earlierReport(later, incident({ messageId: 51 }), 'down')).toBeNull()
})
