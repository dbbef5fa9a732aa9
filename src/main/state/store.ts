import type { Happened } from '../../shared/core/attention/engine.ts'
import { type AttentionEvent, checkSubject, isChange } from '../../shared/core/attention/event.ts'
import { eventsBetween, overBetween } from '../../shared/core/attention/events-between.ts'
import { type AttentionMemory, isRepeated } from '../../shared/core/attention/memory.ts'
import {
  foldAbove,
  isOfMessages,
  type Notice,
  privateNotice,
} from '../../shared/core/attention/notice.ts'
import { noticeOf } from '../../shared/core/attention/notices.ts'
import { isAllDeleted, noticesChanged } from '../../shared/core/attention/notices-follow.ts'
import { mayConcern, withOutageMessages } from '../../shared/core/attention/outage-messages.ts'
import { eachSilence } from '../../shared/core/attention/silence.ts'
import {
  silencesGone,
  withSharedAcknowledgements,
  withSilencesEnded,
} from '../../shared/core/attention/silences-update.ts'
import { stillDownEvents } from '../../shared/core/attention/still-down.ts'
import { withReportsFound } from '../../shared/core/outages/incident.ts'
import { patchBetween } from '../../shared/core/patch.ts'
import { type AppState, withClockSet } from '../../shared/core/state.ts'
import type { Target } from '../../shared/core/target.ts'
import { withTrouble } from '../../shared/core/trouble.ts'
import type { Clock, Desktop } from '../base/ports.ts'
import { uniqueKeyOf } from '../base/unique-key.ts'
import type { Journal } from '../storage/journal.ts'
import { createDiskWarning, createPersister } from '../storage/persister.ts'
import { createAttention, watchBlindness } from './attention-runner.ts'
import { documentRows } from './documents.ts'
import type { HistoryRecord } from './history-record.ts'
import { detectSleep, watchClock } from './sleep-detector.ts'
import { documentOf, type Kept } from './stored-document.ts'
import { createTrayShow } from './tray-show.ts'

/** Notices kept in the app's own list. */
export const maxNotices = 500

export type LiveState = ReturnType<typeof createLiveState>

export function createLiveState(parts: {
  /** `memory`: the attention engine's memory from the previous run. */
  initial: { readonly state: AppState; readonly memory: AttentionMemory }
  desktop: Desktop
  journal: Journal
  record: Pick<HistoryRecord, 'changed' | 'taken'>
  clock: Clock
  onDraftsChanged: () => void
  /** Time was missed or the clock was set: everything should be read again. */
  onMissedTime: () => void
  onBug: (where: string, error: unknown) => void
}) {
  const { desktop, clock, onBug } = parts
  let { state } = parts.initial
  const sleepDetector = detectSleep({
    clock,
    get: () => state,
    lookForGap: () => watch.look(),
    onBack: reevaluate,
  })
  const attention = createAttention({
    memory: parts.initial.memory,
    around: () => ({ systemQuiet: desktop.systemQuiet(), away: sleepDetector.away() }),
    clock,
    onDue: reevaluate,
  })
  const blindness = watchBlindness({ clock, onDue: reevaluate })
  const watch = watchClock({
    clock,
    onSet: (ms) => {
      blindness.clockSet(ms)
      attention.clockSet(ms)
      update((before) => withClockSet(before, ms))
      parts.onMissedTime()
    },
    onGap: (gap) => {
      sleepDetector.wasAway(gap)
      blindness.wasAway(gap)
      parts.onMissedTime()
    },
  })
  const unsaved = createDiskWarning({
    isShown: (id) => state.troubles.some((one) => one.id === id),
    trouble,
  })
  const persister = createPersister({
    rows: new Map(documentRows()),
    now: (): Kept => ({ state, memory: attention.memory() }),
    save: (row, kept) => parts.journal.save(row.file, documentOf(row, kept)),
    awaited: 'notifiedState',
    unsaved,
  })
  /** Notices waiting for the notified state to be on disk; one may be withdrawn meanwhile. */
  const waiting = new Set<Notice>()
  const tray = createTrayShow({
    get: () => state,
    show: (view) => desktop.showTray(view),
    clock,
    onBug: (error) => onBug('tray', error),
  })
  let stopped = false

  /** Contains a bug in a side effect: the change stands, and everything else continues. */
  function guarded<T>(where: string, otherwise: T, work: () => T): T {
    try {
      return work()
    } catch (error) {
      onBug(where, error)
      return otherwise
    }
  }

  /** Shows a problem until it is dismissed; null: it is over. */
  function trouble(id: string, text: string | null, to?: Target): void {
    update((before) => withTrouble(before, id, text, to))
  }

  /** The only way to change the state, and to show the change. */
  function update(change: (state: AppState) => AppState): void {
    watch.look()
    const before = state
    const changed = change(before)
    if (changed !== before) commit(before, acknowledged(before, changed))
  }

  /** Applies acknowledgements first: nobody is notified of an outage that somebody is handling. */
  function acknowledged(before: AppState, changed: AppState): AppState {
    if (!mayConcern(before, changed)) return changed
    const now = clock.now()
    return guarded('acknowledgements', changed, () =>
      withSharedAcknowledgements(withOutageMessages(before, changed, now, uniqueKeyOf), now),
    )
  }

  /** Takes a step with the same state: time has passed, or something outside the state changed. */
  function reevaluate(): void {
    watch.look()
    if (!stopped) commit(state, state)
  }

  /** The user has seen this subject, so its notification is no longer repeated. */
  function seen(subject: string): void {
    if (!stopped && isRepeated(attention.memory(), subject)) commit(state, state, [subject])
  }

  /** Something happened that no state shows. */
  function announce(event: AttentionEvent): void {
    if (!stopped) commit(state, state, [], [event])
  }

  /** Replaces everything at once, as if it had always been so: none of it is news. */
  function rebase(change: (kept: Kept) => Kept): void {
    const before = state
    const after = change({ state, memory: attention.memory() })
    state = after.state
    attention.rebase(after)
    guarded('window', undefined, () => desktop.pushPatch(patchBetween(before, state)))
    tray.changed()
    void persister.persistChanged()
  }

  function commit(
    before: AppState,
    changed: AppState,
    looked: readonly string[] = [],
    more: readonly AttentionEvent[] = [],
  ): void {
    // Read once: a snooze that ended halfway through would end without its reminder.
    const now = clock.now()
    // A bug in finding the events must not block the state for ever: it is right without them.
    const found = guarded('news', { events: [], over: [] }, () =>
      happenedBetween(before, changed, now),
    )
    const news = more.length === 0 ? found : { ...found, events: [...found.events, ...more] }
    const happened = looked.length === 0 ? news : { ...news, seen: looked }
    guarded('attention', undefined, () => attention.follow(before, changed))
    // If the engine fails, alarms are shown without applying the rules.
    const taken = guarded('attention', null, () => attention.take(changed, happened, now))
    const popUps = taken?.popUps ?? alarms(happened.events)
    const listed = taken?.listed ?? popUps
    const reported = withReportsFound(before, changed)
    const ended = withSilencesEnded(reported, happened.events, now)
    const after = withNotices(ended, listed)
    state = after
    if (after !== before) {
      guarded('window', undefined, () => desktop.pushPatch(patchBetween(before, after)))
      tray.changed()
    }
    if (after.drafts !== before.drafts) guarded('drafts', undefined, parts.onDraftsChanged)
    const written = persister.persistChanged()
    guarded('history', undefined, () => {
      if (after !== before) parts.record.changed(before, after, listed)
      if (taken !== null) parts.record.taken(taken)
    })
    if (happened.events.length > 0) sleepDetector.hadNews()
    const replaced = new Set(popUps.map((notice) => onScreen(notice).subject))
    const outdated = taken?.outdated ?? []
    const gone = [...happened.over, ...outdated, ...newlySilenced(before, after)]
    for (const subject of [...gone, ...fallen(happened.events)])
      if (!replaced.has(subject)) withdraw(subject)
    notify(popUps, written)
    followMessages(before, ended, replaced)
    // An ended silence may let something through.
    if (ended !== reported) reevaluate()
  }

  function happenedBetween(before: AppState, after: AppState, now: number): Happened {
    const events = before === after ? [] : eventsBetween(before, after, now, uniqueKeyOf)
    const reminders = stillDownEvents(before, after, events, attention.memory(), now)
    const blind = blindness.look(after)
    return {
      events: [...events, ...reminders, ...blind.events],
      over: [...(before === after ? [] : overBetween(before, after)), ...blind.over],
    }
  }

  /**
   * A chat notice is shown only once the notified state is on disk: a crash before that costs a
   * pop-up, but the unread count still shows the message. Everything else is shown first: a crash
   * may repeat it, but a repeated alarm is better than a lost one.
   */
  function notify(notices: readonly Notice[], written: Promise<void>): void {
    for (const notice of notices)
      if (!isOfMessages(notice)) show(notice)
      else {
        waiting.add(notice)
        void written.then(() => {
          const one = [...waiting].find(({ id }) => id === notice.id)
          if (one !== undefined && waiting.delete(one)) show(one)
        })
      }
  }

  function show(notice: Notice): void {
    guarded('notify', undefined, () => desktop.notify(asPrivate(onScreen(notice))))
  }

  /**
   * Messages were edited or deleted, and so what is on the screen is replaced or withdrawn; but for
   * `replaced`, subjects of which something newer was just shown.
   */
  function followMessages(before: AppState, after: AppState, replaced: ReadonlySet<string>): void {
    for (const notice of noticesChanged(before, after)) {
      if (replaced.has(notice.subject)) continue
      const held = [...waiting].find(({ id }) => id === notice.id)
      if (isAllDeleted(notice)) withdraw(notice.subject)
      else if (held === undefined) replace(notice)
      else if (waiting.delete(held)) waiting.add(notice)
    }
  }

  function replace(notice: Notice): void {
    guarded('notify', undefined, () => desktop.replace(asPrivate({ ...notice, sound: false })))
  }

  function asPrivate(notice: Notice): Notice {
    const privacy = desktop.screenLocked() ? 'minimal' : state.settings.noticeText
    return privateNotice(notice, privacy)
  }

  function withdraw(subject: string): void {
    for (const notice of waiting) if (notice.subject === subject) waiting.delete(notice)
    guarded('withdraw', undefined, () => desktop.withdraw(subject))
  }

  function stop(): void {
    stopped = true
    tray.stop()
    watch.stop()
    persister.stop()
    attention.stop()
    sleepDetector.stop()
    blindness.stop()
  }

  return {
    get: () => state,
    update,
    rebase,
    announce,
    trouble,
    unsaved,
    persist: persister.persist,
    persistAll: persister.persistAll,
    /** Detects missed time and a changed clock now, not at the next tick. */
    lookAtClock: watch.look,
    reevaluate,
    seen,
    stop,
  }
}

/** What a check was remains so: a notice of what it is now doesn’t take the place of that. */
function onScreen(notice: Notice): Notice {
  const isPast = notice.kind === 'missed' && notice.target.view === 'check'
  return isPast ? { ...notice, subject: notice.id } : notice
}

/** Subjects of newly silenced checks, whose notifications are withdrawn. */
function newlySilenced(before: AppState, after: AppState): string[] {
  return eachSilence(silencesGone(after.silences, before.silences)).flatMap(({ scope }) =>
    scope.of === 'check' ? [checkSubject(scope.accountId, scope.checkId)] : [],
  )
}

/** Subjects of checks that went down: a notice on the screen may still say that they are up. */
function fallen(events: readonly AttentionEvent[]): string[] {
  return events.flatMap((event) => {
    if (!isChange(event) || event.kind !== 'down') return []
    return event.from === 'down' || event.isReminder === true ? [] : [event.subject]
  })
}

/** One notice for each check that went down; at most `foldAbove`, since nothing folds them here. */
function alarms(events: readonly AttentionEvent[]): readonly Notice[] {
  return events
    .filter(({ kind }) => kind === 'down')
    .slice(0, foldAbove)
    .map((event) => noticeOf(event, true))
}

/**
 * Adds to the list. After a crash that left the list on disk, but not that it was notified, a message
 * is notified again: its entry takes the place of the first.
 */
function withNotices(state: AppState, notices: readonly Notice[]): AppState {
  if (notices.length === 0) return state
  const newest = notices.slice(-maxNotices).toReversed()
  const ids = new Set(newest.map(({ id }) => id))
  const older = state.notices.filter(({ id }) => !ids.has(id))
  return { ...state, notices: newest.concat(older.slice(0, maxNotices - newest.length)) }
}
