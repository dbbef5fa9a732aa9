import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Random, seededRandom } from '../../src/demo/answers.ts'
import type { CommandName } from '../../src/shared/command-inputs.ts'
import { defaultSettings } from '../../src/shared/core/settings.ts'
import { type FakeDesktop, startDesktop } from '../support/session-bus.ts'
import { documentAt, lookAtFiles } from './files.ts'
import { KilledHistory } from './history.ts'
import { Cell, Texts } from './ledger.ts'
import { type Life, leftBehind, startLife } from './life.ts'
import { afterEnd, afterStart } from './look.ts'
import { Remote } from './remote.ts'
import { openService, randomAim, type Service } from './service.ts'
import { type Book, type ProjectCell, work } from './work.ts'

/** A flush may take a second, and the stand-in's exit a moment; slow machines get more. */
const termLimitMs = 3_000
const termLimitStarts = 4
/** Shares of all lives: ended by SIGTERM, ended during the start, aimed at a command or request. */
const shares = { term: 0.1, early: 0.12, command: 0.3, request: 0.5 } as const
const targets = [
  'sendMessage',
  'sendMessage',
  'discardMessage',
  'saveDraft',
  'updateSettings',
  'addAccount',
  'replaceKey',
  'removeAccount',
] as const
/** Commands of its kind to skip at most, and the longest delay after the one aimed at, ms. */
const longestAimCommands = 4
const longestAimMs = 12
/** A life ends at a random moment within this, ms, plus twice its start, for slow machines. */
const longestLifeMs = 600
const longestStartMs = 250
/** A request that is aimed at arrives within this time, or not at all. */
const longestAimedMs = 3_000
/** One in so many rounds kills the history alone instead. */
const historyEvery = 8
/** The most sentences reported, since one cause has many consequences. */
const toldPerRound = 8
/** A notification takes up to a second; slow machines get more. */
const tellingMs = 20_000

export interface LaneReport {
  readonly rounds: number
  readonly intact: number
  /** `round n: sentence`. */
  readonly wrong: readonly string[]
  readonly notes: readonly string[]
  readonly acknowledged: ReadonlyMap<string, number>
  /** Kills at a request, by its kind and stage. */
  readonly requests: ReadonlyMap<string, number>
  readonly swept: number
  readonly terms: number
  readonly slowestTermMs: number
  readonly startMs: number
  readonly sent: number
  readonly popUps: { readonly chat: number; readonly down: number; readonly repeatedDown: number }
}

interface Lane {
  /** Worth a look, although nothing acknowledged was lost. */
  readonly notes: string[]
  readonly appFolder: string
  readonly userData: string
  readonly bus: FakeDesktop
  readonly service: Service
  readonly random: Random
  readonly book: Book
  readonly tally: {
    swept: number
    terms: number
    slowestTermMs: number
    startMs: number[]
    /** Kills at a request, by its kind and stage. */
    readonly requests: Map<string, number>
  }
}

/** Starts and kills the app again and again, with one folder and one pair of servers. */
export async function runLane(options: {
  readonly appFolder: string
  readonly name: string
  readonly rounds: number
  readonly seed: number
  readonly onRound: (wrong: readonly string[]) => void
}): Promise<LaneReport> {
  const { appFolder, rounds, seed } = options
  const random = seededRandom(seed)
  const userData = mkdtempSync(join(tmpdir(), 'belfry-kill-'))
  const bus = await startDesktop()
  const service = await openService(seed, seededRandom(seed + 1))
  const wrong: string[] = []
  let intact = 0
  try {
    const book = await connected({ appFolder, userData, bus, service, name: options.name })
    const tally = { swept: 0, terms: 0, slowestTermMs: 0, startMs: [], requests: new Map() }
    const notes: string[] = []
    const lane: Lane = { notes, appFolder, userData, bus, service, random, book, tally }
    const history = new KilledHistory(userData)
    for (let round = 1; round <= rounds; round += 1) {
      const found =
        round % historyEvery === 0 ? await history.killOnce(random()) : await killOnce(lane)
      if (found.length === 0) intact += 1
      const named = [...new Set(found)]
        .slice(0, toldPerRound)
        .map((one) => `${options.name}, round ${round}: ${one}`)
      wrong.push(...named)
      options.onRound(named)
    }
    book.acknowledged.set('history', history.acknowledged)
    const last = [...(await toldAndKilled(lane)), ...(await lastLife(lane))]
    wrong.push(...last.map((one) => `${options.name}, at the end: ${one}`))
    return report(lane, { rounds, intact, wrong })
  } finally {
    await service.server.close()
    await bus.stop()
    rmSync(userData, { recursive: true, force: true })
  }
}

function start({ appFolder, userData, bus }: Pick<Lane, 'appFolder' | 'userData' | 'bus'>): Life {
  return startLife({ appFolder, userData, busAddress: bus.address })
}

/** Runs a first life, which adds the chat and the project that stay, and the places for texts. */
async function connected(
  parts: Pick<Lane, 'appFolder' | 'userData' | 'bus' | 'service'> & { readonly name: string },
): Promise<Book> {
  const { service, name } = parts
  const life = start(parts)
  if (!(await life.ready)) throw new Error(`kill: the app does not start\n${life.errors()}`)
  const { ops, chat } = service.server.world.newAccounts
  for (const account of [ops, chat]) {
    const added = await life.ask('addAccount', { ...account, allowHttp: true })
    if (added?.ok !== true) throw new Error(`kill: no account: ${JSON.stringify(added)}`)
  }
  const idOf = (kind: string): string =>
    life.state().accounts.find((account) => account.kind === kind)?.id ?? ''
  const isThere = () => (life.state().realms.get(idOf('chat'))?.channels.size ?? 0) > 0
  // Anything earlier is the baseline, which is not notified.
  const isMarked = () => {
    const marks = JSON.stringify(documentAt(parts.userData, 'marks'))
    return [idOf('chat'), idOf('monitoring')].every((id) => marks.includes(id))
  }
  while (!(isThere() && isMarked())) await pause(20)
  const [channelId = 0] = life.state().realms.get(idOf('chat'))?.channels.keys() ?? []
  await life.end('SIGTERM')
  return {
    chat: idOf('chat'),
    ops: idOf('monitoring'),
    places: ['one', 'two', 'three'].map((topic) => ({
      conversation: { kind: 'topic', channelId, topic },
      draft: new Cell(''),
    })),
    texts: new Texts(name),
    settings: new Cell(defaultSettings.pollSeconds),
    project: new Cell<ProjectCell | null>(null),
    remote: new Remote(),
    acknowledged: new Map(),
    refused: [],
    said: 0,
    labels: 0,
    flips: new Map(),
    repeated: new Set(),
  }
}

/** Runs one life and ends it. Returns sentences about what is wrong afterwards. */
async function killOnce(lane: Lane): Promise<string[]> {
  const { random, tally, book } = lane
  const kind = random()
  const early = kind < shares.early
  const term = !early && kind < shares.early + shares.term
  const moment = random()
  const before = lookAtFiles(lane.userData)
  const from = performance.now()
  const life = start(lane)
  const wrong: string[] = []
  let over = false
  let working: Promise<void> = Promise.resolve()
  if (early) await pause(moment * longestStartMs)
  else {
    if (!(await life.ready)) return [`it did not start: ${life.errors()}`]
    const startMs = performance.now() - from
    tally.startMs.push(startMs)
    tally.swept += before.temporary.length
    wrong.push(...afterStart(lane, life, before.temporary))
    const aim = aimed(lane)
    working = work({ ...lane, life, isOver: () => over, onAsk: aim.onAsk })
    const lasts = lane.service.aimedAt() === null ? moment * longestLifeMs : longestAimedMs
    await Promise.race([pause(lasts + 2 * moment * startMs), aim.reached])
  }
  lane.service.rest()
  const end = await life.end(term ? 'SIGTERM' : 'SIGKILL')
  over = true
  await working
  if (term) wrong.push(...afterTerm(lane, life, end))
  if (life.errors() !== '') wrong.push(`it wrote: ${life.errors()}`)
  wrong.push(...book.refused.splice(0), ...afterEnd(lane))
  return wrong
}

/**
 * Most kills would fall between two writes, so a share of them is aimed: `reached` resolves a few
 * milliseconds after a command of one kind, or when a request has reached a given stage.
 */
function aimed({ random, service, tally }: Lane): {
  readonly onAsk: (name: CommandName) => void
  readonly reached: Promise<void>
} {
  const { promise, resolve } = Promise.withResolvers<void>()
  const roll = random()
  const target = targets[Math.floor(random() * targets.length)]
  const after = Math.floor(random() * longestAimCommands)
  const delay = random() * longestAimMs
  if (roll < shares.request) {
    const aim = randomAim(random)
    service.aim(aim, () => {
      const name = `${aim.at} ${aim.stage}`
      tally.requests.set(name, (tally.requests.get(name) ?? 0) + 1)
      resolve()
    })
  }
  const isAimed = roll >= shares.request && roll < shares.request + shares.command
  let seen = 0
  const onAsk = (name: CommandName): void => {
    if (!isAimed || name !== target) return
    if (seen === after) setTimeout(resolve, delay)
    seen += 1
  }
  return { onAsk, reached: promise }
}

function afterTerm(
  { tally }: Lane,
  life: Life,
  end: { code: number | null; signal: string | null; ms: number },
): string[] {
  tally.terms += 1
  tally.slowestTermMs = Math.max(tally.slowestTermMs, end.ms)
  const left = leftBehind(life.pid)
  const limitMs = termLimitMs + termLimitStarts * averageStartMs(tally)
  return [
    ...(end.code === 0 ? [] : [`SIGTERM ended it with ${end.code ?? end.signal}`]),
    ...(end.ms <= limitMs ? [] : [`SIGTERM took ${Math.round(end.ms)} ms`]),
    ...(left.length === 0 ? [] : [`it left ${left.length} processes behind`]),
  ]
}

/**
 * The app notifies about a message and a check that went down, and is killed at once: the next
 * life must not notify about the message again. A note says if it didn't notify at all.
 */
async function toldAndKilled(lane: Lane): Promise<string[]> {
  const { service, book } = lane
  const { ops, realm } = service.server.world
  const life = start(lane)
  if (!(await life.ready)) return [`it did not start: ${life.errors()}`]
  book.said += 1
  const token = `said-${book.said}.`
  realm.controls.say({ from: 'Ana', to: 'Ana', text: token })
  const name = ops.controls.names().find((one) => ops.controls.check(one).status === 'up') ?? ''
  ops.controls.goDown(name)
  book.flips.set(name, (book.flips.get(name) ?? 0) + 1)
  await life.ask('refresh', { accountId: book.ops })
  const isTold = (what: string): boolean =>
    life.state().notices.some(({ title, body }) => title === what || body.includes(what))
  const told = [token, `${name} is down`]
  const deadline = performance.now() + tellingMs
  while (!told.every(isTold) && performance.now() < deadline) await pause(5)
  await life.end('SIGKILL')
  const missed = told
    .filter((what) => !isTold(what))
    .map((what) => `it did not notify about ${what}`)
  // This run promises that no notification comes twice; that each comes is proven by the chaos run.
  lane.notes.push(...missed)
  return afterEnd(lane)
}

/** Lets the app finish: what was queued is sent, and nothing is sent twice. */
async function lastLife(lane: Lane): Promise<string[]> {
  const { service } = lane
  service.calm()
  const life = start(lane)
  if (!(await life.ready)) return [`it did not start: ${life.errors()}`]
  const isQuiet = () =>
    life.state().outbox.every(({ state }) => state === 'unconfirmed' || state === 'rejected')
  // Short lives send little, and the account's rate is limited per minute.
  const deadline = performance.now() + 120_000
  while (!isQuiet() && performance.now() < deadline) await pause(50)
  const wrong = isQuiet() ? [] : ['the outbox does not empty']
  const end = await life.end('SIGTERM')
  wrong.push(...afterTerm(lane, life, end), ...afterEnd(lane))
  if (lookAtFiles(lane.userData).temporary.length > 0)
    lane.notes.push('SIGTERM left a half-written file for the next start to sweep')
  return wrong
}

function report(
  { book, tally, bus, notes }: Lane,
  told: Pick<LaneReport, 'rounds' | 'intact' | 'wrong'>,
): LaneReport {
  const titles = bus.notifications.all.map(({ title }) => title)
  const downs = [...book.flips].map(([name, flips]) => ({
    flips,
    shown: titles.filter((title) => title === `${name} is down`).length,
  }))
  return {
    ...told,
    notes,
    acknowledged: book.acknowledged,
    requests: tally.requests,
    swept: tally.swept,
    terms: tally.terms,
    slowestTermMs: tally.slowestTermMs,
    startMs: averageStartMs(tally),
    sent: book.texts.sent,
    popUps: {
      chat: bus.notifications.all.filter(({ body }) => body.includes('said-')).length,
      down: sum(downs.map(({ shown }) => shown)),
      repeatedDown: sum(downs.map(({ shown, flips }) => Math.max(0, shown - flips))),
    },
  }
}

function averageStartMs({ startMs }: Lane['tally']): number {
  return sum(startMs) / Math.max(1, startMs.length)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, next) => one + next, 0)
}
