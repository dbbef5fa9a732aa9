import { defineConfig } from 'vitest/config'

/** For `npm run mutate`: the unit tests alone, which say within seconds that something is wrong. */
export default defineConfig({
  test: {
    environment: 'node',
    setupFiles: 'test/support/in-a-thread.ts',
    // Threads share the umask of their process.
    testNamePattern: /^(?!.*umask)/,
    include: ['test/{shared,main}/**/*.test.ts'],
    exclude: ['test/**/*.long.test.ts'],
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
