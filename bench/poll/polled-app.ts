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
   * Reads the list now. Resolves with the parts that the window got of it, once it got the last and
   * the next poll is planned.
   */
  poll(): Promise<readonly Patch[]>
  /** What popped up. */
  readonly notices: readonly Notice[]
  /** What threw where nobody expected it. */
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
 * pretended: a disk that keeps nothing, and a window that gets its patches as a real one does, each
 * part cloned (which is what handing it over to another process costs).
 */
export async function startPolledApp(origin: string): Promise<PolledApp> {
  // The built program has it in one file.
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

  /** Until an answer after `readAt` is settled and handed over. */
  async function settled(readAt: number | null): Promise<readonly Patch[]> {
    handed.length = 0
    await new Promise<void>((resolve, reject) => {
      onBug = reject
      onHanded = () => {
        const { freshness } = board()
        const { failure } = freshness
        // What took so long that it may come from a cache, as on a busy machine, is asked for again.
        const isDoubted = failure?.kind === 'malformed' && failure.what === 'cached'
        if (failure !== null && !isDoubted) reject(new Error(JSON.stringify(failure)))
        const isRead = freshness.readAt !== readAt && freshness.nextAt !== null
        if (isRead && underway === 0) resolve()
      }
    })
    onHanded = () => undefined
    // What a window got is the window's: it is no memory of the app.
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
  // A disk takes its text out of this process.
  return {
    vault,
    saved: { ...disk, write: async (_name: string, value: unknown) => void JSON.stringify(value) },
  }
}
