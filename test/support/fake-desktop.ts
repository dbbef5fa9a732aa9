import type { Desktop, LocalFile, Question, Saved } from '../../src/main/base/ports.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import { applyPatch } from '../../src/shared/core/patch.ts'
import type { GlobalKeys } from '../../src/shared/core/settings.ts'
import { type AppState, emptyState } from '../../src/shared/core/state.ts'
import type { TrayView } from '../../src/shared/core/views/tray-view.ts'

/**
 * An in-memory computer: records what was shown and opened, and follows the state like a real
 * window.
 */
export interface FakeDesktop extends Desktop {
  readonly trays: TrayView[]
  readonly notices: Notice[]
  /** Notices whose words changed while they may have been on the screen. */
  readonly replaced: Notice[]
  readonly withdrawn: string[]
  readonly opened: string[]
  readonly copied: string[]
  /** What the user was asked; the answer is yes unless a test says no. */
  readonly questions: Question[]
  agrees: boolean
  /** What the user chooses in the next file dialogs; then nothing. */
  readonly choices: LocalFile[]
  /** The contents of the next files that the user opens. */
  readonly texts: string[]
  readonly saves: { readonly name: string; readonly text: string }[]
  /** The desktop's own do-not-disturb. */
  quiet: boolean
  locked: boolean
  battery: boolean
  /** Switches it, and reports the change. */
  readonly setQuiet: (quiet: boolean) => void
  windowOpen: boolean
  quitAsked: boolean
  /** The keys it registered last. */
  keys: GlobalKeys | null
  keysOfOthers: readonly string[]
  /** What a window that has followed from the start shows. */
  readonly window: () => AppState
}

export function fakeDesktop(): FakeDesktop {
  let seen: AppState = emptyState
  const quietListeners: ((quiet: boolean) => void)[] = []
  const desktop: FakeDesktop = {
    trays: [],
    notices: [],
    replaced: [],
    withdrawn: [],
    opened: [],
    copied: [],
    questions: [],
    agrees: true,
    choices: [],
    texts: [],
    saves: [],
    quiet: false,
    locked: false,
    battery: false,
    windowOpen: false,
    quitAsked: false,
    keys: null,
    keysOfOthers: [],
    window: () => seen,
    showTray: (view) => desktop.trays.push(view),
    pushPatch: (patch) => {
      seen = applyPatch(seen, structuredClone(patch))
    },
    notify: (notice) => desktop.notices.push(notice),
    replace: (notice) => desktop.replaced.push(notice),
    withdraw: (subject) => desktop.withdrawn.push(subject),
    systemQuiet: () => desktop.quiet,
    screenLocked: () => desktop.locked,
    onBattery: () => desktop.battery,
    onSystemQuiet: (listener) => quietListeners.push(listener),
    setQuiet: (quiet) => {
      desktop.quiet = quiet
      for (const listener of quietListeners) listener(quiet)
    },
    notifiedBy: async () => ({ by: 'a test', capabilities: [] }),
    showWindow: () => {
      desktop.windowOpen = true
    },
    setZoom: () => undefined,
    takeKeys: async (keys) => {
      desktop.keys = keys
      const taken = desktop.keysOfOthers.find((one) => Object.values(keys).includes(one))
      return taken === undefined ? null : `${taken} is taken.`
    },
    startsAtLogin: async () => false,
    setStartsAtLogin: async () => undefined,
    hideWindow: () => {
      desktop.windowOpen = false
    },
    openLink: async (url) => {
      desktop.opened.push(url)
    },
    ask: async (question) => {
      desktop.questions.push(question)
      return desktop.agrees
    },
    chooseFile: async () => desktop.choices.shift() ?? null,
    chooseFiles: async () => desktop.choices.splice(0),
    readChosenFile: async () => desktop.texts.shift() ?? null,
    saveFile: async (name, text) => {
      desktop.saves.push({ name, text })
      return true
    },
    facts: async () => ({
      versions: [['Belfry', '0.0.0']],
      sessionBus: true,
      tray: true,
      notifiedBy: 'a test',
      capabilities: [],
      systemQuiet: desktop.quiet,
      keyring: null,
    }),
    logs: async () => '',
    copyText: (text) => desktop.copied.push(text),
    quit: () => {
      desktop.quitAsked = true
    },
  }
  return desktop
}

/**
 * An in-memory disk. `full` makes writes fail; what was written stays readable for the next start.
 */
export interface FakeDisk extends Saved {
  readonly documents: Map<string, string>
  full: boolean
}

export function fakeDisk(): FakeDisk {
  const disk: FakeDisk = {
    documents: new Map(),
    full: false,
    read: (name) => JSON.parse(disk.documents.get(name) ?? 'null') as unknown,
    write: async (name, value) => {
      if (disk.full) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      disk.documents.set(name, JSON.stringify(value))
    },
  }
  return disk
}
