import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { notificationText } from '../../../../src/main/desktop/notifications/notifier.ts'

const readers = ['plain', 'markup', 'commandLine'] as const
const unwanted =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what may not be left
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc
    .array(
      fc.constantFrom(
        ...['-', '--icon=/etc/passwd', '<b>', '&', '\0', '\n', '\u202e', '\u200b', '\u2060', ' '],
        ...['\ud800', '🔥', 'e\u0301', '$(reboot)', '`id`', '"', '\\', '\u0085', '\t'],
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
)

describe('the text of a notification', () => {
  test.each([
    ['- item', '\u2060- item'],
    ['--hint=string:image-path:/etc/passwd', '\u2060--hint=string:image-path:/etc/passwd'],
    ['\u200b\u2060--wait', '\u2060--wait'],
    [' \n--action=x=y', '\u2060--action=x=y'],
    ['', '\u00a0'],
    ['one\ntwo', 'one two'],
    ['a <b> & c', 'a &lt;b&gt; &amp; c'],
  ])('for a command line turns %j into %j', (body, safe) => {
    expect(notificationText({ title: 'Ann', body }, 'commandLine').body).toBe(safe)
  })

  test('is escaped only for readers of markup', () => {
    const text = { title: '<i>', body: '<a href="x">a & b</a>' }
    expect(notificationText(text, 'plain')).toEqual(text)
    expect(notificationText(text, 'markup')).toEqual({
      title: '<i>',
      body: '&lt;a href="x"&gt;a &amp; b&lt;/a&gt;',
    })
  })

  test('keeps its lines, and whole emoji', () => {
    const body = 'first \n\n second 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿'
    expect(notificationText({ title: 't', body }, 'plain').body).toBe('first\nsecond 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿')
  })

  test('has the name of the app as its title if the title shows nothing', () => {
    expect(notificationText({ title: '\u202e\u200b \0', body: '' }, 'plain').title).toBe('Belfry')
  })

  test('is cut at 250 code points, however long it is', () => {
    const { title, body } = notificationText(
      { title: '🔥'.repeat(300), body: 'x'.repeat(1_000_000) },
      'plain',
    )
    expect([[...title].length, [...body].length]).toEqual([250, 250])
    expect(body.endsWith('x…')).toBe(true)
  })

  test('is harmless whatever a stranger writes', () => {
    fc.assert(
      fc.property(hostile, hostile, fc.constantFrom(...readers), (title, body, reader) => {
        const text = notificationText({ title, body }, reader)
        expect(text.title).not.toBe('')
        expect(text.title + text.body).not.toMatch(unwanted)
        expect((text.title + text.body).isWellFormed()).toBe(true)
        expect(text.title).not.toContain('\n')
        if (reader !== 'plain') expect(text.body).not.toMatch(/[<>]/)
        if (reader === 'commandLine') {
          expect(text.body).not.toMatch(/^-|\n|^$/)
          expect(text.title).not.toMatch(/^-/)
        }
      }),
      { numRuns: 1_000, seed: 7 },
    )
  })

  test('would not be harmless without that (control)', () => {
    expect('a\u202eb').toMatch(unwanted)
    expect(unwanted.test('--icon=/etc/passwd\0')).toBe(true)
  })
})
