import { describe, expect, test } from 'vitest'
import { notificationText } from '../../../src/main/desktop/notifications/notifier.ts'
import { readMessage } from '../../../src/shared/api/chat/read-message.ts'
import { checkName } from '../../../src/shared/core/checks/check.ts'
import { lineThatMatters } from '../../../src/shared/core/checks/line-that-matters.ts'
import { nameInMarkdown } from '../../../src/shared/core/markdown.ts'
import {
  isolated,
  lineDirection,
  visibleName,
  withoutDirections,
  withoutPiles,
} from '../../../src/shared/core/visible-text.ts'
import * as eg from '../../support/eg.ts'

/** Characters that show nothing, each with a name in the Unicode tables. */
const invisible = [
  ...['\u00ad', '\u034f', '\u061c', '\u115f', '\u1160', '\u17b4', '\u180e', '\u200b', '\u200c'],
  ...['\u200d', '\u200e', '\u200f', '\u202a', '\u202e', '\u2060', '\u2064', '\u2066', '\u2069'],
  ...['\u206f', '\u2800', '\u3164', '\ufe0f', '\uffa0', '\u{1d173}', '\u{e0001}', '\u{e0041}'],
]
const names = [
  ...invisible,
  ...invisible.map((one, at) => `${one}${invisible[(at * 7) % invisible.length]} ${one}`),
]
const label = '(unnamed: invisible characters)'

describe('a name of invisible characters', () => {
  test.each(names.map((name) => [JSON.stringify(name), name]))(
    'is replaced by a label: %s',
    (_words, name) => {
      expect(visibleName(name)).toBe(label)
      expect(checkName(eg.check({ name }))).toBe(label)
      expect(nameInMarkdown(name)).toBe(`\`${label}\``)
    },
  )

  test('is none if they only join the parts of an emoji or a word', () => {
    for (const name of ['👩\u200d💻 deploy', 'می\u200cشود']) {
      expect(visibleName(name)).toBe(name)
      expect(nameInMarkdown(name)).toBe(`\`${name}\``)
    }
  })

  test('is also replaced for the sender of a message and in a notification', () => {
    const wire = {
      ...{ id: 1, type: 'stream', stream_id: 1, display_recipient: 'ops', subject: 'x' },
      ...{ content: '', sender_id: 12, sender_full_name: '\u3164', timestamp: 1_773_757_500 },
      ...{ is_me_message: false, flags: [], reactions: [] },
    }
    const senderName = readMessage(wire, { me: 1, toText: String })?.senderName
    expect(senderName).toBe(label)
    expect(notificationText({ title: `${senderName} (to you)`, body: 'x' }, 'plain').title).toBe(
      `${label} (to you)`,
    )
  })

  test.each(['db-backup', 'Ana Kovač', 'بنك', '数据库', '👩‍👩‍👧‍👦', 'a\u200db', '⠀x', '#', '1'])(
    'is not assumed for a readable name: %s',
    (name) => {
      expect(visibleName(name)).toBe(name)
    },
  )
})

describe('a pile of combining marks', () => {
  const pile = `Za${'\u0336\u0301'.repeat(500)}lgo`
  const hidden = `Za${'\u0301\u200d'.repeat(500)}lgo`
  const marksIn = (text: string) => text.match(/\p{M}/gu)?.length ?? 0

  test.each([pile, hidden])('is cut where a line shows it (%#)', (text) => {
    for (const shown of [
      visibleName(text),
      checkName(eg.check({ name: text })),
      lineThatMatters(`error: ${text}`) ?? '',
      notificationText({ title: text, body: '' }, 'plain').title,
      withoutPiles(text),
    ])
      expect(marksIn(shown)).toBe(8)
  })

  test.each(['Ả̶̧na', 'กำลังทำ', 'हिन्दी', 'שָׁלוֹם', 'ñ'])('is not seen in %s', (text) => {
    expect(withoutPiles(text)).toBe(text)
  })
})

describe('a name with direction characters', () => {
  test.each(['\u202e', '\u202d', '\u202a', '\u2066', '\u2067', '\u2068', '\u2069', '\u202c'])(
    'loses them: %j',
    (sign) => {
      expect(visibleName(`a${sign}b`)).toBe('ab')
      expect(isolated(`a${sign}b`)).toBe('\u2068ab\u2069')
      expect(withoutDirections(`a${sign}\nb`)).toBe('a\nb')
    },
  )

  test('is isolated if it is written from right to left, and else left alone', () => {
    expect(isolated('גיבוי')).toBe('\u2068גיבוי\u2069')
    expect(isolated('Ana Kovač')).toBe('Ana Kovač')
  })

  test('becomes one line', () => {
    expect(visibleName('a\r\nb\u2028c')).toBe('a b c')
  })
})

test.each([
  ['@Ana שלום עולם', 'rtl'],
  ['@Ana Kovač שלום עולם', 'rtl'],
  ['@Ana Kovač שלום', 'rtl'],
  ['@אנה כהן hello', 'ltr'],
  ['@אנה hello there', 'ltr'],
  ['#ops > db مرحبا بكم هنا', 'rtl'],
  ['https://chat.example.org/#narrow/1 مرحبا', 'rtl'],
  ['`db-backup` שלום', 'rtl'],
  ['👀 @Ana שלום', 'rtl'],
  ['• @Ana שלום', 'rtl'],
  ['(@Ana) שלום', 'rtl'],
  ['1. @Ana hello שלום עולם', 'rtl'],
  ['www.example.org שלום', 'rtl'],
  ['👀 @אנה hello there', 'ltr'],
  ['👀 hello @אנה', 'auto'],
  ['@Ana @Boris', 'auto'],
  ['https://example.org', 'auto'],
  // As the browser does, by the first letter.
  ['שלום hello there everybody', 'auto'],
  ['hello', 'auto'],
  ['', 'auto'],
])('the direction of “%s” on one line is %s', (text, direction) => {
  expect(lineDirection(text)).toBe(direction)
})
