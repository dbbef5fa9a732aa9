/** Electron's entry point: sets up what must precede the app's code, then loads it. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { dataFolder, readArguments } from './desktop/system/computer.ts'

/** By then, everything needed for a start has been compiled. */
const startedMs = 10_000

// Set first: V8 rejects cached code that was compiled with other flags.
for (const flag of [
  // Otherwise the young generation grows to 16 MB and stays so; polls of 10,000 checks gain
  // nothing.
  '--semi-space-growth-factor=1',
  // Otherwise undici's parser is optimised after about ten requests: that takes a tenth of a start,
  // for a few requests a minute.
  '--wasm-tiering-budget=1000000000',
])
  process.getBuiltinModule('node:v8').setFlagsFromString(flag)
const args = readArguments(process.argv)
// The cached code is executed, and a folder named on the command line may be someone else's. The
// demo stores nothing; an AppImage has a new path at each start, so it would never find its cache.
const mayKeep = !args.demo && (args.userData === null || !app.isPackaged)
if (mayKeep && process.env['APPIMAGE'] === undefined)
  keepCompiled(join(dataFolder(args, app.getPath('appData')), 'compiled'))
import('./index.ts').catch((error: unknown) => {
  // Rethrown as an exception, which Electron shows; it ignores a rejection.
  setImmediate(() => {
    throw error
  })
})

/** Caches main's compiled code for each build. If the disk refuses, the app works without. */
function keepCompiled(folder: string): void {
  const { enableCompileCache, flushCompileCache } = process.getBuiltinModule('node:module')
  // The name contains a content hash. In an archive, all timestamps are those of this start.
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
      // Nothing was cached, or the cache of an older build stays until the next start.
    }
  }
  setTimeout(keep, startedMs).unref()
}
