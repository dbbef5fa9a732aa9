import { type Account, type AccountId, accountById } from '../../shared/core/account.ts'
import { checkSubject } from '../../shared/core/attention/event.ts'
import { isOfMessages, type Notice } from '../../shared/core/attention/notice.ts'
import { eachSilence } from '../../shared/core/attention/silence.ts'
import { silencesGone } from '../../shared/core/attention/silences-update.ts'
import { conversationKey } from '../../shared/core/chat/conversation.ts'
import type { CheckId } from '../../shared/core/checks/check.ts'
import {
  type HistoryEntry,
  type HistoryFilter,
  stepsAccount,
} from '../../shared/core/checks/history.ts'
import type { RecordedPast } from '../../shared/core/checks/past.ts'
import type { AppState } from '../../shared/core/state.ts'
import { dayMs } from '../../shared/core/wall-clock.ts'
import type { Clock, History } from '../base/ports.ts'
import { memoryHistory } from '../storage/memory-history.ts'
import { createStepWriter } from './attention-record.ts'
import type { Taken } from './attention-runner.ts'
import { checkEntries } from './check-entries.ts'

/** Enough for a busy week. */
const mostSteps = 20_000

export type HistoryRecord = ReturnType<typeof recordHistory>

/** Records what happens. Entries of the demo are kept in memory only. */
export function recordHistory(parts: { stored: History; clock: Clock }) {
  const { stored, clock } = parts
  const pretended = memoryHistory()
  const writer = createStepWriter()
  const runs = createRunSampler()
  /** Ids of demo accounts, remembered after the demo is left and the state has forgotten them. */
  const demos = new Set<AccountId>()
  const historyOf = (id: AccountId | null): History =>
    id !== null && demos.has(id) ? pretended : stored

  function add(entries: readonly HistoryEntry[]): void {
    const ofDemo = entries.filter(({ accountId }) => accountId !== null && demos.has(accountId))
    if (ofDemo.length > 0) pretended.add(ofDemo)
    const others =
      ofDemo.length === 0 ? entries : entries.filter((entry) => !ofDemo.includes(entry))
    if (others.length > 0) stored.add(others)
  }

  return {
    /** Called after each change of the state, with the notices it produced. */
    changed(before: AppState, after: AppState, notices: readonly Notice[]) {
      if (before.accounts !== after.accounts) noteAccounts(before.accounts, after.accounts)
      const at = clock.now()
      add([
        ...checkEntries(before, after, at),
        ...runs.entriesOf(before, after, at),
        ...sentEntries(before, after, at),
        ...silenceEntries(before, after, at),
        // Without notices of messages, whose text is the chat's to keep.
        ...notices.filter((notice) => !isOfMessages(notice)).map(noticeEntry),
      ])
    },
    /** Something the user did. */
    acted(accountId: AccountId, checkId: CheckId | null, data: Readonly<Record<string, unknown>>) {
      const subject = checkId === null ? accountId : checkSubject(accountId, checkId)
      add([{ at: clock.now(), accountId, subject, kind: 'act', data }])
    },
    /** What the service told of a check's past. */
    read(accountId: AccountId, checkId: CheckId, data: RecordedPast) {
      const subject = checkSubject(accountId, checkId)
      add([{ at: clock.now(), accountId, subject, kind: 'past', data }])
    },
    /** From now on, everything about an account is about another one. */
    renamed(from: AccountId, to: AccountId) {
      stored.rename(from, to)
      runs.rename(from, to)
    },
    /** A step of the attention engine, kept so that it can be replayed under other rules. */
    taken(taken: Taken) {
      const pieces = writer.entriesOf(taken).map((entry) => ({ ...entry, accountId: stepsAccount }))
      // While the demo is open, all steps go there, even those caused by time alone: their order
      // must be kept in one place.
      const isDemo = Object.keys(taken.context.down).some((id) => demos.has(id))
      if (isDemo) pretended.add(pieces)
      else stored.add(pieces)
    },
    /** The recorded steps, ascending by time. */
    steps(from: number): readonly HistoryEntry[] {
      const filter = { from, accountId: stepsAccount, kinds: ['step'], limit: mostSteps }
      const steps = [...stored.entries(filter), ...pretended.entries(filter)]
      return steps.sort((one, other) => one.at - other.at)
    },
    /** Durations in seconds of the newest runs of a check that are not in an entry yet. */
    recentRuns: runs.recent,
    /** Of one account, ascending by time. */
    entries: (filter: HistoryFilter & { readonly accountId: AccountId }) =>
      historyOf(filter.accountId).entries(filter),
  }

  function noteAccounts(before: readonly Account[], after: readonly Account[]): void {
    for (const { id, demo } of after) if (demo) demos.add(id)
    const ids = new Set(after.map(({ id }) => id))
    for (const { id } of before) {
      if (ids.has(id)) continue
      historyOf(id).forget(id)
      runs.forget(id)
      // Steps cover all accounts at once and contain the text of messages.
      historyOf(id).forget(stepsAccount)
      writer.startOver()
    }
  }
}

/** Newest runs of a check that are kept in its one entry a day. */
const runsADay = 50
/** Checks of a project; the runs of a larger one would crowd out everything else. */
const mostSampled = 2_000

/** Samples run durations from the check list: a check's first run at once, then once a day. */
function createRunSampler() {
  const samples = new Map<string, { since: number; seconds: number[] }>()
  return {
    entriesOf(before: AppState, after: AppState, at: number): HistoryEntry[] {
      return endedRuns(before, after).flatMap(({ accountId, subject, seconds }) => {
        const sample = samples.get(subject) ?? { since: Number.NEGATIVE_INFINITY, seconds: [] }
        const kept = [...sample.seconds, seconds].slice(-runsADay)
        const isDue = at - sample.since >= dayMs
        samples.set(subject, isDue ? { since: at, seconds: [] } : { ...sample, seconds: kept })
        return isDue ? [{ at, accountId, subject, kind: 'runs', data: { seconds: kept } }] : []
      })
    },
    recent: (subject: string): readonly number[] => samples.get(subject)?.seconds ?? [],
    rename(from: AccountId, to: AccountId) {
      for (const [subject, sample] of samples)
        if (subject.startsWith(`${from}/`)) {
          samples.delete(subject)
          samples.set(to + subject.slice(from.length), sample)
        }
    },
    forget(accountId: AccountId) {
      for (const subject of samples.keys())
        if (subject.startsWith(`${accountId}/`)) samples.delete(subject)
    },
  }
}

/** Runs that ended between two reads of the list. */
function endedRuns(before: AppState, after: AppState) {
  return [...after.boards].flatMap(([accountId, { checks }]) => {
    const old = before.boards.get(accountId)?.checks
    if (old === undefined || old === checks || checks.size > mostSampled) return []
    return [...checks.values()].flatMap((check) => {
      const was = old.get(check.id)
      const { id, lastDurationSeconds: seconds, lastPingAt } = check
      return was === undefined || seconds === null || was.lastPingAt === lastPingAt
        ? []
        : [{ accountId, subject: checkSubject(accountId, id), seconds }]
    })
  })
}

/** The user's messages that the server accepted. Their text is the chat's to keep. */
function sentEntries(before: AppState, after: AppState, at: number): HistoryEntry[] {
  if (before.outbox === after.outbox) return []
  const was = new Map(before.outbox.map(({ localId, state }) => [localId, state]))
  return after.outbox
    .filter(({ localId, state }) => state === 'sent' && was.get(localId) !== 'sent')
    .map(({ accountId, conversation, messageId }) => ({
      at,
      accountId,
      subject: `${accountId}/${conversationKey(conversation)}`,
      kind: 'act',
      data: { act: 'send', messageId },
    }))
}

/** Silences of checks that began or ended. */
function silenceEntries(before: AppState, after: AppState, at: number): HistoryEntry[] {
  if (before.silences === after.silences) return []
  const added = silencesGone(after.silences, before.silences)
  const gone = silencesGone(before.silences, after.silences)
  return [
    ...eachSilence(gone).map((one) => ({ act: 'endSilence', one })),
    ...eachSilence(added).map((one) => ({ act: 'silence', one })),
  ].flatMap(({ act, one: { scope, how, until, by } }) =>
    scope.of === 'check' && accountById(after, scope.accountId) !== null
      ? [
          {
            at,
            accountId: scope.accountId,
            subject: checkSubject(scope.accountId, scope.checkId),
            kind: 'act',
            data: { act, how, until, by },
          },
        ]
      : [],
  )
}

function noticeEntry(notice: Notice): HistoryEntry {
  const { at, accountId, subject } = notice
  return {
    at,
    accountId: accountId === '' ? null : accountId,
    subject,
    kind: 'notice',
    data: notice,
  }
}
