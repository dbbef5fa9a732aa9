import type { AttentionContext } from '../../src/shared/core/attention/decision.ts'
import { type Happened, step } from '../../src/shared/core/attention/engine.ts'
import type {
  AttentionEvent,
  CheckEvent,
  CheckFacts,
  CheckNews,
  MessageEvent,
} from '../../src/shared/core/attention/event.ts'
import { type AttentionMemory, emptyMemory } from '../../src/shared/core/attention/memory.ts'
import { type Notice, subjectOnScreen } from '../../src/shared/core/attention/notice.ts'
import type { ProgramStart } from '../../src/shared/core/attention/programs/program.ts'
import { anyRule, defaultAttention, type Rule } from '../../src/shared/core/attention/rules.ts'
import type { Silence } from '../../src/shared/core/attention/silence.ts'

/** The time of all examples. */
export const start = Date.UTC(2026, 2, 17, 14, 25)
export const second = 1_000
export const minute = 60 * second

export const calm: AttentionContext = {
  settings: defaultAttention,
  sounds: true,
  silences: [],
  systemQuiet: false,
  away: null,
  unread: [],
  down: {},
}

export function checkEvent(change: Partial<CheckEvent> = {}): CheckEvent {
  const { checkId = 'db', accountId = 'ops', at = start, kind = 'down' } = change
  const name = change.name ?? checkId
  const subject = `${accountId}/check/${checkId}`
  return {
    of: 'check',
    kind,
    id: `${subject}/${kind}@${at}`,
    at,
    accountId,
    subject,
    title: `${name} ${kind}`,
    body: '',
    target: { view: 'check', accountId, checkId },
    checkId,
    name,
    project: accountId,
    tags: [],
    from: kind === 'recovered' ? 'down' : 'up',
    ...change,
  }
}

/** The facts of a check's event: since when it has been so, by the server, whose clock is ours. */
export function facts(since: number, serverNow: number): CheckFacts {
  const schedule = { kind: 'period', periodSeconds: 3_600 } as const
  return { since, serverNow, schedule, cause: null, isReadOnly: false }
}

export function messageEvent(change: Partial<MessageEvent> = {}): MessageEvent {
  const { messageId = 1, at = start, key = 'topic/5/deploys' } = change
  return {
    of: 'message',
    kind: 'message',
    id: `chat/message/${messageId}`,
    at,
    accountId: 'chat',
    subject: `chat/${key}`,
    title: 'Ana (# ops › deploys)',
    body: 'done',
    target: {
      view: 'conversation',
      accountId: 'chat',
      conversation: { kind: 'topic', channelId: 5, topic: 'deploys' },
      messageId,
    },
    messageId,
    key,
    channelId: 5,
    topic: 'deploys',
    senderId: 7,
    senderName: 'Ana',
    isBot: false,
    text: 'done',
    chat: { notify: true, sound: false },
    ...change,
  }
}

/** What a message says that certainly means this check of `ops`. */
export function newsOf(checkId: string, state: CheckNews['state'] = 'down'): CheckNews {
  return { accountIds: ['ops'], checkId, state }
}

export function rule(change: Partial<Rule>): Rule {
  return { ...anyRule, id: 'r', ...change }
}

export function silence(change: Partial<Silence>): Silence {
  return {
    id: 's',
    how: 'snooze',
    scope: { of: 'check', accountId: 'ops', checkId: 'db' },
    until: { kind: 'time', at: start + 60 * minute },
    since: start - minute,
    by: null,
    label: 'db',
    status: 'down',
    messageId: null,
    ...change,
  }
}

/** An engine and its clock: steps are taken as by main, each wake-up at its time. */
export function running(usual: AttentionContext = calm) {
  let memory: AttentionMemory = emptyMemory
  let wakeAt: number | null = null
  const popUps: Notice[] = []
  const listed: Notice[] = []
  const starts: ProgramStart[] = []
  const shown = new Map<string, Notice>()
  const take = (now: number, context: AttentionContext, happened: Happened): void => {
    const made = step(memory, happened, context, now)
    memory = made.memory
    wakeAt = made.wakeAt
    popUps.push(...made.popUps)
    starts.push(...made.starts)
    for (const subject of [...made.outdated, ...happened.over]) shown.delete(subject)
    for (const one of made.popUps) shown.set(subjectOnScreen(one), one)
    listed.push(...made.listed)
  }
  return {
    popUps,
    listed,
    starts,
    /** The pop-ups that were neither replaced nor withdrawn. */
    shown,
    memory: () => memory,
    wakeAt: () => wakeAt,
    at(
      now: number,
      events: readonly AttentionEvent[],
      context = usual,
      over: readonly string[] = [],
      seen: readonly string[] = [],
    ) {
      take(now, context, { events, over, seen })
    },
    wakeUntil(until: number, context = usual) {
      for (let i = 0; wakeAt !== null && wakeAt <= until && i < 1_000; i += 1)
        take(wakeAt, context, { events: [], over: [] })
    },
  }
}
