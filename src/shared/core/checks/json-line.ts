import { isFields, jsonIn } from '../schemas.ts'

/** Fields of a JSON line that say what went wrong. */
const jsonErrors = ['error', 'err', 'exception', 'cause', 'errorMessage', 'error_message', 'stderr']
const jsonTexts = ['msg', 'message', 'reason', 'detail', 'description', 'event', 'text', 'log']

const nothingSaid = new Set(['null', 'false', '""', '0', '"none"', '{}', '[]'])

/** The text of a JSON line, after its level if it has one; null if it is none. */
export function jsonAsText(line: string): string | null {
  if (!/^\{.*\}$/.test(line)) return null
  const parsed = jsonIn(line)
  if (!isFields(parsed)) return null
  const errors = jsonErrors
    .map((name) => JSON.stringify(parsed[name] ?? null))
    .filter((one) => !nothingSaid.has(one))
  const texts = jsonTexts.map((name) => parsed[name]).filter((one) => typeof one === 'string')
  const level = levelIn(parsed)
  const isError = errors.length > 0 && !/warn|info|debug/i.test(level)
  const begin = isError ? 'error: ' : level === '' ? '' : `${level}: `
  return `${begin}${[...errors, ...texts].join(' ')}`
}

function levelIn(fields: Readonly<Record<string, unknown>>): string {
  const named = ['level', 'severity', 'lvl'].map((name) => fields[name])
  const word = named.find((one) => typeof one === 'string')
  if (word !== undefined) return String(word)
  // The numbers of pino and bunyan.
  const number = Number(fields['level'] ?? 0)
  return number >= 50 ? 'error' : number >= 40 ? 'warning' : number > 0 ? 'info' : ''
}
