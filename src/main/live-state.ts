import type { Notice } from '../shared/core/notice.ts'
import { noticesBetween, withdrawnBetween } from '../shared/core/notices.ts'
import { patchBetween } from '../shared/core/patch.ts'
import type { AppState } from '../shared/core/state.ts'
import { nextStaleAt, trayView } from '../shared/core/tray-view.ts'
import { createNoticeGate } from './notice-gate.ts'
import type { Clock, Desktop } from './ports.ts'
import { marksDocument } from './storage/documents.ts'
import type { Journal } from './storage/journal.ts'

/** Notices kept in the app's own list. */
const maxNotices = 200
/** The tray's words age ("read 12 s ago"), so they are made anew now and then even when nothing happens. */
const trayTickMs = 10_000

export interface LiveState {
  get(): AppState
  /** The only way to change the state, and the only thing that shows a change. */
  update(change: (state: AppState) => AppState): void
  /** Keeps a document now, whatever changed; rejects when the disk refuses. */
  keep(name: DocumentName): Promise<void>
  stop(): void
}

/** What is kept on disk, and what of the state each document holds. */
const documents = {
  accounts: (state: AppState) => state.accounts.filter(({ demo }) => !demo),
  settings: (state: AppState) => state.settings,
  drafts: (state: AppState) => [...state.drafts].filter(([key]) => !ofDemo(state, key)),
  outbox: (state: AppState) =>
    state.outbox
      .filter(({ accountId }) => !ofDemo(state, accountId))
      .map(({ failure: _failure, ...rest }) => rest),
  notices: (state: AppState) => state.notices.filter(({ accountId }) => !ofDemo(state, accountId)),
  marks: (state: AppState) =>
    marksDocument({
      boards: new Map(
        [...state.boards].flatMap(([id, { told }]) =>
          told === null || ofDemo(state, id) ? [] : [[id, told] as const],
        ),
      ),
      realms: new Map(
        [...state.realms].flatMap(([id, { told }]) =>
          told === null || ofDemo(state, id) ? [] : [[id, told] as const],
        ),
      ),
    }),
} satisfies Record<string, (state: AppState) => unknown>

type DocumentName = keyof typeof documents

/** `key` is an account's id, or starts with one. */
function ofDemo(state: AppState, key: string): boolean {
  return state.accounts.some(({ id, demo }) => demo && (key === id || key.startsWith(`${id}/`)))
}

export function createLiveState(parts: {
  initial: AppState
  desktop: Desktop
  journal: Journal
  clock: Clock
}): LiveState {
  const { desktop, journal, clock } = parts
  let state = parts.initial
  const gate = createNoticeGate({
    show: (notice) => desktop.notify(notice),
    withdraw: (subject) => desktop.withdraw(subject),
    clock,
  })
  /** How often each subject was withdrawn: a notice that waited for its mark may be over by then. */
  const withdrawals = new Map<string, number>()
  let trayTimer = setTimeout(showTray, 0)

  function showTray(): void {
    clearTimeout(trayTimer)
    const now = clock.now()
    desktop.showTray(trayView(state, now))
    const stale = nextStaleAt(state, now)
    trayTimer = setTimeout(
      showTray,
      Math.min(trayTickMs, stale === null ? trayTickMs : stale - now),
    )
  }

  function keep(name: DocumentName): Promise<void> {
    return journal.save(name, documents[name](state))
  }

  /** In the background: what can't be written is told once, and tried again with the next change. */
  function keepLater(name: DocumentName): Promise<void> {
    return keep(name).then(
      () => dropTrouble(`disk-${name}`),
      (error: unknown) => addTrouble(`disk-${name}`, diskWords(name, error)),
    )
  }

  function addTrouble(id: string, text: string): void {
    update((before) =>
      before.troubles.some((trouble) => trouble.id === id)
        ? before
        : { ...before, troubles: [...before.troubles, { id, text }] },
    )
  }

  function dropTrouble(id: string): void {
    update((before) => {
      const troubles = before.troubles.filter((trouble) => trouble.id !== id)
      return troubles.length === before.troubles.length ? before : { ...before, troubles }
    })
  }

  function update(change: (state: AppState) => AppState): void {
    const before = state
    const changed = change(before)
    if (changed === before) return
    const notices = noticesBetween(before, changed, clock.now())
    const after = notices.length === 0 ? changed : withNotices(changed, notices)
    state = after
    desktop.pushPatch(patchBetween(before, after))
    showTray()
    const written = keepChanged(before, after)
    const replaced = new Set(notices.map(({ subject }) => subject))
    for (const subject of withdrawnBetween(before, after))
      if (!replaced.has(subject)) withdraw(subject)
    tell(notices, written)
  }

  function keepChanged(before: AppState, after: AppState): Promise<void> {
    if (before.accounts !== after.accounts) void keepLater('accounts')
    if (before.settings !== after.settings) void keepLater('settings')
    if (before.drafts !== after.drafts) void keepLater('drafts')
    if (before.outbox !== after.outbox) void keepLater('outbox')
    if (before.notices !== after.notices) void keepLater('notices')
    return marksChanged(before, after) ? keepLater('marks') : Promise.resolve()
  }

  /**
   * A chat notice is shown once its mark is on disk: a crash in between costs a pop-up, and the
   * unread count still shows the message. A down check is shown first: a crash may repeat it, and a
   * repeated alarm is better than a lost one.
   */
  function tell(notices: readonly Notice[], written: Promise<void>): void {
    for (const notice of notices)
      if (notice.kind === 'down' || notice.kind === 'account') gate.tell(notice)
      else {
        const before = withdrawals.get(notice.subject)
        void written.then(() => {
          if (withdrawals.get(notice.subject) === before) gate.tell(notice)
        })
      }
  }

  function withdraw(subject: string): void {
    withdrawals.set(subject, (withdrawals.get(subject) ?? 0) + 1)
    gate.withdraw(subject)
  }

  function stop(): void {
    clearTimeout(trayTimer)
    gate.stop()
  }

  return { get: () => state, update, keep, stop }
}

function withNotices(state: AppState, notices: readonly Notice[]): AppState {
  return { ...state, notices: [...notices.toReversed(), ...state.notices].slice(0, maxNotices) }
}

function marksChanged(before: AppState, after: AppState): boolean {
  return (
    [...after.boards].some(([id, board]) => before.boards.get(id)?.told !== board.told) ||
    [...after.realms].some(([id, realm]) => before.realms.get(id)?.told !== realm.told) ||
    before.boards.size !== after.boards.size ||
    before.realms.size !== after.realms.size
  )
}

function diskWords(name: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
  return `Can't save ${name} (${code}). Belfry goes on and tries again; until then a restart would lose it. Check the space and rights of your home folder.`
}
