import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uniqueKeyOf } from '../../../src/main/base/unique-key.ts'
import type { Conversation } from '../../../src/shared/core/chat/conversation.ts'
import {
  deepLink,
  isAddress,
  readAddress,
  readDeepLink,
} from '../../../src/shared/core/deep-link.ts'
import type { Target } from '../../../src/shared/core/target.ts'
import * as eg from '../../support/eg.ts'

const here = eg.state({
  accounts: [eg.account(), eg.chatAccount({ baseUrl: 'https://chat.example:8443' })],
  boards: new Map([[eg.opsId, eg.board([eg.check({ id: 'c0ffee' })])]]),
  realms: new Map([[eg.chatId, eg.realm()]]),
})

const conversations = fc.oneof(
  fc
    .string({ unit: 'grapheme', maxLength: 60 })
    .map((topic): Conversation => ({ kind: 'topic', channelId: 10, topic: topic.toWellFormed() })),
  fc.constant<Conversation>({ kind: 'direct', userIds: [eg.ana.id] }),
)

describe('a link', () => {
  test('leads back to the place where it was copied, whatever the topic is called', () => {
    const places = fc.oneof(
      fc
        .record({ conversation: conversations, messageId: fc.option(fc.nat()) })
        .map(
          (to): Target => ({ view: 'conversation', accountId: eg.chatId, ...to, fromLink: true }),
        ),
      fc.constant<Target>({ view: 'check', accountId: eg.opsId, checkId: 'c0ffee' }),
      fc
        .constantFrom('checks', 'chat', 'notices', 'settings', 'diagnostics')
        .map((view) => ({ view }) as Target),
    )
    fc.assert(
      fc.property(places, (place) => {
        const text = deepLink(here, place)
        // A topic too long for an address gets a link that is refused.
        fc.pre(text !== null && text.length <= 2_048)
        expect(text).toMatch(/^belfry:\/\/[!-~]+$/)
        expect(readDeepLink(text, here)).toEqual({ to: place })
      }),
      { seed: 7, numRuns: 500 },
    )
  })

  test('to a direct conversation leads each participant to the same conversation', () => {
    const seenBy = (id: number) =>
      eg.state({
        accounts: [eg.chatAccount({ baseUrl: 'https://chat.example:8443' })],
        realms: new Map([[eg.chatId, eg.realm([], { me: { id, name: '' } })]]),
      })
    const at = (userIds: readonly number[]) => ({
      view: 'conversation' as const,
      accountId: eg.chatId,
      conversation: { kind: 'direct' as const, userIds },
      messageId: 7,
    })
    for (const [id, others] of [
      [1, [2, 3]],
      [2, [1, 3]],
      [3, [1, 2]],
    ] as const) {
      const link = deepLink(seenBy(1), at([2, 3]))!
      expect(readDeepLink(link, seenBy(id))).toMatchObject({ to: at(others) })
    }
    const pair = deepLink(seenBy(1), at([2]))!
    expect(readDeepLink(pair, seenBy(2))).toMatchObject({ to: at([1]) })
    // As the first version copied them, and as somebody may write them.
    const others = 'belfry://chat/chat.example:8443/direct/3,2,2/7'
    expect(readDeepLink(others, seenBy(1))).toMatchObject({ to: at([2, 3]) })
    const note = deepLink(seenBy(1), at([1]))!
    expect(readDeepLink(note, seenBy(1))).toMatchObject({ to: at([1]) })
  })

  test('contains no local id and no key', () => {
    const check = deepLink(here, { view: 'check', accountId: eg.opsId, checkId: 'c0ffee' })
    expect(check).toBe('belfry://check/c0ffee')
    const place = { accountId: eg.chatId, conversation: eg.direct, messageId: 7 }
    expect(deepLink(here, { view: 'conversation', ...place })).toBe(
      'belfry://chat/chat.example:8443/direct/1,2/7',
    )
  })

  test.each([
    { view: 'editCheck', accountId: eg.opsId, checkId: null },
    { view: 'addAccount', kind: 'chat' },
    { view: 'replaceKey', accountId: eg.opsId },
  ] satisfies Target[])('is never made for a form: $view', (target) => {
    expect(deepLink(here, target)).toBeNull()
  })
})

describe('a hostile link', () => {
  test.each([
    ...[
      '',
      'belfry:',
      'belfry://',
      'belfry:check/c0ffee',
      'belfry:/check/c0ffee',
      'Belfry://view/checks',
    ],
    ...[
      'belfry://check/',
      'belfry://check/c0ffee?pause=1',
      'belfry://check/c0ffee#x',
      'belfry://check/c0ffee/',
    ],
    ...[
      'belfry://user:pass@check/c0ffee',
      'belfry://check:80/c0ffee',
      'belfry://check/c0ffee/pause',
    ],
    ...[
      'belfry://view/replaceKey',
      'belfry://view/addAccount',
      'belfry://view/checks/..',
      'belfry://view/__proto__',
    ],
    ...[
      'belfry://settings/theme/dark',
      'belfry://run/deleteCheck',
      'belfry://check/%',
      'belfry://check/%ff',
    ],
    ...[
      'belfry://check/c0ffee\n',
      'belfry://check/ c0ffee',
      'belfry://check/\u0000',
      'belfry://check\\c0ffee',
    ],
    ...[
      'belfry://chat/chat.example:8443',
      'belfry://chat/chat.example:8443/topic/10',
      'belfry://chat/chat.example:8443/topic/x/y',
    ],
    ...[
      'belfry://chat/chat.example:8443/topic/-1/y',
      'belfry://chat/chat.example:8443/topic/1e1/y',
    ],
    ...['belfry://chat/chat.example:8443/direct/2,,3', 'belfry://chat/chat.example:8443/direct/99'],
    ...[
      'belfry://chat/chat.example:8443/topic/99999999999999999999/y',
      'belfry://chat/chat.example:8443/topic/77/y',
    ],
    ...['belfry://chat/chat.example:8443/topic/10/y/7/8', 'belfry://chat/evil.example/topic/10/y'],
    ...[
      'belfry://chat/chat.example:8443@evil.example/topic/10/y',
      `belfry://check/${'c'.repeat(3_000)}`,
    ],
    ...['javascript:alert(1)', 'file:///etc/passwd', 'https://chat.example/belfry://view/checks'],
  ])('is refused with a sentence: %j', (text) => {
    expect(readDeepLink(text, here)).toEqual({
      refused: expect.stringMatching(/^[A-Z].*\.$/) as string,
      wait: false,
    })
  })

  test('leads to a place or to a refusal, whatever it contains', () => {
    const parts = fc.constantFrom(
      'belfry:',
      '//',
      'check',
      'chat',
      'view',
      '/',
      'topic',
      'direct',
      '10',
      ',',
      '%2F',
      '..',
      'c0ffee',
      '?',
      '@',
      'checks',
      'chat.example:8443',
    )
    const texts = fc.oneof(
      fc.array(parts, { maxLength: 12 }).map((all) => all.join('')),
      fc.string().map((rest) => `belfry://${rest}`),
    )
    let led = 0
    fc.assert(
      fc.property(texts, (text) => {
        const found = readDeepLink(text, here)
        if ('refused' in found) {
          expect(found.refused).not.toBe('')
          return
        }
        led += 1
        expect(['check', 'conversation', 'checks', 'chat']).toContain(found.to.view)
      }),
      { seed: 7, numRuns: 2_000, examples: [['belfry://view/checks']] },
    )
    expect(led).toBeGreaterThan(0)
  })

  test('leads to the account that can see the place', () => {
    const state = eg.state({
      accounts: [
        eg.chatAccount({ id: 'guest', baseUrl: 'https://chat.example:8443' }),
        eg.chatAccount({ baseUrl: 'https://chat.example:8443' }),
      ],
      realms: new Map([
        ['guest', eg.realm([], { accountId: 'guest', channels: new Map() })],
        [eg.chatId, eg.realm()],
      ]),
    })
    expect(readDeepLink('belfry://chat/chat.example:8443/topic/10/x', state)).toMatchObject({
      to: { accountId: eg.chatId },
    })
  })

  test('waits only for what has not been read yet', () => {
    const unread = eg.state({ accounts: [eg.account()], boards: new Map() })
    expect(readDeepLink('belfry://check/c0ffee', unread)).toMatchObject({ wait: true })
    expect(readDeepLink('belfry://check/other', here)).toMatchObject({ wait: false })
  })
})

describe('a pasted address', () => {
  const uuid = '1b3c5d7f-90ab-4cde-8f01-23456789abcd'
  const key = uniqueKeyOf(uuid)
  const topic = { kind: 'topic', channelId: 10, topic: 'db backup' } as const
  const state = eg.state({
    accounts: [
      eg.account({ baseUrl: 'https://checks.example/below' }),
      eg.chatAccount({ baseUrl: 'https://chat.example:8443' }),
    ],
    boards: new Map([[eg.opsId, eg.board([eg.check({ id: key })])]]),
    realms: new Map([[eg.chatId, eg.realm()]]),
  })
  const check = { to: { view: 'check', accountId: eg.opsId, checkId: key } }
  const conversation = (messageId: number | null, of: Conversation = topic) => ({
    to: { view: 'conversation', accountId: eg.chatId, conversation: of, messageId, fromLink: true },
  })
  const site = 'https://checks.example/below'
  const chat = 'https://chat.example:8443'

  test.each([
    [`belfry://check/${key}`, check],
    [` ${site}/checks/${uuid}/details/\n`, check],
    [`${site}/checks/${uuid.toUpperCase()}/details/?tz=UTC#log`, check],
    [`${site}/checks/${uuid}/log/`, check],
    [`${site}/cloaked/${key}/`, check],
    [`${chat}/#narrow/channel/10-ops/topic/db.20backup`, conversation(null)],
    [`${chat}/#narrow/stream/10-ops/topic/db.20backup/near/15`, conversation(15)],
    [
      `${chat}/#narrow/dm/${eg.ana.id}-Ana`,
      conversation(null, { kind: 'direct', userIds: [eg.ana.id] }),
    ],
    [`${chat}/#narrow/channel/10-ops/topic/db.20backup/with/15`, conversation(15)],
    [`${chat}/#narrow/channel/10-ops`, { to: { view: 'chat', list: 'channels' } }],
  ])('%s leads to its place', (text, found) => {
    expect(isAddress(text)).toBe(true)
    expect(readAddress(text, state, uniqueKeyOf)).toEqual(found)
  })

  test.each([
    'near/15',
    'near/15/',
    'id/15',
    'with/15',
    'channel/10-ops/near/15',
    'stream/10/id/15',
    'channel/10-ops/sender/5/near/15',
    'is/starred/near/15',
    'search/disk.20full/near/15',
  ])('#narrow/%s is the place of its message', (narrow) => {
    expect(readAddress(`${chat}/#narrow/${narrow}`, state, uniqueKeyOf)).toEqual({
      message: { accountId: eg.chatId, messageId: 15 },
    })
  })

  test.each([
    ['https://elsewhere.example/checks/', 'Belfry isn’t connected to elsewhere.example.'],
    [`https://checks.example/checks/${uuid}/details/`, 'Belfry isn’t connected to checks.example.'],
    [`http://checks.example/below/checks/${uuid}/details/`, /isn’t connected to checks.example/],
    [`${site}/checks/${uuid.replace('1', '2')}/details/`, /a check in a project that isn’t/],
    [`${site}/projects/`, 'Belfry has no page that this link could open.'],
    [`${chat}/#narrow/is/starred`, 'Belfry has no page that this link could open.'],
    [`${chat}/#narrow/channel/10-ops/sender/5`, 'Belfry has no page that this link could open.'],
    [`${chat}/#narrow/near/`, 'Belfry has no page that this link could open.'],
    [`${chat}/#narrow/near/-15`, 'Belfry has no page that this link could open.'],
    [`${chat}/#narrow/channel/99-secret/topic/a`, /a channel that you can’t see/],
    [`${chat}/#narrow/dm/9999-nobody`, /a person that you can’t see/],
    ['https://[', 'This link is damaged, so nothing was opened.'],
    [`${site}/${'x'.repeat(3_000)}`, 'This link is damaged, so nothing was opened.'],
  ])('%s is refused with the reason', (text, reason) => {
    const found = readAddress(text, state, uniqueKeyOf)
    expect('refused' in found ? found.refused : found).toMatch(reason)
  })

  test('is not what is typed to find something', () => {
    for (const text of [
      'db',
      '#db',
      'https',
      'https://',
      'see https://x.example',
      'a:b',
      'ftp://x',
    ])
      expect(isAddress(text)).toBe(false)
  })
})
