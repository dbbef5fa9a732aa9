/** Takes the pictures of docs/pictures anew: the end-to-end test of all views, told to keep what it sees. */
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
process.exitCode = status ?? 1
