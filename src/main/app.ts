import type { CommandName, Commands } from '../shared/contract.ts'
import type { Account } from '../shared/core/account.ts'
import { draftKey } from '../shared/core/conversation-title.ts'
import { RequestFailed } from '../shared/core/failure.ts'
import type { Notice } from '../shared/core/notice.ts'
import { afterRestart } from '../shared/core/outbox-update.ts'
import type { Patch } from '../shared/core/patch.ts'
import { type AppState, type Environment, emptyState } from '../shared/core/state.ts'
import type { Target } from '../shared/core/target.ts'
import type { TrayAction } from '../shared/core/tray.ts'
import { worstPlace } from '../shared/core/worst-place.ts'
import { createAccountCommands, withoutAccount } from './account-commands.ts'
import { createChatCommands } from './chat-commands.ts'
import { createCheckCommands } from './check-commands.ts'
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
import { createUploads, type Uploads } from './upload-commands.ts'
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
  readonly #uploads: Uploads
  readonly #chat: ReturnType<typeof createChatCommands>
  /** Notices whose reply was taken: systems deliver one twice now and then. */
  readonly #answered = new Set<string>()
  #isDemoOpening = false
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
    const transport = (account: Account) =>
      account.demo ? this.#demoWorld().transport : parts.transport
    this.#connections = createConnections({
      live: this.#live,
      vault: (account) => (account.demo ? this.#demoWorld().vault : parts.vault),
      transport,
      clock,
      version: environment.version,
      marks: readMarks(saved.read('marks')),
      onBug: parts.onBug,
    })
    const shared = { live: this.#live, connections: this.#connections, clock }
    this.#chat = createChatCommands({ ...shared, link: (id) => this.#connections.realm(id) })
    const checks = createCheckCommands({
      ...shared,
      desktop,
      transport,
      version: environment.version,
    })
    this.#uploads = createUploads({
      live: this.#live,
      desktop,
      client: (id) => this.#connections.realm(id).client,
      onBug: parts.onBug,
    })
    this.commands = {
      ...createAccountCommands({ ...parts, ...shared, version: environment.version }),
      ...this.#chat.commands,
      ...checks.commands,
      ...this.#uploads.commands,
      ...createWindowCommands({
        ...shared,
        desktop,
        pings: checks.pings,
        uploads: this.#uploads,
      }),
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
    this.#uploads.stop()
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
      await this.#chat.reply(place, text)
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error
      // What could not be taken for sending is put before the user again, after what is there.
      const typed = this.state.drafts.get(draftKey(place.accountId, place.conversation)) ?? ''
      this.open(target)
      await this.commands.saveDraft({ ...place, text: typed === '' ? text : `${typed}\n\n${text}` })
    }
  }

  trayAction(action: TrayAction): void {
    switch (action.do) {
      case 'open':
        this.open(action.target)
        break
      case 'show':
        this.open(worstPlace(this.state))
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
    drafts: new Map(
      [...readDrafts(saved.read('drafts'))].filter(([key]) => ids.has(key.split('/')[0] ?? '')),
    ),
    outbox: afterRestart(readOutbox(saved.read('outbox'))).filter(({ accountId }) =>
      ids.has(accountId),
    ),
    notices: readNotices(saved.read('notices')),
  }
}
