/**
 * Makes what users install, on the system it is for:
 *
 *   npm run package                     on Linux a .deb and a tar archive, by the system's own tools; on
 *                                       Windows nsis, on macOS a dmg, by electron-builder
 *   npm run package -- AppImage rpm     these, by electron-builder, which downloads its tools
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { png } from '../src/main/desktop/tray/drawing.ts'
import { appIcon } from '../src/main/desktop/tray/tray-image.ts'
import { licenceNotices, readLock } from './licences.mjs'
import { about, makeLinuxPackages } from './linux-package.mjs'
import { findElectron, projectRoot } from './programs.mjs'

/** Not a dependency: only release machines need it. */
const builder = 'electron-builder@26.17.0'

const out = join(projectRoot, 'dist')
const targets = process.argv.slice(2)
process.exitCode = targets.length > 0 || process.platform !== 'linux' ? build() : pack()

function pack() {
  const electron = findElectron()
  if (electron === undefined) {
    const fix = 'run `node node_modules/electron/install.js`; ELECTRON_MIRROR names a mirror'
    process.stderr.write(
      `package: Electron's own program is not installed, and nothing else may be shipped. To get it, ${fix} of its releases.\n`,
    )
    return 1
  }
  const { deb, tar } = makeLinuxPackages({ electron, version: about().version, out })
  process.stdout.write(`${deb}\n${tar}\n`)
  return 0
}

function build() {
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, 'icon.png'), png(appIcon(1_024)))
  writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), licenceNotices(readLock()))
  const { status } = spawnSync('npx', ['--yes', builder, '--publish', 'never', ...platformArgs()], {
    cwd: projectRoot,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  return status ?? 1
}

function platformArgs() {
  const platform = { darwin: '--mac', win32: '--win' }[String(process.platform)] ?? '--linux'
  return [platform, ...targets]
}
