import { causeWords } from '../checks/cause.ts'
import { scheduleWords } from '../checks/schedule-words.ts'
import { defined } from '../schemas.ts'
import { durationWords } from '../time.ts'
import { counted, firstOf, numberWords } from '../wording.ts'
import { asNow, isInThePast } from './as-now.ts'
import {
  type AttentionEvent,
  type CheckEvent,
  type CheckFacts,
  type MessageEvent,
  messageKinds,
  oddRunWords,
  stateAfter,
} from './event.ts'
import { missedLimit, type Pending } from './memory.ts'
import { joined, type Notice, type NoticeLine, namesInFold } from './notice.ts'

/** The notice of a single event. */
export function noticeOf(event: AttentionEvent, sound: boolean): Notice {
  return {
    id: event.id,
    kind: event.kind,
    accountId: event.accountId,
    subject: event.subject,
    title: event.title,
    body: event.of === 'check' ? checkEventBody(event) : event.body,
    at: event.at,
    target: event.target,
    sound,
    ...(event.of === 'check' ? defined({ again: event.again, hasRunbook: event.hasRunbook }) : {}),
    outcome: 'shown',
    reasons: [],
    lines: [],
  }
}

/** The notice of a flapping check, with its current state and number of changes, or of several. */
export function flappingNotice(
  events: readonly CheckEvent[],
  changes: number,
  sound: boolean,
): Notice {
  const last = events.at(-1) as CheckEvent // called with one at least
  const { kind, name, accountId, project } = last
  if (events.length === 1) {
    // A single change says no more than the current state.
    const count = changes === 1 ? [] : [counted(changes, 'change', 'changes')]
    const now = [...count, `now ${stateAfter[kind] ?? 'up'}`].join(', ')
    return {
      ...noticeOf(last, sound),
      id: `${last.id}/flapping`,
      title: isInThePast(last) ? joined([last.title, ...count]) : `${name} is flapping: ${now}`,
    }
  }
  const down = events.filter((event) => event.kind === 'down').length
  return {
    ...projectNotice(events, 0, sound),
    id: `${accountId}/checks/flapping@${last.id}`,
    subject: `${accountId}/checks/flapping@${last.id}`,
    title: `${counted(events.length, 'check is', 'checks are')} flapping in ${project}`,
    body: joined([
      `${counted(changes, 'change', 'changes')}, ${down} of them down now`,
      commonTagWords(events),
      namesWords(events),
    ]),
  }
}

/**
 * Messages of one conversation that came together: the last one, and how many. A mention or alert
 * word among them determines the notice's kind.
 */
export function conversationNotice(events: readonly MessageEvent[], sound: boolean): Notice {
  const last = events.at(-1) as MessageEvent // called with one at least
  const first = events[0] as MessageEvent // the same
  const loudest =
    events.find(({ kind }) => kind === 'mention') ??
    events.find(({ kind }) => kind === 'alertWord') ??
    last
  if (events.length === 1) return noticeOf(last, sound)
  return {
    ...noticeOf(last, sound),
    kind: loudest.kind,
    body: joined([counted(events.length, 'message'), last.body]),
    // Reading begins at the first one.
    target: first.target,
  }
}

/** Checks of one project that changed in the same way. `atLeast`: how many are known to be so. */
export function projectNotice(
  events: readonly CheckEvent[],
  stillDown: number,
  sound: boolean,
  atLeast = 0,
): Notice {
  const last = events.at(-1) as CheckEvent // called with one at least
  const { kind, accountId, project } = last
  const words = {
    down: 'down',
    late: 'late',
    recovered: 'up again',
    missed: 'went down and recovered',
    ...oddRunWords,
  }[kind]
  const count = Math.max(kind === 'down' ? atLeast : 0, checksIn(events))
  return {
    ...noticeOf(last, sound),
    id: `${accountId}/checks/${kind}@${last.id}`,
    subject: `${accountId}/checks/${kind}@${last.id}`,
    title: `${counted(count, 'check')} ${words} in ${project}`,
    body: joined([
      commonTagWords(events),
      namesWords(events, count),
      kind === 'recovered' && stillDown > 0 ? `${numberWords(stillDown)} still down` : null,
    ]),
    target: { view: 'checks' },
  }
}

/** `count`: how many checks there are, of which some may have been dropped. */
function namesWords(events: readonly CheckEvent[], count = 0): string {
  const names = [...new Map(events.map(({ subject, name }) => [subject, name])).values()]
  return firstOf(names, namesInFold, Math.max(count, names.length))
}

/** A check may have several outages. */
function checksIn(events: readonly AttentionEvent[]): number {
  return new Set(events.map(({ subject }) => subject)).size
}

/** A tag of all, or nearly all, checks: what they have in common may be the cause. */
function commonTagWords(events: readonly CheckEvent[]): string | null {
  const common = commonTags(events)
  const shared = common.filter(({ count }) => count === events.length).map(({ tag }) => `#${tag}`)
  if (shared.length > 0) return `all tagged ${shared.slice(0, 3).join(' ')}`
  const [most] = common.sort((one, other) => other.count - one.count)
  return most === undefined ? null : `${numberWords(most.count)} of them tagged #${most.tag}`
}

/**
 * Tags of at least 80% of the events. To be fast, counts only those that at least 10% of all events
 * have within the first 30%, as any tag of 80% must.
 */
function commonTags(events: readonly CheckEvent[]): { tag: string; count: number }[] {
  const first = events.slice(0, Math.ceil(0.3 * events.length)).flatMap(({ tags }) => tags)
  return [...Map.groupBy(first, (tag) => tag)]
    .filter(([, all]) => 10 * all.length >= events.length)
    .map(([tag]) => ({ tag, count: events.filter(({ tags }) => tags.includes(tag)).length }))
    .filter(({ count }) => count >= 0.8 * events.length)
}

/** Messages in several conversations. */
export function messagesNotice(events: readonly MessageEvent[], sound: boolean): Notice {
  const last = events.at(-1) as MessageEvent // called with one at least
  const senders = [...new Set(events.map(({ senderName }) => senderName))]
  const conversations = new Set(events.map(({ key }) => key)).size
  const mentions = events.filter(({ kind }) => kind === 'mention').length
  return {
    ...noticeOf(last, sound),
    id: `${last.accountId}/messages@${last.messageId}`,
    kind: mentions > 0 ? 'mention' : 'message',
    subject: `${last.accountId}/messages@${last.messageId}`,
    title: `${counted(events.length, 'message')} in ${counted(conversations, 'conversation')}`,
    body: joined([
      mentions > 0 ? `${counted(mentions, 'mention')} of you` : null,
      `from ${firstOf(senders, namesInFold)}`,
    ]),
    target: { view: 'chat' },
  }
}

/** Everything in one notice, when even one for each project would be too many. */
export function everythingNotice(events: readonly AttentionEvent[], sound: boolean): Notice {
  const last = events.at(-1) as AttentionEvent // called with one at least
  return {
    ...noticeOf(last, sound),
    id: `storm@${last.id}`,
    kind: events.some(({ kind }) => kind === 'down') ? 'down' : last.kind,
    subject: `storm@${last.id}`,
    title: countWords(events, 0),
    body: joined([
      commonTagWords(downOf(events)),
      places(events),
      ...events.flatMap(saidAlone).slice(0, namesInFold),
    ]),
    target: { view: 'notices' },
  }
}

/** What no project's name stands for: who wrote what, and which account has a problem. */
function saidAlone(event: AttentionEvent): string[] {
  if (event.of === 'check') return []
  return [event.of === 'message' ? `${event.title}: ${event.body}` : event.title]
}

/** Lines of a digest; its body counts all events. */
const lineLimit = 50

/**
 * One notice for everything held back: a line for each check and conversation with its latest news,
 * checks that are still down first. Clicking a line opens what it is about.
 */
export function digestNotice(
  items: readonly Pending[],
  head: Pick<Notice, 'id' | 'subject' | 'title' | 'sound'>,
  now: number,
  /** How many checks of each project are down. */
  down: Readonly<Record<string, number>>,
): Notice {
  const all = items.map((one) => ({ event: asNow(one, now), changes: one.changes }))
  const events = all.map(({ event }) => event)
  const last = events.at(-1) as AttentionEvent // called with one at least
  // What a lookup found of a check is beside what the reads showed.
  const lines = [
    ...Map.groupBy(all, ({ event: { of, subject, id } }) =>
      of === 'message' ? subject : id,
    ).values(),
  ]
    .map(digestLine)
    .sort((one, other) => ranks[one.kind] - ranks[other.kind] || other.line.at - one.line.at)
    .map(({ line }) => line)
  const known = events.length < missedLimit ? 0 : downIn(events, down)
  return {
    ...noticeOf(last, head.sound),
    ...head,
    kind: 'digest',
    body: joined([countWords(events, known), downWords(events, known)]),
    at: now,
    target: { view: 'notices' },
    lines: lines.slice(0, lineLimit),
  }
}

/** How many checks of the events' projects are down: not all of them have an event left. */
function downIn(events: readonly AttentionEvent[], down: Readonly<Record<string, number>>): number {
  const ids = new Set(downOf(events).map(({ accountId }) => accountId))
  return [...ids].reduce((sum, id) => sum + (down[id] ?? 0), 0)
}

/** `known`: how many checks are down at least. */
function downWords(events: readonly AttentionEvent[], known: number): string | null {
  const down = downOf(events)
  return down.length === 0 ? null : `down: ${namesWords(down, known)}`
}

function downOf(events: readonly AttentionEvent[]): readonly CheckEvent[] {
  return events.filter((event): event is CheckEvent => event.kind === 'down')
}

const ranks: Readonly<Record<AttentionEvent['kind'], number>> = {
  down: 0,
  trouble: 1,
  reminder: 1,
  mention: 2,
  direct: 3,
  alertWord: 4,
  late: 5,
  missed: 6,
  tooShort: 7,
  tooLong: 8,
  noStart: 9,
  message: 10,
  recovered: 11,
}

/** A check's changes, one past outage, or the messages of a conversation. */
function digestLine(
  list: readonly { readonly event: AttentionEvent; readonly changes: number }[],
): { readonly kind: AttentionEvent['kind']; readonly line: NoticeLine } {
  const { event } = list.at(-1) as (typeof list)[number] // no list is empty
  const { kind, title, at, target } = event
  const count = list.reduce((sum, { changes }) => sum + changes, 0)
  const what = event.of === 'message' ? 'message' : 'change'
  // A past outage says itself how often.
  const times = count > 1 && kind !== 'missed' ? ` · ${counted(count, what)}` : ''
  return { kind, line: { text: `${title}${times}`, at, target, ...markOf(event) } }
}

/** What a line about the event says besides its words. */
export function markOf({ kind }: AttentionEvent): Pick<NoticeLine, 'isReminder'> {
  return kind === 'reminder' ? { isReminder: true } : {}
}

function places(events: readonly AttentionEvent[]): string {
  const projects = [
    ...new Set(events.flatMap((event) => (event.of === 'check' ? [event.project] : []))),
  ]
  return projects.length === 0 ? '' : `in ${firstOf(projects, namesInFold)}`
}

/** All kinds but messages, which are counted together. */
const countedAs: Record<
  Exclude<AttentionEvent['kind'], MessageEvent['kind']>,
  (count: number) => string
> = {
  down: (count) => `${counted(count, 'check')} down`,
  late: (count) => `${numberWords(count)} late`,
  recovered: (count) => `${numberWords(count)} recovered`,
  missed: (count) => `${numberWords(count)} went down and recovered`,
  tooShort: (count) => `${numberWords(count)} ${oddRunWords.tooShort}`,
  tooLong: (count) => `${numberWords(count)} ${oddRunWords.tooLong}`,
  noStart: (count) => `${numberWords(count)} ${oddRunWords.noStart}`,
  trouble: (count) => `${counted(count, 'problem')} in Belfry`,
  reminder: (count) => counted(count, 'reminder'),
}

/** "3 checks down, 2 recovered, 14 messages (2 mention you)". `down`: at least so many are. */
function countWords(events: readonly AttentionEvent[], down: number): string {
  const count = (...kinds: readonly string[]): number =>
    events.filter(({ kind }) => kinds.includes(kind)).length
  const checks = (kind: string): number => checksIn(events.filter((one) => one.kind === kind))
  const messages = count(...messageKinds)
  const mentions = count('mention')
  const direct = count('direct')
  const special = [
    mentions > 0 ? counted(mentions, 'mentions you', 'mention you') : null,
    direct > 0 ? `${numberWords(direct)} to you` : null,
  ].filter((part) => part !== null)
  return [
    ...Object.entries(countedAs).map(([kind, words]) => {
      const known = kind === 'trouble' || kind === 'reminder' ? count(kind) : checks(kind)
      return known === 0 ? null : words(kind === 'down' ? Math.max(known, down) : known)
    }),
    messages > 0
      ? `${counted(messages, 'message')}${special.length > 0 ? ` (${special.join(', ')})` : ''}`
      : null,
  ]
    .filter((part) => part !== null)
    .join(', ')
}

/** The body of the event's notice. */
export function checkEventBody({ kind, project, tags, body }: CheckEvent): string {
  if (typeof body === 'string') return body
  return joined([
    eventCause({ body }),
    kind === 'down' || kind === 'late' ? sinceWords(kind, body) : downForWords(body),
    isSaid(body) ? null : `expected ${scheduleWords(body.schedule)}`,
    body.isReadOnly && (kind === 'down' || kind === 'late')
      ? 'a read-only key can’t read its log'
      : null,
    project,
    tags.map((tag) => `#${tag}`).join(' '),
  ])
}

/** Why a check is down or late; null if unknown. */
export function eventCause({ body }: Pick<CheckEvent, 'body'>): string | null {
  return typeof body === 'string' || body.cause === null
    ? null
    : causeWords(body.cause, body.serverNow, body.offsetMs ?? 0)
}

function downForWords({ since, serverNow }: CheckFacts): string | null {
  return since === null ? null : `was down for ${durationWords(serverNow - since)}`
}

function sinceWords(kind: CheckEvent['kind'], { since, serverNow }: CheckFacts): string | null {
  if (since === null || serverNow - since < 60_000) return null
  return `${kind} for ${durationWords(serverNow - since)}`
}

/** Whether the schedule adds nothing: no cause, the job's own words, or "expected 04:00". */
function isSaid({ cause }: CheckFacts): boolean {
  if (cause?.kind === 'missed') return cause.expectedAt !== null
  return cause === null || (cause.kind === 'failed' && cause.line !== null)
}
