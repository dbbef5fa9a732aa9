import { afterAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/demo/answers.ts'
import { uniqueKeyOf } from '../../src/main/base/unique-key.ts'
import { messageText } from '../../src/main/chat/message-text.ts'
import { readReply } from '../../src/main/http/reply-reading.ts'
import { catalogue } from '../../src/shared/api/catalogue.ts'
import { eventId, readEvent } from '../../src/shared/api/chat/read-events.ts'
import { readMessage } from '../../src/shared/api/chat/read-message.ts'
import { readSnapshot } from '../../src/shared/api/chat/read-snapshot.ts'
import {
  readFlips,
  readIntegrations,
  readPings,
} from '../../src/shared/api/monitoring/read-history.ts'
import type { Operation } from '../../src/shared/api/operation.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { atOnce } from '../../src/shared/core/steps.ts'
import { elementLike, hostileParts, wrongParts } from '../support/hostile-json.ts'
import { readChecks } from '../support/read-checks.ts'

const seed = 20_260_317
const perSchema = 10_000
/** For an operation whose schema was already tested with another one. */
const perTwin = 300
const parts = hostileParts(seed, 1_500)
const monitoring = {
  kind: 'monitoring',
  baseUrl: 'https://h.example',
  keyKind: 'readWrite',
} as const
const chat = { kind: 'chat', baseUrl: 'https://c.example', email: 'a@c.example' } as const
const encoder = new TextEncoder()

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Runs everything that reads a response, whichever operation it claims to be from. */
function readAll(reply: unknown): unknown {
  if (typeof reply !== 'object' || reply === null) return null
  const at = (name: string): readonly unknown[] => list(Reflect.get(reply, name))
  const context = { me: 11, toText: messageText }
  return {
    checks: readChecks([...at('checks'), reply], uniqueKeyOf, Date.UTC(2026, 2, 17)).checks,
    pings: readPings({ pings: at('pings') }).items,
    flips: readFlips({ flips: at('flips') }).items,
    bare: Array.isArray(reply) ? readFlips(reply).items : [],
    integrations: readIntegrations({ channels: at('channels') }).items,
    messages: at('messages').map((message) => readMessage(message, context)),
    ids: at('events').map(eventId),
    events: at('events').flatMap((event) => readEvent(event, context)),
    snapshot: orMalformed(() => atOnce(readSnapshot(reply))),
  }
}

/** Returns null for an expected failure; rethrows anything else. */
function orMalformed(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof RequestFailed && error.failure.kind === 'malformed') return null
    throw error
  }
}

const random = seededRandom(seed)
const among = <T>(from: readonly T[]): T => {
  const picked = from[Math.floor(random() * from.length)]
  if (picked === undefined) throw new Error('nothing to pick from')
  return picked
}

const envelope = [...parts.lists.keys(), 'queue_id', 'last_event_id', 'user_id', 'unread_msgs']

function ownFields({ reply }: Operation): readonly string[] {
  // Only object schemas have entries, and theirs are objects.
  return 'entries' in reply ? Object.keys(reply.entries as object) : []
}

/** A response that nearly matches this operation. */
function answerTo(operation: Operation): string {
  const draw = random()
  if (draw < 0.04) return among(parts.broken)
  if (draw < 0.08) return among(parts.values)
  if (draw < 0.12) return among(among([...parts.lists.values()]))
  if (draw < 0.2) return among(parts.checks)
  const names = new Set([...ownFields(operation), among(envelope), among(envelope)])
  const fields = [...names].map((name) => {
    const fitting = parts.lists.get(name)
    const isFitting = fitting !== undefined && random() < 0.8
    return `${JSON.stringify(name)}:${among(isFitting ? fitting : parts.values)}`
  })
  return `{${fields.join(',')}}`
}

const seen = { answers: 0, good: 0 }
/** One in how many responses goes to the shared readers: more of those they are meant for. */
function readOneIn(operation: Operation): number {
  return ownFields(operation).some((name) => parts.lists.has(name)) ? 4 : 100
}

function read(operation: Operation, text: string, at: number): void {
  const account = operation.service === 'chat' ? chat : monitoring
  const reply = {
    status: at % 5 === 4 ? among([400, 401, 403, 404, 429]) : 200,
    headers: { 'content-type': 'application/json' },
    body: encoder.encode(text),
  }
  seen.answers += 1
  try {
    const value = readReply(account, operation, reply, 0)
    seen.good += 1
    const wrong = at % readOneIn(operation) === 0 ? wrongParts(readAll(value)) : []
    if (wrong.length > 0) throw new Error(`a reader let through: ${wrong.join(', ')}`)
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    if (reply.status === 200 && error.failure.kind !== 'malformed') throw error
  }
}

describe(`responses of a hostile server, seed ${seed}`, () => {
  afterAll(() => {
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  const schemas = new Set<unknown>()
  const isFirst = ({ reply }: Operation): boolean => {
    const isNew = !schemas.has(reply)
    schemas.add(reply)
    return isNew
  }
  const operations: readonly (readonly [string, Operation])[] = Object.entries(catalogue)
  test.each(operations)(
    'to %s are values or failures',
    (name, operation) => {
      const count = isFirst(operation) ? perSchema : perTwin
      for (let at = 0; at < count; at += 1) {
        const text = answerTo(operation)
        try {
          read(operation, text, at)
        } catch (error) {
          throw new Error(`${name}, answer ${at}: ${text.slice(0, 2_000)}`, { cause: error })
        }
      }
    },
    60_000,
  )

  test('are of both kinds, and a trusting reader would be caught', () => {
    expect(seen.good).toBeGreaterThan(seen.answers / 20)
    expect(seen.good).toBeLessThan(seen.answers / 1.2)
    const trusting: unknown = JSON.parse(`[{"name":${elementLike}}]`)
    expect(wrongParts(trusting)).toContain('.0.name: no text')
    expect(wrongParts(JSON.parse('{"__proto__":{"a":1}}'))).toContain('.__proto__')
    expect(wrongParts({ at: Number.NaN })).toEqual(['.at: NaN'])
  })

  test('are no longer than a window can bear', () => {
    const name = 'x'.repeat(1_000_000)
    const wire = JSON.parse(parts.checks.find((text) => isCheck(text)) ?? '') as object
    const { checks } = readChecks([{ ...wire, name, tags: name, desc: name }], uniqueKeyOf)
    expect(checks[0]?.name).toHaveLength(1_000)
    expect(checks[0]?.name.endsWith('x…')).toBe(true)
    expect(JSON.stringify(checks).length).toBeLessThan(100_000)
  })
})

function isCheck(text: string): boolean {
  return readChecks([JSON.parse(text)], uniqueKeyOf).checks.length === 1
}
