import { describe, expect, test } from 'vitest'
import {
  type AttentionSettings,
  defaultAttention,
  type Rule,
  verdictOf,
} from '../../../../src/shared/core/attention/rules.ts'
import { checkEvent, messageEvent, rule } from '../../../support/attention-eg.ts'

const down = checkEvent({ tags: ['prod', 'db'] })
const mention = messageEvent({
  ...{ kind: 'mention', topic: 'Deploys' },
  chat: { notify: true, sound: true },
})

function withRules(...rules: readonly Rule[]): AttentionSettings {
  return { ...defaultAttention, rules }
}

describe('a rule', () => {
  test.each([
    ['everything', {}, true, true],
    ['its kinds', { kinds: ['down', 'late'] }, true, false],
    ['its account', { accountId: 'chat' }, false, true],
    ['a tag', { tag: 'prod' }, true, false],
    ['another tag', { tag: 'pro' }, false, false],
    ['its check', { checkId: 'db' }, true, false],
    ['a channel', { channelId: 5 }, false, true],
    ['a topic in any case', { channelId: 5, topic: 'deploys' }, false, true],
    ['another topic', { topic: 'deploy' }, false, false],
    ['a person', { senderId: 7 }, false, true],
    ['a person elsewhere', { accountId: 'ops', senderId: 7 }, false, false],
    ['several things at once', { tag: 'prod', checkId: 'web' }, false, false],
  ] as const)('that asks for %s matches exactly that', (_name, change, fitsCheck, fitsMessage) => {
    const settings = withRules(rule({ ...change, way: 'nothing' }))
    expect(verdictOf(down, settings).way === 'nothing').toBe(fitsCheck)
    expect(verdictOf(mention, settings).way === 'nothing').toBe(fitsMessage)
  })

  test.each([
    ['a longer name, as the server cuts it', `${'x'.repeat(57)}...`, true],
    ['one that begins differently', `${'x'.repeat(56)}y...`, false],
    ['a short one that ends so', 'xxx...', false],
    ['one that is not cut', 'x'.repeat(60), false],
  ])('about a topic of 61 characters fits %s', (_name, topic, fits) => {
    const settings = withRules(rule({ topic: 'X'.repeat(61), way: 'nothing' }))
    expect(verdictOf({ ...mention, topic }, settings).way === 'nothing').toBe(fits)
  })

  test('takes precedence over later ones, which decide only what it leaves open', () => {
    const patient = rule({ id: 'patient', tag: 'prod', afterMinutes: 5 })
    const quiet = rule({ id: 'quiet', way: 'tray', afterMinutes: 9 })
    expect(verdictOf(down, withRules(patient, quiet))).toMatchObject({
      way: 'tray',
      afterMinutes: 5,
    })
    expect(verdictOf(down, withRules(quiet, patient))).toMatchObject({
      way: 'tray',
      afterMinutes: 9,
    })
    expect(verdictOf(down, withRules(patient))).toMatchObject({ way: 'sound', afterMinutes: 5 })
  })

  test('gives its reason in the words of the settings, not in identifiers', () => {
    const one = rule({
      kinds: ['down', 'alertWord'],
      ...{ accountId: 'ops', tag: 'prod', way: 'tray', afterMinutes: 5, repeatMinutes: 10 },
    })
    expect(verdictOf({ ...down, accountId: 'ops' }, withRules(one)).reasons).toEqual([
      {
        by: 'rule',
        text: 'Your rule “Check goes down or alert word · one account · #prod → silent, after 5 min, again every 10 min”: silent.',
      },
    ])
    expect(verdictOf(down, defaultAttention).reasons).toEqual([
      { by: 'default', text: 'Your default for “Check goes down”: notification with sound.' },
    ])
  })

  test('delays nothing but a check that goes down', () => {
    const settings = withRules(rule({ afterMinutes: 5 }))
    expect(verdictOf({ ...down, kind: 'recovered' }, settings).afterMinutes).toBe(0)
    expect(verdictOf(mention, settings).afterMinutes).toBe(0)
  })
})

describe('the chat’s own settings', () => {
  test.each([
    ['no notification', { notify: false, sound: true }, 'nothing', ['chat']],
    ['no sound', { notify: true, sound: false }, 'banner', ['default', 'chat']],
    ['both', { notify: true, sound: true }, 'sound', ['default']],
  ] as const)('that ask for %s are respected', (_name, chat, way, by) => {
    const verdict = verdictOf({ ...mention, chat }, defaultAttention)
    expect(verdict.way).toBe(way)
    expect(verdict.reasons.map((reason) => reason.by)).toEqual(by)
  })

  test('yield to a rule that sets how to notify', () => {
    const muted = { ...mention, chat: { notify: false, sound: false } }
    expect(verdictOf(muted, withRules(rule({ senderId: 7, way: 'banner' }))).way).toBe('banner')
    expect(verdictOf(muted, withRules(rule({ senderId: 7 }))).way).toBe('nothing')
  })
})
