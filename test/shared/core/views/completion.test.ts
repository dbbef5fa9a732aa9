import { describe, expect, test } from 'vitest'
import { completionsAt } from '../../../../src/shared/core/views/completion.ts'
import * as eg from '../../../support/eg.ts'

const user = (id: number, name: string) => ({ id, name, isBot: false })
const people = [eg.me, user(2, 'Ana Kovač'), user(3, 'Boris Novak'), user(4, 'Boris Novak')]
const realm = eg.realm([eg.message()], {
  users: new Map(people.map((one) => [one.id, one])),
  groups: new Map([
    [21, { name: 'on-call', hasMe: true, subgroups: [] }],
    [2, { name: 'role:on-call', hasMe: true, subgroups: [] }],
  ]),
})
const check = eg.check({ name: 'db-backup', status: 'down' })
const state = eg.state({
  accounts: [eg.account()],
  boards: new Map([[eg.opsId, eg.board([check])]]),
  realms: new Map([[eg.chatId, realm]]),
})

function offered(text: string, conversation = eg.topic, cursor = text.length, change = {}) {
  const emoji = [
    { name: 'thumbs_up', face: '👍' },
    { name: '+1', face: '👍' },
    { name: '-1', face: '👎' },
    { name: 'party_popper', face: '🎉' },
    { name: 'tada', face: '🎉' },
    { name: 'belfry', face: '' },
  ]
  const facts = { state, realm: { ...realm, ...change }, conversation, emoji }
  const found = completionsAt(text, cursor, facts)
  return found === null
    ? []
    : found.items.map((item) => text.slice(0, found.from) + item.text + text.slice(cursor))
}

describe('typed text is completed', () => {
  test('to a person, by name, part of a name or initials', () => {
    expect(offered('hi @kov')).toEqual(['hi @**Ana Kovač** '])
    expect(offered('(@ak')).toContain('(@**Ana Kovač** ')
    expect(offered('@ana k')).toEqual(['@**Ana Kovač** '])
    // A muted person comes last.
    expect(offered('@o', eg.topic, 2, { mutedUsers: [3] }).at(-1)).toBe('@**Boris Novak|3** ')
    expect(offered('@ana k', eg.topic, 6, { mutedUsers: [2] })).toEqual(['@**Ana Kovač** '])
  })

  test.each([
    ['all', '@**all|9** '],
    ['Everyone', '@**Everyone|9** '],
    ['stream', '@**stream|9** '],
    ['channel', '@**channel|9** '],
    ['topic', '@**topic|9** '],
    ['ana kovač', '@**ana kovač|9** '],
    ['Ana Kovac', '@**Ana Kovac** '],
    ['Cora|7', '@**Cora|7|9** '],
  ])('to a person called %s, not to somebody else or everybody', (name, text) => {
    const users = new Map([...people, user(9, name)].map((one) => [one.id, one]))
    const typed = `@${name.slice(0, 4).toLowerCase()}`
    const found = offered(typed, eg.topic, typed.length, { users })
    expect(found).toContain(text)
    if (name === 'ana kovač') expect(found).toContain('@**Ana Kovač|2** ')
  })

  test('to one of two people with the same name', () => {
    expect(offered('@boris')).toEqual(['@**Boris Novak|3** ', '@**Boris Novak|4** '])
  })

  test('to a group, and to everybody in a channel', () => {
    expect(offered('@on-c')).toEqual(['@*on-call* '])
    expect(offered('@all')[0]).toBe('@**all** ')
    expect(offered('@all', eg.direct)).not.toContain('@**all** ')
  })

  test('to a group whose name begins with the letters, before people whose names merely contain them', () => {
    const users = new Map([
      [5, user(5, 'Notification Bot')],
      [6, user(6, 'Monitoring')],
    ])
    const others = { ...realm, users }
    expect(
      completionsAt('@on', 3, { state, realm: others, conversation: eg.topic, emoji: [] })?.items[0]
        ?.label,
    ).toBe('on-call')
  })

  test('to a silent mention, if it begins like one', () => {
    expect(offered('@_kov')).toEqual(['@_**Ana Kovač** '])
    expect(offered('@_on-c')).toEqual(['@_*on-call* '])
  })

  test('to a plain link to a topic whose name would break the short form', () => {
    const topic = { ...eg.topic, topic: 'cron * * > `x`' }
    const odd = eg.realm([eg.message({ conversation: topic })])
    const facts = { state, realm: odd, conversation: topic, emoji: [] }
    expect(completionsAt('#ops>', 5, facts)?.items[0]?.text).toMatch(
      /^\[#ops &#62; cron &#42; &#42; &#62; &#96;x&#96;\]\(\/#narrow\/\S+\/topic\/cron\.20\.2A\.20\.2A\S+\) $/,
    )
  })

  test('to a channel and its topics', () => {
    expect(offered('see #op')).toEqual(['see #**ops** '])
    expect(offered('see #**ops**>db')).toEqual(['see #**ops>db-backup is DOWN** '])
    expect(offered('see #ops>')).toEqual(['see #**ops>db-backup is DOWN** '])
  })

  test.each(['a>b', 'a*b', 'a`b', 'a[b]', 'a$$b', 'ops>db'])(
    'to a plain link to the channel %s and its topics',
    (name) => {
      const conversation = { kind: 'topic', channelId: 11, topic: 'lunch' } as const
      const odd = eg.realm([eg.message(), eg.message({ id: 9, conversation })])
      const channels = new Map([...odd.channels, [11, eg.channel({ id: 11, name })]])
      const facts = { state, realm: { ...odd, channels }, conversation, emoji: [] }
      const texts = (typed: string) =>
        completionsAt(typed, typed.length, facts)?.items.map(({ text }) => text)
      const link = (topic: string): unknown =>
        expect.stringMatching(
          new RegExp(`^\\[#(\\w|&#\\d+;)+${topic}\\]\\(\\S*/#narrow/channel/11-[\\w.]+\\S*\\) $`),
        )
      expect(texts(`#${name}`)).toContainEqual(link(''))
      expect(texts(`#${name}>`)).toContainEqual(link(' &#62; lunch'))
      // A channel whose name is a prefix of the other's keeps its topics.
      expect(texts('#ops>db')).toContain('#**ops>db-backup is DOWN** ')
    },
  )

  test('to a check with its status and a link to its page', () => {
    expect(offered('&db-b')).toEqual([
      expect.stringMatching(
        new RegExp(
          `^\`db-backup\` is \\*\\*down\\*\\* since <time:.*> \\(\\[open\\]\\(https?://.*/cloaked/${check.id}/\\)\\) $`,
        ),
      ),
    ])
  })

  test('to an emoji by any of its names, including custom emoji', () => {
    expect(offered('well done :tad')).toEqual(['well done :tada: '])
    expect(offered(':party_p')).toEqual([':party_popper: '])
    expect(offered('(:belf')).toEqual(['(:belfry: '])
    expect(offered(':-1')).toEqual([':-1: '])
  })

  test('to a command, but only at the very beginning', () => {
    expect(offered('/po')).toEqual(['/poll '])
    expect(offered('see /po')).toEqual([])
  })

  test('at the cursor, keeping what follows', () => {
    expect(offered('hi @kov, and so on', eg.topic, 7)).toEqual(['hi @**Ana Kovač** , and so on'])
  })

  test('after a quote, and inside one', () => {
    const quote = '````quote\n```js\n@kov\n```\n'
    expect(offered(`${quote}@kov`)).toEqual([`${quote}@**Ana Kovač** `])
    expect(offered(`${quote}\`\`\`\`\n@kov`)).toHaveLength(1)
  })

  test.each([
    '```java\n@kov',
    '~~~\n```\n&db-b',
    '````quote\n```\n#op',
    'mail ana@kov',
    'R&D',
    'issue #4711',
    '@ ',
    'a & b',
    '@**Ana Kovač** th',
    '@nobody at all',
    ':t',
    'fine :)',
    ':-)',
    ':P',
    'at 12:30',
    ':tada:',
    'note: tada',
  ])('but not in “%s”', (text) => {
    expect(offered(text)).toEqual([])
  })
})
