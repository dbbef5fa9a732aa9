import { PretendRealm, type RealmOptions } from '../../src/demo/chat/pretend-realm.ts'

export const start = Date.UTC(2026, 2, 17, 14, 25)
const baseUrl = 'https://chat.demo.example'

/** Timers that run when the test's clock is advanced. */
export function createTestClock() {
  let now = start
  let timers: { at: number; run: () => void }[] = []
  return {
    now: () => now,
    setTimer(run: () => void, ms: number) {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    advance(ms: number) {
      now += ms
      const due = timers.filter(({ at }) => at <= now)
      timers = timers.filter(({ at }) => at > now)
      for (const { run } of due) run()
    },
    pending: () => timers.length,
  }
}

export type Fields = Readonly<Record<string, unknown>>

export interface WireEvent {
  readonly [field: string]: unknown
  readonly id: number
  readonly type: string
}

interface WireMessage {
  readonly [field: string]: unknown
  readonly id: number
  readonly content: string
  readonly subject: string
}

/** The reply fields that tests use; each reply has only its own. */
interface Body {
  readonly [field: string]: unknown
  readonly code: string
  readonly id: number
  readonly message: WireMessage
  readonly messages: readonly WireMessage[]
  readonly queue_id: string
  readonly last_event_id: number
  readonly events: readonly WireEvent[]
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Empty if the reply is not JSON. */
  readonly body: Body
}

export interface Ask {
  readonly authorization?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Sent instead of the encoded fields. */
  readonly raw?: string
}

/** Encodes like the app's client: text unchanged, everything else as JSON text. */
function encode(fields: Fields): URLSearchParams {
  const entries = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return new URLSearchParams(entries)
}

export function createClient(options: Partial<RealmOptions> = {}) {
  const clock = createTestClock()
  const realm = new PretendRealm({
    baseUrl,
    seed: 1,
    now: clock.now,
    setTimer: clock.setTimer,
    ...options,
  })
  const basic = credentials(realm.user.email, realm.user.key)

  async function ask(call: string, fields: Fields = {}, how: Ask = {}): Promise<Reply> {
    const [method = 'GET', path = '/'] = call.split(' ')
    const inQuery = method === 'GET'
    const { authorization = basic } = how
    const reply = await realm.handle(
      {
        method,
        url: `${options.baseUrl ?? baseUrl}${path}${inQuery ? `?${encode(fields)}` : ''}`,
        headers: {
          accept: 'application/json',
          'user-agent': 'Belfry/0.1',
          ...(authorization === null ? {} : { authorization }),
          ...(inQuery ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...how.headers,
        },
        body: inQuery ? null : (how.raw ?? encode(fields).toString()),
      },
      how.signal ?? new AbortController().signal,
    )
    const text = new TextDecoder().decode(reply.body)
    const isJson = reply.headers['content-type'] === 'application/json'
    // Tests name the fields that their reply has.
    return { ...reply, text, body: JSON.parse(isJson ? text : '{}') as Body }
  }
  /** Calls the API; `askPath` requests anything else from the realm. */
  const askApi = (call: string, fields?: Fields, how?: Ask) =>
    ask(call.replace(' ', ' /api/v1'), fields, how)
  return { realm, clock, ask: askApi, askPath: ask, controls: realm.controls }
}

export function credentials(email: string, key: string): string {
  return `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`
}

export type TestClient = ReturnType<typeof createClient>
