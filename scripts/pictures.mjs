/**
 * Takes the pictures of docs/pictures anew: the end-to-end test of all views, told to keep what it
 * sees, and the tray on a real panel.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
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
const tray = spawnSync(process.execPath, [join(projectRoot, 'test', 'pictures', 'tray.ts')], {
  cwd: projectRoot,
  stdio: 'inherit',
})
process.exitCode = status === 0 ? (tray.status ?? 1) : (status ?? 1)
