import type { CommandName } from '../shared/command-inputs.ts'
import type { Commands } from '../shared/contract.ts'
import type { Account, AccountId } from '../shared/core/account.ts'
import type { Asked } from '../shared/core/attention/asked.ts'
import { checkSubject } from '../shared/core/attention/event.ts'
import type { Notice } from '../shared/core/attention/notice.ts'
import { begunBy } from '../shared/core/attention/silence.ts'
import type { Patch } from '../shared/core/patch.ts'
import type { AppState, Environment } from '../shared/core/state.ts'
import type { Target } from '../shared/core/target.ts'
import type { TrayAction } from '../shared/core/views/tray.ts'
import { AccountCommands, withoutAccount, withProtections } from './accounts/account-commands.ts'
import { accountOfKey, Connections, keyName } from './accounts/connections.ts'
import { Joining } from './accounts/one-project.ts'
import { createOperationCommands } from './accounts/operation-commands.ts'
import { answerTo } from './attention/asked-deeds.ts'
import {
  AttentionCommands,
  createNoticeActions,
  createNoticeCommands,
} from './attention/attention-commands.ts'
import { createFileLook } from './attention/file-look.ts'
import { createLinkOpener } from './attention/link-opener.ts'
import { createProgramCommands } from './attention/program-commands.ts'
import { ProgramRunner } from './attention/program-runner.ts'
import { createReminderCommands } from './attention/reminder-commands.ts'
import { createSounds } from './attention/sound-commands.ts'
import { type DeedParts, perform, takeTrayAction } from './attention/tray-actions.ts'
import { type Beat, createBeat } from './base/beat.ts'
import type {
  Clock,
  Demo,
  Desktop,
  History,
  KeptFiles,
  Saved,
  StatusFolder,
  Transport,
  Vault,
} from './base/ports.ts'
import { ChatCommands } from './chat/chat-commands.ts'
import { createDiscussCommands } from './chat/discuss-commands.ts'
import { createDraftCommands } from './chat/draft-commands.ts'
import { createImageCommands } from './chat/pictures.ts'
import { ScheduledCommands } from './chat/scheduled-commands.ts'
import { Uploads } from './chat/upload-commands.ts'
import { createDiagnosticCommands } from './diagnostics/diagnostic-commands.ts'
import { trusting } from './http/authority.ts'
import { CheckCommands } from './monitoring/check-commands.ts'
import { HistoryCommands } from './monitoring/history-commands.ts'
import { createPastReader } from './monitoring/past-reader.ts'
import { createSelfWatch } from './monitoring/self-watch.ts'
import { createSettingsCommands } from './settings/settings-commands.ts'
import { restored } from './state/documents.ts'
import { recordHistory } from './state/history-record.ts'
import { LiveState } from './state/store.ts'
import { createJournal, type Journal } from './storage/journal.ts'
import { temporaryFiles } from './storage/kept-files.ts'
import { memoryHistory } from './storage/memory-history.ts'

export interface AppParts {
  readonly desktop: Desktop
  readonly vault: Vault
  readonly saved: Saved
  /** Defaults to a history in memory. */
  readonly history?: History
  /** Defaults to a temporary folder. */
  readonly files?: KeptFiles
  /** Defaults to telling other programs nothing. */
  readonly statusFolder?: StatusFolder
  readonly transport: Transport
  /** The proxy that `transport` uses for an address, or null. Defaults to none. */
  readonly proxyFor?: (url: string) => Promise<string | null>
  readonly clock: Clock
  /** Defaults to one of its own. */
  readonly beat?: Beat
  /** If given, the first requests wait for it. */
  readonly begin?: Promise<void>
  readonly environment: Environment
  readonly openDemo: () => Promise<Demo>
  /** Logs a bug: where it happened and the error, never text from the user or a server. */
  readonly onBug: (where: string, error: unknown) => void
  /** Logs an event in fixed words and numbers; the same restriction as for `onBug`. */
  readonly note?: (where: string, what: string) => void
}

/**
 * The whole app except for the desktop it runs on: state, loops and commands, in plain Node.
 * `desktop/` provides the tray, windows and notifications; tests provide fakes.
 */
export class App {
  readonly commands: Commands
  readonly soundFile: ReturnType<typeof createSounds>['soundFile']
  readonly #parts: AppParts
  readonly #journal: Journal
  readonly #history: History
  readonly #live: LiveState
  readonly #connections: Connections
  readonly #joining: Joining
  readonly #uploads: Uploads
  readonly #programs: ProgramRunner
  readonly #selfWatch: { stop(): void }
  readonly #links: ReturnType<typeof createLinkOpener>
  readonly #noticeActions: ReturnType<typeof createNoticeActions>
  readonly #sure: Omit<ReturnType<typeof restored>, 'state' | 'memory' | 'runs'>
  /** The place that the window last reported. */
  #windowPlace: Target | null = null
  #windowHoldsInput = false
  #isDemoOpening = false
  #demo: { readonly world: Demo; readonly stop: () => void } | null = null

  constructor(parts: AppParts) {
    const { desktop, saved, clock, environment, onBug } = parts
    this.#parts = parts
    const beat = parts.beat ?? createBeat((error) => onBug('beat', error))
    this.#history = parts.history ?? memoryHistory()
    this.#journal = createJournal(saved)
    const record = recordHistory({ stored: this.#history, clock })
    const { state: kept, ...initial } = restored(saved, environment)
    const { areAccountsSure, areUploadsSure, mended } = initial
    this.#sure = { areAccountsSure, areUploadsSure, mended }
    this.#live = new LiveState({
      initial: { ...initial, state: { ...kept, silences: begunBy(kept.silences, clock.now()) } },
      desktop,
      statusFolder: parts.statusFolder,
      journal: this.#journal,
      record,
      clock,
      beat,
      onDraftsChanged: () => this.#connections.draftsChanged(),
      onStarts: (starts, written) => this.#programs.run(starts, written),
      onMissedTime: () => this.#connections.wake(),
      onBug,
    })
    desktop.onSystemQuiet(() => this.#live.reevaluate())
    const transport = (account: Account) =>
      account.demo ? this.#demoWorld().transport : trusting(parts.transport, account)
    const diagnostics = createDiagnosticCommands({
      live: this.#live,
      desktop,
      clock,
      refresh: () => this.#connections.refresh(null),
      note: parts.note ?? (() => undefined),
    })
    this.#connections = new Connections({
      live: this.#live,
      vault: (account) => (account.demo ? this.#demoWorld().vault : parts.vault),
      transport,
      onBattery: () => desktop.onBattery(),
      clock,
      version: environment.version,
      begin: parts.begin ?? Promise.resolve(),
      onListed: (id, checks) => this.#joining.onListed(id, checks),
      onExchange: (id, exchange) => diagnostics.heard(id, exchange),
      onBug,
    })
    this.#joining = new Joining({
      ...parts,
      live: this.#live,
      onRenamed: (from, to) => record.renamed(from, to),
      transport,
      connections: this.#connections,
      version: environment.version,
    })
    const around = { desktop, clock, record, look: createFileLook() }
    const shared = { live: this.#live, connections: this.#connections, ...around }
    const link = (id: AccountId) => this.#connections.realm(id)
    const client = (id: AccountId) => link(id).client
    const details = this.#connections.details.bind(this.#connections)
    const chat = new ChatCommands({ ...shared, link })
    const checks = new CheckCommands({
      ...shared,
      project: (id) => this.#connections.project(id),
      details,
      transport,
      version: environment.version,
    })
    this.#selfWatch = createSelfWatch({ ...shared, beat, ping: checks.pingAlone, onBug })
    const files = parts.files ?? temporaryFiles()
    this.#uploads = new Uploads({ ...shared, files, client, onBug })
    const sounds = createSounds(shared)
    this.soundFile = sounds.soundFile
    this.#programs = new ProgramRunner({ ...shared, onBug })
    this.commands = {
      ...new AccountCommands({
        ...parts,
        ...shared,
        proxyFor: parts.proxyFor ?? (async () => null),
        chosenFile: this.#uploads.chosen,
        version: environment.version,
      }),
      ...chat.commands,
      ...createDraftCommands(shared),
      ...new ScheduledCommands({ ...shared, link, send: chat.reply }),
      ...checks.commands,
      ...this.#uploads.commands,
      ...createImageCommands({ ...shared, transport, client, version: environment.version }),
      ...createDiscussCommands({ ...shared, link, send: chat.reply }),
      ...new AttentionCommands({ ...shared, link }),
      ...createNoticeCommands(shared),
      ...createReminderCommands({ ...shared, link }),
      ...sounds.commands,
      ...createProgramCommands({ ...shared, runner: this.#programs }),
      ...new HistoryCommands({ ...shared, details }),
      ...createOperationCommands({
        ...shared,
        pings: checks.pings,
        uploads: this.#uploads,
        past: createPastReader(shared),
      }),
      ...createSettingsCommands({
        ...shared,
        confirmPings: checks.pings.confirm,
        readAll: () => this.#connections.refresh(null),
      }),
      ...diagnostics.commands,
      ...this.#windowCommands(),
    } satisfies Record<CommandName, unknown>
    this.#links = createLinkOpener({
      get: this.#live.get,
      clock,
      open: (to) => this.open(to),
      showWindow: () => desktop.showWindow(),
      refused: (why) => this.trouble('link', why),
    })
    this.#noticeActions = createNoticeActions({
      reply: chat.reply,
      saveDraft: this.commands.saveDraft,
      perform: (deed) => perform(deed, this.#deedParts()),
      get: this.#live.get,
      open: (target) => this.open(target),
      withdraw: (subject) => desktop.withdraw(subject),
      trouble: (id, text) => this.trouble(id, text),
    })
  }

  #windowCommands() {
    const { desktop } = this.#parts
    return {
      openLink: ({ url }) => desktop.openLink(url),
      copyText: async ({ text }) => desktop.copyText(text),
      hideWindow: async () => desktop.hideWindow(),
      quit: async () => desktop.quit(),
      showing: async ({ view, place, holdsInput }) => {
        if (place !== undefined) {
          this.#windowPlace = place
          if ('checkId' in place && place.checkId !== null)
            this.#live.seen(checkSubject(place.accountId, place.checkId))
        }
        this.#windowHoldsInput = holdsInput === true
        this.#connections.watched(view === 'checks' || view === 'check')
      },
      exploreDemo: () => this.#exploreDemo(),
      leaveDemo: () => this.#leaveDemo(),
    } satisfies Partial<Commands>
  }

  get state(): AppState {
    return this.#live.get()
  }

  /** Connects all accounts; in demo mode, those of the demo world. */
  async start(): Promise<void> {
    const { desktop } = this.#parts
    desktop.setZoom(this.state.settings.zoom)
    void desktop.takeKeys(this.state.settings.globalKeys).then((problem) => {
      if (problem !== null) this.trouble('globalKeys', `Global keys: ${problem}`)
    })
    // Or each start would find and report the same again. A failure is retried with the next change.
    for (const name of this.#sure.mended) this.#live.persist(name).catch(() => undefined)
    if (this.#sure.areAccountsSure) this.#forgetOtherKeys()
    this.#joining.connectAll()
    if (this.#sure.areUploadsSure) this.#uploads.forgetOthers()
    this.#uploads.resume()
    if (this.#parts.environment.demo) await this.#exploreDemo()
  }

  /** A removed account's key is still there if the run ended before the disk let it go. */
  #forgetOtherKeys(): void {
    const ids = new Set(this.state.accounts.map(({ id }) => id))
    const isKnown = (name: string): boolean => {
      const id = accountOfKey(name)
      return id === null || ids.has(id)
    }
    // If the disk refuses, the vault tries again.
    const wanted = this.state.accounts.map(keyName)
    void this.#parts.vault.keepOnly(isKnown, wanted).catch(() => undefined)
  }

  /**
   * Stops the loops and waits until everything typed is on disk; `typed` resolves once the windows
   * have handed it over.
   */
  async stop(typed: Promise<void> = Promise.resolve()): Promise<void> {
    this.#joining.stop()
    const [stopped, ended] = [this.#connections.stop(), this.#programs.stop()]
    this.#uploads.stop()
    this.#links.stop()
    this.#selfWatch.stop()
    this.#demo?.stop()
    this.#live.stop()
    await Promise.all([stopped, typed, this.#parts.statusFolder?.close()])
    // Written explicitly: the time of the last read alone does not trigger a write.
    for (const name of ['notifiedState', 'looks', 'runs', 'lastBoards'] as const)
      void this.#live.persist(name).catch(() => {
        // Harmless: with an older document, the next start only looks back further.
      })
    // Its words on how they ended are the last that is written.
    await ended
    await this.#journal.settled()
    await this.#history.settled()
    this.#history.close()
  }

  /** Called after sleep, unlock or a network change. */
  wake(): void {
    this.#live.lookAtClock()
    this.#connections.wake()
  }

  /** The keyring appeared or disappeared, so each key may be kept differently now. */
  keysChanged(): void {
    this.#live.update((state) => withProtections(state, this.#parts.vault))
  }

  /** Called after an uncaught error: writes all documents again. */
  afterBug(): void {
    this.#live.persistAll()
  }

  /**
   * Returns the first patch for a window that starts listening: the whole state. A new page starts
   * at the place where the previous one was.
   */
  windowFollows(): Patch {
    this.#windowHoldsInput = false
    if (this.#windowPlace !== null) this.#lead(this.#windowPlace)
    return [{ path: [], value: this.state }]
  }

  /** Shows a problem with this computer until the user dismisses it; null: it is over. */
  trouble(id: string, text: string | null): void {
    this.#live.trouble(id, text)
  }

  /** Reports what the disk refused to save, and why; null: it has been saved. */
  unsaved(what: string, why: string | null): void {
    this.#live.unsaved(what, why)
  }

  /**
   * Reopens on the board: what was shown may have caused the crash, so only the user returns there.
   */
  windowCrashed(): void {
    const to = this.#windowPlace
    this.#windowPlace = { view: 'checks' }
    const text = 'The window stopped working and was opened again here. Your drafts are kept.'
    if (to?.view !== 'checks') this.#live.trouble('window', null)
    this.#live.trouble('window', text, to ?? undefined)
  }

  windowShown(visible: boolean): void {
    this.#connections.watched(visible)
  }

  windowHoldsInput(): boolean {
    return this.#windowHoldsInput
  }

  /** Shows the window at a place. */
  open(to: Target): void {
    // A window created for this starts there.
    this.#windowPlace = to
    this.#lead(to)
    this.#parts.desktop.showWindow()
  }

  /** Opens the target of a link, which can do nothing else, or reports why it can't. */
  openDeepLink(text: string): void {
    this.#links.open(text)
  }

  #lead(to: Target): void {
    this.#live.update((state) => ({ ...state, target: { to, times: state.target.times + 1 } }))
  }

  /** Does what a script of this user asked for, and writes the answer into a file. */
  async asked(asked: Asked): Promise<void> {
    const parts = { ...this.#deedParts(), onBug: this.#parts.onBug }
    this.#parts.statusFolder?.write({ [`answer-${asked.id}`]: await answerTo(asked, parts) })
  }

  noticeClicked(notice: Notice): void {
    this.open(notice.target)
  }

  noticeReplied(notice: Notice, text: string): Promise<void> {
    return this.#noticeActions.reply(notice, text)
  }

  noticeAction(notice: Notice, action: string): Promise<void> {
    return this.#noticeActions.act(notice, action)
  }

  trayAction(action: TrayAction): void {
    takeTrayAction(action, {
      ...this.#deedParts(),
      trouble: (id, text) => this.trouble(id, text),
      onBug: this.#parts.onBug,
    })
  }

  #deedParts(): DeedParts {
    return {
      commands: this.commands,
      state: this.state,
      now: this.#parts.clock.now(),
      open: (target) => this.open(target),
      quit: () => this.#parts.desktop.quit(),
    }
  }

  #demoWorld(): Demo {
    if (this.#demo === null) throw new Error('a demo account without a demo world')
    return this.#demo.world
  }

  async #exploreDemo(): Promise<void> {
    if (this.#demo !== null || this.#isDemoOpening) return
    this.#isDemoOpening = true
    const world = await this.#parts.openDemo().finally(() => {
      this.#isDemoOpening = false
    })
    this.#demo = { world, stop: world.start() }
    this.#live.update((state) => ({ ...state, accounts: [...state.accounts, ...world.accounts] }))
    for (const { id } of world.accounts) this.#connections.connect(id)
  }

  async #leaveDemo(): Promise<void> {
    const demo = this.#demo
    if (demo === null) return
    for (const { id } of demo.world.accounts) {
      this.#connections.disconnect(id)
      this.#live.update((state) => withoutAccount(state, id))
    }
    demo.stop()
    this.#demo = null
  }
}
