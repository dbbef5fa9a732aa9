import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { keyName } from '../../src/main/accounts/connections.ts'
import { App } from '../../src/main/app.ts'
import { createClock } from '../../src/main/desktop/system/computer.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { openHistory } from '../../src/main/storage/history-database.ts'
import { memoryHistory } from '../../src/main/storage/memory-history.ts'
import { type ReportTrouble, SavedFiles } from '../../src/main/storage/saved-files.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import type { Account } from '../../src/shared/core/account.ts'
import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import { fakeDesktop, fakeDisk } from '../support/fake-desktop.ts'
import type { Seeded } from '../support/seeded.ts'

export interface SoakApp {
  readonly app: App
  /** Unexpected errors. */
  readonly bugs: string[]
  /** How often something was shown. */
  readonly shown: { patches: number; notices: number }
  /** The run is ending, so what is cut off now is no bug. */
  isOver: boolean
}

/** The real app on real sockets and files in `folder`; only the computer is fake. */
export async function startSoakApp(parts: {
  readonly folder: string
  readonly accounts: readonly Account[]
  readonly keys: ReadonlyMap<string, string>
  readonly chance: Seeded
  readonly without: readonly string[]
}): Promise<SoakApp> {
  const { folder, accounts, keys, without } = parts
  // The built program has it in one file; loading its hundred files here isn't the app's work.
  await import('undici')
  const bugs: string[] = []
  const shown = { patches: 0, notices: 0 }
  const onTrouble: ReportTrouble = ({ text }) => bugs.push(text ?? '')
  const saved = without.includes('disk')
    ? fakeDisk()
    : new SavedFiles({ folder, onTrouble, now: Date.now, openStored: () => null })
  await saved.write('accounts', accounts)
  const vault = memoryVault()
  for (const account of accounts) await vault.put(keyName(account), keys.get(account.id) ?? '')
  const app = new App({
    desktop: {
      ...fakeDesktop(),
      showTray: () => undefined,
      pushPatch: (patch) => {
        // The cost of sending it to a window.
        structuredClone(patch)
        shown.patches += 1
      },
      notify: () => {
        shown.notices += 1
      },
      replace: () => undefined,
      withdraw: () => undefined,
    },
    vault,
    saved,
    history: without.includes('history')
      ? memoryHistory()
      : openHistory({ file: join(folder, 'history.db'), now: Date.now, onTrouble }),
    transport: createHttpTransport(),
    clock: { ...createClock(), random: parts.chance.random },
    environment: {
      protection: 'os',
      demo: false,
      version: '0.0.0',
      standIn: false,
      systemLocale: '',
    },
    openDemo: () => Promise.reject(new Error('a soak has no demo')),
    onBug: (where, error) =>
      bugs.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`),
  })
  await app.start()
  return { app, bugs, shown, isOver: false }
}

/** Does one thing that a user does; refusals, as when a server is away, are part of it. */
export async function useApp(running: SoakApp, chance: Seeded): Promise<void> {
  const { app, bugs } = running
  const accountId = 'demo-chat'
  const place = { accountId, conversation: conversation(chance) }
  const { commands } = app
  const deeds: (() => Promise<unknown>)[] = [
    () => commands.saveDraft({ ...place, text: `half a thought ${randomUUID()}` }),
    () => commands.saveDraft({ ...place, text: '' }),
    () => commands.sendMessage({ ...place, text: `on it ${randomUUID()}` }),
    () => commands.loadConversation({ ...place, older: chance.chance(0.3) }),
    () => commands.markRead(place),
    () => commands.showing({ view: chance.pick(['checks', 'chat', null]) }),
    () => commands.refresh({ accountId: null }),
    () => commands.history({ accountId, from: 0 }),
    () => discardOne(app),
    async () => app.wake(),
  ]
  await deeds[chance.whole(0, deeds.length - 1)]?.().catch((error: unknown) => {
    const isExpected = error instanceof Error && error.name === 'RequestFailed'
    if (!isExpected && !running.isOver) bugs.push(String(error))
  })
}

/** Discards a message that was refused or is unconfirmed. */
async function discardOne(app: App): Promise<void> {
  const one = app.state.outbox.find(({ state }) => state === 'rejected' || state === 'unconfirmed')
  if (one !== undefined)
    await app.commands.discardMessage({ localId: one.localId, keepText: false })
}

function conversation(chance: Seeded): Conversation {
  return chance.chance(0.5)
    ? { kind: 'topic', channelId: 1, topic: 'db-primary' }
    : { kind: 'topic', channelId: 1, topic: `incident ${chance.whole(0, 199)}` }
}
