import { withDependenciesRead } from '../../shared/core/attention/dependencies/dependency.ts'
import type { Happened } from '../../shared/core/attention/engine.ts'
import {
  type AttentionEvent,
  checkSubject,
  type EventKind,
} from '../../shared/core/attention/event.ts'
import { eventsBetween, overBetween } from '../../shared/core/attention/events-between.ts'
import { withPlannedBegun } from '../../shared/core/attention/maintenance/planned-begun.ts'
import { isRepeated } from '../../shared/core/attention/memory.ts'
import {
  foldAbove,
  isOfMessages,
  type Notice,
  noticeTextNow,
  privateNotice,
  subjectOnScreen,
} from '../../shared/core/attention/notice.ts'
import { noticeOf } from '../../shared/core/attention/notices.ts'
import {
  fallen,
  isAllDeleted,
  noticesChanged,
  withCorrected,
} from '../../shared/core/attention/notices-follow.ts'
import { mayConcern, withOutageMessages } from '../../shared/core/attention/outage-messages.ts'
import type { ProgramStart } from '../../shared/core/attention/programs/program.ts'
import { dueReminders } from '../../shared/core/attention/remind-me/due-reminders.ts'
import { dueIds, withoutReminders } from '../../shared/core/attention/remind-me/message-reminder.ts'
import { withRunsEnded } from '../../shared/core/attention/runs/run-ended.ts'
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
import type { Beat } from '../base/beat.ts'
import type { Clock, Desktop, StatusFolder } from '../base/ports.ts'
import { uniqueKeyOf } from '../base/unique-key.ts'
import type { Journal } from '../storage/journal.ts'
import { createDiskWarning, Persister } from '../storage/persister.ts'
import { createAttention, watchBlindness, watchPlanned } from './attention-runner.ts'
import { type DocumentName, documentRows } from './documents.ts'
import type { HistoryRecord } from './history-record.ts'
import { OnScreen } from './on-screen.ts'
import { watchRuns } from './run-watch.ts'
import { detectSleep, watchClock } from './sleep-detector.ts'
import { createStatusShow } from './status-show.ts'
import { documentOf, type Kept, type StoredDocument } from './stored-document.ts'
import { createTrayShow } from './tray-show.ts'

/** Notices kept in the app's own list. */
export const maxNotices = 500

interface LiveStateParts {
  /** From the previous run. */
  initial: Kept
  desktop: Desktop
  /** Absent: other programs are told nothing. */
  statusFolder?: StatusFolder | undefined
  journal: Journal
  record: Pick<HistoryRecord, 'changed' | 'taken'>
  clock: Clock
  beat: Beat
  onDraftsChanged: () => void
  /** Time was missed or the clock was set: everything should be read again. */
  onMissedTime: () => void
  onBug: (where: string, error: unknown) => void
  /** Programs are to run with notifications that were just told, once that is on disk. */
  onStarts?: (starts: readonly ProgramStart[], written: Promise<unknown>) => void
}

/** The state of the app. What changes it is shown, notified of and written to disk from here. */
export class LiveState {
  readonly #parts: LiveStateParts
  #state: AppState
  readonly #sleepDetector: ReturnType<typeof detectSleep>
  readonly #attention: ReturnType<typeof createAttention>
  readonly #blindness: ReturnType<typeof watchBlindness>
  readonly #runs: ReturnType<typeof watchRuns>
  readonly #planned: ReturnType<typeof watchPlanned>
  readonly #watch: ReturnType<typeof watchClock>
  /** Reports what the disk refused to save, and why; null: it has been saved. */
  readonly unsaved: ReturnType<typeof createDiskWarning>
  readonly #persister: Persister<DocumentName, Kept, StoredDocument>
  /** Notices waiting for the notified state to be on disk; one may be withdrawn meanwhile. */
  readonly #waiting = new Set<Notice>()
  readonly #onScreen = new OnScreen()
  /** Ids of reminders that are told, and kept until the notified state is on disk. */
  readonly #told = new Set<string>()
  readonly #tray: ReturnType<typeof createTrayShow>
  #soundPaths: ReadonlyMap<EventKind, string>
  #programPaths: ReadonlyMap<string, string>
  #stopped = false

  constructor(parts: LiveStateParts) {
    this.#parts = parts
    const { clock, desktop, onBug } = parts
    this.#state = parts.initial.state
    this.#soundPaths = parts.initial.soundPaths ?? new Map()
    this.#programPaths = parts.initial.programPaths ?? new Map()
    this.#sleepDetector = detectSleep({
      clock,
      get: () => this.#state,
      lookForGap: () => this.#watch.look(),
      onBack: this.reevaluate,
    })
    this.#attention = createAttention({
      memory: parts.initial.memory,
      around: () => ({ systemQuiet: desktop.systemQuiet(), away: this.#sleepDetector.away() }),
      clock,
      onDue: this.reevaluate,
    })
    this.#blindness = watchBlindness({ clock, onDue: this.reevaluate })
    this.#runs = watchRuns(parts.initial.runs)
    this.#planned = watchPlanned({ clock, onDue: this.reevaluate })
    this.#watch = watchClock({
      clock,
      beat: parts.beat,
      onSet: (ms) => {
        this.#blindness.clockSet(ms)
        this.#attention.clockSet(ms)
        this.update((before) => withClockSet(before, ms))
        parts.onMissedTime()
      },
      onGap: (gap) => {
        this.#sleepDetector.wasAway(gap)
        this.#blindness.wasAway(gap)
        parts.onMissedTime()
      },
    })
    this.unsaved = createDiskWarning({
      isShown: (id) => this.#state.troubles.some((one) => one.id === id),
      trouble: this.trouble,
    })
    this.#persister = new Persister({
      rows: new Map(documentRows()),
      now: () => this.#kept(),
      save: (row, kept) => parts.journal.save(row.file, documentOf(row, kept)),
      awaited: 'notifiedState',
      unsaved: this.unsaved,
    })
    const folder = parts.statusFolder
    const discreet = ({ settings }: AppState) =>
      noticeTextNow(settings, desktop.screenLocked()) === 'minimal'
    const status = folder && createStatusShow({ folder, discreet, clock, pid: process.pid })
    this.#tray = createTrayShow({
      get: () => this.#state,
      show: (view) => {
        if (status !== undefined)
          this.#guarded('status', undefined, () => status(this.#state, view))
        desktop.showTray(view)
      },
      screenLocked: () => desktop.screenLocked(),
      clock,
      beat: parts.beat,
      onBug: (error) => onBug('tray', error),
    })
  }

  /** The user has seen this subject, so its notification is no longer repeated. */
  seen(subject: string): void {
    if (!this.#stopped && isRepeated(this.#attention.memory(), subject))
      this.#commit(this.#state, this.#state, [subject])
  }

  readonly nextOf = (id: string): number => this.#attention.nextOf(id)

  /** Something happened that no state shows. */
  announce(event: AttentionEvent): void {
    if (!this.#stopped) this.#commit(this.#state, this.#state, [], [event])
  }

  /** Replaces everything at once, as if it had always been so: none of it is news. */
  rebase(change: (kept: Kept) => Kept): void {
    const before = this.#state
    const after = change(this.#kept())
    this.#state = after.state
    this.#runs.rebase(after.runs)
    this.#soundPaths = after.soundPaths ?? this.#soundPaths
    this.#programPaths = after.programPaths ?? this.#programPaths
    this.#attention.rebase(after)
    this.#guarded('window', undefined, () =>
      this.#parts.desktop.pushPatch(patchBetween(before, this.#state)),
    )
    this.#tray.changed()
    void this.#persister.persistChanged()
  }

  #kept(): Kept {
    const [memory, runs] = [this.#attention.memory(), this.#runs.memory()]
    const [soundPaths, programPaths] = [this.#soundPaths, this.#programPaths]
    return { state: this.#state, memory, runs, soundPaths, programPaths }
  }

  /** Detects missed time and a changed clock now, not at the next tick. */
  lookAtClock(): void {
    this.#watch.look()
  }

  /** Resolves once the document is on disk as it is now; rejects when the disk refuses. */
  readonly persist = (name: DocumentName): Promise<void> => this.#persister.persist(name)

  /** Writes all documents now, even those that seem to be on disk. */
  persistAll(): void {
    this.#persister.persistAll()
  }

  stop(): void {
    this.#stopped = true
    this.#tray.stop()
    this.#watch.stop()
    this.#persister.stop()
    this.#attention.stop()
    this.#sleepDetector.stop()
    this.#blindness.stop()
    this.#planned.stop()
  }

  readonly get = (): AppState => this.#state

  /** Where the user's own sound for this kind is; undefined: it has the system's. */
  readonly soundPath = (kind: EventKind): string | undefined => this.#soundPaths.get(kind)

  readonly programPath = (id: string): string | undefined => this.#programPaths.get(id)

  /** Shows a problem until it is dismissed; null: it is over. */
  readonly trouble = (id: string, text: string | null, to?: Target): void => {
    this.update((before) => withTrouble(before, id, text, to))
  }

  /** The only way to change the state, and to show the change. */
  readonly update = (change: (state: AppState) => AppState): void => {
    this.#watch.look()
    const before = this.#state
    const changed = change(before)
    if (changed !== before) this.#commit(before, this.#acknowledged(before, changed))
  }

  /** Takes a step with the same state: time has passed, or something outside the state changed. */
  readonly reevaluate = (): void => {
    this.#watch.look()
    if (!this.#stopped) this.#commit(this.#state, this.#state)
  }

  /** Contains a bug in a side effect: the change stands, and everything else continues. */
  #guarded<T>(where: string, otherwise: T, work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#parts.onBug(where, error)
      return otherwise
    }
  }

  /** Applies acknowledgements first: nobody is notified of an outage that somebody is handling. */
  #acknowledged(before: AppState, changed: AppState): AppState {
    if (!mayConcern(before, changed)) return changed
    const now = this.#parts.clock.now()
    return this.#guarded('acknowledgements', changed, () =>
      withSharedAcknowledgements(withOutageMessages(before, changed, now, uniqueKeyOf), now),
    )
  }

  #commit(
    before: AppState,
    asked: AppState,
    looked: readonly string[] = [],
    more: readonly AttentionEvent[] = [],
  ): void {
    // Read once: a snooze that ended halfway through would end without its reminder.
    const now = this.#parts.clock.now()
    const begun = this.#guarded('planned', asked, () => withPlannedBegun(asked, now))
    const untold = withoutReminders(begun, this.#told)
    const due = this.#guarded('reminders', [], () => dueReminders(untold, now))
    const changed = this.#guarded('dependencies', begun, () => withDependenciesRead(begun, now))
    // A bug in finding the events must not block the state for ever: the new state is correct anyway.
    const found = this.#guarded('news', { events: [], over: [] }, () =>
      this.#happenedBetween(before, changed, now),
    )
    const also = [...more, ...due]
    const news = also.length === 0 ? found : { ...found, events: [...found.events, ...also] }
    const happened = looked.length === 0 ? news : { ...news, seen: looked }
    this.#guarded('attention', undefined, () => this.#attention.follow(before, changed))
    // If the engine fails, alarms are shown without applying the rules.
    const taken = this.#guarded('attention', null, () =>
      this.#attention.take(changed, happened, now),
    )
    const popUps = taken?.popUps ?? alarms(happened.events)
    const listed = taken?.listed ?? popUps
    const followed = withCorrected(changed, taken?.corrected ?? [])
    const reported = withRunsEnded(before, withReportsFound(before, followed))
    const ended = withSilencesEnded(reported, happened.events, now)
    const after = withNotices(ended, listed)
    this.#state = after
    const ids = due.length === 0 ? [] : dueIds(untold, now)
    for (const id of ids) this.#told.add(id)
    this.#planned.look(withoutReminders(after, this.#told))
    if (after !== before) {
      this.#guarded('window', undefined, () =>
        this.#parts.desktop.pushPatch(patchBetween(before, after)),
      )
      this.#tray.changed()
    }
    if (after.drafts !== before.drafts)
      this.#guarded('drafts', undefined, this.#parts.onDraftsChanged)
    const written = this.#persister.persistChanged()
    const told = [...this.#told]
    if (told.length > 0) void written.then((isOnDisk) => isOnDisk && this.#forgetTold(told))
    this.#guarded('history', undefined, () => {
      if (after !== before) this.#parts.record.changed(before, after, listed)
      if (taken !== null) this.#parts.record.taken(taken)
    })
    if (happened.events.length > 0) this.#sleepDetector.hadNews()
    const replaced = new Set(popUps.map(subjectOnScreen))
    const outdated = taken?.outdated ?? []
    const gone = [...happened.over, ...outdated, ...newlySilenced(before, after)]
    for (const subject of [...gone, ...fallen(happened.events)])
      if (!replaced.has(subject)) this.#withdraw(subject)
    this.#notify(popUps, written)
    const starts = taken?.starts ?? []
    if (starts.length > 0) this.#parts.onStarts?.(starts, written)
    this.#followNotices(before, ended, replaced)
    if (after.settings.hideNames && !before.settings.hideNames) this.#hideShown(replaced)
    // An ended silence may let something through.
    if (ended !== reported) this.reevaluate()
  }

  /** Only now: a crash before what waits is on disk tells them again, and loses none. */
  #forgetTold(ids: readonly string[]): void {
    this.update((state) => withoutReminders(state, new Set(ids)))
    for (const id of ids) this.#told.delete(id)
  }

  #happenedBetween(before: AppState, after: AppState, now: number): Happened {
    const events = before === after ? [] : eventsBetween(before, after, now, uniqueKeyOf)
    const reminders = stillDownEvents(before, after, events, this.#attention.memory(), now)
    const blind = this.#blindness.look(after)
    const odd = this.#guarded('runs', [], () => this.#runs.look(before, after, now))
    return {
      events: [...events, ...reminders, ...blind.events, ...odd],
      over: [...(before === after ? [] : overBetween(before, after)), ...blind.over],
    }
  }

  /**
   * A chat notice is shown only once the notified state is on disk: a crash before that costs a
   * pop-up, but the unread count still shows the message. Everything else is shown first: a crash
   * may repeat it, but a repeated alarm is better than a lost one.
   */
  #notify(notices: readonly Notice[], written: Promise<unknown>): void {
    for (const notice of notices)
      if (!isOfMessages(notice)) this.#show(notice)
      else {
        this.#waiting.add(notice)
        void written.then(() => {
          const one = [...this.#waiting].find(({ id }) => id === notice.id)
          if (one !== undefined && this.#waiting.delete(one)) this.#show(one)
        })
      }
  }

  #show(notice: Notice): void {
    const shown = { ...notice, subject: subjectOnScreen(notice) }
    this.#onScreen.shown(shown)
    this.#guarded('notify', undefined, () => this.#parts.desktop.notify(this.#asPrivate(shown)))
  }

  /**
   * Messages were edited or deleted, and runs have ended: so what is on the screen is replaced or
   * withdrawn; but for `replaced`, subjects of which something newer was just shown.
   */
  #followNotices(before: AppState, after: AppState, replaced: ReadonlySet<string>): void {
    for (const one of noticesChanged(before, after)) {
      const notice = { ...one, subject: subjectOnScreen(one) }
      if (replaced.has(notice.subject)) continue
      const waiting = [...this.#waiting].find(({ id }) => id === notice.id)
      if (isAllDeleted(notice)) this.#withdraw(notice.subject)
      else if (waiting === undefined) this.#replace(notice)
      else if (this.#waiting.delete(waiting)) this.#waiting.add(notice)
    }
  }

  /** Takes the names off the screen, but for `replaced`, subjects of which something was just shown. */
  #hideShown(replaced: ReadonlySet<string>): void {
    const { replace, withdraw } = this.#onScreen.hiding()
    for (const notice of replace) if (!replaced.has(notice.subject)) this.#replace(notice)
    for (const { subject } of withdraw) if (!replaced.has(subject)) this.#close(subject)
  }

  #replace(notice: Notice): void {
    this.#onScreen.shown(notice)
    this.#guarded('notify', undefined, () =>
      this.#parts.desktop.replace(this.#asPrivate({ ...notice, sound: false })),
    )
  }

  #asPrivate(notice: Notice): Notice {
    const isLocked = this.#parts.desktop.screenLocked()
    return privateNotice(notice, noticeTextNow(this.#state.settings, isLocked))
  }

  #withdraw(subject: string): void {
    for (const notice of this.#waiting) if (notice.subject === subject) this.#waiting.delete(notice)
    this.#close(subject)
  }

  #close(subject: string): void {
    this.#onScreen.gone(subject)
    this.#guarded('withdraw', undefined, () => this.#parts.desktop.withdraw(subject))
  }
}

/** Subjects of newly silenced checks, whose notifications are withdrawn. */
function newlySilenced(before: AppState, after: AppState): string[] {
  return eachSilence(silencesGone(after.silences, before.silences)).flatMap(({ scope }) =>
    scope.of === 'check' ? [checkSubject(scope.accountId, scope.checkId)] : [],
  )
}

/**
 * One notice for each check that went down, at most `foldAbove`, since nothing folds them here; and
 * one for each reminder that the user asked for, which is told now or never.
 */
function alarms(events: readonly AttentionEvent[]): readonly Notice[] {
  const down = events.filter(({ kind }) => kind === 'down').slice(0, foldAbove)
  const asked = events.filter(({ kind }) => kind === 'reminder')
  return [...down, ...asked].map((event) => noticeOf(event, true))
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
