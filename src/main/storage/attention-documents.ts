import {
  array,
  boolean,
  exactOptional,
  fallback,
  type GenericSchema,
  type InferOutput,
  literal,
  nullable,
  number,
  object,
  optional,
  picklist,
  safeParse,
  string,
  tuple,
  union,
  unknown,
  variant,
} from 'valibot'
import type {
  AttentionEvent,
  CheckEvent,
  CheckFacts,
  MessageEvent,
} from '../../shared/core/attention/event.ts'
import {
  type AttentionMemory,
  emptyMemory,
  type HeldEvent,
  type Lane,
} from '../../shared/core/attention/memory.ts'
import type { Reason } from '../../shared/core/attention/notice.ts'
import type { OutageMessage } from '../../shared/core/attention/outage-messages.ts'
import { waySchema } from '../../shared/core/attention/rules.ts'
import { type Silence, scopeSchema, untilSchema } from '../../shared/core/attention/silence.ts'
import type { Schedule } from '../../shared/core/checks/check.ts'
import { checkStatus, numberId, readable, target } from './document-parts.ts'

const base = {
  id: string(),
  at: number(),
  accountId: string(),
  subject: string(),
  title: string(),
  target,
}

const schedule: GenericSchema<unknown, Schedule> = union([
  object({ kind: literal('period'), periodSeconds: number() }),
  object({ kind: picklist(['cron', 'onCalendar']), expression: string(), zone: string() }),
])

const facts: GenericSchema<unknown, CheckFacts> = object({
  since: nullable(number()),
  lastPingAt: nullable(number()),
  wasPinged: boolean(),
  schedule,
  serverNow: number(),
})

const checkEvent: GenericSchema<unknown, CheckEvent> = object({
  ...base,
  body: union([string(), facts]),
  of: literal('check'),
  kind: picklist(['down', 'late', 'recovered', 'missed']),
  checkId: string(),
  name: string(),
  project: string(),
  tags: array(string()),
  from: checkStatus,
  isReminder: exactOptional(literal(true)),
})

const messageEvent: GenericSchema<unknown, MessageEvent> = object({
  ...base,
  of: literal('message'),
  kind: picklist(['direct', 'mention', 'alertWord', 'message']),
  body: string(),
  messageId: numberId,
  key: string(),
  channelId: nullable(numberId),
  topic: nullable(string()),
  senderId: numberId,
  senderName: string(),
  isBot: boolean(),
  text: string(),
  news: exactOptional(
    object({
      accountIds: array(string()),
      checkId: string(),
      state: picklist(['down', 'up']),
    }),
  ),
  chat: object({ notify: boolean(), sound: boolean() }),
})

const troubleEvent = object({
  ...base,
  of: literal('trouble'),
  kind: literal('trouble'),
  body: string(),
})

const event: GenericSchema<unknown, AttentionEvent> = variant('of', [
  // Each has the literal that `variant` looks for; their declared types hide it.
  checkEvent as never,
  messageEvent as never,
  troubleEvent,
])

const held: GenericSchema<unknown, HeldEvent> = object({ event, sound: boolean() })

const lane = fallback(
  object({
    popUps: fallback(array(number()), []),
    held: optional(unknown()),
    until: fallback(nullable(number()), null),
    level: fallback(number(), 0),
  }),
  { popUps: [], held: [], until: null, level: 0 },
)

/** Held without a moment to tell it would be held for ever: it is told at once. */
function laneOf({ held: list, until, ...rest }: InferOutput<typeof lane>): Lane {
  const kept = readable(list, held)
  return { ...rest, held: kept, until: kept.length > 0 ? (until ?? 0) : until }
}

const span = object({
  from: number(),
  to: nullable(number()),
  why: picklist(['quiet', 'away']),
})

const toldOnce = object({ at: number(), accountId: string(), checks: array(string()) })

const toldLately = object({
  shownAt: array(number()),
  held: number(),
  last: nullable(checkEvent),
  flapping: boolean(),
})

const waiting = object({
  event: checkEvent,
  way: waySchema,
  dueAt: number(),
})

const memory = object({
  lanes: fallback(object({ checks: lane, others: lane }), {
    checks: { popUps: [], held: [], until: null, level: 0 },
    others: { popUps: [], held: [], until: null, level: 0 },
  }),
  soundAt: fallback(number(), 0),
  once: optional(unknown()),
  checks: optional(unknown()),
  waiting: optional(unknown()),
  missed: optional(unknown()),
  quiet: fallback(nullable(span), null),
  lastDigest: fallback(nullable(object({ at: number(), events: array(held), quiet: span })), null),
  recentChecks: optional(unknown()),
  recentMessages: optional(unknown()),
  changedAt: optional(unknown()),
  untold: optional(unknown()),
})

/** What waited to be told when the program ended. What can't be read is left out, item by item. */
export function readMemory(document: unknown): AttentionMemory {
  const read = safeParse(memory, document)
  if (!read.success) return emptyMemory
  const { output } = read
  return {
    lanes: { checks: laneOf(output.lanes.checks), others: laneOf(output.lanes.others) },
    soundAt: output.soundAt,
    once: readable(output.once, toldOnce),
    checks: new Map(readable(output.checks, tuple([string(), toldLately]))),
    waiting: new Map(readable(output.waiting, tuple([string(), waiting]))),
    missed: readable(output.missed, held),
    quiet: output.quiet,
    lastDigest: output.lastDigest,
    recentChecks: readable(output.recentChecks, checkEvent),
    recentMessages: readable(output.recentMessages, messageEvent),
    changedAt: new Map(readable(output.changedAt, tuple([string(), number()]))),
    untold: new Set(readable(output.untold, string())),
  }
}

/** Maps and sets as lists, which JSON keeps. */
export function memoryDocument(kept: AttentionMemory): unknown {
  return {
    ...kept,
    checks: [...kept.checks],
    waiting: [...kept.waiting],
    changedAt: [...kept.changedAt],
    untold: [...kept.untold],
  }
}

const silence: GenericSchema<unknown, Silence> = object({
  id: string(),
  how: picklist(['snooze', 'acknowledge', 'mute']),
  scope: scopeSchema,
  until: untilSchema,
  since: number(),
  by: nullable(string()),
  label: string(),
  status: nullable(checkStatus),
  messageId: nullable(numberId),
})

const outageMessage: GenericSchema<unknown, OutageMessage> = object({
  projectId: string(),
  checkId: string(),
  accountId: string(),
  messageId: numberId,
  seen: array(numberId),
})

export function readOutageMessages(document: unknown): OutageMessage[] {
  return readable(document, outageMessage)
}

export function readSilences(document: unknown): Silence[] {
  return readable(document, silence)
}

export const reasonParts: GenericSchema<unknown, Reason> = object({
  by: picklist([
    'rule',
    'default',
    'chat',
    'wait',
    'brief',
    'silence',
    'same',
    'quiet',
    'away',
    'flapping',
    'storm',
    'batch',
    'sound',
  ]),
  text: string(),
})
