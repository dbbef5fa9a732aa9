import { parseArgs } from 'node:util'
import type { App } from '../../src/main/app.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { type Conversation, conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { draftKey } from '../../src/shared/core/chat/drafts.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import { type Seeded, seeded } from '../support/seeded.ts'
import {
  type ChaosApp,
  chatAccounts,
  pause,
  realTransport,
  startChaosApp,
  until,
} from './chaos-app.ts'
import { hurry } from './fast-time.ts'
import { areLive, inPairs } from './inbound.ts'
import { naiveSender } from './naive-sender.ts'
import { serveRealms } from './realm-server.ts'
import { tally, type Wanted } from './send-tally.ts'
import { createSendTrace, textKey } from './send-trace.ts'
import { isSend, readingFault, realmOf, sendingFault } from './traffic-faults.ts'
import { createTotal } from './traffic-total.ts'

export interface SendsResult {
  /** Texts that are neither on the server nor anywhere in the app. */
  readonly lost: number
  /** Texts more often on the server than the user sent them. */
  readonly doubled: number
  /** Left to the user: the server doesn't have them, but the app can't know that. */
  readonly unconfirmed: number
  readonly runs: number
  /** Sentences with the seed; empty if all went well. */
  readonly failed: readonly string[]
}

/** A realm's requests share one budget; more than this would wait for it. */
const sendsOfRealm = 40
const share = 0.4
const settleMs = 5 * 60_000

/**
 * Sends messages while requests fail in every way, above all in that the server carries on after
 * the app gave up, and while the app is killed: each text must be on the server once, or still be
 * the user's, as rejected, unconfirmed or draft.
 */
export async function runSends(options: {
  readonly seeds: readonly number[]
  /** In total, over the seeds. */
  readonly sends?: number
  readonly log: (line: string) => void
}): Promise<SendsResult> {
  const { seeds, sends = 1_000, log } = options
  const total = createTotal('sends', 'outboxes')
  let unconfirmed = 0
  await inPairs(seeds, async (seed) => {
    const startedAt = Date.now()
    const name = `sends seed ${seed}`
    const run = await sendAll(seeded(seed).part('sends'), Math.ceil(sends / seeds.length))
    for (const line of run.traces) log(line)
    unconfirmed += run.unconfirmed
    total.add(name, run)
    log(
      `${name}: ${run.sends} sends, ${run.requests} requests, ${run.faulted} faulted, ` +
        `lost ${run.lost} doubled ${run.doubled} unconfirmed ${run.unconfirmed} rejected ${run.rejected} ` +
        `(naive: lost ${run.naiveLost} doubled ${run.naiveDoubled}), ` +
        `${Math.round((Date.now() - startedAt) / 1_000)} s`,
    )
  })
  return { ...total.sum(), unconfirmed }
}

const places: readonly [Conversation, ...Conversation[]] = [
  { kind: 'direct', userIds: [12] },
  { kind: 'direct', userIds: [13] },
  { kind: 'topic', channelId: 1, topic: 'db-primary' },
  { kind: 'topic', channelId: 2, topic: 'chaos' },
]

async function sendAll(chance: Seeded, sends: number) {
  const realmCount = Math.ceil(sends / sendsOfRealm)
  const server = await serveRealms(realmCount + 1, chance.seed % 1_000)
  const weather = chance.part('weather')
  let isBad = false
  const proxy = await startFaultProxy({
    upstream: server.url,
    choose: (request) => {
      if (!isBad) return null
      if (!isSend(request)) return readingFault(weather, request, { share: 0.15, loss: 0.02 })
      const fault = sendingFault(weather, share)
      // Long after the app gave up, so that the event is late, too.
      if (fault?.kind === 'hang' && fault.forwarded)
        server.delayNextSend(realmOf(request), weather.whole(1_000, 60_000))
      return fault
    },
  })
  const { accounts, vault } = await chatAccounts(server, proxy.url)
  const forApp = accounts.slice(0, realmCount)
  const seen = new Set<string>()
  const trace = createSendTrace()
  const parts = {
    accounts: forApp,
    vault,
    transport: sometimesRefused(realTransport(), chance.part('refused'), () => isBad),
    chance: chance.part('app'),
    onStart: (app: App) => {
      trace.note('program starts')
      trace.look(app)
    },
    onChange: (app: App) => {
      for (const { localId } of app.state.outbox) seen.add(localId)
      trace.look(app)
    },
  }
  const life: Life = {
    running: await startChaosApp(parts),
    killed: Promise.withResolvers<void>(),
    seen,
  }
  const problems: string[] = []
  const bugs: unknown[] = []
  if (!(await until(() => areLive(life.running.app), 60_000))) problems.push('never went live')
  isBad = true
  const wanted: Wanted[] = forApp.map(() => new Map())
  const each = Math.ceil(sends / realmCount)
  const users = forApp.map((account, index) =>
    user({
      life,
      accountId: account.id,
      wanted: wanted[index] ?? new Map(),
      chance: chance.part(`user ${index}`),
      sends: each,
    }),
  )
  const naive = naiveSender({
    account: accounts[realmCount],
    vault,
    realm: server.realms[realmCount],
    count: each,
    isBad: () => isBad,
  })
  for (let kills = 0; kills < 3; kills += 1) {
    await pause(chance.whole(8_000, 20_000))
    bugs.push(...life.running.bugs)
    const left = life.running.kill()
    trace.note('program killed')
    life.killed.resolve()
    await pause(chance.whole(100, 4_000))
    life.killed = Promise.withResolvers()
    life.running = await startChaosApp(parts, left)
  }
  await Promise.all(users)
  const controls = await naive
  await until(() => isSettled(life.running.app) && server.lateSends() === 0, settleMs)
  isBad = false
  const count = () => tally(life.running.app, server, wanted)
  await until(
    () => isSettled(life.running.app) && server.lateSends() === 0 && count().unresolved === 0,
    settleMs,
  )
  const { unresolved, wrong, ...counts } = count()
  const traces = wrong.flatMap(({ realm, key, what }) => [
    `${what} in realm ${realm}: ${key}`,
    ...trace.about({ realm, key, server, proxy }),
  ])
  if (!isSettled(life.running.app)) problems.push('the outbox is not done')
  if (unresolved > 0) problems.push(`${unresolved} unconfirmed that the server has`)
  bugs.push(...life.running.bugs)
  if (bugs.length > 0) problems.push(`bugs: ${bugs.map(String).slice(0, 3).join('; ')}`)
  const posts = proxy.log.filter(isSend)
  await life.running.app.stop()
  await proxy.close()
  await server.close()
  return {
    ...counts,
    naiveLost: controls.lost,
    naiveDoubled: controls.doubled,
    sends: each * realmCount,
    requests: posts.length,
    faulted: posts.filter(({ fault }) => fault !== null).length,
    problems,
    traces,
  }
}

/** Fails some sends for certain before they leave, the one failure that a proxy can't cause. */
function sometimesRefused(real: Transport, chance: Seeded, isBad: () => boolean): Transport {
  return (request, signal) =>
    isBad() && request.method === 'POST' && chance.chance(0.1)
      ? Promise.reject(
          new RequestFailed({ kind: 'network', reason: 'refused', host: 'h', reached: 'no' }),
        )
      : real(request, signal)
}

interface Life {
  running: ChaosApp
  /** Resolves when the current process is killed. */
  killed: PromiseWithResolvers<void>
  /** Local ids of all messages ever in the outbox. */
  readonly seen: Set<string>
}

/**
 * Types and sends. If the app is killed meanwhile, acts as a user would: checks if the text is on
 * its way, and sends it if it is still in the composer.
 */
async function user(parts: {
  life: Life
  accountId: string
  wanted: Wanted
  chance: Seeded
  sends: number
}): Promise<void> {
  const { life, accountId, wanted, chance } = parts
  for (let at = 0; at < parts.sends; at += 1) {
    const conversation = chance.pick(places)
    // Sometimes an equal text, since two equal messages are two.
    const text = chance.chance(0.25) ? 'ok' : `number ${at}, and words`
    const key = textKey(conversation, text)
    const place = { accountId, conversation }
    while (!(await typeAndSend(life, place, text))) await pause(500)
    wanted.set(key, (wanted.get(key) ?? 0) + 1)
    await pause(chance.whole(200, 1_500))
  }
}

type Place = { readonly accountId: string; readonly conversation: Conversation }

/** Returns false if nothing was typed because the app was not running. */
async function typeAndSend(life: Life, place: Place, text: string): Promise<boolean> {
  const { running, killed } = life
  // An equal text may be on its way already, or on disk although it has arrived.
  const known = new Set(life.seen)
  const dead = killed.promise.then(() => 'dead' as const)
  const typed = await Promise.race([
    running.app.commands.saveDraft({ ...place, text }).then(() => 'typed' as const),
    dead,
  ])
  const sent =
    typed === 'dead'
      ? typed
      : await Promise.race([
          running.app.commands.sendMessage({ ...place, text }).then(() => 'sent' as const),
          dead,
        ])
  if (sent === 'sent') return true
  while (life.running === running) await pause(50)
  const { app } = life.running
  const draft = app.state.drafts.get(draftKey(place.accountId, place.conversation)) ?? ''
  if (underWay(app, place, text, known)) {
    await app.commands.saveDraft({ ...place, text: '' })
    return true
  }
  // No running process has it: it is typed again, or sent from the composer.
  if (draft !== text && typed === 'typed') throw new Error(`a draft was lost: ${text}`)
  return typeAndSend(life, place, text)
}

function underWay(
  { state }: App,
  { accountId, conversation }: Place,
  text: string,
  known: ReadonlySet<string>,
): boolean {
  const key = conversationKey(conversation)
  return state.outbox.some(
    (entry) =>
      entry.accountId === accountId &&
      entry.text === text &&
      !known.has(entry.localId) &&
      conversationKey(entry.conversation) === key,
  )
}

function isSettled({ state }: App): boolean {
  return state.outbox.every((entry) => entry.state === 'rejected' || entry.state === 'unconfirmed')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { seed: { type: 'string' }, sends: { type: 'string' } },
  })
  hurry(10)
  const { lost, doubled, unconfirmed, failed } = await runSends({
    seeds: [Number(values.seed ?? 1)],
    ...(values.sends === undefined ? {} : { sends: Number(values.sends) }),
    log: (line) => process.stdout.write(`${line}\n`),
  })
  for (const line of failed) process.stdout.write(`failed: ${line}\n`)
  process.stdout.write(`sends lost ${lost} doubled ${doubled} unconfirmed ${unconfirmed}\n`)
  process.exit(failed.length === 0 ? 0 : 1)
}
