import type { CheckEvent, MessageEvent } from './event.ts'
import type { Candidate } from './judge.ts'
import { foldAbove, type Notice } from './notice.ts'
import {
  conversationNotice,
  everythingNotice,
  messagesNotice,
  noticeOf,
  projectNotice,
} from './notices.ts'
import type { Reason } from './reason.ts'
import type { Work } from './work.ts'

/** Some events that one notice is to tell of. */
export interface Planned {
  readonly candidates: readonly Candidate[]
  /** Of events that were decided before: why they come now. */
  readonly why?: Reason
  readonly notice: (sound: boolean) => Notice
}

/** Each as it is, or many of one project or conversation together. */
export function plan(work: Work, candidates: readonly Candidate[]): Planned[] {
  if (candidates.length === 1) return candidates.map(planSingle)
  const { checks, others } = grouped(candidates)
  return [
    ...checks.flatMap((group) =>
      group.length > foldAbove ? [planProject(work, group)] : group.map(planSingle),
    ),
    ...planOthers(others),
  ]
}

interface Grouped {
  /** Of one project and one kind, in the order of the first of each. */
  readonly checks: readonly Candidate[][]
  readonly others: readonly Candidate[]
}

function grouped(candidates: readonly Candidate[]): Grouped {
  const checks: Candidate[][] = []
  const others: Candidate[] = []
  for (const candidate of candidates) {
    if (candidate.event.of === 'check') {
      const group = checks.find((one) => isAlike(one[0], candidate))
      if (group === undefined) checks.push([candidate])
      else group.push(candidate)
    } else others.push(candidate)
  }
  return { checks, others }
}

function isAlike(one: Candidate | undefined, { event }: Candidate): boolean {
  return one?.event.kind === event.kind && one.event.accountId === event.accountId
}

function planOthers(candidates: readonly Candidate[]): Planned[] {
  const messages = Map.groupBy(
    candidates.filter(({ event }) => event.of === 'message'),
    ({ event }) => event.accountId,
  )
  const planned = [...messages.values()].flatMap((group) => {
    const conversations = Map.groupBy(group, ({ event }) => event.subject)
    return conversations.size > foldAbove
      ? [planMessages(group)]
      : [...conversations.values()].map(planConversation)
  })
  return [...planned, ...candidates.filter(({ event }) => event.of === 'trouble').map(planSingle)]
}

function planSingle(candidate: Candidate): Planned {
  return { candidates: [candidate], notice: (sound) => noticeOf(candidate.event, sound) }
}

function planProject({ context }: Work, group: readonly Candidate[]): Planned {
  const events = group.map(({ event }) => event as CheckEvent) // grouped by kind
  const down = context.down[events[0]?.accountId ?? ''] ?? 0
  return { candidates: group, notice: (sound) => projectNotice(events, down, sound) }
}

function planConversation(group: readonly Candidate[]): Planned {
  const events = group.map(({ event }) => event as MessageEvent) // grouped by kind
  return { candidates: group, notice: (sound) => conversationNotice(events, sound) }
}

function planMessages(group: readonly Candidate[]): Planned {
  const events = group.map(({ event }) => event as MessageEvent) // grouped by kind
  return { candidates: group, notice: (sound) => messagesNotice(events, sound) }
}

/** One notice for each project and kind, however few they are. */
export function planHeld(work: Work, candidates: readonly Candidate[]): Planned[] {
  const { checks, others } = grouped(candidates)
  return [
    ...checks.flatMap((group) =>
      group.length === 1 ? group.map(planSingle) : [planProject(work, group)],
    ),
    ...planOthers(others),
  ]
}

/** When even one for each project were too many. */
export function planEverything(candidates: readonly Candidate[]): Planned {
  const events = candidates.map(({ event }) => event)
  return { candidates, notice: (sound) => everythingNotice(events, sound) }
}
