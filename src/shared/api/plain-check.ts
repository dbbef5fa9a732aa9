import type { WireCheck, wireCheck } from './read-check.ts'

/** Within every limit that a check's texts have, so that none of them is cut. */
const shortest = 200
/** Within the limits of all but a status and a time zone. */
const short = 1_000

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.length <= most
}

function isTextOrNone(value: unknown, most: number): boolean {
  return value == null || isText(value, most)
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= 1e11
}

function isAmountOrNone(value: unknown): boolean {
  return value == null || isAmount(value)
}

/**
 * Whether the schema takes a check and changes nothing in it, which is so of nearly all: asking the
 * schema itself costs ten times as much. It still has the word on everything else: what lacks a field,
 * is to be cut, or is wrong. Written out, since a table of the fields is looked up for each of them.
 */
export function isPlainCheck(item: unknown): item is WireCheck {
  if (typeof item !== 'object' || item === null) return false
  // Nothing is known of it yet but the names that are looked for.
  const check = item as Readonly<Partial<Record<keyof typeof wireCheck.entries, unknown>>>
  return (
    isText(check.name, short) &&
    isText(check.status, shortest) &&
    isAmount(check.grace) &&
    isText(check.slug, short) &&
    isText(check.tags, short) &&
    isText(check.desc, short) &&
    isAmount(check.n_pings) &&
    isFlag(check.started) &&
    isTextOrNone(check.last_ping, short) &&
    isTextOrNone(check.next_ping, short) &&
    isAmountOrNone(check.last_duration) &&
    isFlag(check.manual_resume) &&
    isText(check.methods, short) &&
    isText(check.start_kw, short) &&
    isText(check.success_kw, short) &&
    isText(check.failure_kw, short) &&
    isFlag(check.filter_subject) &&
    isFlag(check.filter_body) &&
    isFlag(check.filter_http_body) &&
    isFlag(check.filter_default_fail) &&
    isTextOrNone(check.badge_url, short) &&
    isAmountOrNone(check.timeout) &&
    isTextOrNone(check.schedule, short) &&
    isTextOrNone(check.tz, shortest) &&
    isTextOrNone(check.uuid, short) &&
    isTextOrNone(check.unique_key, short) &&
    isTextOrNone(check.update_url, short) &&
    isTextOrNone(check.ping_url, short) &&
    isTextOrNone(check.channels, short)
  )
}
