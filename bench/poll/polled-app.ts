import { keyName } from '../../src/main/accounts/connections.ts'
import { App } from '../../src/main/app.ts'
import { createPatchStream } from '../../src/main/desktop/window/patch-stream.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import type { MonitoringAccount } from '../../src/shared/core/account.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import type { Board } from '../../src/shared/core/checks/board.ts'
import type { Patch } from '../../src/shared/core/patch.ts'
import { fakeDesktop, fakeDisk } from '../../test/support/fake-desktop.ts'
import { wallClock } from '../events/clockwork.ts'

export interface PolledApp {
  readonly app: App
  readonly board: () => Board
  /**
   * Reads the list now. Resolves with the patches that the window got, once it has the last one and
   * the next poll is scheduled.
   */
  poll(): Promise<readonly Patch[]>
  /** The notifications that popped up. */
  readonly notices: readonly Notice[]
  /** Unexpected exceptions. */
  readonly bugs: readonly Error[]
}

const account: MonitoringAccount = {
  kind: 'monitoring',
  id: 'project',
  label: 'Project',
  baseUrl: '',
  keyKind: 'readWrite',
  key: 'present',
  protection: 'session',
  insecure: true,
  demo: false,
}

/**
 * The whole app on a real socket, with one project that was read once. Only the computer is
 * simulated: a disk that keeps nothing, and a window that gets its patches as a real one does, each
 * part cloned (the cost of sending it to another process).
 */
export async function startPolledApp(origin: string): Promise<PolledApp> {
  // The built program has it in its bundle.
  await import('undici')
  const bugs: Error[] = []
  const notices: Notice[] = []
  const handed: Patch[] = []
  let underway = 0
  let onHanded: () => void = () => undefined
  let onBug: (bug: Error) => void = () => undefined
  const line = createPatchStream({
    send: (part, isLast) => {
      structuredClone(part)
      handed.push(part)
      if (!isLast) return
      underway -= 1
      onHanded()
    },
    onLarge: () => undefined,
  })
  const app = new App({
    desktop: {
      ...fakeDesktop(),
      showTray: () => undefined,
      pushPatch: (patch) => {
        underway += 1
        line.push(patch)
      },
      notify: (notice) => notices.push(notice),
      withdraw: () => undefined,
    },
    ...(await emptyComputer(origin)),
    transport: createHttpTransport(),
    clock: wallClock,
    environment: {
      protection: 'session',
      demo: false,
      version: '0.0.0',
      standIn: false,
      systemLocale: '',
    },
    openDemo: () => Promise.reject(new Error('no demo here')),
    onBug: (where, error) => {
      const bug = new Error(`a bug in ${where}`, { cause: error })
      bugs.push(bug)
      onBug(bug)
    },
  })

  const board = (): Board => {
    const one = app.state.boards.get(account.id)
    if (one === undefined) throw new Error('the project has no board')
    return one
  }

  /** Waits until an answer after `readAt` is complete and sent to the window. */
  async function settled(readAt: number | null): Promise<readonly Patch[]> {
    handed.length = 0
    await new Promise<void>((resolve, reject) => {
      onBug = reject
      onHanded = () => {
        const { freshness } = board()
        const { failure } = freshness
        // An answer that took so long that it may come from a cache, as on a busy machine, is
        // requested again.
        const isDoubted = failure?.kind === 'malformed' && failure.what === 'cached'
        if (failure !== null && !isDoubted) reject(new Error(JSON.stringify(failure)))
        const isRead = freshness.readAt !== readAt && freshness.nextAt !== null
        if (isRead && underway === 0) resolve()
      }
    })
    onHanded = () => undefined
    // What the window got is not the app's memory.
    return handed.splice(0)
  }

  const first = settled(null)
  await app.start()
  await first
  return {
    app,
    board,
    notices,
    bugs,
    poll() {
      const read = settled(board().freshness.readAt)
      void app.commands.refresh({ accountId: account.id })
      return read
    },
  }
}

async function emptyComputer(baseUrl: string) {
  const one = { ...account, baseUrl }
  const disk = fakeDisk()
  await disk.write('accounts', [one])
  const vault = memoryVault()
  await vault.put(keyName(one), 'k'.repeat(32))
  // A real disk takes the text out of this process.
  return {
    vault,
    saved: { ...disk, write: async (_name: string, value: unknown) => void JSON.stringify(value) },
  }
}
