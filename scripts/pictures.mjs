/**
 * Retakes the pictures of docs/pictures: runs the end-to-end test of all views with screenshots
 * kept, and the tray on a real panel.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { projectRoot } from './programs.mjs'

const { status } = spawnSync(
  join(projectRoot, 'node_modules', '.bin', 'playwright'),
  ['test', '--config', 'test/playwright.config.ts', 'views'],
  {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...process.env, BELFRY_PICTURES: '1' },
    shell: process.platform === 'win32',
  },
)
process.exitCode = status === 0 ? pictureTray() : (status ?? 1)

/** Returns an exit code. */
function pictureTray() {
  const missing = ['Xvfb', 'dbus-daemon', 'openbox', 'xfce4-panel', 'import'].filter(isMissing)
  if (missing.length > 0) {
    process.stderr.write(
      `The picture of the tray was not retaken: ${missing.join(', ')} not found. On Debian: ` +
        'apt-get install xvfb dbus openbox xfce4-panel imagemagick\n',
    )
    return 1
  }
  const tray = spawnSync(process.execPath, [join(projectRoot, 'test', 'pictures', 'tray.ts')], {
    cwd: projectRoot,
    stdio: 'inherit',
  })
  return tray.status ?? 1
}

/** @param {string} program */
function isMissing(program) {
  return (process.env['PATH'] ?? '').split(delimiter).every((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return false
    } catch {
      return true
    }
  })
}
