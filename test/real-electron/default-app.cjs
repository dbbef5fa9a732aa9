/**
 * Electron's own default app, as far as the tests need it: starts the app that is named on the
 * command line, `electron [--switches] <folder> [arguments]`.
 */
const { readFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { resolve, join } = require('node:path')
const electron = require('electron')

/** Its own default app may set these; types have them not. */
const app =
  /** @type {Electron.App & { setVersion(version: string): void, setAppPath(path: string): void }} */ (
    electron.app
  )

require('./newer-electron.cjs')

const folder = resolve(process.argv.slice(1).find((arg) => !arg.startsWith('-')) ?? '.')
Object.defineProperty(process, 'defaultApp', { enumerable: true, value: true })
const packageFile = join(folder, 'package.json')
const { name, version, main } = /** @type {{ name: string, version: string, main: string }} */ (
  JSON.parse(readFileSync(packageFile, 'utf8'))
)
app.setVersion(version)
app.setName(name)
app.setAppPath(folder)
createRequire(packageFile)(resolve(folder, main))
