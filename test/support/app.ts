import { createWorld, type World } from '../../src/demo/world.ts'
import { keyName } from '../../src/main/accounts/connections.ts'
import { serviceOf } from '../../src/main/accounts/services.ts'
import { App } from '../../src/main/app.ts'
import type {
  Clock,
  History,
  KeptFiles,
  StatusFolder,
  Transport,
  Vault,
} from '../../src/main/base/ports.ts'
import { memoryHistory } from '../../src/main/storage/memory-history.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import { type FakeDesktop, type FakeDisk, fakeDesktop, fakeDisk } from './fake-desktop.ts'

/** The whole app in plain Node, with everything around it under the control of a test. */
export interface RunningApp {
  readonly app: App
  readonly world: World
  readonly desktop: FakeDesktop
  readonly disk: FakeDisk
  readonly vault: Vault
  readonly history: History
  readonly bugs: unknown[]
  /** Ends this app and starts another one on the same disk, vault and world, with a new desktop. */
  restart(): Promise<RunningApp>
}

interface Around {
  readonly world: World
  readonly disk: FakeDisk
  readonly vault: Vault
  readonly history: History
  readonly transport: Transport
  readonly clock: Clock
  readonly files: KeptFiles
  readonly statusFolder: StatusFolder
  readonly note: (where: string, what: string) => void
}

/** Starts the app on a calm demo world, with the test's (fake) clock. */
export async function startApp(around: Partial<Around> = {}): Promise<RunningApp> {
  const world = around.world ?? createWorld({ now: Date.now, seed: 1, lively: false })
  const disk = around.disk ?? fakeDisk()
  const vault = around.vault ?? memoryVault()
  const history = around.history ?? memoryHistory()
  const transport = around.transport ?? world.transport
  const clock = around.clock ?? {
    now: Date.now,
    monotonic: () => performance.now(),
    random: () => 0.5,
  }
  // Fake timers do not wait for what is loaded from disk.
  await Promise.all([
    serviceOf('chat').load(),
    import('../../src/main/accounts/account-probe.ts'),
    import('../../src/shared/core/views/findings.ts'),
  ])
  const desktop = fakeDesktop()
  const bugs: unknown[] = []
  const app = new App({
    desktop,
    vault,
    saved: disk,
    history,
    transport,
    clock,
    ...(around.files && { files: around.files }),
    ...(around.statusFolder && { statusFolder: around.statusFolder }),
    ...(around.note && { note: around.note }),
    environment: {
      protection: 'os',
      demo: false,
      version: '0.0.0',
      standIn: false,
      systemLocale: '',
    },
    openDemo: async () => {
      const demoVault = memoryVault()
      for (const account of world.accounts)
        await demoVault.put(keyName(account), world.keys.get(account.id) ?? '')
      return { transport, vault: demoVault, accounts: world.accounts, start: () => () => undefined }
    },
    onBug: (_where, error) => bugs.push(error),
  })
  desktop.pushPatch(app.windowFollows())
  await app.start()
  return {
    app,
    world,
    desktop,
    disk,
    vault,
    history,
    bugs,
    restart: async () => {
      await app.stop()
      const { files } = around
      return startApp({ world, disk, vault, history, transport, clock, ...(files && { files }) })
    },
  }
}
