import {
  array,
  boolean,
  description,
  integer,
  literal,
  maxValue,
  metadata,
  minLength,
  minValue,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  record,
  string,
  title,
  union,
} from 'valibot'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { catalogue } from '../../../src/shared/api/catalogue.ts'
import { type FormField, formFields } from '../../../src/shared/api/form-fields.ts'
import { limitWords, readField } from '../../../src/shared/api/form-values.ts'
import { type Operation, operation } from '../../../src/shared/api/operation.ts'

type Entries = Parameters<typeof object>[0]

function fieldOf(schema: Entries[string], name = 'field'): FormField {
  const made = operation({
    service: 'monitoring',
    title: 'Example',
    method: 'POST',
    path: '/',
    params: object({ [name]: schema }),
    reply: string(),
    effect: 'write',
  })
  return formFields(made)[0]!
}

const operations: readonly (readonly [string, Operation])[] = Object.entries(catalogue)

describe('the form fields', () => {
  test.each(operations)('of %s are all usable', (_id, one) => {
    for (const field of formFields(one)) {
      expect(field.label).toMatch(/^[\p{L}\p{N}"'@#(]/u)
      expect(field.label).not.toContain('_')
      const { input } = field
      if (input.kind === 'choice' || input.kind === 'choices')
        expect(input.options.length).toBeGreaterThan(0)
      if (input.kind === 'json') expect(() => void JSON.parse(input.example)).not.toThrow()
    }
  })

  test('cover every parameter that the app does not fill in itself', () => {
    let shown = 0
    let all = 0
    for (const [, one] of operations) {
      shown += formFields(one).length
      all += Object.keys(one.params.entries).length
    }
    expect(shown).toBeGreaterThan(100)
    expect(all - shown).toBeLessThan(all / 10)
  })

  test('of a new check have labels, help, limits and input kinds', () => {
    const fields = formFields(catalogue.createCheck)
    const named = (name: string) => fields.find((field) => field.name === name)!
    expect(named('name')).toMatchObject({ label: 'Name', required: false, input: { kind: 'text' } })
    expect(limitWords(named('name'))).toBe('At most 100 characters.')
    expect(named('timeout').input).toEqual({ kind: 'duration' })
    expect(limitWords(named('timeout'))).toBe('From 1 min to 365 d.')
    expect(named('manual_resume').input).toEqual({ kind: 'yesNo' })
    expect(named('methods').input).toEqual({ kind: 'choice', options: ['', 'POST'] })
    expect(named('unique').input).toMatchObject({ kind: 'choices' })
  })
})

describe('a form field', () => {
  test('is read through all the wrappers of its schema, the outermost title first', () => {
    const inner = pipe(number(), integer(), minValue(1), maxValue(10), title('Inner'))
    const field = fieldOf(pipe(optional(nullable(inner), 5), title('Outer'), description('Help.')))
    expect(field).toMatchObject({
      label: 'Outer',
      help: 'Help.',
      required: false,
      nullable: true,
      fallback: 5,
      input: { kind: 'number' },
      limits: { min: 1, max: 10, integer: true },
    })
  })

  test('keeps the limits and metadata of nested pipes', () => {
    const field = fieldOf(
      pipe(pipe(string(), title('Name'), minLength(2)), metadata({ multiline: true })),
    )
    expect(field).toMatchObject({ label: 'Name', limits: { minLength: 2 } })
    expect(field.input).toMatchObject({ kind: 'text', multiline: true })
  })

  test("without a title is labelled with its parameter's name in words", () => {
    expect(fieldOf(string(), 'num_before').label).toBe('Num before')
  })

  test('is not made for a parameter that the app fills in', () => {
    const queue = pipe(string(), metadata({ hidden: true }))
    expect(fieldOf(queue)).toBeUndefined()
  })

  test.each<[string, Entries[string], FormField['input']]>([
    ['literals', union([literal('a'), literal('b')]), { kind: 'choice', options: ['a', 'b'] }],
    [
      'a word or a number',
      union([number(), picklist(['newest'])]),
      { kind: 'either', options: ['newest'] },
    ],
    ['a list of numbers', array(number()), { kind: 'list', of: 'number' }],
    [
      'an object',
      object({ on: boolean(), by: optional(string()) }),
      { kind: 'json', example: '{"on":true}' },
    ],
    ['objects in a list', array(object({ id: number() })), { kind: 'json', example: '[{"id":1}]' }],
    ['a record', record(string(), boolean()), { kind: 'json', example: '{"…":true}' }],
    ['moments', pipe(number(), metadata({ unit: 'unixSeconds' })), { kind: 'time' }],
    ['days', pipe(number(), metadata({ unit: 'days' })), { kind: 'number', unit: 'days' }],
    [
      'users',
      pipe(array(number()), metadata({ picker: 'users' })),
      { kind: 'pick', picker: 'users', count: 'many', of: 'number' },
    ],
    [
      'a channel',
      pipe(union([string(), number()]), metadata({ picker: 'channel' })),
      { kind: 'pick', picker: 'channel', count: 'one', of: 'number' },
    ],
    [
      'integrations',
      pipe(string(), metadata({ picker: 'integration' })),
      { kind: 'pick', picker: 'integration', count: 'joined', of: 'text' },
    ],
  ])('for %s has a fitting input', (_what, schema, input) => {
    expect(fieldOf(schema).input).toEqual(input)
  })
})

describe('the text of a form field', () => {
  const value = (it: unknown) => ({ kind: 'value', value: it })
  const seconds = pipe(number(), metadata({ unit: 'seconds' }))
  const moment = pipe(number(), metadata({ unit: 'unixSeconds' }))

  test.each<[Entries[string], string | readonly string[], unknown]>([
    [string(), ' as it is ', ' as it is '],
    [number(), '1,5', 1.5],
    [seconds, '1 h', 3600],
    [seconds, '3600', 3600],
    [moment, '1773757800', 1_773_757_800],
    [moment, '2026-03-17T14:30Z', 1_773_757_800],
    [moment, '2026-03-17', new Date(2026, 2, 17).getTime() / 1_000],
    [boolean(), 'false', false],
    [picklist([1, 2]), '2', 2],
    [picklist(['', 'POST']), '""', ''],
    [array(number()), '1, 2', [1, 2]],
    [array(string()), 'db, old\nprod,,', ['db', 'old', 'prod']],
    [array(string()), 'db, "a,b" , c', ['db', 'a,b', 'c']],
    [array(string()), '"5,25", 3"disk, 6"disk, "half', ['5,25', '3"disk', '6"disk', '"half']],
    [array(picklist(['a', 'b'])), ['b', 'a'], ['a', 'b']],
    [union([number(), string()]), '12', 12],
    [union([number(), string()]), '"12"', '12'],
    [union([array(number()), string()]), '[1, 2]', [1, 2]],
    [union([number(), picklist(['newest'])]), 'newest', 'newest'],
    [nullable(number()), 'null', null],
    [object({}), '{"a": 1}', { a: 1 }],
    [pipe(string(), metadata({ picker: 'integration' })), ['x', 'y'], 'x,y'],
    [pipe(array(number()), metadata({ picker: 'users' })), ['3', '4'], [3, 4]],
  ])('is read as its kind requires (%#)', (schema, raw, meant) => {
    expect(readField(fieldOf(schema), raw)).toEqual(value(meant))
  })

  test.each<[Entries[string], string]>([
    [number(), 'many'],
    [number(), '1,000'],
    [number(), '0x10'],
    [seconds, 'soon'],
    [seconds, '86,400'],
    [moment, 'soon'],
    [moment, '2026-06-31 09:00'],
    [moment, '2026-02-30'],
    [array(number()), '1, two'],
    [object({}), '{a: 1}'],
  ])("is rejected when it can't be read (%#)", (schema, raw) => {
    expect(readField(fieldOf(schema), raw).kind).toBe('wrong')
  })

  test('is a moment or a zone as people type them', () => {
    vi.useFakeTimers({ now: new Date(2026, 2, 16, 12) })
    onTestFinished(() => void vi.useRealTimers())
    const at = new Date(2026, 2, 17, 14).getTime() / 1_000
    expect(readField(fieldOf(moment), 'tomorrow 14')).toEqual(value(at))
    for (const name of ['tz', 'timezone'])
      expect(readField(fieldOf(string(), name), 'berlin')).toEqual(value('Europe/Berlin'))
    // The server knows best what it takes.
    expect(readField(fieldOf(string(), 'tz'), ' Mars/Base ')).toEqual(value('Mars/Base'))
  })

  test('may be empty only where the parameter is optional or may be an empty text', () => {
    expect(readField(fieldOf(optional(number())), '').kind).toBe('absent')
    expect(readField(fieldOf(number()), '').kind).toBe('wrong')
    expect(readField(fieldOf(array(number())), []).kind).toBe('wrong')
    expect(readField(fieldOf(string()), '')).toEqual(value(''))
    expect(readField(fieldOf(pipe(string(), minLength(1))), '').kind).toBe('wrong')
  })
})
