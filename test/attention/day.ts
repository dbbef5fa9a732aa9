import type { CheckEvent, MessageEvent } from '../../src/shared/core/attention/event.ts'
import {
  type AttentionSettings,
  anyRule,
  defaultAttention,
} from '../../src/shared/core/attention/rules.ts'
import type { Silence } from '../../src/shared/core/attention/silence.ts'
import { checkEvent } from '../support/attention-eg.ts'

export const minute = 60_000
export const hour = 60 * minute
/** A Tuesday, midnight in UTC, which is the time zone of everything here. */
export const dayStart = Date.UTC(2026, 2, 17)

/** What the rules below do with a check, in the oracle's own terms. */
type Policy = 'usual' | 'nothing' | 'icon' | 'after10'

interface PretendCheck {
  readonly accountId: string
  readonly checkId: string
  readonly name: string
  readonly tags: readonly string[]
  readonly policy: Policy
}

/** A time in which a check is down, as generated. */
export interface Outage {
  readonly check: PretendCheck
  readonly from: number
  /** Epoch ms; null: until the end of the day. */
  readonly to: number | null
  /** A bot's message about its beginning. */
  readonly botMessage: MessageEvent | null
}

export interface Day {
  readonly seed: number
  readonly events: readonly (CheckEvent | MessageEvent)[]
  readonly outages: readonly Outage[]
  readonly settings: AttentionSettings
  /** Each begins at `since`, however it ends. */
  readonly silences: readonly Silence[]
  /** The computer sleeps; what happened meanwhile is seen at the end. */
  readonly sleep: { readonly from: number; readonly to: number }
  /** Do not disturb, which is also in `silences`. */
  readonly disturb: { readonly from: number; readonly to: number }
}

export const quietFrom = 22 * hour
export const quietTo = 7 * hour
export const exceptTag = 'critical'
export const exceptPerson = 3

const projects = ['prod', 'web', 'lab'] as const
const wanted = 10_000

/** Mulberry32: small, seeded, and the same everywhere. */
function randomOf(seed: number): () => number {
  let a = seed
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const policies: readonly (readonly [Policy, string])[] = [
  ['nothing', 'dev'],
  ['icon', 'batch'],
  ['after10', 'slow'],
]

function pretendChecks(): PretendCheck[] {
  return projects.flatMap((accountId) =>
    Array.from({ length: 60 }, (_, i) => {
      const [policy, tag] = policies[i % 10] ?? (['usual', 'live'] as const)
      const tags = [`host:${accountId}${i % 4}`, tag, ...(i % 15 === 5 ? [exceptTag] : [])]
      return {
        accountId,
        checkId: `${accountId}-${i}`,
        name: `job-${accountId}-${i}`,
        tags,
        policy,
      }
    }),
  )
}

function settingsOfDay(): AttentionSettings {
  return {
    ...defaultAttention,
    rules: [
      { ...anyRule, id: 'dev', tag: 'dev', way: 'nothing' },
      { ...anyRule, id: 'batch', tag: 'batch', way: 'tray' },
      { ...anyRule, id: 'slow', tag: 'slow', kinds: ['down'], afterMinutes: 10 },
      { ...anyRule, id: 'boss', senderId: 4, way: 'sound' },
    ],
    quietHours: {
      enabled: true,
      zone: 'UTC',
      windows: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '22:00', to: '07:00' }],
      exceptTags: [exceptTag],
      exceptPeople: [{ accountId: 'chat', userId: exceptPerson }],
    },
  }
}

/** A day of exactly 10,000 events: outages, storms, flapping, a bot that reports them, and talk. */
export function makeDay(seed: number): Day {
  const random = randomOf(seed)
  const sleep = { from: dayStart + 12 * hour, to: dayStart + 12 * hour + 40 * minute }
  const disturb = { from: dayStart + 15 * hour, to: dayStart + 16 * hour }
  const checks = pretendChecks()
  const busy = new Map<PretendCheck, number>()
  const outages: Outage[] = []
  let messageId = 1_000
  const nextId = (): number => {
    messageId += 1
    return messageId
  }

  const down = (check: PretendCheck, from: number, lasts: number, bot: boolean): void => {
    if (from < (busy.get(check) ?? 0)) return
    const end = from + lasts
    // What begins and ends while the computer sleeps is never seen.
    const slept = from > sleep.from && end < sleep.to
    if (slept) return
    busy.set(check, end + 10_000)
    const shift = Math.round((random() * 2 - 1) * 60) * 1_000
    const botMessage = bot ? botMessageOf(check, seen(from) + shift, nextId()) : null
    outages.push({ check, from: seen(from), to: seen(end), botMessage })
  }
  const seen = (at: number): number => (at > sleep.from && at < sleep.to ? sleep.to : at)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T // not empty

  // Storms: all checks of a host in one poll, and once half of all.
  for (let i = 0; i < 24; i += 1) {
    const at = dayStart + Math.round(random() * 23 * hour)
    const host = `host:${pick(projects)}${Math.floor(random() * 4)}`
    const lasts = Math.round((2 + random() * 30) * minute)
    for (const check of checks) if (check.tags.includes(host)) down(check, at, lasts, false)
  }
  for (const check of checks)
    if (random() < 0.5) down(check, dayStart + 17.5 * hour, 25 * minute, false)
  // A dozen checks that flap for an hour, six of them at once.
  for (let i = 0; i < 12; i += 1) {
    const check = pick(checks)
    let at = dayStart + (i < 6 ? 10 : 18 + (i - 6) / 2) * hour + Math.round(random() * minute)
    for (const end = at + hour; at < end; at += Math.round(60_000 + random() * 90_000))
      down(check, at, Math.round(20_000 + random() * 30_000), false)
  }
  for (let i = 0; i < 700; i += 1) {
    const lasts = Math.round((0.5 + random() * random() * 90) * minute)
    const at = dayStart + Math.round(random() * 23.5 * hour)
    const isNearSleep = at > sleep.from - hour && at < sleep.to + 5 * minute
    down(pick(checks), at, lasts, lasts > 6 * minute && !isNearSleep && random() < 0.4)
  }

  const flips = outages.flatMap(({ check, from, to, botMessage }) => [
    flip(check, 'down', from),
    ...(to === null ? [] : [flip(check, 'recovered', to)]),
    ...(botMessage === null ? [] : [botMessage]),
  ])
  const talk = Array.from({ length: wanted - flips.length }, () =>
    talkAt(seen(dayStart + Math.round(random() * 24 * hour)), nextId(), random),
  )
  return {
    seed,
    events: [...flips, ...talk].sort((one, other) => one.at - other.at),
    outages,
    settings: settingsOfDay(),
    silences: silencesOfDay(checks, disturb, pick, random),
    sleep,
    disturb,
  }
}

function flip(check: PretendCheck, kind: 'down' | 'recovered', at: number): CheckEvent {
  const { accountId, checkId, name, tags } = check
  const title = kind === 'down' ? `${name} is down` : `${name} is up again`
  return checkEvent({ accountId, checkId, name, tags, kind, at, title, body: accountId })
}

function messageOf(
  change: Pick<MessageEvent, 'at' | 'messageId' | 'kind' | 'senderId' | 'text'>,
  topic: string | null,
): MessageEvent {
  const { messageId, senderId, text } = change
  const key = topic === null ? `direct/${senderId}` : `topic/5/${topic}`
  return {
    of: 'message',
    id: `chat/message/${messageId}`,
    accountId: 'chat',
    subject: `chat/${key}`,
    title: `user ${senderId} (${topic === null ? 'to you' : `# ops › ${topic}`})`,
    body: text,
    target: {
      view: 'conversation',
      accountId: 'chat',
      conversation:
        topic === null
          ? { kind: 'direct', userIds: [senderId] }
          : { kind: 'topic', channelId: 5, topic },
      messageId,
    },
    key,
    channelId: topic === null ? null : 5,
    topic,
    senderName: `user ${senderId}`,
    isBot: senderId === 99,
    chat: {
      notify: change.kind !== 'message' || senderId === 99,
      sound: change.kind !== 'message',
    },
    ...change,
  }
}

function botMessageOf(
  { accountId, checkId, name }: PretendCheck,
  at: number,
  messageId: number,
): MessageEvent {
  const text = `${name} is DOWN (no ping).`
  const news = { accountIds: [accountId], checkId, state: 'down' as const }
  const said = messageOf({ at, messageId, kind: 'message', senderId: 99, text }, `${name} is DOWN`)
  return { ...said, news }
}

/** Mostly chatter; sometimes a message to the user. */
function talkAt(at: number, messageId: number, random: () => number): MessageEvent {
  const senderId = 2 + Math.floor(random() * 8)
  const kind = random() < 0.02 ? 'mention' : random() < 0.02 ? 'direct' : 'message'
  const topic = kind === 'direct' ? null : `topic ${Math.floor(random() * 40)}`
  return messageOf({ at, messageId, kind, senderId, text: `message ${messageId}` }, topic)
}

function silencesOfDay(
  checks: readonly PretendCheck[],
  disturb: Day['disturb'],
  pick: <T>(list: readonly T[]) => T,
  random: () => number,
): Silence[] {
  const silence = (id: string, scope: Silence['scope'], since: number, until: number): Silence => ({
    id,
    how: 'snooze',
    scope,
    until: { kind: 'time', at: until },
    since,
    by: null,
    label: id,
    status: null,
    messageId: null,
  })
  const snoozes = Array.from({ length: 40 }, (_, i) => {
    const { accountId, checkId } = pick(checks)
    const since = dayStart + Math.round(random() * 23 * hour)
    return silence(`snooze ${i}`, { of: 'check', accountId, checkId }, since, since + hour)
  })
  const tagged = silence(
    'host',
    { of: 'tag', tag: 'host:web1' },
    dayStart + 9 * hour,
    dayStart + 11 * hour,
  )
  return [...snoozes, tagged, silence('disturb', { of: 'everything' }, disturb.from, disturb.to)]
}
