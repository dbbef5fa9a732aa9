import type { WorldService } from '../../src/demo/world.ts'
import { isFresh } from '../../src/shared/core/account.ts'
import { allMessages } from '../../src/shared/core/chat/message-list.ts'
import { freshnessOf } from '../../src/shared/core/state.ts'
import { trayView } from '../../src/shared/core/views/tray-view.ts'
import type { ChaosCase } from './cases.ts'
import { pollSeconds, type Rig, serviceOf } from './rig.ts'

/** A promise of docs/reliability.md that did not hold. */
export interface Broken {
  readonly promise: 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'F40' | 'G6'
  readonly what: string
}

/** What happened in the world while the fault lasted. */
export interface Story {
  /** Names of checks that went down and stayed down. */
  readonly down: readonly string[]
  /** Texts that others wrote and that the user is to be told of. */
  readonly heard: readonly string[]
  readonly sent: readonly string[]
  readonly draft: string
  /** What the app refused to take: the user tries it again until it takes it. */
  readonly later: Promise<void>[]
}

/** What was true, seen from outside the app: when each project last gave a whole answer. */
function lastGoodAt(rig: Rig, service: WorldService): number {
  const lists = rig.proxies[service].log.filter(
    ({ path, fault, reachedUpstream }) =>
      fault === null && reachedUpstream && /\/checks\/(\?|$)/.test(path),
  )
  return Math.max(0, ...lists.map(({ at, endedAt }) => endedAt ?? at))
}

/** An answer's way, and the tick of whoever looks: 0.3 s of real time. */
const slackMs = 3_000

/** From when on a read that does not come makes an account stale. */
const lateMs = 10_000

/** Looks at the screen while the fault lasts. */
export function watchScreen(
  rig: Rig,
  { harmless = false }: Pick<ChaosCase, 'harmless'>,
  struck: readonly WorldService[],
): { readonly broken: Broken[]; stop(): void } {
  const broken: Broken[] = []
  const told = new Set<string>()
  const say = (promise: Broken['promise'], what: string) => {
    if (!told.has(what)) broken.push({ promise, what })
    told.add(what)
  }
  const sizes = new Map(rig.accounts.map(({ id }) => [id, sizeOf(rig, id)]))
  const lookAtTray = (now: number) => {
    for (const service of harmless ? [] : struck) {
      const age = Date.now() - lastGoodAt(rig, service)
      if (service === 'chat' || age <= pollSeconds * 1_000 + lateMs + slackMs) continue
      // By itself: a check of another project that is down would hide what is said of this one.
      const { accounts, ...rest } = rig.now.app.state
      const own = accounts.filter(({ id }) => serviceOf(id) === service)
      const boards = new Map([...rest.boards].filter(([id]) => serviceOf(id) === service))
      const { shape } = trayView({ ...rest, accounts: own, boards }, now)
      if (['good', 'late', 'overrun', 'silenced', 'paused'].includes(shape))
        say('P5', `the tray says "${shape}" although ${service} gave nothing for 25 s`)
    }
  }
  const lookAtAccount = (id: string, now: number) => {
    const freshness = freshnessOf(rig.now.app.state, id)
    const isOther = !struck.includes(serviceOf(id))
    if (isOther && (freshness === null || !isFresh(freshness, now)))
      say('F40', `${serviceOf(id)} is stale although only ${struck.join(', ')} is in trouble`)
    if (sizeOf(rig, id) < (sizes.get(id) ?? 0) - 1)
      say('P5', `${serviceOf(id)} shows less than before the fault`)
  }
  const timer = setInterval(() => {
    const now = Date.now() + rig.clockShift.app
    lookAtTray(now)
    for (const { id } of rig.accounts) lookAtAccount(id, now)
  }, 500)
  return { broken, stop: () => clearInterval(timer) }
}

function sizeOf(rig: Rig, accountId: string): number {
  const { boards, realms } = rig.now.app.state
  const board = boards.get(accountId)
  return board === undefined
    ? (realms.get(accountId)?.messages.size ?? 0)
    : board.checks.size + board.unreadable
}

/** When everything is over: what the server has, what the app has, and what was told. */
export function judge(rig: Rig, one: ChaosCase, story: Story): Broken[] {
  return [
    ...nothingLost(rig, story),
    ...nothingTwice(rig, story),
    ...toldOnce(rig, story),
    ...calm(rig, one, story),
    ...noBugs(rig, one),
  ]
}

function nothingLost({ now, server }: Rig, story: Story): Broken[] {
  const { drafts, outbox } = now.app.state
  const kept = [...drafts.values(), ...outbox.map(({ text }) => text)].join('\n')
  const there = new Set(server.world.realm.controls.messages().map(({ content }) => content))
  return [
    ...(kept.includes(story.draft) ? [] : [lost(`the draft "${story.draft}"`)]),
    ...story.sent
      .filter((text) => !there.has(text) && !kept.includes(text))
      .map((text) => lost(`the message "${text}"`)),
  ]
}

function lost(what: string): Broken {
  return { promise: 'P1', what: `${what} is lost` }
}

function nothingTwice({ server }: Rig, story: Story): Broken[] {
  const contents = server.world.realm.controls.messages().map(({ content }) => content)
  return story.sent
    .map((text) => ({ text, times: contents.filter((content) => content === text).length }))
    .filter(({ times }) => times > 1)
    .map(({ text, times }) => ({
      promise: 'P2',
      what: `"${text}" is on the server ${times} times`,
    }))
}

function toldOnce({ now }: Rig, story: Story): Broken[] {
  const { notices, realms } = now.app.state
  const wrong: Broken[] = []
  const expect = (what: string, times: number) => {
    if (times !== 1) wrong.push({ promise: 'P3', what: `${what}: ${times} times instead of once` })
  }
  for (const name of story.down)
    expect(
      `told that ${name} is down`,
      notices.filter((one) => one.kind === 'down' && JSON.stringify(one).includes(name)).length,
    )
  const messages = [...realms.values()].flatMap((realm) => allMessages(realm.messages))
  for (const text of story.heard) {
    expect(`told "${text}"`, notices.filter((one) => JSON.stringify(one).includes(text)).length)
    expect(`holds "${text}"`, messages.filter((one) => one.text.includes(text)).length)
  }
  return wrong
}

function calm({ now }: Rig, one: ChaosCase, story: Story): Broken[] {
  const most = story.down.length + story.heard.length + (one.extraNotices ?? 0)
  const { length } = now.desktop.notices
  const titles = now.desktop.notices.map(({ title }) => title).join(' / ')
  return length <= most
    ? []
    : [{ promise: 'P4', what: `${length} pop-ups instead of ${most} at most: ${titles}` }]
}

function noBugs({ bugs }: Rig, { showsBugs = false }: ChaosCase): Broken[] {
  if (showsBugs)
    return bugs.length > 0 ? [] : [{ promise: 'P6', what: 'a bug was swallowed without a word' }]
  const different = new Set(bugs.map((bug) => String(bug)))
  return [...different].map((bug) => ({ promise: 'P6', what: `bug: ${bug}` }))
}

/** Fresh again, and all of the story known. */
export function hasRecovered(rig: Rig, since: number, story: Story): boolean {
  const { state } = rig.now.app
  const now = Date.now() + rig.clockShift.app
  const areFresh = state.accounts.every(({ id, key, kind }) => {
    const freshness = freshnessOf(state, id)
    if (key !== 'present' || freshness === null || !isFresh(freshness, now)) return false
    // A chat's open poll answers when there is something to say.
    return kind === 'chat' ? freshness.failure === null : (freshness.readAt ?? 0) > since
  })
  const downNow = new Set(
    [...state.boards.values()].flatMap((board) =>
      [...board.checks.values()].filter(({ status }) => status === 'down').map(({ name }) => name),
    ),
  )
  const texts = [...state.realms.values()]
    .flatMap((realm) => allMessages(realm.messages).map(({ text }) => text))
    .join('\n')
  return (
    areFresh &&
    story.down.every((name) => downNow.has(name)) &&
    story.heard.every((text) => texts.includes(text))
  )
}

/** Nothing is on its way any more. */
export function isOutboxSettled({ now }: Rig): boolean {
  return now.app.state.outbox.every(({ state }) => state !== 'queued' && state !== 'sending')
}
