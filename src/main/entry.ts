/** Where Electron begins: sets up what has to be there before the app's code is read, and reads it. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { dataFolder, readArguments } from './desktop/system/computer.ts'

/** By then everything that a start needs was compiled. */
const startedMs = 10_000

// What was compiled with other flags can't be used again, so these come first.
for (const flag of [
  // The space for new objects would grow to 16 MB and stay so; polls of 10,000 checks are no slower without.
  '--semi-space-growth-factor=1',
  // undici's parser would be optimised after some ten requests: a tenth of a start, for a few requests a minute.
  '--wasm-tiering-budget=1000000000',
])
  process.getBuiltinModule('node:v8').setFlagsFromString(flag)
const args = readArguments(process.argv)
// A folder that a command line names may be another's, and what is kept there is run. The demo stores nothing;
// an AppImage has another path at each start, and so would find nothing again.
const mayKeep = !args.demo && (args.userData === null || !app.isPackaged)
if (mayKeep && process.env['APPIMAGE'] === undefined)
  keepCompiled(join(dataFolder(args, app.getPath('appData')), 'compiled'))
import('./index.ts').catch((error: unknown) => {
  // As an exception, which Electron shows; a rejection it would pass over.
  setImmediate(() => {
    throw error
  })
})

/** Main's code is compiled once for each build, not at each start. Works without, on a disk that refuses. */
function keepCompiled(folder: string): void {
  const { enableCompileCache, flushCompileCache } = process.getBuiltinModule('node:module')
  // A script is named after its contents. Its times say nothing: all in an archive is as old as this start.
  const isBuild = (name: string): boolean => /^main-[\w-]+\.cjs$/.test(name)
  const build = readdirSync(import.meta.dirname).find(isBuild)
  if (build === undefined) return
  enableCompileCache(join(folder, build))
  const keep = (): void => {
    flushCompileCache()
    try {
      for (const name of readdirSync(folder))
        if (isBuild(name) && name !== build)
          rmSync(join(folder, name), { recursive: true, force: true })
    } catch {
      // Nothing was kept, or an older build stays until the next start.
    }
  }
  setTimeout(keep, startedMs).unref()
}
