/**
 * The servers of a soak, in a process of their own, so that their memory isn't measured: `world.ts
 * <seed> <seconds until the first fault> <times the rate>`.
 */
import { seeded } from '../support/seeded.ts'
import { serveWorld } from '../support/world-server.ts'
import type { FromWorld } from './channel.ts'

/** 20 times as often as `src/main/index.ts`, which lets the demo world tick once a second. */
const tickMs = 50
/** Per tick: a message every 2.5 s, a flip every 10 s; the demo has at most one a minute. */
const chances = { message: 0.02, touch: 0.02, typing: 0.02, flip: 0.005 } as const
const eventsEveryMs = 1_000
const faultEveryMs = 40_000
/** Each fault is over within eight seconds. */
const leastBetweenFaultsMs = 10_000
const napMs = 4_000

const [seedText = '1', firstFaultText = '40', rateText = '1'] = process.argv.slice(2)
const rate = Number(rateText)
const chance = seeded(Number(seedText))
const server = await serveWorld({ now: Date.now, seed: chance.seed, rateLimit: 1_000_000 })
const { world } = server
const { realm, ops, web } = world
const checks = ops.controls.names()
const people = ['Ana', 'Boris', 'Chidi'] as const
const said: number[] = []
let events = 0
let faults = 0

tell({
  is: 'open',
  accounts: world.accounts.map((account) => ({ ...account, demo: false })),
  keys: [...world.keys],
})
process.on('message', () => void end())
process.on('disconnect', () => void end())
const timers = [
  setInterval(live, tickMs),
  setInterval(() => tell({ is: 'events', count: events }), eventsEveryMs),
]
let nextFault = setTimeout(fault, Number(firstFaultText) * 1_000)

function live(): void {
  world.tick()
  // Requests are logged for tests that read the log, which nobody does here.
  const log = server.log as unknown[]
  log.length = 0
  for (let turn = 0; turn < rate; turn += 1) happen()
}

function happen(): void {
  if (chance.chance(chances.message)) say()
  if (chance.chance(chances.touch)) touch()
  if (chance.chance(chances.flip)) flip()
  if (chance.chance(chances.typing)) {
    realm.controls.typing(chance.pick(people), 'ops > db-primary')
    events += 1
  }
}

/** Sometimes uses a new topic, as in a realm over weeks. */
function say(): void {
  const from = chance.pick(people)
  const to = chance.pick(['ops > db-primary', `ops > incident ${events % 200}`, from] as const)
  const mention = to !== from && chance.chance(0.1)
  said.push(realm.controls.say({ from, to, text: `It is ${events} now.`, mention }))
  if (said.length > 200) said.shift()
  events += 1
}

function touch(): void {
  const messageId = said[chance.whole(0, Math.max(0, said.length - 1))]
  if (messageId === undefined) return
  events += 1
  const turn = chance.whole(0, 3)
  if (turn === 0) realm.controls.edit(messageId, `It was ${events}.`)
  else if (turn === 1) realm.controls.readElsewhere([messageId])
  else realm.controls.react({ from: chance.pick(people), messageId, name: 'thumbs_up' })
}

function flip(): void {
  const name = checks[chance.whole(0, checks.length - 1)] ?? ''
  if (ops.controls.check(name).status === 'down') ops.controls.recover(name)
  else ops.controls.goDown(name)
  events += 1
}

/** Causes one fault, which is over within seconds; they never overlap. */
function fault(): void {
  const turns = [away, refused, () => realm.controls.dropQueues(), limited, nap]
  turns[faults % turns.length]?.()
  faults += 1
  nextFault = setTimeout(fault, Math.max(leastBetweenFaultsMs, faultEveryMs / rate))
}

function away(): void {
  const service = chance.pick(['ops', 'web', 'chat'] as const)
  void server.away(service, true)
  setTimeout(() => void server.away(service, false), chance.whole(2_000, 8_000))
}

function refused(): void {
  realm.controls.refuse(503)
  ops.controls.refuse(502)
  setTimeout(() => {
    realm.controls.refuse(null)
    ops.controls.refuse(null)
  }, 5_000)
}

function limited(): void {
  web.controls.rateLimit(true, 3)
  setTimeout(() => web.controls.rateLimit(false), 5_000)
}

/** Stops the measured process for a while, like a closed lid. */
function nap(): void {
  process.kill(process.ppid, 'SIGSTOP')
  setTimeout(() => process.kill(process.ppid, 'SIGCONT'), napMs)
}

async function end(): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  clearTimeout(nextFault)
  await server.close()
  process.exit(0)
}

function tell(message: FromWorld): void {
  if (process.connected) process.send?.(message)
}
