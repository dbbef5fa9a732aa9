import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { chromiumLaunch } from './support/browser.ts'

/**
 * How long a test and what it waits for may take, far beyond what they need: on a slow computer that
 * does other things, too, only what will never come is to fail.
 */
const patience = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
}

/** Minutes each: the project `long`, which `npm test` leaves to `npm run test:all`. */
const long = 'test/**/*.long.test.ts'

const sameCases = ['test/support/same-cases.ts']

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    reporters: ['default'],
    // Some of them wait for a disk or a clock, which leaves their core to one more.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          ...patience,
          name: 'core',
          environment: 'node',
          setupFiles: sameCases,
          include: ['test/{shared,demo}/**/*.test.ts'],
          exclude: [long],
          // Computes, and leaves nothing behind: loaded once it takes half as long.
          isolate: false,
        },
      },
      {
        test: {
          ...patience,
          name: 'unit',
          environment: 'node',
          setupFiles: sameCases,
          include: [
            'test/{main,conformance,corpora,operations,app,scripts,chromium-host,hosts,fuzz,security,support,bench}/**/*.test.ts',
            'test/*.test.ts',
          ],
          exclude: [long],
        },
      },
      {
        test: {
          ...patience,
          name: 'long',
          environment: 'node',
          setupFiles: sameCases,
          include: [long],
        },
      },
      {
        oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
        optimizeDeps: {
          include: [
            'preact',
            'preact/hooks',
            'preact/jsx-dev-runtime',
            '@preact/signals',
            'ansi-regex',
            'valibot',
          ],
        },
        test: {
          ...patience,
          name: 'component',
          include: ['test/renderer/**/*.test.tsx'],
          // At a file's first key, the provider may still find the frame of the file before it.
          retry: { count: 2, condition: /Frame was detached/ },
          browser: {
            enabled: true,
            headless: true,
            provider: playwright({ launchOptions: chromiumLaunch() }),
            instances: [{ browser: 'chromium' }],
            screenshotFailures: false,
          },
        },
      },
    ],
  },
})
