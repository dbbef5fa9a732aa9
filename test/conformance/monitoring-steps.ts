import { uniqueKeyOf } from '../../src/main/base/unique-key.ts'
import type { Answer, BodyRule, Expectation, KeyKind, RequestStep } from './case.ts'
import { fieldNames, partOf } from './part-of.ts'

export const checksPath = '/api/v3/checks/'
export const unknownUuid = '99999999-2222-4333-8444-555555555555'

type Fields = Readonly<Record<string, unknown>>

/** Fields in the name of a case. */
export function briefly(fields: Fields): string {
  const text = JSON.stringify(fields)
  return text.length > 60 ? `${text.slice(0, 24)}… (${text.length})` : text
}

export const empty = { is: 'empty' } as const
export const html = { is: 'html' } as const

/**
 * Creates a check named `{prefix} <name>`, and saves its UUID as `{name}`, its unique key as
 * `{nameKey}` and its ping address as `{nameUrl}`.
 */
export function make(name: string, fields: Fields = {}): RequestStep {
  return {
    method: 'POST',
    path: checksPath,
    json: { name: `{prefix} ${name}`, ...fields },
    expect: { status: 201 },
    save: {
      [name]: 'uuid',
      [`${name}Key`]: (answer) => uniqueKeyOf(fieldOf(answer, 'uuid')),
      [`${name}Url`]: 'ping_url',
    },
  }
}

/** Sends the key, except to an address that the service gave. */
export function get(
  path: string,
  expect: Expectation,
  key: KeyKind = path.startsWith('{') ? 'none' : 'readWrite',
): RequestStep {
  return { method: 'GET', path, expect, key }
}

/** The record of a check created by `make` must match this. */
export function shows(name: string, like: Fields, key: KeyKind = 'readWrite'): RequestStep {
  return get(`${checksPath}{${name}}`, { status: 200, body: { like } }, key)
}

export function post(path: string, expect: Expectation, json?: unknown): RequestStep {
  return { method: 'POST', path, expect, ...(json === undefined ? {} : { json }) }
}

/** A ping that is answered with OK; `suffix` such as `/start` or `?rid=…`. */
export function ping(name: string, suffix = '', body?: string): RequestStep {
  return {
    method: body === undefined ? 'GET' : 'POST',
    path: `{${name}Url}${suffix}`,
    key: 'none',
    ...(body === undefined ? {} : { raw: body }),
    expect: { status: 200, body: { text: 'OK' } },
  }
}

export function ok(like: Fields): Expectation {
  return { status: 200, body: { like } }
}

export function error(status: number, text: string): Expectation {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: { json: { error: text } },
  }
}

export function invalid(reason: string): Expectation {
  return error(400, `json validation error: ${reason}`)
}

export const wrongKey = error(401, 'wrong api key')
export const missingKey = error(401, 'missing api key')

/** The names of a list's checks, without the run's prefix, in any order. */
export function listOf(names: readonly string[]): BodyRule {
  return {
    holds(answer, saved) {
      const prefix = `${saved['prefix']} `
      const found = itemsOf(answer, 'checks')
        .map(({ name }) => String(name))
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.slice(prefix.length))
      const same = found.toSorted().join() === names.toSorted().join()
      return same ? null : `lists ${found.join(', ') || 'none'}, not ${names.join(', ') || 'none'}`
    },
  }
}

/** The `up` of a check's flips, newest first. */
export function flips(name: string, ups: readonly (0 | 1)[]): RequestStep {
  return get(`${checksPath}{${name}}/flips/`, {
    status: 200,
    body: { like: { flips: ups.map((up) => ({ up, timestamp: isoSeconds })) } },
  })
}

/** The complete log of a check, newest first. */
export function pings(name: string, like: readonly Fields[]): RequestStep {
  return get(`${checksPath}{${name}}/pings/`, { status: 200, body: { like: { pings: like } } })
}

export const isoSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/

export function itemsOf(answer: Answer, name: string): readonly Fields[] {
  const list = partOf(answer.json, name)
  const items: readonly unknown[] = Array.isArray(list) ? list : []
  return items.map((one) =>
    Object.fromEntries(fieldNames(one).map((field) => [field, partOf(one, field)])),
  )
}

export function fieldOf(answer: Answer, name: string): string {
  return String(partOf(answer.json, name))
}
