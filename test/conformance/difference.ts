import { isDeepStrictEqual } from 'node:util'
import type { Answer, BodyRule, Expectation, Saved } from './case.ts'

/** How a response differs from the expectation; null if it doesn't. */
export function difference(
  answer: Answer,
  expected: Expectation | undefined,
  saved: Saved,
): string | null {
  if (expected === undefined)
    return answer.status >= 200 && answer.status < 300 ? null : `${told(answer)}, not a success`
  if (answer.status !== expected.status) return `${told(answer)}, not ${expected.status}`
  for (const [name, rule] of Object.entries(expected.headers ?? {})) {
    const wrong = headerDifference(answer.headers[name], rule, saved)
    if (wrong !== null) return `header ${name} ${wrong}`
  }
  return expected.body === undefined ? null : bodyDifference(answer, expected.body, saved)
}

function told({ status, text }: Answer): string {
  return `${status} ${JSON.stringify(text.slice(0, 200))}`
}

function headerDifference(
  value: string | undefined,
  rule: string | RegExp | null,
  saved: Saved,
): string | null {
  if (rule === null) return value === undefined ? null : `should not be there: ${value}`
  if (value === undefined) return 'is missing'
  const holds = rule instanceof RegExp ? rule.test(value) : value === filledText(rule, saved)
  return holds ? null : `is ${value}, not ${String(rule)}`
}

function bodyDifference(answer: Answer, rule: BodyRule, saved: Saved): string | null {
  if ('holds' in rule) return rule.holds(answer, saved)
  if ('is' in rule) {
    if (rule.is === 'empty') return answer.bytes.length === 0 ? null : `${told(answer)}, not empty`
    return /^\s*<(!doctype )?html/i.test(answer.text) ? null : `${told(answer)}, not a page`
  }
  if ('text' in rule) {
    const wrong = valueDifference(answer.text, rule.text, saved, '')
    return wrong === null ? null : `text${wrong}`
  }
  if (answer.json === undefined) return `${told(answer)}, not JSON`
  if ('json' in rule) {
    const whole = filledValue(rule.json, saved)
    return isDeepStrictEqual(answer.json, whole)
      ? null
      : `${told(answer)}, not ${JSON.stringify(whole)}`
  }
  return valueDifference(answer.json, rule.like, saved, '')
}

/** Where and how a value differs from a pattern; null if it matches. */
function valueDifference(
  value: unknown,
  pattern: unknown,
  saved: Saved,
  at: string,
): string | null {
  if (pattern instanceof RegExp)
    return typeof value === 'string' && pattern.test(value) ? null : unlike(at, value, pattern)
  if (isPredicate(pattern))
    return pattern(value) === true ? null : `${at} is ${JSON.stringify(value)}`
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return unlike(at, value, pattern)
    if (value.length !== pattern.length) return `${at} has ${value.length} items: ${cut(value)}`
    return firstOf(pattern.map((item, n) => valueDifference(value[n], item, saved, `${at}.${n}`)))
  }
  if (typeof pattern === 'object' && pattern !== null) {
    if (typeof value !== 'object' || value === null) return unlike(at, value, pattern)
    const fields: Readonly<Record<string, unknown>> = { ...value }
    return firstOf(
      Object.entries(pattern).map(([name, item]) =>
        valueDifference(fields[name], item, saved, `${at}.${name}`),
      ),
    )
  }
  const wanted = typeof pattern === 'string' ? filledText(pattern, saved) : pattern
  return Object.is(value, wanted) ? null : unlike(at, value, wanted)
}

function isPredicate(pattern: unknown): pattern is (value: unknown) => unknown {
  return typeof pattern === 'function'
}

function firstOf(differences: readonly (string | null)[]): string | null {
  return differences.find((one) => one !== null) ?? null
}

function unlike(at: string, value: unknown, wanted: unknown): string {
  const shown = wanted instanceof RegExp ? String(wanted) : cut(wanted)
  return `${at} is ${cut(value)}, not ${shown}`
}

function cut(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value).slice(0, 200)
}

function filledValue(value: unknown, saved: Saved): unknown {
  if (typeof value === 'string') return filledText(value, saved)
  if (Array.isArray(value)) return value.map((item) => filledValue(item, saved))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, filledValue(item, saved)]),
  )
}

/** Replaces `{name}` by the value saved under that name; other braces stay. */
export function filledText(text: string, saved: Saved): string {
  return text.replace(/\{(\w+)\}/g, (all, name: string) => saved[name] ?? all)
}
