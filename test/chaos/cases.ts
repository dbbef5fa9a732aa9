import type { WorldService } from '../../src/demo/world.ts'
import type { ProxiedRequest } from '../support/fault-proxy.ts'
import type { Fault } from '../support/faults.ts'
import type { Seeded } from '../support/seeded.ts'
import type { Rig } from './rig.ts'

/** One kind of fault, which the matrix brings over an app that works. */
export interface ChaosCase {
  /** The row of the fault table. */
  readonly fault: string
  readonly name: string
  readonly on: readonly WorldService[] | 'one' | 'all'
  /** The fault for each request while the case lasts; null: none. */
  readonly weather?: (chance: Seeded, request: ProxiedRequest) => Fault | null
  readonly begin?: (rig: Rig, chance: Seeded) => void | Promise<void>
  readonly end?: (rig: Rig, chance: Seeded) => void | Promise<void>
  /** The app copes with it, so what it shows stays fresh. Such cases aren't run for ten minutes. */
  readonly harmless?: boolean
  /** It causes bugs, which must be reported, not hidden. */
  readonly showsBugs?: boolean
  /** Some responses get through; after a good one, the next read is an interval later. */
  readonly intermittent?: boolean
  /** Requests are held until their deadline, including one in flight when the case ends. */
  readonly holds?: boolean
  /** Responses take seconds to read, including one in flight when the case ends. */
  readonly heavy?: boolean
  /** Pop-ups that belong to it, besides those about checks and messages. */
  readonly extraNotices?: number
}

const always = (fault: Fault) => () => fault
const isSend = ({ method, path }: ProxiedRequest) => method === 'POST' && path.includes('/messages')
const isEvents = ({ method, path }: ProxiedRequest) => method === 'GET' && path.includes('/events')

/** Faults only some requests, so that operations with several steps also fail in the middle. */
function some(share: number, fault: (chance: Seeded, request: ProxiedRequest) => Fault) {
  return (chance: Seeded, request: ProxiedRequest) =>
    chance.chance(share) ? fault(chance, request) : null
}

const isList = ({ path }: ProxiedRequest) => /\/checks\/(\?|$)/.test(path)

/** Falsifies every third list, since the same one twice in a row would be believed. */
function everyThirdList(kind: 'emptyList' | 'partialList') {
  return ({ weather }: Rig) => {
    let lists = 0
    weather.ops = (request) => {
      if (!isList(request)) return null
      lists += 1
      return lists % 3 === 1 ? { kind } : null
    }
  }
}

const httpDate = (inMs: number) => new Date(Date.now() + inMs).toUTCString()

const wrongAnswers = [
  '[]',
  'null',
  '3',
  '{"checks":{}}',
  '{"checks":null}',
  '{"checks":"none"}',
  '{"result":"success","msg":""}',
  '{"result":"success","msg":"","events":{}}',
  '{"result":"success","msg":"","events":[null,5,{"id":"x"}]}',
  '{"result":"success","id":"twelve","queue_id":7}',
] as const

export const chaosCases: readonly ChaosCase[] = [
  {
    fault: 'F1',
    name: 'every answer is 500, 502, 503 or 504',
    on: 'one',
    weather: (chance) => ({
      kind: 'status',
      status: chance.pick([500, 502, 503, 504]),
      forwarded: chance.chance(0.5),
    }),
  },
  {
    fault: 'F2',
    name: '429 that says how long, in each of its forms',
    on: 'one',
    // One form for the whole case, since a server does not change its mind.
    weather: (chance) => ({
      kind: 'status',
      status: 429,
      ...chance
        .part('form')
        .pick([
          { retryAfter: '1' },
          { retryAfter: httpDate(2_000) },
          { retryAfter: '-5' },
          { body: '{"result":"error","code":"RATE_LIMIT_HIT","msg":"","retry-after":1.5}' },
        ] as const),
    }),
  },
  {
    fault: 'F3',
    name: '429 without a time',
    on: 'one',
    weather: always({ kind: 'status', status: 429 }),
  },
  {
    fault: 'F4',
    name: 'the key is refused, then replaced',
    on: 'one',
    weather: (chance) => ({
      kind: 'status',
      status: 401,
      body: JSON.stringify({
        result: 'error',
        code: chance.pick(['INVALID_API_KEY', 'USER_DEACTIVATED', 'REALM_DEACTIVATED']),
        msg: 'no',
        error: 'wrong api key',
      }),
    }),
    end: async ({ now, accounts, keys }) => {
      for (const account of accounts) {
        const isRefused = now.app.state.accounts.some(
          ({ id, key }) => id === account.id && key !== 'present',
        )
        const key = keys.get(account.id) ?? ''
        if (isRefused) await now.app.commands.replaceKey({ accountId: account.id, key })
      }
    },
    extraNotices: 1,
  },
  {
    fault: 'F5',
    name: 'names are not resolved',
    on: 'all',
    begin: (rig) => {
      rig.broken.names = true
      for (const proxy of Object.values(rig.proxies)) proxy.cut()
    },
    end: (rig) => {
      rig.broken.names = false
    },
  },
  {
    fault: 'F6',
    name: 'connections are refused',
    on: ['ops', 'chat'],
    begin: async ({ proxies }) => {
      await Promise.all([proxies.ops.away(true), proxies.chat.away(true)])
    },
    end: async ({ proxies }) => {
      await Promise.all([proxies.ops.away(false), proxies.chat.away(false)])
    },
  },
  {
    fault: 'F7',
    name: 'connections are reset at every stage',
    on: 'one',
    weather: (chance) => ({
      kind: chance.pick(['resetBefore', 'resetAfter', 'resetInHeaders', 'resetInBody']),
    }),
  },
  {
    fault: 'F7',
    name: 'bodies end in the middle of their length or of a chunk',
    on: 'one',
    weather: (chance) => ({
      kind: chance.pick(['cutLength', 'cutChunk']),
      at: chance.whole(0, 3_000),
    }),
  },
  {
    fault: 'F8',
    name: 'cut bodies look complete, cut at any byte',
    on: 'one',
    weather: (chance) => ({ kind: 'cutPlain', at: chance.whole(0, 20_000) }),
  },
  {
    fault: 'F9',
    name: 'connections to a project are half open',
    on: ['ops'],
    weather: always({ kind: 'halfOpen' }),
    holds: true,
  },
  {
    fault: 'F9',
    name: 'connections to the chat are half open',
    on: ['chat'],
    weather: always({ kind: 'halfOpen' }),
    holds: true,
  },
  {
    fault: 'F10',
    name: 'headers and bodies drip',
    on: 'one',
    weather: (chance) => ({ kind: chance.pick(['slowHeaders', 'slowBody']), everyMs: 500 }),
    holds: true,
  },
  {
    fault: 'F10',
    name: 'the server works on while the client gives up',
    on: 'one',
    weather: (chance) => ({ kind: 'hang', forwarded: chance.chance(0.7) }),
    holds: true,
  },
  {
    fault: 'F10',
    name: 'answers take seconds',
    on: 'all',
    weather: (chance) => ({ kind: 'latency', ms: chance.whole(200, 6_000) }),
    harmless: true,
  },
  {
    fault: 'F11',
    name: 'JSON is truncated, invalid or has NaN',
    on: 'one',
    weather: (chance) => ({ kind: chance.pick(['truncatedJson', 'invalidJson', 'nan']) }),
    // "nan" leaves a response without numbers unchanged.
  },
  {
    fault: 'F11',
    name: 'JSON has a BOM, keys twice, __proto__ or half characters',
    on: 'all',
    weather: (chance) => ({
      kind: chance.pick(['bom', 'duplicateKeys', 'proto', 'loneSurrogates']),
    }),
    harmless: true,
  },
  {
    fault: 'F12',
    name: 'bodies are enormous',
    on: 'one',
    weather: (chance) => ({ kind: 'hugeBody', bytes: chance.pick([9, 9, 9, 70]) * 2 ** 20 }),
    heavy: true,
  },
  {
    fault: 'F12',
    name: 'bodies unpack to 200 MiB, or are packed ten times',
    on: 'one',
    weather: (chance) =>
      chance.chance(0.3)
        ? { kind: 'gzipBomb', bytes: 200 * 2 ** 20 }
        : { kind: 'stackedEncodings', times: 10 },
    heavy: true,
  },
  {
    fault: 'F13',
    name: 'JSON is 200,000 levels deep',
    on: 'one',
    weather: always({ kind: 'deepNesting', depth: 200_000 }),
  },
  {
    fault: 'F14',
    name: 'a captive portal answers',
    on: 'all',
    weather: (chance) => ({ kind: 'captivePortal', by: chance.pick([200, 302, 307, 511]) }),
  },
  {
    fault: 'F15',
    name: 'answers are valid JSON of the wrong shape',
    on: 'one',
    weather: (chance) => ({ kind: 'wrongJson', json: chance.pick(wrongAnswers) }),
  },
  {
    fault: 'F15',
    name: 'every answer is {}',
    on: 'all',
    weather: always({ kind: 'wrongJson', json: '{}' }),
  },
  {
    fault: 'F17',
    name: 'the wall clock jumps by a day',
    on: 'all',
    begin: (rig, chance) => {
      rig.clockShift.app += chance.pick([-1, 1]) * 86_400_000
    },
    harmless: true,
  },
  {
    fault: 'F18',
    name: 'the computer sleeps with dead connections and wakes',
    on: 'all',
    weather: always({ kind: 'halfOpen' }),
    end: (rig) => {
      rig.clockShift.app += 300_000
      rig.clockShift.world += 300_000
      rig.server.world.tick()
      rig.now.app.wake()
    },
    // The goal of two seconds is checked in test/app/clocks.test.ts; real sockets take longer.
  },
  {
    fault: 'F19',
    name: 'event queues are lost and the server restarts',
    on: ['chat'],
    weather: (chance, request) =>
      isEvents(request) && chance.chance(0.3) ? { kind: 'queueGone' } : null,
    begin: ({ server }) => server.world.realm.controls.dropQueues(),
    end: ({ server }, chance) => {
      if (chance.chance(0.5)) server.world.realm.controls.restart(500)
      else server.world.realm.controls.dropQueues()
    },
    harmless: true,
  },
  {
    fault: 'F19',
    name: 'every event queue is lost at its first poll',
    on: ['chat'],
    weather: (_chance, request) => (isEvents(request) ? { kind: 'queueGone' } : null),
  },
  {
    fault: 'F20',
    name: 'events come twice, in the wrong order and of unknown kinds',
    on: ['chat'],
    weather: (chance) => ({
      kind: chance.pick(['duplicatedEvents', 'reorderedEvents', 'unknownEvents']),
    }),
    begin: ({ server }) => server.world.realm.controls.unheardOf(),
    harmless: true,
  },
  {
    fault: 'F22',
    name: 'the disk is full',
    on: 'all',
    begin: ({ broken }) => {
      broken.disk = true
    },
    end: ({ broken }) => {
      broken.disk = false
    },
    harmless: true,
  },
  {
    fault: 'F33',
    name: 'names lead to a dead IPv6 address first',
    on: 'all',
    begin: ({ broken, proxies }) => {
      broken.ipv6 = true
      for (const proxy of Object.values(proxies)) proxy.cut()
    },
    end: ({ broken }) => {
      broken.ipv6 = false
    },
    harmless: true,
  },
  {
    fault: 'F35',
    name: 'a port throws what is no failure',
    on: 'all',
    begin: ({ broken }) => {
      broken.code = true
    },
    end: ({ broken }) => {
      broken.code = false
    },
    showsBugs: true,
  },
  {
    fault: 'F39',
    name: 'channel, topic and check go while one types',
    on: 'all',
    begin: ({ server }) => {
      server.world.realm.controls.renameChannel('general', 'everything-else')
      server.world.ops.controls.remove('thumbnailer')
    },
    harmless: true,
  },
  {
    fault: 'F40',
    name: 'two servers fail at once, each in its way, and one recovers first',
    on: ['ops', 'chat'],
    weather: some(0.8, (chance, request) =>
      isSend(request)
        ? { kind: chance.pick(['resetAfter', 'resetBefore']) }
        : { kind: 'status', status: chance.pick([500, 503]) },
    ),
    intermittent: true,
  },
  {
    fault: 'F41',
    name: 'a proxy answers 401, with a page or asking for Basic',
    on: 'all',
    weather: (chance) => ({
      kind: 'status',
      status: 401,
      ...(chance.chance(0.5) ? { basic: true } : {}),
    }),
  },
  {
    fault: 'F41',
    name: 'an ingress has no route and answers 404, or 400',
    on: 'all',
    weather: (chance) => ({
      kind: 'status',
      status: chance.part('status').pick([404, 404, 400]),
      ...(chance.chance(0.3) ? { body: '{}' } : {}),
    }),
  },
  {
    fault: 'F42',
    name: 'a list is empty now and then',
    on: ['ops'],
    begin: everyThirdList('emptyList'),
    intermittent: true,
  },
  {
    fault: 'F42',
    name: 'a list lacks many checks now and then',
    on: ['ops'],
    begin: everyThirdList('partialList'),
    intermittent: true,
  },
  {
    fault: 'F42',
    name: 'lists come from a cache',
    on: ['ops'],
    weather: (_chance, request) => (isList(request) ? { kind: 'cached' } : null),
  },
  {
    fault: 'F43',
    name: 'a check of the same name is in both projects, and a bot writes of one',
    on: ['ops', 'web'],
    weather: some(0.5, () => ({ kind: 'status', status: 503 })),
    intermittent: true,
    begin: async ({ server }) => {
      const { web, handle, bases, realm } = server.world
      const [name = ''] = web.controls.names()
      const { uuid } = web.controls.check(name)
      const headers = { 'x-api-key': `hcw_${'DemoWebReadWrite'.padEnd(28, '0')}` }
      const body = JSON.stringify({ name: 'metrics-rollup' })
      const url = `${bases.web}/api/v3/checks/${uuid}`
      await handle({ method: 'POST', url, headers, body }, AbortSignal.timeout(10_000))
      const text = 'metrics-rollup is DOWN'
      realm.controls.say({ from: 'Monitoring', to: 'ops > db-primary', text })
    },
    extraNotices: 1,
  },
  {
    fault: 'F44',
    name: 'more messages than the app keeps, or one answer holds, while the chat is away',
    on: ['chat'],
    weather: always({ kind: 'resetBefore' }),
    begin: async ({ server, proxies }) => {
      const { controls } = server.world.realm
      proxies.chat.cut()
      controls.dropQueues()
      for (let at = 0; at < 6_000; at += 1) {
        controls.say({ from: 'Ana', to: 'general > lunch', text: `one of many ${at}` })
        // The fake server shares the thread whose turns are measured.
        if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    },
  },
]
