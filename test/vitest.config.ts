import { fileURLToPath } from 'node:url'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { chromiumLaunch } from './support/browser.ts'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    reporters: ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          environment: 'node',
          include: [
            'test/{core,api,conformance,operations,sync,storage,desktop,app,demo,scripts,chromium-host,fuzz,security,support,bench}/**/*.test.ts',
            'test/*.test.ts',
          ],
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
            'valibot',
            'croner',
          ],
        },
        test: {
          name: 'component',
          expect: { poll: { timeout: 3_000 } },
          include: ['test/renderer/**/*.test.tsx'],
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
