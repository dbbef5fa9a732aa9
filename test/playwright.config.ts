import { defineConfig } from 'playwright/test'
import { appProgram } from './support/app-program.ts'

const onElectron = appProgram().on === 'electron'
// Of each host its own: on Electron another user may write them.
const results = onElectron ? '../test-results/on-electron' : '../test-results'

// Some of what Electron itself does, nothing else can be asked.
const specs = ['**/*.app.test.ts', ...(onElectron ? ['**/*.electron.test.ts'] : [])]
/** Minutes each, which `npm test` leaves to `npm run test:all`. */
const long = '**/*.long.app.test.ts'

export default defineConfig({
  testDir: './e2e',
  outputDir: `${results}/e2e`,
  fullyParallel: true,
  forbidOnly: process.env['CI'] !== undefined,
  // A test that passes at the second try has found something.
  retries: 0,
  // Each has an app, a browser, a session bus and a server of its own, and waits for most of its time.
  workers: 6,
  // Far beyond what they need: on a slow computer only what will never come is to fail.
  timeout: 300_000,
  expect: { timeout: 120_000 },
  reporter: [['list'], ['json', { outputFile: `${results}/playwright.json` }]],
  projects: [
    { name: 'short', testMatch: specs, testIgnore: long },
    { name: 'long', testMatch: long },
  ],
})
