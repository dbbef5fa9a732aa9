/**
 * Starts the built app in plain Node without a browser, for checks that start it hundreds of
 * times: `node host.ts <folder with package.json and out/> [switches]`. The commands of its page
 * come through the channel of `fork`.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { running } from '../chromium-host/running.ts'
import { type Question, tellParent } from './channel.ts'

const [folder = '.', ...switches] = process.argv.slice(2)
running.appPath = resolve(folder)
const packageFile = join(running.appPath, 'package.json')
const manifest = JSON.parse(readFileSync(packageFile, 'utf8')) as { main: string; version: string }
running.version = manifest.version
for (const one of switches) {
  const [, name = '', value = ''] = /^--([^=]+)=?(.*)$/s.exec(one) ?? []
  running.switches.set(name, value)
}
const versions = { ...process.versions, electron: '0.0.0', 'chromium-host': running.version }
Object.defineProperty(process, 'versions', { value: versions })
Object.assign(process, { type: 'browser', defaultApp: true })
const electron = new URL('../chromium-host/electron.ts', import.meta.url).href
const windows = new URL('./window.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === 'electron')
      return { url: electron, format: 'module-typescript', shortCircuit: true }
    // The stand-in unchanged, except for its windows.
    return next(specifier === './browser-window.ts' ? windows : specifier, context)
  },
})

const { app } = await import('../chromium-host/app.ts')
const { askApp } = await import('./window.ts')
process.on('message', (question: Question) => {
  const { id, name, input } = question
  void askApp(name, input).then((result) => tellParent({ kind: 'reply', id, result }))
})
// If the harness crashes, the app ends with it.
process.on('disconnect', () => process.exit(0))
const { dialog } = await import('../chromium-host/surroundings.ts')
// File dialogs choose this file, and questions are answered with yes.
const showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [packageFile] })
const showMessageBox = () => Promise.resolve({ response: 1 })
Object.assign(dialog, { showOpenDialog, showMessageBox })
await import(pathToFileURL(join(running.appPath, manifest.main)).href)
await app.start(async () => undefined)
