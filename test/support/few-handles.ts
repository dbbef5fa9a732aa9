/**
 * The app in a process with few file handles: `few-handles.ts <folder> <ops address> <ops key>`.
 * Uses up all handles, releases them, and prints what the app reported at each point.
 */
import { closeSync, openSync, readdirSync } from 'node:fs'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { SavedFiles } from '../../src/main/storage/saved-files.ts'
import { startApp } from './app.ts'

/** What the parent reads. */
export interface FewHandlesReport {
  /**
   * How many could still be opened. The positive control: a limit that never applied proves
   * nothing.
   */
  readonly takenHandles: number
  readonly troubleWithout: readonly string[]
  readonly troubleAfter: readonly string[]
  /** The files that a crash would have left before the first handle was free again. */
  readonly filesWithout: readonly string[]
  readonly readAgain: boolean
  readonly bugs: number
}

const [folder = '', baseUrl = '', key = ''] = process.argv.slice(2)

const until = async (isSo: () => boolean): Promise<void> => {
  // Real time: the child is a process of its own, with real files and sockets.
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20))
}

function takeAll(): number[] {
  const taken: number[] = []
  for (;;) {
    try {
      taken.push(openSync('/dev/null', 'r'))
    } catch {
      // EMFILE: that was the last one.
      return taken
    }
  }
}

const saved = new SavedFiles({
  folder,
  onTrouble: () => undefined,
  openStored: () => null,
  now: Date.now,
})
const it = await startApp({
  disk: Object.assign(saved, { documents: new Map<string, string>(), full: false }),
  transport: createHttpTransport(),
})
const { app } = it
const troubles = (): string[] => app.state.troubles.map(({ id }) => id)
const readAt = (): number => [...app.state.boards.values()][0]?.freshness.readAt ?? 0
await app.commands.addAccount({
  kind: 'monitoring',
  label: 'ops',
  baseUrl,
  key,
  allowHttp: false,
})
await until(() => readAt() > 0)

const taken = takeAll()
app.wake()
for (let pollSeconds = 31; !troubles().includes('disk'); pollSeconds += 1) {
  // The command fails because it could not save; this tests that it is reported as trouble as well.
  await app.commands.updateSettings({ pollSeconds }).catch(() => undefined)
  // A file or socket that was open released its handle, and a setting was saved with it.
  taken.push(...takeAll())
}
const troubleWithout = troubles()
// Listing a folder takes a handle.
for (const handle of taken.splice(0, 1)) closeSync(handle)
const filesWithout = readdirSync(folder)
for (const handle of taken) closeSync(handle)

const backAt = Date.now()
app.wake()
await app.commands.updateSettings({ pollSeconds: 50 })
await until(() => troubles().length === 0 && readAt() >= backAt)
const report: FewHandlesReport = {
  takenHandles: taken.length,
  troubleWithout,
  troubleAfter: troubles(),
  filesWithout,
  readAgain: readAt() >= backAt,
  bugs: it.bugs.length,
}
await app.stop()
process.stdout.write(JSON.stringify(report))
process.exit(0)
