import { parseArgs } from 'node:util'
import type { App } from '../../src/main/app.ts'
import { readNotifiedState } from '../../src/main/storage/notified-state.ts'
import type { AttentionEvent, MessageEvent } from '../../src/shared/core/attention/event.ts'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { allMessages, type MessageList } from '../../src/shared/core/chat/message-list.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { type Seeded, seeded } from '../support/seeded.ts'
import {
  chatAccounts,
  type KillableDisk,
  pause,
  realTransport,
  startChaosApp,
  until,
} from './chaos-app.ts'
import { hurry } from './fast-time.ts'
import { naiveReader } from './naive-reader.ts'
import { type RealmServer, serveRealms } from './realm-server.ts'
import { readingFault } from './traffic-faults.ts'
import { createTotal } from './traffic-total.ts'

export interface InboundResult {
  /** Messages that the app never held, or should have notified about and never did. */
  readonly lost: number
  /** Notified more than once. */
  readonly doubled: number
  readonly runs: number
  /** Sentences with the seed; empty if all went well. */
  readonly failed: readonly string[]
}

/** The app keeps at most 3,000 per realm, and each realm has a request budget. */
const messagesOfRealm = 1_000
const bursts = 25
/** All of these notify in the fake realm. */
const heard = ['Ana', 'Boris', 'ops > db-primary'] as const
const unheard = ['general > lunch', 'general > reading'] as const
/** Per run, in accelerated time. */
const settleMs = 10 * 60_000

/**
 * Posts messages while `share` of the calls fail in every way, the server restarts and loses
 * queues, and the app is killed: each message must be in the app, and be notified once.
 */
export async function runInbound(options: {
  readonly seeds: readonly number[]
  /** Per share of faults, over all seeds. */
  readonly messages?: number
  readonly log: (line: string) => void
}): Promise<InboundResult> {
  const { seeds, messages = 10_000, log } = options
  const runs = seeds.flatMap((seed) => [0.2, 0.5].map((share) => ({ seed, share })))
  const total = createTotal('inbound', 'queues')
  const one = async ({ seed, share }: { seed: number; share: number }): Promise<void> => {
    const startedAt = Date.now()
    const name = `inbound seed ${seed}, ${share * 100} % faulted`
    const run = await inbound(
      seeded(seed).part(`inbound ${share}`),
      Math.ceil(messages / seeds.length),
      share,
    )
    total.add(name, run)
    log(
      `${name}: ${run.messages} messages, ${run.calls} calls, ${run.faulted} faulted, ` +
        `lost ${run.lost} doubled ${run.doubled} ` +
        `(naive: lost ${run.naiveLost} doubled ${run.naiveDoubled}), ` +
        `${Math.round((Date.now() - startedAt) / 1_000)} s`,
    )
  }
  await inPairs(runs, one)
  return total.sum()
}

/** Runs two at a time: each mostly waits, but together they use two cores. */
export async function inPairs<T>(items: readonly T[], run: (item: T) => Promise<void>) {
  const line = [...items]
  const worker = async (): Promise<void> => {
    for (let next = line.shift(); next !== undefined; next = line.shift()) await run(next)
  }
  await Promise.all([worker(), worker()])
}

async function inbound(chance: Seeded, messages: number, share: number) {
  const realmCount = Math.max(2, Math.ceil(messages / messagesOfRealm))
  const server = await serveRealms(realmCount, chance.seed % 1_000)
  const weather = chance.part('weather')
  let isBad = false
  const proxy = await startFaultProxy({
    upstream: server.url,
    choose: (request) => (isBad ? readingFault(weather, request, { share, loss: 0.01 }) : null),
  })
  const { accounts, vault } = await chatAccounts(server, proxy.url)
  const seen = createWitness(server)
  const parts = {
    accounts,
    vault,
    transport: realTransport(),
    chance: chance.part('app'),
    onStart: () => undefined,
    onChange: seen.look,
    onEvents: seen.decide,
  }
  let running = await startChaosApp(parts)
  const problems: string[] = []
  if (!(await until(() => areLive(running.app), 60_000))) problems.push('never went live')
  // Until here the baselines are written; everything later is news.
  await pause(1_000)
  const baseline = server.realms.map((realm) => newestOf(realm.controls.messages()))
  const naive = [
    naiveReader(accounts[0], vault, 'forgets'),
    naiveReader(accounts[0], vault, 'repeats'),
  ]
  await Promise.all(naive.map((reader) => reader.live()))
  isBad = true
  const bugs: unknown[] = []
  for (let burst = 0; burst < bursts; burst += 1) {
    say(server, chance, Math.ceil(messages / bursts / realmCount), burst)
    await pause(chance.whole(500, 4_000))
    if (burst % 8 === 3) await server.restart(chance.whole(100, 2_000))
    if (burst % 8 === 5) chance.pick(asPair(server)).controls.dropQueues()
    if (burst === 10 || burst === 18) {
      bugs.push(...running.bugs)
      const left = running.kill()
      seen.killed(left)
      await pause(chance.whole(100, 3_000))
      running = await startChaosApp(parts, left)
    }
  }
  const expected = () => server.realms.map((realm) => realm.controls.messages())
  const isDone = () =>
    isToldOfAll(running.app, server) && seen.misses(expected(), baseline).length === 0
  // The bad network lasts a while longer, and the app must cope with it.
  await until(isDone, settleMs / 2)
  isBad = false
  await until(isDone, settleMs / 2)
  await pause(1_000)
  bugs.push(...running.bugs)
  if (bugs.length > 0) problems.push(`bugs: ${bugs.map(String).slice(0, 3).join('; ')}`)
  const result = {
    ...seen.verdict(expected(), baseline),
    messages: expected().flat().length,
    calls: proxy.log.length,
    faulted: proxy.log.filter(({ fault }) => fault !== null).length,
    problems,
    naiveLost: naive[0]?.lost(expected()[0] ?? [], baseline[0] ?? 0) ?? 0,
    naiveDoubled: naive[1]?.doubled() ?? 0,
  }
  for (const reader of naive) reader.stop()
  await running.app.stop()
  await proxy.close()
  await server.close()
  return result
}

export function areLive(app: App): boolean {
  return [...app.state.realms.values()].every(
    ({ phase, notified }) => phase === 'live' && notified !== null,
  )
}

function isToldOfAll({ state }: App, server: RealmServer): boolean {
  return server.realms.every(({ controls }, index) => {
    const told = state.realms.get(`chat-${index}`)?.notified
    const newest = newestOf(controls.messages())
    return told != null && (told.floor >= newest || told.ids.includes(newest))
  })
}

function asPair({ realms }: RealmServer) {
  const [first, ...rest] = realms
  if (first === undefined) throw new Error('no realms')
  return [first, ...rest] as const
}

function say(server: RealmServer, chance: Seeded, count: number, burst: number): void {
  for (const [index, realm] of server.realms.entries())
    for (let at = 0; at < count; at += 1) {
      const to = chance.chance(0.7) ? chance.pick(heard) : chance.pick(unheard)
      const from = to === 'Boris' ? 'Boris' : 'Ana'
      realm.controls.say({ from, to, text: `${index}.${burst}.${at} ${to}` })
    }
}

type Said = ReturnType<RealmServer['realms'][number]['controls']['messages']>

function newestOf(messages: Said): number {
  return messages.reduce((most, { id }) => Math.max(most, id), 0)
}

/** Records what the app holds and notifies, over all its lives. */
function createWitness(server: RealmServer) {
  /** By realm, the ids that were ever in the app. */
  const held = server.realms.map(() => new Set<number>())
  const lastHeld = new Map<string, MessageList>()
  const toldFloors = new Map<string, number>()
  let decided: MessageEvent[] = []
  const past: MessageEvent[] = []
  const problems = new Set<string>()

  const hold = (index: number, messages: MessageList): void => {
    for (const { id } of allMessages(messages)) held[index]?.add(id)
  }
  return {
    /** Events that the chat's settings notify about: each is decided once, shown by the rules. */
    decide(events: readonly AttentionEvent[]): void {
      for (const event of events)
        if (event.of === 'message' && event.chat.notify) decided.push(event)
    },
    look(app: App): void {
      for (const [id, realm] of app.state.realms) {
        const floor = realm.notified?.floor ?? -1
        if (floor < (toldFloors.get(id) ?? -1)) problems.add(`${id}: the mark moved back`)
        toldFloors.set(id, floor)
        // The last list of a life is complete, since the app keeps 3,000 messages of a realm.
        lastHeld.set(id, realm.messages)
      }
    },
    /** What was decided but not marked on disk was not notified, and is decided again. */
    killed(disk: KillableDisk): void {
      for (const [id, messages] of lastHeld) hold(indexOf(id), messages)
      const marks = readNotifiedState(disk.read('marks'))
      past.push(
        ...decided.filter(({ accountId, messageId }) => {
          const told = marks.realms.get(accountId)
          return told !== undefined && (messageId <= told.floor || told.ids.includes(messageId))
        }),
      )
      decided = []
      lastHeld.clear()
      toldFloors.clear()
    },
    /** Ids of messages that the app never held. */
    misses(said: readonly Said[], baseline: readonly number[]): number[] {
      for (const [id, messages] of lastHeld) hold(indexOf(id), messages)
      return said.flatMap((messages, index) =>
        messages
          .filter(({ id }) => id > (baseline[index] ?? 0) && held[index]?.has(id) !== true)
          .map(({ id }) => id),
      )
    },
    verdict(said: readonly Said[], baseline: readonly number[]) {
      const missed = this.misses(said, baseline).length
      const times = new Map<string, number>()
      for (const { accountId, messageId } of [...past, ...decided]) {
        const id = `${indexOf(accountId)} ${messageId}`
        times.set(id, (times.get(id) ?? 0) + 1)
      }
      const told = said.flatMap((messages, index) =>
        messages
          .filter(({ id }) => id > (baseline[index] ?? 0))
          .map(({ id, place }) => ({
            times: times.get(`${index} ${id}`) ?? 0,
            wanted: isHeard(server, index, place) ? 1 : 0,
          })),
      )
      return {
        lost: missed + told.filter(({ times, wanted }) => times < wanted).length,
        doubled: problems.size + told.filter(({ times, wanted }) => times > wanted).length,
      }
    },
  }
}

function indexOf(accountId: string): number {
  return Number(accountId.slice('chat-'.length))
}

type Place = Said[number]['place']

function keyOf(server: RealmServer, index: number, place: Place): string {
  const me = server.realms[index]?.user.id
  return conversationKey(
    place.kind === 'topic'
      ? place
      : { kind: 'direct', userIds: place.userIds.filter((id) => id !== me) },
  )
}

function isHeard(server: RealmServer, index: number, place: Place): boolean {
  return place.kind === 'direct' || keyOf(server, index, place) === 'topic/1/db-primary'
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, messages: { type: 'string' } },
  })
  hurry(10)
  const { lost, doubled, failed } = await runInbound({
    seeds: [Number(values.seed ?? 1)],
    ...(values.messages === undefined ? {} : { messages: Number(values.messages) }),
    log: (line) => process.stdout.write(`${line}\n`),
  })
  for (const line of failed) process.stdout.write(`failed: ${line}\n`)
  process.stdout.write(`inbound lost ${lost} doubled ${doubled}\n`)
  process.exit(failed.length === 0 ? 0 : 1)
}
