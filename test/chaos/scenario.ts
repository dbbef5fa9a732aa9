import type { WorldService } from '../../src/demo/world.ts'
import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import { draftKey } from '../../src/shared/core/chat/drafts.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { type Seeded, seeded } from '../support/seeded.ts'
import type { ChaosCase } from './cases.ts'
import { scheduledMs } from './fast-time.ts'
import {
  type Broken,
  hasRecovered,
  isOutboxSettled,
  judge,
  missingFor,
  type Story,
  toldOnce,
} from './promises.ts'
import { fair, pollSeconds, type Rig, type Sabotage, services, startRig } from './rig.ts'
import { watchScreen } from './screen.ts'

export interface Outcome {
  readonly fault: string
  readonly name: string
  readonly seed: number
  readonly struck: readonly WorldService[]
  readonly broken: readonly Broken[]
  readonly lasts: Lasts
  readonly recoveredS: number
  /** The longest it may take, s. */
  readonly limitS: number
  readonly unconfirmed: number
}

/** At most 45 s, or ten minutes. */
export type Lasts = 'short' | 'long'

/** How long the app may take to recover after the end of a fault, s. */
const recoverS = { short: 12, long: 30 } as const
/** Extra time if the last request is held until its deadline: a poll, or the event queue. */
const heldS = { poll: 20, queue: 100 } as const
/** Extra time if the fault's last response is large: threads that aren't accelerated read it. */
const heavyS = 10

function limitOf(one: ChaosCase, struck: readonly WorldService[], lasts: Lasts): number {
  if (one.harmless === true) return pollSeconds + recoverS.short
  if (one.holds === true) return struck.includes('chat') ? heldS.queue : heldS.poll
  const lateS = one.intermittent === true ? pollSeconds : one.heavy === true ? heavyS : 0
  return recoverS[lasts] + lateS
}

/** The longest that a storm holds back the notice of a message, and its way into the list. */
const heldBackS = 12

/** Three messages, each with a full 30 s without a response, and a back-off. */
const outboxLimitS = 120
const nobody: Story = { down: [], heard: [], sent: [], draft: '', later: [] }
const chat = 'demo-chat'
const topic: Conversation = { kind: 'topic', channelId: 2, topic: 'chaos' }
const boris: Conversation = { kind: 'direct', userIds: [13] }

/** Plays one fault over an app that works: before, during, after, and a restart. */
export async function play(
  one: ChaosCase,
  seed: number,
  { lasts = 'short', sabotage }: { readonly lasts?: Lasts; readonly sabotage?: Sabotage } = {},
): Promise<Outcome> {
  const chance = seeded(seed).part(one.name)
  const struck = struckBy(one, chance)
  const rig = await startRig(chance.part('rig'), sabotage)
  const broken: Broken[] = []
  const limitS = limitOf(one, struck, lasts)
  let recoveredS = 0
  try {
    if ((await until(() => hasRecovered(rig, 0, nobody, services), 60)) === null)
      broken.push({ promise: 'G6', what: 'was not up before the fault' })
    await seconds(chance.whole(0, 5))
    const watch = watchScreen(rig, struck)
    const story = await trouble(rig, one, struck, lasts, chance)
    const endedAt = Date.now()
    await one.end?.(rig, chance)
    await Promise.all(story.later)
    const sinceApp = endedAt + rig.clockShift.app
    // Each at its own time: one may be waiting for its next read while another recovers.
    const left = new Set(struck)
    const isWell = () => {
      for (const service of left)
        if (hasRecovered(rig, sinceApp, story, [service])) left.delete(service)
      return left.size === 0
    }
    const took = await until(isWell, limitS)
    recoveredS = took ?? limitS
    if (took === null)
      broken.push({
        promise: 'G6',
        what: `not well ${limitS} s after the end: ${missingFor(rig, sinceApp, story, [...left]).join(', ')}`,
      })
    if ((await until(() => isOutboxSettled(rig), outboxLimitS)) === null)
      broken.push({
        promise: 'P1',
        what: `messages are stuck: ${rig.now.app.state.outbox.map(({ state, text }) => `"${text}" ${state}`).join(', ')}`,
      })
    // What last happened to the other accounts is seen by their next read.
    await until(() => hasRecovered(rig, 0, story, services), 2 * pollSeconds)
    // In a storm, a message waits its turn for `heldBackS` at most.
    const isTold = () => toldOnce(rig, story, [...watch.notices.values()]).length === 0
    await until(isTold, heldBackS)
    await seconds(3)
    watch.stop()
    broken.push(...watch.broken)
    const blindNotices = lasts === 'long' ? struck.length : 0
    broken.push(...judge({ rig, one, story, notices: [...watch.notices.values()], blindNotices }))
    broken.push(...(await afterRestart(rig, story)))
    const unconfirmed = rig.now.app.state.outbox.filter((entry) => entry.state === 'unconfirmed')
    return {
      fault: one.fault,
      name: one.name,
      seed,
      struck,
      broken,
      lasts,
      recoveredS,
      limitS,
      unconfirmed: unconfirmed.length,
    }
  } finally {
    await rig.close()
  }
}

function struckBy({ on }: ChaosCase, chance: Seeded): readonly WorldService[] {
  if (on === 'all') return services
  return on === 'one' ? [chance.pick(['ops', 'chat', 'ops', 'web', 'chat'])] : on
}

/** Brings the fault, with events and the user's actions at random moments. */
async function trouble(
  rig: Rig,
  one: ChaosCase,
  struck: readonly WorldService[],
  lasts: Lasts,
  chance: Seeded,
): Promise<Story> {
  const lastsS = lasts === 'long' ? 600 : chance.whole(40, 45)
  const { weather } = one
  const draws = chance.part('weather')
  for (const service of struck)
    if (weather !== undefined) rig.weather[service] = (request) => weather(draws, request)
  await one.begin?.(rig, chance)
  if (chance.chance(0.5)) for (const service of struck) rig.proxies[service].cut()
  const { story, steps } = storyOf(rig, chance)
  const acts = steps.map(async (step) => {
    await seconds(chance.random() * (lastsS - 5))
    await step()
  })
  await Promise.all([seconds(lastsS), ...acts])
  for (const service of services) rig.weather[service] = fair
  return story
}

function storyOf(rig: Rig, chance: Seeded): { story: Story; steps: (() => unknown)[] } {
  const { ops, web, realm } = rig.server.world
  const word = () => chance.whole(100_000, 999_999)
  const story: Story = {
    down: [
      { name: 'metrics-rollup', on: 'ops' },
      { name: web.controls.names()[0] ?? '', on: 'web' },
    ],
    heard: [`to you ${word()}`, `mentioned ${word()}`],
    sent: [`first ${word()}`, `second ${word()}`, `third ${word()}`],
    draft: `half a thought ${word()}`,
    later: [],
  }
  const [first = '', second = '', third = ''] = story.sent
  const [direct = '', mention = ''] = story.heard
  return {
    story,
    steps: [
      ...story.down.map(
        ({ name, on }) =>
          () =>
            (on === 'ops' ? ops : web).controls.goDown(name),
      ),
      () => realm.controls.say({ from: 'Ana', to: 'Ana', text: direct }),
      () =>
        realm.controls.say({ from: 'Boris', to: 'deploys > chaos', text: mention, mention: true }),
      async () => {
        await say(rig, story, topic, first)
        await say(rig, story, topic, third)
      },
      () => say(rig, story, boris, second),
      () => type(rig, story),
    ],
  }
}

/** A text that the disk refuses stays in the composer, and the user presses Enter again. */
async function say(rig: Rig, story: Story, conversation: Conversation, text: string) {
  const send = () => rig.now.app.commands.sendMessage({ accountId: chat, conversation, text })
  await asUser(story, send)
}

async function type(rig: Rig, story: Story): Promise<void> {
  const conversation: Conversation = { kind: 'topic', channelId: 1, topic: 'unsent' }
  const text = story.draft
  await asUser(story, () => rig.now.app.commands.saveDraft({ accountId: chat, conversation, text }))
}

async function asUser(story: Story, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    story.later.push(seconds(5).then(() => again(act)))
  }
}

async function again(act: () => Promise<void>): Promise<void> {
  for (let left = 20; left > 0; left -= 1) {
    try {
      await act()
      return
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      await seconds(5)
    }
  }
}

/** Checks that nothing is notified again, and what was typed is still there. */
async function afterRestart(rig: Rig, story: Story): Promise<Broken[]> {
  const typed = textsOf(rig, story)
  await rig.restart()
  const startedAt = Date.now() + rig.clockShift.app
  const took = await until(
    () => hasRecovered(rig, startedAt, { ...nobody, down: story.down }, services),
    60,
  )
  await seconds(2)
  const now = textsOf(rig, story)
  const there = new Set(rig.server.world.realm.controls.messages().map(({ content }) => content))
  return [
    ...(took === null ? [{ promise: 'G6' as const, what: 'not well after a restart' }] : []),
    ...rig.now.desktop.notices.map(({ title }) => ({
      promise: 'P3' as const,
      what: `notified again after a restart: ${title}`,
    })),
    ...typed
      .filter((text) => !now.includes(text) && !there.has(text))
      .map((text) => ({ promise: 'P1' as const, what: `"${text}" is gone after a restart` })),
  ]
}

/** A draft also exists on the server: text that it puts in front for a while wasn't typed. */
function textsOf({ now }: Rig, story: Story): string[] {
  const { outbox, drafts } = now.app.state
  const unsent = drafts.get(draftKey(chat, { kind: 'topic', channelId: 1, topic: 'unsent' }))
  const typed = unsent?.includes(story.draft) ? story.draft : unsent
  return [...outbox.map(({ text }) => text), ...(typed === undefined ? [] : [typed])]
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1_000))
}

/** Resolves with the `scheduledMs` it took, in s; null if the limit passed first. */
async function until(isSo: () => boolean, limitS: number): Promise<number | null> {
  const startedAt = scheduledMs()
  for (;;) {
    const passed = (scheduledMs() - startedAt) / 1_000
    if (isSo()) return passed
    if (passed > limitS) return null
    await seconds(0.5)
  }
}
