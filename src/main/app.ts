import type { CommandName, Commands } from '../shared/contract.ts'
import type { Account } from '../shared/core/account.ts'
import type { Notice } from '../shared/core/notice.ts'
import { afterRestart } from '../shared/core/outbox-update.ts'
import type { Patch } from '../shared/core/patch.ts'
import { type AppState, type Environment, emptyState } from '../shared/core/state.ts'
import type { Target } from '../shared/core/target.ts'
import type { TrayAction } from '../shared/core/tray.ts'
import { createAccountCommands, withoutAccount } from './account-commands.ts'
import { createChatCommands } from './chat-commands.ts'
import { type Connections, createConnections } from './connections.ts'
import { createLiveState, type LiveState } from './live-state.ts'
import type { Clock, Desktop, Saved, Vault } from './ports.ts'
import {
  readAccounts,
  readDrafts,
  readMarks,
  readNotices,
  readOutbox,
  readSettings,
} from './storage/documents.ts'
import { createJournal, type Journal } from './storage/journal.ts'
import type { Transport } from './sync/transport.ts'
import { createWindowCommands } from './window-commands.ts'

/** The pretend services behind "Explore the demo": no socket, and nothing of it is stored. */
export interface Demo {
  readonly transport: Transport
  readonly vault: Vault
  readonly accounts: readonly Account[]
  /** Lets the world live until the returned function is called. */
  start(): () => void
}

export interface AppParts {
  readonly desktop: Desktop
  readonly vault: Vault
  readonly saved: Saved
  readonly transport: Transport
  readonly clock: Clock
  readonly environment: Environment
  readonly openDemo: () => Promise<Demo>
  /** Where bugs are written: a place and an error, never text of the user or a server. */
  readonly onBug: (where: string, error: unknown) => void
}

/**
 * The whole app but the computer it runs on: state, loops and commands, in plain Node. `desktop/`
 * gives it a tray, windows and notifications; tests give it fakes.
 */
export class App {
  readonly commands: Commands
  readonly #parts: AppParts
  readonly #journal: Journal
  readonly #live: LiveState
  readonly #connections: Connections
  /** Notices whose reply was taken: systems deliver one twice now and then. */
  readonly #answered = new Set<string>()
  #demo: { readonly world: Demo; readonly stop: () => void } | null = null

  constructor(parts: AppParts) {
    const { desktop, saved, clock, environment } = parts
    this.#parts = parts
    this.#journal = createJournal(saved)
    this.#live = createLiveState({
      initial: initialState(saved, environment),
      desktop,
      journal: this.#journal,
      clock,
    })
    this.#connections = createConnections({
      live: this.#live,
      vault: (account) => (account.demo ? this.#demoWorld().vault : parts.vault),
      transport: (account) => (account.demo ? this.#demoWorld().transport : parts.transport),
      clock,
      version: environment.version,
      marks: readMarks(saved.read('marks')),
      onBug: parts.onBug,
    })
    const shared = { live: this.#live, connections: this.#connections, clock }
    this.commands = {
      ...createAccountCommands({ ...parts, ...shared, version: environment.version }),
      ...createChatCommands({ ...shared, link: (id) => this.#connections.realm(id) }),
      ...createWindowCommands({ ...shared, desktop }),
      exploreDemo: () => this.#exploreDemo(),
      leaveDemo: () => this.#leaveDemo(),
    } satisfies Record<CommandName, unknown>
  }

  get state(): AppState {
    return this.#live.get()
  }

  /** Starts to follow all accounts; in demo mode those of the demo world. */
  async start(): Promise<void> {
    for (const { id } of this.state.accounts) this.#connections.connect(id)
    if (this.#parts.environment.demo) await this.#exploreDemo()
  }

  /** Ends the loops and waits until everything typed is on disk. */
  async stop(): Promise<void> {
    const stopped = this.#connections.stop()
    this.#demo?.stop()
    this.#live.stop()
    await Promise.all([stopped, this.#journal.settled()])
  }

  /** After sleep, unlock or a network change. */
  wake(): void {
    this.#connections.wake()
  }

  /** The first patch of a window that begins to follow: everything. */
  windowFollows(): Patch {
    return [{ path: [], value: this.state }]
  }

  /** Something on this computer that the user should know of, until they dismiss it. */
  trouble(id: string, text: string): void {
    this.#live.update((state) =>
      state.troubles.some((one) => one.id === id)
        ? state
        : { ...state, troubles: [...state.troubles, { id, text }] },
    )
  }

  windowShown(visible: boolean): void {
    this.#connections.watched(visible)
  }

  /** Shows the window at a place. */
  open(to: Target): void {
    this.#live.update((state) => ({ ...state, target: { to, times: state.target.times + 1 } }))
    this.#parts.desktop.showWindow()
  }

  noticeClicked(notice: Notice): void {
    this.open(notice.target)
  }

  /** A reply typed into a notification goes out once, however often the system delivers it. */
  async noticeReplied(notice: Notice, text: string): Promise<void> {
    const { target, id } = notice
    if (target.view !== 'conversation' || this.#answered.has(id)) return
    this.#answered.add(id)
    const place = { accountId: target.accountId, conversation: target.conversation }
    try {
      await this.commands.sendMessage({ ...place, text })
    } catch {
      // What could not be taken for sending is put before the user again, in the composer.
      await this.commands.saveDraft({ ...place, text })
      this.open(target)
    }
  }

  trayAction(action: TrayAction): void {
    switch (action.do) {
      case 'open':
        this.open(action.target)
        break
      case 'quickReply':
        this.open({ view: 'chat' })
        break
      case 'refresh':
        this.#connections.refresh(null)
        break
      case 'quit':
        this.#parts.desktop.quit()
    }
  }

  #demoWorld(): Demo {
    if (this.#demo === null) throw new Error('a demo account without a demo world')
    return this.#demo.world
  }

  async #exploreDemo(): Promise<void> {
    if (this.#demo !== null) return
    const world = await this.#parts.openDemo()
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

function initialState(saved: Saved, environment: Environment): AppState {
  const accounts = readAccounts(saved.read('accounts'))
  const ids = new Set(accounts.map(({ id }) => id))
  return {
    ...emptyState,
    environment,
    // Whether the key is there is asked of the vault; until then nothing claims that it is missing.
    accounts: accounts.map((account) =>
      account.key === 'rejected' ? account : { ...account, key: 'present' as const },
    ),
    settings: readSettings(saved.read('settings')),
    drafts: readDrafts(saved.read('drafts')),
    outbox: afterRestart(readOutbox(saved.read('outbox'))).filter(({ accountId }) =>
      ids.has(accountId),
    ),
    notices: readNotices(saved.read('notices')),
  }
}
