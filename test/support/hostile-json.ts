import fc from 'fast-check'
import { htmlMaxLength } from '../../src/shared/core/text-length.ts'

/**
 * What Preact would take for an element: such an object in place of text would become one in a
 * window.
 */
export const elementLike = '{"type":"img","props":{"src":"x","onerror":"alert(1)"},"key":null}'

const check = {
  name: 'db-backup',
  slug: 'db-backup',
  tags: 'prod db',
  desc: 'Nightly',
  grace: 600,
  n_pings: 12,
  status: 'up',
  started: false,
  last_ping: '2026-03-17T14:00:00+00:00',
  next_ping: '2026-03-17T15:00:00+00:00',
  last_duration: 3,
  methods: '',
  timeout: 3_600,
  tz: 'UTC',
  uuid: '0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4e5f6',
  ping_url: 'https://hc.example.org/ping/0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4e5f6',
  channels: 'a,b',
}
const reaction = {
  emoji_name: 'eyes',
  emoji_code: '1f440',
  reaction_type: 'unicode_emoji',
  user_id: 12,
}
const message = {
  id: 4_200,
  type: 'stream',
  stream_id: 1,
  display_recipient: 'ops',
  subject: 'db-primary',
  content: '<p>Hello</p>',
  sender_id: 12,
  sender_full_name: 'Ana',
  timestamp: 1_773_757_500,
  last_edit_timestamp: 1_773_757_501,
  is_me_message: false,
  flags: ['read'],
  reactions: [reaction],
}
const ping = {
  type: 'success',
  date: '2026-03-17T14:00:00+00:00',
  n: 4,
  scheme: 'https',
  remote_addr: '10.0.0.1',
  method: 'GET',
  ua: 'curl',
  rid: null,
  duration: 1.5,
}
const channel = { stream_id: 1, name: 'ops', is_muted: false, desktop_notifications: null }
const user = { user_id: 12, full_name: 'Ana', is_bot: false }

/** Items as the services send them, by the field that lists them. */
const samples: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  checks: [check],
  pings: [ping],
  flips: [{ timestamp: '2026-03-17T14:00:00+00:00', up: 1 }],
  channels: [{ id: 'a', name: 'Mail', kind: 'email' }],
  messages: [message],
  realm_users: [user],
  subscriptions: [channel],
  streams: [channel],
  muted_users: [{ id: 13 }],
  user_topics: [{ stream_id: 1, topic_name: 'DB', visibility_policy: 3 }],
  recent_private_conversations: [{ user_ids: [12, 13], max_message_id: 9 }],
  events: [
    { id: 1, type: 'message', message, flags: ['read'], local_message_id: 'x' },
    {
      id: 2,
      type: 'update_message',
      message_id: 4_200,
      message_ids: [4_200],
      user_id: 12,
      flags: [],
      edit_timestamp: 1_773_757_501,
      rendered_content: '<p>x</p>',
      new_stream_id: 2,
      subject: 'moved',
    },
    { id: 3, type: 'delete_message', message_ids: [4_200] },
    {
      id: 4,
      type: 'update_message_flags',
      op: 'remove',
      flag: 'read',
      messages: [4_200],
      all: false,
      message_details: { 4200: { type: 'stream', stream_id: 1, topic: 'DB', mentioned: true } },
    },
    { id: 5, type: 'reaction', op: 'add', message_id: 4_200, ...reaction },
    { id: 6, type: 'realm_user', op: 'add', person: user },
    { id: 7, type: 'realm_user', op: 'update', person: user },
    { id: 8, type: 'subscription', op: 'add', subscriptions: [channel] },
    { id: 9, type: 'stream', op: 'update', stream_id: 1, property: 'name', value: 'new' },
    { id: 10, type: 'user_topic', stream_id: 1, topic_name: 'DB', visibility_policy: 3 },
    { id: 11, type: 'user_settings', property: 'enable_sounds', value: true },
  ],
}

/** Single values and whole replies, each of which has broken some program. */
const odd = [
  elementLike,
  '{"type":"img","props":{},"constructor":null}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '-1',
  '0.1',
  '1e308',
  '1e999',
  '9007199254740993',
  '-9e15',
  '"\\ud800"',
  '"\\u0000\\u202e"',
  '"__proto__"',
  '"NaN"',
  '["__proto__"]',
  '[[[[[[[[[[1]]]]]]]]]]',
  JSON.stringify('x'.repeat(3_000)),
  `${'['.repeat(40)}1${']'.repeat(40)}`,
]
const broken = [
  '',
  ' ',
  'NaN',
  '{"checks":NaN}',
  '\u{feff}{"checks":[],"events":[]}',
  '{"checks":[],"checks":null}',
  '<!doctype html><title>Sign in</title>',
  '{"checks":[{"name":',
  "{'checks':[]}",
  'undefined',
  '[1,2',
  '{"result":"error","msg":{"type":"img"},"code":[]}',
  '\u0000\u0001',
  '['.repeat(5_000),
  `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`,
]

const oddJson = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
)

/** A sample with some fields missing, swapped or odd. */
function mutated(sample: Readonly<Record<string, unknown>>): fc.Arbitrary<string> {
  const good = Object.entries(sample).map(([name, value]) => [name, JSON.stringify(value)] as const)
  const fields = good.map(([name, text]) =>
    fc
      .oneof(
        { weight: 12, arbitrary: fc.constant(text) },
        { weight: 1, arbitrary: oddJson },
        { weight: 1, arbitrary: fc.constantFrom(...good.map(([, other]) => other)) },
        { weight: 1, arbitrary: fc.constant(null) },
      )
      .map((value) => (value === null ? [] : [`${JSON.stringify(name)}:${value}`])),
  )
  return fc.tuple(...fields).map((parts) => `{${parts.flat().join(',')}}`)
}

function listOf(items: readonly Readonly<Record<string, unknown>>[]): fc.Arbitrary<string> {
  return fc
    .array(fc.oneof(...items.map(mutated), oddJson), { maxLength: 4 })
    .map((parts) => `[${parts.join(',')}]`)
}

/** Texts to build replies from, made once: making them again for each reply would take minutes. */
export function hostileParts(seed: number, count: number) {
  const sample = (arbitrary: fc.Arbitrary<string>, numRuns: number) =>
    fc.sample(arbitrary, { seed, numRuns })
  return {
    values: sample(oddJson, count),
    checks: sample(mutated(check), count),
    messages: sample(mutated(message), count),
    lists: new Map(
      Object.entries(samples).map(([name, items]) => [name, sample(listOf(items), count)]),
    ),
    broken,
  }
}

/** Fields that the windows show as text: whatever a server sends, each is a string or null. */
const textFields = new Set(
  `name slug description rawStatus html text senderName topic title tag svg scheme method userAgent
  rawKind runId remoteAddress kind code type key expression zone pingUrl uuid start success
  failure queueId emptyTopicName rawKind status`.split(/\s+/),
)

/** The paths to what must never come out of a reader; [] if all is well. */
export function wrongParts(value: unknown, path = '', depth = 0): readonly string[] {
  if (depth > 12) return [`${path}: deep`]
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [`${path}: ${value}`]
  if (typeof value === 'string') return value.length > htmlMaxLength ? [`${path}: long`] : []
  if (value === null || typeof value !== 'object') return []
  if (value instanceof Map || Array.isArray(value)) {
    return [...value.entries()].flatMap(([name, part]: [unknown, unknown]) =>
      wrongParts(part, `${path}.${String(name)}`, depth + 1),
    )
  }
  const wrong: string[] = []
  if (Object.getPrototypeOf(value) !== Object.prototype) wrong.push(`${path}: prototype`)
  for (const name of Object.keys(value)) {
    const part: unknown = Reflect.get(value, name)
    if (['props', 'constructor', '__proto__'].includes(name)) wrong.push(`${path}.${name}`)
    if (textFields.has(name) && part !== null && typeof part !== 'string')
      wrong.push(`${path}.${name}: no text`)
    wrong.push(...wrongParts(part, `${path}.${name}`, depth + 1))
  }
  return wrong
}
