import { durationWords, readDuration } from '../core/time.ts'
import { readMoment } from '../core/typed-time.ts'
import { findZone } from '../core/wall-clock.ts'
import type { FormField } from './form-fields.ts'

/** Content of a field: text, or the chosen options. */
export type RawValue = string | readonly string[]

export type RawValues = Readonly<Record<string, RawValue>>

export type ReadValue =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'wrong'; readonly message: string }

function valued(value: unknown): ReadValue {
  return { kind: 'value', value }
}

function wrong(message: string): ReadValue {
  return { kind: 'wrong', message }
}

/** A field's value for the request. Limits are checked in main, by the operation's schema. */
export function readField(field: FormField, raw: RawValue): ReadValue {
  const { input, required, nullable } = field
  if (typeof raw !== 'string') return readChosen(field, raw)
  if (raw.trim() === '') {
    if (!required) return { kind: 'absent' }
    // An empty text may be intended, such as an empty topic.
    return input.kind === 'text' && (field.limits.minLength ?? 0) === 0
      ? valued(raw)
      : wrong('This is required.')
  }
  if (nullable && raw.trim() === 'null') return valued(null)
  return readText(field, raw)
}

function readChosen({ input, required }: FormField, chosen: readonly string[]): ReadValue {
  if (chosen.length === 0) return required ? wrong('Choose at least one.') : { kind: 'absent' }
  if (input.kind === 'pick') {
    if (input.count === 'joined')
      return valued(chosen.includes('*') ? '*' : chosen.filter((one) => one !== '').join(','))
    return valued(input.of === 'number' ? chosen.map(Number) : chosen)
  }
  if (input.kind === 'choices')
    return valued(input.options.filter((option) => chosen.includes(String(option))))
  return valued(chosen)
}

function readText({ input }: FormField, text: string): ReadValue {
  switch (input.kind) {
    case 'text':
      return valued(optionText(text))
    case 'number':
      return readNumber(text)
    case 'zone':
      return valued(findZone(text) ?? optionText(text).trim())
    case 'duration': {
      const seconds = readDuration(text)
      return seconds === null ? wrong('Enter a duration, such as 1 h or 3600.') : valued(seconds)
    }
    case 'time':
      return readTime(text)
    case 'yesNo':
      return valued(text === 'true')
    case 'choice':
    case 'choices': {
      const option = input.options.find((one) => String(one) === optionText(text))
      return option === undefined ? wrong('Choose one from the list.') : valued(option)
    }
    case 'list':
      return readList(input.of, text)
    case 'pick':
      if (input.count === 'many') return readList(input.of, text)
      return input.of === 'number' ? readNumber(text) : valued(text.trim())
    case 'either':
      return readEither(text)
    case 'json':
      return readJson(text)
  }
}

/** An empty field isn't sent, so an empty text is entered as `""`. */
function optionText(text: string): string {
  return text.trim() === '""' ? '' : text
}

function readNumber(text: string): ReadValue {
  const words = text.trim().replace(',', '.')
  // "1,000" may mean a thousand or one.
  return /^[+-]?\d+(?:\.\d+)?$/.test(words) && !/\.\d{3}$/.test(words)
    ? valued(Number(words))
    : wrong('Enter a number, without marks between thousands.')
}

/** Reads Unix seconds, a date and time in local time, or a moment as people type it. */
function readTime(text: string): ReadValue {
  const trimmed = text.trim()
  if (/^\d{9,}$/.test(trimmed)) return valued(Number(trimmed))
  const [, year = '', month = '', day = '', rest = ''] =
    /^(\d{4})-(\d{2})-(\d{2})(.*)$/.exec(trimmed) ?? []
  // `Date.parse` would read a date without a time as UTC, and 31 June as 1 July.
  const ms = isDay(year, month, day)
    ? Date.parse(rest === '' ? `${trimmed} 00:00` : trimmed)
    : Number.NaN
  const at = Number.isNaN(ms) ? readMoment(text, Date.now()) : ms
  return at === null
    ? wrong('Enter a date and time, such as 2026-03-17 14:30 or “tomorrow 9”, or Unix seconds.')
    : valued(Math.floor(at / 1_000))
}

function isDay(year: string, month: string, day: string): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return (
    year !== '' && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  )
}

/** A part of a list; quotes around all of it keep its commas. */
const listPart = /(?<=^|[,\n])[^\S\n]*(?:"([^"\n]*)"[^\S\n]*(?=[,\n]|$)|[^,\n]+)/g

function readList(of: 'text' | 'number', text: string): ReadValue {
  const parts = [...text.matchAll(listPart)]
    .map(([part, quoted]) => quoted ?? part.trim())
    .filter((part) => part !== '')
  if (of === 'text') return valued(parts)
  const numbers = parts.map(Number)
  return numbers.every(Number.isFinite)
    ? valued(numbers)
    : wrong('Enter numbers separated by commas.')
}

/** A number or a list if it parses as one, otherwise a word. Quotes turn a number into a word. */
function readEither(text: string): ReadValue {
  const trimmed = text.trim()
  if (!/^(?:-?\d+(?:\.\d+)?$|\[|")/.test(trimmed)) return valued(trimmed)
  const read = readJson(trimmed)
  return read.kind === 'value' ? read : valued(trimmed)
}

function readJson(text: string): ReadValue {
  try {
    return valued(JSON.parse(text) as unknown)
  } catch {
    return wrong('This is not valid JSON: check the quotes, commas and brackets.')
  }
}

/** The limits of a field as help text: "At most 100 characters." or ''. */
export function limitWords({ input, limits }: FormField): string {
  const { min, max, minLength, maxLength } = limits
  const say = (value: number) =>
    input.kind === 'duration' ? durationWords(value * 1_000) : String(value)
  const isList = input.kind === 'list' || input.kind === 'choices' || input.kind === 'json'
  const size = isList || (input.kind === 'pick' && input.count === 'many') ? 'items' : 'characters'
  if (input.kind === 'time') return 'A date and time, or Unix seconds.'
  if (min !== null && max !== null && max < 1e9) return `From ${say(min)} to ${say(max)}.`
  if (max !== null && max < 1e9) return `At most ${say(max)}.`
  if (min !== null && min > 0) return `At least ${say(min)}.`
  if (maxLength !== null) return `At most ${maxLength} ${size}.`
  if (minLength !== null && minLength > 1) return `At least ${minLength} ${size}.`
  if (input.kind === 'list')
    return `Separated by commas.${input.of === 'text' ? ' Quotes keep a comma: "a,b".' : ''}`
  if (input.kind === 'either') return 'A word, a number, or a list such as [1, 2].'
  return ''
}
