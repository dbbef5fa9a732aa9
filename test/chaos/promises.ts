import type { WorldService } from '../../src/demo/world.ts'
import { freshnessOf, isFresh } from '../../src/shared/core/account.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import { allMessages } from '../../src/shared/core/chat/message-list.ts'
import type { ChaosCase } from './cases.ts'
import { type Rig, serviceOf } from './rig.ts'

/** A broken promise of docs/reliability.md. */
export interface Broken {
  readonly promise: 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'F40' | 'G6'
  readonly what: string
}

/** What happened in the world while the fault lasted. */
export interface Story {
  /** Checks that went down and stayed down. */
  readonly down: readonly { readonly name: string; readonly on: WorldService }[]
  /** Texts that others wrote and that must be notified. */
  readonly heard: readonly string[]
  readonly sent: readonly string[]
  readonly draft: string
  /** What the app refused: the user retries until it is accepted. */
  readonly later: Promise<void>[]
}

/**
 * Judges the end: what the server has, what the app has, and what was notified. `blindNotices` is
 * the most notifications that may say an account can't be read.
 */
export function judge(parts: {
  readonly rig: Rig
  readonly one: ChaosCase
  readonly story: Story
  /** All notices that were ever in the list. */
  readonly notices: readonly Notice[]
  readonly blindNotices: number
}): Broken[] {
  const { rig, one, story, notices, blindNotices } = parts
  return [
    ...nothingLost(rig, story),
    ...nothingTwice(rig, story),
    ...toldOnce(rig, story, notices),
    ...calm(rig, one, story, blindNotices),
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

/** Whether each event that the story has a notice for was told, and told once. */
export function toldOnce({ now }: Rig, story: Story, notices: readonly Notice[]): Broken[] {
  const { realms } = now.app.state
  const wrong: Broken[] = []
  const expect = (what: string, times: number, wanted = 1) => {
    if (times !== wanted)
      wrong.push({ promise: 'P3', what: `${what}: ${times} times instead of ${wanted}` })
  }
  // What a storm holds back is listed as held, and again when it is shown.
  const told = notices.filter(
    ({ outcome, reasons }) => outcome !== 'folded' || !reasons.some(({ by }) => by === 'storm'),
  )
  for (const { name } of story.down)
    expect(
      `notified that ${name} is down`,
      told.filter((one) => one.kind === 'down' && JSON.stringify(one).includes(name)).length,
      story.down.filter((one) => one.name === name).length,
    )
  const messages = [...realms.values()].flatMap((realm) => allMessages(realm.messages))
  for (const text of story.heard) {
    expect(`notified "${text}"`, told.filter((one) => JSON.stringify(one).includes(text)).length)
    expect(`holds "${text}"`, messages.filter((one) => one.text.includes(text)).length)
  }
  return wrong
}

function calm({ now }: Rig, one: ChaosCase, story: Story, blindNotices: number): Broken[] {
  const most = story.down.length + story.heard.length + (one.extraNotices ?? 0) + blindNotices
  const { length } = now.desktop.notices
  const titles = now.desktop.notices.map(({ title }) => title).join(' / ')
  return length <= most
    ? []
    : [{ promise: 'P4', what: `${length} pop-ups instead of ${most} at most: ${titles}` }]
}

function noBugs({ bugs }: Rig, { showsBugs = false }: ChaosCase): Broken[] {
  if (showsBugs)
    return bugs.length > 0 ? [] : [{ promise: 'P6', what: 'a bug was swallowed silently' }]
  const different = new Set(bugs.map((bug) => String(bug)))
  return [...different].map((bug) => ({ promise: 'P6', what: `bug: ${bug}` }))
}

/** Whether the struck accounts were read after `since` (epoch ms, app's clock) and show `story`. */
export function hasRecovered(
  rig: Rig,
  since: number,
  story: Story,
  struck: readonly WorldService[],
): boolean {
  return missingFor(rig, since, story, struck).length === 0
}

/** The reasons why `hasRecovered` is false. */
export function missingFor(
  rig: Rig,
  since: number,
  story: Story,
  struck: readonly WorldService[],
): string[] {
  const { state } = rig.now.app
  const now = Date.now() + rig.clockShift.app
  const unread = state.accounts.filter(({ id, key, kind }) => {
    if (!struck.includes(serviceOf(id))) return false
    const freshness = freshnessOf(state, id)
    if (key !== 'present' || freshness === null || !isFresh(freshness, now)) return true
    // A chat's open poll only answers when there is something new.
    return kind === 'chat' ? freshness.failure !== null : (freshness.readAt ?? 0) <= since
  })
  const downNow = new Set(
    [...state.boards].flatMap(([id, { checks }]) =>
      [...checks.values()]
        .filter(({ status }) => status === 'down')
        .map(({ name }) => `${serviceOf(id)} ${name}`),
    ),
  )
  const texts = [...state.realms.values()]
    .flatMap((realm) => allMessages(realm.messages).map(({ text }) => text))
    .join('\n')
  const down = story.down.filter(
    ({ name, on }) => struck.includes(on) && !downNow.has(`${on} ${name}`),
  )
  const heard = struck.includes('chat') ? story.heard.filter((text) => !texts.includes(text)) : []
  return [
    ...unread.map(({ id, key }) => {
      const { readAt, failure } = freshnessOf(state, id) ?? { readAt: null, failure: null }
      const age = Math.round((now - (readAt ?? 0)) / 1_000)
      return `${id} ${key} read ${age} s ago ${JSON.stringify(failure)}`
    }),
    ...down.map(({ name }) => `${name} is not down`),
    ...heard.map((text) => `"${text}" is not there`),
  ]
}

/** Whether nothing is in flight any more. */
export function isOutboxSettled({ now }: Rig): boolean {
  return now.app.state.outbox.every(({ state }) => state !== 'queued' && state !== 'sending')
}
