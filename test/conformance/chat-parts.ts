import type { RealmControls } from '../../src/demo/chat/pretend-realm.ts'
import type {
  Answer,
  BodyRule,
  CaseStep,
  ConformanceCase,
  Expectation,
  RequestStep,
  Saved,
} from './case.ts'

/** The fake realm’s controls for chat cases. */
export interface ChatControls {
  readonly realm: RealmControls
}

export interface ChatWorld {
  /** Requests a minute; real servers allow 200. */
  readonly rateLimit?: number
  /** The path that the realm is below, such as `/chat`. */
  readonly path?: string
}

export type ChatCase = ConformanceCase<ChatControls, ChatWorld>
type ChatStep = CaseStep<ChatControls>
type Fields = Readonly<Record<string, unknown>>

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** A GET of the API: text as is, everything else as JSON text. */
export function get(path: string, query: Fields = {}, expect?: Expectation): RequestStep {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    asText(value),
  ])
  const step = { method: 'GET', path: `/api/v1${path}`, query: Object.fromEntries(texts) }
  return expect ? { ...step, expect } : step
}

export function send(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  form: Fields = {},
  expect?: Expectation,
): RequestStep {
  const step = { method, path: `/api/v1${path}`, form }
  return expect ? { ...step, expect } : step
}

export function post(path: string, form?: Fields, expect?: Expectation): RequestStep {
  return send('POST', path, form, expect)
}

export function saving(step: RequestStep, save: NonNullable<RequestStep['save']>): RequestStep {
  return { ...step, save }
}

/** One agreement; `operation` is its id in the catalogue. */
export function agreement(
  operation: string | null,
  name: string,
  steps: readonly ChatStep[],
  more: Pick<
    ChatCase,
    'clock' | 'world' | 'worldOnly' | 'pretendOnly' | 'since' | 'before' | 'needs'
  > = {},
): ChatCase {
  return { operation, name, steps, ...more }
}

/** 200 with the envelope of a success, and these fields. */
export function ok(like: Fields = {}): Expectation {
  return { status: 200, body: { like: { result: 'success', msg: '', ...like } } }
}

export const isText = (value: unknown) => typeof value === 'string'
export const isNumber = (value: unknown) => typeof value === 'number'
export const isList = (value: unknown) => Array.isArray(value)
export const isAbsent = (value: unknown) => value === undefined

/** An error with this code, whatever its message. */
export function refused(code: string, extra: Fields = {}, status = 400): Expectation {
  return { status, body: { like: { result: 'error', msg: isText, code, ...extra } } }
}

/** The default error code. */
export const bad: Expectation = refused('BAD_REQUEST')

/** A strict parameter's error contains its name, which isn't translated. */
export function badNaming(name: string): Expectation {
  return refused('BAD_REQUEST', { msg: new RegExp(name) })
}

export function missing(name: string): Expectation {
  return refused('REQUEST_VARIABLE_MISSING', { var_name: name })
}

type Json = Readonly<Record<string, unknown>>

/** 200, and `test` must be true of its JSON; `what` describes that for failures. */
export function holding(what: string, test: (body: Json, saved: Saved) => boolean): Expectation {
  return { status: 200, body: holds(what, test) }
}

function holds(what: string, test: (body: Json, saved: Saved) => boolean): BodyRule {
  return {
    holds: (answer, saved) =>
      test(inner(answer.json), saved) ? null : `not so: ${what}: ${answer.text.slice(0, 300)}`,
  }
}

/** The list of objects in a field of a response; empty if it isn't a list. */
export function rows(body: Json, field: string): readonly Json[] {
  const value = body[field]
  return Array.isArray(value) ? value.map((row: object) => ({ ...row })) : []
}

/** An object's fields; none if it isn't an object. */
export function inner(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export const sameList = (a: readonly unknown[], b: readonly unknown[]) =>
  JSON.stringify(a) === JSON.stringify(b)

/** The response has exactly the messages saved under these names, in this order. */
export function messagesAre(...names: readonly string[]): Expectation {
  return holding(`the messages are ${names.join(', ') || 'none'}`, (body, saved) =>
    sameList(
      rows(body, 'messages').map(({ id }) => id),
      names.map((name) => Number(saved[name])),
    ),
  )
}

/** A narrow from `operator operand` texts: the operand in JSON; a leading `-` negates. */
export function narrow(...terms: readonly string[]): string {
  const written = terms.map((term) => {
    const [operator = '', ...rest] = term.split(' ')
    const negated = operator.startsWith('-') ? ',"negated":true' : ''
    return `{"operator":"${operator.replace(/^-/, '')}","operand":${rest.join(' ')}${negated}}`
  })
  return `[${written.join()}]`
}

/** An id that no message has. On a real server, 1 may be someone's, and would be changed. */
export const noMessage = 999_999_999_999

/** Saves `me` (id), `mail` (the real address), `dummy` (the one that the API shows) and `name`. */
export const whoAmI = saving(get('/users/me'), {
  me: 'user_id',
  mail: 'delivery_email',
  dummy: 'email',
  name: 'full_name',
})

/** A message to oneself, which disturbs nobody. */
export function note(content: string, more: Fields = {}, expect?: Expectation): RequestStep {
  const form = { type: 'direct', to: '[{me}]', content, read_by_sender: true, ...more }
  return post('/messages', form, expect)
}

/** `note` after `whoAmI`, with its id saved as `note`. */
export const aNote: readonly RequestStep[] = [whoAmI, saving(note('{prefix} note'), { note: 'id' })]

/** A channel of one's own, with its id saved as `room`, created as on servers of all levels. */
export const aRoom: readonly RequestStep[] = [
  whoAmI,
  post('/users/me/subscriptions', { subscriptions: '[{"name":"{prefix} room"}]' }),
  saving(get('/users/me/subscriptions'), { room: theRoom }),
]

/** Asked with the second key. */
export const bySomebody = (step: RequestStep): RequestStep => ({ ...step, key: 'other' })

/**
 * Saves the other person's `other` (id), `otherMail`, `otherPath` (the same for a path) and
 * `otherName`.
 */
export const whoElse = bySomebody(
  saving(get('/users/me'), {
    other: 'user_id',
    otherMail: 'delivery_email',
    otherPath: ({ json }) => encodeURIComponent(String(inner(json)['delivery_email'])),
    otherName: 'full_name',
  }),
)

/** A direct message from the other person, with its id saved as `hers`. */
export const sheWrites: readonly RequestStep[] = [
  whoAmI,
  bySomebody(saving(note('{prefix} hers'), { hers: 'id' })),
]

/** A channel of the other person without one's own subscription, with its id saved as `room`. */
export const herRoom: readonly RequestStep[] = [
  bySomebody(post('/users/me/subscriptions', { subscriptions: '[{"name":"{prefix} room"}]' })),
  saving(get('/streams'), { room: theRoom }),
]

/** Saves the account's values, to which changes are reset (not its time zone: "" can't be set). */
export const mySettings = saving(post('/register', { event_types: ['user_settings'] }), {
  scheme: 'user_settings.color_scheme',
  home: 'user_settings.web_home_view',
})

function theRoom({ json }: Answer, { prefix }: Saved): string {
  const { subscriptions, streams = subscriptions } = inner(json)
  const room = rows({ streams }, 'streams').find(({ name }) => name === `${prefix} room`)
  return String(room?.['stream_id'])
}

/** A message in topic `{prefix}` of that channel. */
export function say(content: string, more: Fields = {}, expect?: Expectation): RequestStep {
  const form = { type: 'channel', to: '{room}', topic: '{prefix}', content, ...more }
  return post('/messages', { read_by_sender: true, ...form }, expect)
}

/** Three messages in that topic: `first`, `second`, `third`. */
export const threeSaid: readonly RequestStep[] = [
  ...aRoom,
  saving(say('{prefix} one'), { first: 'id' }),
  saving(say('{prefix} two'), { second: 'id' }),
  saving(say('{prefix} three'), { third: 'id' }),
]

export const inTopic = narrow('channel {room}', 'topic "{prefix}"')

/** A queue for all types, with `queue` and `last` saved. */
export function aQueue(form: Fields = {}): RequestStep {
  return saving(post('/register', form), { queue: 'queue_id', last: 'last_event_id' })
}

/** Polls that queue without waiting. */
export function poll(expect?: Expectation, more: Fields = {}): RequestStep {
  const query = { queue_id: '{queue}', last_event_id: '{last}', dont_block: true, ...more }
  return { ...get('/events', query, expect), eventually: true }
}

/** At least one event of this type has these fields. */
export function someEvent(
  type: string,
  test: (event: Json, saved: Saved) => boolean = () => true,
): Expectation {
  return holding(`there is such a ${type} event`, (body, saved) =>
    rows(body, 'events').some((event) => event['type'] === type && test(event, saved)),
  )
}

/** `test` must be true of the ids of the events that a poll returns. */
export const eventsAre = (what: string, test: (ids: readonly unknown[]) => boolean) =>
  holding(what, (body) => test(rows(body, 'events').map(({ id }) => id)))
export const noEvents = eventsAre('there are no events', (ids) => ids.length === 0)
