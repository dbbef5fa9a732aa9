/**
 * Starts an Electron app's main script in plain Node, like Electron's program: `electron [-r file]
 * [--switches] <app> [arguments]`.
 */
import { existsSync, readFileSync } from 'node:fs'
import inspector from 'node:inspector'
import { createRequire, registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { running } from './running.ts'

interface PackageJson {
  readonly name?: string
  readonly version?: string
  readonly main?: string
}

const args = process.argv.slice(2)
const { appFolder, required } = readArguments(args)
running.appPath = resolve(appFolder)
const packageFile = join(running.appPath, 'package.json')
const packageJson: PackageJson = existsSync(packageFile)
  ? // Our own package.json.
    (JSON.parse(readFileSync(packageFile, 'utf8')) as PackageJson)
  : {}
running.name = packageJson.name ?? running.name
running.version = packageJson.version ?? running.version

becomeElectron()
await run()

function readArguments(list: readonly string[]): { appFolder: string; required: string[] } {
  let folder: string | undefined
  const files: string[] = []
  const rest = [...list]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const [, name, value = ''] = /^--([^=]+)=?(.*)$/s.exec(arg) ?? []
    if (arg === '-r') files.push(rest.shift() ?? '')
    else if (name === 'inspect') inspector.open(Number(value), '127.0.0.1')
    else if (name !== undefined) running.switches.set(name, value)
    else folder ??= arg
  }
  return { appFolder: folder ?? '.', required: files }
}

/** Sets up what a main script finds in its process under Electron, and the module it imports. */
function becomeElectron(): void {
  const electronPackage = createRequire(import.meta.url).resolve('electron/package.json')
  // Electron's own package.json.
  const { version } = JSON.parse(readFileSync(electronPackage, 'utf8')) as { version: string }
  const versions = { ...process.versions, electron: version, 'chromium-host': running.version }
  Object.defineProperty(process, 'versions', { value: versions })
  Object.assign(process, { type: 'browser', defaultApp: true })
  process.argv = [join(import.meta.dirname, 'electron'), ...args]
  // One synchronous hook serves import, require() and the inspector's require().
  const url = new URL('./electron.ts', import.meta.url).href
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'electron' || specifier === 'electron/main'
        ? { url, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  })
}

async function run(): Promise<void> {
  process.on('uncaughtException', (error) => {
    // The app's own listener decides, as in Electron.
    if (process.listenerCount('uncaughtException') > 1) return
    console.error('A JavaScript error occurred in the main process\n', error)
    process.exit(1)
  })
  const { app } = await import('./app.ts')
  process.exit = (code) => {
    app.exit(Number(code ?? process.exitCode ?? 0))
    // As in Electron, the script continues until the process has ended.
    return undefined as never
  }
  quitOnSignals(() => void app.quitNatively())
  const requireFile = createRequire(packageFile)
  for (const file of required) requireFile(resolve(file))
  await import(pathToFileURL(join(running.appPath, packageJson.main ?? 'index.js')).href)
  await app.start()
}

/**
 * Quits on a signal for which the app has no listener, without adding a listener that the app
 * would see.
 */
function quitOnSignals(quit: () => void): void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const emit = process.emit.bind(process) as (name: string, ...args: unknown[]) => boolean
  process.emit = ((name: string, ...args: unknown[]) => {
    if (!signals.includes(name) || process.listenerCount(name) > 0) return emit(name, ...args)
    quit()
    return true
  }) as typeof process.emit
  // Node only watches for a signal once it is told of a listener.
  for (const signal of signals) emit('newListener', signal, quit)
}
